// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/strategy-search.h"
#include "ns3/test.h"
#include "ns3/workload-settings.h"

#include <set>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param memory of an accelerator, bytes @return GPT-2 on accelerators with that */
TransformerWorkload::Config
MakeBase(uint64_t memory)
{
    Accelerator accelerator = Accelerator::FromName("A100");
    accelerator.memoryBytes = memory;
    return {TransformerModel::Load("gpt2"),
            accelerator,
            ParallelStrategy(),
            nullptr,
            nullptr,
            TransformerWorkloadOptions()};
}

/** @return 4 accelerators, little variety */
StrategySearch::Space
MakeSpace()
{
    StrategySearch::Space space;
    space.accelerators = 4;
    space.globalBatchSize = 8;
    space.sequenceLength = 512;
    space.microBatchSizes = {1, 2};
    space.modelChunks = {1, 2};
    space.zeroStages = {0, 1};
    return space;
}

/** What the search lists. */
class SearchTestCase : public TestCase
{
  public:
    SearchTestCase()
        : TestCase("All strategies that fit are listed once, fastest first")
    {
    }

  private:
    void DoRun() override
    {
        StrategySearch search(MakeBase(80'000'000'000), MakeSpace());
        const auto evaluate = [](const Ptr<const TransformerWorkload>& workload)
        {
            // any order will do: DP is best, then large micro-batches
            const auto& strategy = workload->GetStrategy();
            return MicroSeconds(100 / strategy.dataParallel + 10 / strategy.microBatchSize);
        };
        const auto found = search.Rank(evaluate);
        std::set<std::string> names;
        Time last(0);
        for (const auto& candidate : found)
        {
            names.insert(candidate.Describe());
            NS_TEST_EXPECT_MSG_EQ((candidate.iteration >= last), true, "in order");
            last = candidate.iteration;
            NS_TEST_EXPECT_MSG_LT(candidate.memory.GetTotal(), 80'000'000'000, "fits");
            NS_TEST_EXPECT_MSG_EQ(candidate.workload->GetStrategy().GetRankCount(), 4, "ranks");
        }
        NS_TEST_EXPECT_MSG_EQ(names.size(), found.size(), "each once");
        // TP x PP x DP = 4 in 6 ways; 12 heads allow TP 1, 2, 4. With DP > 1: ZeRO 0 and 1; with PP >
        // 1: one or two chunks, the latter if PP divides the micro-batches. Micro-batches 1 and 2
        //   1 x 1 x 4: 4   1 x 2 x 2: 4 + 4 (m = 4, 2)   1 x 4 x 1: 2 + 2 (m = 8, 4; 12 = 8 + 4 not)
        //   2 x 1 x 2: 4   2 x 2 x 1: 2 + 2   4 x 1 x 1: 2
        // 4 stages of 2 chunks do not divide 12 blocks
        NS_TEST_EXPECT_MSG_EQ(found.size(), 4 + 8 + 2 + 4 + 4 + 2, "counted by hand");
        NS_TEST_EXPECT_MSG_EQ(search.GetLeftOut().size(), 1, "one reason");
        NS_TEST_EXPECT_MSG_EQ(search.GetLeftOut().begin()->second, 2, "those of 4 stages");
        NS_TEST_EXPECT_MSG_EQ(found.front().workload->GetStrategy().dataParallel, 4, "fastest");
        NS_TEST_EXPECT_MSG_EQ(found.front().workload->GetStrategy().microBatchSize, 2, "fastest");
        CheckMemory();
        CheckEmpty();
    }

    /** Where memory is short, activations are computed again, and what still needs more is left out. */
    void CheckMemory()
    {
        StrategySearch search(MakeBase(1'500'000'000), MakeSpace());
        const auto found = search.Rank([](const auto&) { return Time(1); });
        uint32_t again = 0;
        for (const auto& candidate : found)
        {
            NS_TEST_EXPECT_MSG_LT(candidate.memory.GetTotal(), 1'500'000'000, "fits");
            again += candidate.workload->GetStrategy().recomputation == Recomputation::NONE ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_GT(again, 0, "some compute again");
        NS_TEST_EXPECT_MSG_EQ(search.GetLeftOut().size(), 2, "two reasons");
        uint32_t all = static_cast<uint32_t>(found.size());
        for (const auto& reason : search.GetLeftOut())
        {
            all += reason.second;
        }
        NS_TEST_EXPECT_MSG_EQ(all, 24 + 2, "none is lost");
    }

    /** What cannot be searched. */
    void CheckEmpty()
    {
        StrategySearch::Space empty = MakeSpace();
        empty.globalBatchSize = 0;
        NS_TEST_EXPECT_MSG_EQ(
            CheckRefused([&] { StrategySearch(MakeBase(1), empty); }, {"global batch size", "0"}),
            "",
            "no batch");
    }
};

/** Strategies by name. */
class SettingsTestCase : public TestCase
{
  public:
    SettingsTestCase()
        : TestCase("A strategy's name says how a workload is divided")
    {
    }

  private:
    void DoRun() override
    {
        WorkloadSettings settings;
        settings.model = "gpt2";
        settings.accelerators = 64;
        const auto strategy =
            settings.WithStrategy("tp4-pp2-sp-zero1-selective-microBatchSize2").MakeStrategy();
        NS_TEST_EXPECT_MSG_EQ(strategy.tensorParallel, 4, "TP");
        NS_TEST_EXPECT_MSG_EQ(strategy.pipelineParallel, 2, "PP");
        NS_TEST_EXPECT_MSG_EQ(strategy.dataParallel, 8, "what is left");
        NS_TEST_EXPECT_MSG_EQ(strategy.sequenceParallel, true, "SP");
        NS_TEST_EXPECT_MSG_EQ(strategy.zeroStage, 1, "ZeRO");
        NS_TEST_EXPECT_MSG_EQ(strategy.microBatchSize, 2, "micro-batch");
        NS_TEST_EXPECT_MSG_EQ(strategy.globalBatchSize, 8 * 2 * 4, "DP x size x number");
        NS_TEST_EXPECT_MSG_EQ((strategy.recomputation == Recomputation::SELECTIVE), true, "which");
        const auto refuse = [&](const std::string& name, const std::string& part)
        {
            const auto make = [&]
            {
                settings.WithStrategy(name);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(make, {"strategy = '" + name + "'", part}),
                                  "",
                                  name);
        };
        refuse("tp4-qq2", "'qq2' is none of");
        refuse("tp", "'tp' is none of");
        refuse("tp4-", "'' is none of");
        refuse("tp4x", "'tp4x' is none of");
        settings.blocks = "7,5";
        NS_TEST_EXPECT_MSG_EQ((settings.MakeStrategy().chunkBlocks == std::vector<uint32_t>{7, 5}),
                              true,
                              "blocks");
        settings.blocks = "7,x";
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&] { settings.MakeStrategy(); }, {"blocks", "'x'"}),
                              "",
                              "no number");
        settings.blocks = "";
        settings.chunks = 2;
        settings.pp = 2;
        settings.tp = 4;
        const auto workload =
            Create<TransformerWorkload>(settings.MakeConfig(), settings.accelerators);
        NS_TEST_EXPECT_MSG_EQ(workload->GetSchedule()->GetInstanceTypeId().GetName(),
                              "ns3::llm::InterleavedSchedule",
                              "with model chunks");
        settings.schedule = "GPipe";
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&] { settings.MakeConfig(); }, {"schedule", "GPipe"}),
                              "",
                              "no such class");
        settings.schedule = "GPipeSchedule";
        NS_TEST_EXPECT_MSG_EQ(settings.MakeConfig().schedule->GetInstanceTypeId().GetName(),
                              "ns3::llm::GPipeSchedule",
                              "by its name");
    }
};

/** The suite. */
class StrategySearchTestSuite : public TestSuite
{
  public:
    StrategySearchTestSuite()
        : TestSuite("llm-fabric-strategy-search", TestSuite::Type::UNIT)
    {
        AddTestCase(new SearchTestCase);
        AddTestCase(new SettingsTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

StrategySearchTestSuite g_strategySearchTestSuite; //!< registers itself

} // namespace
