// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DIRECT_ALGORITHM_H
#define LLM_FABRIC_DIRECT_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Each rank sends to each other what that needs, in one message and without relays: every operation
 * in one step, all-reduce in two (reduce-scatter, all-gather).
 *
 * Rank r sends to r + 1, r + 2, ... (modulo N), so that the ranks do not all begin with the same
 * receiver. Lane 0 sends and lane 1 receives, in that order. Bytes are (N - 1) S in all for
 * reduce-scatter, all-gather, broadcast and reduce, 2 (N - 1) S for all-reduce, and what is not the
 * rank's own part for all-to-all, gather and scatter.
 */
class DirectAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DIRECT_ALGORITHM_H
