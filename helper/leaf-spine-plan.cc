// SPDX-License-Identifier: GPL-2.0-only

#include "leaf-spine-plan.h"

#include "ns3/node.h"

namespace ns3::llm
{

LeafSpinePlan
LeafSpinePlan::Make(uint32_t leaves, uint32_t uplinks, uint32_t radix)
{
    LeafSpinePlan plan;
    for (uint32_t spines = 1; spines <= uplinks; ++spines)
    {
        if (uplinks % spines == 0 && uint64_t{leaves} * (uplinks / spines) <= radix)
        {
            plan.spines = spines;
            plan.linksPerPair = uplinks / spines;
            return plan;
        }
    }
    return plan;
}

namespace
{

/** What JoinLeaves() works with. */
struct Joint
{
    Ptr<FabricNetwork> network;                             //!< where to
    std::string name;                                       //!< of the new switches
    const std::function<void(uint32_t, uint32_t)>& connect; //!< joins two switches
};

/**
 * Add the spines of a plan.
 * @param joint what to work with
 * @param plan the plan
 * @param leaves vertices of the leaves
 * @param tier of the spines
 * @param firstPlace place of the first spine in its tier
 * @param title what their names go on with
 */
void
AddSpines(const Joint& joint,
          const LeafSpinePlan& plan,
          const std::vector<uint32_t>& leaves,
          uint32_t tier,
          uint32_t firstPlace,
          const std::string& title)
{
    for (uint32_t s = 0; s < plan.spines; ++s)
    {
        const uint32_t place = firstPlace + s;
        const uint32_t spine = joint.network->AddSwitch(CreateObject<Node>(),
                                                        tier,
                                                        place,
                                                        joint.name + title + std::to_string(place));
        for (const uint32_t leaf : leaves)
        {
            for (uint32_t link = 0; link < plan.linksPerPair; ++link)
            {
                joint.connect(leaf, spine);
            }
        }
    }
}

/**
 * Add the network that joins one uplink of each leaf.
 * @param joint what to work with
 * @param leaves vertices of the leaves
 * @param radix ports of a switch
 * @param plane number of the plane
 */
void
AddPlane(const Joint& joint, const std::vector<uint32_t>& leaves, uint32_t radix, uint32_t plane)
{
    const uint32_t half = radix / 2;
    const auto count = static_cast<uint32_t>((leaves.size() + half - 1) / half);
    std::vector<uint32_t> aggregations;
    for (uint32_t i = 0; i < leaves.size(); ++i)
    {
        if (i % half == 0)
        {
            const uint32_t place = plane * count + i / half;
            aggregations.push_back(
                joint.network->AddSwitch(CreateObject<Node>(),
                                         1,
                                         place,
                                         joint.name + " aggregation " + std::to_string(place)));
        }
        joint.connect(leaves[i], aggregations.back());
    }
    const LeafSpinePlan plan = LeafSpinePlan::Make(count, half, radix);
    AddSpines(joint, plan, aggregations, 2, plane * plan.spines, " core ");
}

} // namespace

bool
CanJoinLeaves(uint32_t leaves, uint32_t uplinks, uint32_t radix)
{
    const uint32_t half = radix / 2;
    return leaves <= 1 || LeafSpinePlan::Make(leaves, uplinks, radix).spines != 0 ||
           LeafSpinePlan::Make((leaves + half - 1) / half, half, radix).spines != 0;
}

void
JoinLeaves(Ptr<FabricNetwork> network,
           const std::vector<uint32_t>& leaves,
           uint32_t uplinks,
           uint32_t radix,
           const std::string& name,
           const std::function<void(uint32_t, uint32_t)>& connect)
{
    const auto count = static_cast<uint32_t>(leaves.size());
    if (count <= 1)
    {
        return;
    }
    const Joint joint{network, name, connect};
    const LeafSpinePlan plan = LeafSpinePlan::Make(count, uplinks, radix);
    if (plan.spines != 0)
    {
        AddSpines(joint, plan, leaves, 1, 0, " ");
        return;
    }
    for (uint32_t plane = 0; plane < uplinks; ++plane)
    {
        AddPlane(joint, leaves, radix, plane);
    }
}

} // namespace ns3::llm
