// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RAIL_ONLY_VALIDATION_H
#define LLM_FABRIC_RAIL_ONLY_VALIDATION_H

#include "validation-row.h"

#include "ns3/rail-only-estimate.h"

#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A point of figures 7 and 8 of Rail-only (arXiv 2307.12169v1).
 */
struct RailOnlyPoint
{
    int figure = 0;          //!< 7 or 8
    RailOnlyJob job;         //!< model and batch
    RailOnlyMachine machine; //!< N and K
    double seconds = 0;      //!< read off the figure

    /** @return time of the iteration in closed form at the best N_M, s */
    double GetComputedSeconds() const;
    /** @return whether it is the ideal of the figure, K = N */
    bool IsIdeal() const;
};

/**
 * @ingroup llm-fabric-helper
 * @return the points of data/validation/rail-only-iteration-time.csv
 */
std::vector<RailOnlyPoint> ReadRailOnlyPoints();

/**
 * @ingroup llm-fabric-helper
 * @return iteration times, a row for each point of ReadRailOnlyPoints()
 */
std::vector<ValidationRow> CompareRailOnlyTimes();

/**
 * @ingroup llm-fabric-helper
 * @return shares of the bytes of model parallelism, data parallelism across HB domains and inside,
 *         as printed, beside the closed form at the power of two nearest to the best N_M
 */
std::vector<ValidationRow> CompareRailOnlyShares();

/**
 * @ingroup llm-fabric-helper
 * @return shares of the iteration that larger HB domains save, as printed, beside the closed form
 */
std::vector<ValidationRow> CompareRailOnlyLargerDomains();

} // namespace ns3::llm

#endif // LLM_FABRIC_RAIL_ONLY_VALIDATION_H
