// SPDX-License-Identifier: GPL-2.0-only

// What is measured of a traffic, and how it is written.

#include "small-network.h"

#include "ns3/test.h"
#include "ns3/traffic-comparison.h"
#include "ns3/traffic-observers.h"
#include "ns3/traffic-outcome.h"
#include "ns3/value-histogram.h"

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Counts of values. */
class HistogramTestCase : public TestCase
{
  public:
    HistogramTestCase()
        : TestCase("Percentiles by nearest rank, in bins, and steps of a distribution")
    {
    }

  private:
    void DoRun() override
    {
        ValueHistogram none(10);
        NS_TEST_EXPECT_MSG_EQ(none.GetPercentile(50), 0u, "nothing was seen");
        NS_TEST_EXPECT_MSG_EQ(none.GetDistribution(10).size(), 0u, "nothing was seen");
        ValueHistogram some(10);
        for (const uint64_t value : {5, 19, 10, 95})
        {
            some.Add(value);
        }
        NS_TEST_EXPECT_MSG_EQ(some.GetTotal(), 4u, "values");
        NS_TEST_EXPECT_MSG_EQ(some.GetMax(), 95u, "exactly");
        NS_TEST_EXPECT_MSG_EQ(some.GetPercentile(25), 0u, "5 lies in the first bin");
        NS_TEST_EXPECT_MSG_EQ(some.GetPercentile(26), 10u, "the second value");
        NS_TEST_EXPECT_MSG_EQ(some.GetPercentile(75), 10u, "the third value");
        NS_TEST_EXPECT_MSG_EQ(some.GetPercentile(76), 90u, "the last value");
        NS_TEST_EXPECT_MSG_EQ(some.GetPercentile(0), 0u, "the first value");
        const auto steps = some.GetDistribution(100);
        NS_TEST_ASSERT_MSG_EQ(steps.size(), 3u, "a step for each bin in use");
        NS_TEST_EXPECT_MSG_EQ(steps[1].value, 10u, "value");
        NS_TEST_EXPECT_MSG_EQ(steps[1].percent, 75.0, "share");
        NS_TEST_EXPECT_MSG_EQ(steps[2].percent, 100.0, "all");
        ValueHistogram many(1);
        for (uint64_t value = 0; value < 10000; ++value)
        {
            many.Add(value);
        }
        const auto few = many.GetDistribution(11);
        NS_TEST_EXPECT_MSG_EQ((few.size() <= 12), true, few.size() << " steps");
        NS_TEST_EXPECT_MSG_EQ(few.back().value, 9999u, "the largest");
        ValueHistogram large(1);
        large.Add(UINT64_MAX);
        NS_TEST_EXPECT_MSG_EQ(large.GetPercentile(50), uint64_t{ValueHistogram::MAX_BINS}, "held");
    }
};

/** Signals and queues of two flows to one host. */
class ObserversTestCase : public TestCase
{
  public:
    ObserversTestCase()
        : TestCase("Acknowledgments, their times and marks, and queues, by hand")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(0));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(0));
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        SignalCounter signals(*net.network);
        net.network->SetObserver(&signals);
        uint32_t looks = 0;
        // while both send, every 0.1 us: 1, 2, ... 20 us
        QueueSampler queues(net.network, NanoSeconds(100), [&looks]() { return ++looks < 200; });
        net.SendIncast(100 * 1000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(signals.acks, 200u, "one a frame");
        NS_TEST_EXPECT_MSG_EQ(signals.rttNs.GetTotal(), 200u, "one a frame");
        // the first frame: 4 us of links, 1082 B and 86 B twice
        NS_TEST_EXPECT_MSG_EQ(signals.rttNs.GetPercentile(0), 4100u, "4186 ns, in bins of 100");
        // the last one waits for 100 frames of the other one, less its own way in
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(signals.rttNs.GetMax()),
                                  4186.9 + 100 * 86.56,
                                  90,
                                  "the last one");
        NS_TEST_EXPECT_MSG_EQ(signals.markedAcks, net.Sum(&PortCounters::marks), "echoes");
        NS_TEST_EXPECT_MSG_EQ((signals.markedAcks >= 190), true, "all that waited were marked");
        NS_TEST_EXPECT_MSG_EQ(signals.telemetryAcks, 0u, "there is no telemetry");
        NS_TEST_EXPECT_MSG_EQ(queues.GetLongest().GetTotal(), 200u, "looks");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(queues.GetLongest().GetMax()),
                                  99 * 1082.,
                                  2 * 1082.,
                                  "half of all frames wait when the last one comes");
        NS_TEST_EXPECT_MSG_EQ(queues.GetLongest().GetPercentile(4), 0u, "none at first");
    }
};

/** @param control name of the control @param queue kB @return an outcome */
TrafficOutcome
MakeOutcome(const std::string& control, double queue)
{
    TrafficOutcome outcome;
    outcome.traffic = "incast";
    outcome.control = control;
    outcome.scene = "a scene";
    outcome.flows = 12;
    outcome.received = 11;
    outcome.completionUs = 1234.5;
    outcome.goodputGbps = 99.5;
    outcome.all = {1000, 2000, 11, 1.5, 2.5, 3.5, 4.5};
    outcome.bySize = {{1000, 1000, 5, 1.25, 2, 3, 4}, {2000, 2000000, 6, 1.75, 2.75, 3.75, 4.75}};
    outcome.queueMedianKb = queue;
    outcome.queuePercentile99Kb = 2 * queue;
    outcome.queueMaxKb = 3 * queue;
    outcome.rttPercentile99Us = 7.5;
    outcome.counters = {{"pauses", 3}, {"ECN marks", 4}, {"congestion notifications", 5}};
    outcome.hops = 1234567;
    outcome.wallSeconds = 0.5;
    outcome.queueBytes = {{0, 50}, {1200, 100}};
    outcome.slowdowns = {{1500, 50}, {4500, 100}};
    return outcome;
}

/** Files. */
class FilesTestCase : public TestCase
{
  public:
    FilesTestCase()
        : TestCase("An outcome comes back from JSON; tables and CSV have all controls, and units")
    {
    }

  private:
    void DoRun() override
    {
        const TrafficOutcome one = MakeOutcome("Dcqcn", 100);
        const TrafficOutcome same = TrafficOutcome::FromJson(one.ToJson());
        NS_TEST_EXPECT_MSG_EQ(same.ToJson(), one.ToJson(), "there and back");
        NS_TEST_EXPECT_MSG_EQ(same.bySize[1].percentile99, 3.75, "a range of sizes");
        NS_TEST_EXPECT_MSG_EQ(same.queueBytes[1].value, 1200u, "a step");
        NS_TEST_EXPECT_MSG_EQ(same.GetCounter("ECN marks"), 4u, "a counter");
        NS_TEST_EXPECT_MSG_EQ(same.GetCounter("drops"), 0u, "none");

        const std::vector<TrafficOutcome> both = {one, MakeOutcome("Hpcc", 10)};
        std::ostringstream csv;
        WriteTrafficCsv(csv, both);
        std::istringstream lines(csv.str());
        std::string header;
        std::string first;
        std::getline(lines, header);
        std::getline(lines, first);
        NS_TEST_EXPECT_MSG_EQ(header.find("traffic,control,flows,received_flows,completion_us,"
                                          "goodput_gbps,median_slowdown_ratio,"),
                              0u,
                              header);
        NS_TEST_EXPECT_MSG_EQ(
            first.find("incast,Dcqcn,12,11,1234.500000,99.500000,1.500000,2.500000,3.500000,"),
            0u,
            first);
        NS_TEST_EXPECT_MSG_EQ(Count(csv.str(), ','), 3 * Count(header, ','), "cells of a line");

        std::ostringstream sizes;
        WriteTrafficSlowdownCsv(sizes, both);
        NS_TEST_EXPECT_MSG_EQ(Count(sizes.str(), '\n'), 5u, "a header and two lines each");
        NS_TEST_EXPECT_MSG_EQ(
            (sizes.str().find("\nincast,Hpcc,2000,2000000,6,1.75") != std::string::npos),
            true,
            sizes.str());

        std::ostringstream table;
        WriteTrafficTables(table, both);
        for (const std::string words : {"incast, 12 flows: a scene", "Dcqcn", "2.0 MB", "3.75"})
        {
            NS_TEST_EXPECT_MSG_EQ((table.str().find(words) != std::string::npos), true, words);
        }
        std::ostringstream summary;
        WriteTrafficSummary(summary, both);
        NS_TEST_EXPECT_MSG_EQ(
            (summary.str().find("traffic=incast control=Hpcc flows=12 ") != std::string::npos),
            true,
            summary.str());
    }

    /** @param text a text @param c a character @return how often it has it */
    static std::size_t Count(const std::string& text, char c)
    {
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
    }
};

/** A folder. */
class FolderTestCase : public TestCase
{
  public:
    FolderTestCase()
        : TestCase("A comparison writes its files, a script with the data for each traffic")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = ReportFolder::MakeTemporary();
        const ReportFolder folder(path);
        WriteTrafficComparison(folder, {MakeOutcome("Dcqcn", 100), MakeOutcome("Hpcc", 10)});
        for (const std::string name : {"report.txt", "comparison.csv", "slowdown.csv"})
        {
            NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(path + "/" + name), true, name);
        }
        const std::string json = folder.Take("comparison.json");
        NS_TEST_EXPECT_MSG_EQ((json.front() == '[' && json.find("\"Hpcc\"") != std::string::npos),
                              true,
                              json);
        const std::string script = folder.Take("incast.gp");
        NS_TEST_EXPECT_MSG_EQ((script.find("title 'Hpcc'") != std::string::npos), true, "a line");
        NS_TEST_EXPECT_MSG_EQ((script.find("\n2000 3.75\n") != std::string::npos),
                              true,
                              "kB and slowdown of the second range");
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(path + "/incast.gp"), false, "it is taken");
        std::filesystem::remove_all(path);
    }
};

/** The suite. */
class TrafficComparisonTestSuite : public TestSuite
{
  public:
    TrafficComparisonTestSuite()
        : TestSuite("llm-fabric-traffic-comparison", TestSuite::Type::UNIT)
    {
        AddTestCase(new HistogramTestCase);
        AddTestCase(new ObserversTestCase);
        AddTestCase(new FilesTestCase);
        AddTestCase(new FolderTestCase);
    }
};

TrafficComparisonTestSuite g_trafficComparisonTestSuite; //!< registers the suite

} // namespace
