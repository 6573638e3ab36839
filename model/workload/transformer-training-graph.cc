// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-training-graph.h"

namespace ns3::llm
{

TransformerTrainingGraph::TransformerTrainingGraph(Ptr<const TransformerWorkload> workload,
                                                   uint32_t rank)
    : m_workload(workload),
      m_rank(rank),
      m_place(workload->GetStrategy().GetCoordinates(rank)),
      m_shape(workload->GetPipelineShape()),
      m_blocks(workload->GetChunkBlocks())
{
    Restart();
}

void
TransformerTrainingGraph::Restart()
{
    m_nextId = 0;
    m_scheduleIndex = 0;
    m_ended = false;
    m_pending = Time(0);
    m_hasPending = false;
    m_waits.clear();
    m_lastCompute = m_lastCollective = m_lastBucket = NONE;
    m_bucketBytes = 0;
    m_ready.clear();
    BeginPass();
}

bool
TransformerTrainingGraph::Next(TrainingTask& task)
{
    while (m_ready.empty() && !m_ended)
    {
        Advance();
    }
    if (m_ready.empty())
    {
        return false;
    }
    task = std::move(m_ready.front());
    m_ready.pop_front();
    return true;
}

std::size_t
TransformerTrainingGraph::GetReadyCount() const
{
    return m_ready.size();
}

void
TransformerTrainingGraph::Advance()
{
    if (m_steps && m_position < m_steps->size())
    {
        Process((*m_steps)[m_position++]);
        return;
    }
    FlushCompute();
    if (++m_part <= m_blocks + 1)
    {
        BeginPart();
    }
    else
    {
        BeginPass();
    }
}

void
TransformerTrainingGraph::BeginPass()
{
    if (m_scheduleIndex < PipelineSchedule::GetStepCount(m_shape))
    {
        m_pass = m_workload->GetSchedule()->GetStep(m_shape, m_place.pipeline, m_scheduleIndex++);
        m_microBatch = static_cast<int32_t>(m_pass.microBatch);
        m_part = 0;
        BeginPart();
        return;
    }
    m_layer = -1;
    m_microBatch = -1;
    FlushBucket();
    if (m_lastBucket != NONE)
    {
        m_waits.push_back(m_lastBucket); // the buckets before it were reduced before it
    }
    m_label = "optimizer";
    m_pending = m_workload->GetOptimizerTime(m_place.pipeline);
    m_hasPending = true;
    FlushCompute();
    m_ended = true;
}

void
TransformerTrainingGraph::BeginPart()
{
    const bool forward = m_pass.pass == TrainingPass::FORWARD;
    m_steps = nullptr;
    m_position = 0;
    m_layer = -1;
    m_label = forward ? "forward" : "backward";
    if (m_part == 0 || m_part > m_blocks)
    {
        BeginEnd();
        return;
    }
    const uint32_t block = forward ? m_part - 1 : m_blocks - m_part;
    const uint32_t chunks = m_pass.chunk * m_shape.stages + m_place.pipeline;
    m_layer = static_cast<int32_t>(chunks * m_blocks + block);
    m_steps = &m_workload->GetBlockSteps(m_pass.pass);
}

void
TransformerTrainingGraph::BeginEnd()
{
    const bool forward = m_pass.pass == TrainingPass::FORWARD;
    const bool begins = m_part == 0;
    const bool low = begins == forward; // the end where the embedding is
    if (low && m_workload->IsFirst(m_place.pipeline, m_pass.chunk))
    {
        m_label = forward ? "embedding forward" : "embedding backward";
        m_steps = &m_workload->GetEmbeddingSteps(m_pass.pass);
    }
    else if (!low && m_workload->IsLast(m_place.pipeline, m_pass.chunk))
    {
        m_label = forward ? "logits forward" : "logits backward";
        m_steps = &m_workload->GetLogitsSteps(m_pass.pass);
    }
    else if (begins)
    {
        Receive(GetNeighbor(!forward));
    }
    else
    {
        const uint64_t bytes = m_workload->GetPipelineMessageBytes();
        AddCommunication(TrainingTask::SEND, ParallelDimension::PIPELINE, bytes).peer =
            GetNeighbor(forward);
    }
}

void
TransformerTrainingGraph::Process(const TimedStep& step)
{
    switch (step.kind)
    {
    case TransformerStep::OPERATOR:
        m_pending += step.duration;
        m_hasPending = true;
        break;
    case TransformerStep::COLLECTIVE:
        FlushCompute();
        m_lastCollective =
            AddCommunication(TrainingTask::ALL_REDUCE, ParallelDimension::TENSOR, step.bytes).id;
        break;
    case TransformerStep::WAIT:
        FlushCompute();
        m_waits.push_back(m_lastCollective);
        break;
    case TransformerStep::GRADIENT:
        if (m_pass.microBatch + 1 == m_shape.microBatches)
        {
            AddGradients(step.bytes);
        }
        break;
    }
}

void
TransformerTrainingGraph::FlushCompute()
{
    if (!m_hasPending)
    {
        return;
    }
    TrainingTask& task = Add(TrainingTask::COMPUTE);
    task.duration = m_pending;
    task.dependencies.swap(m_waits);
    m_lastCompute = task.id;
    m_pending = Time(0);
    m_hasPending = false;
}

void
TransformerTrainingGraph::Receive(uint32_t peer)
{
    TrainingTask& receive = Add(TrainingTask::RECEIVE);
    receive.dimension = ParallelDimension::PIPELINE;
    receive.bytes = m_workload->GetPipelineMessageBytes();
    receive.peer = peer;
    uint64_t last = receive.id;
    if (m_workload->GetOptions().scatterGather && m_workload->GetStrategy().tensorParallel > 1)
    {
        TrainingTask& gather = Add(TrainingTask::ALL_GATHER);
        gather.dimension = ParallelDimension::TENSOR;
        gather.bytes = m_workload->GetActivationBytes();
        gather.dependencies = {last};
        last = gather.id;
    }
    m_waits.push_back(last);
}

void
TransformerTrainingGraph::AddGradients(uint64_t bytes)
{
    if (m_workload->GetStrategy().dataParallel == 1)
    {
        return;
    }
    m_bucketBytes += bytes;
    const auto& options = m_workload->GetOptions();
    if (options.overlapGradients && m_bucketBytes >= options.bucketBytes)
    {
        FlushCompute();
        FlushBucket();
    }
}

void
TransformerTrainingGraph::FlushBucket()
{
    if (m_bucketBytes > 0)
    {
        TrainingTask& task =
            AddCommunication(TrainingTask::ALL_REDUCE, ParallelDimension::DATA, m_bucketBytes);
        task.label = "gradients";
        m_lastBucket = task.id;
        m_bucketBytes = 0;
    }
}

TrainingTask&
TransformerTrainingGraph::Add(TrainingTask::Kind kind)
{
    TrainingTask task;
    task.id = m_nextId++;
    task.kind = kind;
    task.layer = m_layer;
    task.microBatch = m_microBatch;
    task.label = m_label;
    m_ready.push_back(std::move(task));
    return m_ready.back();
}

TrainingTask&
TransformerTrainingGraph::AddCommunication(TrainingTask::Kind kind,
                                           ParallelDimension dimension,
                                           uint64_t bytes)
{
    TrainingTask& task = Add(kind);
    task.dimension = dimension;
    task.bytes = bytes;
    task.dependencies = m_waits; // a result that is passed on untouched
    if (m_lastCompute != NONE)
    {
        task.dependencies.push_back(m_lastCompute);
    }
    return task;
}

uint32_t
TransformerTrainingGraph::GetNeighbor(bool forward) const
{
    RankCoordinates place = m_place;
    const uint32_t step = forward ? 1 : m_shape.stages - 1;
    place.pipeline = (place.pipeline + step) % m_shape.stages;
    return m_workload->GetStrategy().GetRank(place);
}

} // namespace ns3::llm
