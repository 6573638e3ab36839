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

void
AddSpines(Ptr<FabricNetwork> network,
          const LeafSpinePlan& plan,
          const std::vector<uint32_t>& leaves,
          const std::string& name,
          const std::function<void(uint32_t, uint32_t)>& connect)
{
    for (uint32_t s = 0; s < plan.spines; ++s)
    {
        const uint32_t spine =
            network->AddSwitch(CreateObject<Node>(), 1, s, name + " " + std::to_string(s));
        for (const uint32_t leaf : leaves)
        {
            for (uint32_t link = 0; link < plan.linksPerPair; ++link)
            {
                connect(leaf, spine);
            }
        }
    }
}

} // namespace ns3::llm
