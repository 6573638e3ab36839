// SPDX-License-Identifier: GPL-2.0-only

// Pauses, a link that goes down or comes up, who looks on, what is set, and frames that are lost.

#include "frame-transmitter.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3::llm
{

void
FrameTransmitter::SendPause(uint8_t trafficClass, bool stop)
{
    Frame* frame = m_pool->Take();
    *frame = Frame();
    frame->kind = FrameKind::PAUSE;
    frame->trafficClass = PAUSE_CLASS;
    frame->wireBytes = PAUSE_WIRE_BYTES;
    frame->psn = trafficClass;
    frame->payloadBytes = stop;
    m_counters.pausesSent += stop;
    if (m_tracer)
    {
        m_tracer->PauseSent(trafficClass, stop, m_clock->NowTicks());
    }
    Enqueue(frame);
}

void
FrameTransmitter::SetPaused(uint8_t trafficClass, bool stop)
{
    Settle();
    const auto bit = static_cast<uint16_t>(1u << trafficClass);
    const uint64_t now = m_clock->NowTicks();
    if (m_tracer)
    {
        m_tracer->PauseReceived(trafficClass, stop, now);
    }
    if (stop && !IsPaused(trafficClass))
    {
        ++m_counters.pausesReceived;
        GetWaiting().pausedSince[trafficClass] = now;
        m_pausedMask |= bit;
        if (!m_ring.IsSettled() && GetLevel(trafficClass) >= GetLevel(m_fixedClass))
        {
            TakeBack();
            if (GetChoices() != 0)
            {
                ScheduleDecision();
            }
        }
        WatchPauses();
    }
    else if (!stop && IsPaused(trafficClass))
    {
        m_waiting->pausedTicks[trafficClass] += now - m_waiting->pausedSince[trafficClass];
        if (m_waitingMask & bit)
        {
            if (!m_ring.IsSettled())
            {
                TakeBack();
            }
            if (m_scheduler)
            {
                m_scheduler->NoteIncumbent(GetChoices());
            }
            ScheduleDecision();
        }
        m_pausedMask &= ~bit;
        m_owner->PortReady(m_index);
    }
}

void
FrameTransmitter::SetUp(bool isUp)
{
    Settle();
    SetCare(DOWN, !isUp);
    if (isUp)
    {
        m_owner->PortReady(m_index);
        return;
    }
    TakeBack();
    if (m_scheduler)
    {
        m_scheduler->Stop();
    }
    while (m_ring.GetSize() != 0)
    {
        Lose(m_ring.Front().Store());
        m_ring.PopFront();
    }
    for (uint8_t c = 0; c <= PAUSE_CLASS; ++c)
    {
        while (m_waitingMask >> c & 1)
        {
            LoseQueued(m_waiting->Pop(c, m_waitingMask));
        }
    }
    m_decisionAt = FrameClock::NEVER;
    m_settlingAt = FrameClock::NEVER;
    m_checkAt = FrameClock::NEVER;
    m_freeAt = m_clock->NowTicks();
    for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (IsPaused(c))
        {
            m_waiting->pausedTicks[c] += m_clock->NowTicks() - m_waiting->pausedSince[c];
        }
    }
    m_pausedMask = 0;
    if (m_buffer && m_buffer->IsWatched())
    {
        m_owner->BufferReleased();
    }
    m_owner->PortReady(m_index);
}

void
FrameTransmitter::DepartWithCare(TransitFrame& departure, uint32_t queue)
{
    if (m_ring.GetSettledCount() + 1 < m_ring.GetSize())
    {
        // the next one's identity, on which its mark depends
        __builtin_prefetch(m_ring.At(m_ring.GetSettledCount() + 1).frame);
    }
    const bool isMarked = m_ecn && m_ecn->IsToMark(departure, queue, m_seed ^ m_place);
    if (isMarked)
    {
        departure.flags |= Frame::MARKED;
        ++m_counters.marks;
    }
    if (m_tracer)
    {
        const Frame& frame = *departure.Store();
        const uint64_t start = GetStart(departure);
        m_tracer->Dequeued(frame, queue - departure.wireBytes, start);
        if (isMarked)
        {
            m_tracer->Marked(frame, queue, start);
        }
    }
}

uint32_t
FrameTransmitter::GetLevel(uint8_t trafficClass) const
{
    return m_scheduler && m_scheduler->IsWeighted(trafficClass) ? 0 : 1u + trafficClass;
}

bool
FrameTransmitter::DecidesEach(uint8_t trafficClass) const
{
    return m_needsCare & REFERENCE ||
           (m_scheduler && m_scheduler->IsUnderWay() && m_scheduler->IsWeighted(trafficClass));
}

bool
FrameTransmitter::Inspect(const TransitFrame& transit)
{
    const Frame& frame = *transit.Store();
    const uint64_t now = m_clock->NowTicks();
    if (m_loss && m_loss->IsLost(frame, now))
    {
        ++m_counters.corrupted;
        if (m_tracer)
        {
            m_tracer->Dropped(frame, DropReason::FRAME_LOSS, now);
        }
        m_pool->Give(transit.frame);
        return false;
    }
    for (Observer* observer : m_observers)
    {
        observer->FrameArrived(*this, frame, now);
    }
    return true;
}

void
FrameTransmitter::LoseQueued(Frame* frame)
{
    m_queued[frame->trafficClass] -= frame->wireBytes;
    if (m_buffer && frame->trafficClass != PAUSE_CLASS)
    {
        m_buffer->Release(frame->ingress, frame->trafficClass, frame->wireBytes);
    }
    Lose(frame);
}

void
FrameTransmitter::Lose(Frame* frame)
{
    ++m_counters.lost;
    if (m_tracer)
    {
        m_tracer->Dropped(*frame, DropReason::LINK_DOWN, m_clock->NowTicks());
    }
    m_pool->Give(frame);
}

void
FrameTransmitter::CountDrop(const TransitFrame& transit, DropReason reason)
{
    m_counters.drops += reason == DropReason::NO_ROOM;
    m_counters.unroutable += reason == DropReason::NO_ROUTE;
    if (m_tracer)
    {
        m_tracer->Dropped(*transit.Store(), reason, m_clock->NowTicks());
    }
}

void
FrameTransmitter::WatchPauses()
{
    const uint64_t limit = m_owner->GetPauseLimit();
    if (limit != FrameClock::NEVER && m_checkAt == FrameClock::NEVER)
    {
        // an event of its own, as it looks at other switches; a batch is not later than the delay
        m_checkAt = m_clock->NowTicks() + std::max(limit, m_delay);
        m_clock->ScheduleFrame(m_checkAt, FrameEventKind::DEPARTURE, m_object);
    }
}

void
FrameTransmitter::CheckPauses()
{
    m_owner->CatchUp();
    const uint64_t now = m_clock->NowTicks();
    const uint64_t limit = m_owner->GetPauseLimit();
    bool isLong = false;
    uint64_t next = FrameClock::NEVER;
    for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (IsPaused(c))
        {
            const uint64_t due = m_waiting->pausedSince[c] + limit;
            isLong = isLong || (due <= now && (m_waitingMask >> c & 1));
            next = due > now ? std::min(next, due) : next;
        }
    }
    if (next != FrameClock::NEVER)
    {
        m_checkAt = next;
        m_clock->ScheduleFrame(next, FrameEventKind::DEPARTURE, m_object);
    }
    if (isLong)
    {
        m_owner->PauseLasts(m_index);
    }
}

void
FrameTransmitter::SetEcn(std::shared_ptr<const EcnTable> table, uint64_t seed)
{
    m_ecn = std::move(table);
    m_seed = seed;
    m_plainBytes = GetPlainBytes();
}

void
FrameTransmitter::SetEcn(const EcnTable& table, uint64_t seed)
{
    SetEcn(std::make_shared<EcnTable>(table), seed);
}

void
FrameTransmitter::SetTracer(PortTracer* tracer)
{
    CatchUp();
    m_tracer = tracer;
    SetCare(TRACED, tracer);
    m_plainBytes = GetPlainBytes();
    if (m_owner)
    {
        m_owner->ObserversChanged();
    }
    ObserversChanged();
}

uint32_t
FrameTransmitter::GetPlainBytes() const
{
    return m_tracer ? 0 : m_ecn ? m_ecn->GetLeastBytes() : UINT32_MAX;
}

void
FrameTransmitter::SetWeights(const ClassWeights& weights)
{
    const bool isWeighted = weights.GetMask() != 0;
    m_scheduler = isWeighted ? std::make_unique<DeficitRoundRobin>(weights) : nullptr;
    SetCare(WEIGHTED, isWeighted);
}

void
FrameTransmitter::AddObserver(Observer* observer)
{
    CatchUp();
    m_observers.erase(std::remove(m_observers.begin(), m_observers.end(), observer),
                      m_observers.end());
    m_observers.push_back(observer);
    ObserversChanged();
}

void
FrameTransmitter::RemoveObserver(const Observer* observer)
{
    CatchUp();
    m_observers.erase(std::remove(m_observers.begin(), m_observers.end(), observer),
                      m_observers.end());
    ObserversChanged();
}

void
FrameTransmitter::SetLoss(FrameLoss* loss)
{
    CatchUp();
    m_loss = loss;
    ObserversChanged();
}

void
FrameTransmitter::ObserversChanged()
{
    m_isObserved = m_loss || !m_observers.empty();
    if (m_receiver)
    {
        m_receiver->ObserversChanged();
    }
}

bool
FrameTransmitter::NeedsOrder() const
{
    // a tracer is told of frames that are lost at the far end
    return (m_loss && (m_loss->NeedsOrder() || m_tracer)) ||
           std::any_of(m_observers.begin(),
                       m_observers.end(),
                       [](const Observer* observer) { return observer->NeedsOrder(); });
}

void
FrameTransmitter::CatchUp() const
{
    if (!m_clock || !m_receiver || (m_needsCare & OVER))
    {
        return; // not set up yet, or no longer
    }
    if (m_buffer)
    {
        m_owner->CatchUp(); // a switch's; a NIC never lags, and may be gone already
    }
    if (m_peer->m_buffer)
    {
        m_receiver->CatchUp();
    }
    auto self = const_cast<FrameTransmitter*>(this);
    m_clock->RunApart(
        [self](uint64_t now)
        {
            self->m_clock->SetLocalTick(now - std::min<uint64_t>(now, 1));
            self->Settle();
        });
}

PortCounters
FrameTransmitter::GetCounters() const
{
    CatchUp();
    PortCounters counters = m_counters;
    counters.frames = m_sentFrames;
    counters.wireBytes = m_sentBytes;
    counters.maxQueueBytes = m_maxQueued;
    if (m_waiting)
    {
        counters.pausedTicks = std::accumulate(m_waiting->pausedTicks.begin(),
                                               m_waiting->pausedTicks.end(),
                                               uint64_t{0});
    }
    return counters;
}

uint64_t
FrameTransmitter::GetPausedTicks(uint8_t trafficClass, uint64_t tick) const
{
    CatchUp();
    const uint64_t past = m_waiting ? m_waiting->pausedTicks.at(trafficClass) : 0;
    return IsPaused(trafficClass) ? past + tick - m_waiting->pausedSince[trafficClass] : past;
}

std::vector<uint64_t>
FrameTransmitter::GetWaitingBytes(uint8_t trafficClass, uint32_t ports) const
{
    return m_waiting ? m_waiting->GetBytesByIngress(trafficClass, ports)
                     : std::vector<uint64_t>(ports);
}

uint64_t
FrameTransmitter::GetQueueBytes(uint64_t tick) const
{
    CatchUp();
    uint64_t bytes = 0;
    for (const uint32_t queued : m_queued)
    {
        bytes += queued;
    }
    for (uint32_t i = m_ring.GetSettledCount(); i < m_ring.GetSize(); ++i)
    {
        if (GetStart(m_ring.At(i)) <= tick)
        {
            bytes -= m_ring.At(i).wireBytes;
        }
    }
    return bytes;
}

} // namespace ns3::llm
