// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/csv-row.h"
#include "ns3/interleaved-schedule.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/memory-estimate.h"
#include "ns3/one-forward-one-backward-schedule.h"
#include "ns3/published-runs.h"
#include "ns3/test.h"

#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr double GIB = 1 << 30; //!< bytes

/** @return what the published closed forms keep: dropout's masks, and scores */
TransformerWorkloadOptions
KeepAsPublished()
{
    TransformerWorkloadOptions options;
    options.operators.dropout = true;
    return options;
}

/** The values of arXiv 2205.05198, figure 1. */
class PublishedMemoryTestCase : public TestCase
{
  public:
    PublishedMemoryTestCase()
        : TestCase("Memory equals the published closed forms")
    {
    }

  private:
    void DoRun() override
    {
        const auto runs = ReadKorthikantiRuns();
        const auto rows =
            CsvRow::ReadFile("table", FindDataFile("validation/korthikanti-memory.csv"));
        NS_TEST_ASSERT_MSG_EQ(rows.size() * 2, runs.size(), "two runs a row");
        for (std::size_t i = 0; i < runs.size(); ++i)
        {
            const bool selective = i % 2 == 1;
            PublishedRun run = runs[i];
            if (!selective)
            {
                run.strategy.recomputation = Recomputation::NONE; // what the figure shows
            }
            const CsvRow& row = rows[i / 2];
            NS_TEST_EXPECT_MSG_EQ(run.name.find(row.GetText("model")), 0, "the same model");
            CheckActivations(
                run,
                row.GetNumber(selective ? "activations_selective_gib" : "activations_none_gib"));
            CheckParameters(run, row.GetNumber("parameters_optimizer_gib"));
        }
    }

    /**
     * @param run a run
     * @param gib activations of its first stage, GiB
     */
    void CheckActivations(const PublishedRun& run, double gib)
    {
        const auto schedule = MakeUsualSchedule(run.strategy.modelChunks);
        const auto options = KeepAsPublished();
        const MemoryInput input{run.model, run.strategy, *schedule, options};
        const auto bytes = static_cast<double>(EstimateMemory(input, 0).activations);
        NS_TEST_EXPECT_MSG_EQ_TOL(bytes / (gib * GIB), 1, 1e-9, run.name);
    }

    /**
     * @param run a run
     * @param gib 18 bytes for each of the 12 h^2 parameters of the first stage's matrices, GiB
     */
    void CheckParameters(const PublishedRun& run, double gib)
    {
        const auto schedule = MakeUsualSchedule(run.strategy.modelChunks);
        const auto options = KeepAsPublished();
        const MemoryInput input{run.model, run.strategy, *schedule, options};
        const MemoryEstimate memory = EstimateMemory(input, 0);
        const auto& shape = run.model.GetShape();
        const double matrices = 12.0 *
                                static_cast<double>(shape.hidden * shape.hidden * shape.layers) /
                                (run.strategy.tensorParallel * run.strategy.pipelineParallel);
        NS_TEST_EXPECT_MSG_EQ_TOL(18 * matrices / (gib * GIB), 1, 1e-9, run.name);
        // the embedding, norms and biases come on top
        const auto bytes =
            static_cast<double>(memory.parameters + memory.gradients + memory.optimizer);
        const double embedding =
            static_cast<double>(shape.vocabulary * shape.hidden) / run.strategy.tensorParallel +
            static_cast<double>(shape.positionRows * shape.hidden);
        NS_TEST_EXPECT_MSG_GT(bytes, 18 * (matrices + embedding), run.name);
        NS_TEST_EXPECT_MSG_LT(bytes, 18 * (matrices * 1.001 + embedding), run.name);
    }
};

/** What parallelism and sharding divide. */
class DividedMemoryTestCase : public TestCase
{
  public:
    DividedMemoryTestCase()
        : TestCase("Each ZeRO stage divides what it says, and context divides activations")
    {
    }

  private:
    void DoRun() override
    {
        const auto whole = Estimate(0, 1, 8);
        const auto optimizer = Estimate(1, 1, 8);
        const auto gradients = Estimate(2, 1, 8);
        const auto parameters = Estimate(3, 1, 8);
        NS_TEST_EXPECT_MSG_EQ(optimizer.optimizer, (whole.optimizer + 95) / 96 * 12, "stage 1");
        NS_TEST_EXPECT_MSG_EQ(optimizer.gradients, whole.gradients, "stage 1");
        NS_TEST_EXPECT_MSG_EQ(gradients.optimizer, optimizer.optimizer, "stage 2");
        NS_TEST_EXPECT_MSG_EQ(gradients.gradients, (whole.gradients + 31) / 32 * 4, "stage 2");
        NS_TEST_EXPECT_MSG_EQ(gradients.parameters, whole.parameters, "stage 2");
        NS_TEST_EXPECT_MSG_EQ(parameters.parameters, (whole.parameters + 15) / 16 * 2, "stage 3");
        // two gathered blocks: the one that runs and the next
        const uint64_t block = TransformerModel::Load("gpt2").GetBlockParameters(0).GetTotal();
        NS_TEST_EXPECT_MSG_EQ(parameters.buffers - whole.buffers, 2 * 2 * block, "gathered");

        const auto context = Estimate(0, 4, 2);
        NS_TEST_EXPECT_MSG_EQ(context.activations * 4, whole.activations, "a quarter each");
        NS_TEST_EXPECT_MSG_EQ(context.parameters, whole.parameters, "not divided by context");
    }

    /**
     * @param zeroStage of ZeRO
     * @param context CP
     * @param data DP
     * @return memory of a rank
     */
    MemoryEstimate Estimate(uint32_t zeroStage, uint32_t context, uint32_t data)
    {
        const auto model = TransformerModel::Load("gpt2");
        ParallelStrategy strategy = MakeStrategy(1, 1, data, 2, 1024);
        strategy.contextParallel = context;
        strategy.zeroStage = zeroStage;
        const OneForwardOneBackwardSchedule schedule;
        const TransformerWorkloadOptions options;
        return EstimateMemory({model, strategy, schedule, options}, 0);
    }
};

/** Which recomputation and attention keep what. */
class KeptActivationsTestCase : public TestCase
{
  public:
    KeptActivationsTestCase()
        : TestCase("A block keeps what its backward pass needs")
    {
    }

  private:
    void DoRun() override
    {
        // 2 tokens x 16 wide, 4 heads of 4, 2 of them with keys and values, gated 24
        TransformerShape shape;
        shape.name = "tiny";
        shape.family = "llama";
        shape.hidden = 16;
        shape.layers = 2;
        shape.heads = 4;
        shape.keyValueHeads = 2;
        shape.headSize = 4;
        shape.feedForward = 24;
        shape.vocabulary = 10;
        shape.gated = true;
        shape.rmsNorm = true;
        shape.positions = TransformerShape::ROTARY;
        const TransformerModel model(shape);
        // norm, QKV, norm, FC1 inputs; Q, K, V, values; gate, up, product
        const uint64_t vectors = 2 * (2 * 4 * 16 + 2 * (16 + 8 + 8 + 16) + 2 * 3 * 24);
        const uint64_t scores = 2 * (2 * 4 * 2);
        Check(model, Recomputation::NONE, false, vectors + scores);
        Check(model, Recomputation::SELECTIVE, false, vectors);
        Check(model, Recomputation::FULL, false, 2 * 2 * 16);
        Check(model, Recomputation::NONE, true, vectors + 2 * 4 * 4);
    }

    /**
     * @param model a model
     * @param recomputation which
     * @param fused whether attention is
     * @param bytes what a block must keep
     */
    void
    Check(const TransformerModel& model, Recomputation recomputation, bool fused, uint64_t bytes)
    {
        ParallelStrategy strategy = MakeStrategy(1, 1, 1, 1, 2);
        strategy.recomputation = recomputation;
        const OneForwardOneBackwardSchedule schedule;
        TransformerWorkloadOptions options;
        options.operators.fusedAttention = fused;
        const MemoryInput input{model, strategy, schedule, options};
        NS_TEST_EXPECT_MSG_EQ(GetBlockActivationBytes(input, 1), bytes, "of two tokens");
        strategy.tensorParallel = 2;
        strategy.sequenceParallel = true;
        NS_TEST_EXPECT_MSG_EQ(GetBlockActivationBytes(input, 1), bytes / 2, "all divided by 2");
    }
};

/** Suite of the memory estimate. */
class WorkloadMemoryTestSuite : public TestSuite
{
  public:
    WorkloadMemoryTestSuite()
        : TestSuite("llm-fabric-workload-memory", TestSuite::Type::UNIT)
    {
        AddTestCase(new PublishedMemoryTestCase);
        AddTestCase(new DividedMemoryTestCase);
        AddTestCase(new KeptActivationsTestCase);
    }
};

WorkloadMemoryTestSuite g_workloadMemoryTestSuite; //!< registers itself

} // namespace
