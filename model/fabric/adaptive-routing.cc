// SPDX-License-Identifier: GPL-2.0-only

#include "adaptive-routing.h"

#include "frame-transmitter.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{
constexpr uint16_t NO_PORT = UINT16_MAX; //!< nothing is remembered yet
} // namespace

NS_OBJECT_ENSURE_REGISTERED(AdaptiveRouting);

TypeId
AdaptiveRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::AdaptiveRouting")
            .SetParent<LoadBalancer>()
            .SetGroupName("LlmFabric")
            .AddConstructor<AdaptiveRouting>()
            .AddAttribute("Candidates",
                          "Ports drawn for a frame, of which it takes the least loaded; 0: all. 2: "
                          "power of two choices.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&AdaptiveRouting::m_candidates),
                          MakeUintegerChecker<uint32_t>(0, MAX_CANDIDATES))
            .AddAttribute("Memory",
                          "Ports, the best of the last frame with the same candidates, that are "
                          "looked at too (DRILL(d,m): Candidates d, Memory m; the paper advises 2 "
                          "and 1). Of no effect with all candidates.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&AdaptiveRouting::m_memory),
                          MakeUintegerChecker<uint32_t>(0, MAX_MEMORY));
    return tid;
}

void
AdaptiveRouting::GroupsChanged(const std::vector<Ports>& groups)
{
    m_memories.assign(groups.size() * m_memory, NO_PORT);
}

uint64_t
AdaptiveRouting::LoadOf(uint16_t port, uint8_t trafficClass) const
{
    constexpr uint64_t PAUSED = uint64_t{1} << 63;
    FrameTransmitter& transmitter = GetSwitch().ports[port];
    const auto waiting = static_cast<uint32_t>(transmitter.TakeQueueBytes());
    const uint64_t load = transmitter.GetSerializationTicks(waiting);
    return transmitter.IsPaused(trafficClass) ? PAUSED | load : load;
}

uint16_t
AdaptiveRouting::ChooseOfAll(const TransitFrame& frame, const Ports& ports) const
{
    uint16_t best = ports[0];
    uint64_t least = LoadOf(best, frame.trafficClass);
    uint64_t equals = 1;
    for (std::size_t i = 1; i < ports.size(); ++i)
    {
        const uint64_t load = LoadOf(ports[i], frame.trafficClass);
        if (load > least)
        {
            continue;
        }
        equals = load < least ? 1 : equals + 1;
        least = load;
        // the n-th of equals takes over with probability 1 / n
        if (equals == 1 || ((MixHash(DrawFor(frame), i) >> 32) * equals) >> 32 == 0)
        {
            best = ports[i];
        }
    }
    return best;
}

void
AdaptiveRouting::Add(Candidates& candidates,
                     uint16_t port,
                     uint8_t trafficClass,
                     uint64_t draw) const
{
    for (uint32_t i = 0; i < candidates.count; ++i)
    {
        if (candidates.list[i].port == port)
        {
            return;
        }
    }
    candidates.list[candidates.count++] = {LoadOf(port, trafficClass), MixHash(draw, port), port};
}

uint16_t
AdaptiveRouting::Choose(const TransitFrame& frame, const Ports& ports, uint32_t group)
{
    const auto size = static_cast<uint32_t>(ports.size());
    if (m_candidates == 0 || m_candidates >= size)
    {
        return ChooseOfAll(frame, ports);
    }
    const uint64_t draw = DrawFor(frame);
    Candidates candidates;
    for (uint32_t last = size - m_candidates; last < size; ++last)
    {
        // a set without repetition: of those up to `last`, or `last` itself if that one is in (Floyd)
        const uint64_t any = ((MixHash(draw, last) >> 32) * (last + 1)) >> 32;
        const uint32_t before = candidates.count;
        Add(candidates, ports[any], frame.trafficClass, draw);
        if (candidates.count == before)
        {
            Add(candidates, ports[last], frame.trafficClass, draw);
        }
    }
    uint16_t* const memory = m_memories.data() + std::size_t{group} * m_memory;
    for (uint32_t i = 0; i < m_memory && memory[i] != NO_PORT; ++i)
    {
        Add(candidates, memory[i], frame.trafficClass, draw);
    }
    const auto begin = candidates.list.begin();
    const uint32_t kept = std::min(std::max(m_memory, 1u), candidates.count);
    std::partial_sort(begin, begin + kept, begin + candidates.count);
    for (uint32_t i = 0; i < m_memory && i < kept; ++i)
    {
        memory[i] = candidates.list[i].port;
    }
    return candidates.list[0].port;
}

} // namespace ns3::llm
