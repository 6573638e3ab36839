// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ZERO_BUBBLE_SCHEDULE_H
#define LLM_FABRIC_ZERO_BUBBLE_SCHEDULE_H

#include "pipeline-schedule.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * ZB-H1 (Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241): one forward, one backward
 * with split backward passes. The gradients of inputs, for which the stage before waits, are computed
 * first; those of weights are put off by as many turns as there are stages before this one, and fill
 * what would be the bubble at the end.
 *
 * Stage s of p begins with w = min(p - 1 - s, m) forward passes. Turn i then does the forward pass of
 * micro-batch w + i, the first half of the backward pass of i, and the second half of that of i - s,
 * as far as there are such micro-batches; the second halves that are left come last.
 *
 * With equal stages, free communication and passes of tF (forward), tB (gradients of inputs) and tW
 * (of weights) an iteration takes m (tF + tB + tW) + (p - 1) (tF + tB) - (min(p, m) - 1) tW if tW is
 * no longer than tF and tB: for m >= p the bubble is (p - 1) (tF + tB - tW), where one forward, one
 * backward has (p - 1) (tF + tB + tW). Every stage keeps the activations, or what of them the second
 * half needs, of min(p, m) micro-batches, which is what the first stage of one forward, one backward
 * keeps.
 */
class ZeroBubbleSchedule : public PipelineSchedule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    std::string GetRefusal(const PipelineShape& shape) const override;
    bool SplitsBackward() const override;
    PipelineStep GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const override;
    uint64_t GetPeakActivations(const PipelineShape& shape, uint32_t stage) const override;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ZERO_BUBBLE_SCHEDULE_H
