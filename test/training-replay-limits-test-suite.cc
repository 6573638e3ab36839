// SPDX-License-Identifier: GPL-2.0-only

#include "refusal.h"
#include "training-replay-support.h"

#include "ns3/time-resolution.h"

#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Replays against closed forms, and what cannot be replayed.
 */

namespace
{

constexpr auto TP = ParallelDimension::TENSOR;        //!< short name
constexpr auto PP = ParallelDimension::PIPELINE;      //!< short name
constexpr auto DP = ParallelDimension::DATA;          //!< short name
constexpr auto CP = ParallelDimension::CONTEXT;       //!< short name
constexpr auto EMB = ParallelDimension::EMBEDDING;    //!< short name
constexpr auto ALL_REDUCE = TrainingTask::ALL_REDUCE; //!< short name
constexpr auto SEND = TrainingTask::SEND;             //!< short name
constexpr auto RECEIVE = TrainingTask::RECEIVE;       //!< short name

/** One forward and one backward in turn. */
class PipelineReplayTestCase : public ReplayTestCase
{
  public:
    PipelineReplayTestCase()
        : ReplayTestCase(
              "with free messages one-forward-one-backward has the bubble of p - 1 passes, "
              "and a replay repeats bit for bit")
    {
    }

  private:
    /** @param stage a stage @param stages how many @param batches micro-batches @return its tasks */
    static Tasks MakeStage(uint32_t stage, uint32_t stages, uint32_t batches)
    {
        Tasks tasks;
        const auto pass = [&](bool forward)
        {
            const bool first = forward ? stage == 0 : stage + 1 == stages;
            const bool last = forward ? stage + 1 == stages : stage == 0;
            const uint32_t before = forward ? stage - 1 : stage + 1;
            const uint32_t after = forward ? stage + 1 : stage - 1;
            std::vector<uint64_t> waits;
            if (!first)
            {
                waits = {tasks.size()};
                tasks.push_back(PointToPoint(RECEIVE, before, 0));
            }
            tasks.push_back(Compute(PicoSeconds(forward ? 100 : 200), waits));
            if (!last)
            {
                tasks.push_back(PointToPoint(SEND, after, 0, {tasks.size() - 1}));
            }
        };
        const uint32_t warmUp = std::min(stages - 1 - stage, batches);
        for (uint32_t i = 0; i < batches + warmUp; ++i)
        {
            if (i < batches)
            {
                pass(true);
            }
            if (i >= warmUp)
            {
                pass(false);
            }
        }
        return tasks;
    }

    void DoRun() override
    {
        m_cost.latencyPs = 0;
        for (const auto& [stages, batches] :
             std::vector<std::pair<uint32_t, uint32_t>>{{4, 8}, {8, 8}, {3, 2}, {1, 5}})
        {
            std::vector<Tasks> tasks;
            for (uint32_t stage = 0; stage < stages; ++stage)
            {
                tasks.push_back(MakeStage(stage, stages, batches));
            }
            auto config = MakeConfig(tasks);
            config.window = 64;
            const ReplayResult result = Replay(config);
            NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(300 * (batches + stages - 1)), "time");
            for (const RankAccount& account : result.accounts)
            {
                CheckAccount(account, 300 * batches, PP, 0, 300 * (stages - 1));
            }
            const auto records = m_records;
            Replay(config);
            NS_TEST_EXPECT_MSG_EQ((records == m_records), true, "the same again, in order");
        }
    }
};

/** Compute slows down while a collective runs. */
class SlowDownReplayTestCase : public ReplayTestCase
{
  public:
    SlowDownReplayTestCase()
        : ReplayTestCase("compute of g under a collective of c takes g + share x c")
    {
    }

  private:
    /** @param tasks of one stage @return when it ends, ps; with share 0.25 */
    int64_t Run(const Tasks& tasks)
    {
        auto config = MakeConfig({tasks});
        config.communicationSlowDown = 0.25;
        config.groups[static_cast<std::size_t>(CP)].size = 1;
        return Replay(config).time.GetTimeStep();
    }

    void DoRun() override
    {
        const auto compute = Compute(PicoSeconds(1000));
        NS_TEST_EXPECT_MSG_EQ(Run({compute, Collective(ALL_REDUCE, DP, 400)}), 1100, "from 0");
        NS_TEST_EXPECT_MSG_EQ(Run({Compute(PicoSeconds(300)),
                                   Collective(ALL_REDUCE, DP, 400, {0}),
                                   Compute(PicoSeconds(700))}),
                              1100,
                              "from the second task on");
        NS_TEST_EXPECT_MSG_EQ(Run({Collective(ALL_REDUCE, TP, 100),
                                   Collective(ALL_REDUCE, DP, 400, {0}),
                                   Collective(ALL_REDUCE, EMB, 300, {0}),
                                   compute}),
                              1125,
                              "500 ps in which any runs");
        // 0.75 x 1333.3 of its 1000 are done when the other ends at 5000
        NS_TEST_EXPECT_MSG_EQ(Run({compute, Collective(ALL_REDUCE, DP, 5000)}), 5000, "hidden");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 0), 1333, "at three quarters of its speed");
        NS_TEST_EXPECT_MSG_EQ(Run({compute, Collective(ALL_REDUCE, CP, 400)}), 1000, "alone");
        NS_TEST_EXPECT_MSG_EQ(
            Run({compute, PointToPoint(SEND, 0, 90), PointToPoint(RECEIVE, 0, 90)}),
            1000,
            "messages hold nothing");
    }
};

/** What cannot be replayed. */
class DeadlockReplayTestCase : public ReplayTestCase
{
  public:
    DeadlockReplayTestCase()
        : ReplayTestCase("a deadlock is described, and what does not fit is refused")
    {
    }

  private:
    /** @param text a message @param part must be in it */
    void CheckContains(const std::string& text, const std::string& part)
    {
        NS_TEST_EXPECT_MSG_NE(text.find(part), std::string::npos, "'" << part << "' in: " << text);
    }

    void DoRun() override
    {
        const TrainingTask compute = Compute(PicoSeconds(1));
        const auto stage = [](uint32_t peer) -> Tasks
        {
            return {Compute(PicoSeconds(5)),
                    PointToPoint(RECEIVE, peer, 10, {0}),
                    PointToPoint(SEND, peer, 10, {1})};
        };
        const ReplayResult result = Replay(MakeConfig({stage(1), stage(0), {compute}}));
        NS_TEST_ASSERT_MSG_EQ(result.unfinished.size(), 4, "two heads of streams for each stage");
        CheckContains(result.unfinished.at(0), "stage 0 (rank 0): send of 10 bytes to rank 1");
        CheckContains(result.unfinished.at(0), "waits for the receive of 10 bytes from rank 1");
        CheckContains(result.unfinished.at(3), "stage 1 (rank 1): receive of 10 bytes");
        NS_TEST_EXPECT_MSG_EQ(result.tasks, 3, "what could be done is done");

        CheckContains(
            GetRefusal(
                [&] {
                    Replay(
                        MakeConfig({{PointToPoint(SEND, 1, 11)}, {PointToPoint(RECEIVE, 0, 10)}}));
                }),
            "stage 0 (rank 0) sends 11 bytes where stage 1 (rank 1) has the receive of 10");
        CheckContains(GetRefusal([&] { Replay(MakeConfig({{PointToPoint(SEND, 7, 1)}})); }),
                      "stage 7");
        auto config = MakeConfig({{compute}});
        config.communicationSlowDown = 1;
        CheckContains(GetRefusal([&] { Replay(config); }), "slow-down = 1.0");
        config = MakeConfig({{compute}});
        config.groups[0].stages = {3};
        CheckContains(GetRefusal([&] { Replay(config); }), "stage 3");
        config = MakeConfig({});
        CheckContains(GetRefusal([&] { Replay(config); }), "at least one stage");
    }
};

/** The suite. */
class TrainingReplayLimitsTestSuite : public TestSuite
{
  public:
    TrainingReplayLimitsTestSuite()
        : TestSuite("llm-fabric-training-replay-limits", TestSuite::Type::UNIT)
    {
        AddTestCase(new PipelineReplayTestCase);
        AddTestCase(new SlowDownReplayTestCase);
        AddTestCase(new DeadlockReplayTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingReplayLimitsTestSuite; //!< registers the suite

} // namespace
