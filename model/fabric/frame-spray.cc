// SPDX-License-Identifier: GPL-2.0-only

#include "frame-spray.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RandomSpray);
NS_OBJECT_ENSURE_REGISTERED(RoundRobinSpray);

TypeId
RandomSpray::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RandomSpray")
                            .SetParent<LoadBalancer>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<RandomSpray>();
    return tid;
}

uint16_t
RandomSpray::Choose(const TransitFrame& frame, const Ports& ports, uint32_t)
{
    return PortOf(DrawFor(frame), ports);
}

uint16_t
RandomSpray::Foretell(const TransitFrame& frame, const Ports& ports, uint32_t) const
{
    return PortOf(DrawFor(frame), ports);
}

TypeId
RoundRobinSpray::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoundRobinSpray")
                            .SetParent<LoadBalancer>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<RoundRobinSpray>();
    return tid;
}

void
RoundRobinSpray::GroupsChanged(const std::vector<Ports>& groups)
{
    m_next.clear();
    for (std::size_t group = 0; group < groups.size(); ++group)
    {
        const uint64_t hash = MixHash(GetSwitch().seed, group);
        const std::size_t size = groups[group].size();
        m_next.push_back({static_cast<uint16_t>((hash >> 32) % size),
                          static_cast<uint16_t>((hash & 0xffffffff) % size)});
    }
}

uint16_t
RoundRobinSpray::Choose(const TransitFrame& frame, const Ports& ports, uint32_t group)
{
    uint16_t& next = m_next[group][CounterOf(frame)];
    const uint16_t port = ports[next];
    next = static_cast<uint16_t>(next + 1u == ports.size() ? 0 : next + 1);
    return port;
}

uint16_t
RoundRobinSpray::Foretell(const TransitFrame& frame, const Ports& ports, uint32_t group) const
{
    return ports[m_next[group][CounterOf(frame)]];
}

} // namespace ns3::llm
