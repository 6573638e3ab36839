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
    BACKWARD,
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_PASS_H
