// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_STEP_H
#define LLM_FABRIC_TRANSFORMER_STEP_H

#include "operator-cost-model.h"
#include "training-graph.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * One step of a pass through a part of a model: what a rank computes and says.
 */
struct TransformerStep
{
    /** What the step is. */
    enum Kind : uint8_t
    {
        OPERATOR,      //!< compute `op`
        COMMUNICATION, //!< start `task` of `bytes` along `dimension`; what follows runs beside it
        WAIT,          //!< what follows needs all communication before it
        GRADIENT,      //!< the gradients of `parameters` are complete
    };

    /** What of a backward pass the step belongs to. */
    enum Share : uint8_t
    {
        MAIN,            //!< activations, or gradients of inputs
        WEIGHT_GRADIENT, //!< gradients of weights, which may be put off (BACKWARD_WEIGHT)
        RECOMPUTATION,   //!< activations once more
    };

    Kind kind = OPERATOR; //!< what it is
    Share share = MAIN;   //!< what it belongs to
    ModelOperator op;     //!< OPERATOR: the operator
    /** COMMUNICATION: what it does; any kind but COMPUTE. */
    TrainingTask::Kind task = TrainingTask::ALL_REDUCE;
    ParallelDimension dimension = ParallelDimension::TENSOR; //!< COMMUNICATION: along which
    uint64_t bytes = 0; //!< COMMUNICATION: S of the collective, or size of the message
    int32_t peer = 0;   //!< SEND, RECEIVE: places from this rank's in its group, around the end
    uint64_t parameters = 0; //!< GRADIENT: parameters, of this rank
    bool expert = false;     //!< GRADIENT: of experts, which fewer ranks share (EXPERT_DATA)
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_STEP_H
