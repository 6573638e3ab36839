// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_TWO_TIER_LOCALITY_H
#define LLM_FABRIC_TEST_TWO_TIER_LOCALITY_H

#include "ns3/locality.h"

#include <cstdint>
#include <numeric>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A cluster as algorithms see it, without a network.
 */

namespace ns3::llm
{

/** Domains of K accelerators; one link inside and one across. */
class TwoTierLocality : public Locality
{
  public:
    /** @param rails K */
    explicit TwoTierLocality(uint32_t rails)
        : m_rails(rails)
    {
    }

    uint32_t GetAcceleratorCount() const override
    {
        return 1024;
    }

    uint32_t GetDomain(uint32_t accelerator) const override
    {
        return accelerator / m_rails;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return accelerator % m_rails;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return accelerator;
    }

    Path GetPath(uint32_t source, uint32_t destination, uint32_t, uint32_t) const override
    {
        const bool isInside = GetDomain(source) == GetDomain(destination);
        PathLeg leg;
        leg.isFluid = true; // S / rate and a delay, so that times are plain
        leg.fluidDelay = isInside ? MicroSeconds(1) : MicroSeconds(5);
        PathLink link;
        link.rate = DataRate(isInside ? "800Gbps" : "80Gbps");
        leg.links.assign(2, link);
        Path path;
        path.legs.push_back(leg);
        return path;
    }

  private:
    uint32_t m_rails; //!< K
};

/** @param count how many @return accelerators 0, 1, ... */
inline std::vector<uint32_t>
MakeGroup(uint32_t count)
{
    std::vector<uint32_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_TWO_TIER_LOCALITY_H
