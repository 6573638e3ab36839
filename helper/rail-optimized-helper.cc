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
RailOptimizedHelper::GetNicsPerLeaf(uint32_t radix) const
{
    return std::min(GetDomains(), radix / 2);
}

uint32_t
RailOptimizedHelper::GetLeavesPerRail(uint32_t radix) const
{
    const uint32_t perLeaf = GetNicsPerLeaf(radix);
    return (GetDomains() + perLeaf - 1) / perLeaf;
}

bool
RailOptimizedHelper::Fits(uint32_t radix) const
{
    return CanJoinLeaves(GetLeavesPerRail(radix) * GetDomainSize(), GetNicsPerLeaf(radix), radix);
}

void
RailOptimizedHelper::Check() const
{
    if (!Fits(m_radix))
    {
        uint32_t radix = 2;
        while (!Fits(radix))
        {
            radix += 2;
        }
        std::ostringstream text;
        text << "SwitchRadix " << m_radix << ": two tiers above the rail switches cannot join "
             << GetAccelerators() << " accelerators with DomainSize " << GetDomainSize()
             << "; the smallest that fits is " << radix;
        RefuseInput(text.str());
    }
}

void
RailOptimizedHelper::ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics)
{
    const uint32_t perLeaf = GetNicsPerLeaf(m_radix);
    const uint32_t leavesPerRail = GetLeavesPerRail(m_radix);
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
    JoinLeaves(network,
               leaves,
               perLeaf,
               m_radix,
               "spine",
               [&](uint32_t a, uint32_t b) { ConnectSwitches(network, a, b); });
}

} // namespace ns3::llm
