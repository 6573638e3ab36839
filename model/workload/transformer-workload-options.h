// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_WORKLOAD_OPTIONS_H
#define LLM_FABRIC_TRANSFORMER_WORKLOAD_OPTIONS_H

#include "operator-options.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What is kept in memory.
 */
struct MemoryOptions
{
    uint32_t gradientBytes = 4;   //!< of a summed gradient: 32 bit, as Megatron-LM keeps it
    uint32_t optimizerBytes = 12; //!< of a parameter: Adam's copy of it and two moments of 32 bit
    /** Refuse a strategy with which a stage needs more than the accelerator has. */
    bool check = true;
};

/**
 * @ingroup llm-fabric-workload
 * Choices beyond model, accelerator and strategy.
 */
struct TransformerWorkloadOptions
{
    OperatorOptions operators;  //!< which operators there are, and what they overlap
    uint32_t gradientBytes = 2; //!< bytes of a gradient in the data-parallel all-reduce (bfloat16)
    /**
     * A data-parallel bucket is sent once it holds at least this many bytes. The default is that of
     * PyTorch's DistributedDataParallel, 25 MiB; gradients of the attention or the feed-forward of a
     * block, of the embedding and of the logits are never split.
     */
    uint64_t bucketBytes = uint64_t(25) << 20;
    /** Send buckets during the last micro-batch's backward pass; else all at once after it. */
    bool overlapGradients = true;
    /**
     * Each rank of a tensor group sends its share of the activations to the next stage, where the
     * group gathers them (arXiv 2104.04473, section 4.1); else each rank sends the whole tensor.
     * With sequence parallelism each rank has but its share, and nothing is gathered.
     */
    bool scatterGather = false;
    /**
     * Messages between stages are handed over by rendezvous, as Megatron-LM's are: a rank sends what
     * a pass made, asks for what the next pass needs, and computes on when all of that is done. A
     * message leaves when the other side has asked for it. In interleaved schedules a forward pass
     * and the backward pass after it do this together. Else messages leave when they are made, and
     * computation waits only for what it needs.
     */
    bool rendezvous = false;
    /**
     * Time that the accelerator stands still after a pass that has exchanged tensors with neighbor
     * stages: Megatron-LM synchronizes the device after each such call.
     */
    Time pipelineCallOverhead = Time(0);
    /** ZeRO stage 3: parameters are gathered this many blocks before they are used. */
    uint32_t prefetchBlocks = 1;
    /** All ranks sum one 32-bit number, the square of the gradients' norm, before the update. */
    bool gradientNorm = false;
    /** Pad the vocabulary (PadVocabulary()); else TP must divide it. */
    bool padVocabulary = true;
    /**
     * Memory traffic of the optimizer's step, bytes for each parameter: Adam with 32-bit master
     * weights and moments reads a gradient (2), reads and writes weight and both moments (24), and
     * writes a 16-bit weight (2).
     */
    uint32_t optimizerBytesPerParameter = 28;
    MemoryOptions memory; //!< what is kept in memory
    /** Time of an iteration outside of the model: loading data, logging. */
    Time iterationOverhead = Time(0);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_WORKLOAD_OPTIONS_H
