// SPDX-License-Identifier: GPL-2.0-only

#include "training-mocks.h"

#include "ns3/input-error.h"
#include "ns3/progress-meter.h"
#include "ns3/run-manifest.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/training-job.h"
#include "ns3/training-report.h"

#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Reports in their forms, the manifest, and the progress of a run.
 */

namespace
{

/**
 * @return a report whose figures are all different and odd
 */
TrainingReport
MakeReport()
{
    TrainingReport report;
    report.name = "rail-only";
    report.facts = {{"model", "a \"small\", one"}, {"vocabulary", "50257 padded to 51200"}};
    IterationLog log;
    log.Open(2, 2, PicoSeconds(5));
    RankAccount account;
    account.compute = PicoSeconds(1000001);
    account.exposed = {PicoSeconds(20), PicoSeconds(300), PicoSeconds(4000)};
    account.Exposed(ParallelDimension::WORLD) = PicoSeconds(3);
    account.bubble = PicoSeconds(7);
    const Time first = PicoSeconds(5) + account.GetTotal();
    log.Add(0, 0, account, first);
    log.Add(1, 0, account, first);
    account.compute += PicoSeconds(11);
    log.Add(1, 1, account, first + account.GetTotal());
    account.bubble += PicoSeconds(13);
    log.Add(0, 1, account, first + account.GetTotal());
    log.Close(first + account.GetTotal());
    report.iterations = log.GetIterations();
    report.ranks = log.GetRanks();
    report.accelerators = {3, 1};
    CollectiveReport collective;
    collective.record.dimension = ParallelDimension::DATA;
    collective.record.kind = TrainingTask::REDUCE_SCATTER;
    collective.record.bytes = 3 << 20;
    collective.record.group = 2;
    collective.record.count = 4;
    collective.record.total = PicoSeconds(4000004);
    collective.record.max = PicoSeconds(1000010);
    collective.record.rankCount = 8;
    collective.record.rankTotal = PicoSeconds(9000000);
    collective.record.rankMax = PicoSeconds(1500000);
    collective.groupSize = 2;
    collective.ideal = PicoSeconds(999999);
    report.collectives = {collective};
    report.links = {{"a, b", 12345, DataRate("400Gbps"), 0.25}};
    report.counters = {{"pauses", 17}, {"marks", 0}};
    report.simulated = PicoSeconds(2008686);
    report.wallSeconds = 2.5;
    report.hops = 123456789012;
    return report;
}

/**
 * @param folder of a file
 * @param name of it
 * @return its lines
 */
std::vector<std::string>
ReadLines(const std::string& folder, const std::string& name)
{
    std::ifstream file(folder + "/" + name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/** JSON and back. */
class JsonTestCase : public TestCase
{
  public:
    JsonTestCase()
        : TestCase("a report survives JSON to the picosecond; what is no report is refused")
    {
    }

  private:
    void DoRun() override
    {
        const TrainingReport report = MakeReport();
        const std::string text = ReportToJson(report);
        const TrainingReport back = ReportFromJson(text);
        NS_TEST_EXPECT_MSG_EQ(ReportToJson(back), text, "the same text again");
        NS_TEST_ASSERT_MSG_EQ(back.ranks.size(), 2, "ranks");
        NS_TEST_EXPECT_MSG_EQ(back.ranks[0].bubble, PicoSeconds(7 + 7 + 13), "exact");
        NS_TEST_EXPECT_MSG_EQ(back.ranks[0].GetTotal(), report.simulated, "adds up exactly");
        NS_TEST_EXPECT_MSG_EQ(back.ranks[1].GetTotal(),
                              report.simulated,
                              "with the wait at the end");
        NS_TEST_EXPECT_MSG_EQ(back.accelerators[0], 3, "placement");
        NS_TEST_EXPECT_MSG_EQ(back.collectives.at(0).record.total, PicoSeconds(4000004), "time");
        NS_TEST_EXPECT_MSG_EQ(*back.collectives.at(0).ideal, PicoSeconds(999999), "ideal");
        NS_TEST_EXPECT_MSG_EQ(back.collectives.at(0).bound.has_value(), false, "unknown stays so");
        NS_TEST_EXPECT_MSG_EQ(back.iterations.at(1).start, report.iterations.at(0).end, "start");
        NS_TEST_EXPECT_MSG_EQ(back.iterations.at(1).lastRank, 0, "last rank");
        NS_TEST_EXPECT_MSG_EQ(back.hops, 123456789012, "beyond 32 bits");

        const auto json = nlohmann::json::parse(text);
        const auto& mean = json.at("mean_over_ranks_and_iterations");
        const double sum =
            mean.at("compute_us").get<double>() + mean.at("exposed_tp_us").get<double>() +
            mean.at("exposed_pp_us").get<double>() + mean.at("exposed_dp_us").get<double>() +
            mean.at("exposed_all_us").get<double>() + mean.at("bubble_us").get<double>();
        NS_TEST_EXPECT_MSG_EQ_TOL(sum, 2008686 / 2e6, 1e-12, "the means add up to the iteration");
        NS_TEST_EXPECT_MSG_EQ_TOL(mean.at("iteration_time_us").get<double>(),
                                  sum,
                                  1e-12,
                                  "which is given too");
        for (const std::string wrong : {"", "{}", "[1]", "{\"run\": 3}"})
        {
            bool refused = false;
            try
            {
                ReportFromJson(wrong);
            }
            catch (const InputError&)
            {
                refused = true;
            }
            NS_TEST_EXPECT_MSG_EQ(refused, true, "refused: " << wrong);
        }
    }
};

/** Tables in files and on a terminal. */
class TablesTestCase : public TestCase
{
  public:
    TablesTestCase()
        : TestCase(
              "CSV files have units in their columns and all digits; text has the same figures")
    {
    }

  private:
    void DoRun() override
    {
        const std::string folder = CreateTempDirFilename("report/deep");
        const auto files = WriteReportCsv(folder, "rail-only-", MakeReport());
        NS_TEST_EXPECT_MSG_EQ(files.size(), 5, "five tables");
        const auto ranks = ReadLines(folder, "rail-only-ranks.csv");
        NS_TEST_ASSERT_MSG_EQ(ranks.size(), 3, "a header and two ranks");
        NS_TEST_EXPECT_MSG_EQ(ranks[0],
                              "rank,accelerator,total_us,compute_us,exposed_tp_us,exposed_pp_us,"
                              "exposed_dp_us,exposed_cp_us,exposed_ep_us,exposed_edp_us,"
                              "exposed_emb_us,exposed_all_us,bubble_us",
                              "header: all dimensions, whether they occur or not");
        NS_TEST_EXPECT_MSG_EQ(ranks[1],
                              "0,3,2.008686,2.000013,0.000040,0.000600,0.008000,0.000000,"
                              "0.000000,0.000000,0.000000,0.000006,0.000027",
                              "rank 0");
        // it is done 13 ps before rank 0 and waits for it
        NS_TEST_EXPECT_MSG_EQ(ranks[2],
                              "1,1,2.008686,2.000013,0.000040,0.000600,0.008000,0.000000,"
                              "0.000000,0.000000,0.000000,0.000006,0.000027",
                              "rank 1");
        const auto collectives = ReadLines(folder, "rail-only-collectives.csv");
        NS_TEST_ASSERT_MSG_EQ(collectives.size(), 2, "a header and a row");
        NS_TEST_EXPECT_MSG_EQ(collectives[1],
                              "DP,reduce-scatter,2,3145728,4,1.000001,1.000010,1.125000,1.500000,"
                              "0.999999,",
                              "the row; an unknown bound is empty");
        const auto links = ReadLines(folder, "rail-only-links.csv");
        NS_TEST_EXPECT_MSG_EQ(links.back(), "\"a, b\",12345,400000000000,0.250000", "quoted");
        NS_TEST_EXPECT_MSG_EQ(ReadLines(folder, "rail-only-counters.csv").at(2), "pauses,17", "");
        NS_TEST_EXPECT_MSG_EQ(ReadLines(folder, "rail-only-iterations.csv").size(), 3, "two rows");

        std::ostringstream text;
        WriteReportText(text, MakeReport());
        for (const std::string part :
             {"50257 padded to 51200", "DP reduce-scatter", "3 MiB", "123,456,789,012", "pauses"})
        {
            NS_TEST_EXPECT_MSG_NE(text.str().find(part), std::string::npos, part << " is there");
        }
        std::ostringstream comparison;
        auto other = MakeReport();
        other.name = "fat-tree";
        other.counters.push_back({"drops", 5});
        WriteComparisonText(comparison, {MakeReport(), other});
        NS_TEST_EXPECT_MSG_NE(comparison.str().find("rail-only"), std::string::npos, "first");
        NS_TEST_EXPECT_MSG_NE(comparison.str().find("fat-tree"), std::string::npos, "second");
        for (const std::string part : {"exposed PP", "exposed ALL", "DP communication"})
        {
            NS_TEST_EXPECT_MSG_NE(comparison.str().find(part), std::string::npos, part);
        }
        for (const std::string part : {"exposed CP", "exposed EP", "EP communication"})
        {
            NS_TEST_EXPECT_MSG_EQ(comparison.str().find(part), std::string::npos, part);
            NS_TEST_EXPECT_MSG_EQ(text.str().find(part), std::string::npos, part);
        }
        const std::string drops = comparison.str().substr(comparison.str().find("\ndrops ") + 1);
        std::istringstream row(drops);
        std::string name;
        std::string first;
        std::string second;
        row >> name >> first >> second;
        NS_TEST_EXPECT_MSG_EQ(first + second, "-5", "a counter that one run lacks");

        bool refused = false;
        try
        {
            WriteReportCsv("/proc/nowhere", "", MakeReport());
        }
        catch (const InputError& error)
        {
            refused = std::string(error.what()).find("/proc/nowhere") != std::string::npos;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "a folder that cannot be written is named");
        NS_TEST_EXPECT_MSG_EQ(FormatCount(1234567), "1,234,567", "thousands");
        NS_TEST_EXPECT_MSG_EQ(FormatCount(999), "999", "none");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(uint64_t(5) << 40), "5 TiB", "largest unit");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(1000), "1,000 B", "no binary unit");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(0), "0 B", "nothing");
    }
};

/** The busiest links. */
class BusiestTestCase : public TestCase
{
  public:
    BusiestTestCase()
        : TestCase("the busiest links come first, ties in a fixed order")
    {
    }

  private:
    void DoRun() override
    {
        const DataRate rate("1Gbps");
        const auto links = FindBusiest(
            {{"c", 1, rate, 0.5}, {"a", 2, rate, 0.1}, {"b", 1, rate, 0.5}, {"d", 3, rate, 0.5}},
            3);
        NS_TEST_ASSERT_MSG_EQ(links.size(), 3, "as many as wanted");
        NS_TEST_EXPECT_MSG_EQ(links[0].name + links[1].name + links[2].name, "dbc", "order");
        NS_TEST_EXPECT_MSG_EQ(FindBusiest(links, 9).size(), 3, "no more than there are");
    }
};

/** What a manifest finds. */
class ManifestTestCase : public TestCase
{
  public:
    ManifestTestCase()
        : TestCase(
              "a manifest lists the command, changed defaults, changed objects, seed and versions")
    {
    }

  private:
    void DoRun() override
    {
        const std::string stall = "ns3::llm::TrainingJob::StallTime";
        NS_TEST_EXPECT_MSG_EQ(RunManifest::FindChangedDefaults().count(stall), 0, "not yet");
        Config::SetDefault(stall, StringValue("3ms"));
        auto first = CreateObject<TrainingJob>();
        first->SetAttribute("Iterations", UintegerValue(7));
        auto second = CreateObject<TrainingJob>();
        second->SetAttribute("Iterations", UintegerValue(9));
        auto node = CreateObject<Node>();
        node->AggregateObject(second);

        RunManifest manifest;
        const char* words[] = {"program", "--model=gpt2"};
        manifest.SetCommand(2, words);
        manifest.AddFact("padding", "none");
        manifest.AddObject(first);
        manifest.AddObject(first);
        manifest.AddObject(node);
        const auto changed = RunManifest::FindChangedDefaults();
        Config::SetDefault(stall, StringValue("10s"));
        NS_TEST_ASSERT_MSG_EQ(changed.count(stall), 1, "the default was changed");
        NS_TEST_EXPECT_MSG_NE(changed.at(stall).first, changed.at(stall).second, "to another");
        NS_TEST_EXPECT_MSG_EQ(RunManifest::FindChangedDefaults().count(stall), 0, "changed back");
        const auto& changes = manifest.GetChanges();
        NS_TEST_ASSERT_MSG_EQ(changes.count("ns3::llm::TrainingJob::Iterations"), 1, "set here");
        const auto& iterations = changes.at("ns3::llm::TrainingJob::Iterations");
        NS_TEST_EXPECT_MSG_EQ(iterations.original, "1", "default");
        NS_TEST_EXPECT_MSG_EQ(iterations.values.at("7"), 1, "an object counts once");
        NS_TEST_EXPECT_MSG_EQ(iterations.values.at("9"), 1, "found by aggregation");
        NS_TEST_EXPECT_MSG_EQ(changes.at(stall).values.begin()->second, 2, "through the default");
        NS_TEST_EXPECT_MSG_EQ(changes.count("ns3::llm::TrainingJob::Name"), 0, "not changed");

        const auto json = nlohmann::json::parse(manifest.ToJson());
        NS_TEST_EXPECT_MSG_EQ(json.at("command").at(1).get<std::string>(), "--model=gpt2", "");
        NS_TEST_EXPECT_MSG_EQ(json.at("seed").get<uint32_t>(), RngSeedManager::GetSeed(), "seed");
        NS_TEST_EXPECT_MSG_EQ(json.at("versions").count("compiler"), 1, "compiler");
        NS_TEST_EXPECT_MSG_EQ(json.at("facts").at("padding").get<std::string>(), "none", "fact");
        NS_TEST_EXPECT_MSG_EQ(json.at("global_values").count("SimulatorImplementationType"),
                              1,
                              "engine");
    }
};

/** Progress by a clock of our own. */
class ProgressTestCase : public TestCase
{
  public:
    ProgressTestCase()
        : TestCase(
              "progress comes at the interval of the wall clock, on a terminal in one line, in a "
              "log as lines, quietly not at all")
    {
    }

  private:
    void DoRun() override
    {
        double now = 100;
        ProgressMeter::Work work;
        std::vector<ProgressSnapshot> snapshots;
        ProgressMeter meter([&] { return work; },
                            [&](const ProgressSnapshot& s) { snapshots.push_back(s); },
                            30,
                            [&] { return now; });
        for (int i = 0; i < 1000; ++i)
        {
            now += 0.1; // to 200
            work.share = (now - 100) / 400;
            work.hops = static_cast<uint64_t>((now - 100) * 2e6);
            meter.Tick();
        }
        NS_TEST_ASSERT_MSG_EQ(snapshots.size(), 3, "at 30, 60 and 90 s");
        NS_TEST_EXPECT_MSG_EQ_TOL(snapshots[1].elapsedSeconds, 60, 0.31, "elapsed");
        NS_TEST_EXPECT_MSG_EQ_TOL(snapshots[1].remainingSeconds, 340, 0.31, "400 s in all");
        NS_TEST_EXPECT_MSG_EQ_TOL(meter.GetElapsedSeconds(), 100, 1e-6, "since the start");

        const std::string text = ProgressPrinter::Format(snapshots[1]);
        NS_TEST_EXPECT_MSG_EQ(text, "15 %, 0.00 ms simulated, 2.0 M hops/s, 6 min left", "text");
        NS_TEST_EXPECT_MSG_EQ(PrintTwice(ProgressPrinter::QUIET, snapshots[1]), "", "quiet");
        NS_TEST_EXPECT_MSG_EQ(PrintTwice(ProgressPrinter::LOG, snapshots[1]),
                              "a: " + text + "\nb: " + text + "\n",
                              "log");
        NS_TEST_EXPECT_MSG_EQ(PrintTwice(ProgressPrinter::TERMINAL, snapshots[1]),
                              "\r\033[Ka 15 %  b 15 %  6 min left\r\033[K",
                              "terminal, wiped at the end");
        NS_TEST_EXPECT_MSG_EQ(ProgressPrinter::ChooseMode(true, 0), ProgressPrinter::QUIET, "");
        std::ostringstream out;
        ProgressPrinter printer(out, ProgressPrinter::TERMINAL);
        printer.Print({{"a", ProgressSnapshot()}});
        NS_TEST_EXPECT_MSG_EQ(out.str(), "\r\033[Ka: 0 %, 0.00 ms simulated", "nothing known yet");
    }

    /**
     * @param mode how to print
     * @param snapshot what, as two runs
     * @return what was printed
     */
    std::string PrintTwice(ProgressPrinter::Mode mode, const ProgressSnapshot& snapshot)
    {
        std::ostringstream out;
        {
            ProgressPrinter printer(out, mode);
            printer.Print({{"a", snapshot}, {"b", snapshot}});
        }
        return out.str();
    }
};

/** The suite. */
class TrainingReportTestSuite : public TestSuite
{
  public:
    TrainingReportTestSuite()
        : TestSuite("llm-fabric-training-report", TestSuite::Type::UNIT)
    {
        AddTestCase(new JsonTestCase);
        AddTestCase(new TablesTestCase);
        AddTestCase(new BusiestTestCase);
        AddTestCase(new ManifestTestCase);
        AddTestCase(new ProgressTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingReportTestSuite; //!< registers the suite

} // namespace
