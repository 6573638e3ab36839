// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_HALVING_DOUBLING_ALGORITHM_H
#define LLM_FABRIC_HALVING_DOUBLING_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Recursive halving and doubling for any number of ranks (Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 * 2005): log2 N steps with a peer each, of S/2, S/4, ... bytes.
 *
 * Reduce-scatter: ranks at distance P/2, P/4, ..., 1 exchange halves of what they still reduce, where P
 * is the largest power of two up to N. All-gather is the reverse, all-reduce the one and then the
 * other. If N is not a power of two, the ranks 1, 3, 5, ... of the first 2 (N - P) hand theirs to the
 * rank before them at the beginning and get their result from it at the end. With P = N the ranks send
 * (N - 1) S bytes in all, 2 (N - 1) S in all-reduce, as in a ring; else those of the pairs come on top.
 */
class HalvingDoublingAlgorithm : public CollectiveAlgorithm
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

#endif // LLM_FABRIC_HALVING_DOUBLING_ALGORITHM_H
