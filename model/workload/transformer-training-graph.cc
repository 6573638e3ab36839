// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-training-graph.h"

namespace ns3::llm
{

namespace
{

/**
 * @param pass which way
 * @return what reports call it
 */
const char*
GetLabel(TrainingPass pass)
{
    switch (pass)
    {
    case TrainingPass::FORWARD:
        return "forward";
    case TrainingPass::BACKWARD_WEIGHT:
        return "weight gradients";
    default:
        return "backward";
    }
}

} // namespace

TransformerTrainingGraph::TransformerTrainingGraph(Ptr<const TransformerWorkload> workload,
                                                   uint32_t rank)
    : m_workload(workload),
      m_rank(rank),
      m_place(workload->GetStrategy().GetCoordinates(rank)),
      m_shape(workload->GetPipelineShape()),
      m_buckets(workload)
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
    m_open.clear();
    m_lastCompute = NONE;
    m_sends.clear();
    m_buckets = GradientBuckets(m_workload);
    m_reduced.clear();
    m_ready.clear();
    if (m_workload->GetOptions().rendezvous)
    {
        ReceiveAhead();
    }
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
        return;
    }
    EndPass();
    BeginPass();
}

void
TransformerTrainingGraph::BeginPass()
{
    const auto& schedule = m_workload->GetSchedule();
    if (m_scheduleIndex == schedule->GetStepCount(m_shape, m_place.pipeline))
    {
        EndIteration();
        return;
    }
    m_pass = schedule->GetStep(m_shape, m_place.pipeline, m_scheduleIndex++);
    m_blocks = m_workload->GetPartition().GetBlockCount(m_place.pipeline, m_pass.chunk);
    m_microBatch = static_cast<int32_t>(m_pass.microBatch);
    m_part = 0;
    m_gathers.clear();
    m_gathered = 0;
    BeginPart();
}

void
TransformerTrainingGraph::BeginPart()
{
    const bool forward = m_pass.pass == TrainingPass::FORWARD;
    m_steps = nullptr;
    m_position = 0;
    m_layer = -1;
    m_label = GetLabel(m_pass.pass);
    GatherParameters();
    if (m_part == 0 || m_part > m_blocks)
    {
        BeginEnd();
        return;
    }
    const uint32_t place = forward ? m_part - 1 : m_blocks - m_part;
    const uint32_t block =
        m_workload->GetPartition().GetFirstBlock(m_place.pipeline, m_pass.chunk) + place;
    m_layer = static_cast<int32_t>(block);
    m_steps = &m_workload->GetBlockSteps(m_pass.pass, block);
}

void
TransformerTrainingGraph::BeginEnd()
{
    const bool forward = m_pass.pass == TrainingPass::FORWARD;
    const bool begins = m_part == 0;
    const bool low = begins == forward; // the end where the embedding is
    if (low && m_workload->GetPartition().IsFirst(m_place.pipeline, m_pass.chunk))
    {
        m_label = forward ? "embedding forward" : "embedding backward";
        m_steps = &m_workload->GetEmbeddingSteps(m_pass.pass);
    }
    else if (!low && m_workload->GetPartition().IsLast(m_place.pipeline, m_pass.chunk))
    {
        m_label = forward ? "logits forward" : "logits backward";
        m_steps = &m_workload->GetLogitsSteps(m_pass.pass);
    }
    else if (m_pass.pass == TrainingPass::BACKWARD_WEIGHT)
    {
        return; // gradients of weights stay on their stage
    }
    else if (begins)
    {
        if (!m_workload->GetOptions().rendezvous)
        {
            Receive(GetNeighbor(!forward));
        }
    }
    else
    {
        m_sends.emplace_back(GetNeighbor(forward), m_microBatch);
    }
}

void
TransformerTrainingGraph::EndPass()
{
    const bool gradients =
        m_pass.pass == TrainingPass::BACKWARD || m_pass.pass == TrainingPass::BACKWARD_WEIGHT;
    if (gradients && m_workload->GetStrategy().zeroStage >= 2)
    {
        Reduce(m_buckets.Take(false));
        Reduce(m_buckets.Take(true));
    }
    if (!SharesCall(m_pass, m_scheduleIndex))
    {
        Exchange();
    }
}

void
TransformerTrainingGraph::EndIteration()
{
    m_layer = -1;
    m_microBatch = -1;
    Reduce(m_buckets.Take(false));
    Reduce(m_buckets.Take(true));
    for (const auto& reduction : m_reduced)
    {
        m_waits.push_back(reduction.second); // those before it were done before it
    }
    const auto& options = m_workload->GetOptions();
    m_label = "gradients";
    if (const uint64_t bytes = m_workload->GetSharedEmbeddingBytes(m_place.pipeline))
    {
        const auto dimension = ParallelDimension::EMBEDDING;
        m_waits = {AddCommunication(TrainingTask::ALL_REDUCE, dimension, bytes).id};
    }
    if (options.gradientNorm && m_workload->GetStrategy().GetRankCount() > 1)
    {
        constexpr uint64_t BYTES = 4; // one number of 32 bit
        m_waits = {AddCommunication(TrainingTask::ALL_REDUCE, ParallelDimension::WORLD, BYTES).id};
    }
    m_label = "optimizer";
    m_pending = m_workload->GetOptimizerTime(m_place.pipeline);
    m_hasPending = true;
    FlushCompute();
    const uint32_t zero = m_workload->GetStrategy().zeroStage;
    if (zero == 1 || zero == 2)
    {
        m_waits = AddGathers(m_workload->GetPartition().GetParameters(m_place.pipeline));
    }
    if (options.iterationOverhead > Time(0))
    {
        m_label = "other";
        m_pending = options.iterationOverhead;
        m_hasPending = true;
        FlushCompute();
    }
    m_ended = true;
}

void
TransformerTrainingGraph::Process(const TimedStep& step)
{
    switch (step.kind)
    {
    case TransformerStep::OPERATOR:
        Compute(step);
        break;
    case TransformerStep::COMMUNICATION:
        FlushCompute();
        Communicate(step);
        break;
    case TransformerStep::WAIT:
        FlushCompute();
        m_waits.insert(m_waits.end(), m_open.begin(), m_open.end());
        m_open.clear();
        break;
    case TransformerStep::GRADIENT:
        if (m_buckets.IsReduced(m_pass.microBatch))
        {
            const auto bucket = m_buckets.Add(step.expert, step.bytes);
            if (bucket.bytes > 0)
            {
                FlushCompute();
                Reduce(bucket);
            }
        }
        break;
    }
}

void
TransformerTrainingGraph::Compute(const TimedStep& step)
{
    const bool again = step.share == TransformerStep::RECOMPUTATION;
    if (m_hasPending && again != m_again)
    {
        FlushCompute();
    }
    m_again = again;
    m_pending += step.duration;
    m_hasPending = true;
}

void
TransformerTrainingGraph::Communicate(const TimedStep& step)
{
    if (step.task != TrainingTask::SEND && step.task != TrainingTask::RECEIVE)
    {
        m_open.push_back(AddCommunication(step.task, step.dimension, step.bytes).id);
        return;
    }
    RankCoordinates place = m_place;
    const auto ranks = static_cast<int32_t>(m_workload->GetStrategy().contextParallel);
    place.context = static_cast<uint32_t>(
        (static_cast<int32_t>(place.context) + step.peer % ranks + ranks) % ranks);
    const uint32_t peer = m_workload->GetStrategy().GetRank(place);
    TrainingTask& task = step.task == TrainingTask::SEND
                             ? AddCommunication(step.task, step.dimension, step.bytes)
                             : Add(step.task); // a receive needs nothing of this rank
    task.dimension = step.dimension;
    task.bytes = step.bytes;
    task.peer = peer;
    m_open.push_back(task.id);
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
    task.label = m_again ? "recomputation" : m_label;
    task.dependencies.swap(m_waits);
    m_lastCompute = task.id;
    m_pending = Time(0);
    m_hasPending = false;
    m_again = false;
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

} // namespace ns3::llm
