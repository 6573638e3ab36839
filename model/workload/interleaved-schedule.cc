// SPDX-License-Identifier: GPL-2.0-only

#include "interleaved-schedule.h"

#include "one-forward-one-backward-schedule.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(InterleavedSchedule);

TypeId
InterleavedSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::InterleavedSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<InterleavedSchedule>();
    return tid;
}

std::string
InterleavedSchedule::GetRefusal(const PipelineShape& shape) const
{
    if (shape.modelChunks == 1)
    {
        return "InterleavedSchedule needs at least 2 model chunks a stage; did you mean "
               "OneForwardOneBackwardSchedule?";
    }
    const uint32_t over = shape.microBatches % shape.stages;
    if (over == 0)
    {
        return "";
    }
    const uint32_t below = shape.microBatches - over;
    return "InterleavedSchedule needs micro-batches in a multiple of PP = " +
           std::to_string(shape.stages) + ", not " + std::to_string(shape.microBatches) +
           "; did you mean " + (below > 0 ? std::to_string(below) + " or " : "") +
           std::to_string(below + shape.stages) + "?";
}

uint64_t
InterleavedSchedule::GetWarmUp(const PipelineShape& shape, uint32_t stage)
{
    const uint64_t fill =
        2 * uint64_t(shape.stages - stage - 1) + uint64_t(shape.modelChunks - 1) * shape.stages;
    return std::min(fill, uint64_t(shape.microBatches) * shape.modelChunks);
}

PipelineStep
InterleavedSchedule::GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const
{
    const uint64_t passes = uint64_t(shape.microBatches) * shape.modelChunks; // each way
    const uint64_t warmUp = GetWarmUp(shape, stage);
    const uint64_t turns = 2 * (passes - warmUp);
    PipelineStep step;
    uint64_t place = index; // among the passes of the step's direction
    if (index >= warmUp)
    {
        const uint64_t turn = index - warmUp;
        const bool forward = turn < turns && turn % 2 == 0;
        step.pass = forward ? TrainingPass::FORWARD : TrainingPass::BACKWARD;
        place = turn >= turns ? index - passes : turn / 2 + (forward ? warmUp : 0);
    }
    const uint64_t group = uint64_t(shape.stages) * shape.modelChunks;
    step.microBatch = static_cast<uint32_t>(place / group * shape.stages + place % shape.stages);
    step.chunk = static_cast<uint32_t>(place % group / shape.stages);
    if (step.pass == TrainingPass::BACKWARD)
    {
        step.chunk = shape.modelChunks - 1 - step.chunk;
    }
    return step;
}

uint64_t
InterleavedSchedule::GetPeakActivations(const PipelineShape& shape, uint32_t stage) const
{
    const uint64_t passes = uint64_t(shape.microBatches) * shape.modelChunks;
    return std::min(GetWarmUp(shape, stage) + 1, passes);
}

Ptr<PipelineSchedule>
MakeUsualSchedule(uint32_t modelChunks)
{
    if (modelChunks > 1)
    {
        return CreateObject<InterleavedSchedule>();
    }
    return CreateObject<OneForwardOneBackwardSchedule>();
}

} // namespace ns3::llm
