// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_SIMULATOR_IMPL_H
#define LLM_FABRIC_FRAME_SIMULATOR_IMPL_H

#include "frame-clock-set.h"
#include "frame-event-queue.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator-impl.h"

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * An engine for ns-3 that runs ns-3's events and the frame events of clocks in one order of time.
 *
 * ns-3's events run as under DefaultSimulatorImpl, in the order (time, number of the event); they
 * are kept in a radix queue of their own, so the attribute SchedulerType has no effect. Where both
 * kinds share a tick, ns-3's events run first; nothing depends on it, because calls between the two
 * worlds take one tick. Simulator::Now() is right in both, and the context of frame events is
 * Simulator::NO_CONTEXT.
 *
 * Differences from DefaultSimulatorImpl: numbers of events are 64 bits wide and do not wrap; a delay
 * below zero is fatal in all builds; Remove() takes the event out at once and is linear in a part of
 * the pending events; GetEventCount() counts ns-3's events and frame events.
 */
class FrameSimulatorImpl final : public SimulatorImpl
{
  public:
    /** What SimulatorImpl::Stop(delay) returns: nothing up to ns-3.40, an EventId from 3.41 on. */
    using StopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));

    /**
     * Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    FrameSimulatorImpl();
    ~FrameSimulatorImpl() override;

    /** @return the engine in use, or nullptr if that is another one or there is none */
    static FrameSimulatorImpl* Get()
    {
        return s_instance;
    }

    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    StopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

    /** @return Simulator::Now() in ticks */
    uint64_t NowTicks() const
    {
        return m_now;
    }

    /**
     * Run events of both kinds until none is left, or until Stop(); the time stays that of the last
     * one. Unlike Run() it does not lift a Stop() of before. For engines that run in steps.
     * @param end run only what lies before this tick
     */
    void RunBefore(uint64_t end);

    /** @return the clocks whose frame events the engine runs */
    FrameClockSet& GetClocks()
    {
        return m_clocks;
    }

    /**
     * For tests: set the number of the next ns-3 event, to start near a wrap of its lower 32 bits.
     * @param uid the number
     */
    void SetNextUid(uint64_t uid);

  protected:
    void DoDispose() override;

  private:
    /** A pending ns-3 event. */
    struct Event
    {
        uint64_t tick;    //!< when it runs
        uint64_t key;     //!< its number, in the order of scheduling
        EventImpl* impl;  //!< what runs; the engine holds a reference
        uint32_t context; //!< node id
    };

    /** An ns-3 event that another thread has scheduled. */
    struct ForeignEvent
    {
        uint32_t context; //!< node id
        uint64_t delay;   //!< ticks from when the engine takes it up
        EventImpl* impl;  //!< what runs
    };

    /** Bits of m_attention. */
    enum Attention : uint32_t
    {
        STOP = 1,   //!< Stop() was called
        FOREIGN = 2 //!< another thread has scheduled an event
    };

    /**
     * Turn a delay into ticks; fatal if it is negative.
     * @param delay the delay
     * @return the ticks
     */
    static uint64_t GetDelayTicks(const Time& delay);
    /**
     * Insert an ns-3 event.
     * @param tick when it runs
     * @param context node id
     * @param impl what runs
     * @return its number
     */
    uint64_t Insert(uint64_t tick, uint32_t context, EventImpl* impl);
    /**
     * Insert an ns-3 event in the present context.
     * @param tick when it runs
     * @param impl what runs
     * @return its id
     */
    EventId InsertWithId(uint64_t tick, EventImpl* impl);
    /** Insert what other threads have scheduled. */
    void TakeForeignEvents();
    /**
     * See what m_attention asks for.
     * @return whether to go on
     */
    bool Attend();
    /** Run the first ns-3 event. */
    void RunEvent();
    /**
     * Run frame events until Stop() or until something else is due.
     * @param end run only what lies before this tick
     */
    void RunFrames(uint64_t end);

    static FrameSimulatorImpl* s_instance; //!< the engine in use

    FrameEventQueue<Event> m_events;           //!< pending ns-3 events
    uint64_t m_now{0};                         //!< the tick that runs or ran last
    std::atomic<uint32_t> m_attention{0};      //!< bits that the loop looks at before each tick
    uint32_t m_context;                        //!< node id of the event that runs
    FrameClockSet m_clocks;                    //!< the clocks whose frame events run
    uint64_t m_lastUid{0};                     //!< number of the last ns-3 event run
    uint64_t m_nextUid;                        //!< number of the next ns-3 event
    std::list<EventId> m_destroyEvents;        //!< events to run when the simulator is destroyed
    std::atomic<std::thread::id> m_thread;     //!< the thread that runs the engine
    std::mutex m_foreignMutex;                 //!< guards m_foreignEvents
    std::vector<ForeignEvent> m_foreignEvents; //!< events scheduled by other threads
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_SIMULATOR_IMPL_H
