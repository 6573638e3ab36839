// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PIPELINE_BUBBLE_H
#define LLM_FABRIC_PIPELINE_BUBBLE_H

#include "ns3/pipeline-schedule.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Time of passes through a model chunk, the same for all stages.
 */
struct PassTimes
{
    Time forward;        //!< forward
    Time backwardInput;  //!< gradients of inputs
    Time backwardWeight; //!< gradients of weights
};

/**
 * @ingroup llm-fabric-helper
 * Replay a schedule on equal stages with free communication.
 * @param schedule a schedule
 * @param shape a pipeline that it supports
 * @param times of the passes
 * @return the pipeline's bubble: its idle time over its busy time
 */
double
MeasureBubble(const PipelineSchedule& schedule, const PipelineShape& shape, const PassTimes& times);

} // namespace ns3::llm

#endif // LLM_FABRIC_PIPELINE_BUBBLE_H
