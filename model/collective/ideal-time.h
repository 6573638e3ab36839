// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_IDEAL_TIME_H
#define LLM_FABRIC_IDEAL_TIME_H

#include "operation-progress.h"
#include "step-program.h"

#include "ns3/locality.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * How long an operation takes alone in a fabric without losses, marks and pauses: an evaluation of
 * the step program over its paths that is independent of the packet simulation. It counts the wire
 * bytes of data and acknowledgments, propagation, one stored frame per switch, software latency and
 * reduction. Messages over a fluid domain share its links by max-min fairness; a relay stores a
 * whole message. All ranks start at once.
 *
 * See doc/collective.rst for the formulas and the accuracy.
 *
 * @param program the steps
 * @param accelerators accelerator of each rank
 * @param locality gives the paths
 * @param costs what steps cost beside the network
 * @param owner the communicator's id, which enters the choice among equal-cost links
 * @return the time from the start to the last completion of a rank
 */
Time EvaluateIdealTime(const StepProgram& program,
                       const std::vector<uint32_t>& accelerators,
                       Ptr<const Locality> locality,
                       const StepCosts& costs = StepCosts(),
                       uint32_t owner = 0);

} // namespace ns3::llm

#endif // LLM_FABRIC_IDEAL_TIME_H
