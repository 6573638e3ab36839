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
RailOnlyHelper::GetLeaves() const
{
    const uint32_t down = m_radix / 2;
    return GetDomains() <= m_radix ? 1 : (GetDomains() + down - 1) / down;
}

void
RailOnlyHelper::Check() const
{
    const uint32_t leaves = GetLeaves();
    if (leaves > 1 && LeafSpinePlan::Make(leaves, m_radix / 2, m_radix).spines == 0)
    {
        std::ostringstream text;
        text << "SwitchRadix " << m_radix << ": a rail of " << GetDomains()
             << " NICs needs more than two tiers; two tiers reach " << m_radix / 2 * m_radix
             << " NICs a rail, or " << m_radix / 2 * m_radix * GetDomainSize()
             << " accelerators with DomainSize " << GetDomainSize();
        RefuseInput(text.str());
    }
}

void
RailOnlyHelper::ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics)
{
    const uint32_t leaves = GetLeaves();
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
        if (leaves > 1)
        {
            AddSpines(network,
                      LeafSpinePlan::Make(leaves, m_radix / 2, m_radix),
                      leafVertices,
                      name + " spine",
                      [&](uint32_t a, uint32_t b) { ConnectSwitches(network, a, b); });
        }
    }
}

} // namespace ns3::llm
