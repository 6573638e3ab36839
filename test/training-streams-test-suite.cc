// SPDX-License-Identifier: GPL-2.0-only

#include "refusal.h"
#include "training-mocks.h"

#include "ns3/task-window.h"
#include "ns3/time-resolution.h"
#include "ns3/training-application.h"
#include "ns3/training-job.h"

#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Streams of all parallel dimensions, and messages along CP beside those along PP.
 */

namespace
{

constexpr auto PP = ParallelDimension::PIPELINE; //!< short name
constexpr auto CP = ParallelDimension::CONTEXT;  //!< short name
constexpr auto SEND = TrainingTask::SEND;        //!< short name
constexpr auto RECEIVE = TrainingTask::RECEIVE;  //!< short name

/** What clocks between rooms may add to a time worked out by hand: a few ticks per message. */
constexpr int64_t TICKS = 200;

/**
 * @param kind SEND or RECEIVE
 * @param peer the other rank
 * @param dependencies what must be done before
 * @return a message of 1000 bytes along CP
 */
TrainingTask
ContextMessage(TrainingTask::Kind kind, uint32_t peer, std::vector<uint64_t> dependencies = {})
{
    TrainingTask task = Collective(kind, CP, 1000, std::move(dependencies));
    task.peer = peer;
    return task;
}

/** One rank with a task on each stream. */
class AllStreamsTestCase : public TestCase
{
  public:
    AllStreamsTestCase()
        : TestCase("every dimension has a stream of its own, and messages along PP and CP have")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<TrainingTask> tasks;
        for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
        {
            const auto dimension = static_cast<ParallelDimension>(i);
            tasks.push_back(Collective(TrainingTask::ALL_TO_ALL, dimension, 100));
        }
        for (const auto kind : {SEND, RECEIVE})
        {
            tasks.push_back(PointToPoint(kind, 1, 100));
            tasks.push_back(ContextMessage(kind, 1));
        }
        std::set<TaskWindow::Stream> streams;
        std::set<std::string> names;
        for (const TrainingTask& task : tasks)
        {
            streams.insert(TaskWindow::GetStream(task));
            names.insert(TaskWindow::GetStreamName(TaskWindow::GetStream(task)));
        }
        NS_TEST_EXPECT_MSG_EQ(streams.size(), tasks.size(), "a stream each");
        NS_TEST_EXPECT_MSG_EQ(names.size(), tasks.size(), "with names that differ");
        NS_TEST_EXPECT_MSG_EQ(streams.count(TaskWindow::COMPUTE), 0, "none is that of compute");

        FixedRuntime runtime;
        Ptr<Node> node = CreateObject<Node>();
        auto application = CreateObject<TrainingApplication>();
        application->Configure(0, std::make_unique<ListGraph>(tasks), 1, 1, &runtime);
        node->AddApplication(application);
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(runtime.launched.size(), tasks.size(), "all were handed over");
        for (const auto& record : runtime.launched)
        {
            NS_TEST_EXPECT_MSG_EQ(record.start, PicoSeconds(1), "none waits for another");
        }
    }
};

/** Who takes which message. */
class PairsTestCase : public TestCase
{
  public:
    PairsTestCase()
        : TestCase("a layout keeps pairs along PP and along CP apart")
    {
    }

  private:
    void DoRun() override
    {
        auto layout = JobLayout::MakeIdentity(2);
        layout.AddPair(0, 1);
        layout.AddPair(0, 1, CP);
        layout.AddPair(0, 1, CP);
        layout.AddPair(1, 0, CP);
        NS_TEST_ASSERT_MSG_EQ(layout.GetGroups().size(), 3, "a pair counts once");
        const auto along = [&](uint32_t group)
        {
            return std::string(GetShortName(layout.GetGroups().at(group).dimension));
        };
        const auto pipeline = layout.FindSeat(0, PointToPoint(SEND, 1, 1));
        const auto context = layout.FindSeat(0, ContextMessage(SEND, 1));
        const auto back = layout.FindSeat(0, ContextMessage(RECEIVE, 1));
        NS_TEST_EXPECT_MSG_EQ(along(pipeline.group), "PP", "along PP");
        NS_TEST_EXPECT_MSG_EQ(along(context.group), "CP", "along CP");
        NS_TEST_EXPECT_MSG_NE(context.group, back.group, "each way");
        NS_TEST_EXPECT_MSG_EQ(context.place, 0, "sends");
        NS_TEST_EXPECT_MSG_EQ(back.place, 1, "receives");
        NS_TEST_EXPECT_MSG_NE(
            GetRefusal([&] { layout.AddPair(0, 1, ParallelDimension::DATA); }).find("PP or CP"),
            std::string::npos,
            "no other messages");
    }
};

/** Two ranks that exchange along CP while one waits for the other along PP. */
class ContextJobTestCase : public TestCase
{
  public:
    ContextJobTestCase()
        : TestCase(
              "an exchange along CP does not queue behind messages along PP, and its waits are "
              "exposed communication, never bubble")
    {
    }

  private:
    void DoRun() override
    {
        // a message of 1000 bytes takes 1 us and arrives 1 us later
        auto locality = CreateObject<FlatLocality>(2);
        auto layout = JobLayout::MakeIdentity(2);
        layout.AddPair(0, 1);
        layout.AddPair(0, 1, CP);
        layout.AddPair(1, 0, CP);
        auto job = CreateObject<TrainingJob>();
        job->SetLayout(layout);
        job->SetTransport(
            CreateObject<SerialTransport>(DataRate("8Gbps"), MicroSeconds(1), locality));
        job->SetLocality(locality);
        job->SetGraphFactory(
            [](uint32_t rank)
            {
                using Tasks = std::vector<TrainingTask>;
                return std::make_unique<ListGraph>(rank == 0
                                                       ? Tasks{Compute(MicroSeconds(10)),
                                                               ContextMessage(SEND, 1, {0}),
                                                               ContextMessage(RECEIVE, 1),
                                                               Compute(MicroSeconds(5), {2}),
                                                               PointToPoint(SEND, 1, 1000, {3})}
                                                       : Tasks{PointToPoint(RECEIVE, 0, 1000),
                                                               ContextMessage(SEND, 0),
                                                               ContextMessage(RECEIVE, 0),
                                                               Compute(MicroSeconds(7), {2}),
                                                               Compute(MicroSeconds(3), {0})});
            });
        job->Start();
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(job->IsFinished(), true, "done");
        // rank 0 computes to 15. Rank 1 waits for what is sent at 10 until 12, computes to 19, has the
        // PP message at 17, and computes to 22.
        const auto& ranks = job->GetIterations().GetRanks();
        Check(ranks.at(0).GetTotal(), 22, "iteration");
        Check(ranks.at(0).bubble, 7, "rank 0 waits at the end");
        Check(ranks.at(0).Exposed(CP), 0, "what it needs came early");
        Check(ranks.at(1).Exposed(CP), 12, "rank 1 waits for rank 0 along CP");
        Check(ranks.at(1).Exposed(PP), 0, "hidden");
        Check(ranks.at(1).bubble, 0, "no bubble");
        const auto records = job->GetCollectives().GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 2, "messages along PP and along CP");
        NS_TEST_EXPECT_MSG_EQ(records[0].count, 1, "along PP");
        NS_TEST_EXPECT_MSG_EQ(records[1].count, 2, "along CP");
    }

    /** @param time a time @param us what it should be, us @param name of it */
    void Check(Time time, int64_t us, const std::string& name)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(time, MicroSeconds(us), PicoSeconds(TICKS), name);
    }
};

/** The suite. */
class TrainingStreamsTestSuite : public TestSuite
{
  public:
    TrainingStreamsTestSuite()
        : TestSuite("llm-fabric-training-streams", TestSuite::Type::UNIT)
    {
        AddTestCase(new AllStreamsTestCase);
        AddTestCase(new PairsTestCase);
        AddTestCase(new ContextJobTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingStreamsTestSuite; //!< registers the suite

} // namespace
