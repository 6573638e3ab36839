// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RAIL_FORWARDING_REPORT_H
#define LLM_FABRIC_RAIL_FORWARDING_REPORT_H

#include "ns3/report-folder.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

/** A kind of accelerator with its rates and what the rail-only paper says of it. */
struct Platform
{
    std::string name;    //!< "A100"
    double nicGbps;      //!< C_S
    double domainGbps;   //!< C_F, one direction
    double paperPercent; //!< its overhead of an all-to-all
    std::string version; //!< of the paper
};

/** @return the platforms of the paper */
const std::vector<Platform>& ListPlatforms();
/** @param name of a platform @return it; refused if there is none */
const Platform& FindPlatform(const std::string& name);

/** What came of a run. */
struct ForwardingRow
{
    std::string platform;      //!< name of the platform
    uint32_t accelerators = 0; //!< N
    uint32_t domainSize = 0;   //!< K
    std::string routing;       //!< name of the routing
    std::string way;           //!< name of the way of forwarding
    uint64_t bytes = 0;        //!< what each accelerator has
    double timeUs = 0;         //!< until the last rank was done
    double boundUs = 0;        //!< payload of the busiest NIC over its rate
    uint64_t nicPayload = 0;   //!< payload between domains, all NICs
    uint64_t relayed = 0;      //!< payload that relays passed on
    uint64_t forwarded = 0;    //!< messages in which they did
    uint64_t peakStored = 0;   //!< most that a relay stored, bytes
    double wallSeconds = 0;    //!< of the run

    /** @return it as a JSON object */
    std::string ToJson() const;
    /** @param text what ToJson() gave @return the row */
    static ForwardingRow FromJson(const std::string& text);
};

/** The way that others are compared with. */
constexpr const char* BASELINE = "rail-optimized";

/**
 * Print rows by platform, accelerators and routing, each beside BASELINE, the paper and closed forms.
 * @param out where
 * @param rows the rows
 */
void WriteForwardingTable(std::ostream& out, const std::vector<ForwardingRow>& rows);

/**
 * Write rail-forwarding.csv, .json and, if gnuplot is installed, a picture of the uniform ones.
 * @param folder where
 * @param rows the rows
 * @return whether there is a picture
 */
bool WriteForwardingFiles(const ns3::llm::ReportFolder& folder,
                          const std::vector<ForwardingRow>& rows);

#endif // LLM_FABRIC_RAIL_FORWARDING_REPORT_H
