// SPDX-License-Identifier: GPL-2.0-only

// What a rank exchanges with neighbor stages.

#include "transformer-training-graph.h"

namespace ns3::llm
{

void
TransformerTrainingGraph::Receive(uint32_t peer)
{
    TrainingTask& receive = Add(TrainingTask::RECEIVE);
    receive.dimension = ParallelDimension::PIPELINE;
    receive.bytes = m_workload->GetPipelineMessageBytes();
    receive.peer = peer;
    if (m_workload->GetOptions().rendezvous)
    {
        receive.rendezvous = true;
        if (m_lastCompute != NONE)
        {
            receive.dependencies = {m_lastCompute};
        }
    }
    uint64_t last = receive.id;
    const auto& strategy = m_workload->GetStrategy();
    const bool whole = m_workload->GetOptions().scatterGather && !strategy.sequenceParallel;
    if (whole && strategy.tensorParallel > 1)
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
TransformerTrainingGraph::Exchange()
{
    const auto& options = m_workload->GetOptions();
    for (const auto& [peer, microBatch] : m_sends)
    {
        const uint64_t bytes = m_workload->GetPipelineMessageBytes();
        TrainingTask& send =
            AddCommunication(TrainingTask::SEND, ParallelDimension::PIPELINE, bytes);
        send.peer = peer;
        send.microBatch = microBatch;
        send.rendezvous = options.rendezvous;
        if (options.rendezvous)
        {
            m_waits.push_back(send.id);
        }
    }
    if (options.rendezvous)
    {
        ReceiveAhead();
    }
    if (options.pipelineCallOverhead > Time(0) && !m_sends.empty())
    {
        m_label = "exchange";
        m_pending = options.pipelineCallOverhead;
        m_hasPending = true;
        FlushCompute();
    }
    m_sends.clear();
}

void
TransformerTrainingGraph::ReceiveAhead()
{
    const auto& schedule = m_workload->GetSchedule();
    const uint64_t end = schedule->GetStepCount(m_shape, m_place.pipeline);
    for (uint64_t index = m_scheduleIndex; index < end; ++index)
    {
        const auto step = schedule->GetStep(m_shape, m_place.pipeline, index);
        const bool forward = step.pass == TrainingPass::FORWARD;
        const bool starts = forward
                                ? m_workload->GetPartition().IsFirst(m_place.pipeline, step.chunk)
                                : m_workload->GetPartition().IsLast(m_place.pipeline, step.chunk);
        if (!starts && step.pass != TrainingPass::BACKWARD_WEIGHT)
        {
            m_label = forward ? "forward" : "backward";
            m_microBatch = static_cast<int32_t>(step.microBatch);
            Receive(GetNeighbor(!forward));
        }
        if (!SharesCall(step, index + 1))
        {
            return;
        }
    }
}

bool
TransformerTrainingGraph::SharesCall(const PipelineStep& step, uint64_t next) const
{
    const auto& schedule = m_workload->GetSchedule();
    if (!m_workload->GetOptions().rendezvous || m_shape.modelChunks == 1 ||
        step.pass != TrainingPass::FORWARD ||
        next == schedule->GetStepCount(m_shape, m_place.pipeline))
    {
        return false;
    }
    const auto pass = schedule->GetStep(m_shape, m_place.pipeline, next).pass;
    return pass != TrainingPass::FORWARD;
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
