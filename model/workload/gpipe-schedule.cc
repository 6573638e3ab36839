// SPDX-License-Identifier: GPL-2.0-only

#include "gpipe-schedule.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(GPipeSchedule);

TypeId
GPipeSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::GPipeSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<GPipeSchedule>();
    return tid;
}

std::string
GPipeSchedule::GetRefusal(const PipelineShape& shape) const
{
    if (shape.modelChunks == 1)
    {
        return "";
    }
    return "GPipeSchedule runs one model chunk a stage, not " + std::to_string(shape.modelChunks) +
           " model chunks; did you mean InterleavedSchedule?";
}

PipelineStep
GPipeSchedule::GetStep(const PipelineShape& shape, uint32_t /* stage */, uint64_t index) const
{
    PipelineStep step;
    step.pass = index < shape.microBatches ? TrainingPass::FORWARD : TrainingPass::BACKWARD;
    step.microBatch = static_cast<uint32_t>(index % shape.microBatches);
    return step;
}

uint64_t
GPipeSchedule::GetPeakActivations(const PipelineShape& shape, uint32_t /* stage */) const
{
    return shape.microBatches;
}

} // namespace ns3::llm
