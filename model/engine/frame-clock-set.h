// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_CLOCK_SET_H
#define LLM_FABRIC_FRAME_CLOCK_SET_H

#include "frame-clock.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * The clocks of an engine, run in one order of time; those that share a tick in the order of Add().
 */
class FrameClockSet
{
  public:
    /**
     * Add a clock.
     * @param clock the clock, without events
     */
    void Add(FrameClock* clock);

    /**
     * Remove a clock, with its pending events.
     * @param clock the clock
     */
    void Remove(FrameClock* clock);

    /** Remove all clocks, and tell them that the engine is gone. */
    void DetachAll();

    /**
     * Note that an event was inserted other than by an event of the same clock.
     * @param clock the clock
     * @param tick the event's tick
     */
    void NoteInsertion(FrameClock* clock, uint64_t tick);

    /**
     * Have Run() return before a tick, because something else is due then.
     * @param tick the tick
     */
    void BringEndForward(uint64_t tick)
    {
        m_end = std::min(m_end, tick);
    }

    /** @return tick of the earliest event, or FrameClock::NEVER; right unless Run() runs */
    uint64_t GetNextTick() const
    {
        return m_nextTick;
    }

    /** @return whether no clock has pending events; right at all times */
    bool IsEmpty() const;

    /** @return number of events run so far, those of removed clocks included */
    uint64_t GetFrameCount() const;

    /**
     * Run the events of the clock that is next, tick after tick, until something else is due.
     * @tparam Gate a function: bool (uint64_t tick)
     * @param end run only what lies before this tick
     * @param mayRun asked before each tick; false ends the run
     */
    template <typename Gate>
    void Run(uint64_t end, Gate mayRun)
    {
        m_end = std::min(end, GetEndForOthers());
        m_nextClock->RunTicks([this, &mayRun](uint64_t tick)
                              { return tick < m_end && mayRun(tick); });
        FindNext();
    }

  private:
    /** Find the clock with the earliest event. */
    void FindNext();
    /** @return the tick before which only the clock that is next has events to run */
    uint64_t GetEndForOthers() const;

    std::vector<FrameClock*> m_clocks;      //!< in the order of Add()
    FrameClock* m_nextClock{nullptr};       //!< the clock with the earliest event
    uint64_t m_nextTick{FrameClock::NEVER}; //!< tick of this event
    uint64_t m_end{0};                      //!< Run() returns before this tick
    uint64_t m_removedFrames{0};            //!< events run by clocks that were removed
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_CLOCK_SET_H
