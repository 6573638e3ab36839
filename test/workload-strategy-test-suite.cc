// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/model-partition.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

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
     * @param model a model
     * @param parts what the message must say
     */
    void Check(const ParallelStrategy& strategy,
               uint32_t ranks,
               const TransformerModel& model,
               const std::vector<std::string>& parts)
    {
        const auto validate = [&]
        {
            strategy.Validate(ranks, model);
        };
        NS_TEST_EXPECT_MSG_EQ(CheckRefused(validate, parts), "", parts[0]);
    }

    /**
     * @param strategy a strategy
     * @param ranks accelerators
     * @param name of a built-in model
     * @param parts what the message must say
     */
    void Check(const ParallelStrategy& strategy,
               uint32_t ranks,
               const std::string& name,
               const std::vector<std::string>& parts)
    {
        Check(strategy, ranks, TransformerModel::Load(name), parts);
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

        CheckRanks();
        CheckExperts();
        CheckSequence();
        CheckBlocks();

        // rotary positions have no table that could be too short
        MakeStrategy(8, 1, 8, 4, 8192).Validate(64, TransformerModel::Load("llama-2-70b"));
        ParallelStrategy fits = MakeStrategy(8, 2, 4, 6, 1024);
        fits.microBatchSize = 3;
        fits.Validate(64, TransformerModel::Load("gpt2-medium"));
        NS_TEST_EXPECT_MSG_EQ(fits.GetMicroBatchCount(), 2, "24 sequences over 4 x 3");
        NS_TEST_EXPECT_MSG_EQ(fits.GetMicroBatchTokens(), 3072, "3 sequences of 1024 tokens");
    }

    /** Numbers of ranks that do not fit, and their order. */
    void CheckRanks()
    {
        ParallelStrategy strategy = MakeStrategy(2, 2, 3, 1, 512);
        strategy.contextParallel = 2;
        Check(strategy,
              32,
              "gpt2",
              {"32 ranks but TP x CP x PP x DP = 2 x 2 x 2 x 3 = 24", "DP = 4"});
        strategy.expertParallel = 2;
        Check(strategy, 24, "gpt2", {"EP = 2 does not divide the DP = 3", "EP = 1 or 3?"});
        strategy.rankOrder = "tp-dp-pp";
        Check(strategy, 24, "gpt2", {"'tp-dp-pp' does not say where CP = 2", "tp-cp-ep-dp-pp"});
        for (const char* order : {"",
                                  "tp",
                                  "tp-cp-dp-pp-",
                                  "tp-cp-dp-pp-tp",
                                  "cp-cp-tp-dp-pp",
                                  "ep-tp-cp-dp-pp",
                                  "tp-cp-dp-pp-ep",
                                  "ep-ep-dp-tp-pp",
                                  "TP-CP-DP-PP"})
        {
            strategy.rankOrder = order;
            Check(strategy, 24, "gpt2", {"rank order = '" + std::string(order) + "' must be"});
        }
        strategy.rankOrder = "ep-dp-cp-pp-tp";
        strategy.zeroStage = 4;
        Check(strategy, 24, "gpt2", {"ZeRO stage = 4", "did you mean 3?"});
        strategy.expertParallel = 1;
        strategy.zeroStage = 3;
        strategy.Validate(24, TransformerModel::Load("gpt2"));
        strategy.expertParallel = 0;
        Check(strategy, 24, "gpt2", {"EP = 0"});
        strategy.expertParallel = 1;
        strategy.contextParallel = 0;
        Check(strategy, 24, "gpt2", {"CP = 0"});
    }

    /** Experts that TP or EP do not divide. */
    void CheckExperts()
    {
        ParallelStrategy strategy = MakeStrategy(2, 2, 4, 1, 512);
        strategy.expertParallel = 4;
        Check(strategy, 16, "gpt2", {"EP = 4", "gpt2 has no experts", "EP = 1?"});
        TransformerShape shape = TransformerModel::Load("gpt2").GetShape();
        shape.name = "sparse";
        shape.experts.count = 6;
        shape.experts.perToken = 2;
        shape.experts.feedForward = 770;
        Check(strategy,
              16,
              TransformerModel(shape),
              {"EP = 4", "experts of sparse = 6", "3 or 6?"});
        strategy.expertParallel = 2;
        strategy.Validate(16, TransformerModel(shape));
        strategy.tensorParallel = 4;
        const std::string width = "expert feed-forward of sparse = ";
        Check(strategy, 32, TransformerModel(shape), {"TP = 4", width + "770", "TP = 2 or 5?"});
        shape.experts.feedForward = 768;
        shape.experts.shared = 1;
        shape.experts.sharedFeedForward = 386;
        Check(strategy, 32, TransformerModel(shape), {"TP = 4", "shared " + width + "386"});
    }

    /** Sequences that CP and SP cannot divide. */
    void CheckSequence()
    {
        ParallelStrategy strategy = MakeStrategy(4, 1, 1, 1, 512);
        strategy.contextParallel = 3;
        Check(strategy,
              12,
              "gpt2",
              {"CP = 3", "half of the sequence length = 256", "CP = 2 or 4?"});
        strategy.sequenceLength = 511;
        Check(strategy,
              12,
              "gpt2",
              {"sequence length = 511 is odd", "CP = 3", "did you mean 512?"});
        strategy.sequenceLength = 6;
        strategy.Validate(12, TransformerModel::Load("gpt2"));
        strategy.sequenceParallel = true;
        Check(strategy, 12, "gpt2", {"TP = 4", "sequence length / CP = 2", "TP = 2?"});
        strategy.sequenceLength = 12;
        strategy.Validate(12, TransformerModel::Load("gpt2"));
        strategy.tensorParallel = 1;
        Check(strategy, 3, "gpt2", {"sequence parallelism", "TP = 1"});
    }

    /** @param strategy how @return GPT-2 divided so */
    static ModelPartition Divide(const ParallelStrategy& strategy)
    {
        return ModelPartition(TransformerModel::Load("gpt2"), strategy);
    }

    /** Uneven stages. */
    void CheckBlocks()
    {
        ParallelStrategy strategy = MakeStrategy(1, 5, 1, 1, 512);
        const auto check = [&](const std::vector<uint32_t>& blocks, const std::string& part)
        {
            strategy.chunkBlocks = blocks;
            Check(strategy, 5, "gpt2", {"chunk blocks", part});
        };
        check({3, 3, 3, 3}, "4 entries, but PP = 5");
        check({2, 3, 3, 2, 1},
              "sum to 11, but the layers of gpt2 are 12; did you mean 2 for the last");
        check({6, 6, 6, 1, 1}, "sum to 20, but the layers of gpt2 are 12");
        check({4, 4, 0, 2, 2}, "0 for model chunk 0 of stage 2");
        strategy.chunkBlocks = {2, 3, 3, 2, 2};
        strategy.Validate(5, TransformerModel::Load("gpt2"));
        NS_TEST_EXPECT_MSG_EQ(Divide(strategy).GetBlockCount(3, 0), 2, "as said");
        NS_TEST_EXPECT_MSG_EQ(Divide(strategy).GetFirstBlock(3, 0), 8, "2 + 3 + 3");

        strategy = MakeStrategy(1, 2, 1, 1, 512);
        strategy.modelChunks = 2;
        NS_TEST_EXPECT_MSG_EQ(Divide(strategy).GetBlockCount(1, 1), 3, "equally many");
        NS_TEST_EXPECT_MSG_EQ(Divide(strategy).GetFirstBlock(1, 0), 3, "after chunk 0 of stage 0");
        NS_TEST_EXPECT_MSG_EQ(Divide(strategy).GetFirstBlock(0, 1),
                              6,
                              "after chunk 0 of all stages");
        strategy.chunkBlocks = {1, 4, 0, 5};
        Check(strategy, 2, "gpt2", {"0 for model chunk 1 of stage 0"});
        strategy.chunkBlocks = {1, 4, 2, 5};
        strategy.Validate(2, TransformerModel::Load("gpt2"));
        NS_TEST_EXPECT_MSG_EQ(Divide(strategy).GetFirstBlock(0, 1), 5, "1 + 4");
        NS_TEST_EXPECT_MSG_EQ(Divide(strategy).GetBlockCount(0, 1), 2, "chunk 1 of stage 0");
    }
};

/** The suite. */
class WorkloadStrategyTestSuite : public TestSuite
{
  public:
    WorkloadStrategyTestSuite()
        : TestSuite("llm-fabric-workload-strategy", TestSuite::Type::UNIT)
    {
        AddTestCase(new StrategyRefusalTestCase);
    }
};

WorkloadStrategyTestSuite g_workloadStrategyTestSuite; //!< registers itself

} // namespace
