// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_PASS_H
#define LLM_FABRIC_TRAINING_PASS_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Which way through the model.
 */
enum class TrainingPass : uint8_t
{
    FORWARD,
    BACKWARD,        //!< gradients of inputs and of weights
    BACKWARD_INPUT,  //!< gradients of inputs alone: the first half of a split backward pass
    BACKWARD_WEIGHT, //!< gradients of weights alone: the second half
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_PASS_H
