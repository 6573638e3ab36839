// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_WORKLOAD_SETTINGS_H
#define LLM_FABRIC_WORKLOAD_SETTINGS_H

#include "ns3/parallel-strategy.h"
#include "ns3/transformer-workload.h"

#include <cstdint>
#include <string>

namespace ns3::llm
{

class ProgramOptions;

/**
 * @ingroup llm-fabric-helper
 * What the command line of a program says of a workload: model, accelerator, how the work is divided.
 * Set other defaults before Add().
 */
struct WorkloadSettings
{
    std::string model = "gpt2-medium";    //!< built-in name or path
    std::string accelerator = "H100-SXM"; //!< name in data/accelerators.csv
    uint32_t accelerators = 64;           //!< how many
    uint32_t tp = 8;                      //!< tensor-parallel ranks
    uint32_t pp = 1;                      //!< pipeline stages
    uint32_t dp = 0;                      //!< replicas; 0: accelerators / (TP x CP x PP)
    uint32_t cp = 1;                      //!< context-parallel ranks
    uint32_t ep = 1;                      //!< expert-parallel ranks
    bool sp = false;                      //!< sequence parallelism
    uint32_t zero = 0;                    //!< ZeRO stage
    std::string recompute = "none";       //!< none, selective or full
    uint32_t chunks = 1;                  //!< model chunks of a stage
    std::string blocks = "";              //!< of each model chunk, see ParallelStrategy; "": equal
    std::string schedule = "";            //!< class; "": 1F1B, or interleaved with model chunks
    std::string costModel = "";           //!< class of the cost model; "": the roofline
    uint32_t microBatches = 4;            //!< of a replica
    uint32_t microBatchSize = 1;          //!< sequences
    uint32_t sequenceLength = 1024;       //!< tokens
    bool ignoreMemory = false;            //!< also what the memory cannot hold

    /** @param program gets an option for each member */
    void Add(ProgramOptions& program);

    /**
     * Change how the work is divided.
     * @param name words joined by '-', each a member with its value or a flag, such as
     *        "tp8-pp4-sp-zero1-selective-chunks2-microBatchSize2"; DP takes what is left. Other words are
     *        refused
     * @return the settings, changed so
     */
    WorkloadSettings WithStrategy(const std::string& name) const;
    /** @return how the work is divided, not yet validated; a wrong list of blocks is refused */
    ParallelStrategy MakeStrategy() const;
    /**
     * @param options choices beyond those
     * @return what the workload is made of; wrong names are refused
     */
    TransformerWorkload::Config MakeConfig(const TransformerWorkloadOptions& options = {}) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_WORKLOAD_SETTINGS_H
