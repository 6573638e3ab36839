// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LEAF_SPINE_PLAN_H
#define LLM_FABRIC_LEAF_SPINE_PLAN_H

#include "ns3/fabric-network.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * How leaves of a given number of uplinks are joined by the fewest spines, each leaf with equally many
 * links to every spine, so that the bisection is full.
 */
struct LeafSpinePlan
{
    uint32_t spines = 0;       //!< number of spines; 0 when no plan fits
    uint32_t linksPerPair = 0; //!< links between a leaf and a spine

    /**
     * @param leaves number of leaves
     * @param uplinks uplinks of each
     * @param radix ports of a spine
     * @return the plan
     */
    static LeafSpinePlan Make(uint32_t leaves, uint32_t uplinks, uint32_t radix);
};

/**
 * @ingroup llm-fabric-helper
 * @param leaves number of leaves
 * @param uplinks uplinks of each
 * @param radix ports of a switch
 * @return whether JoinLeaves() can join them
 */
bool CanJoinLeaves(uint32_t leaves, uint32_t uplinks, uint32_t radix);

/**
 * @ingroup llm-fabric-helper
 * Join leaves with full bisection: by one tier of spines where their radix suffices, else by one plane
 * for each uplink, which is a leaf-spine network of its own (aggregation and core switches).
 * @param network where to
 * @param leaves vertices of the leaves; one needs nothing
 * @param uplinks uplinks of each
 * @param radix ports of a switch
 * @param name what the names of the new switches begin with
 * @param connect joins two switches
 */
void JoinLeaves(Ptr<FabricNetwork> network,
                const std::vector<uint32_t>& leaves,
                uint32_t uplinks,
                uint32_t radix,
                const std::string& name,
                const std::function<void(uint32_t, uint32_t)>& connect);

} // namespace ns3::llm

#endif // LLM_FABRIC_LEAF_SPINE_PLAN_H
