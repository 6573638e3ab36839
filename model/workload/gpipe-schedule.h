// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_GPIPE_SCHEDULE_H
#define LLM_FABRIC_GPIPE_SCHEDULE_H

#include "pipeline-schedule.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * All forward passes, then all backward passes (Huang et al., "GPipe", arXiv 1811.06965), both in the
 * order of micro-batches as in figure 3 of arXiv 2104.04473. With equal stages and free communication
 * the bubble is (p - 1) / m of the ideal time, as that of one forward, one backward; but a stage keeps
 * the activations of all m micro-batches.
 */
class GPipeSchedule : public PipelineSchedule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    std::string GetRefusal(const PipelineShape& shape) const override;
    PipelineStep GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const override;
    uint64_t GetPeakActivations(const PipelineShape& shape, uint32_t stage) const override;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_GPIPE_SCHEDULE_H
