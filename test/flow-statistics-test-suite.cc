// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/flow-report.h"
#include "ns3/flow-statistics.h"
#include "ns3/hpcc-logs.h"
#include "ns3/report-folder.h"

#include "flow-test-support.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Statistics and files of flows that have run.
 */

namespace
{

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
            NS_TEST_EXPECT_MSG_EQ(lines, (isHeaded ? 4 : 3), name);
        }
        const bool hasGnuplot = std::system("command -v gnuplot > /dev/null 2>&1") == 0;
        NS_TEST_EXPECT_MSG_EQ(DrawSlowdowns(folder, {"swift, 4 hosts", "dcqcn"}),
                              hasGnuplot,
                              "drawn if it can be");
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(path + "/slowdown.png"), hasGnuplot, "there");
    }
};

/** The suite. */
class FlowStatisticsTestSuite : public TestSuite
{
  public:
    FlowStatisticsTestSuite()
        : TestSuite("llm-fabric-flow-statistics", TestSuite::Type::SYSTEM)
    {
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
} g_flowStatisticsTestSuite; //!< registers the suite

} // namespace
