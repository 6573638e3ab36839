// SPDX-License-Identifier: GPL-2.0-only

#include "frame-transmitter.h"

#include "identity-hash.h"

#include "ns3/abort.h"

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
    clock->NoteState(sizeof(FrameTransmitter));
    clock->SetHandler(FrameEventKind::ARRIVAL, &HandleArrival);
    clock->SetHandler(FrameEventKind::DEPARTURE, &HandleDeparture);
    clock->SetHints(FrameEventKind::ARRIVAL, {&FetchFront, &Prepare, &PrepareNext});
    MeetPeer();
}

void
FrameTransmitter::FetchFront(const void* object)
{
    const auto self = static_cast<const FrameTransmitter*>(object);
    self->m_ring.Prefetch();
    const auto receiver = reinterpret_cast<const char*>(self->m_receiver);
    __builtin_prefetch(receiver);
    __builtin_prefetch(receiver + 64);
}

void
FrameTransmitter::Prepare(const void* object)
{
    const auto self = static_cast<const FrameTransmitter*>(object);
    if (self->m_ring.GetSize() != 0)
    {
        self->m_receiver->Prepare(self->m_receiverPort, self->m_ring.Front(), false);
    }
}

void
FrameTransmitter::PrepareNext(const void* object)
{
    const auto self = static_cast<const FrameTransmitter*>(object);
    if (self->m_ring.GetSize() != 0)
    {
        self->m_receiver->Prepare(self->m_receiverPort, self->m_ring.Front(), true);
    }
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
    MeetPeer();
}

void
FrameTransmitter::GivePlaceTo(FrameTransmitter& other)
{
    NS_ABORT_MSG_IF(m_clock || other.m_clock, "FrameTransmitter: it is set up already");
    other.m_peer = m_peer;
    other.m_rate = m_rate;
    other.m_delay = m_delay;
    other.m_rateTicks = m_rateTicks;
    other.m_rateBytes = m_rateBytes;
    if (m_peer)
    {
        m_peer->m_peer = &other;
    }
}

void
FrameTransmitter::MeetPeer()
{
    if (m_peer)
    {
        m_receiver = m_peer->m_owner;
        m_receiverPort = m_peer->m_index;
        m_peer->m_receiver = m_owner;
        m_peer->m_receiverPort = m_index;
    }
}

void
FrameTransmitter::EnqueueWithCare(const TransitFrame& transit, uint16_t ingress, uint64_t now)
{
    SettleUpTo(now);
    if ((m_waitingMask | m_pausedMask | m_needsCare) != 0)
    {
        EnqueueByRank(transit, ingress, now);
        return;
    }
    Count(transit);
    if (m_ring.IsSettled() || transit.trafficClass <= m_fixedClass)
    {
        Commit(transit, ingress, now);
    }
    else
    {
        CommitAhead(transit, ingress);
    }
}

void
FrameTransmitter::NoteLongest(uint32_t queued)
{
    m_maxQueued = queued;
    // while the backlog does not take longer than this one, there is no longer one
    m_carelessTicks = m_pool->HasTelemetry() ? 0 : GetSerializationTicks(queued);
}

void
FrameTransmitter::EnqueueByRank(const TransitFrame& transit, uint16_t ingress, uint64_t now)
{
    const uint8_t trafficClass = transit.trafficClass;
    if (m_waitingMask != 0 && m_decisionAt <= now)
    {
        // what leaves at a tick leaves it before anything is queued there at that tick, also when
        // another port's departure queues this frame (a resume) before this port's has run
        m_decisionAt = FrameClock::NEVER;
        Decide();
    }
    Count(transit);
    if (m_tracer)
    {
        m_tracer->Enqueued(*transit.Store(), m_queued[trafficClass], now);
    }
    const bool mayFix = GetChoices() == 0 && !IsPaused(trafficClass) && IsUp() &&
                        (m_freeAt <= now || !DecidesEach(trafficClass));
    const uint32_t level = GetLevel(trafficClass);
    const uint32_t lastLevel = GetLevel(m_fixedClass);
    if (mayFix && (m_ring.IsSettled() || trafficClass == m_fixedClass || level < lastLevel))
    {
        if (m_scheduler && level == 0)
        {
            m_scheduler->Stop();
        }
        Commit(transit, ingress, now);
    }
    else if (mayFix && level > lastLevel)
    {
        CommitAhead(transit, ingress);
    }
    else
    {
        Frame* frame = transit.Store();
        frame->ingress = ingress;
        EnqueueSlowly(frame);
    }
    if (m_needsCare & TRACED)
    {
        ScheduleSettling();
    }
}

void
FrameTransmitter::CommitAhead(const TransitFrame& transit, uint16_t ingress)
{
    const uint64_t delay = GetSerializationTicks(transit.wireBytes);
    m_freeAt += delay;
    m_ring.PushBack(transit);
    uint32_t place = m_ring.GetSize() - 1;
    uint64_t start = m_freeAt - delay;
    while (place > m_ring.GetSettledCount() &&
           GetLevel(m_ring.At(place - 1).trafficClass) < GetLevel(transit.trafficClass))
    {
        TransitFrame& later = m_ring.At(place);
        later = m_ring.At(place - 1);
        start = GetStart(later);
        later.arrivalTick += delay;
        --place;
    }
    TransitFrame& departure = m_ring.At(place);
    departure = transit;
    departure.ingress = ingress;
    departure.arrivalTick = start + delay + m_delay;
    m_lastStart = GetStart(m_ring.Back());
    if (place == 0)
    {
        ScheduleArrival(departure.arrivalTick);
    }
    if (IsWatched())
    {
        Watch();
    }
}

void
FrameTransmitter::EnqueueSlowly(Frame* frame)
{
    if (!IsUp())
    {
        LoseQueued(frame);
        return;
    }
    if (IsPaused(frame->trafficClass))
    {
        GetWaiting().Push(frame, m_waitingMask);
        return;
    }
    const bool isAlone = m_waitingMask == 1u << frame->trafficClass;
    if (!m_ring.IsSettled() && !(isAlone && m_fixedClass == frame->trafficClass))
    {
        TakeBack();
    }
    if (m_scheduler)
    {
        m_scheduler->NoteIncumbent(GetChoices());
    }
    GetWaiting().Push(frame, m_waitingMask);
    ScheduleDecision();
}

void
FrameTransmitter::ScheduleDecision()
{
    const uint64_t tick = std::max(m_freeAt, m_clock->NowTicks());
    if (tick < m_decisionAt)
    {
        m_decisionAt = tick;
        ScheduleDeparture(m_decisionAt);
    }
}

void
FrameTransmitter::HandleDeparture(void* object)
{
    auto self = static_cast<FrameTransmitter*>(object);
    if (!self->m_ownBatch)
    {
        self->Depart();
    }
    if (self->m_checkAt == self->m_clock->NowTicks())
    {
        self->m_checkAt = FrameClock::NEVER;
        self->CheckPauses();
    }
}

void
FrameTransmitter::ScheduleDeparture(uint64_t tick)
{
    if (m_ownBatch)
    {
        m_ownBatch->AddDeparture(tick, m_index);
    }
    else
    {
        m_clock->ScheduleFrame(tick, FrameEventKind::DEPARTURE, m_object);
    }
}

void
FrameTransmitter::Depart()
{
    const uint64_t now = m_clock->NowTicks();
    Settle();
    if (m_decisionAt == now)
    {
        m_decisionAt = FrameClock::NEVER;
        Decide();
    }
    if (m_settlingAt == now)
    {
        m_settlingAt = FrameClock::NEVER;
        if (m_needsCare & TRACED || IsWatched())
        {
            ScheduleSettling();
        }
    }
}

void
FrameTransmitter::Decide()
{
    uint32_t choices = GetChoices();
    if (choices == 0)
    {
        return;
    }
    if (m_freeAt > m_clock->NowTicks())
    {
        ScheduleDecision(); // this one was meant for an earlier backlog
        return;
    }
    CommitWaiting(Choose(choices));
    Settle();
    choices = GetChoices();
    if (choices == 0)
    {
        return;
    }
    const auto only = static_cast<uint8_t>(31 - __builtin_clz(choices));
    if ((choices & (choices - 1)) != 0 || DecidesEach(only))
    {
        ScheduleDecision();
        return;
    }
    // not all at once: the next pause would take them back, again and again
    for (uint32_t i = 0; i < BATCH && (m_waitingMask >> only & 1); ++i)
    {
        CommitWaiting(only);
    }
    if (m_needsCare & TRACED)
    {
        ScheduleSettling();
    }
    if (m_waitingMask >> only & 1)
    {
        ScheduleDecision();
    }
}

uint8_t
FrameTransmitter::Choose(uint32_t choices)
{
    if (!m_scheduler)
    {
        return static_cast<uint8_t>(31 - __builtin_clz(choices));
    }
    return m_scheduler->Choose(choices,
                               [this](uint8_t c) { return m_waiting->Front(c)->wireBytes; });
}

void
FrameTransmitter::CommitWaiting(uint8_t trafficClass)
{
    Frame* frame = m_waiting->Pop(trafficClass, m_waitingMask);
    if (m_scheduler && !(m_waitingMask >> trafficClass & 1))
    {
        m_scheduler->Emptied(trafficClass);
    }
    Commit(TransitFrame(frame), frame->ingress, m_clock->NowTicks());
}

void
FrameTransmitter::TakeBack()
{
    WaitingFrames& waiting = GetWaiting();
    while (!m_ring.IsSettled())
    {
        Frame* frame = m_ring.Back().Store();
        m_freeAt = GetStart(m_ring.Back());
        m_ring.PopBack();
        waiting.PushFront(frame, m_waitingMask);
    }
    m_lastStart = 0;
}

void
FrameTransmitter::Stamp(const TransitFrame& departure)
{
    FrameTelemetry& telemetry = FrameTelemetry::Of(departure.frame);
    if (departure.kind != FrameKind::DATA || !m_buffer ||
        telemetry.count == FrameTelemetry::MAX_HOPS)
    {
        return;
    }
    HopTelemetry& hop = telemetry.hops[telemetry.count++];
    hop.tick = GetStart(departure);
    hop.txBytes = m_sentBytes;
    hop.rateBps = static_cast<double>(m_rate.GetBitRate());
    hop.queueBytes = std::accumulate(m_queued.begin(), m_queued.end(), 0u);
    hop.port = static_cast<uint32_t>(m_place);
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
        const uint64_t start = GetStart(m_ring.FirstUnsettled());
        if (start > m_clock->NowTicks())
        {
            m_settlingAt = start;
            ScheduleDeparture(start);
        }
    }
}

void
FrameTransmitter::HandleArrival(void* object)
{
    auto self = static_cast<FrameTransmitter*>(object);
    // an event whose frame was taken back, or is handled in a batch, is void
    if (!self->m_farBatch && self->m_ring.GetSize() != 0 &&
        self->m_ring.Front().arrivalTick == self->m_clock->NowTicks())
    {
        self->Arrive();
    }
}

void
FrameTransmitter::Arrive()
{
    if (m_ring.GetSettledCount() == 0)
    {
        SettleOne(); // it has left; of what follows it, the owner may not have handled the cause yet
    }
    TransitFrame transit = m_ring.Front();
    m_ring.PopFront();
    if (m_ring.GetSize() != 0)
    {
        m_clock->ScheduleFrame(m_ring.Front().arrivalTick, FrameEventKind::ARRIVAL, m_object);
        __builtin_prefetch(m_ring.Front().frame);
    }
    if (m_isObserved && !Inspect(transit))
    {
        return;
    }
    if (transit.kind != FrameKind::PAUSE)
    {
        m_receiver->ReceiveFrame(m_receiverPort, transit);
        return;
    }
    m_peer->SetPaused(static_cast<uint8_t>(transit.frame->psn), transit.frame->payloadBytes != 0);
    m_pool->Give(transit.frame);
}

} // namespace ns3::llm
