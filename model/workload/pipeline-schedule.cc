// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(PipelineSchedule);
NS_OBJECT_ENSURE_REGISTERED(OneForwardOneBackwardSchedule);

TypeId
PipelineSchedule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::PipelineSchedule").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

uint64_t
PipelineSchedule::GetStepCount(const PipelineShape& shape)
{
    return 2 * uint64_t(shape.microBatches) * shape.modelChunks;
}

TypeId
OneForwardOneBackwardSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::OneForwardOneBackwardSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<OneForwardOneBackwardSchedule>();
    return tid;
}

bool
OneForwardOneBackwardSchedule::Supports(const PipelineShape& shape) const
{
    return shape.modelChunks == 1;
}

uint32_t
OneForwardOneBackwardSchedule::GetWarmUp(const PipelineShape& shape, uint32_t stage)
{
    return std::min(shape.stages - 1 - stage, shape.microBatches);
}

PipelineStep
OneForwardOneBackwardSchedule::GetStep(const PipelineShape& shape,
                                       uint32_t stage,
                                       uint64_t index) const
{
    const uint64_t warmUp = GetWarmUp(shape, stage);
    const uint64_t turns = 2 * (shape.microBatches - warmUp);
    PipelineStep step;
    if (index < warmUp)
    {
        step.microBatch = static_cast<uint32_t>(index);
        return step;
    }
    const uint64_t turn = index - warmUp;
    const bool forward = turn < turns && turn % 2 == 0;
    step.pass = forward ? TrainingPass::FORWARD : TrainingPass::BACKWARD;
    if (turn < turns)
    {
        step.microBatch = static_cast<uint32_t>(turn / 2 + (forward ? warmUp : 0));
    }
    else
    {
        step.microBatch = static_cast<uint32_t>(index - shape.microBatches);
    }
    return step;
}

} // namespace ns3::llm
