// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_CLOCK_H
#define LLM_FABRIC_FRAME_CLOCK_H

#include "frame-event-kind.h"
#include "frame-event-queue.h"

#include "ns3/event-impl.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

class FrameSimulatorImpl;

/**
 * @ingroup llm-fabric-engine
 * The time that models hold, and the queue of their frame events.
 *
 * A frame event is (tick, kind, object): the handler of the kind is called with the object. Events
 * of one tick run in the order (kind, object), never in the order of insertion; equal events are the
 * same event, and a handler must be idempotent. Frame events cannot be cancelled: a handler looks at
 * its object's state and returns when there is nothing to do.
 *
 * Under FrameSimulatorImpl the engine runs the events of its clocks directly. Under any other engine
 * one pooled EventImpl carries the earliest tick. Results do not differ, because calls between the
 * world of frames and that of ns-3's events take one tick: see Request() and CallOut().
 *
 * The simulator may be destroyed and started again, but a clock belongs to one run: make a new one.
 */
class FrameClock : public SimpleRefCount<FrameClock>
{
  public:
    /** "Never", as a tick. */
    static constexpr uint64_t NEVER = UINT64_MAX;

    /** What runs an event: gets the object of the event. */
    using Handler = void (*)(void* object);

    /** Attach to the engine in use (starts it, if none was). Time resolution must be picoseconds. */
    FrameClock();
    ~FrameClock();
    FrameClock(const FrameClock&) = delete;
    FrameClock& operator=(const FrameClock&) = delete;

    /**
     * Set what runs the events of a kind. Setting the same handler again is allowed.
     * @param kind the kind
     * @param handler the function
     */
    void SetHandler(FrameEventKind kind, Handler handler);

    /**
     * Register an object that events can be about.
     * @param object the object; must outlive the clock's last event about it
     * @return its number, counted from 0 in the order of the calls
     */
    uint32_t AddObject(void* object);

    /** @return the current tick (ps); valid while a frame event runs, see Request() elsewhere */
    uint64_t
    NowTicks() const
    {
        return m_now;
    }

    /**
     * Schedule a frame event from a frame event.
     * @param tick absolute tick, not before now (fatal otherwise)
     * @param kind its kind
     * @param object number of the object
     */
    inline void ScheduleFrame(uint64_t tick, FrameEventKind kind, uint32_t object);

    /**
     * Schedule a frame event from an ns-3 event or before the run: it runs one tick after
     * Simulator::Now().
     * @param kind its kind
     * @param object number of the object
     * @return the tick at which it runs
     */
    uint64_t Request(FrameEventKind kind, uint32_t object);

    /**
     * Schedule a frame event for a later tick from an ns-3 event or before the run.
     * @param tick absolute tick, after Simulator::Now()
     * @param kind its kind
     * @param object number of the object
     */
    void RequestAt(uint64_t tick, FrameEventKind kind, uint32_t object);

    /**
     * Call out of a frame event into the world of ns-3: the event runs one tick later.
     * @param context node id in which it runs
     * @param event the event; owned by the engine from here on
     */
    void CallOut(uint32_t context, EventImpl* event);

    /** @return number of frame events run so far */
    uint64_t GetFrameCount() const;

    /** @return the tick of the earliest pending frame event, or NEVER */
    uint64_t GetNextTick() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_CLOCK_H
