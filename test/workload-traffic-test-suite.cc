// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/iteration-estimate.h"
#include "ns3/test.h"

#include <map>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Sums over the tasks of an iteration. */
struct TaskSums
{
    uint64_t tensorBytes = 0;      //!< collectives along TP
    uint64_t tensorCount = 0;      //!< likewise
    uint64_t dataBytes = 0;        //!< collectives along DP
    uint64_t embeddingBytes = 0;   //!< collectives along EMBEDDING
    uint64_t sentBytes = 0;        //!< SEND
    uint64_t sentCount = 0;        //!< likewise
    uint64_t receivedBytes = 0;    //!< RECEIVE
    Time compute;                  //!< COMPUTE
    std::vector<uint64_t> buckets; //!< collectives along DP
};

/**
 * @param tasks tasks of an iteration
 * @return their sums
 */
TaskSums
Sum(const std::vector<TrainingTask>& tasks)
{
    TaskSums sums;
    for (const auto& task : tasks)
    {
        switch (task.kind)
        {
        case TrainingTask::COMPUTE:
            sums.compute += task.duration;
            break;
        case TrainingTask::SEND:
            sums.sentBytes += task.bytes;
            ++sums.sentCount;
            break;
        case TrainingTask::RECEIVE:
            sums.receivedBytes += task.bytes;
            break;
        default:
            if (task.dimension == ParallelDimension::TENSOR)
            {
                sums.tensorBytes += task.bytes;
                ++sums.tensorCount;
            }
            else if (task.dimension == ParallelDimension::EMBEDDING)
            {
                sums.embeddingBytes += task.bytes;
            }
            else
            {
                sums.dataBytes += task.bytes;
                sums.buckets.push_back(task.bytes);
            }
        }
    }
    return sums;
}

/** Traffic of the main example and of a pipeline. */
class TrafficTestCase : public TestCase
{
  public:
    TrafficTestCase()
        : TestCase("Bytes of each dimension equal the closed forms")
    {
    }

  private:
    void DoRun() override
    {
        CheckMedium();
        CheckPipeline();
        CheckScatterGather();
        for (const auto& model : {"gpt2-medium", "llama-3.1-8b", "falcon-180b"})
        {
            CheckEstimate(model, MakeStrategy(8, 1, 2, 3, 1024), {});
            TransformerWorkloadOptions options;
            options.scatterGather = true;
            options.overlapGradients = false;
            options.operators.overlapBackward = false;
            options.bucketBytes = 1;
            CheckEstimate(model, MakeStrategy(2, 4, 2, 5, 512), options);
            options.overlapGradients = true;
            CheckEstimate(model, MakeStrategy(1, 2, 3, 2, 512), options);
            CheckEstimate(model, MakeStrategy(4, 1, 1, 2, 512), options);
        }
    }

    /** GPT-2 medium, TP 8 x DP 8, by hand. */
    void CheckMedium()
    {
        const auto workload = MakeWorkload("gpt2-medium", MakeStrategy(8, 1, 8, 1, 1024));
        NS_TEST_EXPECT_MSG_EQ(workload->GetModel().GetShape().vocabulary, 51200, "padded");
        NS_TEST_EXPECT_MSG_EQ(workload->GetUnpaddedVocabulary(), 50257, "as in the file");
        const auto sums = Sum(GetTasks(workload, 13));
        const uint64_t activation = 2ULL * 1024 * 1024;
        // 4 a block, one each for embedding and logits; three of 4 bytes a token
        NS_TEST_EXPECT_MSG_EQ(sums.tensorBytes, (24 * 4 + 2) * activation + 3 * 4096, "TP");
        NS_TEST_EXPECT_MSG_EQ(sums.tensorCount, 24 * 4 + 2 + 3, "TP collectives");
        const uint64_t h = 1024;
        const uint64_t sharded = 24 * (12 * h * h + 7 * h) + 51200 * h;
        const uint64_t replicated = 24 * 6 * h + 1024 * h + 2 * h;
        NS_TEST_EXPECT_MSG_EQ(sums.dataBytes, 2 * (sharded / 8 + replicated), "DP");
        NS_TEST_EXPECT_MSG_EQ(sums.sentBytes + sums.receivedBytes, 0, "no pipeline");
        const auto estimate = EstimateIteration(workload, 13);
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::TENSOR).sentBytes,
                              sums.tensorBytes * 14 / 8,
                              "2 x 7 / 8 S");
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::TENSOR).messages,
                              14 * sums.tensorCount,
                              "2 x 7 steps");
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::DATA).sentBytes,
                              sums.dataBytes * 14 / 8,
                              "2 x 7 / 8 S");
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::DATA).messages,
                              14 * sums.buckets.size(),
                              "2 x 7 steps");
        // S = 2 bytes x parameters / TP, but for what every rank keeps
        const auto all = static_cast<double>(workload->GetModel().GetParameterCount());
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(sums.dataBytes),
                                  2 * all / 8,
                                  2.0 * replicated,
                                  "DP, roughly");
    }

    /** Each rank of a tensor group sends a share, and the group gathers them. */
    void CheckScatterGather()
    {
        TransformerWorkloadOptions options;
        options.scatterGather = true;
        const auto workload = MakeWorkload("gpt3-175b", MakeStrategy(8, 4, 1, 6, 2048), options);
        const uint64_t tensor = 2ULL * 2048 * 12288;
        const uint32_t rank = 8; // second stage
        const auto estimate = EstimateIteration(workload, rank);
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::PIPELINE).bytes,
                              6 * 2 * tensor / 8,
                              "forward and backward");
        // 24 blocks of 4 all-reduces and two all-gathers, for each of 6 micro-batches
        NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::TENSOR).sentBytes,
                              6 * (24 * 4 * 2 + 2) * tensor * 7 / 8,
                              "all-gathers send half of what all-reduces do");
        uint32_t gathers = 0;
        const auto tasks = GetTasks(workload, rank);
        for (const auto& task : tasks)
        {
            if (task.kind == TrainingTask::ALL_GATHER)
            {
                ++gathers;
                NS_TEST_EXPECT_MSG_EQ(task.bytes, tensor, "whole tensor");
                NS_TEST_EXPECT_MSG_EQ(tasks[task.dependencies.at(0)].kind,
                                      TrainingTask::RECEIVE,
                                      "gathers what came");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(gathers, 12, "one for each message");
    }

    /** Messages between stages. */
    void CheckPipeline()
    {
        const auto workload = MakeWorkload("gpt3-175b", MakeStrategy(8, 4, 1, 6, 2048));
        const uint64_t message = 2ULL * 2048 * 12288;
        std::map<std::pair<uint32_t, uint32_t>, std::vector<int32_t>> sent;
        std::map<std::pair<uint32_t, uint32_t>, std::vector<int32_t>> received;
        for (uint32_t rank = 0; rank < 32; ++rank)
        {
            for (const auto& task : GetTasks(workload, rank))
            {
                if (task.kind == TrainingTask::SEND)
                {
                    NS_TEST_EXPECT_MSG_EQ(task.bytes, message, "whole tensor");
                    sent[{rank, task.peer}].push_back(task.microBatch);
                }
                else if (task.kind == TrainingTask::RECEIVE)
                {
                    received[{task.peer, rank}].push_back(task.microBatch);
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ((sent == received), true, "each message is received, in order");
        NS_TEST_EXPECT_MSG_EQ(sent.size(), 2 * 3 * 8, "pairs of neighbors");
        NS_TEST_EXPECT_MSG_EQ((sent[{8, 16}] == std::vector<int32_t>{0, 1, 2, 3, 4, 5}),
                              true,
                              "rank 8 of stage 1 sends every micro-batch on");
    }

    /**
     * First and last stage sum the gradient of a tied embedding.
     * @param workload the workload
     * @param stage a stage
     * @param bytes what a rank of it sums
     */
    void CheckEmbedding(const TransformerWorkload& workload, uint32_t stage, uint64_t bytes)
    {
        const auto& shape = workload.GetModel().GetShape();
        const auto& strategy = workload.GetStrategy();
        const bool end = stage == 0 || stage + 1 == strategy.pipelineParallel;
        const bool twice = shape.tied && strategy.pipelineParallel > 1 && end;
        const uint64_t own = 2 * shape.vocabulary * shape.hidden / strategy.tensorParallel;
        NS_TEST_EXPECT_MSG_EQ(bytes, (twice ? own : 0), "stage " << stage);
    }

    /**
     * Compare the closed forms with the sums over all tasks.
     * @param model built-in name
     * @param strategy the strategy
     * @param options the rest
     */
    void CheckEstimate(const std::string& model,
                       const ParallelStrategy& strategy,
                       const TransformerWorkloadOptions& options)
    {
        const auto workload = MakeWorkload(model, strategy, options);
        const std::string where = model + ", " + strategy.Describe();
        for (uint32_t stage = 0; stage < strategy.pipelineParallel; ++stage)
        {
            const uint32_t rank = strategy.GetRank({0, stage, 0});
            const auto sums = Sum(GetTasks(workload, rank));
            const auto estimate = EstimateIteration(workload, rank);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::TENSOR).bytes,
                                  sums.tensorBytes,
                                  where);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::TENSOR).operations,
                                  sums.tensorCount,
                                  where);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::DATA).bytes,
                                  sums.dataBytes,
                                  where);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::DATA).bytes,
                                  workload->GetGradientBytes(stage),
                                  where);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::PIPELINE).bytes,
                                  sums.sentBytes,
                                  where);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::PIPELINE).bytes,
                                  sums.receivedBytes,
                                  where);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::PIPELINE).operations,
                                  sums.sentCount,
                                  where);
            NS_TEST_EXPECT_MSG_EQ(estimate.computeTime, sums.compute, where);
            std::vector<uint64_t> buckets;
            for (const auto& bucket : GetGradientBuckets(workload, stage))
            {
                buckets.push_back(bucket.bytes);
            }
            NS_TEST_EXPECT_MSG_EQ((buckets == sums.buckets), true, where);
            CheckEmbedding(*workload, stage, sums.embeddingBytes);
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::EMBEDDING).bytes,
                                  sums.embeddingBytes,
                                  where);
        }
    }
};

/** The suite. */
class WorkloadTrafficTestSuite : public TestSuite
{
  public:
    WorkloadTrafficTestSuite()
        : TestSuite("llm-fabric-workload-traffic", TestSuite::Type::UNIT)
    {
        AddTestCase(new TrafficTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadTrafficTestSuite g_workloadTrafficTestSuite; //!< registers itself

} // namespace
