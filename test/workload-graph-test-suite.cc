// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/test.h"
#include "ns3/transformer-training-graph.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** The order of tasks and what they wait for. */
class DependencyTestCase : public TestCase
{
  public:
    DependencyTestCase()
        : TestCase("Tasks wait for what they need, and for nothing later")
    {
    }

  private:
    void DoRun() override
    {
        const auto workload = MakeWorkload("gpt2", MakeStrategy(2, 1, 2, 1, 256));
        const auto tasks = GetTasks(workload, 0);
        for (std::size_t i = 0; i < tasks.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(tasks[i].id, i, "ids count up");
            for (const auto id : tasks[i].dependencies)
            {
                NS_TEST_ASSERT_MSG_LT(id, i, "only earlier tasks");
            }
        }
        // embedding, its sum, then attention which waits for the sum
        NS_TEST_EXPECT_MSG_EQ(tasks[0].kind, TrainingTask::COMPUTE, "embedding");
        NS_TEST_EXPECT_MSG_EQ(tasks[1].kind, TrainingTask::ALL_REDUCE, "its sum");
        NS_TEST_EXPECT_MSG_EQ((tasks[1].dependencies == std::vector<uint64_t>{0}), true, "result");
        NS_TEST_EXPECT_MSG_EQ((tasks[2].dependencies == std::vector<uint64_t>{1}),
                              true,
                              "positions");
        NS_TEST_EXPECT_MSG_EQ(tasks[3].layer, 0, "first block");
        CheckBackwardOverlap();
        CheckGradients();
    }

    /** The backward sum runs beside the weight gradients when told so. */
    void CheckBackwardOverlap()
    {
        for (const bool overlap : {true, false})
        {
            TransformerWorkloadOptions options;
            options.operators.overlapBackward = overlap;
            const auto tasks =
                GetTasks(MakeWorkload("gpt2", MakeStrategy(2, 1, 1, 1, 256), options), 0);
            uint32_t beside = 0;
            for (std::size_t i = 0; i + 1 < tasks.size(); ++i)
            {
                const auto& next = tasks[i + 1];
                const bool sum = tasks[i].kind == TrainingTask::ALL_REDUCE && tasks[i].layer >= 0;
                if (sum && next.kind == TrainingTask::COMPUTE && next.dependencies.empty())
                {
                    ++beside;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(beside, (overlap ? 24 : 0), "two a block of 12");
        }
    }

    /** Buckets go out during the last backward pass; the optimizer waits for the last. */
    void CheckGradients()
    {
        TransformerWorkloadOptions options;
        options.bucketBytes = 1;
        for (const bool overlap : {true, false})
        {
            options.overlapGradients = overlap;
            const auto tasks =
                GetTasks(MakeWorkload("gpt2", MakeStrategy(1, 1, 2, 3, 256), options), 0);
            uint32_t buckets = 0;
            std::size_t lastBucket = 0;
            for (const auto& task : tasks)
            {
                if (task.kind == TrainingTask::ALL_REDUCE)
                {
                    ++buckets;
                    lastBucket = task.id;
                    NS_TEST_EXPECT_MSG_EQ(task.microBatch,
                                          (overlap && task.layer >= 0 ? 2 : task.microBatch),
                                          "last");
                    NS_TEST_EXPECT_MSG_EQ(tasks[task.dependencies.at(0)].kind,
                                          TrainingTask::COMPUTE,
                                          "what made the gradients");
                }
            }
            // final norm, two a block, embedding
            NS_TEST_EXPECT_MSG_EQ(buckets, (overlap ? 1 + 2 * 12 + 1 : 1), "buckets");
            const auto& optimizer = tasks.back();
            NS_TEST_EXPECT_MSG_EQ(std::string(optimizer.label), "optimizer", "comes last");
            NS_TEST_EXPECT_MSG_EQ((optimizer.dependencies == std::vector<uint64_t>{lastBucket}),
                                  true,
                                  "waits for the last bucket");
        }
    }
};

/** Memory of a large graph. */
class BoundedTestCase : public TestCase
{
  public:
    BoundedTestCase()
        : TestCase("A graph keeps no more for 96 layers x 64 micro-batches than for one")
    {
    }

  private:
    void DoRun() override
    {
        const auto workload = MakeWorkload("gpt3-175b", MakeStrategy(8, 1, 8, 64, 2048));
        TransformerTrainingGraph graph(workload, 5);
        std::size_t mostReady = 0;
        uint64_t furthest = 0;
        uint64_t count = 0;
        for (TrainingTask task; graph.Next(task); ++count)
        {
            mostReady = std::max(mostReady, graph.GetReadyCount());
            NS_TEST_ASSERT_MSG_LT(task.dependencies.size(), 3, "dependencies");
            for (const auto id : task.dependencies)
            {
                furthest = std::max(furthest, task.id - id);
            }
        }
        NS_TEST_EXPECT_MSG_GT(count, 64 * 96 * 8, "every pass of every block");
        NS_TEST_EXPECT_MSG_LT(mostReady, 3, "tasks made ahead");
        NS_TEST_EXPECT_MSG_LT(furthest, 8, "how far back a dependency lies");

        TrainingTask first;
        NS_TEST_EXPECT_MSG_EQ(graph.Next(first), false, "ended");
        graph.Restart();
        uint64_t again = 0;
        for (TrainingTask task; graph.Next(task); ++again)
        {
            NS_TEST_ASSERT_MSG_EQ(task.id, again, "ids start again");
        }
        NS_TEST_EXPECT_MSG_EQ(again, count, "the same iteration");
    }
};

/** Settings that do not fit together. */
class WorkloadRefusalTestCase : public TestCase
{
  public:
    WorkloadRefusalTestCase()
        : TestCase("Workloads that cannot run are refused")
    {
    }

  private:
    void DoRun() override
    {
        const auto refuse = [this](const ParallelStrategy& strategy,
                                   const TransformerWorkloadOptions& options,
                                   const std::vector<std::string>& parts)
        {
            const auto make = [&]
            {
                MakeWorkload("gpt2", strategy, options);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(make, parts), "", parts[0]);
        };
        TransformerWorkloadOptions unpadded;
        unpadded.padVocabulary = false;
        refuse(MakeStrategy(2, 1, 1, 1, 256), unpadded, {"vocabulary = 50257", "pad"});
        TransformerWorkloadOptions empty;
        empty.bucketBytes = 0;
        refuse(MakeStrategy(2, 1, 1, 1, 256), empty, {"bucket bytes = 0"});
        ParallelStrategy huge = MakeStrategy(2, 1, 1, 1, 1024);
        huge.globalBatchSize = huge.microBatchSize = 4000000;
        refuse(huge, {}, {"micro-batch size = 4000000", "1e18 operations"});
        ParallelStrategy chunks = MakeStrategy(1, 1, 1, 1, 256);
        chunks.modelChunks = 2;
        refuse(chunks, {}, {"model chunks = 2", "PP = 1"});
        chunks = MakeStrategy(1, 2, 1, 3, 256);
        chunks.modelChunks = 2;
        refuse(chunks, {}, {"InterleavedSchedule", "multiple of PP = 2", "2 or 4"});
    }
};

/** The suite. */
class WorkloadGraphTestSuite : public TestSuite
{
  public:
    WorkloadGraphTestSuite()
        : TestSuite("llm-fabric-workload-graph", TestSuite::Type::UNIT)
    {
        AddTestCase(new DependencyTestCase);
        AddTestCase(new BoundedTestCase);
        AddTestCase(new WorkloadRefusalTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadGraphTestSuite g_workloadGraphTestSuite; //!< registers itself

} // namespace
