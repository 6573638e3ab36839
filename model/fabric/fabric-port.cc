// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-port.h"

#include "fabric-link.h"

#include "ns3/node.h"
#include "ns3/packet.h"

#include <utility>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricPort);

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FabricPort")
                            .SetParent<NetDevice>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FabricPort>()
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
                                            "ns3::llm::FabricPort::DropTracedCallback");
    return tid;
}

FabricPort::FabricPort()
    : m_transmitter(std::make_shared<FrameTransmitter>())
{
}

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
    NetDevice::DoDispose();
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
    m_mtu = mtu;
    return true;
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
FabricPort::AddLinkChangeCallback(Callback<void>)
{
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
FabricPort::Send(Ptr<Packet>, const Address&, uint16_t)
{
    return false;
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
FabricPort::SetReceiveCallback(NetDevice::ReceiveCallback)
{
}

void
FabricPort::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback)
{
}

bool
FabricPort::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3::llm
