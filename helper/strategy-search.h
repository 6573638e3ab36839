// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_STRATEGY_SEARCH_H
#define LLM_FABRIC_STRATEGY_SEARCH_H

#include "ns3/memory-estimate.h"
#include "ns3/transformer-workload.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A way to train a model on given accelerators.
 */
struct StrategyCandidate
{
    Ptr<const TransformerWorkload> workload; //!< the model, divided so
    MemoryEstimate memory;                   //!< of the stage that needs most
    Time iteration;                          //!< closed-form time of an iteration

    /** @return e.g. "TP 8 x PP 2 x DP 4, SP, ZeRO 1, full recomputation, micro-batch 1" */
    std::string Describe() const;
};

/**
 * @ingroup llm-fabric-helper
 * Finds how to divide a model among accelerators: lists all ways that the model, the batch and the
 * memory allow, and ranks them by the time of an iteration.
 *
 * Of the recomputations, only the least that fits is kept for each division: more of it is never
 * faster. Stages have equally many blocks.
 */
class StrategySearch
{
  public:
    /** What to search. */
    struct Space
    {
        uint32_t accelerators = 0;                            //!< ranks
        uint32_t largestTensorGroup = 8;                      //!< most TP: the HB domain as a rule
        uint32_t largestContextGroup = 1;                     //!< most CP
        uint32_t globalBatchSize = 0;                         //!< sequences of an iteration
        uint32_t sequenceLength = 0;                          //!< tokens of a sequence
        std::vector<uint32_t> microBatchSizes = {1, 2, 4, 8}; //!< sequences
        std::vector<uint32_t> modelChunks = {1, 2, 4};        //!< of a stage
        std::vector<uint32_t> zeroStages = {0, 1, 3};         //!< of ZeRO
        bool sequenceParallel = true;                         //!< SP wherever TP is more than 1
    };

    /** How long an iteration takes. */
    using Evaluation = std::function<Time(const Ptr<const TransformerWorkload>&)>;

    /**
     * @param base model, accelerator, cost model and options; strategy and schedule are replaced
     * @param space what to search; values of 0 are refused
     */
    StrategySearch(const TransformerWorkload::Config& base, const Space& space);

    /**
     * List all that fit, and rank them.
     * @param evaluate how long an iteration takes
     * @return all that fit, fastest first; ties in the order of the search
     */
    std::vector<StrategyCandidate> Rank(const Evaluation& evaluate);
    /** @return how many strategies were left out, by reason */
    const std::map<std::string, uint32_t>& GetLeftOut() const;

  private:
    /** @return all divisions of the ranks, before they are checked */
    std::vector<ParallelStrategy> ListDivisions() const;
    /**
     * @param division a division without micro-batch, chunks, ZeRO and recomputation
     * @param found what fits is appended to
     */
    void AddVariants(const ParallelStrategy& division, std::vector<StrategyCandidate>& found);
    /**
     * Try the recomputations, the least first, and keep the first that fits.
     * @param strategy a strategy
     * @param found the candidate is appended to
     */
    void AddFitting(ParallelStrategy strategy, std::vector<StrategyCandidate>& found);

    TransformerWorkload::Config m_base;        //!< all but strategy and schedule
    Space m_space;                             //!< what to search
    std::map<std::string, uint32_t> m_leftOut; //!< how many, by reason
};

} // namespace ns3::llm

#endif // LLM_FABRIC_STRATEGY_SEARCH_H
