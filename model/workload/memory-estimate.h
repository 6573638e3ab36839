// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MEMORY_ESTIMATE_H
#define LLM_FABRIC_MEMORY_ESTIMATE_H

#include "parallel-strategy.h"
#include "pipeline-schedule.h"
#include "transformer-model.h"
#include "transformer-workload-options.h"

#include <cstdint>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Memory that an accelerator of a stage needs at its fullest, bytes. Fragments, the libraries' own
 * memory and kernels' scratch space are not counted; what they take is an attribute of the run.
 */
struct MemoryEstimate
{
    uint64_t parameters = 0;  //!< parameters that computation reads
    uint64_t gradients = 0;   //!< gradients, summed over micro-batches
    uint64_t optimizer = 0;   //!< 32-bit copies of parameters, and the optimizer's moments
    uint64_t activations = 0; //!< kept for the backward pass, of all micro-batches under way
    uint64_t buffers = 0;     //!< largest tensors of the moment: logits, gathered parameters

    /** @return all together */
    uint64_t GetTotal() const;
    /** @return the sum, term by term, in GiB: "parameters 2.5 + gradients 5.1 + ... = 70.2 GiB" */
    std::string Describe() const;
};

/**
 * @ingroup llm-fabric-workload
 * What memory depends on. All must outlive the calculation.
 */
struct MemoryInput
{
    const TransformerModel& model;             //!< with its padded vocabulary
    const ParallelStrategy& strategy;          //!< how it is divided
    const PipelineSchedule& schedule;          //!< how many micro-batches are under way
    const TransformerWorkloadOptions& options; //!< bytes of an element, what is kept
};

/**
 * @ingroup llm-fabric-workload
 * Activations that one micro-batch leaves in a block for its backward pass, bytes on a rank
 * (Korthikanti et al., arXiv 2205.05198, section 4, extended to grouped and latent attention, gated
 * feed-forwards and experts). With recomputation, what is kept in its stead.
 * @param input what it depends on
 * @param block the block
 * @return bytes
 */
uint64_t GetBlockActivationBytes(const MemoryInput& input, uint32_t block);

/**
 * @ingroup llm-fabric-workload
 * @param input what it depends on
 * @param stage a stage
 * @return the memory of one of its accelerators
 */
MemoryEstimate EstimateMemory(const MemoryInput& input, uint32_t stage);

} // namespace ns3::llm

#endif // LLM_FABRIC_MEMORY_ESTIMATE_H
