// SPDX-License-Identifier: GPL-2.0-only

#include "one-forward-one-backward-schedule.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(OneForwardOneBackwardSchedule);

TypeId
OneForwardOneBackwardSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::OneForwardOneBackwardSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<OneForwardOneBackwardSchedule>();
    return tid;
}

std::string
OneForwardOneBackwardSchedule::GetRefusal(const PipelineShape& shape) const
{
    if (shape.modelChunks == 1)
    {
        return "";
    }
    return "OneForwardOneBackwardSchedule runs one model chunk a stage, not " +
           std::to_string(shape.modelChunks) + " model chunks; did you mean InterleavedSchedule?";
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

uint64_t
OneForwardOneBackwardSchedule::GetPeakActivations(const PipelineShape& shape, uint32_t stage) const
{
    return std::min(shape.stages - stage, shape.microBatches);
}

} // namespace ns3::llm
