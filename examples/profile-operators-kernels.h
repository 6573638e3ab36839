// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROFILE_OPERATORS_KERNELS_H
#define LLM_FABRIC_PROFILE_OPERATORS_KERNELS_H

#include "ns3/operator-cost-model.h"

#include <cstdint>
#include <string>

namespace ns3::llm
{

/** How often an operator is run. */
struct MeasurePlan
{
    uint32_t repeats = 5;       //!< timed blocks of calls, of which the fastest counts
    double blockSeconds = 2e-3; //!< a block has as many calls as fill this time
};

/** What the measurement of an operator gave. */
struct MeasuredOperator
{
    double seconds = 0;      //!< of one call in the fastest block
    double spentSeconds = 0; //!< of all calls, warm-up included
};

/**
 * Run an operator at 32 bit on one thread of this machine. Times are those that the thread was on a
 * core for, so that others who share the machine count as little as can be.
 * @param op a matrix product (by OpenBLAS), or the norm, softmax, activation (GELU) or residual sum
 *        (plain loops); another name is refused
 * @param rowLength values of a row, for norm and softmax
 * @param plan how often
 * @return its time
 */
MeasuredOperator
MeasureOperator(const ModelOperator& op, uint64_t rowLength, const MeasurePlan& plan);

/** @return the processor's name, as the system tells it */
std::string GetProcessorName();

} // namespace ns3::llm

#endif // LLM_FABRIC_PROFILE_OPERATORS_KERNELS_H
