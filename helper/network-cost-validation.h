// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NETWORK_COST_VALIDATION_H
#define LLM_FABRIC_NETWORK_COST_VALIDATION_H

#include "validation-row.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * What the rail-only paper prints of a pair of networks (arXiv 2307.12169): a row of
 * data/validation/rail-only-cost.csv. A saving that it does not print is 0.
 */
struct PublishedNetworkCost
{
    uint32_t accelerators = 0;       //!< N
    uint32_t domainSize = 256;       //!< K
    uint32_t radix = 0;              //!< ports of a switch
    double closSwitches = 0;         //!< of the network that rail-only replaces
    double closTransceivers = 0;     //!< of the same
    double railOnlySwitches = 0;     //!< of rail-only
    double railOnlyTransceivers = 0; //!< of rail-only
    double savingV1Percent = 0;      //!< of cost, version 1
    double savingV5Percent = 0;      //!< of cost, versions 4 and 5
    double powerSavingV5Percent = 0; //!< of power, versions 4 and 5
};

/**
 * @ingroup llm-fabric-helper
 * @return the rows of data/validation/rail-only-cost.csv
 */
std::vector<PublishedNetworkCost> ReadPublishedNetworkCosts();

/**
 * @ingroup llm-fabric-helper
 * @return switches and transceivers of rail-optimized and rail-only, as printed, beside NetworkPlan
 */
std::vector<ValidationRow> CompareNetworkParts();

/**
 * @ingroup llm-fabric-helper
 * @return what rail-only saves of cost and power of rail-optimized, as printed, beside NetworkPlan with
 *         the prices "rail-only-v1" and "rail-only-v5"
 */
std::vector<ValidationRow> CompareNetworkSavings();

/**
 * @ingroup llm-fabric-helper
 * @param railOnly a figure of rail-only
 * @param railOptimized the same of rail-optimized
 * @return what rail-only saves, in percent
 */
double GetSavingPercent(double railOnly, double railOptimized);

} // namespace ns3::llm

#endif // LLM_FABRIC_NETWORK_COST_VALIDATION_H
