// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_ROUNDS_H
#define LLM_FABRIC_BENCH_ROUNDS_H

#include "bench-references.h"
#include "bench-scenario.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/**
 * @file
 * Measuring in rounds, with the references in between.
 *
 * CPU time of the same program varies with what else the machine does, by up to a factor of two. So
 * every measurement of a row lies between two of the references; its ratio is taken with their mean,
 * and the median over the rounds is reported. A row and its reference mode follow each other.
 */

namespace ns3::llm::bench
{

/** One thing that is measured several times. */
struct Row
{
    std::string name;                      //!< for the table
    std::string variant;                   //!< for the table
    Scenario scenario;                     //!< what; without a workload if it is ns-3 itself
    std::function<Measurement()> body;     //!< measures it
    std::vector<Measurement> measurements; //!< one a round
    std::vector<double> timesRaw;          //!< speed as a multiple of the raw hop's, by round
    std::vector<double> timesWindowed;     //!< as a multiple of the windowed raw hop's
    std::vector<double> timesUdp;          //!< as a multiple of a UDP/IP hop's
    std::vector<double> timesReference;    //!< as a multiple of its reference mode's, if measured
};

/** All that was measured. */
struct Results
{
    Row raw;               //!< the raw hop, sources at line rate
    Row windowed;          //!< the raw hop, window-clocked
    Row udp;               //!< the UDP/IP hop
    std::vector<Row> rows; //!< what lies between them
};

/** How often and how long. */
struct RoundSettings
{
    uint32_t rounds = 5;                //!< measurements of a row
    double leastSeconds = 0.3;          //!< CPU time of a measurement
    double mostSeconds = 60;            //!< a row that has taken more is not measured again
    ReferenceLoad raw;                  //!< load of the raw hop
    ReferenceLoad windowed;             //!< load of the windowed raw hop
    ReferenceLoad udp;                  //!< load of UDP/IP
    std::vector<ReferenceLoad> moreRaw; //!< the raw hop under other loads, as rows
    std::vector<ReferenceLoad> moreUdp; //!< UDP/IP under other loads, as rows
};

/**
 * Measure, one child process at a time.
 * @param plan the rows
 * @param settings how often
 * @param progress told what comes next
 * @return the results
 */
Results MeasureAll(const std::vector<Scenario>& plan,
                   const RoundSettings& settings,
                   const std::function<void(const std::string&)>& progress);

/** @param values some @return their median; 0 if there are none */
double GetMedian(std::vector<double> values);

/** @param row measured @return median CPU time of a hop, ns */
double GetMedianNsPerHop(const Row& row);

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_ROUNDS_H
