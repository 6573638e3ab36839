// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-receiver.h"

namespace ns3::llm
{

RdmaReceiver::RdmaReceiver(FrameClock* clock,
                           FramePool* pool,
                           uint32_t terminal,
                           const RdmaConfig& config)
    : m_clock(clock),
      m_pool(pool),
      m_terminal(terminal),
      m_config(config)
{
}

RdmaReceiver::QueuePair&
RdmaReceiver::Look(const Frame& frame)
{
    const uint32_t page = frame.source / PAGE;
    if (page >= m_pages.size())
    {
        m_pages.resize(page + 1);
    }
    if (!m_pages[page])
    {
        m_pages[page] = std::make_unique<Page>();
    }
    std::vector<QueuePair>& pairs = (*m_pages[page])[frame.source % PAGE];
    if (frame.pair >= pairs.size())
    {
        pairs.resize(frame.pair + 1u);
    }
    return pairs[frame.pair];
}

bool
RdmaReceiver::Receive(Frame* frame, Message& message)
{
    QueuePair& queuePair = Find(*frame);
    if (frame->flags & Frame::MARKED)
    {
        const uint64_t now = m_clock->NowTicks();
        if (now >= queuePair.nextCnpTick)
        {
            queuePair.nextCnpTick = now + m_config.cnpIntervalTicks;
            SendCnp(*frame);
        }
    }
    if (frame->psn != queuePair.expectedPsn)
    {
        const bool isAhead = frame->psn > queuePair.expectedPsn;
        if (isAhead && queuePair.hasNacked)
        {
            m_pool->Give(frame);
            return false;
        }
        queuePair.hasNacked = isAhead;
        queuePair.framesSinceAck = 0;
        Answer(frame, isAhead ? FrameKind::NACK : FrameKind::ACK, queuePair.expectedPsn);
        return false;
    }
    ++queuePair.expectedPsn;
    queuePair.hasNacked = false;
    queuePair.messageBytes += frame->payloadBytes;
    const bool isLast = frame->flags & Frame::LAST;
    if (isLast)
    {
        message.bytes = queuePair.messageBytes;
        ReadMessageTag(frame->tag, message);
        queuePair.messageBytes = 0;
    }
    if (++queuePair.framesSinceAck >= m_config.framesPerAck || isLast)
    {
        queuePair.framesSinceAck = 0;
        Answer(frame, FrameKind::ACK, queuePair.expectedPsn);
    }
    else
    {
        m_pool->Give(frame);
    }
    return isLast;
}

void
RdmaReceiver::Answer(Frame* frame, FrameKind kind, uint64_t psn)
{
    frame->kind = kind;
    frame->psn = psn;
    frame->wireBytes = static_cast<uint16_t>(m_config.ackBytes);
    frame->payloadBytes = 0;
    frame->destination = frame->source;
    frame->source = m_terminal;
    frame->entropy = AnswerEntropy(frame->entropy);
    frame->flags &= Frame::MARKED | Frame::TELEMETRY;
    frame->trafficClass = m_config.dataClass;
    m_port->Enqueue(frame);
}

void
RdmaReceiver::SendCnp(const Frame& frame)
{
    Frame* cnp = m_pool->Take();
    *cnp = frame;
    cnp->kind = FrameKind::CNP;
    cnp->psn = 0;
    cnp->wireBytes = static_cast<uint16_t>(m_config.cnpBytes);
    cnp->payloadBytes = 0;
    cnp->destination = frame.source;
    cnp->source = m_terminal;
    cnp->entropy = AnswerEntropy(frame.entropy);
    cnp->flags = 0;
    cnp->trafficClass = m_config.controlClass;
    m_port->Enqueue(cnp);
}

} // namespace ns3::llm
