// SPDX-License-Identifier: GPL-2.0-only

#include "rail-only-helper.h"

#include "leaf-spine-plan.h"

#include "ns3/input-error.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RailOnlyHelper);

TypeId
RailOnlyHelper::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RailOnlyHelper")
                            .SetParent<TopologyHelper>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<RailOnlyHelper>()
                            .AddAttribute("SwitchRadix",
                                          "Ports of a switch.",
                                          UintegerValue(64),
                                          MakeUintegerAccessor(&RailOnlyHelper::m_radix),
                                          MakeUintegerChecker<uint32_t>(2, 65535));
    return tid;
}

std::string
RailOnlyHelper::GetTopologyName() const
{
    return "rail-only";
}

bool
RailOnlyHelper::JoinsRails() const
{
    return false;
}

uint32_t
RailOnlyHelper::GetNicPlace(uint32_t accelerator) const
{
    return accelerator / GetDomainSize();
}

uint32_t
RailOnlyHelper::GetLeaves(uint32_t radix) const
{
    const uint32_t down = radix / 2;
    return GetDomains() <= radix ? 1 : (GetDomains() + down - 1) / down;
}

bool
RailOnlyHelper::Fits(uint32_t radix) const
{
    return CanJoinLeaves(GetLeaves(radix), radix / 2, radix);
}

void
RailOnlyHelper::Check() const
{
    if (!Fits(m_radix))
    {
        uint32_t radix = 2;
        while (!Fits(radix))
        {
            radix += 2;
        }
        std::ostringstream text;
        text << "SwitchRadix " << m_radix << ": three tiers cannot join the " << GetDomains()
             << " NICs of a rail; the smallest that fits is " << radix;
        RefuseInput(text.str());
    }
}

void
RailOnlyHelper::ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics)
{
    const uint32_t leaves = GetLeaves(m_radix);
    const uint32_t perLeaf = leaves == 1 ? GetDomains() : m_radix / 2;
    for (uint32_t rail = 0; rail < GetDomainSize(); ++rail)
    {
        const std::string name = "rail " + std::to_string(rail);
        std::vector<uint32_t> leafVertices;
        for (uint32_t domain = 0; domain < GetDomains(); ++domain)
        {
            if (domain % perLeaf == 0)
            {
                const uint32_t leaf = domain / perLeaf;
                leafVertices.push_back(
                    network->AddSwitch(CreateObject<Node>(),
                                       0,
                                       leaf,
                                       name + " switch " + std::to_string(leaf)));
            }
            ConnectNic(network, nics[domain * GetDomainSize() + rail], leafVertices.back());
        }
        JoinLeaves(network,
                   leafVertices,
                   m_radix / 2,
                   m_radix,
                   name + " spine",
                   [&](uint32_t a, uint32_t b) { ConnectSwitches(network, a, b); });
    }
}

} // namespace ns3::llm
