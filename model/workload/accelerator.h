// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ACCELERATOR_H
#define LLM_FABRIC_ACCELERATOR_H

#include "ns3/data-rate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What an accelerator can do, and the links it has: dense peaks (no sparsity), decimal units.
 *
 * The figures and their sources are in data/accelerators.csv; a figure that the file does not have
 * is 0, which means unknown.
 */
struct Accelerator
{
    std::string name;                    //!< as in the data file, e.g. "H100-SXM"
    double matrixFlopsPerSecond = 0;     //!< peak of the matrix units at 16 bit, FLOP/s
    double matrixFlopsPerSecond8 = 0;    //!< the same at 8 bit, FLOP/s; 0: unknown or none
    double vectorFlopsPerSecond = 0;     //!< peak of the vector units at 32 bit, FLOP/s; 0: unknown
    uint32_t multiprocessors = 0;        //!< that share a kernel's work; 0: unknown or none
    uint64_t memoryBytes = 0;            //!< size of the memory, bytes
    double memoryBytesPerSecond = 0;     //!< peak rate of the memory, byte/s
    DataRate scaleUpRate = DataRate(0);  //!< its link into the HB domain, one direction
    uint32_t scaleUpDomain = 0;          //!< accelerators of an HB domain of the usual system
    DataRate nicRate = DataRate(0);      //!< usual NIC rate for each accelerator; 0: unknown
    double bestMatrixFlopsPerSecond = 0; //!< best measured matrix product at 16 bit; 0: unknown
    double bestMatrixFlopsPerSecond8 = 0; //!< the same at 8 bit; 0: unknown
    double triadBytesPerSecond = 0;       //!< measured rate of the memory, byte/s; 0: unknown
    std::string system;                   //!< the usual system, e.g. "DGX H100 / HGX H100"
    std::string source;                   //!< where the figures come from

    /**
     * Find an accelerator of the data file.
     * @param name its name, or the beginning of it if only one begins so ("A100"); case does not
     *        matter. Anything else is refused with the names that exist and the nearest.
     * @return the accelerator
     */
    static Accelerator FromName(const std::string& name);

    /**
     * @param path a CSV file as data/accelerators.csv: '#' comments, a header line, quoted fields;
     *        a missing column or a wrong number is refused with file, line and column
     * @return all accelerators of it
     */
    static std::vector<Accelerator> ReadFile(const std::string& path);

    /**
     * A later generation of it. Sizes of memory and HB domain stay, and what is unknown stays so.
     * @param computeFactor on the peaks of matrix and vector units, above 0
     * @param memoryFactor on the memory's rate, above 0
     * @param networkFactor on the rates of scale-up link and NIC, above 0
     * @return the scaled accelerator, of the same name
     */
    Accelerator Scaled(double computeFactor, double memoryFactor, double networkFactor) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ACCELERATOR_H
