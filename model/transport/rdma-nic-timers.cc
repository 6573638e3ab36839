// SPDX-License-Identifier: GPL-2.0-only

// Retransmission timers.

#include "rdma-nic.h"
#include "rdma-transport.h"

#include <algorithm>
#include <functional>

namespace ns3::llm
{

void
RdmaNic::Arm(SendQueuePair& queuePair)
{
    queuePair.isTimed = true;
    uint64_t tick = TimeoutTick(queuePair);
    if (m_config.fewFrames != 0)
    {
        // with progress there may soon be few frames left, so look no later than they could be due
        tick = std::min(tick,
                        m_clock->NowTicks() + (m_config.shortTimeoutTicks << queuePair.timeouts));
    }
    m_timers.emplace_back(tick, queuePair.index);
    std::push_heap(m_timers.begin(), m_timers.end(), std::greater<>());
    ScheduleTimer();
}

void
RdmaNic::ArmBlocked(SendQueuePair& queuePair)
{
    if (!queuePair.isTimed && !queuePair.hasFailed)
    {
        queuePair.progressTick = m_clock->NowTicks();
        Arm(queuePair);
    }
}

uint64_t
RdmaNic::TimeoutTick(const SendQueuePair& queuePair) const
{
    const bool areFew = queuePair.GetHighestPsn() - queuePair.GetUnackedPsn() < m_config.fewFrames;
    const uint64_t ticks = areFew ? m_config.shortTimeoutTicks : m_config.timeoutTicks;
    return queuePair.progressTick + (ticks << queuePair.timeouts);
}

void
RdmaNic::ScheduleTimer()
{
    if (!m_timers.empty() && m_timers.front().first < m_timerAt)
    {
        m_timerAt = m_timers.front().first;
        m_clock->ScheduleFrame(m_timerAt, FrameEventKind::NIC_TIMER, m_object);
    }
}

void
RdmaNic::HandleTimer(void* object)
{
    auto self = static_cast<RdmaNic*>(object);
    if (self->m_timerAt == self->m_clock->NowTicks())
    {
        self->m_timerAt = FrameClock::NEVER;
        self->ServeTimers();
    }
}

void
RdmaNic::ServeTimers()
{
    const uint64_t now = m_clock->NowTicks();
    PromotePaced();
    while (!m_timers.empty() && m_timers.front().first <= now)
    {
        std::pop_heap(m_timers.begin(), m_timers.end(), std::greater<>());
        SendQueuePair& queuePair = m_queuePairs[m_timers.back().second];
        m_timers.pop_back();
        queuePair.isTimed = false;
        const bool isBlocked = queuePair.standing == SendQueuePair::READY && !m_port->IsUp();
        if (queuePair.GetUnackedPsn() == queuePair.GetHighestPsn() && !isBlocked)
        {
            continue; // nothing is on its way: the next frame arms it again
        }
        if (TimeoutTick(queuePair) <= now)
        {
            ++m_counters.timeouts;
            if (!TakeTimeout(queuePair, now))
            {
                continue;
            }
        }
        Arm(queuePair);
    }
    ScheduleTimer();
    Kick();
}

bool
RdmaNic::TakeTimeout(SendQueuePair& queuePair, uint64_t now)
{
    const uint64_t before = GetOutstanding(queuePair);
    queuePair.progressTick = now;
    ++queuePair.timeouts;
    if (m_tracer.IsOn())
    {
        m_tracer.Timeout(m_terminal, queuePair);
    }
    if (queuePair.timeouts > m_config.maxTimeouts)
    {
        Fail(queuePair);
        m_outstandingBytes -= before;
        return false;
    }
    CatchUp(queuePair, now);
    m_config.recovery->OnTimeout(queuePair);
    m_outstandingBytes += GetOutstanding(queuePair) - before;
    m_config.control->OnTimeout(queuePair.state, queuePair.info, now, queuePair.decision);
    queuePair.UpdatePace();
    if (m_tracer.IsOn())
    {
        m_tracer.Decision(m_terminal, queuePair);
    }
    Place(queuePair, now);
    return true;
}

void
RdmaNic::Fail(SendQueuePair& queuePair)
{
    queuePair.hasFailed = true;
    m_transport->ReportFailure(m_accelerator,
                               m_transport->GetAccelerator(queuePair.destination),
                               queuePair.timeouts - 1u);
}

} // namespace ns3::llm
