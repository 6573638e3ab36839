// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/input-error.h"
#include "ns3/iteration-log.h"
#include "ns3/report-folder.h"
#include "ns3/time-resolution.h"

#include "ns3/test.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Reports of runs in a folder.
 */

namespace
{

/**
 * @param name of the run
 * @param computeMs of each of its two ranks
 * @return a report of one iteration: compute, 2 ms exposed TP, 1 ms bubble
 */
TrainingReport
MakeReport(const std::string& name, uint32_t computeMs)
{
    TrainingReport report;
    report.name = name;
    report.facts = {{"model", "gpt2"}, {"weather", "fine"}, {"strategy", "TP 2"}};
    RankAccount account;
    account.compute = MilliSeconds(computeMs);
    account.exposed[static_cast<std::size_t>(ParallelDimension::TENSOR)] = MilliSeconds(2);
    account.bubble = MilliSeconds(1);
    IterationLog log;
    log.Open(2, 1, Time(0));
    log.Add(0, 0, account, account.GetTotal());
    log.Add(1, 0, account, account.GetTotal());
    log.Close(account.GetTotal());
    report.iterations = log.GetIterations();
    report.ranks = log.GetRanks();
    report.accelerators = {0, 1};
    report.links = {{"a -> b", 1000, DataRate("400Gbps"), 0.5}};
    report.counters = {{"drops", computeMs}};
    report.simulated = account.GetTotal();
    report.wallSeconds = 1;
    return report;
}

/** A test with a folder. */
class FolderTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @param name of a file @return its content */
    std::string Read(const std::string& name) const
    {
        std::ifstream file(m_path + "/" + name);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    /** @return names of all files */
    std::set<std::string> List() const
    {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(m_path))
        {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    /** @param action what @return why it is refused, empty if not */
    static std::string GetRefusal(const std::function<void()>& action)
    {
        try
        {
            action();
        }
        catch (const InputError& error)
        {
            return error.what();
        }
        return "";
    }

    std::string m_path; //!< the folder
};

/** Making the folder. */
class PrepareTestCase : public FolderTestCase
{
  public:
    PrepareTestCase()
        : FolderTestCase("A folder is made with those above it; what cannot be written is refused")
    {
    }

  private:
    void DoRun() override
    {
        m_path = CreateTempDirFilename("deep/deeper");
        ReportFolder(m_path).Prepare();
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::is_directory(m_path), true, "made");
        std::ofstream(m_path + "/kept.txt") << "x";
        ReportFolder(m_path).Prepare();
        NS_TEST_EXPECT_MSG_EQ(List().size(), 1, "an old one stays as it is");
        for (const std::string& path :
             {m_path + "/kept.txt", m_path + "/kept.txt/below", std::string("/proc")})
        {
            const std::string refusal = GetRefusal([&] { ReportFolder(path).Prepare(); });
            NS_TEST_EXPECT_MSG_NE(refusal.find("'" + path + "'"), std::string::npos, refusal);
        }
    }
};

/** Two runs. */
class CompareTestCase : public FolderTestCase
{
  public:
    CompareTestCase()
        : FolderTestCase("Two runs are gathered in one report, one manifest and one table of bars")
    {
    }

  private:
    void DoRun() override
    {
        m_path = CreateTempDirFilename("it's here");
        const ReportFolder folder(m_path);
        folder.Prepare();
        std::ofstream(m_path + "/report.txt") << std::string(100000, 'x');
        for (const std::string name : {"rail-only", "fat-tree"})
        {
            RunManifest manifest;
            const char* words[] = {"program", name.c_str()};
            manifest.SetCommand(2, words);
            folder.WriteRun(MakeReport(name, name == "rail-only" ? 17 : 37), manifest);
        }
        NS_TEST_EXPECT_MSG_EQ(List().count("rail-only.json"), 1, "of a run, for now");
        const auto reports = folder.Finish({"rail-only", "fat-tree"});
        NS_TEST_ASSERT_MSG_EQ(reports.size(), 2, "runs");
        NS_TEST_EXPECT_MSG_EQ(reports[1].simulated, MilliSeconds(40), "as written");

        const auto json = nlohmann::json::parse(Read("report.json"));
        NS_TEST_ASSERT_MSG_EQ(json.is_array(), true, "an array");
        NS_TEST_ASSERT_MSG_EQ(json.size(), 2, "of runs");
        NS_TEST_EXPECT_MSG_EQ(ReportFromJson(json.at(0).dump()).name, "rail-only", "in order");
        NS_TEST_EXPECT_MSG_EQ(ReportFromJson(json.at(1).dump()).name, "fat-tree", "in order");
        const auto manifests = nlohmann::json::parse(Read("manifest.json"));
        NS_TEST_ASSERT_MSG_EQ(manifests.size(), 2, "by run");
        NS_TEST_EXPECT_MSG_EQ(manifests.at("fat-tree").at("command").at(1).get<std::string>(),
                              "fat-tree",
                              "each its own");
        CheckFiles();
        CheckText();
    }

    /** What is there. */
    void CheckFiles()
    {
        std::set<std::string> expected{"report.txt",
                                       "report.json",
                                       "manifest.json",
                                       "iteration.dat",
                                       "iteration.gp"};
        for (const std::string run : {"rail-only", "fat-tree"})
        {
            for (const char* table : {"ranks", "iterations", "collectives", "links", "counters"})
            {
                expected.insert(run + "-" + table + ".csv");
            }
        }
        auto files = List();
        files.erase("iteration.png"); // there if gnuplot is
        const bool isRight = files == expected;
        NS_TEST_EXPECT_MSG_EQ(isRight, true, "these files and no others");
        NS_TEST_EXPECT_MSG_EQ(Read("fat-tree-counters.csv"),
                              "counter,value_count\nhops,0\ndrops,37\n",
                              "CSV");
        const std::string ranks = Read("rail-only-ranks.csv");
        for (const char* column : {"total_us", "compute_us", "exposed_tp_us", "bubble_us"})
        {
            NS_TEST_EXPECT_MSG_LT(ranks.find(column), ranks.find('\n'), "unit in " << column);
        }
        NS_TEST_EXPECT_MSG_NE(ranks.find("\n0,0,20000.000000,17000.000000,2000.000000,"),
                              std::string::npos,
                              ranks);
    }

    /** What a person reads. */
    void CheckText()
    {
        const std::string text = Read("report.txt");
        NS_TEST_EXPECT_MSG_EQ(text.find("xxx"), std::string::npos, "the old one is gone");
        NS_TEST_EXPECT_MSG_NE(text.find("rail-only"), std::string::npos, "one run");
        NS_TEST_EXPECT_MSG_NE(text.find("fat-tree"), std::string::npos, "the other");
        NS_TEST_EXPECT_MSG_EQ(Read("iteration.dat"),
                              "fabric compute \"exposed TP\" \"bubble, peers late\"\n"
                              "rail-only 17.000000 2.000000 1.000000\n"
                              "fat-tree 37.000000 2.000000 1.000000\n",
                              "milliseconds, of the dimensions that occur");
        const std::string script = Read("iteration.gp");
        NS_TEST_EXPECT_MSG_NE(script.find("\nset title \"gpt2; TP 2\" noenhanced\n"),
                              std::string::npos,
                              "the facts that matter");
        const bool hasGnuplot = std::system("command -v gnuplot > /dev/null 2>&1") == 0;
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(m_path + "/iteration.png"),
                              hasGnuplot,
                              "drawn if it can be, also in a folder with a quote in its name");
    }
};

/** A run that is not there. */
class MissingRunTestCase : public FolderTestCase
{
  public:
    MissingRunTestCase()
        : FolderTestCase("A run that was not written, or not whole, is refused by name")
    {
    }

  private:
    void DoRun() override
    {
        m_path = CreateTempDirFilename("missing");
        const ReportFolder folder(m_path);
        folder.Prepare();
        folder.WriteRun(MakeReport("here", 1), RunManifest());
        const auto gather = [&]
        {
            folder.Finish({"here", "gone"});
        };
        const std::string refusal = GetRefusal(gather);
        NS_TEST_EXPECT_MSG_NE(refusal.find("gone.json"), std::string::npos, refusal);
        folder.WriteRun(MakeReport("here", 1), RunManifest());
        std::filesystem::remove(m_path + "/here-manifest.json");
        const std::string second = GetRefusal([&] { folder.Finish({"here"}); });
        NS_TEST_EXPECT_MSG_NE(second.find("here-manifest.json"), std::string::npos, second);
    }
};

/** The suite. */
class ReportFolderTestSuite : public TestSuite
{
  public:
    ReportFolderTestSuite()
        : TestSuite("llm-fabric-report-folder", TestSuite::Type::UNIT)
    {
        AddTestCase(new PrepareTestCase);
        AddTestCase(new CompareTestCase);
        AddTestCase(new MissingRunTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_reportFolderTestSuite; //!< registers the suite

} // namespace
