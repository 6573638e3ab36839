// SPDX-License-Identifier: GPL-2.0-only

#include "port-packet-queue.h"

#include "fabric-port.h"
#include "identity-hash.h"

#include "ns3/input-error.h"
#include "ns3/make-event.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"

#include <algorithm>

namespace ns3::llm
{

PortPacketQueue::PortPacketQueue(FabricPort* port,
                                 const PacketSetup& setup,
                                 uint8_t trafficClass,
                                 QueueSize limit)
    : m_port(port),
      m_transmitter(&port->GetTransmitter()),
      m_setup(setup),
      m_class(trafficClass),
      m_limit(limit),
      m_nodeId(port->GetNode()->GetId())
{
    if (limit.GetValue() == 0)
    {
        RefuseInput("ns3::llm::FabricPort::TcpIpQueueSize 0: at least one packet has to have room, "
                    "such as 1000p or 1MB");
    }
    m_object = m_setup.clock->AddObject(this);
    m_setup.clock->SetHandler(FrameEventKind::PACKET_REQUEST, &HandleRequest);
    m_setup.clock->SetHandler(FrameEventKind::PACKET_FIRST, &HandleWake);
    m_setup.clock->SetHandler(FrameEventKind::PACKET_LAST, &HandleWake);
}

bool
PortPacketQueue::HasRoom(const Amount& waits) const
{
    if (m_limit.GetUnit() == QueueSizeUnit::PACKETS)
    {
        return waits.packets < m_limit.GetValue();
    }
    return waits.packets == 0 || waits.bytes + m_port->GetMtu() <= m_limit.GetValue();
}

PortPacketQueue::Amount
PortPacketQueue::GetWaiting(uint64_t tick) const
{
    Amount waits;
    waits.packets = m_entered.packets - m_left.packets;
    waits.bytes = m_entered.bytes - m_left.bytes;
    if (m_lastTick == tick)
    {
        ++waits.packets;
        waits.bytes += m_lastBytes;
    }
    return waits;
}

bool
PortPacketQueue::Send(Ptr<const Packet> packet,
                      uint32_t destination,
                      uint16_t etherType,
                      const PacketDescription& description)
{
    const uint64_t tick = m_setup.clock->Request(FrameEventKind::PACKET_REQUEST, m_object);
    const uint64_t now = tick - 1;
    const bool isTaken = HasRoom(GetWaiting(now));
    if (isTaken)
    {
        ++m_entered.packets;
        m_entered.bytes += packet->GetSize();
        m_posted.push_back({tick,
                            packet,
                            destination,
                            etherType,
                            description.isEcnCapable,
                            description.flow,
                            m_numbers[description.flow]++});
    }
    if (m_stoppedAt == FrameClock::NEVER && !HasRoom(GetWaiting(now)))
    {
        m_stoppedAt = now;
        m_port->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0)->Stop();
    }
    return isTaken;
}

void
PortPacketQueue::HandleRequest(void* object)
{
    auto self = static_cast<PortPacketQueue*>(object);
    const uint64_t now = self->m_setup.clock->NowTicks();
    while (!self->m_posted.empty() && self->m_posted.front().tick <= now)
    {
        ++self->m_queued.packets;
        self->m_queued.bytes += self->m_posted.front().packet->GetSize();
        self->m_queue.push_back(std::move(self->m_posted.front()));
        self->m_posted.pop_front();
    }
    self->CheckStop();
    self->Kick();
}

void
PortPacketQueue::Kick()
{
    if (m_queue.empty() || !m_transmitter->IsUp() || m_transmitter->IsPaused(m_class))
    {
        return;
    }
    const uint64_t tick = std::max(m_transmitter->GetFreeTick(), m_setup.clock->NowTicks());
    if (tick < m_wakeAt)
    {
        m_wakeAt = tick;
        const bool isTurn = tick != m_lineUntil; // something else has had the line since
        const bool isFirst = m_class > m_setup.nicClass || (m_class == m_setup.nicClass && isTurn);
        m_setup.clock->ScheduleFrame(tick,
                                     isFirst ? FrameEventKind::PACKET_FIRST
                                             : FrameEventKind::PACKET_LAST,
                                     m_object);
    }
}

void
PortPacketQueue::HandleWake(void* object)
{
    auto self = static_cast<PortPacketQueue*>(object);
    if (self->m_wakeAt == self->m_setup.clock->NowTicks())
    {
        self->m_wakeAt = FrameClock::NEVER;
        self->Wake();
    }
}

void
PortPacketQueue::Wake()
{
    if (m_queue.empty() || !m_transmitter->IsUp() || m_transmitter->IsPaused(m_class))
    {
        return;
    }
    if (m_transmitter->IsIdle())
    {
        SendOne();
        m_lineUntil = m_transmitter->GetFreeTick();
        CheckStop();
    }
    Kick();
}

void
PortPacketQueue::SendOne()
{
    const Waiting& first = m_queue.front();
    const uint32_t bytes = first.packet->GetSize();
    Frame* frame = m_setup.pool->Take();
    *frame = Frame();
    frame->tag = first.flow;
    frame->psn = first.number;
    frame->destination = first.destination;
    frame->source = m_setup.terminal;
    frame->entropy = static_cast<uint32_t>(first.flow >> 32);
    frame->identity = static_cast<uint32_t>(MixHash(first.flow, first.number));
    frame->wireBytes = static_cast<uint16_t>(GetPacketWireBytes(bytes));
    frame->payloadBytes = static_cast<uint16_t>(bytes);
    frame->SetPair(first.etherType);
    frame->trafficClass = m_class;
    frame->flags = first.isEcnCapable ? Frame::ECN_CAPABLE : uint8_t{0};
    m_setup.pool->Load(frame, first.packet);
    m_queue.pop_front();
    --m_queued.packets;
    m_queued.bytes -= bytes;
    ++m_left.packets;
    m_left.bytes += bytes;
    m_lastTick = m_setup.clock->NowTicks();
    m_lastBytes = bytes;
    m_transmitter->Enqueue(frame);
}

void
PortPacketQueue::CheckStop()
{
    if (m_stoppedAt < m_setup.clock->NowTicks() && !m_isWaking && HasRoom(m_queued))
    {
        m_isWaking = true;
        m_setup.clock->CallOut(m_nodeId, MakeEvent(&PortPacketQueue::WakeStack, this));
    }
}

void
PortPacketQueue::WakeStack()
{
    m_isWaking = false;
    m_stoppedAt = FrameClock::NEVER;
    m_port->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0)->Wake();
}

} // namespace ns3::llm
