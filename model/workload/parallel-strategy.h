// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PARALLEL_STRATEGY_H
#define LLM_FABRIC_PARALLEL_STRATEGY_H

#include "training-graph.h"
#include "transformer-model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Place of a rank along each dimension of the strategy.
 */
struct RankCoordinates
{
    uint32_t tensor = 0;   //!< below the strategy's tensorParallel
    uint32_t pipeline = 0; //!< the stage, below pipelineParallel
    uint32_t data = 0;     //!< below dataParallel
    uint32_t context = 0;  //!< below contextParallel
};

/**
 * @ingroup llm-fabric-workload
 * Which activations are dropped after the forward pass and computed again before the backward pass
 * (Korthikanti et al., arXiv 2205.05198).
 */
enum class Recomputation : uint8_t
{
    NONE,      //!< none
    SELECTIVE, //!< those of the attention between QKV and the output projection
    FULL,      //!< all of a block but its input
};

/**
 * @ingroup llm-fabric-workload
 * How a job is divided among ranks: TP x CP x PP x DP with micro-batches.
 *
 * Groups of each ParallelDimension:
 *  - TENSOR, CONTEXT, PIPELINE: ranks that differ in this coordinate alone;
 *  - DATA: ranks with the same tensor and pipeline coordinates. It spans CP as well, because ranks of
 *    a context group hold the same parameters and sum their gradients;
 *  - EXPERT: EP ranks with consecutive data coordinates, from a multiple of EP on, and else the same
 *    place;
 *  - EXPERT_DATA: ranks with the same tensor and pipeline coordinates and the same place in their
 *    expert groups. With EP = 1 these are the data groups;
 *  - EMBEDDING: first and last stage of a pipeline;
 *  - WORLD: all ranks.
 *
 * Set the members, then call Validate() before anything else.
 */
struct ParallelStrategy
{
    uint32_t tensorParallel = 1;   //!< TP: ranks that share each layer
    uint32_t pipelineParallel = 1; //!< PP: stages
    uint32_t dataParallel = 1;     //!< DP: replicas
    uint32_t contextParallel = 1;  //!< CP: ranks that share each sequence
    uint32_t expertParallel = 1;   //!< EP: ranks that share a layer's experts; divides DP
    bool sequenceParallel = false; //!< SP: norms and residuals divided within a tensor group
    uint32_t zeroStage = 0; //!< 1: optimizer, 2: and gradients, 3: and parameters are divided by DP
    Recomputation recomputation = Recomputation::NONE; //!< of activations in the backward pass
    uint32_t modelChunks = 1;       //!< model chunks of a stage (interleaved schedules)
    uint32_t microBatchSize = 1;    //!< sequences of a micro-batch
    uint32_t globalBatchSize = 1;   //!< sequences of an iteration, over all replicas
    uint32_t sequenceLength = 1024; //!< tokens of a sequence
    /**
     * Which dimension counts fastest when ranks are numbered, then the next: an order of "tp", "cp",
     * "dp" and "pp" joined by '-'. "cp" may be left out while CP = 1. "ep" may be named right before
     * "dp", where it counts anyway. The default is Megatron-Core's.
     */
    std::string rankOrder = "tp-cp-ep-dp-pp";
    /**
     * Blocks of each model chunk in the model's order (chunk 0 of all stages, then chunk 1, ...);
     * empty: equally many.
     */
    std::vector<uint32_t> chunkBlocks;

    /**
     * Refuse what does not fit: a product other than the number of ranks, heads, key-value heads or
     * feed-forward that TP does not divide, layers that PP x model chunks does not divide (or
     * chunkBlocks that do not sum to them), a batch that DP x micro-batch does not divide, DP or
     * experts that EP does not divide, a sequence that 2 x CP (for CP > 1) or, with SP, CP x TP does not divide or that
     * is longer than a learned position table, and the like. The message says which value would fit.
     * @param ranks accelerators of the job
     * @param model the model
     */
    void Validate(uint32_t ranks, const TransformerModel& model) const;

    /** @return TP x CP x PP x DP */
    uint64_t GetRankCount() const;
    /** @return micro-batches of a replica in an iteration */
    uint32_t GetMicroBatchCount() const;
    /** @return tokens of a micro-batch, whole sequences: a context group has them together */
    uint64_t GetMicroBatchTokens() const;
    /**
     * @param dimension a dimension
     * @return the size of each of its groups
     */
    uint32_t GetSize(ParallelDimension dimension) const;
    /**
     * @param rank a rank, below GetRankCount()
     * @return its place along each dimension
     */
    RankCoordinates GetCoordinates(uint32_t rank) const;
    /**
     * @param coordinates a place along each dimension
     * @return the rank there
     */
    uint32_t GetRank(const RankCoordinates& coordinates) const;
    /**
     * @param dimension a dimension
     * @return number of its groups; each rank is in exactly one, but for ranks of stages in the
     *         middle, which are in none along EMBEDDING
     */
    uint32_t GetGroupCount(ParallelDimension dimension) const;
    /**
     * @param dimension a dimension
     * @param rank a rank
     * @return which of the dimension's groups the rank is in, counted from 0; EMBEDDING: that of its
     *         pipeline
     */
    uint32_t GetGroupIndex(ParallelDimension dimension, uint32_t rank) const;
    /**
     * @param dimension a dimension
     * @param rank a rank
     * @return the ranks of its group, in ascending order; EMBEDDING: first and last stage of its
     *         pipeline, whether or not the rank is one of them
     */
    std::vector<uint32_t> GetGroup(ParallelDimension dimension, uint32_t rank) const;
    /**
     * @param dimension a dimension
     * @return all its groups, by index; together they hold every rank once, or along EMBEDDING every
     *         rank of the first and the last stage
     */
    std::vector<std::vector<uint32_t>> GetGroups(ParallelDimension dimension) const;
    /** @return e.g. "TP 8 x PP 1 x DP 8", and what else is not as by default */
    std::string Describe() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PARALLEL_STRATEGY_H
