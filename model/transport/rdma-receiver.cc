// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-receiver.h"

#include "rdma-tracer.h"

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
    const uint32_t pair = frame.GetPair();
    if (pair >= pairs.size())
    {
        pairs.resize(pair + 1u);
    }
    return pairs[pair];
}

bool
RdmaReceiver::Receive(Frame* frame, Message& message)
{
    QueuePair& queuePair = Find(*frame);
    bool isDue = false;
    if (frame->flags & Frame::MARKED)
    {
        isDue = TakeMark(*frame, queuePair);
    }
    else if (__builtin_expect(queuePair.wasMarked, 0))
    {
        queuePair.wasMarked = 0;
        isDue = true;
    }
    if (frame->psn != queuePair.expectedPsn)
    {
        TakeOutOfOrder(frame, queuePair);
        return false;
    }
    ++queuePair.expectedPsn;
    queuePair.hasNacked = 0;
    queuePair.messageBytes += frame->payloadBytes;
    const bool endsWrite = frame->flags & Frame::LAST;
    const bool isLast = endsWrite && !(frame->flags & Frame::MORE);
    if (isLast)
    {
        message.bytes = queuePair.messageBytes;
        ReadMessageTag(frame->tag, message);
        queuePair.messageBytes = 0;
    }
    const bool isGapFilled = queuePair.gap != 0 && TakeKept(queuePair);
    if (++queuePair.framesSinceAck >= m_config.framesPerAck || endsWrite || isGapFilled || isDue)
    {
        Answer(frame, FrameKind::ACK, queuePair);
    }
    else
    {
        m_pool->Give(frame);
    }
    return isLast || (isGapFilled && TakeFurther(message));
}

bool
RdmaReceiver::TakeMark(const Frame& frame, QueuePair& queuePair)
{
    queuePair.markedBytes += frame.payloadBytes;
    const uint64_t now = m_clock->NowTicks();
    if (now >= queuePair.nextCnpTick)
    {
        queuePair.nextCnpTick = now + m_config.cnpIntervalTicks;
        SendCnp(frame);
    }
    const bool isChange = m_config.acksMarkChange && !queuePair.wasMarked;
    queuePair.wasMarked = m_config.acksMarkChange;
    return isChange;
}

RdmaReceiver::Gap&
RdmaReceiver::GetGap(QueuePair& queuePair)
{
    if (queuePair.gap == 0)
    {
        m_gaps.push_back(std::make_unique<Gap>(m_config.reorderFrames));
        queuePair.gap = m_gaps.size() & 0xffffffu;
    }
    return *m_gaps[queuePair.gap - 1];
}

void
RdmaReceiver::TakeOutOfOrder(Frame* frame, QueuePair& queuePair)
{
    if (frame->flags & Frame::MARKED)
    {
        queuePair.markedBytes -= frame->payloadBytes; // it may be dropped
    }
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
    Answer(frame, isAhead ? FrameKind::NACK : FrameKind::ACK, queuePair);
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
        queuePair.markedBytes += frame->flags & Frame::MARKED ? frame->payloadBytes : 0u;
        if ((frame->flags & (Frame::LAST | Frame::MORE)) == Frame::LAST)
        {
            gap.ends[frame->psn] = {frame->tag, frame->payloadBytes};
        }
    }
    if (ahead > m_config.reorderDepth)
    {
        Answer(frame, FrameKind::NACK, queuePair);
    }
    else if (++queuePair.framesSinceAck >= m_config.framesPerAck)
    {
        Answer(frame, FrameKind::ACK, queuePair);
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
RdmaReceiver::Answer(Frame* frame, FrameKind kind, QueuePair& queuePair)
{
    queuePair.framesSinceAck = 0;
    if (m_config.reorderFrames != 0)
    {
        frame->tag = frame->psn; // the sender is to know which frame this answers
    }
    frame->kind = kind;
    frame->psn = queuePair.expectedPsn;
    frame->SetPair(queuePair.markedBytes & 0xffffffu);
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
    if (m_tracer && m_tracer->IsOn())
    {
        m_tracer->CnpSent(*cnp);
    }
    m_port->Enqueue(cnp);
}

} // namespace ns3::llm
