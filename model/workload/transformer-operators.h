// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_OPERATORS_H
#define LLM_FABRIC_TRANSFORMER_OPERATORS_H

#include "attention-operators.h"
#include "end-operators.h"
#include "expert-operators.h"
#include "feed-forward-operators.h"
#include "operator-list.h"
#include "parallel-strategy.h"
#include "rank-share.h"
#include "training-pass.h"
#include "transformer-model.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Lists what one rank does for one micro-batch, as Megatron-LM divides the work (Shoeybi et al.,
 * arXiv 1909.08053; with sequence parallelism and recomputation Korthikanti et al., arXiv 2205.05198):
 * columns of QKV, of the first feed-forward matrix and of the vocabulary, rows of the output
 * projection and of the second feed-forward matrix.
 *
 * A backward pass can be listed whole (BACKWARD), or in two: BACKWARD_INPUT, and BACKWARD_WEIGHT,
 * which has the steps of share WEIGHT_GRADIENT.
 */
class TransformerOperators
{
  public:
    /** A pass through a part. */
    using Steps = OperatorList::Steps;

    /**
     * @param model the model; TP must divide its vocabulary (PadVocabulary())
     * @param strategy a strategy that was validated with it
     * @param options what the software does
     */
    TransformerOperators(const TransformerModel& model,
                         const ParallelStrategy& strategy,
                         const OperatorOptions& options);
    TransformerOperators(const TransformerOperators&) = delete;
    TransformerOperators& operator=(const TransformerOperators&) = delete;

    /**
     * @param pass which way
     * @return word embedding, positions
     */
    Steps GetEmbedding(TrainingPass pass) const;
    /**
     * @param pass which way
     * @param layer which block, from 0: some have experts (TransformerShape::IsExpertLayer())
     * @return one transformer block, with what is computed again before its backward pass
     */
    Steps GetBlock(TrainingPass pass, uint64_t layer = 0) const;
    /**
     * @param pass which way
     * @param ownMatrix whether the output matrix is stored with it (untied, or on another stage
     *        than the word embedding), so that its gradient is complete here
     * @return final norm, logits, cross entropy
     */
    Steps GetLogits(TrainingPass pass, bool ownMatrix) const;
    /**
     * @param parameters of the rank
     * @param bytesPerParameter memory traffic of the step, bytes for each parameter
     * @return the optimizer's step
     */
    static ModelOperator GetOptimizer(uint64_t parameters, uint64_t bytesPerParameter);
    /** @return bytes of the activations of a micro-batch's tokens of this rank between two blocks */
    uint64_t GetActivationBytes() const;

  private:
    /** @return dense feed-forward of this rank */
    FeedForwardOperators GetFeedForward() const;
    /** A block, forward. @param list where to @param layer which block */
    void AddForward(OperatorList& list, uint64_t layer) const;
    /** A block, backward. @param list where to @param layer which block */
    void AddBackward(OperatorList& list, uint64_t layer) const;
    /** Backward, the feed-forward with its norm. @param list where to @param layer which block */
    void AddFeedForwardBackward(OperatorList& list, uint64_t layer) const;
    /** Norm of a block's input. @param list where to @param pass which way */
    void AddNorm(OperatorList& list, TrainingPass pass) const;
    /**
     * Add what a part of a block computed to what it was given, with bias and dropout.
     * @param list where to
     */
    void AddResidual(OperatorList& list) const;
    /**
     * The gradient of what AddResidual() added.
     * @param list where to
     * @param bias whether it had a bias
     */
    void AddResidualBackward(OperatorList& list, bool bias) const;
    /**
     * Sum of two tensors, of activations or of gradients that meet where a part of a block begins.
     * @param list where to
     * @param tokens of each
     */
    void AddSum(OperatorList& list, uint64_t tokens) const;
    /**
     * @param list a pass
     * @param pass which it is to be
     * @return its steps, all or of some shares
     */
    static Steps Select(const OperatorList& list, TrainingPass pass);

    TransformerModel m_model;       //!< the model
    RankShare m_share;              //!< what the rank has
    AttentionOperators m_attention; //!< of every block
    ExpertOperators m_experts;      //!< of blocks with experts
    EndOperators m_ends;            //!< before and after the blocks
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_OPERATORS_H
