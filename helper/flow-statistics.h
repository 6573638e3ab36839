// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_STATISTICS_H
#define LLM_FABRIC_FLOW_STATISTICS_H

#include "flow-list.h"
#include "flow-runner.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Slowdown of flows of one range of sizes; the slowdown of a flow is its time to be received over
 * its ideal time.
 */
struct SlowdownBucket
{
    uint64_t minBytes = 0;   //!< smallest flow
    uint64_t maxBytes = 0;   //!< largest flow
    uint64_t flows = 0;      //!< flows received
    double median = 0;       //!< of the slowdowns
    double percentile95 = 0; //!< of the slowdowns
    double percentile99 = 0; //!< of the slowdowns
    double max = 0;          //!< of the slowdowns
};

/**
 * @ingroup llm-fabric-helper
 * By nearest rank: the least value that so many of the values are not larger than.
 * @param sorted values in rising order, at least one
 * @param percent 0 to 100
 * @return one of the values
 */
double GetPercentile(const std::vector<double>& sorted, double percent);

/**
 * @ingroup llm-fabric-helper
 * Sort flows that were received by size into buckets of as equal numbers as can be; flows of one
 * size are all in one bucket.
 * @param flows the flows
 * @param records what became of each
 * @param buckets at most so many, at least 1
 * @return the buckets, by size; fewer where many flows have one size
 */
std::vector<SlowdownBucket>
GetSlowdowns(const FlowList& flows, const std::vector<FlowRecord>& records, uint32_t buckets);

/**
 * @ingroup llm-fabric-helper
 * @param out gets a line for each bucket, after a header with units
 * @param buckets the buckets
 */
void WriteSlowdownCsv(std::ostream& out, const std::vector<SlowdownBucket>& buckets);
/**
 * @ingroup llm-fabric-helper
 * @param out gets the buckets as a table for a terminal
 * @param buckets the buckets
 */
void WriteSlowdownTable(std::ostream& out, const std::vector<SlowdownBucket>& buckets);
/**
 * @ingroup llm-fabric-helper
 * @param out gets a line for each flow, finished or not, in the order of the list; times that have
 *            not come are empty
 * @param flows the flows
 * @param records what became of each
 */
void
WriteFlowsCsv(std::ostream& out, const FlowList& flows, const std::vector<FlowRecord>& records);
/**
 * @ingroup llm-fabric-helper
 * In the form of the fct file of HPCC's simulator: addresses of source and destination in
 * hexadecimal, ports, bytes, start, time to be acknowledged and ideal time in nanoseconds. The source
 * port is 10000 and the number of the queue pair, modulo the ports above; the other is 100.
 * @param out gets a line for each flow that was acknowledged, in the order of that
 * @param flows the flows
 * @param records what became of each
 */
void WriteHpccFct(std::ostream& out, const FlowList& flows, const std::vector<FlowRecord>& records);

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_STATISTICS_H
