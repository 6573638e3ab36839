// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_INTERLEAVED_SCHEDULE_H
#define LLM_FABRIC_INTERLEAVED_SCHEDULE_H

#include "pipeline-schedule.h"

#include "ns3/ptr.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Interleaved one forward, one backward (arXiv 2104.04473, section 2.2): each of p stages has v model
 * chunks, a micro-batch goes v times around the stages, and each chunk is 1 / v as long.
 *
 * Groups of p micro-batches pass chunk 0, then the same group chunk 1, and so on; backward passes
 * begin with the last chunk. Stage s begins with min(2 (p - s - 1) + (v - 1) p, m v) forward passes,
 * as Megatron-LM does, then does one forward and one backward in turn, and ends with the backward
 * passes that are left. The number m of micro-batches must be a multiple of p. With equal stages and
 * free communication the bubble is (p - 1) / (v m) of the ideal time; there are v times as many
 * messages.
 */
class InterleavedSchedule : public PipelineSchedule
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
    static uint64_t GetWarmUp(const PipelineShape& shape, uint32_t stage);
};

/**
 * @ingroup llm-fabric-workload
 * @param modelChunks model chunks of a stage
 * @return the schedule that Megatron-LM runs them by: interleaved if there are several, else one
 *         forward, one backward
 */
Ptr<PipelineSchedule> MakeUsualSchedule(uint32_t modelChunks);

} // namespace ns3::llm

#endif // LLM_FABRIC_INTERLEAVED_SCHEDULE_H
