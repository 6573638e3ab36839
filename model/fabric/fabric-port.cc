// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-port.h"

#include "fabric-link.h"
#include "frame-to-roce.h"
#include "identity-hash.h"
#include "port-packet-queue.h"

#include "ns3/input-error.h"
#include "ns3/make-event.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3::llm
{

namespace
{

/** Largest MTU: a frame's wire bytes have 16 bits. */
constexpr uint16_t MAX_MTU = UINT16_MAX - PACKET_OVERHEAD_BYTES;
/** Smallest MTU of IPv4. */
constexpr uint16_t MIN_MTU = 68;

/** @param mac an Ethernet address @return the IP address in it, as GetRoceMac() puts it there */
Ipv4Address
GetAddressIn(Mac48Address mac)
{
    uint8_t six[6];
    mac.CopyTo(six);
    const auto address = Ipv4Address::Deserialize(six + 2);
    return GetRoceMac(address) == mac ? address : Ipv4Address::GetAny();
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(FabricPort);

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FabricPort")
                            .SetParent<NetDevice>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FabricPort>()
                            .AddAttribute("Mtu",
                                          "Largest packet of ns-3's stack, bytes.",
                                          UintegerValue(9000),
                                          MakeUintegerAccessor(&FabricPort::m_mtu),
                                          MakeUintegerChecker<uint16_t>(MIN_MTU, MAX_MTU))
                            .AddAttribute("TcpIpClass",
                                          "Traffic class of the packets of ns-3's stack.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&FabricPort::m_packetClass),
                                          MakeUintegerChecker<uint8_t>(0, TRAFFIC_CLASSES - 1))
                            .AddAttribute("TcpIpQueueSize",
                                          "Packets of ns-3's stack that may wait at a NIC's port, "
                                          "in packets (p) or bytes (B).",
                                          QueueSizeValue(QueueSize("1000p")),
                                          MakeQueueSizeAccessor(&FabricPort::m_packetLimit),
                                          MakeQueueSizeChecker())
                            .AddTraceSource("Enqueue",
                                            "A frame is queued.",
                                            MakePortTraceAccessor(&PortTraces::enqueue),
                                            "ns3::llm::FabricPort::FrameTracedCallback")
                            .AddTraceSource("Dequeue",
                                            "The first bit of a frame leaves.",
                                            MakePortTraceAccessor(&PortTraces::dequeue),
                                            "ns3::llm::FabricPort::FrameTracedCallback")
                            .AddTraceSource("Mark",
                                            "A frame that leaves gets an ECN mark.",
                                            MakePortTraceAccessor(&PortTraces::mark),
                                            "ns3::llm::FabricPort::FrameTracedCallback")
                            .AddTraceSource("PauseSent",
                                            "A PFC frame to the peer is queued.",
                                            MakePortTraceAccessor(&PortTraces::pauseSent),
                                            "ns3::llm::FabricPort::PauseTracedCallback")
                            .AddTraceSource("PauseReceived",
                                            "A PFC frame has come in.",
                                            MakePortTraceAccessor(&PortTraces::pauseReceived),
                                            "ns3::llm::FabricPort::PauseTracedCallback")
                            .AddTraceSource("Drop",
                                            "A frame is lost.",
                                            MakePortTraceAccessor(&PortTraces::drop),
                                            "ns3::llm::FabricPort::DropTracedCallback")
                            .AddTraceSource("MacTx",
                                            "A packet has come from the stack and waits.",
                                            MakeTraceSourceAccessor(&FabricPort::m_macTx),
                                            "ns3::Packet::TracedCallback")
                            .AddTraceSource("MacTxDrop",
                                            "A packet from the stack is not sent: no room, too "
                                            "large, or no such destination.",
                                            MakeTraceSourceAccessor(&FabricPort::m_macTxDrop),
                                            "ns3::Packet::TracedCallback")
                            .AddTraceSource("MacRx",
                                            "A packet has come in and goes to the stack.",
                                            MakeTraceSourceAccessor(&FabricPort::m_macRx),
                                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricPort::FabricPort()
    : m_transmitter(std::make_shared<FrameTransmitter>())
{
}

FabricPort::~FabricPort() = default;

void
FabricPort::MoveTransmitter(std::shared_ptr<FrameTransmitter> place)
{
    m_transmitter->GivePlaceTo(*place);
    m_transmitter = std::move(place);
    if (m_traces)
    {
        m_transmitter->SetTracer(m_traces.get());
    }
}

PortTraces&
FabricPort::GetTraces()
{
    if (!m_traces)
    {
        m_traces = std::make_unique<PortTraces>(this);
        m_transmitter->SetTracer(m_traces.get());
    }
    return *m_traces;
}

void
FabricPort::DoDispose()
{
    if (m_traces)
    {
        m_transmitter->SetTracer(nullptr);
        m_traces = nullptr; // a sink may hold what holds the port
    }
    m_node = nullptr;
    m_link = nullptr;
    m_packets = nullptr;
    m_receive.Nullify();
    m_promiscReceive.Nullify();
    NetDevice::DoDispose();
}

void
FabricPort::CarryPackets(const PacketSetup& setup)
{
    if (m_packets)
    {
        RefuseInput("port of terminal " + std::to_string(setup.terminal) +
                    ": it carries packets already; the stack is installed once");
    }
    m_packets = std::make_unique<PortPacketQueue>(this, setup, m_packetClass, m_packetLimit);
    m_wasUp = m_transmitter->IsUp();
    SetAddress(GetRoceMac(GetTerminalAddress(setup.terminal)));
    AggregateObject(CreateObject<NetDeviceQueueInterface>());
}

void
FabricPort::PortReady()
{
    if (!m_packets)
    {
        return;
    }
    if (m_wasUp != m_transmitter->IsUp())
    {
        m_wasUp = !m_wasUp;
        m_packets->GetSetup().clock->CallOut(m_node->GetId(),
                                             MakeEvent(&FabricPort::NotifyLinkChange, this));
    }
    m_packets->Kick();
}

void
FabricPort::NotifyLinkChange()
{
    m_linkChanges();
}

void
FabricPort::ReceivePacket(Frame* frame)
{
    NS_ABORT_MSG_IF(!m_packets, "FabricPort: a packet has come to a port that carries none");
    const bool isMarked = frame->flags & Frame::MARKED;
    const auto etherType = static_cast<uint16_t>(frame->GetPair());
    const uint32_t source = frame->source;
    const PacketSetup& setup = m_packets->GetSetup();
    const Ptr<const Packet> packet = setup.pool->Unload(frame);
    setup.clock->CallOut(
        m_node->GetId(),
        MakeEvent(&FabricPort::Deliver, this, packet, etherType, source, isMarked));
}

void
FabricPort::Deliver(Ptr<const Packet> packet, uint16_t etherType, uint32_t source, bool isMarked)
{
    Ptr<const Packet> received = packet;
    if (isMarked)
    {
        received = MarkCongestion(*packet);
    }
    const Address from = GetRoceMac(GetTerminalAddress(source));
    m_macRx(received);
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this, received, etherType, from, m_address, NetDevice::PACKET_HOST);
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, received, etherType, from);
    }
}

void
FabricPort::SetLink(Ptr<FabricLink> link)
{
    m_link = link;
}

void
FabricPort::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricPort::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricPort::GetChannel() const
{
    return m_link;
}

void
FabricPort::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricPort::GetAddress() const
{
    return m_address;
}

bool
FabricPort::SetMtu(const uint16_t mtu)
{
    const bool isAllowed = mtu >= MIN_MTU && mtu <= MAX_MTU;
    m_mtu = isAllowed ? mtu : m_mtu;
    return isAllowed;
}

uint16_t
FabricPort::GetMtu() const
{
    return m_mtu;
}

bool
FabricPort::IsLinkUp() const
{
    return m_link && m_transmitter->IsUp();
}

void
FabricPort::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChanges.ConnectWithoutContext(callback);
}

bool
FabricPort::IsBroadcast() const
{
    return false;
}

Address
FabricPort::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricPort::IsMulticast() const
{
    return false;
}

Address
FabricPort::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricPort::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricPort::IsBridge() const
{
    return false;
}

bool
FabricPort::IsPointToPoint() const
{
    return true;
}

bool
FabricPort::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    bool isTaken = false;
    if (m_packets && packet->GetSize() <= m_mtu)
    {
        PacketDescription what;
        if (protocolNumber == IPV4_ETHER_TYPE)
        {
            what = DescribePacket(*packet);
        }
        else
        {
            const auto mac = Mac48Address::ConvertFrom(dest);
            what.destination = GetAddressIn(mac);
            what.flow = MixHash(MixHash(GetAddressIn(m_address).Get(), what.destination.Get()),
                                uint64_t{protocolNumber} << 32);
        }
        const uint32_t terminal = m_packets->GetSetup().findTerminal(what.destination);
        if (terminal != PacketSetup::NO_TERMINAL)
        {
            // what the sender does to its packet later does not concern this one
            isTaken = m_packets->Send(packet->Copy(), terminal, protocolNumber, what);
        }
    }
    if (isTaken)
    {
        m_macTx(packet);
    }
    else
    {
        ++m_packetDrops;
        m_macTxDrop(packet);
    }
    return isTaken;
}

bool
FabricPort::SendFrom(Ptr<Packet>, const Address&, const Address&, uint16_t)
{
    return false;
}

Ptr<Node>
FabricPort::GetNode() const
{
    return m_node;
}

void
FabricPort::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricPort::NeedsArp() const
{
    return false;
}

void
FabricPort::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_receive = cb;
}

void
FabricPort::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb)
{
    m_promiscReceive = cb;
}

bool
FabricPort::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3::llm
