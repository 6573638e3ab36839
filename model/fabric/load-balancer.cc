// SPDX-License-Identifier: GPL-2.0-only

#include "load-balancer.h"

#include "flow-ecmp.h"

namespace ns3::llm
{

namespace
{
constexpr uint64_t DRAW_PURPOSE = 0x6c6f6164; //!< keeps these draws apart from marks and losses
} // namespace

NS_OBJECT_ENSURE_REGISTERED(LoadBalancer);

TypeId
LoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::LoadBalancer").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

void
LoadBalancer::Begin(const BalancedSwitch& view)
{
    m_switch = view;
    m_drawSeed = MixHash(view.seed, DRAW_PURPOSE);
    DoBegin();
}

void
LoadBalancer::DoBegin()
{
}

void
LoadBalancer::GroupsChanged(const std::vector<Ports>&)
{
}

uint16_t
LoadBalancer::Foretell(const TransitFrame& frame, const Ports& ports, uint32_t) const
{
    return FlowEcmp::Pick(frame.entropy, ports, m_switch.seed);
}

} // namespace ns3::llm
