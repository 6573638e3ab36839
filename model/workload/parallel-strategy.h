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
};

/**
 * @ingroup llm-fabric-workload
 * How a job is divided among ranks: TP x PP x DP with micro-batches.
 *
 * Set the members, then call Validate() before anything else.
 */
struct ParallelStrategy
{
    uint32_t tensorParallel = 1;    //!< TP: ranks that share each layer
    uint32_t pipelineParallel = 1;  //!< PP: stages
    uint32_t dataParallel = 1;      //!< DP: replicas
    uint32_t modelChunks = 1;       //!< model chunks of a stage (interleaved schedules)
    uint32_t microBatchSize = 1;    //!< sequences of a micro-batch
    uint32_t globalBatchSize = 1;   //!< sequences of an iteration, over all replicas
    uint32_t sequenceLength = 1024; //!< tokens of a sequence
    /**
     * Which dimension counts fastest when ranks are numbered, then the next: an order of "tp", "dp"
     * and "pp" joined by '-'. The default is Megatron-LM's.
     */
    std::string rankOrder = "tp-dp-pp";

    /**
     * Refuse what does not fit: a product other than the number of ranks, heads, key-value heads or
     * feed-forward that TP does not divide, layers that PP does not divide, a batch that DP x
     * micro-batch does not divide, a sequence longer than a learned position table. The message
     * says which value would fit.
     * @param ranks accelerators of the job
     * @param model the model
     */
    void Validate(uint32_t ranks, const TransformerModel& model) const;

    /** @return TP x PP x DP */
    uint64_t GetRankCount() const;
    /** @return micro-batches of a replica in an iteration */
    uint32_t GetMicroBatchCount() const;
    /** @return tokens of a micro-batch */
    uint64_t GetMicroBatchTokens() const;
    /**
     * @param dimension a dimension
     * @return its ranks: the size of each of its groups
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
     * @return number of its groups; each rank is in exactly one
     */
    uint32_t GetGroupCount(ParallelDimension dimension) const;
    /**
     * @param dimension a dimension
     * @param rank a rank
     * @return which of the dimension's groups the rank is in, counted from 0
     */
    uint32_t GetGroupIndex(ParallelDimension dimension, uint32_t rank) const;
    /**
     * @param dimension a dimension
     * @param rank a rank
     * @return the ranks that differ from it along this dimension alone, itself included, in order of
     *         their coordinate
     */
    std::vector<uint32_t> GetGroup(ParallelDimension dimension, uint32_t rank) const;
    /**
     * @param dimension a dimension
     * @return all its groups, by index; together they hold every rank once
     */
    std::vector<std::vector<uint32_t>> GetGroups(ParallelDimension dimension) const;
    /** @return e.g. "TP 8 x PP 1 x DP 8" */
    std::string Describe() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PARALLEL_STRATEGY_H
