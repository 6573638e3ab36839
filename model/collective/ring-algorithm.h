// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RING_ALGORITHM_H
#define LLM_FABRIC_RING_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Operations around a ring, in the order of the group.
 *
 * Rank r sends to r + 1 and receives from r - 1 (modulo N). Part r of the buffer is that of rank r, and
 * each channel has a slice of each part; slices differ by at most one byte, the larger ones first.
 * Reduce-scatter takes N - 1 steps and leaves rank r with part r; all-gather takes N - 1 steps and
 * starts with part r at rank r; all-reduce is the one and then the other. The ranks together send
 * exactly (N - 1) S bytes in reduce-scatter and all-gather and 2 (N - 1) S in all-reduce. With
 * `Bidirectional` every other channel goes the other way round. With `RotateInDomains` channel c enters
 * each HB domain at its c-th rank, so that the channels leave domains over different NICs.
 *
 * Lane 2c sends and lane 2c + 1 receives for channel c; a send waits for the receive of the step
 * before it. The places of a channel's messages are counted through all 2 (N - 1) steps of an
 * all-reduce: an all-gather has those of the second half.
 *
 * Broadcast and reduce go along the ring from root to its last rank or the other way, cut into
 * messages of at most `ChainMessage` bytes that follow each other: (N - 1) S bytes in all.
 */
class RingAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;

  private:
    uint32_t m_channels = 1;        //!< parallel rings, each with its own part of the buffer
    bool m_isBidirectional = false; //!< every other channel goes the other way round
    bool m_isRotated = false;       //!< channel c enters each domain at its c-th rank
    uint64_t m_chainMessage = 0;    //!< largest message of broadcast and reduce
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RING_ALGORITHM_H
