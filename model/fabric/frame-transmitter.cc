// SPDX-License-Identifier: GPL-2.0-only

#include "frame-transmitter.h"

#include "identity-hash.h"

#include <algorithm>
#include <numeric>

namespace ns3::llm
{

void
FrameTransmitter::Install(FrameClock* clock,
                          FramePool* pool,
                          FrameSink* owner,
                          uint16_t index,
                          uint64_t place)
{
    m_clock = clock;
    m_pool = pool;
    m_owner = owner;
    m_index = index;
    m_place = place;
    m_object = clock->AddObject(this);
    clock->SetHandler(FrameEventKind::ARRIVAL, &HandleArrival);
    clock->SetHandler(FrameEventKind::DEPARTURE, &HandleDeparture);
}

void
FrameTransmitter::Connect(FrameTransmitter* peer, DataRate rate, Time delay)
{
    m_peer = peer;
    m_rate = rate;
    m_delay = static_cast<uint64_t>(delay.GetPicoSeconds());
    const uint64_t scale = 8000000000000u; // ps per byte at 1 bit/s
    const uint64_t common = std::gcd(scale, rate.GetBitRate());
    m_rateTicks = scale / common;
    m_rateBytes = rate.GetBitRate() / common;
}

void
FrameTransmitter::Enqueue(Frame* frame)
{
    const uint8_t trafficClass = frame->trafficClass;
    Settle();
    if (m_waitingMask != 0 && m_decisionAt <= m_clock->NowTicks())
    {
        // what leaves at a tick leaves it before anything is queued there at that tick, also when
        // another port's departure queues this frame (a resume) before this port's has run
        m_decisionAt = FrameClock::NEVER;
        Decide();
    }
    uint32_t& queued = m_queued[trafficClass];
    queued += frame->wireBytes;
    m_counters.maxQueueBytes = std::max(m_counters.maxQueueBytes, queued);
    const bool mayFix = (m_waitingMask & ~m_pausedMask) == 0 && !IsPaused(trafficClass) &&
                        (m_ring.IsSettled() || m_fixedClass == trafficClass) && m_isUp;
    if (mayFix && (!m_isReference || m_freeAt <= m_clock->NowTicks()))
    {
        Commit(frame);
    }
    else
    {
        EnqueueSlowly(frame);
    }
}

void
FrameTransmitter::Commit(Frame* frame)
{
    const uint64_t start = std::max(m_clock->NowTicks(), m_freeAt);
    m_freeAt = start + GetSerializationTicks(frame->wireBytes);
    const uint64_t arrival = m_freeAt + m_delay;
    m_fixedClass = frame->trafficClass;
    m_ring.PushBack({frame,
                     start,
                     arrival,
                     frame->wireBytes,
                     frame->ingress,
                     frame->trafficClass,
                     frame->kind});
    if (m_arrivalAt == FrameClock::NEVER)
    {
        m_arrivalAt = arrival;
        m_clock->ScheduleFrame(arrival, FrameEventKind::ARRIVAL, m_object);
    }
    if (m_buffer && m_buffer->IsWatched())
    {
        Watch();
    }
}

void
FrameTransmitter::EnqueueSlowly(Frame* frame)
{
    if (!m_isUp)
    {
        LoseQueued(frame);
        return;
    }
    if (IsPaused(frame->trafficClass))
    {
        PushWaiting(frame);
        return;
    }
    const bool isAlone = m_waitingMask == 1u << frame->trafficClass;
    if (!m_ring.IsSettled() && !(isAlone && m_fixedClass == frame->trafficClass))
    {
        TakeBack();
    }
    PushWaiting(frame);
    ScheduleDecision();
}

void
FrameTransmitter::ScheduleDecision()
{
    const uint64_t tick = std::max(m_freeAt, m_clock->NowTicks());
    if (tick < m_decisionAt)
    {
        m_decisionAt = tick;
        m_clock->ScheduleFrame(m_decisionAt, FrameEventKind::DEPARTURE, m_object);
    }
}

void
FrameTransmitter::HandleDeparture(void* object)
{
    auto self = static_cast<FrameTransmitter*>(object);
    const uint64_t now = self->m_clock->NowTicks();
    self->Settle();
    if (self->m_decisionAt == now)
    {
        self->m_decisionAt = FrameClock::NEVER;
        self->Decide();
    }
    if (self->m_settlingAt == now)
    {
        self->m_settlingAt = FrameClock::NEVER;
        if (self->m_buffer->IsWatched())
        {
            self->ScheduleSettling();
        }
    }
}

void
FrameTransmitter::Decide()
{
    uint32_t choices = m_waitingMask & ~uint32_t{m_pausedMask};
    if (choices == 0)
    {
        return;
    }
    if (m_freeAt > m_clock->NowTicks())
    {
        ScheduleDecision(); // this one was meant for an earlier backlog
        return;
    }
    const auto first = static_cast<uint8_t>(31 - __builtin_clz(choices));
    Commit(PopWaiting(first));
    Settle();
    choices = m_waitingMask & ~uint32_t{m_pausedMask};
    if (choices == 0)
    {
        return;
    }
    if ((choices & (choices - 1)) != 0 || m_isReference)
    {
        ScheduleDecision();
        return;
    }
    // not all at once: the next pause would take them back, again and again
    const auto only = static_cast<uint8_t>(31 - __builtin_clz(choices));
    for (uint32_t i = 0; i < BATCH && (m_waitingMask >> only & 1); ++i)
    {
        Commit(PopWaiting(only));
    }
    if (m_waitingMask >> only & 1)
    {
        ScheduleDecision();
    }
}

void
FrameTransmitter::PushWaiting(Frame* frame)
{
    if (!m_waiting)
    {
        m_waiting = std::make_unique<Waiting>();
    }
    const uint8_t c = frame->trafficClass;
    frame->next = nullptr;
    if (m_waitingMask >> c & 1)
    {
        m_waiting->tail[c]->next = frame;
    }
    else
    {
        m_waiting->head[c] = frame;
        m_waitingMask |= 1u << c;
    }
    m_waiting->tail[c] = frame;
}

Frame*
FrameTransmitter::PopWaiting(uint8_t trafficClass)
{
    Frame* frame = m_waiting->head[trafficClass];
    m_waiting->head[trafficClass] = frame->next;
    if (!frame->next)
    {
        m_waitingMask &= ~(1u << trafficClass);
    }
    return frame;
}

void
FrameTransmitter::TakeBack()
{
    if (!m_waiting)
    {
        m_waiting = std::make_unique<Waiting>();
    }
    while (!m_ring.IsSettled())
    {
        const Departure& last = m_ring.Back();
        Frame* frame = last.frame;
        const uint8_t c = last.trafficClass;
        m_freeAt = last.startTick;
        m_ring.PopBack();
        frame->next = m_waitingMask >> c & 1 ? m_waiting->head[c] : nullptr;
        m_waiting->head[c] = frame;
        if (!frame->next)
        {
            m_waiting->tail[c] = frame;
            m_waitingMask |= 1u << c;
        }
    }
    if (m_ring.GetSize() == 0)
    {
        m_arrivalAt = FrameClock::NEVER;
    }
}

void
FrameTransmitter::Settle()
{
    const uint64_t now = m_clock->NowTicks();
    while (!m_ring.IsSettled())
    {
        const Departure& departure = m_ring.FirstUnsettled();
        if (departure.startTick > now)
        {
            return;
        }
        uint32_t& queued = m_queued[departure.trafficClass];
        if (queued > m_ecn.minBytes && departure.kind == FrameKind::DATA)
        {
            MaybeMark(departure, queued);
        }
        queued -= departure.wireBytes;
        ++m_counters.frames;
        m_counters.wireBytes += departure.wireBytes;
        m_ring.SettleOne();
        if (m_buffer && departure.trafficClass != PAUSE_CLASS)
        {
            m_buffer->Release(departure.ingress, departure.trafficClass, departure.wireBytes);
            if (m_buffer->IsWatched())
            {
                m_owner->BufferReleased();
            }
        }
    }
}

void
FrameTransmitter::MaybeMark(const Departure& departure, uint32_t queue)
{
    Frame& frame = *departure.frame;
    if (queue <= m_ecn.maxBytes)
    {
        const double probability =
            m_ecn.maxProbability * (queue - m_ecn.minBytes) / (m_ecn.maxBytes - m_ecn.minBytes);
        const uint64_t what = uint64_t{frame.identity} << 32 | frame.attempt;
        if (HashToUnit(MixHash(m_seed ^ m_place, what)) >= probability)
        {
            return;
        }
    }
    frame.flags |= Frame::MARKED;
    ++m_counters.marks;
}

void
FrameTransmitter::Watch()
{
    Settle();
    ScheduleSettling();
}

void
FrameTransmitter::ScheduleSettling()
{
    if (m_settlingAt == FrameClock::NEVER && !m_ring.IsSettled())
    {
        const uint64_t start = m_ring.FirstUnsettled().startTick;
        if (start > m_clock->NowTicks())
        {
            m_settlingAt = start;
            m_clock->ScheduleFrame(start, FrameEventKind::DEPARTURE, m_object);
        }
    }
}

void
FrameTransmitter::HandleArrival(void* object)
{
    auto self = static_cast<FrameTransmitter*>(object);
    if (self->m_arrivalAt == self->m_clock->NowTicks())
    {
        self->Arrive();
    }
}

void
FrameTransmitter::Arrive()
{
    Settle();
    Frame* frame = m_ring.Front().frame;
    m_ring.PopFront();
    if (m_ring.GetSize() != 0)
    {
        m_arrivalAt = m_ring.Front().arrivalTick;
        m_clock->ScheduleFrame(m_arrivalAt, FrameEventKind::ARRIVAL, m_object);
    }
    else
    {
        m_arrivalAt = FrameClock::NEVER;
    }
    if (m_observer)
    {
        m_observer->FrameArrived(*this, *frame, m_clock->NowTicks());
    }
    if (frame->kind != FrameKind::PAUSE)
    {
        m_peer->m_owner->ReceiveFrame(m_peer->m_index, frame);
        return;
    }
    m_peer->SetPaused(static_cast<uint8_t>(frame->psn), frame->payloadBytes != 0);
    m_pool->Give(frame);
}

} // namespace ns3::llm
