// SPDX-License-Identifier: GPL-2.0-only

// What a NIC sends next, and when.

#include "rdma-nic.h"
#include "rdma-transport.h"

#include <algorithm>
#include <functional>

namespace ns3::llm
{

void
RdmaNic::HandleWake(void* object)
{
    auto self = static_cast<RdmaNic*>(object);
    if (self->m_wakeAt == self->m_clock->NowTicks())
    {
        self->m_wakeAt = FrameClock::NEVER;
        self->Wake();
    }
}

void
RdmaNic::Wake()
{
    PromotePaced();
    if (!m_scheduler.IsEmpty() && !IsFull() && m_port->IsIdle() &&
        !m_port->IsPaused(m_config.dataClass) && m_port->IsUp())
    {
        SendOne();
    }
    Kick();
}

void
RdmaNic::ServeDeadline(SendQueuePair& queuePair, uint64_t at)
{
    queuePair.CatchUp(at);
    if (m_tracer.IsOn())
    {
        m_tracer.Decision(m_terminal, queuePair);
    }
}

void
RdmaNic::PromotePaced()
{
    const uint64_t now = m_clock->NowTicks();
    while (!m_paced.empty() && m_paced.front().first <= now)
    {
        std::pop_heap(m_paced.begin(), m_paced.end(), std::greater<>());
        const auto [tick, index] = m_paced.back();
        m_paced.pop_back();
        SendQueuePair& queuePair = m_queuePairs[index];
        if (queuePair.standing == SendQueuePair::PACED && queuePair.pacedTick == tick)
        {
            // as of its tick, so that the order in the round does not depend on when this runs
            queuePair.standing = SendQueuePair::RESTING;
            CatchUp(queuePair, tick);
            Place(queuePair, tick);
        }
    }
}

void
RdmaNic::SendOne()
{
    const uint64_t now = m_clock->NowTicks();
    while (!m_scheduler.IsEmpty())
    {
        SendQueuePair* queuePair = &m_scheduler.Pop();
        queuePair->standing = SendQueuePair::RESTING;
        CatchUp(*queuePair, now);
        if (queuePair->hasFailed || !queuePair->MaySend() || queuePair->nextSendTick > now)
        {
            Place(*queuePair, now);
            continue;
        }
        if (queuePair->IsIdle())
        {
            queuePair->progressTick = now;
        }
        Frame* frame = m_pool->Take();
        const uint64_t highest = queuePair->GetHighestPsn();
        queuePair->FillNext(*frame, now);
        frame->source = m_terminal;
        frame->ingress = 0;
        ++m_counters.dataFrames;
        m_outstandingBytes += m_isLimited ? frame->payloadBytes : 0u;
        m_scheduler.Charge(frame->wireBytes);
        if (__builtin_expect(frame->psn < highest, 0))
        {
            ++m_counters.retransmissions;
            if (m_tracer.IsOn())
            {
                m_tracer.Retransmission(*frame);
            }
        }
        m_port->Enqueue(frame);
        if (!queuePair->isTimed)
        {
            Arm(*queuePair);
        }
        Place(*queuePair, now);
        return;
    }
}

void
RdmaNic::Place(SendQueuePair& queuePair, uint64_t at)
{
    if (queuePair.standing == SendQueuePair::READY || queuePair.hasFailed)
    {
        return;
    }
    if (!queuePair.MaySend())
    {
        queuePair.standing = SendQueuePair::RESTING;
        return;
    }
    if (queuePair.nextSendTick > at)
    {
        PushPaced(queuePair, at);
        return;
    }
    queuePair.standing = SendQueuePair::READY;
    m_scheduler.Push(queuePair);
    if (!m_port->IsUp())
    {
        ArmBlocked(queuePair);
    }
}

void
RdmaNic::PushPaced(SendQueuePair& queuePair, uint64_t at)
{
    // a deadline before its time may raise the rate
    const uint64_t tick =
        std::max(std::min(queuePair.nextSendTick, queuePair.decision.deadlineTicks), at);
    if (queuePair.standing == SendQueuePair::PACED && queuePair.pacedTick <= tick)
    {
        return;
    }
    queuePair.standing = SendQueuePair::PACED;
    queuePair.pacedTick = tick;
    m_paced.emplace_back(tick, queuePair.index);
    std::push_heap(m_paced.begin(), m_paced.end(), std::greater<>());
}

void
RdmaNic::Kick()
{
    uint64_t tick = FrameClock::NEVER;
    if (!m_scheduler.IsEmpty() && !IsFull() && !m_port->IsPaused(m_config.dataClass) &&
        m_port->IsUp())
    {
        tick = m_port->GetFreeTick();
    }
    else if (!m_paced.empty())
    {
        tick = m_paced.front().first;
    }
    if (tick == FrameClock::NEVER)
    {
        return;
    }
    tick = std::max(tick, m_clock->NowTicks());
    if (tick < m_wakeAt)
    {
        m_wakeAt = tick;
        m_clock->ScheduleFrame(tick, FrameEventKind::NIC_WAKE, m_object);
    }
}

} // namespace ns3::llm
