// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RADIX_SCHEDULER_H
#define LLM_FABRIC_RADIX_SCHEDULER_H

#include "frame-event-queue.h"

#include "ns3/scheduler.h"

#include <cstdint>
#include <set>

namespace ns3
{
class EventImpl;
}

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * A scheduler for ns-3's own engines: the radix queue of FrameSimulatorImpl, in the order of
 * MapScheduler (time, then number of the event). Choose it by the global value SchedulerType.
 *
 * An engine inserts events at or after the time of the last one that it took out. Events before that
 * time are kept in a tree beside the queue and still run in order; they come with a negative delay,
 * where ns-3's asserts are off, and when an engine empties its queue at its end.
 *
 * Costs: Insert() and RemoveNext() do not grow with the number of pending events but for the memory
 * touched; IsEmpty() is constant; PeekNext(), which distributed and real-time engines call, and
 * Remove() are linear in a part of the pending events. When ns-3's event numbers wrap at 2^32, events
 * of one tick run in the order of what is left of the numbers, as under ns-3's schedulers; see
 * CheckEventNumber().
 */
class RadixScheduler : public Scheduler
{
  public:
    /**
     * Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RadixScheduler();
    ~RadixScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

  private:
    /** A pending event. */
    struct Entry
    {
        uint64_t tick;   //!< when it runs
        uint64_t key;    //!< its number in the upper 32 bits, its context in the lower ones
        EventImpl* impl; //!< what runs

        /**
         * @param other another event
         * @return whether this one runs first
         */
        bool operator<(const Entry& other) const
        {
            return tick < other.tick || (tick == other.tick && key < other.key);
        }
    };

    /**
     * @param event an event as ns-3 has it
     * @return the event as the queue has it
     */
    static Entry ToEntry(const Event& event);
    /**
     * @param entry an event as the queue has it
     * @return the event as ns-3 has it
     */
    static Event ToEvent(const Entry& entry);

    FrameEventQueue<Entry> m_queue; //!< events at or after m_last
    std::multiset<Entry> m_past;    //!< events before m_last
    uint64_t m_last{0};             //!< tick of the last event taken from the queue
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RADIX_SCHEDULER_H
