// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ONE_FORWARD_ONE_BACKWARD_SCHEDULE_H
#define LLM_FABRIC_ONE_FORWARD_ONE_BACKWARD_SCHEDULE_H

#include "pipeline-schedule.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * One forward, one backward (Narayanan et al., "PipeDream", SOSP 2019, with the flush of Megatron-LM,
 * arXiv 2104.04473): stage s of p begins with min(p - 1 - s, m) forward passes, then does one forward
 * and one backward in turn, and ends with the backward passes that are left. With equal stages and
 * free communication the bubble is (p - 1) / m of the ideal time. Stage s keeps the activations of
 * min(p - s, m) micro-batches.
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    std::string GetRefusal(const PipelineShape& shape) const override;
    PipelineStep GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const override;
    uint64_t GetPeakActivations(const PipelineShape& shape, uint32_t stage) const override;

    /**
     * @param shape the pipeline
     * @param stage a stage
     * @return forward passes before the stage's first turn of forward and backward
     */
    static uint32_t GetWarmUp(const PipelineShape& shape, uint32_t stage);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ONE_FORWARD_ONE_BACKWARD_SCHEDULE_H
