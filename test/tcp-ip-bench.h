// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TCP_IP_BENCH_H
#define LLM_FABRIC_TCP_IP_BENCH_H

#include "small-network.h"

#include "ns3/fabric-addresses.h"
#include "ns3/fabric-internet-helper.h"

#include "ns3/application-container.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Senders and receivers of ns-3's stack on a small network, shared by the suites about TCP/IP.
 */

namespace ns3::llm
{

/** Payload of a TCP segment that fills the default MTU: IPv4 20, TCP 20, timestamps 12. */
constexpr uint32_t FULL_SEGMENT = 8948;
/** Wire bytes of the frame around it. */
constexpr uint32_t FULL_WIRE = 9038;

/** ns-3's stack on a small network. */
class TcpIpBench
{
  public:
    /** A datagram that has come. */
    struct Datagram
    {
        uint64_t tick;  //!< when, ps
        uint32_t host;  //!< to
        uint32_t bytes; //!< payload
    };

    /**
     * Set what datacenter TCP needs: full segments, large buffers, short timeouts.
     * @param bufferBytes of each buffer
     */
    static void SetTcp(uint32_t bufferBytes = 1 << 20)
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(FULL_SEGMENT));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(bufferBytes));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(bufferBytes));
        Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
        Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
        Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MilliSeconds(1)));
    }

    /** Give the hosts of the network their stacks. */
    void Install()
    {
        FabricInternetHelper::Install(net.transport);
    }

    /** @param host a host @return its node */
    Ptr<Node> GetNode(uint32_t host) const
    {
        return net.network->GetTerminalPort(host)->GetNode();
    }

    /** Record the datagrams that come to a host. @param host the host */
    void Listen(uint32_t host)
    {
        const Ptr<Socket> socket = MakeSocket(host);
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        socket->SetRecvCallback(MakeCallback(&TcpIpBench::OnDatagram, this));
    }

    /**
     * Send datagrams, all at once.
     * @param at when
     * @param source host
     * @param destination host
     * @param bytes payload of each
     * @param count so many
     */
    void SendUdp(Time at, uint32_t source, uint32_t destination, uint32_t bytes, uint32_t count = 1)
    {
        const Ptr<Socket> socket = MakeSocket(source);
        socket->Bind();
        const InetSocketAddress to(FabricAddresses::GetAddress(destination), PORT);
        Simulator::ScheduleWithContext(GetNode(source)->GetId(),
                                       at,
                                       [socket, to, bytes, count]()
                                       {
                                           for (uint32_t i = 0; i < count; ++i)
                                           {
                                               socket->SendTo(Create<Packet>(bytes), 0, to);
                                           }
                                       });
    }

    /**
     * Hand an IP packet to a port, without a stack.
     * @param source host
     * @param destination host
     * @param ecn ECN bits of its header
     * @return whether the port takes it
     */
    bool SendFullPacket(uint32_t source, uint32_t destination, uint8_t ecn = 0) const
    {
        Ipv4Header header;
        header.SetSource(FabricAddresses::GetAddress(source));
        header.SetDestination(FabricAddresses::GetAddress(destination));
        header.SetProtocol(17);
        header.SetPayloadSize(8980);
        header.SetTos(ecn);
        const Ptr<Packet> packet = Create<Packet>(8980);
        packet->AddHeader(header);
        const auto port = net.network->GetTerminalPort(source);
        return port->Send(packet, port->GetBroadcast(), 0x800);
    }

    /**
     * Start a bulk transfer over TCP.
     * @param source host
     * @param destination host
     * @param bytes in all; 0: without end
     * @param at when
     * @return what receives it
     */
    Ptr<PacketSink>
    SendTcp(uint32_t source, uint32_t destination, uint64_t bytes, Time at = MicroSeconds(1))
    {
        const auto port = static_cast<uint16_t>(PORT + 1 + sinks.size());
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(GetNode(destination)).Get(0)));
        BulkSendHelper bulk("ns3::TcpSocketFactory",
                            InetSocketAddress(FabricAddresses::GetAddress(destination), port));
        bulk.SetAttribute("MaxBytes", UintegerValue(bytes));
        bulk.SetAttribute("SendSize", UintegerValue(FULL_SEGMENT));
        bulk.Install(GetNode(source)).Start(at);
        return sinks.back();
    }

    /** @return what all receivers of TCP have got, bytes */
    uint64_t GetReceived() const
    {
        uint64_t sum = 0;
        for (const auto& sink : sinks)
        {
            sum += sink->GetTotalRx();
        }
        return sum;
    }

    /** @return packets that ports have not taken from the stack */
    uint64_t GetPacketDrops() const
    {
        uint64_t sum = 0;
        for (uint32_t t = 0; t < net.network->GetTerminalCount(); ++t)
        {
            sum += net.network->GetTerminalPort(t)->GetPacketDrops();
        }
        return sum;
    }

    static constexpr uint16_t PORT = 5000; //!< of UDP; those of TCP follow

    SmallNetwork net;                   //!< the network
    std::vector<Datagram> datagrams;    //!< in the order of arrival
    std::vector<Ptr<PacketSink>> sinks; //!< receivers of TCP

  private:
    /** @param host a host @return a socket of UDP there */
    Ptr<Socket> MakeSocket(uint32_t host) const
    {
        return Socket::CreateSocket(GetNode(host), UdpSocketFactory::GetTypeId());
    }

    /** Something has come. @param socket where */
    void OnDatagram(Ptr<Socket> socket)
    {
        while (const Ptr<Packet> packet = socket->Recv())
        {
            const Ptr<Node> node = socket->GetNode();
            uint32_t host = 0;
            while (GetNode(host) != node)
            {
                ++host;
            }
            datagrams.push_back(
                {static_cast<uint64_t>(Simulator::Now().GetTimeStep()), host, packet->GetSize()});
        }
    }
};

/** Records the kinds of the frames that arrive from one port. */
class KindRecorder : public FrameTransmitter::Observer
{
  public:
    void FrameArrived(const FrameTransmitter&, const Frame& frame, uint64_t tick) override
    {
        kinds.push_back(frame.kind);
        ticks.push_back(tick);
    }

    std::vector<FrameKind> kinds; //!< in the order of arrival
    std::vector<uint64_t> ticks;  //!< of arrival
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TCP_IP_BENCH_H
