// SPDX-License-Identifier: GPL-2.0-only

#include "training-mocks.h"

#include "ns3/compute-progress.h"
#include "ns3/time-resolution.h"
#include "ns3/training-application.h"

#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <memory>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Compute that shares its accelerator with collectives, against times worked out by hand.
 */

namespace
{

constexpr auto TP = ParallelDimension::TENSOR;        //!< short name
constexpr auto DP = ParallelDimension::DATA;          //!< short name
constexpr auto ALL_REDUCE = TrainingTask::ALL_REDUCE; //!< short name

/** The progress alone. */
class ProgressTestCase : public TestCase
{
  public:
    ProgressTestCase()
        : TestCase("a task of g beside collectives for c of its run takes g + share x c")
    {
    }

  private:
    void DoRun() override
    {
        ComputeProgress progress(0.25);
        progress.Begin(PicoSeconds(50), PicoSeconds(1000), false);
        NS_TEST_EXPECT_MSG_EQ(progress.GetEnd(), PicoSeconds(1050), "alone");
        progress.SetShared(PicoSeconds(150), true);
        NS_TEST_EXPECT_MSG_EQ(progress.GetEnd(), PicoSeconds(1350), "900 at three quarters");
        progress.SetShared(PicoSeconds(550), false);
        NS_TEST_EXPECT_MSG_EQ(progress.GetEnd(), PicoSeconds(1150), "400 beside");
        progress.SetShared(PicoSeconds(1150), true);
        NS_TEST_EXPECT_MSG_EQ(progress.GetEnd(), PicoSeconds(1150), "nothing is left");

        // a thousand changes add up without error: 0.3 of each 7 ps of 10 is lost
        ComputeProgress often(0.3);
        often.Begin(Time(0), PicoSeconds(100000), true);
        for (int64_t i = 0; i < 1000; ++i)
        {
            often.SetShared(PicoSeconds(10 * i + 7), false);
            often.SetShared(PicoSeconds(10 * i + 10), true);
        }
        often.SetShared(PicoSeconds(10000), false);
        NS_TEST_EXPECT_MSG_EQ(often.GetEnd(), PicoSeconds(100000 + 2100), "0.3 x 7000 more");
    }
};

/** A rank. */
class SlowDownTestCase : public TestCase
{
  public:
    SlowDownTestCase()
        : TestCase("compute of a rank slows down while a collective of it runs, and is booked so")
    {
    }

  private:
    /**
     * Run a rank to its end; a collective takes as many picoseconds as it has bytes.
     * @param tasks its tasks
     * @param share what collectives hold
     * @return when it ended, ps
     */
    int64_t Run(const std::vector<TrainingTask>& tasks, double share)
    {
        m_runtime = FixedRuntime();
        Ptr<Node> node = CreateObject<Node>();
        auto application = CreateObject<TrainingApplication>();
        application->SetAttribute("CommunicationSlowDown", DoubleValue(share));
        application->Configure(7, std::make_unique<ListGraph>(tasks), 1, 1, &m_runtime);
        node->AddApplication(application);
        Simulator::Run();
        const Time now = Simulator::Now();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(m_runtime.iterations.size(), 1, "one iteration");
        NS_TEST_EXPECT_MSG_EQ(m_runtime.ranksDone.at(7), now, "nothing lingers");
        NS_TEST_EXPECT_MSG_EQ(m_runtime.iterations.front().account.GetTotal(), now, "adds up");
        return now.GetTimeStep();
    }

    /** @param compute expected compute, ps @param data expected exposed DP, ps */
    void CheckAccount(int64_t compute, int64_t data)
    {
        const RankAccount& account = m_runtime.iterations.front().account;
        NS_TEST_EXPECT_MSG_EQ(account.compute, PicoSeconds(compute), "compute");
        NS_TEST_EXPECT_MSG_EQ(account.Exposed(DP), PicoSeconds(data), "exposed DP");
    }

    void DoRun() override
    {
        const auto compute = Compute(PicoSeconds(1000));
        const auto reduce = Collective(ALL_REDUCE, DP, 400);
        NS_TEST_EXPECT_MSG_EQ(Run({compute, reduce}, 0.25), 1100, "1000 + 0.25 x 400");
        CheckAccount(1100, 0);
        NS_TEST_EXPECT_MSG_EQ(Run({compute, reduce}, 0), 1000, "no slow-down by default");
        // TP 1..301 and DP 1..401: a collective runs for 400 ps
        NS_TEST_EXPECT_MSG_EQ(Run({compute, reduce, Collective(ALL_REDUCE, TP, 300)}, 0.25),
                              1100,
                              "two at once hold no more than one");
        // compute 0..100 alone, then the all-reduce 101..501 beside 200: 1 + 199 / 0.8 = 249.75;
        // from 350 on it is exposed
        NS_TEST_EXPECT_MSG_EQ(Run({Compute(PicoSeconds(100)),
                                   Collective(ALL_REDUCE, DP, 400, {0}),
                                   Compute(PicoSeconds(200), {0})},
                                  0.2),
                              501,
                              "hidden under the collective");
        CheckAccount(350, 151);
        NS_TEST_EXPECT_MSG_EQ(Run({compute,
                                   PointToPoint(TrainingTask::SEND, 1, 300),
                                   PointToPoint(TrainingTask::RECEIVE, 1, 300)},
                                  0.25),
                              1000,
                              "messages hold nothing");
        NS_TEST_EXPECT_MSG_EQ(Run({compute, Collective(ALL_REDUCE, DP, 0)}, 0.25), 1000, "empty");
    }

    FixedRuntime m_runtime; //!< carries out and listens
};

/** The suite. */
class TrainingSlowDownTestSuite : public TestSuite
{
  public:
    TrainingSlowDownTestSuite()
        : TestSuite("llm-fabric-training-slow-down", TestSuite::Type::UNIT)
    {
        AddTestCase(new ProgressTestCase);
        AddTestCase(new SlowDownTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingSlowDownTestSuite; //!< registers the suite

} // namespace
