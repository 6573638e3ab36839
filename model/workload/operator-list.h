// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATOR_LIST_H
#define LLM_FABRIC_OPERATOR_LIST_H

#include "rank-share.h"
#include "training-pass.h"
#include "transformer-step.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * `batch` products of (m x k) by (k x n), as the forward pass has them.
 */
struct MatrixProduct
{
    const char* name; //!< its name
    uint64_t batch;   //!< independent products
    uint64_t m;       //!< rows of the result
    uint64_t n;       //!< columns of the result
    uint64_t k;       //!< length of the sums
};

/**
 * @ingroup llm-fabric-workload
 * The steps of a pass through a part of a model, as they are listed one by one.
 */
class OperatorList
{
  public:
    /** A pass through a part. */
    using Steps = std::vector<TransformerStep>;

    /** @param share what the rank has; must outlive this */
    explicit OperatorList(const RankShare& share);

    /** @return what the rank has */
    const RankShare& GetShare() const;
    /** @return the steps so far */
    const Steps& GetSteps() const;

    /** @param product a product to compute */
    void AddForward(const MatrixProduct& product);
    /** @param product a product whose first operand's gradient to compute */
    void AddInputGradient(const MatrixProduct& product);
    /** @param product a product whose second operand's gradient to compute: activations */
    void AddSecondGradient(const MatrixProduct& product);
    /** @param product a product whose second operand's gradient to compute: weights */
    void AddWeightGradient(const MatrixProduct& product);
    /**
     * Add a product with a step's other fields set by hand.
     * @param step what to set out from
     * @param product the product, as it is computed
     * @return the operator, to complete; valid until the next step is added
     */
    TransformerStep& AddProduct(TransformerStep step, const MatrixProduct& product);
    /**
     * Add an operator that streams its tensors.
     * @param name its name
     * @param elements values
     * @param flopsPerElement operations for each
     * @param bytes read and written, of all
     * @param kernels that do it
     * @return the operator, to complete; valid until the next step is added
     */
    TransformerStep& AddVector(const char* name,
                               uint64_t elements,
                               uint64_t flopsPerElement,
                               uint64_t bytes,
                               uint32_t kernels = 1);
    /**
     * Add a norm.
     * @param name its name
     * @param elements values
     * @param pass which way
     */
    void AddNorm(const char* name, uint64_t elements, TrainingPass pass);
    /**
     * Add a dropout by itself, which keeps a mask of a byte for each value.
     * @param elements values
     * @param pass which way; forward it draws a random number for each
     */
    void AddDropout(uint64_t elements, TrainingPass pass);

    /**
     * Start to communicate, unless the group has one rank; what follows runs beside it.
     * @param task what to do
     * @param dimension along which
     * @param bytes S of a collective, or size of a message
     * @param share what it belongs to
     * @param peer SEND, RECEIVE: places from this rank's
     */
    void Start(TrainingTask::Kind task,
               ParallelDimension dimension,
               uint64_t bytes,
               TransformerStep::Share share = TransformerStep::MAIN,
               int32_t peer = 0);
    /** Wait for all that was started, if anything was. @param share what the wait belongs to */
    void Wait(TransformerStep::Share share = TransformerStep::MAIN);
    /**
     * Communicate while nothing else runs.
     * @param task what to do
     * @param dimension along which
     * @param bytes S of the collective
     */
    void Exchange(TrainingTask::Kind task, ParallelDimension dimension, uint64_t bytes);
    /**
     * The gradients of some parameters are complete.
     * @param parameters of this rank; 0: says nothing
     * @param expert whether of routed experts
     */
    void AddGradient(uint64_t parameters, bool expert);
    /** Do a forward pass once more. @param forward its steps */
    void AddRecomputation(const OperatorList& forward);

  private:
    const RankShare& m_share; //!< what the rank has
    Steps m_steps;            //!< the steps so far
    bool m_isWaiting = false; //!< something was started that was not waited for
};

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATOR_LIST_H
