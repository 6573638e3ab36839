// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROGRAM_CHECK_H
#define LLM_FABRIC_PROGRAM_CHECK_H

#include "collective-operation.h"
#include "step-program.h"

#include "ns3/random-variable-stream.h"

#include <memory>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * See whether a step program does what its operation is, without a network and without time: do steps
 * as long as any can be done, follow the contributions (see ContributionCheck), and look whether all
 * came to their end.
 * @param request the operation
 * @param program the steps
 * @param order draws which rank and lane goes next; null: all in turn
 * @return what is wrong, or "": a fault of the contributions, a peer outside of the group, lanes that
 *         wait for each other or for what nobody sends, messages that nobody takes
 */
std::string CheckProgram(const CollectiveRequest& request,
                         std::shared_ptr<const StepProgram> program,
                         Ptr<UniformRandomVariable> order = nullptr);

} // namespace ns3::llm

#endif // LLM_FABRIC_PROGRAM_CHECK_H
