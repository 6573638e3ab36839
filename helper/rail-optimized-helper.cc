// SPDX-License-Identifier: GPL-2.0-only

#include "rail-optimized-helper.h"

#include "leaf-spine-plan.h"

#include "ns3/input-error.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RailOptimizedHelper);

TypeId
RailOptimizedHelper::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RailOptimizedHelper")
            .SetParent<TopologyHelper>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RailOptimizedHelper>()
            .AddAttribute("SwitchRadix",
                          "Ports of a switch; half of those of a rail switch lead to NICs.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RailOptimizedHelper::m_radix),
                          MakeUintegerChecker<uint32_t>(2, 65535));
    return tid;
}

std::string
RailOptimizedHelper::GetTopologyName() const
{
    return "rail-optimized";
}

bool
RailOptimizedHelper::JoinsRails() const
{
    return true;
}

uint32_t
RailOptimizedHelper::GetNicPlace(uint32_t accelerator) const
{
    return accelerator % GetDomainSize() * GetDomains() + accelerator / GetDomainSize();
}

uint32_t
RailOptimizedHelper::GetNicsPerLeaf() const
{
    return std::min(GetDomains(), m_radix / 2);
}

uint32_t
RailOptimizedHelper::GetLeavesPerRail() const
{
    return (GetDomains() + GetNicsPerLeaf() - 1) / GetNicsPerLeaf();
}

void
RailOptimizedHelper::Check() const
{
    const uint32_t leaves = GetLeavesPerRail() * GetDomainSize();
    if (leaves > 1 && LeafSpinePlan::Make(leaves, GetNicsPerLeaf(), m_radix).spines == 0)
    {
        std::ostringstream text;
        text << "SwitchRadix " << m_radix << ": " << leaves
             << " rail switches need more than one tier of spines; one tier joins " << m_radix
             << " rail switches, or up to " << m_radix / 2 * m_radix << " accelerators";
        RefuseInput(text.str());
    }
}

void
RailOptimizedHelper::ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics)
{
    const uint32_t perLeaf = GetNicsPerLeaf();
    const uint32_t leavesPerRail = GetLeavesPerRail();
    std::vector<uint32_t> leaves;
    for (uint32_t rail = 0; rail < GetDomainSize(); ++rail)
    {
        for (uint32_t domain = 0; domain < GetDomains(); ++domain)
        {
            if (domain % perLeaf == 0)
            {
                const uint32_t leaf = domain / perLeaf;
                leaves.push_back(network->AddSwitch(CreateObject<Node>(),
                                                    0,
                                                    rail * leavesPerRail + leaf,
                                                    "rail " + std::to_string(rail) + " switch " +
                                                        std::to_string(leaf)));
            }
            ConnectNic(network, nics[domain * GetDomainSize() + rail], leaves.back());
        }
    }
    if (leaves.size() > 1)
    {
        AddSpines(network,
                  LeafSpinePlan::Make(static_cast<uint32_t>(leaves.size()), perLeaf, m_radix),
                  leaves,
                  "spine",
                  [&](uint32_t a, uint32_t b) { ConnectSwitches(network, a, b); });
    }
}

} // namespace ns3::llm
