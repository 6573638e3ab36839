// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAFFIC_COMPARISON_H
#define LLM_FABRIC_TRAFFIC_COMPARISON_H

#include "report-folder.h"
#include "traffic-outcome.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * @param outcome one
 * @return what its files and its row are called: "incast-Dcqcn"
 */
std::string GetRunName(const TrafficOutcome& outcome);

/**
 * @ingroup llm-fabric-helper
 * Print, for each traffic, a row for each control: slowdowns, queues and what explains them.
 * @param out gets the tables
 * @param outcomes those of a traffic one after the other
 */
void WriteTrafficTables(std::ostream& out, const std::vector<TrafficOutcome>& outcomes);
/**
 * @ingroup llm-fabric-helper
 * @param out gets a line for each outcome, after a header with units
 * @param outcomes they
 */
void WriteTrafficCsv(std::ostream& out, const std::vector<TrafficOutcome>& outcomes);
/**
 * @ingroup llm-fabric-helper
 * @param out gets a line for each outcome and range of sizes, after a header with units
 * @param outcomes they
 */
void WriteTrafficSlowdownCsv(std::ostream& out, const std::vector<TrafficOutcome>& outcomes);
/**
 * @ingroup llm-fabric-helper
 * @param out gets a line of name=value for each outcome
 * @param outcomes they
 */
void WriteTrafficSummary(std::ostream& out, const std::vector<TrafficOutcome>& outcomes);

/**
 * @ingroup llm-fabric-helper
 * Draw a traffic: slowdown by size of flow (where all have one size: the distribution of slowdowns) and
 * the distribution of the longest queue, a line for each control.
 * @param folder gets TRAFFIC.gp, the data, and, if gnuplot is installed, TRAFFIC.png
 * @param outcomes of one traffic
 * @return whether there is a picture
 */
bool DrawTraffic(const ReportFolder& folder, const std::vector<TrafficOutcome>& outcomes);

/**
 * @ingroup llm-fabric-helper
 * Write report.txt, comparison.csv, slowdown.csv, comparison.json and a picture of each traffic.
 * @param folder gets them
 * @param outcomes those of a traffic one after the other
 * @return whether there are pictures
 */
bool WriteTrafficComparison(const ReportFolder& folder,
                            const std::vector<TrafficOutcome>& outcomes);

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAFFIC_COMPARISON_H
