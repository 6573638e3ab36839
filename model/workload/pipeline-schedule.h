// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PIPELINE_SCHEDULE_H
#define LLM_FABRIC_PIPELINE_SCHEDULE_H

#include "training-pass.h"

#include "ns3/object.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What a schedule must know of a pipeline.
 */
struct PipelineShape
{
    uint32_t stages = 1;       //!< stages
    uint32_t modelChunks = 1;  //!< model chunks of a stage
    uint32_t microBatches = 1; //!< micro-batches of an iteration
};

/**
 * @ingroup llm-fabric-workload
 * One pass of one micro-batch through one model chunk of a stage.
 */
struct PipelineStep
{
    TrainingPass pass = TrainingPass::FORWARD; //!< which way
    uint32_t microBatch = 0;                   //!< counted from 0
    uint32_t chunk = 0;                        //!< model chunk of the stage, counted from 0
};

/**
 * @ingroup llm-fabric-workload
 * The order in which a stage runs the passes of its micro-batches. Steps are computed when asked
 * for, so that a schedule needs no memory per step.
 *
 * To add one: derive, give it a TypeId, and hand it to TransformerWorkload.
 */
class PipelineSchedule : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param shape a pipeline
     * @return whether this schedule can run it
     */
    virtual bool Supports(const PipelineShape& shape) const = 0;
    /**
     * @param shape the pipeline
     * @param stage a stage
     * @param index place in the stage's order, below 2 x micro-batches x model chunks
     * @return the step there; over all indices each (pass, micro-batch, chunk) comes once
     */
    virtual PipelineStep
    GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const = 0;

    /**
     * @param shape the pipeline
     * @return number of steps of every stage
     */
    static uint64_t GetStepCount(const PipelineShape& shape);
};

/**
 * @ingroup llm-fabric-workload
 * One forward, one backward (Narayanan et al., "PipeDream", SOSP 2019, with the flush of Megatron-LM,
 * arXiv 2104.04473): stage s of p begins with min(p - 1 - s, m) forward passes, then does one forward
 * and one backward in turn, and ends with the backward passes that are left. With equal stages and
 * free communication the bubble is (p - 1) / m of the ideal time.
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const PipelineShape& shape) const override;
    PipelineStep GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const override;

    /**
     * @param shape the pipeline
     * @param stage a stage
     * @return forward passes before the stage's first turn of forward and backward
     */
    static uint32_t GetWarmUp(const PipelineShape& shape, uint32_t stage);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PIPELINE_SCHEDULE_H
