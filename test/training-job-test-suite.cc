// SPDX-License-Identifier: GPL-2.0-only

#include "training-mocks.h"

#include "ns3/communicator.h"
#include "ns3/input-error.h"
#include "ns3/run-outcome.h"
#include "ns3/time-resolution.h"
#include "ns3/training-job.h"

#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Jobs: groups, pairs, placement, several jobs, and runs that cannot finish.
 */

namespace
{

constexpr auto TP = ParallelDimension::TENSOR;   //!< short name
constexpr auto PP = ParallelDimension::PIPELINE; //!< short name
constexpr auto DP = ParallelDimension::DATA;     //!< short name

/** What clocks between rooms may add to a time worked out by hand: a few ticks per message. */
constexpr int64_t TICKS = 200;

/** Tasks of a rank. */
using Tasks = std::function<std::vector<TrainingTask>(uint32_t rank)>;

/** Base: makes jobs on a flat cluster. */
class JobTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Make the cluster.
     * @param accelerators how many
     * @param rate of each
     * @param delay of each message
     */
    void MakeCluster(uint32_t accelerators, const std::string& rate, Time delay)
    {
        m_locality = CreateObject<FlatLocality>(accelerators);
        m_transport = CreateObject<SerialTransport>(DataRate(rate), delay, m_locality);
    }

    /**
     * @param layout who is where
     * @param tasks what they do
     * @return a job that has not started
     */
    Ptr<TrainingJob> MakeJob(const JobLayout& layout, const Tasks& tasks)
    {
        auto job = CreateObject<TrainingJob>();
        job->SetLayout(layout);
        job->SetTransport(m_transport);
        job->SetLocality(m_locality);
        job->SetGraphFactory([tasks](uint32_t rank)
                             { return std::make_unique<ListGraph>(tasks(rank)); });
        return job;
    }

    /**
     * @param text what is looked up
     * @param part what must be in it
     */
    void CheckContains(const std::string& text, const std::string& part)
    {
        NS_TEST_EXPECT_MSG_NE(text.find(part), std::string::npos, "'" << part << "' in: " << text);
    }

    /**
     * @param job a finished job
     * @param total its time
     */
    void CheckSums(Ptr<const TrainingJob> job, Time total)
    {
        for (const RankAccount& account : job->GetIterations().GetRanks())
        {
            NS_TEST_EXPECT_MSG_EQ(account.GetTotal(), total, "parts of a rank add up to the job");
        }
    }

    Ptr<FlatLocality> m_locality;     //!< the cluster
    Ptr<SerialTransport> m_transport; //!< carries the messages
};

/** A published job, against its closed form. */
class TwoLayerTestCase : public JobTestCase
{
  public:
    TwoLayerTestCase()
        : JobTestCase("the published two-layer job takes its alpha-beta time within 0.1 %")
    {
    }

  private:
    void DoRun() override
    {
        std::ifstream file(LLM_FABRIC_TEST_DIR "/data/two-layer-job.csv");
        std::string line;
        while (std::getline(file, line) && line.rfind("two-layer-job,", 0) != 0)
        {
        }
        NS_TEST_ASSERT_MSG_EQ(line.empty(), false, "the data file has the row");
        std::istringstream row(line);
        std::string field;
        for (int i = 0; i < 4; ++i)
        {
            std::getline(row, field, ',');
        }
        const double expectedUs = std::stod(field);

        MakeCluster(8, "2400Gbps", MicroSeconds(6));
        auto layout = JobLayout::MakeIdentity(8);
        layout.AddGroup(DP, "DP group 0", {0, 1, 2, 3, 4, 5, 6, 7});
        auto job = MakeJob(layout,
                           [](uint32_t) -> std::vector<TrainingTask>
                           {
                               return {Compute(MicroSeconds(556)),
                                       Collective(TrainingTask::ALL_REDUCE, DP, 16 << 20, {0}),
                                       Compute(MicroSeconds(556), {1}),
                                       Collective(TrainingTask::ALL_REDUCE, DP, 64 << 20, {2})};
                           });
        job->Start();
        Simulator::Run();
        const Time total = Simulator::Now();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(job->IsFinished(), true, "done");
        const IterationRecord& iteration = job->GetIterations().GetIterations().at(0);
        NS_TEST_EXPECT_MSG_EQ_TOL(iteration.end.GetSeconds() * 1e6,
                                  expectedUs,
                                  expectedUs / 1000,
                                  "iteration time, us");
        NS_TEST_EXPECT_MSG_EQ(iteration.sum.compute, MicroSeconds(8 * 2 * 556), "compute");
        NS_TEST_EXPECT_MSG_EQ(iteration.sum.bubble, Time(0), "no rank waits for another");
        CheckSums(job, iteration.end);
        // the simulation ends with the work, but for the last acknowledgments
        NS_TEST_EXPECT_MSG_LT_OR_EQ(total, iteration.end + MicroSeconds(7), "nothing lingers");
        const auto records = job->GetCollectives().GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 2, "two sizes");
        NS_TEST_EXPECT_MSG_EQ(records[1].bytes, 64 << 20, "ordered by size");
        NS_TEST_EXPECT_MSG_EQ(records[1].count, 1, "one operation");
        NS_TEST_EXPECT_MSG_EQ(records[1].rankCount, 8, "seen by 8 ranks");
        // 14 steps of 8 MiB at 300 GB/s and 6 us
        const double stepUs = 8388608 / 300e3 + 6;
        NS_TEST_EXPECT_MSG_EQ_TOL(records[1].max.GetSeconds() * 1e6, 14 * stepUs, 1e-3, "its time");
        NS_TEST_EXPECT_MSG_EQ(job->GetCollectives().GetOpenCount(), 0, "none open");
    }
};

/** Two stages, two micro-batches. */
class PipelineTestCase : public JobTestCase
{
  public:
    PipelineTestCase()
        : JobTestCase("a two-stage pipeline has the bubble and the exposed transfers worked out by "
                      "hand, wherever its ranks are placed")
    {
    }

  private:
    void DoRun() override
    {
        // a message of 1000 bytes takes 1 us and arrives 2 us later
        MakeCluster(5, "8Gbps", MicroSeconds(2));
        JobLayout layout({4, 1});
        layout.AddPair(0, 1);
        layout.AddPair(1, 0);
        layout.AddPair(0, 1);
        NS_TEST_EXPECT_MSG_EQ(layout.GetGroups().size(), 2, "a pair counts once");
        auto job = MakeJob(layout,
                           [](uint32_t rank) -> std::vector<TrainingTask>
                           {
                               if (rank == 0)
                               {
                                   return {Compute(MicroSeconds(10)),
                                           PointToPoint(TrainingTask::SEND, 1, 1000, {0}),
                                           PointToPoint(TrainingTask::RECEIVE, 1, 1000, {1}),
                                           Compute(MicroSeconds(20), {2})};
                               }
                               return {PointToPoint(TrainingTask::RECEIVE, 0, 1000),
                                       Compute(MicroSeconds(30), {0}),
                                       PointToPoint(TrainingTask::SEND, 0, 1000, {1})};
                           });
        job->Start();
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(job->IsFinished(), true, "done");
        // rank 0: compute 0..10, receives what is sent at 43 at 46, computes to 66.
        // rank 1: waits for the send until 10, for the transfer until 13, computes to 43.
        const auto& ranks = job->GetIterations().GetRanks();
        Check(ranks.at(0), 30, 3, 33);
        Check(ranks.at(1), 30, 3, 33);
        CheckSums(job, job->GetIterations().GetIterations().at(0).end);
        NS_TEST_EXPECT_MSG_EQ(job->GetIterations().GetIterations().at(0).lastRank, 0, "ends last");
        const auto records = job->GetCollectives().GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 1, "one size");
        NS_TEST_EXPECT_MSG_EQ(records[0].count, 2, "two messages");
        // from the sender's start, however early the receiver waits
        NS_TEST_EXPECT_MSG_EQ_TOL(records[0].max, MicroSeconds(3), PicoSeconds(TICKS), "time");
    }

    /**
     * @param account of a rank
     * @param compute expected, us
     * @param exposed expected along the pipeline, us
     * @param bubble expected, us
     */
    void Check(const RankAccount& account, int64_t compute, int64_t exposed, int64_t bubble)
    {
        NS_TEST_EXPECT_MSG_EQ(account.compute, MicroSeconds(compute), "compute");
        NS_TEST_EXPECT_MSG_EQ_TOL(account.Exposed(PP),
                                  MicroSeconds(exposed),
                                  PicoSeconds(TICKS),
                                  "exposed PP");
        NS_TEST_EXPECT_MSG_EQ_TOL(account.bubble,
                                  MicroSeconds(bubble),
                                  PicoSeconds(TICKS),
                                  "bubble");
    }
};

/** A slow accelerator, and iterations without a barrier. */
class StragglerTestCase : public JobTestCase
{
  public:
    StragglerTestCase()
        : JobTestCase(
              "a slow accelerator delays its group: the others' wait is exposed communication")
    {
    }

  private:
    void DoRun() override
    {
        MakeCluster(2, "8Gbps", MicroSeconds(1));
        auto layout = JobLayout::MakeIdentity(2);
        layout.AddGroup(DP, "DP group 0", {0, 1});
        layout.AddGroup(TP, "TP group 0", {0});
        layout.AddGroup(TP, "TP group 1", {1});
        layout.SetSlowDown(1, 3);
        auto job = MakeJob(layout,
                           [](uint32_t) -> std::vector<TrainingTask>
                           {
                               return {Compute(MicroSeconds(10)),
                                       Collective(TrainingTask::ALL_REDUCE, TP, 500, {0}),
                                       Collective(TrainingTask::ALL_REDUCE, DP, 2000, {1})};
                           });
        job->SetAttribute("Iterations", UintegerValue(2));
        job->Start();
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(job->IsFinished(), true, "done");
        // The all-reduce has two steps of 1000 bytes (1 us to send, 1 us to arrive). Rank 0's first
        // chunk is long there when rank 1 starts at 30; rank 1 sends both chunks at once, so rank 0
        // is done at 33, and rank 1, which waits for rank 0's answer to the first, at 34.
        const auto& iterations = job->GetIterations().GetIterations();
        for (int64_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(iterations.at(i).end,
                                      MicroSeconds(34 * (i + 1)),
                                      PicoSeconds(TICKS),
                                      "end of iteration " << i);
            NS_TEST_EXPECT_MSG_EQ(iterations.at(i).sum.compute, MicroSeconds(40), "10 and 30 us");
            NS_TEST_EXPECT_MSG_EQ_TOL(iterations.at(i).sum.Exposed(DP),
                                      MicroSeconds(23 + i + 4),
                                      PicoSeconds(TICKS),
                                      "rank 0, which is 1 us ahead in iteration 1, and rank 1");
        }
        NS_TEST_EXPECT_MSG_EQ(iterations.at(1).start, iterations.at(0).end, "back to back");
        CheckSums(job, iterations.at(1).end);
        const auto records = job->GetCollectives().GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 2, "one TP size, one DP size");
        NS_TEST_EXPECT_MSG_EQ(records[0].count, 4, "groups of one count");
        NS_TEST_EXPECT_MSG_EQ_TOL(records[1].max, MicroSeconds(4), PicoSeconds(TICKS), "alone");
        NS_TEST_EXPECT_MSG_EQ_TOL(records[1].rankMax,
                                  MicroSeconds(24),
                                  PicoSeconds(TICKS),
                                  "with the wait for the slow one");
    }
};

/** Two jobs share a transport. */
class TwoJobsTestCase : public JobTestCase
{
  public:
    TwoJobsTestCase()
        : JobTestCase("jobs on disjoint accelerators of one transport run as if alone")
    {
    }

  private:
    /**
     * @param places accelerators of each job
     * @return end of each job
     */
    std::vector<Time> RunJobs(const std::vector<std::vector<uint32_t>>& places)
    {
        MakeCluster(8, "8Gbps", MicroSeconds(1));
        std::vector<Ptr<TrainingJob>> jobs;
        uint32_t owner = 0;
        for (const auto& place : places)
        {
            JobLayout layout(place);
            std::vector<uint32_t> ranks(place.size());
            std::iota(ranks.begin(), ranks.end(), 0);
            layout.AddGroup(DP, "DP group 0", ranks);
            auto job = MakeJob(layout,
                               [](uint32_t) -> std::vector<TrainingTask> {
                                   return {Compute(MicroSeconds(10)),
                                           Collective(TrainingTask::ALL_REDUCE, DP, 3001, {0})};
                               });
            job->SetAttribute("FirstOwner", UintegerValue(owner));
            owner += job->GetOwnerCount();
            job->Start();
            jobs.push_back(job);
        }
        Simulator::Run();
        std::ostringstream text;
        NS_TEST_EXPECT_MSG_EQ(ReportOutcome(jobs, text), EXIT_DONE, text.str());
        NS_TEST_EXPECT_MSG_EQ(text.str(), "", "nothing to say");
        Simulator::Destroy();
        std::vector<Time> ends;
        for (const auto& job : jobs)
        {
            ends.push_back(job->GetIterations().GetIterations().at(0).end);
        }
        return ends;
    }

    void DoRun() override
    {
        const Time alone3 = RunJobs({{0, 1, 2}}).at(0);
        const Time alone5 = RunJobs({{7, 3, 6, 4, 5}}).at(0);
        const auto together = RunJobs({{0, 1, 2}, {7, 3, 6, 4, 5}});
        NS_TEST_EXPECT_MSG_EQ(together.at(0), alone3, "first job");
        NS_TEST_EXPECT_MSG_EQ(together.at(1), alone5, "second job");
        NS_TEST_EXPECT_MSG_NE(alone3, alone5, "the jobs differ");
    }
};

/** Runs that cannot finish. */
class UnfinishedJobTestCase : public JobTestCase
{
  public:
    /** @param busy whether something else keeps the simulator going for ever */
    explicit UnfinishedJobTestCase(bool busy)
        : JobTestCase(std::string("a job that cannot finish names the ranks that wait, ") +
                      (busy ? "even while other events go on" : "when nothing is left to happen")),
          m_busy(busy)
    {
    }

  private:
    /** Keeps the simulator going. */
    static void Idle()
    {
        Simulator::Schedule(MilliSeconds(1), &UnfinishedJobTestCase::Idle);
    }

    void DoRun() override
    {
        MakeCluster(4, "8Gbps", MicroSeconds(1));
        m_transport->m_deaf = {2};
        auto layout = JobLayout::MakeIdentity(4);
        layout.AddGroup(DP, "DP group 0", {0, 1, 2, 3});
        auto job = MakeJob(layout,
                           [](uint32_t) -> std::vector<TrainingTask> {
                               return {Compute(MilliSeconds(30)),
                                       Collective(TrainingTask::ALL_REDUCE, DP, 4000, {0})};
                           });
        job->SetAttribute("Name", StringValue("deaf"));
        job->SetAttribute("StallTime", TimeValue(MilliSeconds(20)));
        job->Start();
        if (m_busy)
        {
            Idle();
        }
        Simulator::Run();
        std::ostringstream text;
        NS_TEST_EXPECT_MSG_EQ(ReportOutcome({job}, text), EXIT_UNFINISHED, "says so");
        NS_TEST_EXPECT_MSG_EQ(job->IsStalled(), true, "the run was stopped");
        // compute keeps the watch calm, so the stop comes 20 to 40 ms after it
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Simulator::Now(), MilliSeconds(80), "soon");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(Simulator::Now(), MilliSeconds(50), "not too soon");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(job->IsFinished(), false, "not done");
        CheckContains(text.str(), "job 'deaf' did not finish");
        CheckContains(text.str(),
                      "rank 2 (accelerator 2), iteration 0: all-reduce of 4000 bytes (DP)");
        CheckContains(text.str(), "DP group 0");
    }

    bool m_busy; //!< something else keeps the simulator going
};

/** Input that does not fit. */
class RefusalTestCase : public JobTestCase
{
  public:
    RefusalTestCase()
        : JobTestCase("layouts that do not fit are refused by name, value and what is allowed")
    {
    }

  private:
    /**
     * @param action must be refused
     * @param parts must be in the message
     */
    void CheckRefused(const std::function<void()>& action, const std::vector<std::string>& parts)
    {
        std::string message;
        try
        {
            action();
        }
        catch (const InputError& error)
        {
            message = error.what();
        }
        for (const std::string& part : parts)
        {
            CheckContains(message, part);
        }
    }

    void DoRun() override
    {
        CheckRefused(
            [] {
                JobLayout({3, 1, 3});
            },
            {"placement", "accelerator 3", "rank 0", "rank 2"});
        auto layout = JobLayout::MakeIdentity(4);
        layout.AddGroup(TP, "TP group 0", {0, 1});
        CheckRefused(
            [&] {
                layout.AddGroup(TP, "TP group 1", {2, 1});
            },
            {"TP group 1", "rank 1", "TP group 0"});
        CheckRefused([&] { layout.AddGroup(DP, "DP group 0", {2, 2}); }, {"rank 2", "already"});
        CheckRefused([&] { layout.AddGroup(PP, "PP group 0", {4}); }, {"rank 4", "4 ranks"});
        CheckRefused([&] { layout.AddPair(1, 1); }, {"pair 1 to 1"});
        CheckRefused([&] { layout.AddPair(0, 9); }, {"rank 9"});
        CheckRefused([&] { layout.SetSlowDown(0, 0); }, {"slow-down", "rank 0", "above 0"});
        CheckRefused([&] { layout.SetSlowDown(7, 1); }, {"slow-down", "rank 7"});
        CheckRefused([&] { layout.CheckFits(3); }, {"rank 3", "accelerator 3", "has 3"});
        CheckRefused([&] { JobLayout().CheckFits(3); }, {"no ranks"});
        MakeCluster(4, "8Gbps", Time(0));
        auto fits = JobLayout::MakeIdentity(2);
        fits.AddGroup(DP, "DP group 0", {0, 1});
        fits.AddGroup(TP, "TP group 0", {0, 1});
        auto job = MakeJob(fits, [](uint32_t) { return std::vector<TrainingTask>(); });
        job->SetAttribute("FirstOwner", UintegerValue(MessageTransport::MAX_OWNERS - 1));
        CheckRefused([&] { job->Start(); }, {"2 communicators", "1048575", "1048576"});
        Simulator::Destroy();
    }
};

/** The suite. */
class TrainingJobTestSuite : public TestSuite
{
  public:
    TrainingJobTestSuite()
        : TestSuite("llm-fabric-training-job", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new TwoLayerTestCase);
        AddTestCase(new PipelineTestCase);
        AddTestCase(new StragglerTestCase);
        AddTestCase(new TwoJobsTestCase);
        AddTestCase(new UnfinishedJobTestCase(false));
        AddTestCase(new UnfinishedJobTestCase(true));
        AddTestCase(new RefusalTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingJobTestSuite; //!< registers the suite

} // namespace
