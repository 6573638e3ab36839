// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/cluster.h"
#include "ns3/flow-generator.h"
#include "ns3/flow-runner.h"
#include "ns3/flow-statistics.h"
#include "ns3/object-factory.h"
#include "ns3/topology-helper.h"

#include "cluster-conservation.h"
#include "flow-test-support.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Flows that run.
 */

namespace
{

/** One flow. */
class AloneTestCase : public TestCase
{
  public:
    AloneTestCase()
        : TestCase("A flow alone takes its ideal time, to the tick")
    {
    }

  private:
    void DoRun() override
    {
        FlowStar star(2);
        Flow flow = MakeFlow(0, 1, 2500);
        flow.start = MicroSeconds(3);
        star.Run({flow}, MicroSeconds(50));
        const FlowRecord& record = star.Get(0);
        NS_TEST_EXPECT_MSG_EQ(record.sent, MicroSeconds(53), "start");
        // 1082, 1082 and 582 B at 80 ps a byte, the first stored at the switch; two links of 1 us
        const Time ideal = PicoSeconds(3828 * 80 + 2000000);
        NS_TEST_EXPECT_MSG_EQ(record.ideal.delivered, ideal, "ideal");
        NS_TEST_EXPECT_MSG_EQ(record.received - record.sent,
                              ideal + PicoSeconds(2),
                              "a tick for each call between transport and runner");
        NS_TEST_EXPECT_MSG_EQ(record.acknowledged - record.received,
                              PicoSeconds(2 * 86 * 80 + 2000000),
                              "the acknowledgment of 86 B");
        NS_TEST_EXPECT_MSG_EQ_TOL(record.GetSlowdown(), 1, 1e-6, "slowdown");
    }
};

/** Two flows that meet. */
class MeetTestCase : public TestCase
{
  public:
    MeetTestCase()
        : TestCase("Two flows to one receiver keep its link busy until both are there")
    {
    }

  private:
    void DoRun() override
    {
        FlowStar star(3);
        star.Run({MakeFlow(0, 2, 100000), MakeFlow(1, 2, 100000), MakeFlow(0, 1, 1000)});
        const Time last = std::max(star.Get(0).received, star.Get(1).received);
        // a frame of 1082 B to the switch, then 200 of them to the receiver
        const int64_t busy = 201 * 1082 * 80 + 2000000;
        NS_TEST_EXPECT_MSG_EQ(last,
                              PicoSeconds(busy + 2),
                              "both, while the third takes none of that link");
        NS_TEST_EXPECT_MSG_GT(std::min(star.Get(0).GetSlowdown(), star.Get(1).GetSlowdown()),
                              1.7,
                              "they share");
        NS_TEST_EXPECT_MSG_EQ(star.net.transport->GetCounters().payloadBytes,
                              201000,
                              "all bytes are acknowledged once");
        NS_TEST_EXPECT_MSG_EQ(star.net.transport->GetCounters().messagesSent, 3, "messages");
    }
};

/** Flows that wait for others. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("A flow starts when, and so long after, the one it waits for got so far")
    {
    }

  private:
    void DoRun() override
    {
        Flow onReceipt = MakeFlow(1, 2, 0); // no bytes, yet a flow that others wait for
        onReceipt.after = 0;
        onReceipt.afterState = FlowState::RECEIVED;
        onReceipt.start = MicroSeconds(5);
        Flow onAcknowledgment = MakeFlow(0, 2, 500);
        onAcknowledgment.after = 0;
        Flow second = MakeFlow(2, 1, 500); // of a chain
        second.after = 1;
        second.afterState = FlowState::RECEIVED;
        FlowStar star(3);
        star.Run({MakeFlow(0, 1, 5000), onReceipt, onAcknowledgment, second});
        NS_TEST_EXPECT_MSG_EQ(star.runner->GetFinishedCount(), 4, "all end");
        NS_TEST_EXPECT_MSG_EQ(star.Get(1).sent, star.Get(0).received + MicroSeconds(5), "5 us");
        NS_TEST_EXPECT_MSG_EQ(star.Get(2).sent, star.Get(0).acknowledged, "at once");
        NS_TEST_EXPECT_MSG_EQ(star.Get(3).sent, star.Get(1).received, "the next one");
        NS_TEST_EXPECT_MSG_EQ(star.runner->DescribeUnfinished().empty(), true, "none is left");
    }
};

/** Flows that do not end. */
class UnfinishedTestCase : public TestCase
{
  public:
    UnfinishedTestCase()
        : TestCase("Flows that cannot end are listed with what they wait for")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout", StringValue("20us"));
        Config::SetDefault("ns3::llm::RdmaTransport::MaxTimeouts", UintegerValue(1));
        FlowStar star(3);
        // host 1 gets nothing, and what host 2 acknowledges is lost
        star.net.isLost = [](const Frame& frame)
        {
            return frame.kind == FrameKind::DATA ? frame.destination == 1 : frame.source == 2;
        };
        Flow follower = MakeFlow(1, 2, 500);
        follower.after = 0;
        follower.afterState = FlowState::RECEIVED;
        follower.start = MicroSeconds(1);
        star.Run({MakeFlow(0, 1, 500), follower, MakeFlow(2, 0, 500), MakeFlow(0, 2, 500)});
        const std::vector<std::string> expected{
            "flow 0 from accelerator 0 to accelerator 1, 500 B, was sent and waits to be received",
            "flow 1 from accelerator 1 to accelerator 2, 500 B, waits for flow 0 to be received, "
            "and then for its start",
            "flow 3 from accelerator 0 to accelerator 2, 500 B, was received and waits to be "
            "acknowledged"};
        const auto lines = star.runner->DescribeUnfinished();
        NS_TEST_ASSERT_MSG_EQ(lines.size(), expected.size(), "all but flow 2");
        for (std::size_t i = 0; i < lines.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(lines[i], expected[i], "in the order of the list");
        }
        const auto few = star.runner->DescribeUnfinished(1);
        NS_TEST_ASSERT_MSG_EQ(few.size(), 2, "bounded");
        NS_TEST_EXPECT_MSG_EQ(few[1], "and 2 more flows", "the rest is counted");
    }
};

/** Random flows, twice. */
class RepeatTestCase : public TestCase
{
  public:
    RepeatTestCase()
        : TestCase("The same seed gives the same flows and times, under both engines; none beats "
                   "its ideal time, no byte is lost")
    {
    }

  private:
    /** @param isFrameEngine which engine @param stream first stream @return the flows' file */
    std::string Make(bool isFrameEngine, int64_t stream)
    {
        SmallNetwork::ChooseEngine(isFrameEngine);
        FlowStar star(8);
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::Dcqcn"));
        FlowList flows;
        FlowGenerator generator(8);
        generator.AssignStreams(stream);
        FlowGenerator::Poisson traffic;
        traffic.load = 0.7;
        traffic.rate = DataRate("100Gbps");
        traffic.duration = MicroSeconds(100);
        generator.Add(flows, FlowSizeDistribution({{0, 0}, {20000, 90}, {200000, 100}}), traffic);
        star.Run(flows);
        NS_TEST_EXPECT_MSG_EQ(star.runner->GetFinishedCount(), flows.size(), "all end");
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < flows.size(); ++i)
        {
            bytes += flows[i].bytes;
            NS_TEST_EXPECT_MSG_GT(star.Get(i).GetSlowdown(), 1, "flow " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(star.net.transport->GetCounters().payloadBytes, bytes, "bytes");
        std::ostringstream text;
        WriteFlowsCsv(text, star.runner->GetFlows(), star.runner->GetRecords());
        return text.str();
    }

    void DoRun() override
    {
        const std::string first = Make(true, 1);
        NS_TEST_EXPECT_MSG_EQ((Make(true, 1) == first), true, "again");
        NS_TEST_EXPECT_MSG_EQ((Make(false, 1) == first), true, "under ns-3's engine");
        NS_TEST_EXPECT_MSG_NE((Make(true, 5) == first), true, "other streams");
        SmallNetwork::ChooseEngine(true);
    }
};

/** On a cluster. */
class ClusterTestCase : public TestCase
{
  public:
    ClusterTestCase()
        : TestCase("Alone over NICs, through a fluid domain and by a relay, a flow takes its ideal "
                   "time but for ticks")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::NoCongestionControl"));
        ObjectFactory factory("ns3::llm::RailOnlyHelper");
        factory.Set("Accelerators", UintegerValue(4));
        factory.Set("DomainSize", UintegerValue(2));
        const auto cluster = factory.Create<TopologyHelper>()->Build();
        ClusterConservation conservation(cluster);
        FlowRunner runner(cluster->GetTransport(), cluster);
        FlowList flows{MakeFlow(0, 2, 50000), MakeFlow(0, 1, 50000), MakeFlow(0, 3, 50000)};
        flows[1].start = MicroSeconds(100);
        flows[2].start = MicroSeconds(200);
        runner.Start(flows);
        Simulator::Run();
        conservation.Require();
        for (uint32_t i = 0; i < 3; ++i)
        {
            const FlowRecord& record = runner.GetRecords()[i];
            const Time excess = record.received - record.sent - record.ideal.delivered;
            NS_TEST_EXPECT_MSG_EQ((record.state == FlowState::ACKNOWLEDGED), true, "flow " << i);
            NS_TEST_EXPECT_MSG_GT(excess, PicoSeconds(1), "flow " << i);
            NS_TEST_EXPECT_MSG_LT(excess, PicoSeconds(10), "flow " << i);
        }
        Simulator::Destroy();
        cluster->Dispose();
        Config::Reset();
    }
};

/** Queue pairs. */
class QueuePairTestCase : public TestCase
{
  public:
    QueuePairTestCase()
        : TestCase("Flows get queue pairs of their own beside those that were asked for")
    {
    }

  private:
    void DoRun() override
    {
        FlowList flows(5, MakeFlow(0, 1, 10));
        flows[2].queuePair = 1;
        flows[3].queuePair = 1;
        flows.push_back(MakeFlow(1, 0, 10));
        FlowStar star(2);
        star.Run(flows);
        const std::vector<uint32_t> expected{0, 2, 1, 1, 3, 0};
        for (uint32_t i = 0; i < flows.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(star.runner->GetFlows()[i].queuePair, expected[i], "flow " << i);
        }
        NS_TEST_EXPECT_MSG_GT(star.Get(3).received, star.Get(2).received, "in order in one");
    }
};

/** The suite. */
class FlowRunnerTestSuite : public TestSuite
{
  public:
    FlowRunnerTestSuite()
        : TestSuite("llm-fabric-flow-runner", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new AloneTestCase);
        AddTestCase(new MeetTestCase);
        AddTestCase(new OrderTestCase);
        AddTestCase(new UnfinishedTestCase);
        AddTestCase(new RepeatTestCase);
        AddTestCase(new ClusterTestCase);
        AddTestCase(new QueuePairTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_flowRunnerTestSuite; //!< registers the suite

} // namespace
