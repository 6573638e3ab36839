// SPDX-License-Identifier: GPL-2.0-only

#include "switch-batch.h"

#include "fabric-switch.h"
#include "frame-transmitter.h"

#include <algorithm>
#include <functional>

namespace ns3::llm
{

SwitchBatch::SwitchBatch(FrameClock* clock,
                         FabricSwitch* owner,
                         FrameTransmitter* transmitters,
                         uint32_t count)
    : m_lookahead(FrameClock::NEVER),
      m_clock(clock),
      m_owner(owner),
      m_outputs(transmitters)
{
    for (uint32_t port = 0; port < count; ++port)
    {
        m_lookahead = std::min(m_lookahead, transmitters[port].GetDelayTicks());
        Input input;
        input.link = transmitters[port].GetPeer();
        input.port = static_cast<uint16_t>(port);
        m_inputs.push_back(input);
    }
    std::sort(m_inputs.begin(),
              m_inputs.end(),
              [](const Input& a, const Input& b)
              { return a.link->GetObject() < b.link->GetObject(); });
    for (uint32_t i = 0; i < count; ++i)
    {
        m_inputs[i].link->m_farInput = static_cast<uint16_t>(i);
    }
    uint32_t leaves = 1;
    while (leaves < count)
    {
        leaves *= 2;
    }
    m_keys.resize(leaves);
    m_tree.resize(2 * leaves);
    clock->SetHandler(FrameEventKind::SWITCH_BATCH, &Handle);
}

void
SwitchBatch::Begin()
{
    m_isOn = true;
    m_armedAt = FrameClock::NEVER;
    for (const Input& input : m_inputs)
    {
        FrameTransmitter& output = m_outputs[input.port];
        output.m_ownBatch = this;
        input.link->m_farBatch = this;
        for (const uint64_t tick : {output.m_decisionAt, output.m_settlingAt})
        {
            if (tick != FrameClock::NEVER)
            {
                AddDeparture(tick, input.port);
            }
        }
        if (input.link->m_ring.GetSize() != 0)
        {
            NoteArrival(input.link->m_ring.Front().arrivalTick, input.link->m_farInput);
        }
    }
}

void
SwitchBatch::End()
{
    m_isOn = false;
    m_departures.clear();
    for (const Input& input : m_inputs)
    {
        FrameTransmitter& output = m_outputs[input.port];
        output.m_ownBatch = nullptr;
        input.link->m_farBatch = nullptr;
        for (const uint64_t tick : {output.m_decisionAt, output.m_settlingAt})
        {
            if (tick != FrameClock::NEVER)
            {
                output.ScheduleDeparture(tick);
            }
        }
        if (input.link->m_ring.GetSize() != 0)
        {
            input.link->ScheduleArrival(input.link->m_ring.Front().arrivalTick);
        }
    }
}

void
SwitchBatch::Arm(uint64_t tick)
{
    m_armedAt = tick;
    m_clock->ScheduleFrame(tick, FrameEventKind::SWITCH_BATCH, m_outputs->GetObject());
}

void
SwitchBatch::AddDeparture(uint64_t tick, uint32_t port)
{
    const std::pair<uint64_t, uint32_t> departure(tick, port);
    const auto place =
        std::lower_bound(m_departures.begin(), m_departures.end(), departure, std::greater<>());
    m_departures.insert(place, departure);
    NoteEvent(tick);
}

void
SwitchBatch::Handle(void* object)
{
    SwitchBatch* batch = static_cast<FrameTransmitter*>(object)->m_ownBatch;
    // an event in whose place there is an earlier one is void
    if (batch && batch->m_armedAt == batch->m_clock->NowTicks())
    {
        batch->m_clock->RunApart([batch](uint64_t now) { batch->Run(now); });
    }
}

inline uint64_t
SwitchBatch::MakeKey(uint32_t index, uint64_t tick, uint64_t end)
{
    return (tick - (end - LONGEST)) << INPUT_BITS | index;
}

inline void
SwitchBatch::Finish(Input& input)
{
    DepartureRing& ring = input.link->m_ring;
    ring.PopFront(ring.GetSize() - input.left);
}

inline uint64_t
SwitchBatch::Advance(uint32_t index, uint64_t end)
{
    Input& input = m_inputs[index];
    ++input.place;
    if (--input.left == 0)
    {
        SetIdle(index);
        Finish(input);
        return NO_KEY;
    }
    const uint64_t tick = input.frames[input.place & input.mask].arrivalTick;
    if (tick >= end)
    {
        m_next = std::min(m_next, tick);
        Finish(input);
        return NO_KEY;
    }
    return MakeKey(index, tick, end);
}

inline uint64_t
SwitchBatch::Replace(uint32_t leaf, uint64_t key)
{
    uint32_t node = m_leaves + leaf;
    m_tree[node] = key;
    while (node > 1)
    {
        key = std::min(key, m_tree[node ^ 1]);
        node /= 2;
        m_tree[node] = key;
    }
    return key;
}

template <typename Visit>
inline void
SwitchBatch::VisitActive(Visit visit)
{
    for (uint32_t word = 0; word * 64 < m_inputs.size(); ++word)
    {
        for (uint64_t active = m_active[word]; active != 0; active &= active - 1)
        {
            visit(word * 64 + static_cast<uint32_t>(__builtin_ctzll(active)));
        }
    }
}

inline void
SwitchBatch::ReadRings()
{
    VisitActive(
        [this](uint32_t index)
        {
            Input& input = m_inputs[index];
            input.left = input.link->m_ring.GetSize();
            input.link->m_ring.Read(input.frames, input.place, input.mask);
            __builtin_prefetch(input.frames + input.place);
            input.link->Prefetch();
            m_outputs[input.port].Prefetch();
        });
}

inline uint32_t
SwitchBatch::ReadFirst(uint64_t end)
{
    m_next = FrameClock::NEVER;
    uint32_t count = 0;
    VisitActive(
        [this, end, &count](uint32_t index)
        {
            Input& input = m_inputs[index];
            if (input.left == 0) // taken back
            {
                SetIdle(index);
                return;
            }
            const uint64_t tick = input.frames[input.place].arrivalTick;
            if (tick >= end)
            {
                m_next = std::min(m_next, tick);
                return;
            }
            // the sender has handled all up to a delay ago, and what arrives is marked or not by then
            input.link->SettleSeveral(end - 1 - input.link->m_delay);
            input.leaf = static_cast<uint16_t>(count);
            m_keys[count++] = MakeKey(index, tick, end);
        });
    return count;
}

uint64_t
SwitchBatch::Gather(uint64_t end)
{
    ReadRings();
    const uint32_t count = ReadFirst(end);
    if (count == 0)
    {
        return NO_KEY;
    }
    m_leaves = 1;
    while (m_leaves < count)
    {
        m_leaves *= 2;
    }
    std::fill(std::copy_n(m_keys.begin(), count, m_tree.begin() + m_leaves),
              m_tree.begin() + 2 * m_leaves,
              NO_KEY);
    for (uint32_t node = m_leaves; --node > 0;)
    {
        m_tree[node] = std::min(m_tree[2 * node], m_tree[2 * node + 1]);
    }
    return m_tree[1];
}

void
SwitchBatch::Run(uint64_t end)
{
    uint64_t key = Gather(end);
    while (key != NO_KEY)
    {
        const uint64_t tick = (end - LONGEST) + (key >> INPUT_BITS);
        if (!m_departures.empty())
        {
            RunDepartures(tick);
        }
        m_clock->SetLocalTick(tick);
        const uint32_t index = key & ((1u << INPUT_BITS) - 1);
        const Input& input = m_inputs[index];
        const TransitFrame& transit = input.frames[input.place & input.mask];
        key = Replace(input.leaf, Advance(index, end));
        Deliver(*input.link, input.port, transit);
    }
    uint64_t next = m_next;
    if (!m_departures.empty())
    {
        RunDepartures(end - 1);
        next = m_departures.empty() ? next : std::min(next, m_departures.back().first);
    }
    if (m_armedAt <= end)
    {
        // while the next ones lie near, a steady pace: whatever else may come does not lie before it
        m_armedAt = FrameClock::NEVER;
        if (next != FrameClock::NEVER)
        {
            Arm((next - end < m_lookahead ? end : next) + m_lookahead);
        }
    }
}

inline void
SwitchBatch::Deliver(FrameTransmitter& link, uint16_t port, const TransitFrame& transit)
{
    if (link.m_isObserved && !link.Inspect(transit))
    {
        return;
    }
    if (transit.kind != FrameKind::PAUSE)
    {
        m_owner->Forward(port, transit);
        return;
    }
    m_outputs[port].SetPaused(static_cast<uint8_t>(transit.frame->psn),
                              transit.frame->payloadBytes != 0);
    link.m_pool->Give(transit.frame);
}

void
SwitchBatch::RunDepartures(uint64_t tick)
{
    while (!m_departures.empty() && m_departures.back().first <= tick)
    {
        const auto [at, port] = m_departures.back();
        m_departures.pop_back();
        m_clock->SetLocalTick(at);
        m_outputs[port].Depart();
    }
}

} // namespace ns3::llm
