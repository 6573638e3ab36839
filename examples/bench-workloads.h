// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_WORKLOADS_H
#define LLM_FABRIC_BENCH_WORKLOADS_H

#include "bench-scenario.h"

#include "ns3/cluster.h"

/**
 * @file
 * Workloads on a fat-tree of one host a NIC, links of 1 us, 4000 B of payload in a frame of 4048 B,
 * and one ACK of 60 B for each; ECN, PFC, the shared buffer, retransmission and ECMP are on.
 */

namespace ns3::llm::bench
{

/**
 * Set the sizes of frames for all that is built later, and choose the engine of a scenario.
 * @param scenario the scenario
 */
void Prepare(const Scenario& scenario);

/**
 * @param scenario hosts, rate, mode
 * @return a fat-tree
 */
Ptr<Cluster> BuildFatTree(const Scenario& scenario);

/**
 * Hand the messages of a workload to the transport, or what makes them later.
 *
 * - shift: host i sends 2 MB to host i + H/2; six hops.
 * - incast: all hosts send 200 kB to host 0.
 * - all-to-all: 20 kB per pair.
 * - ring: an all-reduce of 16 kB per host.
 * - lock-step: a ring of 64 steps in which a host sends 16 kB on when it has received 16 kB, so that
 *   all hosts do the same at the same tick.
 * - fluid: as all-to-all, in one fluid HB domain of all hosts; a transfer stands for a hop.
 * - flows: as shift, with 4.092 MB (1023 full frames) in equal parts on `queuePairs` queue pairs.
 *
 * @param scenario the workload and what it needs
 * @param cluster where
 * @return what must live as long as the run; may be null
 */
Ptr<Object> StartTraffic(const Scenario& scenario, Ptr<Cluster> cluster);

/**
 * Run a scenario again and again until enough CPU time is measured; building does not count.
 * @param scenario the scenario
 * @param leastSeconds CPU time
 * @return the sums over the runs
 */
Measurement MeasureScenario(const Scenario& scenario, double leastSeconds);

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_WORKLOADS_H
