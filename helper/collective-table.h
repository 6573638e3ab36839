// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_TABLE_H
#define LLM_FABRIC_COLLECTIVE_TABLE_H

#include "collective-runner.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::llm
{

class ReportFolder;

/**
 * @ingroup llm-fabric-helper
 * A row of a benchmark of collectives.
 */
struct CollectiveRow
{
    std::string operation;          //!< name of the operation
    std::string algorithm;          //!< its algorithm, as the user named it
    std::string fabric;             //!< name of the fabric
    std::string control;            //!< congestion control
    uint32_t seed = 0;              //!< of the run; other seeds take other paths
    std::string remark;             //!< why there was nothing to do, if so
    uint64_t bytes = 0;             //!< S
    uint32_t ranks = 0;             //!< N
    double timeUs = 0;              //!< us
    double idealUs = 0;             //!< us
    double boundUs = 0;             //!< us
    double oneSwitchUs = 0;         //!< us: ideal time on one non-blocking switch; 0: not asked for
    double algorithmGBytesPerS = 0; //!< algorithm bandwidth, 1e9 B/s
    double busGBytesPerS = 0;       //!< bus bandwidth, 1e9 B/s
    uint64_t hops = 0;              //!< frames x links
    double wallSeconds = 0;         //!< of the run

    /** @param outcome what its figures are taken from */
    void Take(const CollectiveOutcome& outcome);
    /** @return it as a JSON object */
    std::string ToJson() const;
    /** @param text what ToJson() gave @return the row */
    static CollectiveRow FromJson(const std::string& text);
};

/**
 * @ingroup llm-fabric-helper
 * Print rows as nccl-tests does, with ideal time and bound beside them. What is the same in all rows
 * but operation and algorithm is left out.
 * @param out where to
 * @param rows the rows
 */
void WriteCollectiveTable(std::ostream& out, const std::vector<CollectiveRow>& rows);

/**
 * @ingroup llm-fabric-helper
 * Print how the times of rows that differ in their seed alone scatter: where flows collide is drawn
 * by the seed.
 * @param out where to
 * @param rows the rows
 */
void WriteCollectiveSeeds(std::ostream& out, const std::vector<CollectiveRow>& rows);

/**
 * @ingroup llm-fabric-helper
 * Write collectives.csv and collectives.json, and bus bandwidth over size as bandwidth.png if gnuplot is
 * installed: a line for each operation, algorithm, fabric and congestion control, the mean of its seeds.
 * @param folder where to
 * @param rows the rows
 * @param scene what they were measured on, for the picture
 * @return whether there is a picture
 */
bool WriteCollectiveFiles(const ReportFolder& folder,
                          const std::vector<CollectiveRow>& rows,
                          const std::string& scene);

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_TABLE_H
