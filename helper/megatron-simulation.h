// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MEGATRON_SIMULATION_H
#define LLM_FABRIC_MEGATRON_SIMULATION_H

#include "megatron-runs.h"

#include "ns3/progress-meter.h"

#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Simulate an iteration of a published run on a rail-optimized cluster of its machines: HB domains as
 * fluid, the NIC network as told. Uses and destroys the Simulator, and changes attributes' defaults.
 * @param run a published run
 * @param system what it ran on
 * @param transport between HB domains: "rdma" for packets, or "fluid"
 * @param sink gets progress; may be empty
 * @return seconds of the iteration; one that cannot end is refused
 */
double SimulateRun(const PublishedRun& run,
                   const MegatronSystem& system,
                   const std::string& transport,
                   const ProgressMeter::Sink& sink);

} // namespace ns3::llm

#endif // LLM_FABRIC_MEGATRON_SIMULATION_H
