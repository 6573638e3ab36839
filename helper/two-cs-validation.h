// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TWO_CS_VALIDATION_H
#define LLM_FABRIC_TWO_CS_VALIDATION_H

#include "validation-row.h"

#include "ns3/two-cs-estimate.h"

#include <string>
#include <vector>

namespace ns3::llm
{

/** Share of an MI210's peak that the matrix products of the first-order shares reach. */
constexpr double TWO_CS_EFFICIENCY = 0.6;

/**
 * @ingroup llm-fabric-helper
 * @return first-order shares at 1, 2 and 4 times compute, as in data/validation/two-cs-first-order.csv,
 *         beside EstimateTwoCs() and GetFirstOrderOverlap()
 */
std::vector<ValidationRow> CompareTwoCsFirstOrder();

/**
 * @ingroup llm-fabric-helper
 * A range of shares that Tale of Two Cs gives for its models.
 */
struct TwoCsRange
{
    std::string share;        //!< "serialized" or "overlapped"
    double computeFactor = 1; //!< flop-vs-bw
    double lowPercent = 0;    //!< lowest
    double highPercent = 0;   //!< highest
};

/**
 * @ingroup llm-fabric-helper
 * @return the ranges of data/validation/two-cs-ranges.csv, which are recalled: to look at, never a limit
 */
std::vector<TwoCsRange> ReadTwoCsRanges();

} // namespace ns3::llm

#endif // LLM_FABRIC_TWO_CS_VALIDATION_H
