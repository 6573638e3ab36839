// SPDX-License-Identifier: GPL-2.0-only

#include "transport-bench.h"

#include "ns3/input-error.h"
#include "ns3/queue-disc.h"
#include "ns3/tcp-transport.h"
#include "ns3/test.h"
#include "ns3/traffic-control-layer.h"

#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Messages over ns-3's TCP: which way they go, what holds their segments, and what is refused.
 */

namespace
{

constexpr uint64_t SEGMENT = 8948;  //!< payload of a full segment
constexpr uint64_t WIRE = 9038;     //!< its frame
constexpr uint64_t HEADER = 16;     //!< of a message in the stream
constexpr uint64_t BYTE_TICKS = 80; //!< at 100 Gb/s, ps
const Settings LARGE_WINDOW = {{"TcpTransport::InitialWindow", "200"}}; //!< no slow start

/** Tiers. */
class TierTestCase : public TestCase
{
  public:
    TierTestCase()
        : TestCase("TCP carries what leaves a domain; on rail-only domains relay to its rails")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 100'000;
        TransportBench bench("tcp", {}, "RailOnly", 4, 2);
        bench.Send(Time(0), 0, 1, BYTES);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.delivered.size(), 1u, "in the domain");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP messages"), 0u, "without TCP");
        NS_TEST_EXPECT_MSG_EQ(bench.digest.GetFrameCount(), 0u, "without NICs");
        bench.Send(MicroSeconds(1), 0, 3, BYTES);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.delivered.size(), 2u, "to another domain's other rail");
        NS_TEST_EXPECT_MSG_EQ(bench.acknowledged.size(), 2u, "and known");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP connections"), 1u, "from 1 to 3 alone");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP stream bytes"), BYTES + HEADER, "one leg");
        for (const LinkUse& use : bench.cluster->GetLinkUses(Simulator::Now()))
        {
            const bool isInto = use.name.find("accelerator 0 -> HB domain 0") == 0;
            if (isInto)
            {
                NS_TEST_EXPECT_MSG_EQ((use.bytes >= 2 * BYTES), true, "both from 0 to 1");
            }
        }
    }
};

/** Records over which ports the segments with payload go. */
class PortRecorder : public FrameTransmitter::Observer
{
  public:
    void FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t) override
    {
        if (frame.wireBytes > 1000)
        {
            ports.insert(transmitter.GetObject());
        }
    }

    std::set<uint64_t> ports; //!< numbers of transmitters
};

/** Paths. */
class PathTestCase : public TestCase
{
  public:
    PathTestCase()
        : TestCase("Segments take the path that the locality tells, in a tree with choices")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t destination = 4; destination < 16; ++destination)
        {
            TransportBench bench("tcp", {}, "FatTree", 16, 1);
            PortRecorder recorder;
            bench.cluster->SetObserver(&recorder);
            bench.Send(Time(0), 0, destination, 100'000);
            const PathLeg leg = bench.cluster->GetPath(0, destination).legs.at(0);
            Simulator::Run();
            std::set<uint64_t> told;
            for (const PathLink& link : leg.links)
            {
                told.insert(link.id);
            }
            NS_TEST_EXPECT_MSG_EQ((told == recorder.ports), true, "to " << destination);
            NS_TEST_EXPECT_MSG_EQ(leg.mtu, SEGMENT, "a segment");
            NS_TEST_EXPECT_MSG_EQ(leg.mtu + leg.dataOverhead, WIRE, "and its frame");
        }
    }
};

/** Queue discs. */
class QueueDiscTestCase : public TestCase
{
  public:
    QueueDiscTestCase()
        : TestCase("A queue disc holds what the port has no room for")
    {
    }

  private:
    /** @param type of the queue disc, or "" @return when the message has come, us */
    double RunOne(const std::string& type)
    {
        Settings settings = LARGE_WINDOW;
        settings.emplace_back("FabricPort::TcpIpQueueSize", "4p");
        settings.emplace_back("TcpTransport::QueueDisc", type);
        TransportBench bench("tcp", settings);
        bench.Send(Time(0), 0, 1, 1);
        bench.Send(MicroSeconds(100), 0, 1, 50 * SEGMENT - HEADER);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.delivered.size(), 2u, "all");
        const auto port = bench.cluster->GetNetwork()->GetTerminalPort(0);
        const auto control = port->GetNode()->GetObject<TrafficControlLayer>();
        const auto disc = control->GetRootQueueDiscOnDevice(port);
        NS_TEST_EXPECT_MSG_EQ(static_cast<bool>(disc), !type.empty(), "where it is asked for");
        if (disc)
        {
            NS_TEST_EXPECT_MSG_GT(disc->GetStats().nTotalEnqueuedPackets, 50u, "is used");
            NS_TEST_EXPECT_MSG_EQ(disc->GetStats().nTotalDroppedPackets, 0u, "drops nothing");
        }
        const bool hasDrops = bench.GetCounter("drops in stacks of senders") > 0;
        NS_TEST_EXPECT_MSG_EQ(hasDrops, type.empty(), "drops without a queue disc alone");
        return static_cast<double>(bench.delivered.back().tick) / 1e6;
    }

    void DoRun() override
    {
        const double ideal = 102 + 51 * WIRE * BYTE_TICKS / 1e6;
        NS_TEST_EXPECT_MSG_EQ_TOL(RunOne("ns3::FqCoDelQueueDisc"), ideal, 0.1, "no loss");
        NS_TEST_EXPECT_MSG_GT(RunOne(""), ideal + 1, "the stack drops and TCP sends again");
    }
};

/** Refusals. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("What cannot be is refused, with what is allowed")
    {
    }

  private:
    /** @param settings wrong ones @param words part of the refusal @param transport of the cluster */
    void
    Expect(const Settings& settings, const std::string& words, const std::string& transport = "tcp")
    {
        std::string text = "nothing";
        try
        {
            TransportBench bench(transport, settings);
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        Config::Reset();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_NE(text.find(words), std::string::npos, text);
    }

    void DoRun() override
    {
        Expect({}, "it is rdma, tcp or fluid", "udp");
        Expect({{"TcpTransport::CongestionOps", "ns3::TcpCubik"}}, "ns3::TcpCubic");
        Expect({{"TcpTransport::CongestionOps", "ns3::llm::Dcqcn"}}, "ns3::TcpCubic");
        Expect({{"TcpTransport::SegmentSize", "8949"}}, "8948 would");
        Expect({{"TcpTransport::QueueDisc", "ns3::Fq"}}, "ns3::FqCoDelQueueDisc");
        Expect({{"TcpTransport::QueueDisc", "ns3::FqPieQueueDisc"}}, "its timer runs for ever");
        Expect({{"TcpTransport::QueueDisc", "ns3::PieQueueDisc"}}, "its timer runs for ever");
        Expect({{"TopologyHelper::NicsPerAccelerator", "2"}}, "NicsPerAccelerator 2");
    }
};

/** Suite. */
class TcpPathsTestSuite : public TestSuite
{
  public:
    TcpPathsTestSuite()
        : TestSuite("llm-fabric-tcp-paths", TestSuite::Type::UNIT)
    {
        AddTestCase(new TierTestCase);
        AddTestCase(new PathTestCase);
        AddTestCase(new QueueDiscTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

TcpPathsTestSuite g_tcpPathsTestSuite; //!< registers itself

} // namespace
