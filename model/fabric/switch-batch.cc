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
    m_runs.resize(count + 1);
    clock->SetHandler(FrameEventKind::SWITCH_BATCH, &Handle);
    clock->SetHints(FrameEventKind::SWITCH_BATCH, {&FetchBatch, &FetchPorts, &FetchFrames});
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

void
SwitchBatch::Run(uint64_t end)
{
    Gather(end);
    uint64_t next = m_next;
    if (m_runCount != 0)
    {
        const uint64_t origin = end - LONGEST;
        for (const uint64_t* key = Merge(); *key != NO_KEY; ++key)
        {
            const uint64_t tick = origin + (*key >> INPUT_BITS);
            if (!m_departures.empty())
            {
                RunDepartures(tick);
            }
            m_clock->SetLocalTick(tick);
            Input& input = m_inputs[*key & ((1u << INPUT_BITS) - 1)];
            const TransitFrame& transit = input.frames[input.place++ & input.mask];
            Deliver(*input.link, input.port, transit);
        }
    }
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
        m_owner->FabricSwitch::ReceiveFrame(port, transit);
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

inline uint64_t*
SwitchBatch::MakeRoom(uint64_t* out, uint32_t count)
{
    const std::size_t used = out - m_keys.data();
    if (__builtin_expect(m_keys.size() < used + count, 0))
    {
        m_keys.resize(2 * (used + count));
        m_spare.resize(m_keys.size());
        return m_keys.data() + used;
    }
    return out;
}

inline uint64_t*
SwitchBatch::GatherInput(uint32_t index, uint64_t end, uint64_t* out)
{
    const uint64_t origin = end - LONGEST;
    Input& input = m_inputs[index];
    DepartureRing& ring = input.link->m_ring;
    const uint32_t size = ring.GetSize();
    out = MakeRoom(out, size + 1);
    ring.Read(input.frames, input.place, input.mask);
    uint32_t count = 0;
    for (; count < size; ++count)
    {
        const uint64_t tick = input.frames[(input.place + count) & input.mask].arrivalTick;
        if (tick >= end)
        {
            m_next = std::min(m_next, tick);
            break;
        }
        *out++ = (tick - origin) << INPUT_BITS | index;
    }
    if (count == size)
    {
        m_active[index / 64] &= ~(uint64_t{1} << index % 64);
    }
    if (count == 0)
    {
        return out;
    }
    *out++ = NO_KEY;
    m_runs[++m_runCount] = static_cast<uint32_t>(out - m_keys.data());
    while (ring.GetSettledCount() < count)
    {
        input.link->SettleOne();
    }
    ring.PopFront(count);
    return out;
}

void
SwitchBatch::Gather(uint64_t end)
{
    uint64_t* out = m_keys.data();
    m_next = FrameClock::NEVER;
    m_runCount = 0;
    for (uint32_t word = 0; word * 64 < m_inputs.size(); ++word)
    {
        for (uint64_t active = m_active[word]; active != 0; active &= active - 1)
        {
            const auto bit = static_cast<uint32_t>(__builtin_ctzll(active));
            out = GatherInput(word * 64 + bit, end, out);
        }
    }
}

const uint64_t*
SwitchBatch::Merge()
{
    while (m_runCount > 1)
    {
        uint32_t merged = 0;
        for (uint32_t run = 0; run < m_runCount; run += 2)
        {
            const uint32_t begin = m_runs[run];
            const uint32_t middle = m_runs[run + 1];
            const uint32_t end = run + 1 < m_runCount ? m_runs[run + 2] : middle;
            const uint64_t* a = m_keys.data() + begin;
            const uint64_t* b = end != middle ? m_keys.data() + middle : &NO_KEY;
            uint64_t* out = m_spare.data() + begin;
            uint64_t key;
            do
            {
                const uint64_t keyA = *a;
                const uint64_t keyB = *b;
                key = std::min(keyA, keyB);
                *out++ = key;
                const bool isA = keyA < keyB;
                a += isA;
                b += !isA;
            } while (key != NO_KEY);
            m_runs[++merged] = end;
        }
        m_runCount = merged;
        m_keys.swap(m_spare);
    }
    return m_keys.data();
}

void
SwitchBatch::FetchBatch(const void* object)
{
    const SwitchBatch* batch = static_cast<const FrameTransmitter*>(object)->m_ownBatch;
    __builtin_prefetch(batch);
    __builtin_prefetch(reinterpret_cast<const char*>(batch) + 64);
}

void
SwitchBatch::FetchPorts(const void* object)
{
    if (const SwitchBatch* batch = static_cast<const FrameTransmitter*>(object)->m_ownBatch)
    {
        for (const Input& input : batch->m_inputs)
        {
            __builtin_prefetch(input.link);
            batch->m_outputs[input.port].Prefetch();
        }
    }
}

void
SwitchBatch::FetchFrames(const void* object)
{
    if (const SwitchBatch* batch = static_cast<const FrameTransmitter*>(object)->m_ownBatch)
    {
        for (const Input& input : batch->m_inputs)
        {
            input.link->m_ring.Prefetch();
        }
    }
}

} // namespace ns3::llm
