// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-workload.h"

#include "interleaved-schedule.h"
#include "roofline-cost-model.h"
#include "transformer-training-graph.h"

#include "ns3/input-error.h"

#include <iomanip>
#include <sstream>

namespace ns3::llm
{

TransformerWorkload::TransformerWorkload(const Config& config, uint32_t ranks)
    : m_config(config),
      m_unpaddedVocabulary(config.model.GetShape().vocabulary)
{
    if (!m_config.cost)
    {
        m_config.cost = RooflineCostModel::Create(m_config.accelerator);
    }
    if (!m_config.schedule)
    {
        m_config.schedule = MakeUsualSchedule(m_config.strategy.modelChunks);
    }
    const ParallelStrategy& strategy = m_config.strategy;
    strategy.Validate(ranks, m_config.model);
    if (m_config.options.padVocabulary)
    {
        m_config.model = m_config.model.WithVocabulary(
            PadVocabulary(m_unpaddedVocabulary, strategy.tensorParallel));
    }
    Validate(ranks);

    m_partition.emplace(m_config.model, strategy);
    if (m_config.options.memory.check)
    {
        CheckMemory();
    }
    TimeParts();
}

void
TransformerWorkload::TimeParts()
{
    const auto& strategy = m_config.strategy;
    const TransformerOperators operators(m_config.model, strategy, m_config.options.operators);
    m_activationBytes = operators.GetActivationBytes();
    StepTimer timer;
    timer.time = [this](const ModelOperator& op)
    {
        return m_config.cost->GetTime(op, m_config.accelerator);
    };
    timer.groupSize = [&](ParallelDimension dimension)
    {
        return strategy.GetSize(dimension);
    };
    timer.gradientBytes = m_config.options.gradientBytes;
    const TransformerShape& shape = m_config.model.GetShape();
    const bool ownMatrix = !shape.tied || strategy.pipelineParallel > 1;
    for (const auto pass : {TrainingPass::FORWARD,
                            TrainingPass::BACKWARD,
                            TrainingPass::BACKWARD_INPUT,
                            TrainingPass::BACKWARD_WEIGHT})
    {
        const auto place = static_cast<std::size_t>(pass);
        m_embedding[place] = timer.Apply(operators.GetEmbedding(pass));
        m_logits[place] = timer.Apply(operators.GetLogits(pass, ownMatrix));
        for (uint64_t layer = 0; layer < shape.layers; ++layer)
        {
            Part& block = shape.IsExpertLayer(layer) ? m_expertBlock : m_denseBlock;
            if (block[place].empty())
            {
                block[place] = timer.Apply(operators.GetBlock(pass, layer));
            }
        }
    }
    for (uint32_t stage = 0; stage < strategy.pipelineParallel; ++stage)
    {
        const ParameterCount count = m_partition->GetParameters(stage);
        const uint64_t updated =
            GetUpdated(GetDenseParameters(count), strategy.GetSize(ParallelDimension::DATA)) +
            GetUpdated(GetExpertParameters(count), strategy.GetSize(GetExpertDimension()));
        const auto update =
            TransformerOperators::GetOptimizer(updated,
                                               m_config.options.optimizerBytesPerParameter);
        m_optimizer.push_back(m_config.cost->GetTime(update, m_config.accelerator));
    }
}

void
TransformerWorkload::Validate(uint32_t ranks) const
{
    const auto& options = m_config.options;
    const ParallelStrategy& strategy = m_config.strategy;
    options.operators.Validate();
    if (options.gradientBytes == 0 || options.bucketBytes == 0)
    {
        RefuseInput("gradient bytes = " + std::to_string(options.gradientBytes) +
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
    const std::string refusal = m_config.schedule->GetRefusal(GetPipelineShape());
    if (!refusal.empty())
    {
        RefuseInput(refusal);
    }
}

std::unique_ptr<TrainingGraph>
TransformerWorkload::MakeGraph(uint32_t rank) const
{
    return std::make_unique<TransformerTrainingGraph>(Ptr<const TransformerWorkload>(this), rank);
}

const TransformerWorkload::Config&
TransformerWorkload::GetConfig() const
{
    return m_config;
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

const ModelPartition&
TransformerWorkload::GetPartition() const
{
    return *m_partition;
}

MemoryEstimate
TransformerWorkload::GetMemory(uint32_t stage) const
{
    return EstimateMemory({m_config.model, m_config.strategy, *m_config.schedule, m_config.options},
                          stage);
}

void
TransformerWorkload::CheckMemory() const
{
    const uint64_t size = m_config.accelerator.memoryBytes;
    for (uint32_t stage = 0; size > 0 && stage < m_config.strategy.pipelineParallel; ++stage)
    {
        const MemoryEstimate memory = GetMemory(stage);
        if (memory.GetTotal() > size)
        {
            constexpr double GIB = 1 << 30;
            std::ostringstream text;
            text << m_config.strategy.Describe() << " of " << m_config.model.GetShape().name
                 << " does not fit the memory of " << m_config.accelerator.name << ", "
                 << std::fixed << std::setprecision(2) << static_cast<double>(size) / GIB
                 << " GiB: stage " << stage << " needs " << memory.Describe()
                 << "; did you mean more TP or PP, ZeRO, recomputation, a smaller micro-batch, or "
                    "to "
                    "go without this check?";
            RefuseInput(text.str());
        }
    }
}

const std::vector<TimedStep>&
TransformerWorkload::GetEmbeddingSteps(TrainingPass pass) const
{
    return m_embedding[static_cast<std::size_t>(pass)];
}

const std::vector<TimedStep>&
TransformerWorkload::GetBlockSteps(TrainingPass pass, uint32_t block) const
{
    const bool experts = m_config.model.GetShape().IsExpertLayer(block);
    return (experts ? m_expertBlock : m_denseBlock)[static_cast<std::size_t>(pass)];
}

const std::vector<TimedStep>&
TransformerWorkload::GetLogitsSteps(TrainingPass pass) const
{
    return m_logits[static_cast<std::size_t>(pass)];
}

Time
TransformerWorkload::GetOptimizerTime(uint32_t stage) const
{
    return m_optimizer.at(stage);
}

uint64_t
TransformerWorkload::GetPipelineMessageBytes() const
{
    const bool divided = m_config.options.scatterGather || m_config.strategy.sequenceParallel;
    const uint64_t shares = divided ? m_config.strategy.tensorParallel : 1;
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
    const auto& strategy = m_config.strategy;
    const ParameterCount count = m_partition->GetParameters(stage);
    const bool dense = strategy.GetSize(ParallelDimension::DATA) > 1;
    const bool expert = strategy.GetSize(GetExpertDimension()) > 1;
    return ((dense ? GetDenseParameters(count) : 0) + (expert ? GetExpertParameters(count) : 0)) *
           m_config.options.gradientBytes;
}

uint64_t
TransformerWorkload::GetDenseParameters(const ParameterCount& count) const
{
    return count.GetDensePerRank(m_config.strategy.tensorParallel);
}

ParallelDimension
TransformerWorkload::GetExpertDimension() const
{
    return m_config.strategy.expertParallel > 1 ? ParallelDimension::EXPERT_DATA
                                                : ParallelDimension::DATA;
}

uint64_t
TransformerWorkload::GetExpertParameters(const ParameterCount& count) const
{
    const auto& strategy = m_config.strategy;
    return count.GetExpertsPerRank(strategy.tensorParallel, strategy.expertParallel);
}

uint64_t
TransformerWorkload::GetSharedEmbeddingBytes(uint32_t stage) const
{
    const auto& strategy = m_config.strategy;
    const bool end = stage == 0 || stage + 1 == strategy.pipelineParallel;
    if (!end || strategy.pipelineParallel == 1 || !m_config.model.GetShape().tied)
    {
        return 0;
    }
    return GetDenseParameters(m_config.model.GetWordEmbeddingParameters()) *
           m_config.options.gradientBytes;
}

uint64_t
TransformerWorkload::GetUpdated(uint64_t parameters, uint32_t sharers) const
{
    return m_config.strategy.zeroStage == 0 ? parameters : (parameters + sharers - 1) / sharers;
}

} // namespace ns3::llm
