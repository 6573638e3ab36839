// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/iteration-estimate.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Collectives of an iteration: how many, and their bytes. */
struct Collectives
{
    uint64_t count = 0; //!< how many
    uint64_t bytes = 0; //!< sum of their sizes
};

/** By dimension and kind. */
using Traffic = std::map<std::pair<ParallelDimension, TrainingTask::Kind>, Collectives>;

/**
 * @param tasks tasks of an iteration
 * @return what they communicate
 */
Traffic
Count(const std::vector<TrainingTask>& tasks)
{
    Traffic traffic;
    for (const auto& task : tasks)
    {
        if (task.kind != TrainingTask::COMPUTE)
        {
            auto& sum = traffic[{task.dimension, task.kind}];
            ++sum.count;
            sum.bytes += task.bytes;
        }
    }
    return traffic;
}

constexpr auto DATA = ParallelDimension::DATA;                //!< short
constexpr auto REDUCE_SCATTER = TrainingTask::REDUCE_SCATTER; //!< short
constexpr auto ALL_GATHER = TrainingTask::ALL_GATHER;         //!< short
constexpr uint64_t MICRO_BATCHES = 3;                         //!< of all cases

/**
 * @param zeroStage of ZeRO
 * @param prefetchBlocks see the option
 * @return GPT-2 on two ranks
 */
Ptr<const TransformerWorkload>
MakeSharded(uint32_t zeroStage, uint32_t prefetchBlocks = 1)
{
    ParallelStrategy strategy = MakeStrategy(1, 1, 2, MICRO_BATCHES, 256);
    strategy.zeroStage = zeroStage;
    TransformerWorkloadOptions options;
    options.bucketBytes = 1;
    options.prefetchBlocks = prefetchBlocks;
    return MakeWorkload("gpt2", strategy, options);
}

/** What the stages of ZeRO say. */
class ShardedTrafficTestCase : public TestCase
{
  public:
    ShardedTrafficTestCase()
        : TestCase("Each ZeRO stage communicates what its definition says")
    {
    }

  private:
    void DoRun() override
    {
        const auto model = MakeSharded(0)->GetModel();
        const uint64_t all = 2 * model.GetParameterCount(); // of 16 bit
        const uint64_t buckets = 1 + 2 * 12 + 1;            // final norm, two a block, embedding

        Check(0, {{{DATA, TrainingTask::ALL_REDUCE}, {buckets, all}}});
        Check(1, {{{DATA, REDUCE_SCATTER}, {buckets, all}}, {{DATA, ALL_GATHER}, {1, all}}});
        Check(2,
              {{{DATA, REDUCE_SCATTER}, {MICRO_BATCHES * buckets, MICRO_BATCHES * all}},
               {{DATA, ALL_GATHER}, {1, all}}});
        // blocks and logits are gathered in both passes, the embedding in the forward pass alone
        const uint64_t blocks = 2 * 12 * model.GetBlockParameters(0).GetTotal();
        const uint64_t embedding = 2 * model.GetWordEmbeddingParameters().GetTotal();
        const uint64_t positions = 2 * model.GetPositionParameters().GetTotal();
        const uint64_t norm = 2 * model.GetFinalNormParameters().GetTotal();
        const uint64_t gathered = 2 * blocks + 3 * embedding + positions + 2 * norm;
        Check(3,
              {{{DATA, REDUCE_SCATTER}, {MICRO_BATCHES * buckets, MICRO_BATCHES * all}},
               {{DATA, ALL_GATHER}, {MICRO_BATCHES * (2 * 13 + 1), MICRO_BATCHES * gathered}}});
    }

    /**
     * @param zeroStage of ZeRO
     * @param expected what an iteration communicates, and nothing else
     */
    void Check(uint32_t zeroStage, const Traffic& expected)
    {
        const auto workload = MakeSharded(zeroStage);
        const Traffic traffic = Count(GetTasks(workload, 1));
        NS_TEST_EXPECT_MSG_EQ(traffic.size(), expected.size(), "stage " << zeroStage);
        uint64_t operations = 0;
        uint64_t bytes = 0;
        for (const auto& [what, sum] : expected)
        {
            NS_TEST_ASSERT_MSG_EQ(traffic.count(what), 1, "stage " << zeroStage);
            NS_TEST_EXPECT_MSG_EQ(traffic.at(what).count, sum.count, "stage " << zeroStage);
            NS_TEST_EXPECT_MSG_EQ(traffic.at(what).bytes, sum.bytes, "stage " << zeroStage);
            operations += sum.count;
            bytes += sum.bytes;
        }
        const auto estimate = EstimateIteration(workload, 1);
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(DATA).operations, operations, "estimate");
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(DATA).bytes, bytes, "estimate");
    }
};

/** When parameters are gathered. */
class PrefetchTestCase : public TestCase
{
  public:
    PrefetchTestCase()
        : TestCase("Parameters are gathered as many blocks ahead as told, and waited for")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t ahead : {0, 1, 2})
        {
            const auto tasks = GetTasks(MakeSharded(3, ahead), 0);
            std::map<uint64_t, std::size_t> waiting; // computation by the gather it waits for
            for (const auto& task : tasks)
            {
                for (const uint64_t id : task.dependencies)
                {
                    if (task.kind == TrainingTask::COMPUTE && tasks[id].kind == ALL_GATHER)
                    {
                        NS_TEST_EXPECT_MSG_EQ(waiting.count(id), 0, "waited for once");
                        waiting[id] = task.id;
                    }
                }
            }
            NS_TEST_EXPECT_MSG_EQ(waiting.size(), MICRO_BATCHES * 27, "each gather");
            // computations between the one that a gather waits for and the one that waits for it:
            // a gather in the middle of the first forward pass
            const auto& gather = *FindGather(tasks, 6);
            uint32_t between = 0;
            for (uint64_t id = gather.dependencies.at(0) + 1; id < waiting.at(gather.id); ++id)
            {
                between += tasks[id].kind == TrainingTask::COMPUTE ? 1 : 0;
            }
            NS_TEST_EXPECT_MSG_EQ(between, ahead, "blocks that run meanwhile");
        }
    }

    /**
     * @param tasks tasks
     * @param number which of the gathers, from 0
     * @return it
     */
    static std::vector<TrainingTask>::const_iterator
    FindGather(const std::vector<TrainingTask>& tasks, uint32_t number)
    {
        auto found = tasks.begin();
        for (uint32_t seen = 0; found != tasks.end(); ++found)
        {
            if (found->kind == ALL_GATHER && seen++ == number)
            {
                break;
            }
        }
        return found;
    }
};

/** What comes after the last pass. */
class IterationEndTestCase : public TestCase
{
  public:
    IterationEndTestCase()
        : TestCase("Gradients, their norm, the update and the gather follow each other")
    {
    }

  private:
    void DoRun() override
    {
        ParallelStrategy strategy = MakeStrategy(1, 2, 2, 2, 256);
        strategy.zeroStage = 1;
        TransformerWorkloadOptions options;
        options.gradientNorm = true;
        options.iterationOverhead = MilliSeconds(10);
        const auto tasks = GetTasks(MakeWorkload("gpt2", strategy, options), 0);
        // from behind: overhead, gather, update, norm, embedding, last bucket
        std::vector<std::string> labels;
        std::vector<ParallelDimension> dimensions;
        for (auto task = tasks.rbegin(); task != tasks.rbegin() + 6; ++task)
        {
            labels.emplace_back(task->label);
            dimensions.push_back(task->dimension);
        }
        NS_TEST_EXPECT_MSG_EQ((labels == std::vector<std::string>{"other",
                                                                  "parameters",
                                                                  "optimizer",
                                                                  "gradients",
                                                                  "gradients",
                                                                  "gradients"}),
                              true,
                              "order");
        NS_TEST_EXPECT_MSG_EQ((dimensions[3] == ParallelDimension::WORLD), true, "norm");
        NS_TEST_EXPECT_MSG_EQ((dimensions[4] == ParallelDimension::EMBEDDING), true, "embedding");
        NS_TEST_EXPECT_MSG_EQ(tasks[tasks.size() - 4].bytes, 4, "one number");
        for (std::size_t i = tasks.size() - 5; i < tasks.size(); ++i)
        {
            const auto& waits = tasks[i].dependencies;
            NS_TEST_EXPECT_MSG_EQ((std::find(waits.begin(), waits.end(), i - 1) != waits.end()),
                                  true,
                                  "task " << i << " waits for the one before");
        }
        NS_TEST_EXPECT_MSG_EQ(tasks.back().duration, MilliSeconds(10), "overhead");
        CheckUpdate();
    }

    /** The update works on a share of the parameters. */
    void CheckUpdate()
    {
        const auto whole = MakeSharded(0);
        const auto half = MakeSharded(1);
        const Time launch = MicroSeconds(4);
        const auto kernel = [&](const Ptr<const TransformerWorkload>& workload)
        {
            return (workload->GetOptimizerTime(0) - launch).GetSeconds();
        };
        NS_TEST_EXPECT_MSG_EQ_TOL(kernel(whole) / kernel(half), 2, 1e-5, "two ranks");
    }
};

/** Messages by rendezvous. */
class RendezvousTestCase : public TestCase
{
  public:
    RendezvousTestCase()
        : TestCase("By rendezvous, stages exchange what passes made and need, and compute on then")
    {
    }

  private:
    void DoRun() override
    {
        // one exchange after each pass: a message each way for each of 4 micro-batches
        CheckExchanges(Make(1), 8, 1);
        // model chunks: forward and backward passes in turn share an exchange. Of 8 passes each way
        // rank 1 of 2 begins with 2 forward passes; the 6 pairs have one exchange each, and so have
        // the 2 backward passes at the end. The last model chunk ends here
        CheckExchanges(Make(2), 2 + 6 + 2, 2);
    }

    /** @param chunks model chunks of a stage @return tasks of a rank in the middle, or of the last */
    static std::vector<TrainingTask> Make(uint32_t chunks)
    {
        TransformerWorkloadOptions options;
        options.rendezvous = true;
        options.pipelineCallOverhead = MicroSeconds(60);
        options.memory.check = false;
        ParallelStrategy strategy = MakeStrategy(1, chunks == 1 ? 3 : 2, 1, 4, 256);
        strategy.modelChunks = chunks;
        const TransformerWorkload::Config config{TransformerModel::Load("gpt2"),
                                                 Accelerator::FromName("A100"),
                                                 strategy,
                                                 nullptr,
                                                 nullptr,
                                                 options};
        return GetTasks(
            Create<TransformerWorkload>(config, static_cast<uint32_t>(strategy.GetRankCount())),
            1);
    }

    /**
     * @param tasks of a rank
     * @param exchanges how many there must be
     * @param most messages that an exchange sends
     */
    void CheckExchanges(const std::vector<TrainingTask>& tasks, uint32_t exchanges, uint32_t most)
    {
        uint32_t found = 0;
        uint32_t mostSent = 0;
        std::vector<uint64_t> messages; // since the last exchange
        for (const TrainingTask& task : tasks)
        {
            if (task.kind == TrainingTask::SEND || task.kind == TrainingTask::RECEIVE)
            {
                NS_TEST_EXPECT_MSG_EQ(task.rendezvous, true, "each message");
                messages.push_back(task.id);
            }
            else if (std::string(task.label) == "exchange")
            {
                NS_TEST_EXPECT_MSG_EQ(task.duration, MicroSeconds(60), "stands still");
                NS_TEST_EXPECT_MSG_EQ((task.dependencies == messages), true, "until all is done");
                uint32_t sent = 0;
                for (const uint64_t id : messages)
                {
                    sent += tasks[id].kind == TrainingTask::SEND ? 1 : 0;
                }
                mostSent = std::max(mostSent, sent);
                messages.clear();
                ++found;
            }
            else
            {
                messages.clear(); // what the first pass needs is asked for without an exchange
            }
        }
        NS_TEST_EXPECT_MSG_EQ(found, exchanges, "exchanges");
        NS_TEST_EXPECT_MSG_EQ(mostSent, most, "messages sent at once");
    }
};

/** The suite. */
class WorkloadShardingTestSuite : public TestSuite
{
  public:
    WorkloadShardingTestSuite()
        : TestSuite("llm-fabric-workload-sharding", TestSuite::Type::UNIT)
    {
        AddTestCase(new ShardedTrafficTestCase);
        AddTestCase(new PrefetchTestCase);
        AddTestCase(new IterationEndTestCase);
        AddTestCase(new RendezvousTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadShardingTestSuite g_workloadShardingTestSuite; //!< registers itself

} // namespace
