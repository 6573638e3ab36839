// SPDX-License-Identifier: GPL-2.0-only

#include "iteration-estimate.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

/**
 * @param steps steps of a part
 * @return their compute time
 */
Time
GetComputeTime(const std::vector<TimedStep>& steps)
{
    Time sum(0);
    for (const auto& step : steps)
    {
        sum += step.duration;
    }
    return sum;
}

/**
 * @param workload a workload
 * @param stage a stage
 * @return compute time of one micro-batch there, both passes
 */
Time
GetStageTime(const TransformerWorkload& workload, uint32_t stage)
{
    const auto& strategy = workload.GetStrategy();
    const uint32_t blocks = workload.GetChunkBlocks() * strategy.modelChunks;
    Time sum(0);
    for (const auto pass : {TrainingPass::FORWARD, TrainingPass::BACKWARD})
    {
        sum += GetComputeTime(workload.GetBlockSteps(pass)) * int64_t(blocks);
        if (stage == 0)
        {
            sum += GetComputeTime(workload.GetEmbeddingSteps(pass));
        }
        if (stage + 1 == strategy.pipelineParallel)
        {
            sum += GetComputeTime(workload.GetLogitsSteps(pass));
        }
    }
    return sum;
}

/**
 * @param strategy a strategy
 * @param stage a stage
 * @return tensors that a rank of the stage gets from neighbor stages for a micro-batch (and as many
 *         it sends): one a pass and model chunk, except where the model begins or ends
 */
uint64_t
CountNeighborPasses(const ParallelStrategy& strategy, uint32_t stage)
{
    const uint64_t ends = (stage == 0 ? 1 : 0) + (stage + 1 == strategy.pipelineParallel ? 1 : 0);
    return 2 * uint64_t(strategy.modelChunks) - ends;
}

/**
 * @param whole a number
 * @param parts how many parts
 * @return the size of a part, rounded up
 */
uint64_t
DivideUp(uint64_t whole, uint64_t parts)
{
    return (whole + parts - 1) / parts;
}

/**
 * Add all-reduces by ring.
 * @param traffic added to
 * @param count how many
 * @param bytes size of each
 */
void
AddAllReduces(DimensionTraffic& traffic, uint64_t count, uint64_t bytes)
{
    traffic.operations += count;
    traffic.bytes += count * bytes;
    traffic.messages += count * 2 * (traffic.groupSize - 1);
}

/**
 * @param workload a workload
 * @param stage a stage
 * @return tensor-parallel traffic of a rank of the stage
 */
DimensionTraffic
EstimateTensor(const TransformerWorkload& workload, uint32_t stage)
{
    const auto& strategy = workload.GetStrategy();
    DimensionTraffic traffic;
    traffic.groupSize = strategy.tensorParallel;
    if (traffic.groupSize == 1)
    {
        return traffic;
    }
    const uint64_t microBatches = strategy.GetMicroBatchCount();
    const uint64_t activation = workload.GetActivationBytes();
    const uint64_t blocks = uint64_t(workload.GetChunkBlocks()) * strategy.modelChunks;
    // two each way: after attention and after the feed-forward, or one for both side by side
    const uint64_t each = workload.GetModel().GetShape().parallelBlock ? 2 : 4;
    AddAllReduces(traffic, microBatches * blocks * each, activation);
    if (stage == 0)
    {
        AddAllReduces(traffic, microBatches, activation);
    }
    if (stage + 1 == strategy.pipelineParallel)
    {
        // the input's gradient, and three statistics of 32 bit a token for the cross entropy
        AddAllReduces(traffic, microBatches, activation);
        AddAllReduces(traffic, 3 * microBatches, 4 * strategy.GetMicroBatchTokens());
    }
    const uint64_t ring = traffic.groupSize - 1;
    uint64_t weighted = 2 * ring * traffic.bytes;
    if (workload.GetOptions().scatterGather)
    {
        const uint64_t gathers = microBatches * CountNeighborPasses(strategy, stage);
        traffic.operations += gathers;
        traffic.bytes += gathers * activation;
        traffic.messages += gathers * ring;
        weighted += ring * gathers * activation;
    }
    traffic.sentBytes = DivideUp(weighted, traffic.groupSize);
    return traffic;
}

/**
 * @param workload a workload
 * @param stage a stage
 * @return data-parallel traffic of a rank of the stage
 */
DimensionTraffic
EstimateData(const TransformerWorkload& workload, uint32_t stage)
{
    DimensionTraffic traffic;
    traffic.groupSize = workload.GetStrategy().dataParallel;
    for (const uint64_t bucket : GetGradientBuckets(workload, stage))
    {
        AddAllReduces(traffic, 1, bucket);
    }
    traffic.sentBytes = DivideUp(2 * (traffic.groupSize - 1) * traffic.bytes, traffic.groupSize);
    return traffic;
}

/**
 * Put the gradients of a pass through a part into buckets.
 * @param workload a workload
 * @param steps the part's backward steps
 * @param buckets appended to; the last one is open
 */
void
AddToBuckets(const TransformerWorkload& workload,
             const std::vector<TimedStep>& steps,
             std::vector<uint64_t>& buckets)
{
    const auto& options = workload.GetOptions();
    for (const auto& step : steps)
    {
        if (step.kind == TransformerStep::GRADIENT)
        {
            buckets.back() += step.bytes;
            if (options.overlapGradients && buckets.back() >= options.bucketBytes)
            {
                buckets.push_back(0);
            }
        }
    }
}

} // namespace

std::vector<uint64_t>
GetGradientBuckets(const TransformerWorkload& workload, uint32_t stage)
{
    if (workload.GetStrategy().dataParallel == 1)
    {
        return {};
    }
    constexpr auto BACKWARD = TrainingPass::BACKWARD;
    std::vector<uint64_t> buckets = {0};
    for (uint32_t chunk = workload.GetStrategy().modelChunks; chunk-- > 0;)
    {
        if (workload.IsLast(stage, chunk))
        {
            AddToBuckets(workload, workload.GetLogitsSteps(BACKWARD), buckets);
        }
        for (uint32_t block = 0; block < workload.GetChunkBlocks(); ++block)
        {
            AddToBuckets(workload, workload.GetBlockSteps(BACKWARD), buckets);
        }
        if (workload.IsFirst(stage, chunk))
        {
            AddToBuckets(workload, workload.GetEmbeddingSteps(BACKWARD), buckets);
        }
    }
    if (buckets.back() == 0)
    {
        buckets.pop_back();
    }
    return buckets;
}

IterationEstimate
EstimateIteration(const TransformerWorkload& workload, uint32_t rank)
{
    const auto& strategy = workload.GetStrategy();
    const uint32_t stage = strategy.GetCoordinates(rank).pipeline;
    const uint64_t microBatches = strategy.GetMicroBatchCount();
    IterationEstimate estimate;
    estimate.tensor = EstimateTensor(workload, stage);
    estimate.data = EstimateData(workload, stage);
    estimate.pipeline.groupSize = strategy.pipelineParallel;
    estimate.pipeline.operations = microBatches * CountNeighborPasses(strategy, stage);
    estimate.pipeline.messages = estimate.pipeline.operations;
    estimate.pipeline.bytes = estimate.pipeline.operations * workload.GetPipelineMessageBytes();
    estimate.pipeline.sentBytes = estimate.pipeline.bytes;
    estimate.computeTime =
        GetStageTime(workload, stage) * int64_t(microBatches) + workload.GetOptimizerTime(stage);

    Time through(0);
    Time slowest(0);
    Time optimizer(0);
    for (uint32_t i = 0; i < strategy.pipelineParallel; ++i)
    {
        through += GetStageTime(workload, i);
        slowest = std::max(slowest, GetStageTime(workload, i));
        optimizer = std::max(optimizer, workload.GetOptimizerTime(i));
    }
    estimate.idealTime = through + slowest * int64_t(microBatches - 1) + optimizer;
    return estimate;
}

} // namespace ns3::llm
