// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-nic.h"

#include "nic-reductions.h"
#include "rdma-transport.h"

#include <algorithm>
#include <tuple>

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
      m_scheduler(config),
      m_queuePairs(transport, terminal, config),
      m_receiver(m_clock, m_pool, terminal, config),
      m_tracer(transport, m_clock, nodeId),
      m_isLimited(config.nicOutstandingBytes != UINT64_MAX)
{
    m_receiver.SetTracer(&m_tracer);
    m_object = m_clock->AddObject(this);
    m_clock->NoteState(sizeof(RdmaNic));
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
RdmaNic::SetSelector(std::unique_ptr<NicSelector> selector)
{
    m_selector = std::move(selector);
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
    // the nearest higher destination first, around: when all send to all, not all to the same one first
    const uint32_t count = m_network->GetTerminalCount();
    auto key = [this, count](const Posted& p)
    {
        const Message& m = p.message;
        const uint32_t distance = (p.destination + count - m_terminal) % count;
        return std::make_tuple(distance, m.owner, m.flow, m.instance, m.place, m.priority);
    };
    std::stable_sort(m_posted.begin(),
                     later,
                     [&key](const Posted& a, const Posted& b) { return key(a) < key(b); });
    for (auto it = m_posted.begin(); it != later; ++it)
    {
        if (m_selector)
        {
            const std::size_t number = m_selector->Choose(it->message);
            m_selector->GetNics()[number]->Take(
                it->message,
                m_transport->GetTerminal(it->message.destination, number));
        }
        else
        {
            Take(it->message, it->destination);
        }
    }
    m_posted.erase(m_posted.begin(), later);
    if (!m_givenShares.empty())
    {
        TakeShares();
    }
    Kick();
}

void
RdmaNic::Take(const Message& message, uint32_t destination)
{
    const uint64_t now = m_clock->NowTicks();
    PromotePaced();
    bool isNew = false;
    SendQueuePair& queuePair = m_queuePairs.Find(message, destination, isNew);
    if (isNew)
    {
        m_clock->NoteState(sizeof(SendQueuePair));
        queuePair.round = m_scheduler.GetRound(message.priority);
        if (m_config.setupTicks != 0)
        {
            queuePair.HoldUntil(now + m_config.setupTicks);
        }
    }
    queuePair.Post(message);
    m_takenBytes += message.bytes;
    NoteSharing(queuePair);
    Place(queuePair, now);
    if (m_tracer.IsOn())
    {
        m_tracer.Decision(m_terminal, queuePair);
    }
    Kick();
}

void
RdmaNic::PortReady(uint16_t)
{
    if (!m_port->IsUp())
    {
        m_scheduler.ForEach([this](SendQueuePair& one) { ArmBlocked(one); });
    }
    Kick();
    if (m_reductions)
    {
        m_reductions->Kick();
    }
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
        const uint32_t source = frame->source; // the frame may be the answer afterwards
        Message message;
        if (m_receiver.Receive(frame, message))
        {
            message.source = m_transport->GetAccelerator(source);
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
    case FrameKind::REDUCE:
    case FrameKind::RESULT:
        m_reductions->Receive(*frame);
        m_pool->Give(frame);
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
        m_queuePairs[transit.frame->queuePair].Prefetch();
    }
}

} // namespace ns3::llm
