// SPDX-License-Identifier: GPL-2.0-only

#include "frame-simulator-impl.h"

#include "ns3-compat.h"

#include "ns3/assert.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FrameSimulatorImpl");
NS_OBJECT_ENSURE_REGISTERED(FrameSimulatorImpl);

FrameSimulatorImpl* FrameSimulatorImpl::s_instance = nullptr;

TypeId
FrameSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FrameSimulatorImpl")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FrameSimulatorImpl>();
    return tid;
}

FrameSimulatorImpl::FrameSimulatorImpl()
    : m_context(Simulator::NO_CONTEXT),
      m_nextUid(compat::FIRST_EVENT_UID),
      m_thread(std::this_thread::get_id())
{
    NS_LOG_FUNCTION(this);
    s_instance = this;
}

FrameSimulatorImpl::~FrameSimulatorImpl()
{
    NS_LOG_FUNCTION(this);
}

void
FrameSimulatorImpl::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (s_instance == this)
    {
        s_instance = nullptr;
    }
    m_clocks.DetachAll();
    TakeForeignEvents();
    // events hold objects, and these may call Simulator::Remove() when they die
    m_events.Drain([](const Event& event) { event.impl->Unref(); });
    SimulatorImpl::DoDispose();
}

void
FrameSimulatorImpl::Destroy()
{
    NS_LOG_FUNCTION(this);
    while (!m_destroyEvents.empty())
    {
        Ptr<EventImpl> event = m_destroyEvents.front().PeekEventImpl();
        m_destroyEvents.pop_front();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
}

bool
FrameSimulatorImpl::IsFinished() const
{
    const bool isStopped = (m_attention.load(std::memory_order_relaxed) & STOP) != 0;
    return isStopped || (m_events.IsEmpty() && m_clocks.IsEmpty());
}

void
FrameSimulatorImpl::Stop()
{
    NS_LOG_FUNCTION(this);
    m_attention.fetch_or(STOP, std::memory_order_relaxed);
}

FrameSimulatorImpl::StopResult
FrameSimulatorImpl::Stop(const Time& delay)
{
    NS_LOG_FUNCTION(this << delay.GetTimeStep());
    return static_cast<StopResult>(Simulator::Schedule(delay, &Simulator::Stop));
}

inline uint64_t
FrameSimulatorImpl::GetDelayTicks(const Time& delay)
{
    const int64_t ticks = delay.GetTimeStep();
    if (__builtin_expect(ticks < 0, 0))
    {
        // A monotone queue cannot hold it, so this is checked in all builds.
        NS_FATAL_ERROR("FrameSimulatorImpl: an event was scheduled with the negative delay "
                       << ticks << " (ticks)");
    }
    return static_cast<uint64_t>(ticks);
}

inline uint64_t
FrameSimulatorImpl::Insert(uint64_t tick, uint32_t context, EventImpl* impl)
{
    // An EventId carries the lower 32 bits, of which four values mean something else.
    if (__builtin_expect(static_cast<uint32_t>(m_nextUid) < compat::FIRST_EVENT_UID, 0))
    {
        m_nextUid += compat::FIRST_EVENT_UID - static_cast<uint32_t>(m_nextUid);
    }
    const uint64_t uid = m_nextUid++;
    m_events.Insert(Event{tick, uid, impl, context});
    // a frame event calls out: the loop of frame events must see it
    m_clocks.BringEndForward(tick);
    return uid;
}

inline EventId
FrameSimulatorImpl::InsertWithId(uint64_t tick, EventImpl* impl)
{
    NS_ASSERT_MSG(m_thread.load(std::memory_order_relaxed) == std::this_thread::get_id(),
                  "only ScheduleWithContext() may be called from another thread");
    const uint64_t uid = Insert(tick, m_context, impl);
    return EventId(Ptr<EventImpl>(impl), tick, m_context, static_cast<uint32_t>(uid));
}

EventId
FrameSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    return InsertWithId(m_now + GetDelayTicks(delay), event);
}

EventId
FrameSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return InsertWithId(m_now, event);
}

void
FrameSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    const uint64_t ticks = GetDelayTicks(delay);
    if (m_thread.load(std::memory_order_relaxed) == std::this_thread::get_id())
    {
        Insert(m_now + ticks, context, event);
        return;
    }
    {
        const std::lock_guard<std::mutex> lock(m_foreignMutex);
        m_foreignEvents.push_back(ForeignEvent{context, ticks, event});
    }
    m_attention.fetch_or(FOREIGN, std::memory_order_release);
}

void
FrameSimulatorImpl::TakeForeignEvents()
{
    m_attention.fetch_and(~static_cast<uint32_t>(FOREIGN), std::memory_order_acquire);
    std::vector<ForeignEvent> events;
    {
        const std::lock_guard<std::mutex> lock(m_foreignMutex);
        events.swap(m_foreignEvents);
    }
    for (const ForeignEvent& event : events)
    {
        Insert(m_now + event.delay, event.context, event.impl);
    }
}

EventId
FrameSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    NS_ASSERT_MSG(m_thread.load(std::memory_order_relaxed) == std::this_thread::get_id(),
                  "only ScheduleWithContext() may be called from another thread");
    const EventId id(Ptr<EventImpl>(event, false),
                     m_now,
                     Simulator::NO_CONTEXT,
                     compat::DESTROY_EVENT_UID);
    m_destroyEvents.push_back(id);
    return id;
}

void
FrameSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == compat::DESTROY_EVENT_UID)
    {
        const auto event = std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id);
        if (event != m_destroyEvents.end())
        {
            m_destroyEvents.erase(event);
        }
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    EventImpl* impl = id.PeekEventImpl();
    const bool erased = m_events.Erase(id.GetTs(),
                                       [&id, impl](const Event& event) {
                                           return event.impl == impl &&
                                                  static_cast<uint32_t>(event.key) == id.GetUid();
                                       });
    impl->Cancel();
    if (erased)
    {
        impl->Unref(); // the engine's reference
    }
}

void
FrameSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
FrameSimulatorImpl::IsExpired(const EventId& id) const
{
    EventImpl* impl = id.PeekEventImpl();
    if (impl == nullptr || impl->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == compat::DESTROY_EVENT_UID)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    if (id.GetTs() != m_now)
    {
        return id.GetTs() < m_now;
    }
    // Of this tick. Those with the lower numbers have run: the others were scheduled later, by an
    // event of either kind, because frame events run only where no ns-3 event of their tick is left.
    // The number is the youngest with these lower 32 bits.
    const uint64_t youngest = m_nextUid - 1;
    return youngest - static_cast<uint32_t>(static_cast<uint32_t>(youngest) - id.GetUid()) <=
           m_lastUid;
}

bool
FrameSimulatorImpl::Attend()
{
    const uint32_t attention = m_attention.load(std::memory_order_relaxed);
    if (attention & FOREIGN)
    {
        TakeForeignEvents();
    }
    return (attention & STOP) == 0;
}

void
FrameSimulatorImpl::Run()
{
    NS_LOG_FUNCTION(this);
    m_thread.store(std::this_thread::get_id(), std::memory_order_relaxed);
    TakeForeignEvents();
    m_attention.fetch_and(~static_cast<uint32_t>(STOP), std::memory_order_relaxed);
    RunBefore(UINT64_MAX);
}

void
FrameSimulatorImpl::RunBefore(uint64_t end)
{
    while (m_attention.load(std::memory_order_relaxed) == 0 || Attend())
    {
        const uint64_t event = m_events.PeekTick();
        const uint64_t frame = m_clocks.GetNextTick();
        if (frame < event)
        {
            if (frame >= end)
            {
                return;
            }
            RunFrames(std::min(event, end));
        }
        else
        {
            if (event >= end)
            {
                return;
            }
            RunEvent();
        }
    }
}

inline void
FrameSimulatorImpl::RunEvent()
{
    const Event event = m_events.Pop();
    m_now = event.tick;
    m_context = event.context;
    m_lastUid = event.key;
    const Ptr<EventImpl> impl(event.impl, false); // freed too if it throws
    impl->Invoke();
}

void
FrameSimulatorImpl::RunFrames(uint64_t end)
{
    m_context = Simulator::NO_CONTEXT;
    m_clocks.Run(end,
                 [this](uint64_t tick)
                 {
                     if (m_attention.load(std::memory_order_relaxed) != 0)
                     {
                         return false;
                     }
                     m_now = tick;
                     return true;
                 });
}

Time
FrameSimulatorImpl::Now() const
{
    return TimeStep(m_now);
}

Time
FrameSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - m_now);
}

Time
FrameSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(static_cast<uint64_t>(INT64_MAX));
}

void
FrameSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    NS_LOG_FUNCTION(this << schedulerFactory);
    NS_LOG_INFO("the engine has a queue of its own");
}

uint32_t
FrameSimulatorImpl::GetSystemId() const
{
    return 0;
}

uint32_t
FrameSimulatorImpl::GetContext() const
{
    return m_context;
}

uint64_t
FrameSimulatorImpl::GetEventCount() const
{
    return m_events.GetPopCount() + m_clocks.GetFrameCount();
}

void
FrameSimulatorImpl::SetNextUid(uint64_t uid)
{
    m_nextUid = uid;
}

} // namespace ns3::llm
