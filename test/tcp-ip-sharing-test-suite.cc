// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-ip-bench.h"

#include "ns3/cluster.h"
#include "ns3/rail-only-helper.h"
#include "ns3/single-switch-helper.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * TCP/IP and RDMA on one fabric: who has the line, equal results in every way of running, addresses
 * and devices in a cluster.
 */

namespace
{

constexpr uint64_t RDMA_BYTES = 4096000; //!< a thousand frames
constexpr uint64_t RDMA_WIRE = 4178;     //!< of each
constexpr uint32_t DATAGRAMS = 300;      //!< beside it, of full frames

/** Who goes first. */
class PriorityTestCase : public TestCase
{
  public:
    PriorityTestCase()
        : TestCase("Classes share a line in strict priority, at the NIC and at the switch")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t alone = RunOne(0, 0, 0);
        const uint64_t frame = FULL_WIRE * 80;
        // at the NIC the next data frame is always there, so packets wait until the message is sent
        NS_TEST_EXPECT_MSG_EQ(RunOne(0, 5000, 0), alone, "lower class, same NIC");
        // at the switch a packet begins before the second data frame is there, and no other does
        NS_TEST_EXPECT_MSG_EQ(RunOne(1, 5000, 0), alone + frame, "lower class, at the switch");
        // All packets go first. At the switch the last one, being longer, holds up the frame behind it.
        NS_TEST_EXPECT_MSG_EQ(RunOne(0, 5000, 5),
                              alone + DATAGRAMS * frame + (FULL_WIRE - RDMA_WIRE) * 80,
                              "higher class, same NIC");
        NS_TEST_EXPECT_MSG_EQ(RunOne(1, 5000, 5),
                              alone + DATAGRAMS * frame,
                              "higher class, at the switch");
    }

    /**
     * A message from host 0 to host 2, and datagrams to host 2.
     * @param source host that sends the datagrams
     * @param at when it begins to, ps; 0: never
     * @param trafficClass of the datagrams
     * @return when the message has come
     */
    uint64_t RunOne(uint32_t source, uint64_t at, uint8_t trafficClass)
    {
        SmallNetwork::SetPlain(4096);
        Config::SetDefault("ns3::llm::FabricPort::TcpIpClass", UintegerValue(trafficClass));
        TcpIpBench bench;
        bench.net.MakeStar(3, "100Gbps");
        bench.Install();
        bench.Listen(2);
        bench.net.Send(0, 2, RDMA_BYTES);
        if (at != 0)
        {
            bench.SendUdp(PicoSeconds(at), source, 2, 8972, DATAGRAMS);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.datagrams.size(), (at == 0 ? 0u : DATAGRAMS), "datagrams");
        NS_TEST_EXPECT_MSG_EQ(bench.net.Sum(&PortCounters::drops), 0u, "no loss");
        return bench.net.LastDelivery();
    }
};

/** In turns. */
class TurnsTestCase : public TestCase
{
  public:
    TurnsTestCase()
        : TestCase("In one class, messages and packets take the NIC's line in turns, without a gap")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(4096);
        Config::SetDefault("ns3::llm::FabricPort::TcpIpClass", UintegerValue(3));
        TcpIpBench bench;
        bench.net.MakeStar(2, "100Gbps");
        bench.Install();
        KindRecorder recorder;
        bench.net.network->GetTerminalPort(0)->GetTransmitter().AddObserver(&recorder);
        bench.net.Send(0, 1, 100 * 4096);
        bench.SendUdp(PicoSeconds(1), 0, 1, 8972, 100);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(recorder.kinds.size(), 200u, "all have come");
        uint64_t changes = 0;
        for (std::size_t i = 1; i < 200; ++i)
        {
            changes += recorder.kinds[i] != recorder.kinds[i - 1];
        }
        NS_TEST_EXPECT_MSG_EQ(changes, 199u, "each follows one of the other kind");
        const uint64_t line = (100 * RDMA_WIRE + 100 * FULL_WIRE) * 80;
        const uint64_t first =
            recorder.ticks[0] -
            (recorder.kinds[0] == FrameKind::PACKET ? FULL_WIRE * 80 : RDMA_WIRE * 80);
        NS_TEST_EXPECT_MSG_EQ(recorder.ticks.back() - first, line, "back to back");
    }
};

/** Equal results. */
class EqualityTestCase : public TestCase
{
  public:
    EqualityTestCase()
        : TestCase(
              "An idle stack changes nothing; engines, modes and repetition have equal results")
    {
    }

  private:
    /** What a run has done. */
    struct Outcome
    {
        uint64_t hash = 0;      //!< of all arrivals
        uint64_t frames = 0;    //!< arrivals
        uint64_t received = 0;  //!< bytes over TCP
        uint64_t delivered = 0; //!< tick of the last message
        uint64_t marks = 0;     //!< marks

        /** @param other another @return whether they are equal */
        bool operator==(const Outcome& other) const
        {
            return std::tie(hash, frames, received, delivered, marks) ==
                   std::tie(other.hash, other.frames, other.received, other.delivered, other.marks);
        }
    };

    /** How to run. */
    struct Options
    {
        bool isFrameEngine = true; //!< which engine
        bool isReference = false;  //!< which mode of ports
        bool hasStack = true;      //!< stacks are there
        bool hasTraffic = true;    //!< they are used
        uint32_t run = 1;          //!< number of the run
    };

    void DoRun() override
    {
        Options idle;
        idle.hasTraffic = false;
        Options bare = idle;
        bare.hasStack = false;
        const Outcome quiet = RunOne(bare);
        NS_TEST_EXPECT_MSG_EQ((RunOne(idle) == quiet), true, "an idle stack changes nothing");
        const Options standard;
        const Outcome first = RunOne(standard);
        NS_TEST_EXPECT_MSG_GT(first.marks, 100u, "there are marks");
        NS_TEST_EXPECT_MSG_GT(first.received, 10000000u, "there is TCP");
        NS_TEST_EXPECT_MSG_EQ((first == quiet), false, "traffic changes something");
        NS_TEST_EXPECT_MSG_EQ((RunOne(standard) == first), true, "twice");
        Options other = standard;
        other.isFrameEngine = false;
        NS_TEST_EXPECT_MSG_EQ((RunOne(other) == first), true, "under ns-3's engine");
        other = standard;
        other.isReference = true;
        NS_TEST_EXPECT_MSG_EQ((RunOne(other) == first), true, "in reference mode");
        other = standard;
        other.run = 2;
        NS_TEST_EXPECT_MSG_EQ((RunOne(other) == first), false, "another seed has other marks");
    }

    /** @param options how to run @return what it has done */
    static Outcome RunOne(const Options& options)
    {
        SmallNetwork::ChooseEngine(options.isFrameEngine);
        RngSeedManager::SetRun(options.run);
        TcpIpBench::SetTcp();
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpDctcp"));
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
        Config::SetDefault("ns3::llm::FabricPort::TcpIpClass", UintegerValue(3));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(10000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(100000));
        Config::SetDefault("ns3::llm::FabricNetwork::ReferenceMode",
                           BooleanValue(options.isReference));
        Outcome outcome;
        {
            TcpIpBench bench;
            bench.net.MakeFatTree(4);
            if (options.hasStack)
            {
                bench.Install();
            }
            bench.net.SendShift(5, 500000);
            bench.net.SendIncast(100000, 6);
            for (uint32_t host = 0; options.hasTraffic && host < 16; ++host)
            {
                bench.SendTcp(host, (host + 7) % 16, 1000000, NanoSeconds(1000 + host));
                bench.SendTcp(host, host / 8, 100000, NanoSeconds(20000));
            }
            Simulator::Stop(MilliSeconds(100));
            Simulator::Run();
            outcome.hash = bench.net.digest.hash;
            outcome.frames = bench.net.digest.frames;
            outcome.received = bench.GetReceived();
            outcome.delivered = bench.net.LastDelivery();
            outcome.marks = bench.net.Sum(&PortCounters::marks);
        }
        SmallNetwork::ChooseEngine(true);
        RngSeedManager::SetRun(1);
        return outcome;
    }
};

/** Addresses. */
class AddressTestCase : public TestCase
{
  public:
    AddressTestCase()
        : TestCase("Addresses of 128 accelerators map one to one; ways by arithmetic")
    {
    }

  private:
    void DoRun() override
    {
        using Way = FabricAddresses::Way;
        const FabricAddresses joined(128, 8, true, true);
        const FabricAddresses rails(128, 8, false, true);
        const FabricAddresses fluid(128, 8, false, false);
        std::set<Ipv4Address> all;
        for (uint32_t a = 0; a < 128; ++a)
        {
            all.insert(FabricAddresses::GetAddress(a));
            NS_TEST_EXPECT_MSG_EQ(joined.Find(FabricAddresses::GetAddress(a)), a, "there and back");
        }
        NS_TEST_EXPECT_MSG_EQ(all.size(), 128u, "all differ");
        NS_TEST_EXPECT_MSG_EQ(FabricAddresses::GetAddress(127), Ipv4Address("10.0.0.128"), "last");
        for (const char* outside : {"10.0.0.0", "10.0.0.129", "9.255.255.255", "127.0.0.1"})
        {
            NS_TEST_EXPECT_MSG_EQ(joined.Find(Ipv4Address(outside)),
                                  FabricAddresses::NONE,
                                  outside << " is nobody's");
        }

        struct Case
        {
            const FabricAddresses& addresses; //!< of which cluster
            uint32_t to;                      //!< from accelerator 10
            Way way;                          //!< expected
            uint32_t overNic;                 //!< expected
            uint32_t inDomain;                //!< expected
        };

        const uint32_t none = FabricAddresses::NONE; // 10 is in domain 1 (8 to 15), on rail 2
        const std::vector<Case> cases = {{joined, 12, Way::IN_HB_DOMAIN, 12, 12},
                                         {joined, 16, Way::OVER_NIC, 16, 8},
                                         {joined, 10, Way::OVER_NIC, none, none},
                                         {rails, 18, Way::OVER_NIC, 18, none},
                                         {rails, 17, Way::IN_HB_DOMAIN, none, 9},
                                         {fluid, 12, Way::NOWHERE, none, 12},
                                         {fluid, 18, Way::OVER_NIC, 18, none}};
        for (const Case& one : cases)
        {
            NS_TEST_EXPECT_MSG_EQ((one.addresses.GetWay(10, one.to) == one.way),
                                  true,
                                  "way to " << one.to);
            NS_TEST_EXPECT_MSG_EQ(one.addresses.GetNextOverNic(10, one.to), one.overNic, "NIC");
            NS_TEST_EXPECT_MSG_EQ(one.addresses.GetNextInDomain(10, one.to), one.inDomain, "peer");
        }
    }
};

/** Devices of a cluster. */
class ClusterTestCase : public TestCase
{
  public:
    ClusterTestCase()
        : TestCase(
              "Traffic inside an HB domain takes its device, between rails another forwards it")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds();
        RunOne<RailOnlyHelper>("packet", {{1, "DD"}, {4, "NN"}, {5, "DDNN"}, {6, "DDNN"}});
        RunOne<SingleSwitchHelper>("packet", {{1, "DD"}, {4, "NN"}, {5, "NN"}});
        RunOne<SingleSwitchHelper>("fluid", {{1, "NN"}, {5, "NN"}});
        RunOne<RailOnlyHelper>("fluid", {{1, ""}, {4, "NN"}, {5, ""}});
    }

    /** @tparam H the topology @param fidelity of HB domains @param ways from accelerator 0: to whom,
     * and the networks whose links it crosses, NIC or domain, each hop a letter */
    template <typename H>
    void RunOne(const std::string& fidelity, std::map<uint32_t, std::string> ways)
    {
        for (const auto& [to, way] : ways)
        {
            auto helper = CreateObject<H>();
            helper->SetAttribute("Accelerators", UintegerValue(12));
            helper->SetAttribute("DomainSize", UintegerValue(4));
            helper->SetAttribute("DomainFidelity", StringValue(fidelity));
            const Ptr<Cluster> cluster = helper->Build();
            const Ipv4InterfaceContainer interfaces = FabricInternetHelper::Install(cluster);
            NS_TEST_EXPECT_MSG_EQ(interfaces.GetAddress(to),
                                  FabricAddresses::GetAddress(to),
                                  "by accelerator");
            m_received = 0;
            const auto receiver =
                Socket::CreateSocket(cluster->GetNodes().Get(to), UdpSocketFactory::GetTypeId());
            receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 1));
            receiver->SetRecvCallback(MakeCallback(&ClusterTestCase::Received, this));
            const auto sender =
                Socket::CreateSocket(cluster->GetNodes().Get(0), UdpSocketFactory::GetTypeId());
            sender->Bind();
            int sent = 0;
            Simulator::Schedule(MicroSeconds(1),
                                [&, to = to]()
                                {
                                    sent = sender->SendTo(
                                        Create<Packet>(972),
                                        0,
                                        InetSocketAddress(interfaces.GetAddress(to), 1));
                                });
            Simulator::Run();
            const std::string text =
                cluster->GetName() + ", " + fidelity + ", to " + std::to_string(to);
            NS_TEST_EXPECT_MSG_EQ(sent, (way.empty() ? -1 : 972), "taken: " << text);
            NS_TEST_EXPECT_MSG_EQ(m_received, (way.empty() ? 0u : 972u), "received: " << text);
            NS_TEST_EXPECT_MSG_EQ(CountHops(cluster->GetNetwork()),
                                  std::count(way.begin(), way.end(), 'N'),
                                  "hops between NICs: " << text);
            NS_TEST_EXPECT_MSG_EQ(CountHops(cluster->GetDomainNetwork()),
                                  std::count(way.begin(), way.end(), 'D'),
                                  "hops in domains: " << text);
            Simulator::Destroy();
            cluster->Dispose();
        }
    }

    /** @param network a network, or null @return hops on it */
    static int64_t CountHops(Ptr<FabricNetwork> network)
    {
        uint64_t hops = 0;
        if (network)
        {
            for (const auto& direction : network->GetDirections())
            {
                hops += direction.port->GetTransmitter().GetCounters().frames;
            }
        }
        return static_cast<int64_t>(hops);
    }

    /** Something has come. @param socket where */
    void Received(Ptr<Socket> socket)
    {
        m_received += socket->Recv()->GetSize();
    }

    uint32_t m_received = 0; //!< bytes
};

/** The suite. */
class TcpIpSharingTestSuite : public TestSuite
{
  public:
    TcpIpSharingTestSuite()
        : TestSuite("llm-fabric-tcp-ip-sharing", TestSuite::Type::UNIT)
    {
        AddTestCase(new PriorityTestCase);
        AddTestCase(new TurnsTestCase);
        AddTestCase(new EqualityTestCase);
        AddTestCase(new AddressTestCase);
        AddTestCase(new ClusterTestCase);
    }
};

TcpIpSharingTestSuite g_tcpIpSharingTestSuite; //!< registers the suite

} // namespace
