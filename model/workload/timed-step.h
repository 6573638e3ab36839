// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TIMED_STEP_H
#define LLM_FABRIC_TIMED_STEP_H

#include "transformer-step.h"

#include "ns3/nstime.h"

#include <functional>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * A step of a pass through a part of a model, in time: successive operators are one, but
 * recomputation stands alone.
 */
struct TimedStep
{
    /** What the step is; OPERATOR is a sequence of operators. */
    TransformerStep::Kind kind = TransformerStep::OPERATOR;
    /** OPERATOR: RECOMPUTATION, or the share of the first. */
    TransformerStep::Share share = TransformerStep::MAIN;
    Time duration;                                           //!< OPERATOR: how long
    TrainingTask::Kind task = TrainingTask::ALL_REDUCE;      //!< COMMUNICATION: what it does
    ParallelDimension dimension = ParallelDimension::TENSOR; //!< COMMUNICATION: along which
    uint64_t bytes = 0;  //!< COMMUNICATION: size; GRADIENT: bytes to reduce
    int32_t peer = 0;    //!< SEND, RECEIVE: places from this rank's in its group
    bool expert = false; //!< GRADIENT: of experts
};

/**
 * @ingroup llm-fabric-workload
 * What turns steps into times.
 */
struct StepTimer
{
    std::function<Time(const ModelOperator&)> time;       //!< how long an operator takes
    std::function<uint32_t(ParallelDimension)> groupSize; //!< ranks of a group along a dimension
    uint32_t gradientBytes = 2;                           //!< bytes of a gradient

    /**
     * Communication in a group of one is left out, and so is a wait with nothing to wait for.
     * @param steps steps of a pass
     * @return the same in time
     */
    std::vector<TimedStep> Apply(const std::vector<TransformerStep>& steps) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TIMED_STEP_H
