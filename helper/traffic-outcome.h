// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAFFIC_OUTCOME_H
#define LLM_FABRIC_TRAFFIC_OUTCOME_H

#include "cluster.h"
#include "flow-runner.h"
#include "flow-statistics.h"
#include "traffic-observers.h"
#include "value-histogram.h"

#include "ns3/training-report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * What became of one traffic under one congestion control, and the counters that explain it.
 */
struct TrafficOutcome
{
    std::string traffic;                //!< name of the traffic: "incast"
    std::string control;                //!< name of the congestion control: "Dcqcn"
    std::string scene;                  //!< the fabric and the traffic in words, for titles
    uint64_t flows = 0;                 //!< of the traffic
    uint64_t received = 0;              //!< of them, that were received
    double completionUs = 0;            //!< when the last one was received
    double goodputGbps = 0;             //!< payload received over that time
    SlowdownBucket all;                 //!< slowdowns of all flows
    std::vector<SlowdownBucket> bySize; //!< slowdowns of flows of alike sizes
    double queueMedianKb = 0;           //!< longest queue of the switches, over time
    double queuePercentile95Kb = 0;     //!< of the same
    double queuePercentile99Kb = 0;     //!< of the same
    double queueMaxKb = 0;              //!< of all queues at all times, with the frame being sent
    double rttMedianUs = 0;             //!< of acknowledged frames
    double rttPercentile99Us = 0;       //!< of acknowledged frames
    std::vector<NamedCounter> counters; //!< of ports, switches and NICs, and of signals
    uint64_t hops = 0;                  //!< frames x links
    double wallSeconds = 0;             //!< that the run took
    /** Distribution over time of the longest queue, bytes. */
    std::vector<ValueHistogram::Step> queueBytes;
    /** Distribution of slowdowns, in thousandths. */
    std::vector<ValueHistogram::Step> slowdowns;

    /** @param name of a counter @return its value; 0 if there is none */
    uint64_t GetCounter(const std::string& name) const;
    /** @return all of it as JSON */
    std::string ToJson() const;
    /** @param text what ToJson() gave @return the outcome */
    static TrafficOutcome FromJson(const std::string& text);
};

/**
 * @ingroup llm-fabric-helper
 * Gather what there is after a run.
 * @param cluster that carried the flows
 * @param runner the flows
 * @param buckets most ranges of sizes
 * @param signals counted at the NICs
 * @param queues looked at in the run
 * @return the outcome, without names and wall time
 */
TrafficOutcome MakeTrafficOutcome(const Cluster& cluster,
                                  const FlowRunner& runner,
                                  uint32_t buckets,
                                  const SignalCounter& signals,
                                  const QueueSampler& queues);

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAFFIC_OUTCOME_H
