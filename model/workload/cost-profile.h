// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COST_PROFILE_H
#define LLM_FABRIC_COST_PROFILE_H

#include "accelerator.h"

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What kernels reach of an accelerator's peaks: the constants of RooflineCostModel. As shares they
 * stay when a study scales the peaks.
 */
struct CostProfile
{
    std::string accelerator;         //!< that it was made for, as in data/accelerators.csv
    double matrixEfficiency = 0;     //!< share of the 16-bit peak in the full waves of a product
    double matrixEfficiency8 = 0;    //!< share of the 8-bit peak likewise
    double epilogueShare = 0;        //!< share of a result's traffic that no product hides
    double memoryEfficiency = 0;     //!< share of the memory's peak that streaming kernels reach
    double normForward = 0;          //!< the same of norms, forward
    double normBackward = 0;         //!< the same of norms, backward
    double earlyNormForward = 0;     //!< the same of norm kernels of before October 2021, forward
    double earlyNormBackward = 0;    //!< the same of norm kernels of before October 2021, backward
    double randomNumbersPerFlop = 0; //!< random numbers for each FLOP of the vector units' peak
    Time launchOverhead;             //!< start and end of a kernel
    std::string source;              //!< where the constants come from

    /**
     * @param accelerator an accelerator, of data/accelerators.csv or made by hand
     * @return its profile in data/accelerator-profiles.json; without one, the file's first, but with
     *         the accelerator's own measured rates as far as data/accelerators.csv has them
     */
    static CostProfile Find(const Accelerator& accelerator);

    /**
     * @param path a file as data/accelerator-profiles.json; a missing key or a wrong number is
     *        refused with file, accelerator and key
     * @return its profiles, at least one
     */
    static std::vector<CostProfile> ReadFile(const std::string& path);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COST_PROFILE_H
