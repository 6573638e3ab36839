// SPDX-License-Identifier: GPL-2.0-only

#include "cluster-conservation.h"
#include "training-mocks.h"

#include "ns3/input-error.h"
#include "ns3/parallel-runs.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/run-outcome.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/training-helper.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <csignal>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * From models and clusters to jobs; what the examples are made of.
 */

namespace
{

/**
 * @param names attributes of a helper, with values as text
 * @param type TypeId of the helper
 * @return the cluster
 */
Ptr<Cluster>
BuildCluster(const std::string& type, const std::map<std::string, std::string>& names)
{
    ObjectFactory factory(type);
    for (const auto& name : names)
    {
        factory.Set(name.first, StringValue(name.second));
    }
    return factory.Create<TopologyHelper>()->Build();
}

/**
 * @param action must be refused
 * @return the message, empty if it was not refused
 */
std::string
GetRefusal(const std::function<void()>& action)
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

/** The published two-layer job on a fluid domain and on one with packets. */
class TwoLayerDomainTestCase : public TestCase
{
  public:
    /** @param fidelity of the domain: fluid or packet */
    explicit TwoLayerDomainTestCase(const std::string& fidelity)
        : TestCase("the published two-layer job in a domain of fidelity " + fidelity),
          m_fidelity(fidelity)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::llm::Communicator::StepLatency", StringValue("6us"));
        // the published figure is payload over rate: no headers and no delay
        Config::SetDefault("ns3::llm::FluidDomain::WireOverhead", DoubleValue(1));
        const Ptr<Cluster> cluster = BuildCluster("ns3::llm::SingleSwitchHelper",
                                                  {{"Accelerators", "8"},
                                                   {"DomainSize", "8"},
                                                   {"DomainRate", "2400Gbps"},
                                                   {"DomainDelay", "1ps"},
                                                   {"DomainFidelity", m_fidelity}});
        auto layout = JobLayout::MakeIdentity(8);
        layout.AddGroup(ParallelDimension::DATA, "DP group 0", {0, 1, 2, 3, 4, 5, 6, 7});
        const std::vector<TrainingTask> tasks = {
            Compute(MicroSeconds(556)),
            Collective(TrainingTask::ALL_REDUCE, ParallelDimension::DATA, 16 << 20, {0}),
            Compute(MicroSeconds(556), {1}),
            Collective(TrainingTask::ALL_REDUCE, ParallelDimension::DATA, 64 << 20, {2})};
        auto job = CreateObject<TrainingJob>();
        job->SetLayout(layout);
        job->SetGraphFactory([&](uint32_t) { return std::make_unique<ListGraph>(tasks); });
        job->SetTransport(cluster->GetTransport());
        job->SetLocality(cluster);
        ClusterConservation conservation(cluster);
        job->Start();
        Simulator::Run();
        conservation.Require();
        NS_TEST_ASSERT_MSG_EQ(job->IsFinished(), true, "done");
        const TrainingReport report = MakeTrainingReport(*job, m_fidelity);
        const double measured = report.GetSummary().iterationUs;
        double ideal = 2 * 556;
        for (const CollectiveReport& collective : report.collectives)
        {
            NS_TEST_ASSERT_MSG_EQ(collective.ideal.has_value(), true, "an ideal time");
            ideal += collective.ideal->GetSeconds() * 1e6;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(*collective.bound, collective.record.max, "not beaten");
            // 7/4 S over 300 GB/s
            NS_TEST_EXPECT_MSG_EQ_TOL(collective.bound->GetSeconds() * 1e6,
                                      1.75 * static_cast<double>(collective.record.bytes) / 300e3,
                                      1e-3,
                                      "the bound");
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(measured, ideal, ideal / 100, "within 1 % of its ideal time");
        if (m_fidelity == "fluid")
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(measured, 1769.3, 1.7693, "within 0.1 % of the published");
        }
        Simulator::Destroy();
        Config::Reset();
    }

    std::string m_fidelity; //!< of the domain
};

/** A small model on a small cluster, end to end. */
class EndToEndTestCase : public TestCase
{
  public:
    EndToEndTestCase()
        : TestCase(
              "a pipeline with TP and DP runs to its end with the hops estimated and parts that "
              "add up")
    {
    }

  private:
    void DoRun() override
    {
        TransformerShape shape;
        shape.name = "small";
        shape.family = "gpt2";
        shape.hidden = 256;
        shape.layers = 4;
        shape.heads = 4;
        shape.keyValueHeads = 4;
        shape.headSize = 64;
        shape.feedForward = 1024;
        shape.vocabulary = 1000;
        shape.maxPositions = 128;
        shape.positionRows = 128;
        ParallelStrategy strategy;
        strategy.tensorParallel = 2;
        strategy.pipelineParallel = 2;
        strategy.dataParallel = 2;
        strategy.globalBatchSize = 8;
        strategy.sequenceLength = 128;
        TransformerWorkload::Config config{TransformerModel(shape),
                                           Accelerator::FromName("H100-SXM"),
                                           strategy,
                                           nullptr,
                                           nullptr,
                                           TransformerWorkloadOptions()};
        const Ptr<const TransformerWorkload> workload = Create<TransformerWorkload>(config, 8);
        const Ptr<Cluster> cluster = BuildCluster("ns3::llm::RailOptimizedHelper",
                                                  {{"Accelerators", "8"}, {"DomainSize", "2"}});
        TrainingHelper helper;
        helper.SetAttribute("Iterations", UintegerValue(2));
        const Ptr<TrainingJob> job = helper.Install(workload, cluster);
        ClusterConservation conservation(cluster);
        job->Start();
        Simulator::Run();
        conservation.Require();
        std::ostringstream text;
        NS_TEST_ASSERT_MSG_EQ(ReportOutcome({job}, text), EXIT_DONE, text.str());
        TrainingReport report = MakeTrainingReport(*job, "end-to-end");
        report.facts = TrainingHelper::Describe(*workload);
        const auto hops = static_cast<double>(cluster->GetHops());
        const auto estimate =
            static_cast<double>(TrainingHelper::EstimateHops(workload, job->GetLayout(), *cluster));
        NS_TEST_EXPECT_MSG_EQ_TOL(hops, 2 * estimate, 0.05 * hops, "hops of two iterations");
        for (const RankAccount& rank : report.ranks)
        {
            NS_TEST_EXPECT_MSG_EQ(rank.GetTotal(), report.simulated, "parts of each rank add up");
            NS_TEST_EXPECT_MSG_GT(rank.bubble, Time(0), "a pipeline has a bubble");
            NS_TEST_EXPECT_MSG_GT(rank.Exposed(ParallelDimension::TENSOR), Time(0), "exposed TP");
        }
        NS_TEST_EXPECT_MSG_EQ(report.facts.at(1).second,
                              "1000 padded to 1024, a multiple of 128 x TP",
                              "padding is told");
        RunManifest manifest;
        const std::string path = CreateTempDirFilename("it's a folder");
        const ReportFolder folder(path);
        folder.Prepare();
        folder.WriteRun(report, manifest);
        const auto reports = folder.Finish({"end-to-end"});
        NS_TEST_EXPECT_MSG_EQ(ReportToJson(reports.at(0)), ReportToJson(report), "gathered");
        for (const std::string name :
             {"report.txt", "report.json", "manifest.json", "iteration.dat"})
        {
            NS_TEST_EXPECT_MSG_EQ(std::ifstream(path + "/" + name).good(), true, name);
        }
        Simulator::Destroy();
    }
};

/** The command line. */
class OptionsTestCase : public TestCase
{
  public:
    OptionsTestCase()
        : TestCase("options are read, and what is wrong is refused with what was probably meant")
    {
    }

  private:
    /** @param words the command line without the program @return the refusal, empty if none */
    std::string Parse(std::vector<std::string> words)
    {
        ProgramOptions options("program", "Does things.");
        options.Add("model", "a text", m_model);
        options.Add("fabric", "one of some", m_fabric, {"fat-tree", "rail-only"});
        options.Add("tp", "a number", m_number, 1, 64);
        options.Add("quiet", "a flag", m_flag);
        options.Add("nicRate", "a rate", m_rate);
        words.insert(words.begin(), "program");
        std::vector<char*> pointers;
        for (std::string& word : words)
        {
            pointers.push_back(word.data());
        }
        return GetRefusal([&]()
                          { options.Parse(static_cast<int>(pointers.size()), pointers.data()); });
    }

    /** @param words the command line @param parts must be in the refusal */
    void CheckRefused(const std::vector<std::string>& words, const std::vector<std::string>& parts)
    {
        const std::string message = Parse(words);
        for (const std::string& part : parts)
        {
            NS_TEST_EXPECT_MSG_NE(message.find(part),
                                  std::string::npos,
                                  "'" << part << "' in: " << message);
        }
    }

    void DoRun() override
    {
        const std::string iterations = "ns3::llm::TrainingJob::Iterations";
        NS_TEST_EXPECT_MSG_EQ(Parse({"--model=a=b",
                                     "--tp",
                                     "8",
                                     "--quiet",
                                     "--fabric=rail-only",
                                     "--nicRate=50GBps",
                                     "--" + iterations + "=5",
                                     "--RngRun=1"}),
                              "",
                              "all right");
        NS_TEST_EXPECT_MSG_EQ(m_model, "a=b", "only the first = parts name and value");
        NS_TEST_EXPECT_MSG_EQ(m_number, 8, "value as the next word");
        NS_TEST_EXPECT_MSG_EQ(m_flag, true, "a flag");
        NS_TEST_EXPECT_MSG_EQ(m_fabric, "rail-only", "a choice");
        NS_TEST_EXPECT_MSG_EQ(m_rate, DataRate("400Gbps"), "a rate");
        NS_TEST_EXPECT_MSG_EQ(RunManifest::FindChangedDefaults().count(iterations), 1, "attribute");
        Config::Reset();
        CheckRefused({"--modle=x"}, {"--modle", "--model"});
        CheckRefused({"--fabric=fattree"}, {"--fabric=fattree", "fat-tree", "rail-only"});
        for (const std::string value : {"0", "65", "-1", "8x", "", "99999999999999999999"})
        {
            CheckRefused({"--tp=" + value}, {"--tp=" + value, "from 1 to 64"});
        }
        CheckRefused({"--tp"}, {"--tp needs a value"});
        CheckRefused({"--quiet=maybe"}, {"--quiet=maybe", "true or false"});
        CheckRefused({"tp=3"}, {"'tp=3'"});
        CheckRefused({"--nicRate=400"}, {"--nicRate=400", "unit", "400Gbps"});
        CheckRefused({"--nicRate=fast"}, {"--nicRate=fast", "400Gbps"});
        CheckRefused({"--ns3::llm::TopologyHelper::NicRate=400"}, {"unit", "400Gbps"});
        CheckRefused({"--ns3::llm::RailOnlyHelper::NicRate=400Gbps"},
                     {"inherited", "--ns3::llm::TopologyHelper::NicRate=400Gbps"});
        CheckRefused({"--ns3::llm::TrainingJob::Iteration=2"}, {"no attribute", "Iterations"});
        CheckRefused({"--ns3::llm::TrainingJobs::Iterations=2"}, {"no type", "TrainingJob"});
        CheckRefused({"--" + iterations + "=many"}, {"many"});
        CheckRefused({"--" + iterations}, {"needs a value"});
        CheckRefused({"--ns3::llm::TrainingJob::StallTime=5"}, {"'5'", "unit"});
        CheckRefused({"--RngRun=x"}, {"--RngRun=x"});
        CheckRefused({"--RngRn=3"}, {"--RngRun"});
        Config::Reset();
    }

    std::string m_model = "x";           //!< gets a text
    std::string m_fabric = "fat-tree";   //!< gets a choice
    uint32_t m_number = 1;               //!< gets a number
    bool m_flag = false;                 //!< gets a flag
    DataRate m_rate = DataRate("1Gbps"); //!< gets a rate
};

/** Runs in processes of their own. */
class ParallelRunsTestCase : public TestCase
{
  public:
    ParallelRunsTestCase()
        : TestCase("runs in processes of their own report progress, status, refusals and deaths")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream out;
        ProgressPrinter printer(out, ProgressPrinter::LOG);
        int inParent = 0;
        const auto results = ParallelRuns({"good", "refused", "killed", "failed"}, 2)
                                 .Run(
                                     [&](uint32_t index, const ProgressMeter::Sink& sink)
                                     {
                                         ++inParent;
                                         ProgressSnapshot snapshot;
                                         snapshot.share = 0.25;
                                         sink(snapshot);
                                         usleep(200000);
                                         if (index == 1)
                                         {
                                             RefuseInput("not like this (expected by a test)");
                                         }
                                         if (index == 2)
                                         {
                                             std::raise(SIGKILL);
                                         }
                                         return index == 3 ? EXIT_UNFINISHED : EXIT_DONE;
                                     },
                                     printer,
                                     0);
        NS_TEST_ASSERT_MSG_EQ(results.size(), 4, "one each");
        NS_TEST_EXPECT_MSG_EQ(results[0], EXIT_DONE, "good");
        NS_TEST_EXPECT_MSG_EQ(results[1], EXIT_REFUSED, "refused");
        NS_TEST_EXPECT_MSG_EQ(results[2], 128 + SIGKILL, "killed");
        NS_TEST_EXPECT_MSG_EQ(results[3], EXIT_UNFINISHED, "failed");
        NS_TEST_EXPECT_MSG_EQ(inParent, 0, "nothing ran here");
        NS_TEST_EXPECT_MSG_NE(out.str().find("good: 25 %"),
                              std::string::npos,
                              "progress came over");
    }
};

/** The suite. */
class TrainingHelperTestSuite : public TestSuite
{
  public:
    TrainingHelperTestSuite()
        : TestSuite("llm-fabric-training-helper", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new OptionsTestCase);
        AddTestCase(new ParallelRunsTestCase);
        AddTestCase(new TwoLayerDomainTestCase("fluid"));
        AddTestCase(new TwoLayerDomainTestCase("packet"));
        AddTestCase(new EndToEndTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingHelperTestSuite; //!< registers the suite

} // namespace
