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
        TakeOutOfOrder(frame, queuePair);
        return false;
    }
    ++queuePair.expectedPsn;
    queuePair.hasNacked = 0;
    queuePair.messageBytes += frame->payloadBytes;
    const bool isLast = frame->flags & Frame::LAST;
    if (isLast)
    {
        message.bytes = queuePair.messageBytes;
        ReadMessageTag(frame->tag, message);
        queuePair.messageBytes = 0;
    }
    const bool isGapFilled = queuePair.gap != 0 && TakeKept(queuePair);
    if (++queuePair.framesSinceAck >= m_config.framesPerAck || isLast || isGapFilled)
    {
        queuePair.framesSinceAck = 0;
        Answer(frame, FrameKind::ACK, queuePair.expectedPsn);
    }
    else
    {
        m_pool->Give(frame);
    }
    return isLast || (isGapFilled && TakeFurther(message));
}

RdmaReceiver::Gap&
RdmaReceiver::GetGap(QueuePair& queuePair)
{
    if (queuePair.gap == 0)
    {
        m_gaps.push_back(std::make_unique<Gap>(m_config.reorderFrames));
        queuePair.gap = static_cast<uint32_t>(m_gaps.size()) & 0x7fffffffu;
    }
    return *m_gaps[queuePair.gap - 1];
}

void
RdmaReceiver::TakeOutOfOrder(Frame* frame, QueuePair& queuePair)
{
    const bool isAhead = frame->psn > queuePair.expectedPsn;
    if (isAhead && m_config.reorderFrames != 0)
    {
        Keep(frame, queuePair);
        return;
    }
    if (isAhead && m_config.nackIntervalTicks != 0)
    {
        Gap& gap = GetGap(queuePair);
        const uint64_t now = m_clock->NowTicks();
        if (!queuePair.hasNacked || now - gap.nackTick >= m_config.nackIntervalTicks)
        {
            queuePair.hasNacked = 0;
            gap.nackTick = now;
        }
    }
    if (isAhead && queuePair.hasNacked)
    {
        m_pool->Give(frame);
        return;
    }
    queuePair.hasNacked = isAhead;
    queuePair.framesSinceAck = 0;
    Answer(frame, isAhead ? FrameKind::NACK : FrameKind::ACK, queuePair.expectedPsn);
}

void
RdmaReceiver::Keep(Frame* frame, QueuePair& queuePair)
{
    Gap& gap = GetGap(queuePair);
    const uint64_t ahead = frame->psn - queuePair.expectedPsn;
    if (ahead >= m_config.reorderFrames)
    {
        m_pool->Give(frame); // no sender goes so far
        return;
    }
    if (gap.there.Set(frame->psn))
    {
        ++gap.frames;
        if (frame->flags & Frame::LAST)
        {
            gap.ends[frame->psn] = {frame->tag, frame->payloadBytes};
        }
    }
    if (ahead > m_config.reorderDepth)
    {
        queuePair.framesSinceAck = 0;
        Answer(frame, FrameKind::NACK, queuePair.expectedPsn);
    }
    else if (++queuePair.framesSinceAck >= m_config.framesPerAck)
    {
        queuePair.framesSinceAck = 0;
        Answer(frame, FrameKind::ACK, queuePair.expectedPsn);
    }
    else
    {
        m_pool->Give(frame);
    }
}

bool
RdmaReceiver::TakeKept(QueuePair& queuePair)
{
    Gap& gap = *m_gaps[queuePair.gap - 1];
    if (gap.frames == 0 || !gap.there.Test(queuePair.expectedPsn))
    {
        return false;
    }
    while (gap.there.Clear(queuePair.expectedPsn))
    {
        --gap.frames;
        const auto end = gap.ends.begin();
        if (end == gap.ends.end() || end->first != queuePair.expectedPsn)
        {
            queuePair.messageBytes += m_config.mtuBytes; // all but the last of a message are full
        }
        else
        {
            m_further.push_back({end->second.tag, queuePair.messageBytes + end->second.bytes});
            queuePair.messageBytes = 0;
            gap.ends.erase(end);
        }
        ++queuePair.expectedPsn;
    }
    return true;
}

bool
RdmaReceiver::PopFurther(Message& message)
{
    message.bytes = m_further.front().bytes;
    ReadMessageTag(m_further.front().tag, message);
    m_further.erase(m_further.begin());
    return true;
}

void
RdmaReceiver::Answer(Frame* frame, FrameKind kind, uint64_t psn)
{
    if (m_config.reorderFrames != 0)
    {
        frame->tag = frame->psn; // the sender is to know which frame this answers
    }
    frame->kind = kind;
    frame->psn = psn;
    frame->wireBytes = static_cast<uint16_t>(m_config.ackBytes);
    frame->payloadBytes = 0;
    frame->destination = frame->source;
    frame->source = m_terminal;
    if (!m_config.entropy)
    {
        frame->entropy = AnswerEntropy(frame->entropy);
    } // else the sender is to know whose entropy was good
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
