// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_HIERARCHICAL_ALGORITHM_H
#define LLM_FABRIC_HIERARCHICAL_ALGORITHM_H

#include "collective-algorithm.h"

#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Operations in stages, inside the HB domains and across them along the rails, so that no message
 * changes the rail between domains.
 *
 * The group must be a grid: each of its G domains has members on the same K rails. All-reduce is a
 * reduce-scatter inside, an all-reduce of the 1/K on each rail, and an all-gather inside;
 * reduce-scatter goes inside and then across, all-gather across and then inside. In an all-to-all
 * each rank first gives the members of its domain what is for their rails, and each then exchanges
 * what it has for all of a domain in one message (as NCCL's PXN does).
 *
 * Each rank sends between domains 2 (G - 1) / (G K) S bytes in all-reduce, (G - 1) / (G K) S in
 * all-gather and reduce-scatter, and (G - 1) / G S in all-to-all, if the algorithm across is a ring or
 * direct. Inside, the domain's switch may reduce and multicast (InSwitchAlgorithm): an all-reduce is then
 * NCCL's NVLSTree, and each rank sends S (1 + 1/K) inside its domain. Where switches cannot do so for
 * one of the domains it is refused. `Slices` cuts the buffer into slices that go through the stages side by side.
 */
class HierarchicalAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;

  private:
    std::string m_inside;  //!< algorithm inside a domain
    std::string m_across;  //!< algorithm along a rail
    uint32_t m_slices = 1; //!< slices of the buffer
};

} // namespace ns3::llm

#endif // LLM_FABRIC_HIERARCHICAL_ALGORITHM_H
