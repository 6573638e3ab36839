// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ITERATION_TIME_H
#define LLM_FABRIC_ITERATION_TIME_H

#include "ns3/communication-cost.h"
#include "ns3/iteration-replay.h"
#include "ns3/transformer-workload.h"

#include "ns3/ptr.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Replay an iteration of a workload in closed form, whole.
 * @param workload the workload
 * @param cost what communication costs
 * @param slowDown share of an accelerator that a running collective holds, from 0 to below 1
 * @return time and accounts; one that could not end is refused
 */
ReplayResult ReplayIteration(const Ptr<const TransformerWorkload>& workload,
                             const CommunicationCost& cost,
                             double slowDown = 0);

/**
 * @ingroup llm-fabric-helper
 * Time of an iteration as ReplayIteration() has it, but of many micro-batches only the first are
 * replayed: twice and three times as many as there are stages. Between the two the pipeline goes at
 * the pace that it keeps for all further ones.
 * @param config what the workload is made of
 * @param cost what communication costs
 * @param slowDown share of an accelerator that a running collective holds, from 0 to below 1
 * @return the time
 */
Time EstimateIterationTime(const TransformerWorkload::Config& config,
                           const CommunicationCost& cost,
                           double slowDown = 0);

} // namespace ns3::llm

#endif // LLM_FABRIC_ITERATION_TIME_H
