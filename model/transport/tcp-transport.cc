// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-transport.h"

#include "ns3/fabric-addresses.h"
#include "ns3/input-error.h"
#include "ns3/packet-frame.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <tuple>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("LlmTcpTransport");

namespace
{

constexpr uint8_t TCP_PROTOCOL = 6; //!< in an IPv4 header
/** Clock of retransmission timeouts, us: ns-3's millisecond is for the Internet. */
constexpr uint64_t CLOCK_GRANULARITY_US = 10;

} // namespace

TcpTransport::TcpTransport()
{
    NS_LOG_FUNCTION(this);
}

TcpTransport::~TcpTransport()
{
    NS_LOG_FUNCTION(this);
}

void
TcpTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (const Ptr<Socket>& listener : m_listeners)
    {
        listener->SetAcceptCallback(Callback<bool, Ptr<Socket>, const Address&>(),
                                    Callback<void, Ptr<Socket>, const Address&>());
    }
    m_listeners.clear();
    m_pools.clear();
    m_nodes = NodeContainer();
    m_network = nullptr;
    MessageTransport::DoDispose();
}

void
TcpTransport::Setup(Ptr<FabricNetwork> network, const NodeContainer& nodes)
{
    NS_LOG_FUNCTION(this << network << nodes.GetN());
    NS_ABORT_MSG_IF(m_network, "a TCP transport is set up once");
    m_network = network;
    m_nodes = nodes;
    Check();
    if (m_segmentBytes == 0)
    {
        m_segmentBytes = network->GetTerminalPort(0)->GetMtu() - HEADER_BYTES;
    }
    m_outboxes.resize(nodes.GetN());
    for (uint32_t accelerator = 0; accelerator < nodes.GetN(); ++accelerator)
    {
        const auto control = nodes.Get(accelerator)->GetObject<TrafficControlLayer>();
        NS_ABORT_MSG_UNLESS(control, "accelerator " << accelerator << " has no IP stack");
        control->TraceConnectWithoutContext("TcDrop",
                                            MakeCallback(&TcpTransport::OnStackDrop, this));
        const auto disc = control->GetRootQueueDiscOnDevice(network->GetTerminalPort(accelerator));
        if (disc)
        {
            disc->TraceConnectWithoutContext("Drop", MakeCallback(&TcpTransport::OnDiscDrop, this));
        }
    }
    for (uint32_t accelerator = 0; accelerator < nodes.GetN(); ++accelerator)
    {
        const Ptr<Socket> listener = MakeSocket(accelerator);
        listener->SetAcceptCallback(
            Callback<bool, Ptr<Socket>, const Address&>(),
            MakeCallback(&TcpTransport::OnAccepted, this).Bind(accelerator));
        const InetSocketAddress own(FabricAddresses::GetAddress(accelerator), LISTENING_PORT);
        if (listener->Bind(own) != 0 || listener->Listen() != 0)
        {
            RefuseInput("accelerator " + std::to_string(accelerator) +
                        ": something else uses TCP "
                        "port " +
                        std::to_string(LISTENING_PORT) + ", which TcpTransport needs");
        }
        m_listeners.push_back(listener);
    }
}

Ptr<Socket>
TcpTransport::MakeSocket(uint32_t accelerator) const
{
    const auto tcp = m_nodes.Get(accelerator)->GetObject<TcpL4Protocol>();
    NS_ABORT_MSG_UNLESS(tcp, "accelerator " << accelerator << " has no TCP");
    const Ptr<Socket> socket = tcp->CreateSocket(TypeId::LookupByName(m_congestionOps));
    socket->SetAttribute("SegmentSize", UintegerValue(m_segmentBytes));
    socket->SetAttribute("SndBufSize", UintegerValue(m_sendBuffer));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_receiveBuffer));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_initialWindow));
    socket->SetAttribute("DelAckCount", UintegerValue(m_segmentsPerAck));
    socket->SetAttribute("DelAckTimeout", TimeValue(m_delayedAckTimeout));
    socket->SetAttribute("ConnTimeout", TimeValue(m_connectTimeout));
    socket->SetAttribute("MinRto", TimeValue(m_minRto));
    socket->SetAttribute("ClockGranularity", TimeValue(MicroSeconds(CLOCK_GRANULARITY_US)));
    return socket;
}

void
TcpTransport::Send(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    const std::size_t count = m_outboxes.size();
    if (message.source >= count || message.destination >= count ||
        message.source == message.destination)
    {
        RefuseInput("no message goes from accelerator " + std::to_string(message.source) +
                    " to accelerator " + std::to_string(message.destination) +
                    " over TCP: they must be two of the " + std::to_string(count) +
                    " accelerators");
    }
    Outbox& outbox = m_outboxes[message.source];
    outbox.posted.push_back(message);
    if (!outbox.isScheduled)
    {
        outbox.isScheduled = true;
        Simulator::Schedule(TimeStep(1), &TcpTransport::Flush, this, message.source);
    }
}

void
TcpTransport::Flush(uint32_t source)
{
    Outbox& outbox = m_outboxes[source];
    outbox.isScheduled = false;
    std::vector<Message> posted;
    posted.swap(outbox.posted);
    const auto count = static_cast<uint32_t>(m_outboxes.size());
    auto key = [count](const Message& message)
    {
        const uint32_t distance = (message.destination + count - message.source) % count;
        return std::tuple(distance, message.owner, message.flow, message.instance, message.place);
    };
    std::stable_sort(posted.begin(),
                     posted.end(),
                     [&key](const Message& a, const Message& b) { return key(a) < key(b); });
    for (const Message& message : posted)
    {
        Start(message);
    }
}

void
TcpTransport::Start(const Message& message)
{
    const bool isDivided = m_connections > 1 && m_stripeBytes > 0 && message.bytes > m_stripeBytes;
    const uint64_t stripe = isDivided ? m_stripeBytes : message.bytes;
    const uint64_t parts = isDivided ? (message.bytes - 1) / stripe + 1 : 1;
    const uint64_t handle = Keep(message, parts);
    uint64_t left = message.bytes;
    for (uint64_t part = 0; part < parts; ++part)
    {
        Pool& pool = m_pools[{message.source, message.destination}];
        const uint32_t number = pool.next;
        pool.next = (number + 1) % m_connections;
        const uint64_t bytes = std::min(left, stripe);
        left -= bytes;
        m_counters.streamBytes += bytes + m_headerBytes;
        GetConnection(message.source, message.destination, number)
            .Send(bytes + m_headerBytes, handle);
    }
}

uint64_t
TcpTransport::Keep(const Message& message, uint64_t parts)
{
    if (m_freeHandles.empty())
    {
        m_freeHandles.push_back(m_carried.size());
        m_carried.emplace_back();
    }
    const uint64_t handle = m_freeHandles.back();
    m_freeHandles.pop_back();
    m_carried[handle] = {message, parts, parts};
    return handle;
}

TcpConnection&
TcpTransport::GetConnection(uint32_t source, uint32_t destination, uint32_t number)
{
    auto& connections = m_pools[{source, destination}].connections;
    connections.resize(m_connections);
    std::unique_ptr<TcpConnection>& connection = connections[number];
    if (connection)
    {
        return *connection;
    }
    ++m_counters.connections;
    TcpConnection::Listener listener;
    listener.delivered = [this](uint64_t handle)
    {
        OnDelivered(handle);
    };
    listener.acknowledged = [this](uint64_t handle)
    {
        OnAcknowledged(handle);
    };
    listener.failed = [this, source, destination, number](const std::string& reason)
    {
        m_failures.push_back("TCP connection " + std::to_string(number) + " from accelerator " +
                             std::to_string(source) + " to accelerator " +
                             std::to_string(destination) + " " + reason);
    };
    connection = std::make_unique<TcpConnection>(std::move(listener));
    const Ptr<Socket> socket = MakeSocket(source);
    const uint16_t port = GetPort(source, destination, number);
    if (socket->Bind(InetSocketAddress(FabricAddresses::GetAddress(source), port)) != 0)
    {
        RefuseInput("accelerator " + std::to_string(source) + ": something else uses TCP port " +
                    std::to_string(port) + ", which its connection to accelerator " +
                    std::to_string(destination) + " needs");
    }
    connection->Open(socket,
                     InetSocketAddress(FabricAddresses::GetAddress(destination), LISTENING_PORT),
                     m_segmentBytes);
    return *connection;
}

uint16_t
TcpTransport::GetPort(uint32_t source, uint32_t destination, uint32_t number) const
{
    const uint32_t count = m_nodes.GetN();
    const uint32_t distance = (destination + count - source) % count;
    return static_cast<uint16_t>(FIRST_PORT + distance * m_connections + number);
}

void
TcpTransport::OnAccepted(uint32_t destination, Ptr<Socket> socket, const Address& from)
{
    const InetSocketAddress peer = InetSocketAddress::ConvertFrom(from);
    const uint32_t source = peer.GetIpv4().Get() - FabricAddresses::GetAddress(0).Get();
    const auto pool = m_pools.find({source, destination});
    // not one of ours
    if (pool == m_pools.end())
    {
        socket->Close();
        return;
    }
    const uint32_t number = peer.GetPort() - GetPort(source, destination, 0);
    pool->second.connections.at(number)->Accept(socket);
}

void
TcpTransport::OnStackDrop(Ptr<const Packet>)
{
    ++m_counters.stackDrops;
}

void
TcpTransport::OnDiscDrop(Ptr<const QueueDiscItem>)
{
    ++m_counters.stackDrops;
}

void
TcpTransport::OnDelivered(uint64_t handle)
{
    Carried& carried = m_carried[handle];
    if (--carried.undelivered == 0)
    {
        ++m_counters.messages;
        m_counters.payloadBytes += carried.message.bytes;
        // a copy: the owner may send from here, which moves the messages
        Message message = carried.message;
        message.flow = 0;
        NotifyDelivered(message);
    }
}

void
TcpTransport::OnAcknowledged(uint64_t handle)
{
    Carried& carried = m_carried[handle];
    if (--carried.unacknowledged == 0)
    {
        const Message message = carried.message;
        m_freeHandles.push_back(handle);
        NotifyAcknowledged(message);
    }
}

uint32_t
TcpTransport::GetSegmentBytes() const
{
    return m_segmentBytes;
}

const std::string&
TcpTransport::GetQueueDisc() const
{
    return m_queueDisc;
}

const TcpCounters&
TcpTransport::GetCounters() const
{
    return m_counters;
}

const std::vector<std::string>&
TcpTransport::GetFailures() const
{
    return m_failures;
}

PathLeg
TcpTransport::DescribeLeg(uint32_t source, uint32_t destination, uint32_t flow) const
{
    const uint32_t port = GetPort(source, destination, flow % m_connections);
    const uint32_t ports = port << 16 | LISTENING_PORT;
    const uint32_t portsBack = uint32_t{LISTENING_PORT} << 16 | port;
    const Ipv4Address from = FabricAddresses::GetAddress(source);
    const Ipv4Address to = FabricAddresses::GetAddress(destination);
    PathLeg leg;
    leg.mtu = m_segmentBytes;
    leg.dataOverhead = HEADER_BYTES + PACKET_OVERHEAD_BYTES;
    leg.firstOverhead = m_headerBytes;
    leg.ackSize = HEADER_BYTES + PACKET_OVERHEAD_BYTES;
    leg.framesPerAck = m_segmentsPerAck;
    auto describe = [this](uint32_t a, uint32_t b, uint64_t hash, std::vector<PathLink>& links)
    {
        for (const auto& each : m_network->GetPath(a, b, static_cast<uint32_t>(hash >> 32)))
        {
            const FrameTransmitter& transmitter = each->GetTransmitter();
            links.push_back({transmitter.GetObject(),
                             transmitter.GetRate(),
                             PicoSeconds(transmitter.GetDelayTicks())});
        }
    };
    describe(source, destination, HashPacketFlow(from, to, TCP_PROTOCOL, ports), leg.links);
    describe(destination, source, HashPacketFlow(to, from, TCP_PROTOCOL, portsBack), leg.ackLinks);
    return leg;
}

} // namespace ns3::llm
