// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/cluster.h"
#include "ns3/flow-generator.h"
#include "ns3/flow-report.h"
#include "ns3/flow-runner.h"
#include "ns3/flow-statistics.h"
#include "ns3/hpcc-logs.h"
#include "ns3/object-factory.h"
#include "ns3/report-folder.h"
#include "ns3/topology-helper.h"

#include "ns3/test.h"

#include "flow-test-support.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Flows that run, and the statistics of what became of them.
 */

namespace
{

/** Hosts at one switch, links of 100 Gb/s and 1 us, frames of 1000 B and 82 B more, no control. */
class FlowStar
{
  public:
    /** @param hosts so many */
    explicit FlowStar(uint32_t hosts)
    {
        SmallNetwork::SetPlain(1000);
        m_hosts = hosts;
    }

    /** @param flows run them, after attributes and losses are set @param begin from then on */
    void Run(const FlowList& flows, Time begin = Time(0))
    {
        net.MakeStar(m_hosts, "100Gbps");
        runner = std::make_unique<FlowRunner>(net.transport, CreateObject<SmallLocality>(&net));
        Simulator::Schedule(begin, &FlowRunner::Start, runner.get(), flows);
        Simulator::Run();
    }

    /** @param place of a flow @return what became of it */
    const FlowRecord& Get(uint32_t place) const
    {
        return runner->GetRecords().at(place);
    }

    SmallNetwork net;                   //!< the network
    std::unique_ptr<FlowRunner> runner; //!< the runner

  private:
    uint32_t m_hosts; //!< so many
};

/** @param source accelerator @param destination accelerator @param bytes size @return a flow */
Flow
MakeFlow(uint32_t source, uint32_t destination, uint64_t bytes)
{
    Flow flow;
    flow.source = source;
    flow.destination = destination;
    flow.bytes = bytes;
    return flow;
}

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
        FlowRunner runner(cluster->GetTransport(), cluster);
        FlowList flows{MakeFlow(0, 2, 50000), MakeFlow(0, 1, 50000), MakeFlow(0, 3, 50000)};
        flows[1].start = MicroSeconds(100);
        flows[2].start = MicroSeconds(200);
        runner.Start(flows);
        Simulator::Run();
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

/**
 * @param bytes size of the flow
 * @param slowdown of the flow, whose ideal time is 1 us
 * @param flows gets the flow
 * @param records gets what became of it: received, not acknowledged
 */
void
Add(uint64_t bytes, double slowdown, FlowList& flows, std::vector<FlowRecord>& records)
{
    flows.push_back(MakeFlow(0, 1, bytes));
    flows.back().queuePair = 0;
    FlowRecord record;
    record.state = FlowState::RECEIVED;
    record.sent = MicroSeconds(10);
    record.received = MicroSeconds(10) + PicoSeconds(static_cast<int64_t>(1e6 * slowdown));
    record.ideal = {MicroSeconds(1), MicroSeconds(2)};
    records.push_back(record);
}

/** Percentiles and buckets. */
class StatisticsTestCase : public TestCase
{
  public:
    StatisticsTestCase()
        : TestCase("Percentiles and ranges of sizes are those counted by hand")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<double> four{1, 2, 3, 4};
        NS_TEST_EXPECT_MSG_EQ(GetPercentile(four, 0), 1, "0 %");
        NS_TEST_EXPECT_MSG_EQ(GetPercentile(four, 50), 2, "50 % are not larger");
        NS_TEST_EXPECT_MSG_EQ(GetPercentile(four, 50.1), 3, "50.1 %");
        NS_TEST_EXPECT_MSG_EQ(GetPercentile(four, 100), 4, "100 %");

        FlowList flows;
        std::vector<FlowRecord> records;
        for (uint32_t i = 100; i >= 1; --i)
        {
            Add(1000, i, flows, records);
        }
        Add(2000, 7, flows, records);
        Add(3000, 9, flows, records);
        Add(4000, 99, flows, records);
        records.back().state = FlowState::SENT; // does not count
        const auto buckets = GetSlowdowns(flows, records, 4);
        // all of 1000 B are together, though they are more than a quarter
        NS_TEST_ASSERT_MSG_EQ(buckets.size(), 2, "ranges");
        NS_TEST_EXPECT_MSG_EQ(buckets[0].flows, 100, "flows of 1000 B");
        NS_TEST_EXPECT_MSG_EQ(buckets[0].maxBytes, 1000, "largest");
        NS_TEST_EXPECT_MSG_EQ(buckets[0].median, 50, "median");
        NS_TEST_EXPECT_MSG_EQ(buckets[0].percentile95, 95, "95 %");
        NS_TEST_EXPECT_MSG_EQ(buckets[0].percentile99, 99, "99 %");
        NS_TEST_EXPECT_MSG_EQ(buckets[0].max, 100, "max");
        NS_TEST_EXPECT_MSG_EQ(buckets[1].minBytes, 2000, "smallest of the rest");
        NS_TEST_EXPECT_MSG_EQ(buckets[1].maxBytes, 3000, "largest of the rest");
        NS_TEST_EXPECT_MSG_EQ(buckets[1].flows, 2, "the rest");
        std::ostringstream csv;
        WriteSlowdownCsv(csv, buckets);
        NS_TEST_EXPECT_MSG_EQ(csv.str(),
                              "min_size_bytes,max_size_bytes,flows,median_slowdown_ratio,"
                              "p95_slowdown_ratio,p99_slowdown_ratio,max_slowdown_ratio\n"
                              "1000,1000,100,50.000000,95.000000,99.000000,100.000000\n"
                              "2000,3000,2,7.000000,9.000000,9.000000,9.000000\n",
                              "CSV");
    }
};

/** Files. */
class FileTestCase : public TestCase
{
  public:
    FileTestCase()
        : TestCase("Flows are written with units, and as HPCC's simulator writes them")
    {
    }

  private:
    void DoRun() override
    {
        FlowList flows;
        std::vector<FlowRecord> records;
        Add(1500, 2.5, flows, records);
        Add(700, 2, flows, records);
        flows[0].source = 258;
        flows[0].queuePair = 55537;
        for (FlowRecord& record : records)
        {
            record.state = FlowState::ACKNOWLEDGED;
            record.acknowledged = record.received + MicroSeconds(1);
        }
        Add(800, 3, flows, records);
        flows.push_back(MakeFlow(2, 3, 900));
        records.emplace_back();
        std::ostringstream fct;
        WriteHpccFct(fct, flows, records);
        NS_TEST_EXPECT_MSG_EQ(fct.str(),
                              "0b000001 0b000101 10000 100 700 10000 3000 2000\n"
                              "0b010201 0b000101 10001 100 1500 10000 3500 2000\n",
                              "the acknowledged ones, in the order of that");
        std::ostringstream csv;
        WriteFlowsCsv(csv, flows, records);
        const std::string text = csv.str();
        NS_TEST_EXPECT_MSG_EQ(
            text.substr(text.find('\n') + 1),
            "0,258,1,0,1500,acknowledged,10.000000,12.500000,13.500000,1.000000,"
            "2.000000,2.500000\n"
            "1,0,1,0,700,acknowledged,10.000000,12.000000,13.000000,1.000000,"
            "2.000000,2.000000\n"
            "2,0,1,0,800,received,10.000000,13.000000,,1.000000,2.000000,3.000000\n"
            "3,2,3,0,900,waiting,,,,0.000000,0.000000,\n",
            "each flow");
    }
};

/** Pauses and queues. */
class LogTestCase : public TestCase
{
  public:
    LogTestCase()
        : TestCase("Pauses and queue lengths are written as HPCC's simulator writes them")
    {
    }

  private:
    /** Two senders at 100 Gb/s to one receiver, queues by hand. */
    void CheckQueues()
    {
        SmallNetwork::SetPlain(1000);
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        HpccQueueLog log(net.network, MicroSeconds(1), MicroSeconds(5));
        net.SendIncast(20000, 2);
        Simulator::Run();
        // Frames of 1082 B last 86.56 ns and reach the switch in pairs from 1.08656 us on, which then
        // sends one at a time. At 2 us 22 have come and 11 begun to leave, at 3 us 40 and 23, at 4 us
        // 40 and 34, and at 5 us all have left: 11, 17 and 6 frames wait, 11.9, 18.4 and 6.5 kB.
        std::ostringstream out;
        log.Write(out);
        NS_TEST_EXPECT_MSG_EQ(out.str(),
                              "time: 5000\n3 1 3 0 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0 0 1\n"
                              "3 2 6\n3 3 6\n",
                              "counts by kB");
    }

    /** Buffers too small for an incast. */
    void CheckPauses()
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(400000));
        SmallNetwork net;
        net.MakeDumbbell(1, 3, "100Gbps", "400Gbps"); // 400 Gb/s come to a switch that sends 100
        std::ostringstream out;
        HpccPauseLog log(*net.network, out);
        net.network->SetObserver(&log);
        net.SendIncast(200000, 3);
        Simulator::Run();
        std::istringstream in(out.str());
        std::map<uint32_t, int> paused; // by node
        uint64_t pauses = 0;
        uint64_t before = 0;
        uint64_t time;
        uint32_t node;
        for (uint32_t type, port, kind; in >> time >> node >> type >> port >> kind;)
        {
            NS_TEST_EXPECT_MSG_EQ((time >= before && time * 1000 <= net.LastDelivery()),
                                  true,
                                  "in order, in ns");
            // the four hosts come first, so the second switch is 5, and its trunk is its fourth port
            const bool isSender = node >= 1 && node <= 3;
            NS_TEST_EXPECT_MSG_EQ((isSender || node == 5), true, "a sender or its switch");
            NS_TEST_EXPECT_MSG_EQ(type, (isSender ? 0u : 1u), "kind of node");
            NS_TEST_EXPECT_MSG_EQ(port, (isSender ? 1u : 4u), "the port on the way");
            paused[node] += kind == 1 ? 1 : -1;
            NS_TEST_EXPECT_MSG_EQ(paused[node], static_cast<int>(kind), "in turn");
            pauses += kind;
            before = time;
        }
        NS_TEST_EXPECT_MSG_EQ(in.eof(), true, "all lines are numbers");
        NS_TEST_EXPECT_MSG_GT(pauses, 2, "there are some");
        NS_TEST_EXPECT_MSG_EQ(pauses, net.Sum(&PortCounters::pausesReceived), "all of them");
        NS_TEST_EXPECT_MSG_EQ(paused.size(), 4, "of each");
        NS_TEST_EXPECT_MSG_EQ(paused[1] + paused[2] + paused[3] + paused[5], 0, "all are lifted");
    }

    void DoRun() override
    {
        CheckQueues();
        CheckPauses();
    }
};

/** The report. */
class ReportTestCase : public TestCase
{
  public:
    ReportTestCase()
        : TestCase("A report has the files of each run and, where gnuplot is, a picture of all")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = CreateTempDirFilename("it's here");
        const ReportFolder folder(path);
        folder.Prepare();
        FlowStar star(3);
        star.Run({MakeFlow(0, 1, 500), MakeFlow(0, 1, 900), MakeFlow(1, 2, 70000)});
        const auto buckets = WriteFlowReport(folder, "swift, 4 hosts", *star.runner, 3);
        WriteFlowReport(folder, "dcqcn", *star.runner);
        NS_TEST_EXPECT_MSG_EQ(buckets.size(), 3, "ranges");
        for (const std::string name : {"dcqcn-flows.csv", "dcqcn-fct.txt", "dcqcn-slowdown.csv"})
        {
            std::ifstream file(path + "/" + name);
            std::string line;
            int lines = 0;
            while (std::getline(file, line))
            {
                ++lines;
            }
            const bool isHeaded = name.back() == 'v';
            NS_TEST_EXPECT_MSG_EQ(lines, isHeaded ? 4 : 3, name);
        }
        const bool hasGnuplot = std::system("command -v gnuplot > /dev/null 2>&1") == 0;
        NS_TEST_EXPECT_MSG_EQ(DrawSlowdowns(folder, {"swift, 4 hosts", "dcqcn"}),
                              hasGnuplot,
                              "drawn if it can be");
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(path + "/slowdown.png"), hasGnuplot, "there");
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
        AddTestCase(new StatisticsTestCase);
        AddTestCase(new FileTestCase);
        AddTestCase(new LogTestCase);
        AddTestCase(new ReportTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_flowRunnerTestSuite; //!< registers the suite

} // namespace
