// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_OPERATORS_H
#define LLM_FABRIC_TRANSFORMER_OPERATORS_H

#include "operator-cost-model.h"
#include "parallel-strategy.h"
#include "training-pass.h"
#include "transformer-model.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * One step of a pass through a part of a model: what a rank of a tensor group computes and says.
 */
struct TransformerStep
{
    /** What the step is. */
    enum Kind : uint8_t
    {
        OPERATOR,   //!< compute `op`
        COLLECTIVE, //!< start an all-reduce of `bytes` over the tensor group
        WAIT,       //!< what follows needs the collectives before it
        GRADIENT,   //!< the gradients of `parameters` are complete
    };

    Kind kind = OPERATOR;    //!< what it is
    ModelOperator op;        //!< OPERATOR: the operator
    uint64_t bytes = 0;      //!< COLLECTIVE: size of the tensor
    uint64_t parameters = 0; //!< GRADIENT: parameters, of this rank
};

/**
 * @ingroup llm-fabric-workload
 * Lists what one rank of a tensor group does for one micro-batch, as Megatron-LM divides the work
 * (Shoeybi et al., arXiv 1909.08053): columns of QKV, of the first feed-forward matrix and of the
 * vocabulary, rows of the output projection and of the second feed-forward matrix.
 *
 * Attention is unfused and computes the full square of scores; element-wise operators stream their
 * tensors once, biases are fused into the matrix products, and dropout is left out.
 */
class TransformerOperators
{
  public:
    /** A pass through a part. */
    using Steps = std::vector<TransformerStep>;

    /**
     * @param model the model; TP must divide its vocabulary (PadVocabulary())
     * @param strategy a strategy that was validated with it
     * @param activationBytes bytes of an element of activations and weights, e.g. 2 for bfloat16
     * @param overlapBackward start the backward all-reduces before the weight gradients of the same
     *        matrix instead of after them, and wait for them afterwards
     */
    TransformerOperators(const TransformerModel& model,
                         const ParallelStrategy& strategy,
                         uint32_t activationBytes,
                         bool overlapBackward);

    /**
     * @param pass which way
     * @return word embedding, positions
     */
    Steps GetEmbedding(TrainingPass pass) const;
    /**
     * @param pass which way
     * @return one transformer block
     */
    Steps GetBlock(TrainingPass pass) const;
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
    ModelOperator GetOptimizer(uint64_t parameters, uint64_t bytesPerParameter) const;
    /** @return bytes of the activations between two blocks, of one micro-batch */
    uint64_t GetActivationBytes() const;

  private:
    /** Which of the operands of a matrix product has no gradient of its own to communicate. */
    struct Product
    {
        const char* name; //!< its name
        uint64_t batch;   //!< independent products
        uint64_t m;       //!< rows of the result
        uint64_t n;       //!< columns of the result
        uint64_t k;       //!< length of the sums
    };

    /** @return queries, keys and values of this rank */
    Product GetQkv() const;
    /** @return scores of this rank's heads */
    Product GetScores() const;
    /** @return weighted values of this rank's heads */
    Product GetValues() const;
    /** @return output projection of this rank's heads */
    Product GetOutput() const;
    /** @return first feed-forward matrix (both, when gated) */
    Product GetFirst() const;
    /** @return second feed-forward matrix */
    Product GetSecond() const;
    /** @return logits of this rank's part of the vocabulary */
    Product GetLogitsProduct() const;

    /** Attention before the sum over the group: forward. @param steps appended to */
    void AddAttentionForward(Steps& steps) const;
    /** Feed-forward before the sum over the group: forward. @param steps appended to */
    void AddFeedForwardForward(Steps& steps) const;
    /** Attention up to the input's gradient of QKV. @param steps appended to */
    void AddAttentionBackward(Steps& steps) const;
    /** Feed-forward up to the input's gradient of its first matrix. @param steps appended to */
    void AddFeedForwardBackward(Steps& steps) const;
    /**
     * Gradients of inputs are summed over the group while (or after) those of weights are computed.
     * @param steps appended to
     * @param columns the products whose weights are divided by columns
     */
    void AddColumnGradients(Steps& steps, const std::vector<Product>& columns) const;

    /** Add a product. @param steps appended to @param product the product */
    void AddForward(Steps& steps, const Product& product) const;
    /** Add the gradient of the first operand. @param steps appended to @param product the product */
    void AddInputGradient(Steps& steps, const Product& product) const;
    /** Add the gradient of the second operand. @param steps appended to @param product the product */
    void AddWeightGradient(Steps& steps, const Product& product) const;
    /**
     * Add an element-wise operator.
     * @param steps appended to
     * @param name its name
     * @param elements values
     * @param flopsPerElement operations for each
     * @param tensors how many tensors of that size it reads and writes
     */
    void AddVector(Steps& steps,
                   const char* name,
                   uint64_t elements,
                   uint64_t flopsPerElement,
                   uint64_t tensors) const;
    /** Add an all-reduce that is waited for. @param steps appended to @param bytes its size */
    static void AddBlockingCollective(Steps& steps, uint64_t bytes);
    /** Add a step of a kind. @param steps appended to @param kind the kind @param amount its size */
    static void AddMark(Steps& steps, TransformerStep::Kind kind, uint64_t amount);

    TransformerModel m_model;   //!< the model
    uint64_t m_tensorParallel;  //!< ranks of the tensor group
    uint64_t m_sequences;       //!< of a micro-batch
    uint64_t m_sequenceLength;  //!< tokens of a sequence
    uint64_t m_tokens;          //!< of a micro-batch
    uint32_t m_activationBytes; //!< bytes of an element
    bool m_overlapBackward;     //!< see the constructor
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_OPERATORS_H
