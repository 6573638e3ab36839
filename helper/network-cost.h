// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NETWORK_COST_H
#define LLM_FABRIC_NETWORK_COST_H

#include "network-prices.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A NIC network in numbers, as the rail-only paper counts them (arXiv 2307.12169).
 */
struct NetworkPlan
{
    /** What kind of network; each has a topology helper. */
    enum Kind : uint8_t
    {
        RAIL_ONLY,      //!< K networks of N/K NICs
        RAIL_OPTIMIZED, //!< one network of N NICs with the fewest tiers
        FAT_TREE, //!< one network of N NICs with three tiers, or more where three do not suffice
    };

    uint32_t accelerators = 0; //!< N, each with one NIC
    uint32_t radix = 0;        //!< ports of a switch
    uint32_t tiers = 0;        //!< of switches
    double switches = 0;       //!< a rail that fills part of a switch counts as that part
    uint64_t transceivers = 0; //!< one at each end of each link, NICs included

    /**
     * Plan a non-blocking network: the fewest tiers t with 2 (r/2)^t >= n ports, (2t - 1) n / r switches
     * and t n links, where n is the number of NICs and r the radix.
     * @param kind what kind
     * @param accelerators N; refused unless domainSize divides it
     * @param domainSize K, accelerators of an HB domain, at least 1
     * @param radix ports of a switch; refused unless even and at least 4
     * @return the plan
     */
    static NetworkPlan Make(Kind kind, uint32_t accelerators, uint32_t domainSize, uint32_t radix);
    /** @return all kinds */
    static const std::vector<Kind>& GetKinds();
    /** @param kind a kind @return the name that its topology has: "rail-only" */
    static std::string GetName(Kind kind);

    /** @return links, those of NICs included */
    uint64_t GetLinks() const;
    /** @param prices of the parts @return price of switches and transceivers, USD */
    double GetUsd(const NetworkPrices& prices) const;
    /** @param prices of the parts @return power of switches and transceivers, W; 0: unknown */
    double GetWatts(const NetworkPrices& prices) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_NETWORK_COST_H
