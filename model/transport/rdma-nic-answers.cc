// SPDX-License-Identifier: GPL-2.0-only

// What answers to data do to a NIC: ACKs, NACKs and CNPs.

#include "rdma-nic.h"
#include "rdma-transport.h"

namespace ns3::llm
{

void
RdmaNic::OnAcknowledgment(const Frame& frame)
{
    const uint64_t now = m_clock->NowTicks();
    PromotePaced();
    SendQueuePair& queuePair = m_queuePairs[frame.queuePair];
    CatchUp(queuePair, now);
    const uint64_t before = GetOutstanding(queuePair);
    AckSignal ack;
    if (frame.psn > queuePair.GetUnackedPsn())
    {
        ack.ackedBytes = queuePair.Acknowledge(frame.psn, m_completed);
        queuePair.progressTick = now;
        queuePair.timeouts = 0;
        m_counters.payloadBytes += ack.ackedBytes;
        m_counters.messagesSent += m_completed.size();
        for (const Message& message : m_completed)
        {
            m_transport->CallOutAcknowledged(m_nodeId, message);
        }
        m_completed.clear();
    }
    const bool isSelective = m_config.reorderFrames != 0;
    if (isSelective)
    {
        const uint64_t arrived = queuePair.MarkReceived(frame.tag);
        ack.ackedBytes += arrived;
        m_counters.payloadBytes += arrived;
    }
    if (frame.kind == FrameKind::ACK || isSelective)
    {
        ack.inFlightBytes = queuePair.GetInFlightBytes();
        ack.rttTicks = now - frame.sentTick;
        ack.ackedPsn = frame.psn;
        ack.nextPsn = queuePair.GetHighestPsn();
        ack.ecnEcho = frame.flags & Frame::MARKED;
        ack.markedBytes = queuePair.TakeMarkedBytes(frame.GetPair(), ack.ackedBytes);
        ack.forwardHops = queuePair.info.forwardHops;
        if (frame.flags & Frame::TELEMETRY)
        {
            const FrameTelemetry& telemetry = FrameTelemetry::Of(&frame);
            ack.hopCount = static_cast<uint32_t>(telemetry.count);
            ack.hops = telemetry.hops.data();
        }
        m_config.control->OnAck(queuePair.state, queuePair.info, now, ack, queuePair.decision);
    }
    if (frame.kind == FrameKind::NACK)
    {
        ++m_counters.nacksReceived;
        if (m_tracer.IsOn())
        {
            m_tracer.Nack(frame);
        }
        if (m_config.recovery->OnNack(queuePair, frame.psn, frame.tag))
        {
            m_config.control->OnLoss(queuePair.state, queuePair.info, now, queuePair.decision);
        }
    }
    m_outstandingBytes += GetOutstanding(queuePair) - before;
    queuePair.UpdatePace();
    if (__builtin_expect(m_tracer.IsOn(), 0))
    {
        if (frame.kind == FrameKind::ACK || isSelective)
        {
            m_tracer.Ack(frame, queuePair, ack);
        }
        m_tracer.Decision(m_terminal, queuePair);
    }
    Place(queuePair, now);
    Kick();
}

void
RdmaNic::OnCnp(const Frame& frame)
{
    const uint64_t now = m_clock->NowTicks();
    SendQueuePair& queuePair = m_queuePairs[frame.queuePair];
    ++m_counters.cnpsReceived;
    PromotePaced();
    CatchUp(queuePair, now);
    m_config.control->OnCnp(queuePair.state, queuePair.info, now, queuePair.decision);
    queuePair.UpdatePace();
    if (m_tracer.IsOn())
    {
        m_tracer.CnpReceived(frame);
        m_tracer.Decision(m_terminal, queuePair);
    }
    Place(queuePair, now);
    Kick();
}

} // namespace ns3::llm
