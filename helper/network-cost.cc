// SPDX-License-Identifier: GPL-2.0-only

#include "network-cost.h"

#include "ns3/input-error.h"

namespace ns3::llm
{

namespace
{

constexpr uint32_t FAT_TREE_TIERS = 3; //!< as FatTreeHelper builds them

/**
 * @param nics number of NICs
 * @param radix ports of a switch
 * @return the fewest tiers t with 2 (radix/2)^t >= nics
 */
uint32_t
CountTiers(uint64_t nics, uint64_t radix)
{
    uint32_t tiers = 1;
    for (uint64_t reach = radix; reach < nics; reach *= radix / 2)
    {
        ++tiers;
    }
    return tiers;
}

} // namespace

const std::vector<NetworkPlan::Kind>&
NetworkPlan::GetKinds()
{
    static const std::vector<Kind> KINDS{RAIL_ONLY, RAIL_OPTIMIZED, FAT_TREE};
    return KINDS;
}

std::string
NetworkPlan::GetName(Kind kind)
{
    switch (kind)
    {
    case RAIL_ONLY:
        return "rail-only";
    case RAIL_OPTIMIZED:
        return "rail-optimized";
    case FAT_TREE:
        return "fat-tree";
    }
    RefuseInput("there is no network of kind " + std::to_string(kind));
}

NetworkPlan
NetworkPlan::Make(Kind kind, uint32_t accelerators, uint32_t domainSize, uint32_t radix)
{
    if (radix < 4 || radix % 2 != 0)
    {
        RefuseInput("a network of switches with " + std::to_string(radix) +
                    " ports: an even number of at least 4 is allowed");
    }
    if (domainSize == 0 || accelerators == 0 || accelerators % domainSize != 0)
    {
        RefuseInput("a network of " + std::to_string(accelerators) +
                    " accelerators in HB domains of " + std::to_string(domainSize) +
                    ": a whole number of domains is allowed");
    }
    const uint64_t nics = kind == RAIL_ONLY ? accelerators / domainSize : accelerators;
    NetworkPlan plan;
    plan.accelerators = accelerators;
    plan.radix = radix;
    plan.tiers = CountTiers(nics, radix);
    if (kind == FAT_TREE && plan.tiers < FAT_TREE_TIERS)
    {
        plan.tiers = FAT_TREE_TIERS;
    }
    // the rails of rail-only together have as many NICs as one network
    plan.switches = static_cast<double>(uint64_t{2 * plan.tiers - 1} * accelerators) / radix;
    plan.transceivers = uint64_t{2} * plan.tiers * accelerators;
    return plan;
}

uint64_t
NetworkPlan::GetLinks() const
{
    return transceivers / 2;
}

double
NetworkPlan::GetUsd(const NetworkPrices& prices) const
{
    return switches * radix * prices.switchPortUsd +
           static_cast<double>(transceivers) * prices.transceiverUsd;
}

double
NetworkPlan::GetWatts(const NetworkPrices& prices) const
{
    return prices.HasPower() ? switches * radix * prices.switchPortWatts +
                                   static_cast<double>(transceivers) * prices.transceiverWatts
                             : 0;
}

} // namespace ns3::llm
