// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PAT_ALGORITHM_H
#define LLM_FABRIC_PAT_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * All-gather and reduce-scatter over one binomial tree for each rank's part, whose messages between the
 * same ranks are put together (PAT, arXiv 2506.20252; NCCL 2.23): about log2 N messages one after the
 * other for small parts, and (N - 1) S bytes in all as in a ring.
 *
 * In the tree of rank s, the rank at s + o (modulo N) sends the part on to s + o + 2^d for each d below
 * the lowest bit set in o. All-gather goes through the dimensions d from the highest, so that the longest
 * distance is crossed with the fewest bytes; reduce-scatter goes back the same way. A message holds at
 * most `MaxParts` parts, which bounds the memory that a rank needs beside its buffers.
 */
class PatAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;

  private:
    uint32_t m_maxParts = 0; //!< parts in a message
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PAT_ALGORITHM_H
