// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TENSOR_PARALLEL_STEPS_H
#define LLM_FABRIC_TENSOR_PARALLEL_STEPS_H

#include "operator-list.h"

#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Before a matrix divided by columns, or backward before one divided by rows: with SP each rank of a
 * tensor group gets the tokens of all.
 * @param list where to
 * @param width values of a token
 */
void AddTokenGather(OperatorList& list, uint64_t width);

/**
 * @ingroup llm-fabric-workload
 * After a matrix divided by rows: the sum over the tensor group, of all tokens or with SP of each
 * rank's own.
 * @param list where to
 * @param width values of a token
 */
void AddGroupSum(OperatorList& list, uint64_t width);

/**
 * @ingroup llm-fabric-workload
 * Backward through matrices divided by columns: gradients of inputs, their sum over the tensor group,
 * gradients of weights. With SP the input, of which a rank kept its own tokens, is gathered once more.
 * @param list where to
 * @param products the matrices' products
 * @param width values of a token in their inputs, together where they differ
 */
void
AddColumnBackward(OperatorList& list, const std::vector<MatrixProduct>& products, uint64_t width);

} // namespace ns3::llm

#endif // LLM_FABRIC_TENSOR_PARALLEL_STEPS_H
