// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RAIL_FORWARDING_PLAN_H
#define LLM_FABRIC_RAIL_FORWARDING_PLAN_H

#include "rail-forwarding-report.h"

#include "ns3/measured-runs.h"

#include <cstdint>
#include <string>
#include <vector>

/** The command line. */
struct Options
{
    std::string platforms = "A100,H100";
    std::string accelerators = "64,128";
    std::string routings = "uniform,random,skewed";
    std::string ways = "rail-optimized,ecmp,staged,aggregate,chunk,packet,destination,load";
    uint32_t domainSize = 8;
    uint64_t bytes = 4 << 20;
    uint64_t tokenBytes = 7168;
    bool full = false;
    ns3::llm::MeasuredRuns::Options runs{"rail-forwarding"};
};

/** One of the runs that are compared. */
struct Run
{
    Platform platform;
    uint32_t accelerators;
    std::string routing;
    std::string way;
    std::string name;
};

/** What a way of forwarding sets. */
struct Way
{
    std::string fabric;
    std::string algorithm;
    std::string forwarding;
    std::string forwardBy;
    bool aggregates;
    bool spreads = false;
};

/** @param name of a way of forwarding @return what it sets; refused if there is none */
const Way& FindWay(const std::string& name);

/** @param argc number of words @param argv the words @return the command line; refused if wrong */
Options ParseOptions(int argc, char* argv[]);

/** @param options the command line @return the runs; refused if names or numbers are wrong */
std::vector<Run> PlanRuns(const Options& options);

#endif // LLM_FABRIC_RAIL_FORWARDING_PLAN_H
