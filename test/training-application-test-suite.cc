// SPDX-License-Identifier: GPL-2.0-only

#include "training-mocks.h"

#include "ns3/task-window.h"
#include "ns3/time-resolution.h"
#include "ns3/training-application.h"

#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Streams, dependencies, and where the time of a rank goes, against timelines worked out by hand.
 */

namespace
{

constexpr auto TP = ParallelDimension::TENSOR;        //!< short name
constexpr auto PP = ParallelDimension::PIPELINE;      //!< short name
constexpr auto DP = ParallelDimension::DATA;          //!< short name
constexpr auto ALL_REDUCE = TrainingTask::ALL_REDUCE; //!< short name

/** Base: runs one rank on one node. */
class ApplicationTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Run one rank to its end.
     * @param tasks its tasks
     * @param iterations how many iterations
     * @param slowDown factor on compute
     * @param window its window
     */
    void RunRank(std::vector<TrainingTask> tasks,
                 uint32_t iterations = 1,
                 double slowDown = 1,
                 uint32_t window = 100)
    {
        Ptr<Node> node = CreateObject<Node>();
        auto application = CreateObject<TrainingApplication>();
        application->SetAttribute("Window", UintegerValue(window));
        application->Configure(7,
                               std::make_unique<ListGraph>(std::move(tasks)),
                               iterations,
                               slowDown,
                               &m_runtime);
        node->AddApplication(application);
        Simulator::Run();
        m_left = application->DescribeUnfinished();
        Simulator::Destroy();
    }

    /**
     * Check the only iteration's account, in ps.
     * @param compute expected compute
     * @param tensor expected exposed TP communication
     * @param pipeline expected exposed PP communication
     * @param data expected exposed DP communication
     * @param bubble expected bubble
     */
    void
    CheckAccount(int64_t compute, int64_t tensor, int64_t pipeline, int64_t data, int64_t bubble)
    {
        NS_TEST_ASSERT_MSG_EQ(m_runtime.iterations.size(), 1, "one iteration");
        const auto& iteration = m_runtime.iterations.front();
        const RankAccount& account = iteration.account;
        NS_TEST_EXPECT_MSG_EQ(account.compute, PicoSeconds(compute), "compute");
        NS_TEST_EXPECT_MSG_EQ(account.Exposed(TP), PicoSeconds(tensor), "exposed TP");
        NS_TEST_EXPECT_MSG_EQ(account.Exposed(PP), PicoSeconds(pipeline), "exposed PP");
        NS_TEST_EXPECT_MSG_EQ(account.Exposed(DP), PicoSeconds(data), "exposed DP");
        NS_TEST_EXPECT_MSG_EQ(account.bubble, PicoSeconds(bubble), "bubble");
        NS_TEST_EXPECT_MSG_EQ(account.GetTotal(), iteration.end, "parts add up to the iteration");
    }

    FixedRuntime m_runtime;          //!< carries out and listens
    std::vector<std::string> m_left; //!< what was unfinished at the end
};

/** Two layers: an all-reduce runs under the second layer and outlasts it. */
class OverlapTestCase : public ApplicationTestCase
{
  public:
    OverlapTestCase()
        : ApplicationTestCase("a collective runs under compute; only what outlasts it is exposed")
    {
    }

  private:
    void DoRun() override
    {
        // compute 0..100 and 100..250; all-reduce handed over at 101, done at 401; compute 401..411
        RunRank({Compute(PicoSeconds(100)),
                 Collective(ALL_REDUCE, DP, 300, {0}),
                 Compute(PicoSeconds(150)),
                 Compute(PicoSeconds(10), {1})});
        CheckAccount(260, 0, 0, 151, 0);
        NS_TEST_EXPECT_MSG_EQ(m_runtime.ranksDone.at(7), PicoSeconds(411), "end of the rank");
        NS_TEST_EXPECT_MSG_EQ(m_runtime.launched.front().start, PicoSeconds(101), "one tick later");
    }
};

/** Streams of several dimensions side by side. */
class StreamsTestCase : public ApplicationTestCase
{
  public:
    StreamsTestCase()
        : ApplicationTestCase("streams run side by side, each in order; idle time is blamed on the "
                              "earliest unfinished obstacle")
    {
    }

  private:
    void DoRun() override
    {
        // TP 1..201, then the second TP 202..302; DP 1..251; compute needs the second TP and DP:
        // until 251 its earliest obstacle is DP (task 1), from then to 302 the second TP (task 2)
        RunRank({Collective(ALL_REDUCE, TP, 200),
                 Collective(ALL_REDUCE, DP, 250),
                 Collective(ALL_REDUCE, TP, 100),
                 Compute(PicoSeconds(40), {1, 2})});
        CheckAccount(40, 51, 0, 251, 0);
        NS_TEST_EXPECT_MSG_EQ(m_runtime.launched.at(0).task.id, 0, "handed over in graph order");
        NS_TEST_EXPECT_MSG_EQ(m_runtime.launched.at(1).task.id, 1, "handed over in graph order");
        NS_TEST_EXPECT_MSG_EQ(m_runtime.launched.at(2).start, PicoSeconds(202), "second TP");
    }
};

/** The blame goes through a chain of waiting tasks down to the one that runs. */
class ChainTestCase : public ApplicationTestCase
{
  public:
    ChainTestCase()
        : ApplicationTestCase("idle time goes to the running task at the end of a chain of waits")
    {
    }

  private:
    void DoRun() override
    {
        // DP all-gather 1..101, TP all-reduce needs it: 102..152; compute 152..162
        RunRank({Collective(TrainingTask::ALL_GATHER, DP, 100),
                 Collective(ALL_REDUCE, TP, 50, {0}),
                 Compute(PicoSeconds(10), {1})});
        CheckAccount(10, 51, 0, 101, 0);
    }
};

/** What is left to do after the last compute task is exposed as well. */
class TailTestCase : public ApplicationTestCase
{
  public:
    TailTestCase()
        : ApplicationTestCase("communication after the last compute task is exposed; an empty "
                              "collective costs its tick")
    {
    }

  private:
    void DoRun() override
    {
        RunRank({Compute(PicoSeconds(30)),
                 Collective(ALL_REDUCE, TP, 0, {0}),
                 Collective(ALL_REDUCE, DP, 70, {1})});
        CheckAccount(30, 1, 0, 71, 0);
    }
};

/** A receive is bubble until the peer sends, then exposed communication. */
class BubbleTestCase : public ApplicationTestCase
{
  public:
    /** @param peerStart when the peer begins to send, ps
     *  @param pipeline expected exposed PP communication, ps
     *  @param bubble expected bubble, ps */
    BubbleTestCase(int64_t peerStart, int64_t pipeline, int64_t bubble)
        : ApplicationTestCase("a receive is bubble until its peer sends at " +
                              std::to_string(peerStart) + " ps, exposed from then on"),
          m_peerStart(peerStart),
          m_pipeline(pipeline),
          m_bubble(bubble)
    {
    }

  private:
    void DoRun() override
    {
        // compute 0..20, receive 1..101, compute 101..106: idle 20..101
        m_runtime.peerStart = PicoSeconds(m_peerStart);
        RunRank({Compute(PicoSeconds(20)),
                 PointToPoint(TrainingTask::RECEIVE, 3, 100),
                 Compute(PicoSeconds(5), {1})});
        CheckAccount(25, 0, m_pipeline, 0, m_bubble);
    }

    int64_t m_peerStart; //!< ps
    int64_t m_pipeline;  //!< ps
    int64_t m_bubble;    //!< ps
};

/** Several iterations, slowed down, through a window of one task. */
class IterationsTestCase : public ApplicationTestCase
{
  public:
    IterationsTestCase()
        : ApplicationTestCase(
              "iterations repeat exactly; a slow-down factor stretches compute alone")
    {
    }

  private:
    void DoRun() override
    {
        RunRank({Compute(PicoSeconds(101)), Collective(ALL_REDUCE, TP, 60, {0})}, 3, 1.5, 1);
        NS_TEST_ASSERT_MSG_EQ(m_runtime.iterations.size(), 3, "three iterations");
        for (uint32_t i = 0; i < 3; ++i)
        {
            const auto& iteration = m_runtime.iterations[i];
            NS_TEST_EXPECT_MSG_EQ(iteration.iteration, i, "in order");
            // 101 x 1.5 = 151.5, rounded away from zero
            NS_TEST_EXPECT_MSG_EQ(iteration.account.compute, PicoSeconds(152), "stretched");
            NS_TEST_EXPECT_MSG_EQ(iteration.account.Exposed(TP), PicoSeconds(61), "not stretched");
            NS_TEST_EXPECT_MSG_EQ(iteration.end, PicoSeconds(213 * (i + 1)), "back to back");
        }
    }
};

/** A rank that waits for ever says for what. */
class UnfinishedTestCase : public ApplicationTestCase
{
  public:
    UnfinishedTestCase()
        : ApplicationTestCase("what a rank waits for is described")
    {
    }

  private:
    void DoRun() override
    {
        // the first pair can never end: Launch() is told a size that ends after the run's horizon
        Simulator::Stop(PicoSeconds(500));
        TrainingTask receive = PointToPoint(TrainingTask::RECEIVE, 3, 1000);
        receive.label = "forward";
        receive.microBatch = 2;
        RunRank({receive, Compute(PicoSeconds(5), {0})});
        NS_TEST_ASSERT_MSG_EQ(m_left.size(), 2, "two streams have a head");
        NS_TEST_EXPECT_MSG_EQ(
            m_left.at(0),
            "compute of +5e-06us [task 1] waits for the receive of 1000 bytes from "
            "rank 3 [task 0, forward, micro-batch 2]",
            "compute stream");
        NS_TEST_EXPECT_MSG_NE(m_left.at(1).find("runs since +0us"),
                              std::string::npos,
                              m_left.at(1));
    }
};

/** The window takes no more than it may hold. */
class WindowTestCase : public TestCase
{
  public:
    WindowTestCase()
        : TestCase("tasks are taken lazily, and a full window is named when nothing moves")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<TrainingTask> tasks(1000, Compute(PicoSeconds(1)));
        ListGraph graph(tasks);
        TaskWindow window(graph, 16);
        window.Restart();
        NS_TEST_EXPECT_MSG_EQ(graph.GetTaken(), 16, "taken at first");
        NS_TEST_EXPECT_MSG_EQ(window.FindBlocker(), nullptr, "the head can start");
        for (uint64_t id = 0; id < 1000; ++id)
        {
            NS_TEST_ASSERT_MSG_EQ(window.FindStartable().size(), 1, "one at a time");
            NS_TEST_ASSERT_MSG_EQ(window.FindStartable().front(), id, "in order");
            window.Start(id, PicoSeconds(0));
            NS_TEST_ASSERT_MSG_EQ(window.FindBlocker()->task.id, id, "the running one");
            window.Finish(id);
            window.Fill();
            NS_TEST_ASSERT_MSG_LT_OR_EQ(graph.GetTaken(), id + 17, "never more than it may hold");
        }
        NS_TEST_EXPECT_MSG_EQ(window.IsDone(), true, "all done");
        window.Restart();
        NS_TEST_EXPECT_MSG_NE(window.DescribeUnfinished().back().find("window of 16"),
                              std::string::npos,
                              "the full window is named");
    }
};

/** The suite. */
class TrainingApplicationTestSuite : public TestSuite
{
  public:
    TrainingApplicationTestSuite()
        : TestSuite("llm-fabric-training-application", TestSuite::Type::UNIT)
    {
        AddTestCase(new WindowTestCase);
        AddTestCase(new OverlapTestCase);
        AddTestCase(new StreamsTestCase);
        AddTestCase(new ChainTestCase);
        AddTestCase(new TailTestCase);
        AddTestCase(new BubbleTestCase(0, 81, 0));
        AddTestCase(new BubbleTestCase(60, 41, 40));
        AddTestCase(new BubbleTestCase(5000, 0, 81));
        AddTestCase(new IterationsTestCase);
        AddTestCase(new UnfinishedTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingApplicationTestSuite; //!< registers the suite

} // namespace
