// SPDX-License-Identifier: GPL-2.0-only

// Pauses, a link that goes down or comes up, who looks on, and frames that are lost on it.

#include "frame-transmitter.h"

#include <algorithm>

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
    Enqueue(frame);
}

void
FrameTransmitter::SetPaused(uint8_t trafficClass, bool stop)
{
    Settle();
    const auto bit = static_cast<uint16_t>(1u << trafficClass);
    if (stop && !IsPaused(trafficClass))
    {
        ++m_counters.pausesReceived;
        GetWaiting().pausedSince[trafficClass] = m_clock->NowTicks();
        m_pausedMask |= bit;
        if (!m_ring.IsSettled() && trafficClass >= m_fixedClass)
        {
            TakeBack();
            if (m_waitingMask & ~m_pausedMask)
            {
                ScheduleDecision();
            }
        }
    }
    else if (!stop && IsPaused(trafficClass))
    {
        m_counters.pausedTicks += m_clock->NowTicks() - m_waiting->pausedSince[trafficClass];
        m_pausedMask &= ~bit;
        if (m_waitingMask & bit)
        {
            if (!m_ring.IsSettled())
            {
                TakeBack();
            }
            ScheduleDecision();
        }
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
    while (m_ring.GetSize() != 0)
    {
        Lose(m_ring.Front().frame);
        m_ring.PopFront();
    }
    for (uint8_t c = 0; c <= PAUSE_CLASS; ++c)
    {
        while (m_waitingMask >> c & 1)
        {
            LoseQueued(PopWaiting(c));
        }
    }
    m_decisionAt = FrameClock::NEVER;
    m_settlingAt = FrameClock::NEVER;
    m_freeAt = m_clock->NowTicks();
    for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (IsPaused(c))
        {
            m_counters.pausedTicks += m_clock->NowTicks() - m_waiting->pausedSince[c];
        }
    }
    m_pausedMask = 0;
    if (m_buffer && m_buffer->IsWatched())
    {
        m_owner->BufferReleased();
    }
    m_owner->PortReady(m_index);
}

bool
FrameTransmitter::Inspect(const TransitFrame& transit)
{
    const Frame& frame = *transit.Store();
    const uint64_t now = m_clock->NowTicks();
    if (m_loss && m_loss->IsLost(frame, now))
    {
        ++m_counters.corrupted;
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
    m_pool->Give(frame);
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
    return (m_loss && m_loss->NeedsOrder()) ||
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
    return counters;
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
