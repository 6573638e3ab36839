// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(PipelineSchedule);

TypeId
PipelineSchedule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::PipelineSchedule").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

bool
PipelineSchedule::SplitsBackward() const
{
    return false;
}

uint64_t
PipelineSchedule::GetStepCount(const PipelineShape& shape, uint32_t /* stage */) const
{
    return (SplitsBackward() ? 3 : 2) * uint64_t(shape.microBatches) * shape.modelChunks;
}

uint64_t
PipelineSchedule::GetPeakActivations(const PipelineShape& shape, uint32_t stage) const
{
    const auto frees = SplitsBackward() ? TrainingPass::BACKWARD_WEIGHT : TrainingPass::BACKWARD;
    uint64_t kept = 0;
    uint64_t most = 0;
    const uint64_t count = GetStepCount(shape, stage);
    for (uint64_t index = 0; index < count; ++index)
    {
        const TrainingPass pass = GetStep(shape, stage, index).pass;
        kept += pass == TrainingPass::FORWARD ? 1 : 0;
        kept -= pass == frees ? 1 : 0;
        most = std::max(most, kept);
    }
    return most;
}

} // namespace ns3::llm
