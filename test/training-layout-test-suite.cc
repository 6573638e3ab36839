// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/job-layout.h"
#include "ns3/test.h"
#include "ns3/training-helper.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * From strategies to groups and pairs.
 */

namespace
{

/** Groups and pairs of a strategy. */
class LayoutTestCase : public TestCase
{
  public:
    LayoutTestCase()
        : TestCase(
              "a strategy gives each rank one TP and one DP group and pairs with its neighbors")
    {
    }

  private:
    void DoRun() override
    {
        ParallelStrategy strategy;
        strategy.tensorParallel = 2;
        strategy.pipelineParallel = 3;
        strategy.dataParallel = 2;
        const JobLayout layout = TrainingHelper::MakeLayout(strategy);
        NS_TEST_EXPECT_MSG_EQ(layout.GetRankCount(), 12, "ranks");
        std::map<std::string, std::vector<uint32_t>> groups;
        uint32_t pairs = 0;
        for (const JobGroup& group : layout.GetGroups())
        {
            groups[group.name] = group.ranks;
            pairs += group.isPair;
        }
        // TP counts fastest, then DP, then PP
        NS_TEST_EXPECT_MSG_EQ((groups.at("TP group 1") == std::vector<uint32_t>{2, 3}), true, "TP");
        NS_TEST_EXPECT_MSG_EQ((groups.at("DP group 1") == std::vector<uint32_t>{1, 3}), true, "DP");
        NS_TEST_EXPECT_MSG_EQ(pairs, 4 * 2 * 2, "4 pipelines of 2 joints, both ways");
        NS_TEST_EXPECT_MSG_EQ(groups.count("pair 4 to 8"), 1, "to the next stage");
        NS_TEST_EXPECT_MSG_EQ(groups.count("pair 8 to 4"), 1, "and back");
        NS_TEST_EXPECT_MSG_EQ(groups.count("pair 8 to 0"), 0, "not around the end");
        strategy.modelChunks = 2;
        const JobLayout around = TrainingHelper::MakeLayout(strategy);
        NS_TEST_EXPECT_MSG_EQ(around.GetGroups().size(),
                              layout.GetGroups().size() + 4 * 2,
                              "with model chunks around the end too");
        std::vector<uint32_t> places(12);
        for (uint32_t i = 0; i < 12; ++i)
        {
            places[i] = 11 - i;
        }
        const JobLayout placed = TrainingHelper::MakeLayout(strategy, places);
        NS_TEST_EXPECT_MSG_EQ(placed.GetAccelerators(1).at(0), 9, "rank 2 is on accelerator 9");
        CheckDimensions();
    }

    /**
     * Groups by dimension; pairs count for theirs.
     * @param strategy a strategy
     * @param expected how many groups of each dimension, then pairs along PP and CP
     */
    void CheckCounts(const ParallelStrategy& strategy, const std::vector<uint32_t>& expected)
    {
        std::vector<uint32_t> counts(PARALLEL_DIMENSIONS + 2);
        const JobLayout layout = TrainingHelper::MakeLayout(strategy);
        for (const JobGroup& group : layout.GetGroups())
        {
            const auto dimension = static_cast<std::size_t>(group.dimension);
            const bool context = group.dimension == ParallelDimension::CONTEXT;
            ++counts[group.isPair ? PARALLEL_DIMENSIONS + context : dimension];
            NS_TEST_EXPECT_MSG_GT(group.ranks.size(), 1, group.name << " is more than one rank");
        }
        NS_TEST_EXPECT_MSG_EQ((counts == expected), true, strategy.Describe());
    }

    /** All dimensions at once, and each left out. */
    void CheckDimensions()
    {
        ParallelStrategy strategy;
        CheckCounts(strategy, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        strategy.contextParallel = 4;
        strategy.dataParallel = 2;
        // TP, PP, DP, CP, EP, EDP, EMB, ALL, then pairs: 4 joints of 2 rings, both ways
        CheckCounts(strategy, {0, 0, 1, 2, 0, 0, 0, 1, 0, 16});
        strategy.contextParallel = 2;
        strategy.expertParallel = 2;
        // of a ring of two next and previous are the same; EDP groups span CP
        CheckCounts(strategy, {0, 0, 1, 2, 2, 2, 0, 1, 0, 4});
        strategy.tensorParallel = 2;
        strategy.pipelineParallel = 3;
        CheckCounts(strategy, {12, 0, 6, 12, 12, 12, 8, 1, 32, 24});

        // rank 13: tensor 1, context 0, data 1, stage 1
        const JobLayout layout = TrainingHelper::MakeLayout(strategy);
        const auto find =
            [&layout](TrainingTask::Kind kind, ParallelDimension dimension, uint32_t peer)
        {
            TrainingTask task;
            task.kind = kind;
            task.dimension = dimension;
            task.peer = peer;
            const auto seat = layout.FindSeat(13, task);
            return layout.GetGroups().at(seat.group);
        };
        const auto edp = find(TrainingTask::ALL_REDUCE, ParallelDimension::EXPERT_DATA, 0);
        NS_TEST_EXPECT_MSG_EQ((edp.ranks == std::vector<uint32_t>{13, 15}), true, edp.name);
        const auto ring = find(TrainingTask::SEND, ParallelDimension::CONTEXT, 15);
        NS_TEST_EXPECT_MSG_EQ(ring.name, "CP pair 13 to 15", "next along CP");
        NS_TEST_EXPECT_MSG_EQ((ring.dimension == ParallelDimension::CONTEXT), true, "along CP");
        const auto back = find(TrainingTask::RECEIVE, ParallelDimension::PIPELINE, 21);
        NS_TEST_EXPECT_MSG_EQ(back.name, "pair 21 to 13", "from the next stage");
        NS_TEST_EXPECT_MSG_EQ((back.dimension == ParallelDimension::PIPELINE), true, "along PP");
    }
};

/** The suite. */
class TrainingLayoutTestSuite : public TestSuite
{
  public:
    TrainingLayoutTestSuite()
        : TestSuite("llm-fabric-training-layout", TestSuite::Type::UNIT)
    {
        AddTestCase(new LayoutTestCase);
    }
};

TrainingLayoutTestSuite g_trainingLayoutTestSuite; //!< registers itself

} // namespace
