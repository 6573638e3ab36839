// SPDX-License-Identifier: GPL-2.0-only

// What ranks that share parameters reduce and gather.

#include "transformer-training-graph.h"

#include <algorithm>
#include <utility>

namespace ns3::llm
{

void
TransformerTrainingGraph::Reduce(const GradientBuckets::Bucket& bucket)
{
    if (bucket.bytes == 0)
    {
        return;
    }
    const auto kind = m_workload->GetStrategy().zeroStage == 0 ? TrainingTask::ALL_REDUCE
                                                               : TrainingTask::REDUCE_SCATTER;
    TrainingTask& task = AddCommunication(kind, bucket.dimension, bucket.bytes);
    task.label = "gradients";
    m_reduced[bucket.dimension] = task.id;
}

void
TransformerTrainingGraph::GatherParameters()
{
    if (m_workload->GetStrategy().zeroStage < 3 || m_pass.pass == TrainingPass::BACKWARD_WEIGHT)
    {
        return;
    }
    const uint32_t last = std::min(m_part + m_workload->GetOptions().prefetchBlocks, m_blocks + 1);
    for (; m_gathered <= last; ++m_gathered)
    {
        m_gathers.push_back(AddGathers(GetPartParameters(m_gathered)));
    }
    const auto& due = m_gathers.front();
    m_waits.insert(m_waits.end(), due.begin(), due.end());
    m_gathers.pop_front();
}

ParameterCount
TransformerTrainingGraph::GetPartParameters(uint32_t part) const
{
    const TransformerModel& model = m_workload->GetModel();
    const bool forward = m_pass.pass == TrainingPass::FORWARD;
    if (part >= 1 && part <= m_blocks)
    {
        const uint32_t first =
            m_workload->GetPartition().GetFirstBlock(m_place.pipeline, m_pass.chunk);
        return model.GetBlockParameters(first + (forward ? part - 1 : m_blocks - part));
    }
    const bool low = (part == 0) == forward;
    if (low && forward && m_workload->GetPartition().IsFirst(m_place.pipeline, m_pass.chunk))
    {
        return model.GetWordEmbeddingParameters() + model.GetPositionParameters();
    }
    if (!low && m_workload->GetPartition().IsLast(m_place.pipeline, m_pass.chunk))
    {
        return model.GetWordEmbeddingParameters() + model.GetFinalNormParameters();
    }
    return {}; // the embedding's gradient needs no parameters
}

std::vector<uint64_t>
TransformerTrainingGraph::AddGathers(const ParameterCount& count)
{
    const auto& strategy = m_workload->GetStrategy();
    const std::pair<ParallelDimension, uint64_t> shares[] = {
        {ParallelDimension::DATA, m_workload->GetDenseParameters(count)},
        {m_workload->GetExpertDimension(), m_workload->GetExpertParameters(count)}};
    std::vector<uint64_t> ids;
    for (const auto& [dimension, parameters] : shares)
    {
        if (parameters == 0 || strategy.GetSize(dimension) == 1)
        {
            continue;
        }
        TrainingTask& task = Add(TrainingTask::ALL_GATHER);
        task.dimension = dimension;
        task.bytes = parameters * m_workload->GetOptions().operators.activationBytes;
        task.label = "parameters";
        if (m_lastCompute != NONE)
        {
            task.dependencies = {m_lastCompute}; // whose memory it takes over
        }
        ids.push_back(task.id);
    }
    return ids;
}

} // namespace ns3::llm
