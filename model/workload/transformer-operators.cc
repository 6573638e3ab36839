// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-operators.h"

namespace ns3::llm
{

namespace
{

// Operations for each element, counted from the formulas; memory is the limit of all of these.
constexpr uint64_t NORM_FLOPS = 7;             //!< two sums, normalize, scale, shift
constexpr uint64_t NORM_GRADIENT_FLOPS = 12;   //!< two sums and their use, scale, shift
constexpr uint64_t SOFTMAX_FLOPS = 6;          //!< scale, mask, maximum, exponential, sum, divide
constexpr uint64_t SOFTMAX_GRADIENT_FLOPS = 5; //!< product, sum, difference, product, scale
constexpr uint64_t ROTARY_FLOPS = 3;           //!< two products and a sum
constexpr uint64_t ACTIVATION_FLOPS = 10;      //!< GELU by tanh, or SiLU times the other branch
constexpr uint64_t ACTIVATION_GRADIENT_FLOPS = 16; //!< its derivative times the gradient
constexpr uint64_t ENTROPY_FLOPS = 4;              //!< difference, exponential, sum, product
constexpr uint64_t OPTIMIZER_FLOPS = 14;           //!< Adam with weight decay
constexpr uint64_t STATISTIC_BYTES = 4;            //!< of the cross entropy, 32 bit for each token

} // namespace

TransformerOperators::TransformerOperators(const TransformerModel& model,
                                           const ParallelStrategy& strategy,
                                           uint32_t activationBytes,
                                           bool overlapBackward)
    : m_model(model),
      m_tensorParallel(strategy.tensorParallel),
      m_sequences(strategy.microBatchSize),
      m_sequenceLength(strategy.sequenceLength),
      m_tokens(strategy.GetMicroBatchTokens()),
      m_activationBytes(activationBytes),
      m_overlapBackward(overlapBackward)
{
}

uint64_t
TransformerOperators::GetActivationBytes() const
{
    return m_tokens * m_model.GetShape().hidden * m_activationBytes;
}

TransformerOperators::Product
TransformerOperators::GetQkv() const
{
    const auto& shape = m_model.GetShape();
    const uint64_t width = (shape.heads + 2 * shape.keyValueHeads) * shape.headSize;
    return {"qkv", 1, m_tokens, width / m_tensorParallel, shape.hidden};
}

TransformerOperators::Product
TransformerOperators::GetScores() const
{
    const auto& shape = m_model.GetShape();
    const uint64_t batch = m_sequences * shape.heads / m_tensorParallel;
    return {"scores", batch, m_sequenceLength, m_sequenceLength, shape.headSize};
}

TransformerOperators::Product
TransformerOperators::GetValues() const
{
    const auto& shape = m_model.GetShape();
    const uint64_t batch = m_sequences * shape.heads / m_tensorParallel;
    return {"values", batch, m_sequenceLength, shape.headSize, m_sequenceLength};
}

TransformerOperators::Product
TransformerOperators::GetOutput() const
{
    const auto& shape = m_model.GetShape();
    return {"output", 1, m_tokens, shape.hidden, shape.heads * shape.headSize / m_tensorParallel};
}

TransformerOperators::Product
TransformerOperators::GetFirst() const
{
    const auto& shape = m_model.GetShape();
    const uint64_t width = shape.feedForward * (shape.gated ? 2 : 1);
    return {"fc1", 1, m_tokens, width / m_tensorParallel, shape.hidden};
}

TransformerOperators::Product
TransformerOperators::GetSecond() const
{
    const auto& shape = m_model.GetShape();
    return {"fc2", 1, m_tokens, shape.hidden, shape.feedForward / m_tensorParallel};
}

TransformerOperators::Product
TransformerOperators::GetLogitsProduct() const
{
    const auto& shape = m_model.GetShape();
    return {"logits", 1, m_tokens, shape.vocabulary / m_tensorParallel, shape.hidden};
}

TransformerOperators::Steps
TransformerOperators::GetEmbedding(TrainingPass pass) const
{
    const auto& shape = m_model.GetShape();
    const uint64_t elements = m_tokens * shape.hidden;
    Steps steps;
    if (pass == TrainingPass::FORWARD)
    {
        AddVector(steps, "embedding", elements, 1, 2);
        AddBlockingCollective(steps, GetActivationBytes());
        if (shape.positionRows > 0)
        {
            AddVector(steps, "positions", elements, 1, 3);
        }
        if (shape.embeddingNorm)
        {
            AddVector(steps, "norm", elements, NORM_FLOPS, 2);
        }
        return steps;
    }
    if (shape.embeddingNorm)
    {
        AddVector(steps, "norm", elements, NORM_GRADIENT_FLOPS, 3);
    }
    if (shape.positionRows > 0)
    {
        AddVector(steps, "positions", elements, 1, 3);
    }
    AddVector(steps, "embedding", elements, 1, 3);
    const auto parameters = m_model.GetWordEmbeddingParameters() + m_model.GetPositionParameters();
    AddMark(steps, TransformerStep::GRADIENT, parameters.GetPerRank(m_tensorParallel));
    return steps;
}

TransformerOperators::Steps
TransformerOperators::GetBlock(TrainingPass pass) const
{
    const auto& shape = m_model.GetShape();
    const uint64_t elements = m_tokens * shape.hidden;
    const bool parallel = shape.parallelBlock;
    Steps steps;
    if (pass == TrainingPass::FORWARD)
    {
        AddAttentionForward(steps);
        if (!parallel)
        {
            AddBlockingCollective(steps, GetActivationBytes());
        }
        AddVector(steps, "residual", elements, 1, 3); // in a parallel block: the sum of both parts
        AddFeedForwardForward(steps);
        AddBlockingCollective(steps, GetActivationBytes());
        AddVector(steps, "residual", elements, 1, 3);
        return steps;
    }
    AddFeedForwardBackward(steps);
    if (!parallel)
    {
        AddColumnGradients(steps, {GetFirst()});
    }
    if (shape.blockNorms > 1)
    {
        AddVector(steps, "norm", elements, NORM_GRADIENT_FLOPS, 3);
    }
    AddVector(steps, "residual", elements, 1, 3);
    const auto feedForward = m_model.GetFeedForwardParameters().GetPerRank(m_tensorParallel);
    if (!parallel)
    {
        AddMark(steps, TransformerStep::GRADIENT, feedForward);
    }
    AddAttentionBackward(steps);
    AddColumnGradients(steps,
                       parallel ? std::vector<Product>{GetFirst(), GetQkv()}
                                : std::vector<Product>{GetQkv()});
    AddVector(steps, "norm", elements, NORM_GRADIENT_FLOPS, 3);
    AddVector(steps, "residual", elements, 1, 3);
    const auto attention = m_model.GetAttentionParameters().GetPerRank(m_tensorParallel);
    AddMark(steps, TransformerStep::GRADIENT, attention + (parallel ? feedForward : 0));
    return steps;
}

TransformerOperators::Steps
TransformerOperators::GetLogits(TrainingPass pass, bool ownMatrix) const
{
    const auto& shape = m_model.GetShape();
    const uint64_t elements = m_tokens * shape.hidden;
    const uint64_t scores = m_tokens * shape.vocabulary / m_tensorParallel;
    const uint64_t statistics = m_tokens * STATISTIC_BYTES;
    Steps steps;
    if (pass == TrainingPass::FORWARD)
    {
        AddVector(steps, "norm", elements, NORM_FLOPS, 2);
        AddForward(steps, GetLogitsProduct());
        // largest logit, then the target's logit and the sum of exponentials
        AddVector(steps, "cross entropy", scores, 1, 1);
        AddBlockingCollective(steps, statistics);
        AddVector(steps, "cross entropy", scores, ENTROPY_FLOPS, 2);
        AddMark(steps, TransformerStep::COLLECTIVE, statistics);
        AddBlockingCollective(steps, statistics);
        return steps;
    }
    AddVector(steps, "cross entropy", scores, ENTROPY_FLOPS, 2);
    AddInputGradient(steps, GetLogitsProduct());
    AddColumnGradients(steps, {GetLogitsProduct()});
    AddVector(steps, "norm", elements, NORM_GRADIENT_FLOPS, 3);
    auto parameters = m_model.GetFinalNormParameters();
    if (ownMatrix)
    {
        parameters = parameters + m_model.GetWordEmbeddingParameters();
    }
    AddMark(steps, TransformerStep::GRADIENT, parameters.GetPerRank(m_tensorParallel));
    return steps;
}

ModelOperator
TransformerOperators::GetOptimizer(uint64_t parameters, uint64_t bytesPerParameter) const
{
    ModelOperator op;
    op.name = "optimizer";
    op.elements = parameters;
    op.flops = parameters * OPTIMIZER_FLOPS;
    op.bytes = parameters * bytesPerParameter;
    return op;
}

void
TransformerOperators::AddAttentionForward(Steps& steps) const
{
    const auto& shape = m_model.GetShape();
    const Product scores = GetScores();
    const uint64_t rotated =
        m_tokens * (shape.heads + shape.keyValueHeads) * shape.headSize / m_tensorParallel;
    AddVector(steps, "norm", m_tokens * shape.hidden, NORM_FLOPS, 2);
    AddForward(steps, GetQkv());
    if (shape.queryKeyNorm)
    {
        AddVector(steps, "query-key norm", rotated, NORM_FLOPS, 2);
    }
    if (shape.positions == TransformerShape::ROTARY)
    {
        AddVector(steps, "rotary", rotated, ROTARY_FLOPS, 2);
    }
    AddForward(steps, scores);
    AddVector(steps, "softmax", scores.batch * scores.m * scores.n, SOFTMAX_FLOPS, 2);
    AddForward(steps, GetValues());
    AddForward(steps, GetOutput());
}

void
TransformerOperators::AddFeedForwardForward(Steps& steps) const
{
    const auto& shape = m_model.GetShape();
    if (shape.blockNorms > 1)
    {
        AddVector(steps, "norm", m_tokens * shape.hidden, NORM_FLOPS, 2);
    }
    AddForward(steps, GetFirst());
    AddVector(steps,
              "activation",
              m_tokens * shape.feedForward / m_tensorParallel,
              ACTIVATION_FLOPS,
              shape.gated ? 3 : 2);
    AddForward(steps, GetSecond());
}

void
TransformerOperators::AddFeedForwardBackward(Steps& steps) const
{
    const auto& shape = m_model.GetShape();
    AddInputGradient(steps, GetSecond());
    AddWeightGradient(steps, GetSecond());
    AddVector(steps,
              "activation",
              m_tokens * shape.feedForward / m_tensorParallel,
              ACTIVATION_GRADIENT_FLOPS,
              shape.gated ? 5 : 3);
    AddInputGradient(steps, GetFirst());
}

void
TransformerOperators::AddAttentionBackward(Steps& steps) const
{
    const auto& shape = m_model.GetShape();
    const Product scores = GetScores();
    const uint64_t rotated =
        m_tokens * (shape.heads + shape.keyValueHeads) * shape.headSize / m_tensorParallel;
    AddInputGradient(steps, GetOutput());
    AddWeightGradient(steps, GetOutput());
    AddInputGradient(steps, GetValues());
    AddWeightGradient(steps, GetValues());
    AddVector(steps, "softmax", scores.batch * scores.m * scores.n, SOFTMAX_GRADIENT_FLOPS, 3);
    AddInputGradient(steps, scores);
    AddWeightGradient(steps, scores);
    if (shape.positions == TransformerShape::ROTARY)
    {
        AddVector(steps, "rotary", rotated, ROTARY_FLOPS, 2);
    }
    if (shape.queryKeyNorm)
    {
        AddVector(steps, "query-key norm", rotated, NORM_GRADIENT_FLOPS, 3);
    }
    AddInputGradient(steps, GetQkv());
}

void
TransformerOperators::AddColumnGradients(Steps& steps, const std::vector<Product>& columns) const
{
    if (m_overlapBackward)
    {
        AddMark(steps, TransformerStep::COLLECTIVE, GetActivationBytes());
    }
    for (const auto& product : columns)
    {
        AddWeightGradient(steps, product);
    }
    if (!m_overlapBackward)
    {
        AddMark(steps, TransformerStep::COLLECTIVE, GetActivationBytes());
    }
    AddMark(steps, TransformerStep::WAIT, 0);
}

void
TransformerOperators::AddForward(Steps& steps, const Product& product) const
{
    TransformerStep step;
    step.op.name = product.name;
    step.op.kind = ModelOperator::MATRIX;
    step.op.batch = product.batch;
    step.op.m = product.m;
    step.op.n = product.n;
    step.op.k = product.k;
    step.op.precision = m_activationBytes;
    step.op.flops = 2 * product.batch * product.m * product.n * product.k;
    step.op.bytes = m_activationBytes * product.batch *
                    (product.m * product.k + product.k * product.n + product.m * product.n);
    steps.push_back(step);
}

void
TransformerOperators::AddInputGradient(Steps& steps, const Product& product) const
{
    AddForward(steps, {product.name, product.batch, product.m, product.k, product.n});
}

void
TransformerOperators::AddWeightGradient(Steps& steps, const Product& product) const
{
    AddForward(steps, {product.name, product.batch, product.k, product.n, product.m});
}

void
TransformerOperators::AddVector(Steps& steps,
                                const char* name,
                                uint64_t elements,
                                uint64_t flopsPerElement,
                                uint64_t tensors) const
{
    TransformerStep step;
    step.op.name = name;
    step.op.elements = elements;
    step.op.flops = elements * flopsPerElement;
    step.op.bytes = elements * tensors * m_activationBytes;
    steps.push_back(step);
}

void
TransformerOperators::AddBlockingCollective(Steps& steps, uint64_t bytes)
{
    AddMark(steps, TransformerStep::COLLECTIVE, bytes);
    AddMark(steps, TransformerStep::WAIT, 0);
}

void
TransformerOperators::AddMark(Steps& steps, TransformerStep::Kind kind, uint64_t amount)
{
    TransformerStep step;
    step.kind = kind;
    (kind == TransformerStep::GRADIENT ? step.parameters : step.bytes) = amount;
    steps.push_back(step);
}

} // namespace ns3::llm
