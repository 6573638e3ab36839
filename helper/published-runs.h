// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PUBLISHED_RUNS_H
#define LLM_FABRIC_PUBLISHED_RUNS_H

#include "ns3/parallel-strategy.h"
#include "ns3/transformer-model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A training run whose time was published.
 */
struct PublishedRun
{
    std::string name;          //!< e.g. "22B full"
    TransformerModel model;    //!< the model
    ParallelStrategy strategy; //!< how it was divided
    double seconds = 0;        //!< measured time of an iteration
    double flops = 0;          //!< model operations of an iteration, by the source's formula
    /** Whether the gradients' all-reduce overlapped the backward pass. */
    bool overlapGradients = false;
};

/**
 * @ingroup llm-fabric-helper
 * @param name of the model, for reports
 * @param layers blocks
 * @param hidden hidden size
 * @param heads attention heads
 * @return a GPT of vocabulary 51200 and 2048 learned positions, as Megatron-LM's papers train
 */
TransformerModel
MakeGptModel(const std::string& name, uint64_t layers, uint64_t hidden, uint64_t heads);

/**
 * @ingroup llm-fabric-helper
 * The eight runs of Korthikanti et al. (arXiv 2205.05198), table 5: four models, with full
 * recomputation, and with selective recomputation and sequence parallelism.
 * @return the runs, of data/validation/korthikanti-table5.csv
 */
std::vector<PublishedRun> ReadKorthikantiRuns();

/**
 * @ingroup llm-fabric-helper
 * The ten runs of Narayanan et al. (arXiv 2104.04473), table 1. Its Tflop/s are turned into seconds by
 * the paper's equation 3 with recomputation.
 * @return the runs, of data/validation/narayanan-table1.csv
 */
std::vector<PublishedRun> ReadNarayananRuns();

} // namespace ns3::llm

#endif // LLM_FABRIC_PUBLISHED_RUNS_H
