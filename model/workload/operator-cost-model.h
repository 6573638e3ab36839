// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATOR_COST_MODEL_H
#define LLM_FABRIC_OPERATOR_COST_MODEL_H

#include "accelerator.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * An operator of a rank: one kernel, or a few small ones, with its shape.
 */
struct ModelOperator
{
    /** What runs it. */
    enum Kind : uint8_t
    {
        MATRIX, //!< the matrix units: `batch` products of (m x k) by (k x n)
        VECTOR, //!< the vector units: `elements` values, a few operations each
    };

    /** How it goes through memory, which decides the rate that it reaches there. */
    enum Access : uint8_t
    {
        STREAM,              //!< each tensor once
        NORM_FORWARD,        //!< with sums over each token
        NORM_BACKWARD,       //!< with sums over each token and over all tokens
        EARLY_NORM_FORWARD,  //!< the same by kernels that read their input twice
        EARLY_NORM_BACKWARD, //!< likewise
    };

    const char* name = "";  //!< e.g. "qkv", "softmax"; the same in both passes
    Kind kind = VECTOR;     //!< what runs it
    Access access = STREAM; //!< VECTOR: how it goes through memory
    uint64_t batch = 1;     //!< MATRIX: independent products
    uint64_t m = 0;         //!< MATRIX: rows of the result
    uint64_t n = 0;         //!< MATRIX: columns of the result
    uint64_t k = 0;         //!< MATRIX: length of the sums
    uint64_t elements = 0;  //!< VECTOR: values that it computes
    uint64_t flops = 0;     //!< floating-point operations; a multiply-add is two
    uint64_t bytes = 0;     //!< bytes read from and written to memory
    uint32_t precision = 2; //!< bytes of an operand of MATRIX
    /**
     * MATRIX: memory traffic of an element of the result, bytes: its size, or more if it is added to
     * what is there (8 for a sum in 32 bit), or 0 if it stays on the chip.
     */
    uint32_t resultBytes = 2;
    uint64_t randomNumbers = 0; //!< VECTOR: random numbers drawn (dropout)
    uint32_t kernels = 1;       //!< kernels that do it, one after the other
};

/**
 * @ingroup llm-fabric-workload
 * Says how long an operator takes.
 *
 * To add one: derive, give it a TypeId, and hand it to TransformerWorkload.
 */
class OperatorCostModel : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param op the operator
     * @param accelerator what runs it, alone
     * @return its time, at least 0
     */
    virtual Time GetTime(const ModelOperator& op, const Accelerator& accelerator) const = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATOR_COST_MODEL_H
