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
 * @param pass which way
 * @return the parts that the stage has, in the order of a pass, over all its model chunks
 */
std::vector<const std::vector<TimedStep>*>
GetParts(const TransformerWorkload& workload, uint32_t stage, TrainingPass pass)
{
    std::vector<const std::vector<TimedStep>*> parts;
    for (uint32_t chunk = 0; chunk < workload.GetStrategy().modelChunks; ++chunk)
    {
        if (workload.GetPartition().IsFirst(stage, chunk))
        {
            parts.push_back(&workload.GetEmbeddingSteps(pass));
        }
        for (uint32_t i = 0; i < workload.GetPartition().GetBlockCount(stage, chunk); ++i)
        {
            const uint32_t block = workload.GetPartition().GetFirstBlock(stage, chunk) + i;
            parts.push_back(&workload.GetBlockSteps(pass, block));
        }
        if (workload.GetPartition().IsLast(stage, chunk))
        {
            parts.push_back(&workload.GetLogitsSteps(pass));
        }
    }
    if (pass != TrainingPass::FORWARD)
    {
        std::reverse(parts.begin(), parts.end());
    }
    return parts;
}

/**
 * @param workload a workload
 * @param stage a stage
 * @return compute time of one micro-batch there, both passes
 */
Time
GetStageTime(const TransformerWorkload& workload, uint32_t stage)
{
    Time sum(0);
    for (const auto pass : {TrainingPass::FORWARD, TrainingPass::BACKWARD})
    {
        for (const auto* steps : GetParts(workload, stage, pass))
        {
            sum += GetComputeTime(*steps);
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

/** Adds up what a rank says. */
class TrafficCounter
{
  public:
    /**
     * @param workload a workload
     * @param stage the rank's stage
     */
    TrafficCounter(const Ptr<const TransformerWorkload>& workload, uint32_t stage)
        : m_workload(workload),
          m_stage(stage)
    {
    }

    /** @return all of an iteration */
    IterationEstimate Count()
    {
        const uint64_t microBatches = m_workload->GetStrategy().GetMicroBatchCount();
        for (const auto pass : {TrainingPass::FORWARD, TrainingPass::BACKWARD})
        {
            for (const auto* steps : GetParts(*m_workload, m_stage, pass))
            {
                for (const TimedStep& step : *steps)
                {
                    if (step.kind == TransformerStep::COMMUNICATION)
                    {
                        Add(step.dimension, step.task, step.bytes, microBatches);
                    }
                }
            }
        }
        AddPipeline(microBatches);
        AddParameters(microBatches);
        AddEnd();
        for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
        {
            auto& traffic = m_estimate.traffic[i];
            traffic.groupSize =
                m_workload->GetStrategy().GetSize(static_cast<ParallelDimension>(i));
            traffic.sentBytes += (m_shares[i] + traffic.groupSize - 1) / traffic.groupSize;
        }
        return m_estimate;
    }

  private:
    /**
     * Add equal operations; those of a group of one are left out.
     * @param dimension along which
     * @param kind what they do
     * @param bytes S of each
     * @param count how many
     */
    void Add(ParallelDimension dimension, TrainingTask::Kind kind, uint64_t bytes, uint64_t count)
    {
        const auto place = static_cast<std::size_t>(dimension);
        const uint64_t ring = m_workload->GetStrategy().GetSize(dimension) - 1;
        if (ring == 0 || bytes == 0 || kind == TrainingTask::RECEIVE)
        {
            return; // a receive is counted where it is sent
        }
        auto& traffic = m_estimate.traffic[place];
        traffic.operations += count;
        traffic.bytes += count * bytes;
        if (kind == TrainingTask::SEND)
        {
            traffic.messages += count;
            traffic.sentBytes += count * bytes;
            return;
        }
        const uint64_t rounds = kind == TrainingTask::ALL_REDUCE ? 2 * ring : ring;
        traffic.messages += count * rounds;
        m_shares[place] += count * rounds * bytes;
    }

    /** Add messages between stages. @param microBatches micro-batches of an iteration */
    void AddPipeline(uint64_t microBatches)
    {
        const auto& strategy = m_workload->GetStrategy();
        const uint64_t count = microBatches * CountNeighborPasses(strategy, m_stage);
        const uint64_t bytes = m_workload->GetPipelineMessageBytes();
        Add(ParallelDimension::PIPELINE, TrainingTask::SEND, bytes, count);
        if (m_workload->GetOptions().scatterGather && !strategy.sequenceParallel)
        {
            const uint64_t whole = m_workload->GetActivationBytes();
            Add(ParallelDimension::TENSOR, TrainingTask::ALL_GATHER, whole, count);
        }
    }

    /** Add gathers of parameters. @param microBatches micro-batches of an iteration */
    void AddParameters(uint64_t microBatches)
    {
        const uint32_t zero = m_workload->GetStrategy().zeroStage;
        if (zero == 1 || zero == 2)
        {
            AddGather(m_workload->GetPartition().GetParameters(m_stage), 1);
        }
        if (zero < 3)
        {
            return;
        }
        const TransformerModel& model = m_workload->GetModel();
        for (uint32_t chunk = 0; chunk < m_workload->GetStrategy().modelChunks; ++chunk)
        {
            const uint32_t first = m_workload->GetPartition().GetFirstBlock(m_stage, chunk);
            for (uint32_t i = 0; i < m_workload->GetPartition().GetBlockCount(m_stage, chunk); ++i)
            {
                AddGather(model.GetBlockParameters(first + i), 2 * microBatches);
            }
            if (m_workload->GetPartition().IsFirst(m_stage, chunk))
            {
                AddGather(model.GetWordEmbeddingParameters() + model.GetPositionParameters(),
                          microBatches);
            }
            if (m_workload->GetPartition().IsLast(m_stage, chunk))
            {
                AddGather(model.GetWordEmbeddingParameters() + model.GetFinalNormParameters(),
                          2 * microBatches);
            }
        }
    }

    /**
     * Add gathers of parameters of a part.
     * @param count the parameters
     * @param times how often
     */
    void AddGather(const ParameterCount& count, uint64_t times)
    {
        const uint64_t each = m_workload->GetOptions().operators.activationBytes;
        Add(ParallelDimension::DATA,
            TrainingTask::ALL_GATHER,
            each * m_workload->GetDenseParameters(count),
            times);
        Add(m_workload->GetExpertDimension(),
            TrainingTask::ALL_GATHER,
            each * m_workload->GetExpertParameters(count),
            times);
    }

    /** Add the reductions of gradients and what follows. */
    void AddEnd()
    {
        const auto& strategy = m_workload->GetStrategy();
        for (const auto& bucket : GetGradientBuckets(m_workload, m_stage))
        {
            Add(bucket.dimension,
                strategy.zeroStage == 0 ? TrainingTask::ALL_REDUCE : TrainingTask::REDUCE_SCATTER,
                bucket.bytes,
                1);
        }
        Add(ParallelDimension::EMBEDDING,
            TrainingTask::ALL_REDUCE,
            m_workload->GetSharedEmbeddingBytes(m_stage),
            1);
        if (m_workload->GetOptions().gradientNorm)
        {
            Add(ParallelDimension::WORLD, TrainingTask::ALL_REDUCE, 4, 1);
        }
    }

    Ptr<const TransformerWorkload> m_workload;            //!< the workload
    uint32_t m_stage;                                     //!< the rank's stage
    IterationEstimate m_estimate;                         //!< what was counted
    std::array<uint64_t, PARALLEL_DIMENSIONS> m_shares{}; //!< bytes sent in rings x group size
};

} // namespace

const DimensionTraffic&
IterationEstimate::Get(ParallelDimension dimension) const
{
    return traffic[static_cast<std::size_t>(dimension)];
}

std::vector<GradientBuckets::Bucket>
GetGradientBuckets(const Ptr<const TransformerWorkload>& workload, uint32_t stage)
{
    std::vector<GradientBuckets::Bucket> result;
    const auto add = [&](const GradientBuckets::Bucket& bucket)
    {
        if (bucket.bytes > 0)
        {
            result.push_back(bucket);
        }
    };
    GradientBuckets buckets(workload);
    const auto& strategy = workload->GetStrategy();
    for (uint32_t batch = 0; batch < strategy.GetMicroBatchCount(); ++batch)
    {
        if (!buckets.IsReduced(batch))
        {
            continue;
        }
        for (const auto* steps : GetParts(*workload, stage, TrainingPass::BACKWARD))
        {
            for (const TimedStep& step : *steps)
            {
                if (step.kind == TransformerStep::GRADIENT)
                {
                    add(buckets.Add(step.expert, step.bytes));
                }
            }
        }
        add(buckets.Take(false));
        add(buckets.Take(true));
    }
    return result;
}

IterationEstimate
EstimateIteration(const Ptr<const TransformerWorkload>& workload, uint32_t rank)
{
    const auto& strategy = workload->GetStrategy();
    const uint32_t stage = strategy.GetCoordinates(rank).pipeline;
    const uint32_t microBatches = strategy.GetMicroBatchCount();
    IterationEstimate estimate = TrafficCounter(workload, stage).Count();
    const Time overhead = workload->GetOptions().iterationOverhead;
    estimate.computeTime = GetStageTime(*workload, stage) * int64_t(microBatches) +
                           workload->GetOptimizerTime(stage) + overhead;

    Time through(0);
    Time slowest(0);
    Time optimizer(0);
    for (uint32_t i = 0; i < strategy.pipelineParallel; ++i)
    {
        through += GetStageTime(*workload, i);
        slowest = std::max(slowest, GetStageTime(*workload, i));
        optimizer = std::max(optimizer, workload->GetOptimizerTime(i));
    }
    // model chunks let the next stage begin after the first of them
    const Time fill = (through - slowest) / int64_t(strategy.modelChunks);
    estimate.idealTime = slowest * int64_t(microBatches) + fill + optimizer + overhead;
    return estimate;
}

} // namespace ns3::llm
