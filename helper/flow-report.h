// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_REPORT_H
#define LLM_FABRIC_FLOW_REPORT_H

#include "flow-runner.h"
#include "flow-statistics.h"
#include "report-folder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Write RUN-flows.csv, RUN-slowdown.csv and RUN-fct.txt.
 * @param folder where
 * @param run name of the run
 * @param runner that ran
 * @param buckets at most so many ranges of sizes
 * @return the slowdowns
 */
std::vector<SlowdownBucket> WriteFlowReport(const ReportFolder& folder,
                                            const std::string& run,
                                            const FlowRunner& runner,
                                            uint32_t buckets = 20);

/**
 * @ingroup llm-fabric-helper
 * Draw slowdown.png of runs that are written: median and 99th percentile by size of flow, with the
 * script slowdown.gp.
 * @param folder where
 * @param runs names of the runs
 * @return whether there is a picture
 */
bool DrawSlowdowns(const ReportFolder& folder, const std::vector<std::string>& runs);

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_REPORT_H
