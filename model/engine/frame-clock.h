// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_CLOCK_H
#define LLM_FABRIC_FRAME_CLOCK_H

#include "frame-event-kind.h"
#include "frame-event-queue.h"

#include "ns3/event-impl.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <array>
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
 * Simulator::Stop() in a frame event takes effect when the frame events of its tick are through.
 * There may be several clocks; they share ticks, but nothing else: a clock's handler schedules in its
 * own clock, and for another one it uses Request() or RequestAt().
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

    /**
     * What is told of an event that is likely to run soon, to fetch memory: gets its object. It must
     * not change anything, and may follow only pointers that are valid at all times.
     */
    using Hint = void (*)(const void* object);

    /** Number of hints before an event, from far to near. */
    static constexpr std::size_t HINTS = 3;
    /** They are given so many events before its event. */
    static constexpr std::array<uint32_t, HINTS> HINT_DISTANCES{4, 2, 1};
    /** The object itself is fetched so many events before. */
    static constexpr uint32_t OBJECT_DISTANCE = 7;
    /** With less state there are no hints: what is in use lies in the cache. */
    static constexpr uint64_t HINT_BYTES = 1 << 20;
    /** Hints by stage. */
    using Hints = std::array<Hint, HINTS>;

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
     * Set what is told of events of a kind before they run.
     * @param kind the kind
     * @param hints the functions, from far to near
     */
    void SetHints(FrameEventKind kind, const Hints& hints)
    {
        m_hints[static_cast<uint32_t>(kind)] = hints;
    }

    /**
     * Register an object that events can be about.
     * @param object the object; must outlive the clock's last event about it
     * @return its number, counted from 0 in the order of the calls
     */
    uint32_t AddObject(void* object);

    /**
     * There is more memory that events touch: with much of it, hints pay.
     * @param bytes so much
     */
    void NoteState(uint64_t bytes)
    {
        m_stateBytes += bytes;
    }

    /**
     * @return the current tick (ps), in RunApart() that of SetLocalTick(); valid while a frame event
     * runs, see Request() elsewhere
     */
    uint64_t NowTicks() const
    {
        return m_now;
    }

    /**
     * Schedule a frame event from a frame event of this clock (fatal elsewhere).
     * @param tick absolute tick, not before now and not NEVER (fatal otherwise)
     * @param kind its kind
     * @param object number of the object
     */
    void ScheduleFrame(uint64_t tick, FrameEventKind kind, uint32_t object)
    {
        // One comparison: before the floor, or NEVER. The floor is NEVER where no frame event runs.
        if (__builtin_expect(tick - m_floor >= ~m_floor, 0))
        {
            RefuseFrame(tick);
        }
        m_queue.Insert(FrameEvent{tick, MakeKey(kind, object)});
    }

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

    /**
     * Handle, at any time, frame events of before now that an object has put off. Does nothing while
     * such work is being done.
     * @tparam Work a function: void (uint64_t now), which may call SetLocalTick() and ScheduleFrame()
     * @param work what handles those before `now`, which is the present tick
     */
    template <typename Work>
    void RunApart(Work work);

    /** In RunApart(): @param tick what NowTicks() is from here on; earlier than now */
    void SetLocalTick(uint64_t tick)
    {
        m_now = tick;
    }

    /** @return number of frame events run so far */
    uint64_t GetFrameCount() const
    {
        return m_queue.GetPopCount();
    }

    /** @return the tick of the earliest pending frame event, or NEVER */
    uint64_t GetNextTick() const
    {
        return m_queue.PeekTick();
    }

  private:
    friend class FrameClockSet;
    class Pump;

    /** What is known of the simulator's end. */
    struct Life : SimpleRefCount<Life>
    {
        bool isOver{false};   //!< the simulator is destroyed
        uint64_t lastTick{0}; //!< when it was
    };

    /** The simulator is destroyed. @param life notes it */
    static void NoteEnd(Ptr<Life> life);

    /** Under another engine, ticks with frame events between two looks at its count of events. */
    static constexpr uint32_t CHECK_EVERY = 256;
    /** Number of kinds. */
    static constexpr uint32_t KINDS = static_cast<uint32_t>(FrameEventKind::COUNT);

    /**
     * @param kind a kind
     * @param object number of an object
     * @return what orders events of one tick
     */
    static constexpr uint64_t MakeKey(FrameEventKind kind, uint32_t object)
    {
        return static_cast<uint64_t>(kind) << 32 | object;
    }

    /**
     * Run an event.
     * @param event the event
     */
    void Dispatch(const FrameEvent& event)
    {
        m_handlers[event.key >> 32](m_objects[static_cast<uint32_t>(event.key)]);
    }

    /** Give hints of what follows. */
    void LookAhead() const
    {
        const std::size_t known = m_queue.GetAheadCount();
        if (known > OBJECT_DISTANCE)
        {
            __builtin_prefetch(
                m_objects[static_cast<uint32_t>(m_queue.Ahead(OBJECT_DISTANCE).key)]);
        }
        for (std::size_t stage = 0; stage < HINTS; ++stage)
        {
            if (known > HINT_DISTANCES[stage])
            {
                const uint64_t key = m_queue.Ahead(HINT_DISTANCES[stage]).key;
                if (const Hint hint = m_hints[key >> 32][stage])
                {
                    hint(m_objects[static_cast<uint32_t>(key)]);
                }
            }
        }
    }

    /**
     * Run all frame events of tick after tick.
     * @tparam Gate a function: bool (uint64_t tick)
     * @param mayRun asked before each tick, and with NEVER when there is none
     */
    template <typename Gate>
    void RunTicks(Gate mayRun);

    /**
     * Complain about a call of ScheduleFrame() and abort.
     * @param tick its tick
     */
    [[noreturn]] void RefuseFrame(uint64_t tick) const;
    /** @return Simulator::Now() in ticks */
    uint64_t GetSimulatorTick() const;
    /** @return the same while the simulator exists, then the last one */
    uint64_t GetLatestTick() const;
    /** Have the engine know of events that were inserted outside of frame events. */
    void AnnounceInsertions();
    /** @return whether the simulator was destroyed; fatal if another one runs by now */
    bool IsRunOver() const;
    /**
     * Insert an event from outside of the clock's frame events.
     * @param tick its tick
     * @param kind its kind
     * @param object number of its object
     */
    void InsertFromOutside(uint64_t tick, FrameEventKind kind, uint32_t object);
    /** Called by the engine when it is destroyed. */
    void Detach();
    /** Have an event of another engine at the earliest tick, if there is none yet. */
    void SchedulePump();
    /** Run the frame events of the present tick, in an event of another engine. */
    void RunPump();

    FrameEventQueue<FrameEvent> m_queue;     //!< pending events
    uint64_t m_now{0};                       //!< the tick that runs or ran last
    uint64_t m_floor{NEVER};                 //!< now while frame events run, else NEVER
    bool m_isApart{false};                   //!< RunApart() runs
    std::array<Handler, KINDS> m_handlers{}; //!< by kind
    std::array<Hints, KINDS> m_hints{};      //!< by kind
    std::vector<void*> m_objects;            //!< by number
    uint64_t m_stateBytes{0};                //!< see NoteState()
    FrameSimulatorImpl* m_engine{nullptr}; //!< the engine, if it is one for frames and still exists
    Ptr<Life> m_life;                      //!< of the simulator
    Pump* m_pump{nullptr};                 //!< the event under another engine
    std::vector<uint64_t> m_pumpTicks;     //!< when the pump is due, latest first
    uint32_t m_pumpRuns{0};                //!< how often the pump has run
};

template <typename Work>
void
FrameClock::RunApart(Work work)
{
    if (m_isApart)
    {
        return;
    }
    const bool isOutside = m_floor == NEVER;
    const uint64_t tick = m_now;
    const uint64_t now = isOutside ? GetLatestTick() : tick;
    m_isApart = true;
    m_floor = now;
    work(now);
    m_isApart = false;
    m_now = tick;
    if (isOutside)
    {
        m_floor = NEVER;
        AnnounceInsertions();
    }
}

template <typename Gate>
void
FrameClock::RunTicks(Gate mayRun)
{
    uint64_t tick = m_queue.PeekTick();
    while (mayRun(tick))
    {
        m_now = tick;
        m_floor = tick;
        do
        {
            const FrameEvent event = m_queue.Pop();
            if (m_stateBytes > HINT_BYTES)
            {
                LookAhead();
            }
            Dispatch(event);
            tick = m_queue.PeekTick();
        } while (tick == m_now);
    }
    m_floor = NEVER;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_CLOCK_H
