// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-nic.h"

#include "hop-samples.h"
#include "rdma-transport.h"

#include "ns3/identity-hash.h"

#include <algorithm>
#include <functional>

namespace ns3::llm
{

RdmaNic::RdmaNic(RdmaTransport* transport,
                 FabricNetwork* network,
                 uint32_t terminal,
                 uint32_t accelerator,
                 uint32_t nodeId,
                 const RdmaConfig& config)
    : m_transport(transport),
      m_network(network),
      m_clock(PeekPointer(network->GetClock())),
      m_pool(&network->GetPool()),
      m_config(config),
      m_terminal(terminal),
      m_accelerator(accelerator),
      m_nodeId(nodeId),
      m_receiver(m_clock, m_pool, terminal, config)
{
    m_object = m_clock->AddObject(this);
    m_clock->SetHandler(FrameEventKind::NIC_REQUEST, &HandleRequest);
    m_clock->SetHandler(FrameEventKind::NIC_WAKE, &HandleWake);
    m_clock->SetHandler(FrameEventKind::NIC_TIMER, &HandleTimer);
}

void
RdmaNic::Start()
{
    m_port = &m_network->GetTerminalPort(m_terminal)->GetTransmitter();
    m_receiver.SetPort(m_port);
}

void
RdmaNic::Post(const Message& message, uint32_t destination)
{
    const uint64_t tick = m_clock->Request(FrameEventKind::NIC_REQUEST, m_object);
    m_posted.push_back({tick, destination, message});
}

void
RdmaNic::HandleRequest(void* object)
{
    static_cast<RdmaNic*>(object)->TakePosted();
}

void
RdmaNic::TakePosted()
{
    const uint64_t now = m_clock->NowTicks();
    // what was posted in this very tick waits for the next: whether it is here yet is chance
    auto later = std::stable_partition(m_posted.begin(),
                                       m_posted.end(),
                                       [now](const Posted& p) { return p.tick <= now; });
    PromotePaced();
    // the nearest higher destination first, around: when all send to all, not all to the same one first
    const uint32_t count = m_network->GetTerminalCount();
    auto key = [this, count](const Posted& p)
    {
        const Message& m = p.message;
        const uint32_t distance = (p.destination + count - m_terminal) % count;
        return std::make_tuple(distance, m.owner, m.flow, m.instance, m.place);
    };
    std::stable_sort(m_posted.begin(),
                     later,
                     [&key](const Posted& a, const Posted& b) { return key(a) < key(b); });
    for (auto it = m_posted.begin(); it != later; ++it)
    {
        SendQueuePair& queuePair = GetQueuePairFor(*it);
        queuePair.Post(it->message);
        NoteSharing(queuePair);
        Place(queuePair, now);
    }
    m_posted.erase(m_posted.begin(), later);
    if (!m_givenShares.empty())
    {
        TakeShares();
    }
    Kick();
}

SendQueuePair&
RdmaNic::GetQueuePairFor(const Posted& posted)
{
    const auto [it, isNew] = m_byFlow.emplace(
        std::make_tuple(posted.destination, posted.message.owner, posted.message.flow),
        static_cast<uint32_t>(m_queuePairs.size()));
    if (isNew)
    {
        const uint64_t identity =
            m_transport->GetIdentity(m_terminal, posted.destination, posted.message.flow);
        const QueuePairInfo info =
            m_transport->MakeInfo(m_terminal, posted.destination, posted.message.flow);
        m_queuePairs.push_back(std::make_unique<SendQueuePair>(m_config,
                                                               it->second,
                                                               posted.destination,
                                                               m_pairs[posted.destination]++,
                                                               RdmaTransport::GetEntropy(identity),
                                                               identity,
                                                               info));
    }
    return *m_queuePairs[it->second];
}

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
    if (m_readyHead && m_port->IsIdle() && !m_port->IsPaused(m_config.dataClass) && m_port->IsUp())
    {
        SendOne();
    }
    Kick();
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
        SendQueuePair& queuePair = *m_queuePairs[index];
        if (queuePair.standing == SendQueuePair::PACED && queuePair.pacedTick == tick)
        {
            // as of its tick, so that the order in the round does not depend on when this runs
            queuePair.standing = SendQueuePair::RESTING;
            queuePair.CatchUp(tick);
            Place(queuePair, tick);
        }
    }
}

void
RdmaNic::SendOne()
{
    const uint64_t now = m_clock->NowTicks();
    while (SendQueuePair* queuePair = m_readyHead)
    {
        m_readyHead = queuePair->nextReady;
        if (m_readyHead)
        {
            m_readyHead->Prefetch(); // its turn comes after one frame
        }
        queuePair->standing = SendQueuePair::RESTING;
        queuePair->CatchUp(now);
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
        m_counters.retransmissions += frame->psn < highest;
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
        if (__builtin_expect(queuePair.isSharing, 0))
        {
            NoteSharing(queuePair);
        }
        return;
    }
    if (queuePair.nextSendTick > at)
    {
        PushPaced(queuePair, at);
        return;
    }
    queuePair.standing = SendQueuePair::READY;
    queuePair.nextReady = nullptr;
    if (m_readyHead)
    {
        m_readyTail->nextReady = &queuePair;
    }
    else
    {
        m_readyHead = &queuePair;
    }
    m_readyTail = &queuePair;
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
    if (m_readyHead && !m_port->IsPaused(m_config.dataClass) && m_port->IsUp())
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

void
RdmaNic::PortReady(uint16_t)
{
    if (!m_port->IsUp())
    {
        for (SendQueuePair* one = m_readyHead; one; one = one->nextReady)
        {
            ArmBlocked(*one);
        }
    }
    Kick();
    m_network->GetTerminalPort(m_terminal)->PortReady();
}

void
RdmaNic::BufferReleased()
{
}

void
RdmaNic::ReceiveFrame(uint16_t, const TransitFrame& transit)
{
    Frame* frame = transit.Store();
    switch (frame->kind)
    {
    case FrameKind::DATA:
    {
        Message message;
        message.source = m_transport->GetAccelerator(frame->source);
        if (m_receiver.Receive(frame, message))
        {
            message.destination = m_accelerator;
            do
            {
                m_transport->CallOutDelivered(m_nodeId, message);
            } while (m_receiver.TakeFurther(message));
        }
        break;
    }
    case FrameKind::ACK:
    case FrameKind::NACK:
        OnAcknowledgment(*frame);
        m_pool->Give(frame);
        break;
    case FrameKind::CNP:
        OnCnp(*frame);
        m_pool->Give(frame);
        break;
    case FrameKind::PACKET:
        m_network->GetTerminalPort(m_terminal)->ReceivePacket(frame);
        break;
    case FrameKind::PAUSE:
        break; // taken by the port
    }
}

void
RdmaNic::Prepare(uint16_t, const TransitFrame& transit, bool isNext) const
{
    if (!isNext)
    {
        __builtin_prefetch(transit.frame);
    }
    else if (transit.kind == FrameKind::DATA)
    {
        m_receiver.Prepare(*transit.frame);
    }
    else if (transit.kind < FrameKind::PAUSE)
    {
        m_queuePairs[transit.frame->queuePair]->Prefetch();
    }
}

void
RdmaNic::OnAcknowledgment(const Frame& frame)
{
    const uint64_t now = m_clock->NowTicks();
    PromotePaced();
    SendQueuePair& queuePair = *m_queuePairs[frame.queuePair];
    queuePair.CatchUp(now);
    queuePair.TakeEcho(frame, now);
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
        ack.forwardHops = queuePair.info.forwardHops;
        if (frame.flags & Frame::TELEMETRY)
        {
            const FrameTelemetry& telemetry = FrameTelemetry::Of(&frame);
            // of a longer way, such as one around a link that is down, the last switches
            const auto count = static_cast<uint32_t>(telemetry.count);
            ack.hopCount = std::min(count, HopSamples::MAX_HOPS);
            ack.hops = telemetry.hops.data() + (count - ack.hopCount);
        }
        m_config.control->OnAck(queuePair.state, queuePair.info, now, ack, queuePair.decision);
    }
    if (frame.kind == FrameKind::NACK)
    {
        ++m_counters.nacksReceived;
        if (m_config.recovery->OnNack(queuePair, frame.psn, frame.tag))
        {
            m_config.control->OnLoss(queuePair.state, queuePair.info, now, queuePair.decision);
        }
        NoteSharing(queuePair);
    }
    queuePair.UpdatePace();
    Place(queuePair, now);
    Kick();
}

void
RdmaNic::OnCnp(const Frame& frame)
{
    const uint64_t now = m_clock->NowTicks();
    SendQueuePair& queuePair = *m_queuePairs[frame.queuePair];
    ++m_counters.cnpsReceived;
    PromotePaced();
    queuePair.CatchUp(now);
    m_config.control->OnCnp(queuePair.state, queuePair.info, now, queuePair.decision);
    queuePair.UpdatePace();
    Place(queuePair, now);
    Kick();
}

} // namespace ns3::llm
