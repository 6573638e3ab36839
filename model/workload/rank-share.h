// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RANK_SHARE_H
#define LLM_FABRIC_RANK_SHARE_H

#include "operator-options.h"
#include "parallel-strategy.h"
#include "transformer-model.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What one rank has of a micro-batch and of a block.
 */
struct RankShare
{
    /**
     * @param model the model
     * @param strategy a strategy that was validated with it
     * @param operatorOptions what the software does
     */
    RankShare(const TransformerModel& model,
              const ParallelStrategy& strategy,
              const OperatorOptions& operatorOptions);

    TransformerShape shape;  //!< the whole model
    OperatorOptions options; //!< what the software does
    uint64_t tensor;         //!< ranks of a tensor group
    uint64_t context;        //!< ranks of a context group
    uint64_t expert;         //!< ranks of an expert group
    bool
        sequenceParallel; //!< between matrices each rank of a tensor group has a part of the tokens
    bool accumulates;     //!< gradients of more than one micro-batch are summed
    Recomputation recomputation; //!< of activations
    uint64_t sequences;          //!< of the micro-batch
    uint64_t sequenceTokens;     //!< tokens of a sequence that the context group's rank has
    uint64_t tokens;             //!< of the micro-batch, in its matrix products
    uint64_t residualTokens;     //!< of the micro-batch, between matrices (norms, residuals)

    /**
     * @param dimension a dimension
     * @return ranks of its group, for TENSOR, CONTEXT and EXPERT
     */
    uint64_t GetSize(ParallelDimension dimension) const;
    /** @return bytes of the activations of `tokens` over the hidden size */
    uint64_t GetActivationBytes() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RANK_SHARE_H
