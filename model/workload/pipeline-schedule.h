// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PIPELINE_SCHEDULE_H
#define LLM_FABRIC_PIPELINE_SCHEDULE_H

#include "training-pass.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>

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
 * Each micro-batch passes each model chunk once in each direction: FORWARD, and BACKWARD or, if the
 * schedule splits it, BACKWARD_INPUT and later BACKWARD_WEIGHT. Passes of one kind through one chunk
 * come in the order of micro-batches, so that the last micro-batch completes a chunk's gradients.
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
     * @return "" if this schedule can run it, else why not and what would fit
     */
    virtual std::string GetRefusal(const PipelineShape& shape) const = 0;
    /** @return whether backward passes come in two halves; by default they do not */
    virtual bool SplitsBackward() const;
    /**
     * @param shape the pipeline
     * @param stage a stage
     * @return number of steps of the stage; by default micro-batches x model chunks, times two
     *         passes, or three with split backward passes
     */
    virtual uint64_t GetStepCount(const PipelineShape& shape, uint32_t stage) const;
    /**
     * @param shape the pipeline
     * @param stage a stage
     * @param index place in the stage's order, below GetStepCount()
     * @return the step there; over all indices each (pass, micro-batch, chunk) comes once
     */
    virtual PipelineStep
    GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const = 0;
    /**
     * @param shape the pipeline
     * @param stage a stage
     * @return how many forward passes through a model chunk the stage keeps activations of, at most
     *         and at once. A split backward pass frees them with its second half; what can be freed
     *         after the first is not taken off. By default the steps are counted; schedules that
     *         know a closed form override this.
     */
    virtual uint64_t GetPeakActivations(const PipelineShape& shape, uint32_t stage) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PIPELINE_SCHEDULE_H
