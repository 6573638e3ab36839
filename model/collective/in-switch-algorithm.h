// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_IN_SWITCH_ALGORITHM_H
#define LLM_FABRIC_IN_SWITCH_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Lets switches reduce and multicast, where `Locality` says that they can do so for the group; elsewhere
 * it is refused.
 *
 * Over a tree of switches (SHARP) an all-reduce is one reduction whose result comes to all: S bytes up
 * and down each link of the tree. Reduce-scatter is a reduction for each rank, all-gather a multicast by
 * each, one after the other.
 *
 * In an HB domain whose members read what is reduced and write to all (NVLS), an all-reduce is cut into
 * slices, and each rank reads its N-th of a slice and writes it back: each sends and receives
 * S (1 + 1/N). The reading of a slice goes on while those before it are written. Reduce-scatter is the
 * reading alone, all-gather the writing.
 */
class InSwitchAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;

  private:
    uint64_t m_sliceBytes; //!< attribute
    uint32_t m_maxSlices;  //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_IN_SWITCH_ALGORITHM_H
