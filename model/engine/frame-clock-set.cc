// SPDX-License-Identifier: GPL-2.0-only

#include "frame-clock-set.h"

namespace ns3::llm
{

void
FrameClockSet::Add(FrameClock* clock)
{
    m_clocks.push_back(clock);
}

void
FrameClockSet::Remove(FrameClock* clock)
{
    m_removedFrames += clock->GetFrameCount();
    m_clocks.erase(std::find(m_clocks.begin(), m_clocks.end(), clock));
    FindNext();
}

void
FrameClockSet::DetachAll()
{
    for (FrameClock* clock : m_clocks)
    {
        m_removedFrames += clock->GetFrameCount();
        clock->Detach();
    }
    m_clocks.clear();
    FindNext();
}

void
FrameClockSet::NoteInsertion(FrameClock* clock, uint64_t tick)
{
    BringEndForward(tick);
    if (tick < m_nextTick)
    {
        m_nextTick = tick;
        m_nextClock = clock;
    }
    // at the same tick another clock may come first: Run() then runs nothing, and finds it
}

bool
FrameClockSet::IsEmpty() const
{
    return std::all_of(m_clocks.begin(),
                       m_clocks.end(),
                       [](const FrameClock* clock)
                       { return clock->GetNextTick() == FrameClock::NEVER; });
}

uint64_t
FrameClockSet::GetFrameCount() const
{
    uint64_t count = m_removedFrames;
    for (const FrameClock* clock : m_clocks)
    {
        count += clock->GetFrameCount();
    }
    return count;
}

void
FrameClockSet::FindNext()
{
    m_nextClock = nullptr;
    m_nextTick = FrameClock::NEVER;
    for (FrameClock* clock : m_clocks)
    {
        const uint64_t tick = clock->GetNextTick();
        if (tick < m_nextTick)
        {
            m_nextTick = tick;
            m_nextClock = clock;
        }
    }
}

uint64_t
FrameClockSet::GetEndForOthers() const
{
    uint64_t end = FrameClock::NEVER;
    bool isLater = false;
    for (const FrameClock* clock : m_clocks)
    {
        if (clock == m_nextClock)
        {
            isLater = true;
            continue;
        }
        const uint64_t tick = clock->GetNextTick();
        end = std::min(end, isLater && tick != FrameClock::NEVER ? tick + 1 : tick);
    }
    return end;
}

} // namespace ns3::llm
