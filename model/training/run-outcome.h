// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RUN_OUTCOME_H
#define LLM_FABRIC_RUN_OUTCOME_H

#include "ns3/ptr.h"

#include <ostream>
#include <vector>

namespace ns3::llm
{

class TrainingJob;

/** Exit status of a program whose run did its work. */
inline constexpr int EXIT_DONE = 0;
/** Exit status of a program whose run ended with work unfinished. */
inline constexpr int EXIT_UNFINISHED = 1;
/** Exit status of a program that refused its input. */
inline constexpr int EXIT_REFUSED = 2;

/**
 * @ingroup llm-fabric-training
 * After Simulator::Run(): say which jobs could not finish, why the run ended, and which of their
 * ranks wait for what.
 * @param jobs the jobs of the run
 * @param out where to say so; nothing is printed when all have finished
 * @return EXIT_DONE or EXIT_UNFINISHED
 */
int ReportOutcome(const std::vector<Ptr<TrainingJob>>& jobs, std::ostream& out);

} // namespace ns3::llm

#endif // LLM_FABRIC_RUN_OUTCOME_H
