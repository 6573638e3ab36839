// SPDX-License-Identifier: GPL-2.0-only

#include "frame-clock.h"

#include "event-number-warning.h"
#include "frame-simulator-impl.h"
#include "time-resolution.h"

#include "ns3/abort.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdlib>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FrameClock");

/**
 * @ingroup llm-fabric-engine
 * The ns-3 event that runs a clock's frame events under an engine that knows nothing of clocks. The
 * same object is scheduled again and again; it outlives its clock as long as such an engine holds it.
 */
class FrameClock::Pump : public EventImpl
{
  public:
    /**
     * Constructor.
     * @param clock the clock
     */
    explicit Pump(FrameClock* clock)
        : m_clock(clock)
    {
    }

    /** Note that the clock is dead. */
    void Forget()
    {
        m_clock = nullptr;
    }

  protected:
    void Notify() override
    {
        if (m_clock)
        {
            m_clock->RunPump();
        }
    }

  private:
    FrameClock* m_clock; //!< the clock, or nullptr when it is dead
};

namespace
{

/** Runs events of kinds that have no handler. */
void
RefuseKind(void*)
{
    NS_FATAL_ERROR("FrameClock: a frame event has a kind without a handler; see SetHandler()");
}

} // namespace

FrameClock::FrameClock()
{
    NS_LOG_FUNCTION(this);
    RequirePicoseconds("FrameClock");
    m_handlers.fill(&RefuseKind);
    m_now = static_cast<uint64_t>(Simulator::Now().GetTimeStep()); // starts the engine
    m_life = Create<Life>();
    Simulator::ScheduleDestroy(&FrameClock::NoteEnd, m_life);
    m_engine = FrameSimulatorImpl::Get();
    if (m_engine)
    {
        m_engine->GetClocks().Add(this);
    }
    else
    {
        m_pump = new Pump(this);
    }
}

FrameClock::~FrameClock()
{
    NS_LOG_FUNCTION(this);
    if (m_engine)
    {
        m_engine->GetClocks().Remove(this);
    }
    if (m_pump)
    {
        m_pump->Forget();
        m_pump->Unref();
    }
}

void
FrameClock::SetHandler(FrameEventKind kind, Handler handler)
{
    NS_LOG_FUNCTION(this << static_cast<uint32_t>(kind));
    NS_ABORT_MSG_IF(kind >= FrameEventKind::COUNT, "FrameClock: there is no such kind of event");
    Handler& current = m_handlers[static_cast<uint32_t>(kind)];
    NS_ABORT_MSG_IF(current != &RefuseKind && current != handler,
                    "FrameClock: kind " << static_cast<uint32_t>(kind)
                                        << " has another handler already");
    current = handler;
}

uint32_t
FrameClock::AddObject(void* object)
{
    NS_ABORT_MSG_IF(m_objects.size() > UINT32_MAX, "FrameClock: too many objects");
    m_objects.push_back(object);
    return static_cast<uint32_t>(m_objects.size() - 1);
}

uint64_t
FrameClock::Request(FrameEventKind kind, uint32_t object)
{
    const uint64_t tick = GetSimulatorTick() + 1;
    InsertFromOutside(tick, kind, object);
    return tick;
}

void
FrameClock::RequestAt(uint64_t tick, FrameEventKind kind, uint32_t object)
{
    const uint64_t now = GetSimulatorTick();
    NS_ABORT_MSG_IF(tick <= now || tick == NEVER,
                    "FrameClock: a request for tick " << tick << " must lie after now, " << now);
    InsertFromOutside(tick, kind, object);
}

void
FrameClock::CallOut(uint32_t context, EventImpl* event)
{
    if (m_engine)
    {
        m_engine->ScheduleWithContext(context, TimeStep(1), event);
    }
    else if (IsRunOver())
    {
        event->Unref();
    }
    else
    {
        Simulator::ScheduleWithContext(context, TimeStep(1), event);
    }
}

void
FrameClock::RefuseFrame(uint64_t tick) const
{
    NS_ABORT_MSG_IF(
        m_floor == NEVER,
        "FrameClock: ScheduleFrame() is for frame events of the clock only; ns-3 events "
        "and set-up use Request() or RequestAt()");
    NS_FATAL_ERROR("FrameClock: a frame event at tick " << tick << " does not lie between now, "
                                                        << m_now << ", and never");
    std::abort();
}

uint64_t
FrameClock::GetSimulatorTick() const
{
    if (m_engine)
    {
        return m_engine->NowTicks();
    }
    return IsRunOver() ? m_now : static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

void
FrameClock::NoteEnd(Ptr<Life> life)
{
    life->isOver = true;
    life->lastTick = static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

uint64_t
FrameClock::GetLatestTick() const
{
    return m_life->isOver ? m_life->lastTick : GetSimulatorTick();
}

void
FrameClock::AnnounceInsertions()
{
    if (m_life->isOver)
    {
        return;
    }
    if (m_engine)
    {
        m_engine->GetClocks().NoteInsertion(this, m_queue.PeekTick());
    }
    else
    {
        SchedulePump();
    }
}

bool
FrameClock::IsRunOver() const
{
    // an engine that is destroyed drops its references to the pump
    const bool over = m_pump ? m_pump->GetReferenceCount() < m_pumpTicks.size() + 1 : !m_engine;
    // Simulator::Destroy() takes the printer away before it tears anything down
    NS_ABORT_MSG_IF(
        over && LogGetTimePrinter() != nullptr,
        "FrameClock: this clock's simulator was destroyed; a new run needs a new clock");
    return over;
}

void
FrameClock::InsertFromOutside(uint64_t tick, FrameEventKind kind, uint32_t object)
{
    NS_LOG_FUNCTION(this << tick << static_cast<uint32_t>(kind) << object);
    NS_ABORT_MSG_IF(kind >= FrameEventKind::COUNT || object >= m_objects.size(),
                    "FrameClock: there is no kind " << static_cast<uint32_t>(kind) << " or object "
                                                    << object);
    if (!m_engine && IsRunOver())
    {
        return; // like an ns-3 event that is scheduled while the simulator is destroyed
    }
    m_queue.Insert(FrameEvent{tick, MakeKey(kind, object)});
    if (m_engine)
    {
        m_engine->GetClocks().NoteInsertion(this, tick);
    }
    else
    {
        SchedulePump();
    }
}

void
FrameClock::Detach()
{
    m_engine = nullptr;
}

void
FrameClock::SchedulePump()
{
    const uint64_t tick = m_queue.PeekTick();
    if (tick == NEVER || (!m_pumpTicks.empty() && m_pumpTicks.back() <= tick))
    {
        return;
    }
    m_pumpTicks.push_back(tick);
    m_pump->Ref(); // the engine's
    const auto now = static_cast<uint64_t>(Simulator::Now().GetTimeStep());
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, TimeStep(tick - now), m_pump);
}

void
FrameClock::RunPump()
{
    if (++m_pumpRuns % CHECK_EVERY == 0)
    {
        // what was run has a number, and little else has: what is pending, or was removed
        CheckEventNumber(Simulator::GetEventCount());
    }
    const uint64_t due = m_pumpTicks.back();
    RunTicks([due](uint64_t tick) { return tick == due; });
    m_pumpTicks.pop_back();
    SchedulePump();
}

} // namespace ns3::llm
