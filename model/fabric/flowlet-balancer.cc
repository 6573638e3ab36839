// SPDX-License-Identifier: GPL-2.0-only

#include "flowlet-balancer.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Flowlet);

TypeId
Flowlet::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Flowlet")
            .SetParent<LoadBalancer>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Flowlet>()
            .AddAttribute("Timeout",
                          "A flow whose last frame is longer ago may take another port (public "
                          "simulators: 100 us). Above the largest difference of the paths' delays "
                          "nothing is reordered.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&Flowlet::m_timeout),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("TableSize",
                          "Entries of a switch's table, 16 bytes each; flows that share one share "
                          "a port.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&Flowlet::m_tableSize),
                          MakeUintegerChecker<uint32_t>(1, 1u << 24));
    return tid;
}

void
Flowlet::DoBegin()
{
    m_timeoutTicks = static_cast<uint64_t>(m_timeout.GetPicoSeconds());
}

void
Flowlet::GroupsChanged(const std::vector<Ports>&)
{
    // group numbers mean something else now, and ports may be gone
    std::fill(m_entries.begin(), m_entries.end(), Entry());
}

std::size_t
Flowlet::PlaceOf(const TransitFrame& frame, uint32_t group) const
{
    const uint64_t hash = MixHash(MixHash(GetSwitch().seed, group), frame.entropy);
    return ((hash >> 32) * m_tableSize) >> 32;
}

bool
Flowlet::GoesOn(const Entry& entry, uint32_t group) const
{
    return entry.group == group && GetSwitch().clock->NowTicks() - entry.tick <= m_timeoutTicks;
}

uint16_t
Flowlet::Choose(const TransitFrame& frame, const Ports& ports, uint32_t group)
{
    if (m_entries.empty())
    {
        m_entries.resize(m_tableSize);
    }
    Entry& entry = m_entries[PlaceOf(frame, group)];
    if (!GoesOn(entry, group))
    {
        entry.group = static_cast<uint16_t>(group);
        entry.port = PortOf(MixHash(DrawFor(frame), frame.entropy), ports);
    }
    entry.tick = GetSwitch().clock->NowTicks();
    return entry.port;
}

uint16_t
Flowlet::Foretell(const TransitFrame& frame, const Ports& ports, uint32_t group) const
{
    if (!m_entries.empty())
    {
        const Entry& entry = m_entries[PlaceOf(frame, group)];
        if (GoesOn(entry, group))
        {
            return entry.port;
        }
    }
    return PortOf(MixHash(DrawFor(frame), frame.entropy), ports);
}

} // namespace ns3::llm
