// SPDX-License-Identifier: GPL-2.0-only

#include "bench-references.h"

#include "bench-child.h"

#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/global-value.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <memory>
#include <vector>

namespace ns3::llm::bench
{

namespace
{

constexpr uint32_t PACKET_BYTES = 4000;      //!< payload of every packet
constexpr uint32_t PPP_BYTES = 2;            //!< what PointToPointNetDevice adds
constexpr uint32_t UDP_IP_BYTES = 28;        //!< what UDP and IP add
constexpr uint16_t DEVICE_MTU = 9000;        //!< so that nothing is fragmented
constexpr uint32_t CHAIN_LINKS = 4;          //!< of a UDP path
constexpr uint16_t UDP_PORT = 4791;          //!< any
constexpr const char* LINE_RATE = "100Gbps"; //!< of every link

/** One direction of a link or path: sends packets, each when its turn has come, and counts them. */
class PacketSender
{
  public:
    /**
     * @param packets to be sent
     * @param wireBytes what each occupies on the first link
     */
    PacketSender(uint32_t packets, uint32_t wireBytes)
        : m_left(packets),
          m_interval(DataRate(LINE_RATE).CalculateBytesTxTime(wireBytes))
    {
    }

    virtual ~PacketSender() = default;

    /** @param window packets to begin with; 0: one after the other at line rate, by events */
    void Start(uint32_t window)
    {
        m_isWindowed = window > 0;
        if (!m_isWindowed)
        {
            SendAtLineRate();
        }
        for (uint32_t i = 0; i < window; ++i)
        {
            SendNext();
        }
    }

    /** @return packets received */
    uint64_t GetReceived() const
    {
        return m_received;
    }

  protected:
    /** Make a packet and send it. */
    virtual void Send() = 0;

    /** A packet has come in. */
    void NoteReceived()
    {
        ++m_received;
        if (m_isWindowed)
        {
            SendNext();
        }
    }

  private:
    /** Send a packet, if there is one left. */
    void SendNext()
    {
        if (m_left > 0)
        {
            --m_left;
            Send();
        }
    }

    /** Send a packet, and the next when this one has left. */
    void SendAtLineRate()
    {
        SendNext();
        if (m_left > 0)
        {
            Simulator::Schedule(m_interval, &PacketSender::SendAtLineRate, this);
        }
    }

    uint32_t m_left;           //!< packets to be sent
    Time m_interval;           //!< between two at line rate
    uint64_t m_received = 0;   //!< packets received
    bool m_isWindowed = false; //!< a reception lets the next one go
};

/** One direction of a link between two devices. */
class RawSender : public PacketSender
{
  public:
    /**
     * @param from sends
     * @param to receives
     * @param packets to be sent
     */
    RawSender(Ptr<PointToPointNetDevice> from, Ptr<PointToPointNetDevice> to, uint32_t packets)
        : PacketSender(packets, PACKET_BYTES + PPP_BYTES),
          m_from(from),
          m_to(to->GetAddress())
    {
        to->SetReceiveCallback(MakeCallback(&RawSender::Receive, this));
    }

  private:
    void Send() override
    {
        m_from->Send(Create<Packet>(PACKET_BYTES), m_to, 0x0800);
    }

    /** A packet has come in. @return that it was taken */
    bool Receive(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
    {
        NoteReceived();
        return true;
    }

    Ptr<PointToPointNetDevice> m_from; //!< sends
    Address m_to;                      //!< of the other end
};

/** @return a device on a channel, on a node of its own @param channel it */
Ptr<PointToPointNetDevice>
MakeRawDevice(Ptr<PointToPointChannel> channel)
{
    auto device = CreateObject<PointToPointNetDevice>();
    device->SetQueue(CreateObject<DropTailQueue<Packet>>());
    device->SetDataRate(DataRate(LINE_RATE));
    device->SetAddress(Mac48Address::Allocate());
    device->SetMtu(DEVICE_MTU);
    CreateObject<Node>()->AddDevice(device);
    device->Attach(channel);
    return device;
}

/** One direction of a path between two UDP sockets. */
class UdpSender : public PacketSender
{
  public:
    /**
     * @param from a node
     * @param to another
     * @param address of the other
     * @param packets to be sent
     */
    UdpSender(Ptr<Node> from, Ptr<Node> to, Ipv4Address address, uint32_t packets)
        : PacketSender(packets, PACKET_BYTES + UDP_IP_BYTES + PPP_BYTES),
          m_socket(Socket::CreateSocket(from, UdpSocketFactory::GetTypeId())),
          m_sink(Socket::CreateSocket(to, UdpSocketFactory::GetTypeId()))
    {
        m_sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), UDP_PORT));
        m_sink->SetRecvCallback(MakeCallback(&UdpSender::Receive, this));
        m_socket->Connect(InetSocketAddress(address, UDP_PORT));
    }

  private:
    void Send() override
    {
        m_socket->Send(Create<Packet>(PACKET_BYTES));
    }

    /** A packet has come in. @param socket the sink */
    void Receive(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
            NoteReceived();
        }
    }

    Ptr<Socket> m_socket; //!< sends
    Ptr<Socket> m_sink;   //!< receives
};

/** Routes to both ends of a chain. @param nodes in order @param ends address of first and last */
void
AddRoutes(const NodeContainer& nodes, const std::vector<Ipv4InterfaceContainer>& links)
{
    const Ipv4Address first = links.front().GetAddress(0);
    const Ipv4Address last = links.back().GetAddress(1);
    Ipv4StaticRoutingHelper helper;
    for (uint32_t n = 0; n <= CHAIN_LINKS; ++n)
    {
        auto routing = helper.GetStaticRouting(nodes.Get(n)->GetObject<Ipv4>());
        // interface 0 is the loopback; a router's first link leads back, its second on
        if (n < CHAIN_LINKS)
        {
            routing->AddHostRouteTo(last, links[n].GetAddress(1), n == 0 ? 1 : 2);
        }
        if (n > 0)
        {
            routing->AddHostRouteTo(first, links[n - 1].GetAddress(0), 1);
        }
    }
}

/** Make a chain. @param addresses of all chains @param load the load @param senders gets two */
void
MakeChain(Ipv4AddressHelper& addresses,
          const ReferenceLoad& load,
          std::vector<std::unique_ptr<UdpSender>>& senders)
{
    NodeContainer nodes;
    nodes.Create(CHAIN_LINKS + 1);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue(LINE_RATE));
    helper.SetDeviceAttribute("Mtu", UintegerValue(DEVICE_MTU));
    helper.SetChannelAttribute("Delay", StringValue("1us"));
    std::vector<Ipv4InterfaceContainer> links;
    for (uint32_t link = 0; link < CHAIN_LINKS; ++link)
    {
        links.push_back(addresses.Assign(helper.Install(nodes.Get(link), nodes.Get(link + 1))));
        addresses.NewNetwork();
    }
    AddRoutes(nodes, links);
    const Ptr<Node> first = nodes.Get(0);
    const Ptr<Node> last = nodes.Get(CHAIN_LINKS);
    senders.push_back(
        std::make_unique<UdpSender>(first, last, links.back().GetAddress(1), load.packets));
    senders.push_back(
        std::make_unique<UdpSender>(last, first, links.front().GetAddress(0), load.packets));
}

/** Choose ns-3's engine. */
void
UseDefaultEngine()
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue(DEFAULT_ENGINE));
    GlobalValue::Bind("SchedulerType", StringValue(DEFAULT_SCHEDULER));
}

/**
 * Start the senders one after the other, spread over a round trip so that they do not tie, and run.
 * @param senders all of them
 * @param load the load
 * @param links that a packet crosses
 * @return what it took
 */
template <typename Sender>
Measurement
Run(const std::vector<std::unique_ptr<Sender>>& senders, const ReferenceLoad& load, uint32_t links)
{
    for (std::size_t i = 0; i < senders.size(); ++i)
    {
        Simulator::Schedule(NanoSeconds(1000 * i / senders.size() + 1),
                            &PacketSender::Start,
                            senders[i].get(),
                            load.window);
    }
    Measurement result;
    const double begin = GetCpuSeconds();
    Simulator::Run();
    result.cpuSeconds = GetCpuSeconds() - begin;
    result.runs = 1;
    result.events = Simulator::GetEventCount();
    result.simulatedUs = Simulator::Now().GetSeconds() * 1e6;
    for (const auto& sender : senders)
    {
        result.hops += links * sender->GetReceived();
    }
    result.peakBytes = GetPeakBytes();
    return result;
}

} // namespace

Measurement
MeasureRawHop(const ReferenceLoad& load)
{
    UseDefaultEngine();
    std::vector<std::unique_ptr<RawSender>> senders;
    for (uint32_t i = 0; i < load.paths; ++i)
    {
        auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", StringValue("1us"));
        const auto a = MakeRawDevice(channel);
        const auto b = MakeRawDevice(channel);
        senders.push_back(std::make_unique<RawSender>(a, b, load.packets));
        senders.push_back(std::make_unique<RawSender>(b, a, load.packets));
    }
    const Measurement result = Run(senders, load, 1);
    Simulator::Destroy();
    return result;
}

Measurement
MeasureUdpHop(const ReferenceLoad& load)
{
    UseDefaultEngine();
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    std::vector<std::unique_ptr<UdpSender>> senders;
    for (uint32_t i = 0; i < load.paths; ++i)
    {
        MakeChain(addresses, load, senders);
    }
    const Measurement result = Run(senders, load, CHAIN_LINKS);
    Simulator::Destroy();
    return result;
}

} // namespace ns3::llm::bench
