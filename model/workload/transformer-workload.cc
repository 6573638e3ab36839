// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-workload.h"

#include "roofline-cost-model.h"
#include "transformer-training-graph.h"

#include "ns3/input-error.h"

namespace ns3::llm
{

const std::vector<TimedStep>&
TransformerWorkload::Part::Get(TrainingPass pass) const
{
    return pass == TrainingPass::FORWARD ? forward : backward;
}

TransformerWorkload::TransformerWorkload(const Config& config, uint32_t ranks)
    : m_config(config),
      m_unpaddedVocabulary(config.model.GetShape().vocabulary)
{
    if (!m_config.cost)
    {
        m_config.cost = CreateObject<RooflineCostModel>();
    }
    if (!m_config.schedule)
    {
        m_config.schedule = CreateObject<OneForwardOneBackwardSchedule>();
    }
    const ParallelStrategy& strategy = m_config.strategy;
    strategy.Validate(ranks, m_config.model);
    if (m_config.options.padVocabulary)
    {
        m_config.model = m_config.model.WithVocabulary(
            PadVocabulary(m_unpaddedVocabulary, strategy.tensorParallel));
    }
    Validate(ranks);

    const TransformerOperators operators(m_config.model,
                                         strategy,
                                         m_config.options.activationBytes,
                                         m_config.options.overlapTensorBackward);
    const bool ownMatrix = !m_config.model.GetShape().tied || strategy.pipelineParallel > 1;
    m_activationBytes = operators.GetActivationBytes();
    for (const auto pass : {TrainingPass::FORWARD, TrainingPass::BACKWARD})
    {
        const bool forward = pass == TrainingPass::FORWARD;
        (forward ? m_embedding.forward : m_embedding.backward) =
            GetTimed(operators.GetEmbedding(pass));
        (forward ? m_block.forward : m_block.backward) = GetTimed(operators.GetBlock(pass));
        (forward ? m_logits.forward : m_logits.backward) =
            GetTimed(operators.GetLogits(pass, ownMatrix));
    }
    for (uint32_t stage = 0; stage < strategy.pipelineParallel; ++stage)
    {
        const uint64_t parameters = GetStageParameters(stage).GetPerRank(strategy.tensorParallel);
        const auto update =
            operators.GetOptimizer(parameters, m_config.options.optimizerBytesPerParameter);
        m_optimizer.push_back(m_config.cost->GetTime(update, m_config.accelerator));
    }
}

void
TransformerWorkload::Validate(uint32_t ranks) const
{
    const auto& options = m_config.options;
    const ParallelStrategy& strategy = m_config.strategy;
    if (options.activationBytes == 0 || options.gradientBytes == 0 || options.bucketBytes == 0)
    {
        RefuseInput("activation bytes = " + std::to_string(options.activationBytes) +
                    ", gradient bytes = " + std::to_string(options.gradientBytes) +
                    ", bucket bytes = " + std::to_string(options.bucketBytes) +
                    ": each must be at least 1");
    }
    const TransformerShape& shape = m_config.model.GetShape();
    // operations are counted in 64 bits: the largest counts are those of scores and of the weights
    constexpr double MOST_OPERATIONS = 1e18;
    const auto tokens = static_cast<double>(strategy.GetMicroBatchTokens());
    const auto parameters = static_cast<double>(m_config.model.GetParameterCount());
    const double width = 8 * static_cast<double>(shape.heads * shape.headSize);
    if (tokens * (width * strategy.sequenceLength + 4 * parameters) > MOST_OPERATIONS)
    {
        RefuseInput("micro-batch size = " + std::to_string(strategy.microBatchSize) +
                    " with sequence length = " + std::to_string(strategy.sequenceLength) +
                    " is too large for " + shape.name +
                    ": a micro-batch must take less than 1e18 operations");
    }
    const uint64_t vocabulary = shape.vocabulary;
    if (vocabulary % strategy.tensorParallel != 0)
    {
        RefuseInput("TP = " + std::to_string(strategy.tensorParallel) +
                    " does not divide the vocabulary = " + std::to_string(vocabulary) +
                    "; did you mean to pad it?");
    }
    if (strategy.modelChunks > 1 && strategy.pipelineParallel == 1)
    {
        RefuseInput("model chunks = " + std::to_string(strategy.modelChunks) +
                    " of a stage need PP of at least 2, but PP = 1 on " + std::to_string(ranks) +
                    " ranks");
    }
    if (!m_config.schedule->Supports(GetPipelineShape()))
    {
        RefuseInput(m_config.schedule->GetInstanceTypeId().GetName() + " cannot run " +
                    std::to_string(strategy.pipelineParallel) + " stages with " +
                    std::to_string(strategy.modelChunks) + " model chunks and " +
                    std::to_string(strategy.GetMicroBatchCount()) + " micro-batches");
    }
}

std::unique_ptr<TrainingGraph>
TransformerWorkload::MakeGraph(uint32_t rank) const
{
    return std::make_unique<TransformerTrainingGraph>(Ptr<const TransformerWorkload>(this), rank);
}

const TransformerModel&
TransformerWorkload::GetModel() const
{
    return m_config.model;
}

uint64_t
TransformerWorkload::GetUnpaddedVocabulary() const
{
    return m_unpaddedVocabulary;
}

const Accelerator&
TransformerWorkload::GetAccelerator() const
{
    return m_config.accelerator;
}

const ParallelStrategy&
TransformerWorkload::GetStrategy() const
{
    return m_config.strategy;
}

const TransformerWorkloadOptions&
TransformerWorkload::GetOptions() const
{
    return m_config.options;
}

Ptr<const PipelineSchedule>
TransformerWorkload::GetSchedule() const
{
    return m_config.schedule;
}

PipelineShape
TransformerWorkload::GetPipelineShape() const
{
    const auto& strategy = m_config.strategy;
    return {strategy.pipelineParallel, strategy.modelChunks, strategy.GetMicroBatchCount()};
}

uint32_t
TransformerWorkload::GetChunkBlocks() const
{
    const auto& strategy = m_config.strategy;
    const uint64_t chunks = uint64_t(strategy.pipelineParallel) * strategy.modelChunks;
    return static_cast<uint32_t>(m_config.model.GetShape().layers / chunks);
}

bool
TransformerWorkload::IsFirst(uint32_t stage, uint32_t chunk) const
{
    return stage == 0 && chunk == 0;
}

bool
TransformerWorkload::IsLast(uint32_t stage, uint32_t chunk) const
{
    const auto& strategy = m_config.strategy;
    return stage + 1 == strategy.pipelineParallel && chunk + 1 == strategy.modelChunks;
}

ParameterCount
TransformerWorkload::GetStageParameters(uint32_t stage) const
{
    const TransformerModel& model = m_config.model;
    const auto& strategy = m_config.strategy;
    const uint64_t blocks = uint64_t(GetChunkBlocks()) * strategy.modelChunks;
    ParameterCount count = model.GetBlockParameters() * blocks;
    if (stage == 0)
    {
        count = count + model.GetWordEmbeddingParameters() + model.GetPositionParameters();
    }
    if (stage + 1 == strategy.pipelineParallel)
    {
        count = count + model.GetFinalNormParameters();
        if (!model.GetShape().tied || stage > 0)
        {
            count = count + model.GetWordEmbeddingParameters();
        }
    }
    return count;
}

const std::vector<TimedStep>&
TransformerWorkload::GetEmbeddingSteps(TrainingPass pass) const
{
    return m_embedding.Get(pass);
}

const std::vector<TimedStep>&
TransformerWorkload::GetBlockSteps(TrainingPass pass) const
{
    return m_block.Get(pass);
}

const std::vector<TimedStep>&
TransformerWorkload::GetLogitsSteps(TrainingPass pass) const
{
    return m_logits.Get(pass);
}

Time
TransformerWorkload::GetOptimizerTime(uint32_t stage) const
{
    return m_optimizer.at(stage);
}

uint64_t
TransformerWorkload::GetPipelineMessageBytes() const
{
    const uint64_t shares = m_config.options.scatterGather ? m_config.strategy.tensorParallel : 1;
    return (m_activationBytes + shares - 1) / shares;
}

uint64_t
TransformerWorkload::GetActivationBytes() const
{
    return m_activationBytes;
}

uint64_t
TransformerWorkload::GetGradientBytes(uint32_t stage) const
{
    if (m_config.strategy.dataParallel == 1)
    {
        return 0;
    }
    return GetStageParameters(stage).GetPerRank(m_config.strategy.tensorParallel) *
           m_config.options.gradientBytes;
}

std::vector<TimedStep>
TransformerWorkload::GetTimed(const TransformerOperators::Steps& steps) const
{
    const bool alone = m_config.strategy.tensorParallel == 1;
    std::vector<TimedStep> result;
    for (const auto& step : steps)
    {
        const bool about =
            step.kind == TransformerStep::COLLECTIVE || step.kind == TransformerStep::WAIT;
        if (about && alone)
        {
            continue; // a group of one has nothing to say
        }
        if (step.kind == TransformerStep::OPERATOR)
        {
            if (result.empty() || result.back().kind != TransformerStep::OPERATOR)
            {
                result.emplace_back();
            }
            result.back().duration += m_config.cost->GetTime(step.op, m_config.accelerator);
            continue;
        }
        TimedStep timed;
        timed.kind = step.kind;
        timed.bytes = step.kind == TransformerStep::GRADIENT
                          ? step.parameters * m_config.options.gradientBytes
                          : step.bytes;
        result.push_back(timed);
    }
    return result;
}

} // namespace ns3::llm
