// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_PLAN_H
#define LLM_FABRIC_BENCH_PLAN_H

#include "bench-scenario.h"

#include <string>
#include <vector>

/**
 * @file
 * Which rows the table has.
 */

namespace ns3::llm::bench
{

/** How much is measured. */
enum class Extent
{
    QUICK, //!< some seconds: 16 hosts, to see that all of it runs
    USUAL, //!< less than five minutes
    FULL,  //!< also 400 Gb/s, 1024 hosts throughout, and growth
};

/**
 * @param extent how much
 * @return what is to be measured; what is compared with its reference mode stands right before it
 */
std::vector<Scenario> MakePlan(Extent extent);

/** @return TypeId names of all congestion controls that can be made, but for the usual one */
std::vector<std::string> FindOtherControls();

/** @param type a TypeId name @return it without the module's namespace */
std::string ShortName(const std::string& type);

/**
 * @param scenario a row
 * @return in what it differs from the usual settings, for a reader; empty: in nothing
 */
std::string DescribeVariant(const Scenario& scenario);

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_PLAN_H
