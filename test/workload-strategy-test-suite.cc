// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/pipeline-schedule.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <set>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** All dimensions. */
constexpr ParallelDimension DIMENSIONS[] = {ParallelDimension::TENSOR,
                                            ParallelDimension::PIPELINE,
                                            ParallelDimension::DATA};

/**
 * @param coordinates a place
 * @param dimension a dimension
 * @return the place with this coordinate left out
 */
std::pair<uint32_t, uint32_t>
GetOthers(const RankCoordinates& coordinates, ParallelDimension dimension)
{
    switch (dimension)
    {
    case ParallelDimension::TENSOR:
        return {coordinates.pipeline, coordinates.data};
    case ParallelDimension::PIPELINE:
        return {coordinates.tensor, coordinates.data};
    default:
        return {coordinates.tensor, coordinates.pipeline};
    }
}

/** Groups of every dimension and rank order. */
class GroupTestCase : public TestCase
{
  public:
    GroupTestCase()
        : TestCase("Groups of each dimension partition the ranks")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* order :
             {"tp-dp-pp", "tp-pp-dp", "dp-tp-pp", "dp-pp-tp", "pp-tp-dp", "pp-dp-tp"})
        {
            for (uint32_t tensor : {1, 2, 5})
            {
                for (uint32_t pipeline : {1, 3, 4})
                {
                    ParallelStrategy strategy = MakeStrategy(tensor, pipeline, 7, 1, 8);
                    strategy.rankOrder = order;
                    for (const auto dimension : DIMENSIONS)
                    {
                        CheckPartition(strategy, dimension);
                    }
                }
            }
        }
        CheckOrder();
    }

    /**
     * @param strategy a strategy
     * @param dimension a dimension
     */
    void CheckPartition(const ParallelStrategy& strategy, ParallelDimension dimension)
    {
        const std::string where = strategy.Describe() + " " + strategy.rankOrder;
        std::set<uint32_t> seen;
        const auto groups = strategy.GetGroups(dimension);
        NS_TEST_EXPECT_MSG_EQ(groups.size(), strategy.GetGroupCount(dimension), where);
        for (uint32_t index = 0; index < groups.size(); ++index)
        {
            NS_TEST_EXPECT_MSG_EQ(groups[index].size(), strategy.GetSize(dimension), where);
            std::set<std::pair<uint32_t, uint32_t>> others;
            for (const auto rank : groups[index])
            {
                NS_TEST_EXPECT_MSG_EQ(seen.insert(rank).second, true, where);
                NS_TEST_EXPECT_MSG_LT(rank, strategy.GetRankCount(), where);
                NS_TEST_EXPECT_MSG_EQ(strategy.GetGroupIndex(dimension, rank), index, where);
                const auto place = strategy.GetCoordinates(rank);
                NS_TEST_EXPECT_MSG_EQ(strategy.GetRank(place), rank, where);
                others.insert(GetOthers(place, dimension));
            }
            NS_TEST_EXPECT_MSG_EQ(others.size(), 1, "members differ along the dimension alone");
        }
        NS_TEST_EXPECT_MSG_EQ(seen.size(), strategy.GetRankCount(), where);
    }

    /** Megatron-LM's numbering, by hand. */
    void CheckOrder()
    {
        // 16 ranks, TP 2, PP 4, DP 2: the example in Megatron-LM's initialize_model_parallel()
        const ParallelStrategy strategy = MakeStrategy(2, 4, 2, 1, 8);
        using Groups = std::vector<std::vector<uint32_t>>;
        const Groups data = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}};
        const Groups tensor =
            {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}};
        const Groups pipeline = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
        NS_TEST_EXPECT_MSG_EQ((strategy.GetGroups(ParallelDimension::DATA) == data), true, "DP");
        NS_TEST_EXPECT_MSG_EQ((strategy.GetGroups(ParallelDimension::TENSOR) == tensor),
                              true,
                              "TP");
        NS_TEST_EXPECT_MSG_EQ((strategy.GetGroups(ParallelDimension::PIPELINE) == pipeline),
                              true,
                              "PP");
        NS_TEST_EXPECT_MSG_EQ(strategy.Describe(), "TP 2 x PP 4 x DP 2", "text");
    }
};

/** Strategies that do not fit. */
class StrategyRefusalTestCase : public TestCase
{
  public:
    StrategyRefusalTestCase()
        : TestCase("Strategies that do not fit are refused with what would fit")
    {
    }

  private:
    /**
     * @param strategy a strategy
     * @param ranks accelerators
     * @param model built-in name
     * @param parts what the message must say
     */
    void Check(const ParallelStrategy& strategy,
               uint32_t ranks,
               const std::string& model,
               const std::vector<std::string>& parts)
    {
        const auto validate = [&]
        {
            strategy.Validate(ranks, TransformerModel::Load(model));
        };
        NS_TEST_EXPECT_MSG_EQ(CheckRefused(validate, parts), "", parts[0]);
    }

    void DoRun() override
    {
        Check(MakeStrategy(4, 3, 1, 1, 512),
              18,
              "gpt2",
              {"18 ranks but TP x PP x DP = 4 x 3 x 1 = 12", "did you mean 12 ranks?"});
        Check(MakeStrategy(2, 2, 3, 1, 512), 16, "gpt2", {"= 12", "did you mean DP = 4?"});
        Check(MakeStrategy(2, 3, 2, 1, 512), 16, "gpt2", {"= 12", "did you mean PP = 4?"});
        Check(MakeStrategy(8, 1, 1, 1, 512),
              8,
              "gpt2",
              {"TP = 8", "heads of gpt2 = 12", "6 or 12"});
        Check(MakeStrategy(16, 1, 1, 1, 512),
              16,
              "llama-2-70b",
              {"TP = 16", "key-value heads of llama-2-70b = 8", "TP = 8?"});
        Check(MakeStrategy(1, 5, 1, 1, 512),
              5,
              "gpt2",
              {"PP = 5", "layers of gpt2 = 12", "4 or 6"});
        ParallelStrategy chunks = MakeStrategy(1, 4, 1, 1, 512);
        chunks.modelChunks = 2;
        Check(chunks, 4, "gpt2", {"PP x model chunks = 8", "6 or 12"});
        ParallelStrategy batch = MakeStrategy(1, 1, 4, 1, 512);
        batch.globalBatchSize = 10;
        batch.microBatchSize = 2;
        Check(batch, 4, "gpt2", {"global batch size = 10", "4 x 2 = 8", "did you mean 16?"});
        batch.microBatchSize = 0;
        Check(batch, 4, "gpt2", {"micro-batch size = 0"});
        Check(MakeStrategy(1, 1, 1, 1, 2048),
              1,
              "gpt2",
              {"sequence length = 2048", "at most 1024"});
        ParallelStrategy order = MakeStrategy(1, 1, 1, 1, 512);
        order.rankOrder = "tp-tp-pp";
        Check(order, 1, "gpt2", {"rank order = 'tp-tp-pp'", "tp-dp-pp"});

        // rotary positions have no table that could be too short
        MakeStrategy(8, 1, 8, 4, 8192).Validate(64, TransformerModel::Load("llama-2-70b"));
        ParallelStrategy fits = MakeStrategy(8, 2, 4, 6, 1024);
        fits.microBatchSize = 3;
        fits.Validate(64, TransformerModel::Load("gpt2-medium"));
        NS_TEST_EXPECT_MSG_EQ(fits.GetMicroBatchCount(), 2, "24 sequences over 4 x 3");
        NS_TEST_EXPECT_MSG_EQ(fits.GetMicroBatchTokens(), 3072, "3 sequences of 1024 tokens");
    }
};

/** Order of one forward, one backward. */
class ScheduleTestCase : public TestCase
{
  public:
    ScheduleTestCase()
        : TestCase("One forward, one backward: warm-up, completeness and bubble")
    {
    }

  private:
    void DoRun() override
    {
        m_schedule = CreateObject<OneForwardOneBackwardSchedule>();
        NS_TEST_EXPECT_MSG_EQ(m_schedule->Supports({4, 1, 8}), true, "one chunk");
        NS_TEST_EXPECT_MSG_EQ(m_schedule->Supports({4, 2, 8}), false, "model chunks");
        CheckText({4, 1, 4}, 0, "F0F1F2F3B0B1B2B3");
        CheckText({4, 1, 4}, 2, "F0F1B0F2B1F3B2B3");
        CheckText({4, 1, 4}, 3, "F0B0F1B1F2B2F3B3");
        CheckText({3, 1, 5}, 0, "F0F1F2B0F3B1F4B2B3B4");
        CheckText({8, 1, 2}, 0, "F0F1B0B1");
        for (uint32_t stages : {1, 2, 3, 8})
        {
            for (uint32_t microBatches : {1, 2, 7, 8, 64})
            {
                CheckBubble({stages, 1, microBatches});
            }
        }
    }

    /**
     * @param shape a pipeline
     * @param stage a stage
     * @param expected its order, by hand
     */
    void CheckText(const PipelineShape& shape, uint32_t stage, const std::string& expected)
    {
        std::string text;
        for (uint64_t i = 0; i < PipelineSchedule::GetStepCount(shape); ++i)
        {
            const auto step = m_schedule->GetStep(shape, stage, i);
            text +=
                (step.pass == TrainingPass::FORWARD ? "F" : "B") + std::to_string(step.microBatch);
        }
        NS_TEST_EXPECT_MSG_EQ(text, expected, "stage " << stage);
    }

    /**
     * Replay with forward 1, backward 2 and free communication.
     * @param shape a pipeline
     */
    void CheckBubble(const PipelineShape& shape)
    {
        const uint64_t count = PipelineSchedule::GetStepCount(shape);
        std::vector<uint64_t> next(shape.stages, 0);
        std::vector<uint64_t> free(shape.stages, 0);
        // when (stage, pass, micro-batch) ends
        std::map<std::tuple<uint32_t, TrainingPass, uint32_t>, uint64_t> ends;
        for (bool moved = true; moved;)
        {
            moved = false;
            for (uint32_t stage = 0; stage < shape.stages; ++stage)
            {
                while (next[stage] < count)
                {
                    const auto step = m_schedule->GetStep(shape, stage, next[stage]);
                    const bool forward = step.pass == TrainingPass::FORWARD;
                    const bool end = forward ? stage == 0 : stage + 1 == shape.stages;
                    const auto needed =
                        end ? std::make_tuple(stage, TrainingPass::FORWARD, step.microBatch)
                            : std::make_tuple(forward ? stage - 1 : stage + 1,
                                              step.pass,
                                              step.microBatch);
                    const bool nothing = end && forward;
                    if (!nothing && !ends.count(needed))
                    {
                        break;
                    }
                    const uint64_t start = std::max(free[stage], nothing ? 0 : ends[needed]);
                    free[stage] = start + (forward ? 1 : 2);
                    const auto key = std::make_tuple(stage, step.pass, step.microBatch);
                    NS_TEST_ASSERT_MSG_EQ(ends.emplace(key, free[stage]).second, true, "once");
                    ++next[stage];
                    moved = true;
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(ends.size(), count * shape.stages, "every pass was done");
        const uint64_t ideal = 3 * uint64_t(shape.microBatches);
        const uint64_t last = *std::max_element(free.begin(), free.end());
        NS_TEST_EXPECT_MSG_EQ(last - ideal,
                              3 * (shape.stages - 1),
                              "(p - 1) / m of the ideal time");
    }

    Ptr<OneForwardOneBackwardSchedule> m_schedule; //!< what is tested
};

/** The suite. */
class WorkloadStrategyTestSuite : public TestSuite
{
  public:
    WorkloadStrategyTestSuite()
        : TestSuite("llm-fabric-workload-strategy", TestSuite::Type::UNIT)
    {
        AddTestCase(new GroupTestCase);
        AddTestCase(new StrategyRefusalTestCase);
        AddTestCase(new ScheduleTestCase);
    }
};

WorkloadStrategyTestSuite g_workloadStrategyTestSuite; //!< registers itself

} // namespace
