// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-operators.h"

#include "tensor-parallel-steps.h"

namespace ns3::llm
{

namespace
{

constexpr uint64_t OPTIMIZER_FLOPS = 14; //!< for each parameter: Adam with weight decay

} // namespace

TransformerOperators::TransformerOperators(const TransformerModel& model,
                                           const ParallelStrategy& strategy,
                                           const OperatorOptions& options)
    : m_model(model),
      m_share(model, strategy, options),
      m_attention(m_share),
      m_experts(m_share),
      m_ends(m_share)
{
}

uint64_t
TransformerOperators::GetActivationBytes() const
{
    return m_share.GetActivationBytes();
}

FeedForwardOperators
TransformerOperators::GetFeedForward() const
{
    return FeedForwardOperators(m_share, m_share.shape.feedForward, 1, m_share.tokens);
}

TransformerOperators::Steps
TransformerOperators::GetEmbedding(TrainingPass pass) const
{
    OperatorList list(m_share);
    if (pass == TrainingPass::FORWARD)
    {
        m_ends.AddEmbeddingForward(list);
        return list.GetSteps();
    }
    m_ends.AddEmbeddingBackward(list);
    const auto parameters = m_model.GetWordEmbeddingParameters() + m_model.GetPositionParameters();
    list.AddGradient(parameters.GetDensePerRank(m_share.tensor), false);
    return Select(list, pass);
}

TransformerOperators::Steps
TransformerOperators::GetBlock(TrainingPass pass, uint64_t layer) const
{
    OperatorList list(m_share);
    if (pass == TrainingPass::FORWARD)
    {
        AddForward(list, layer);
        return list.GetSteps();
    }
    if (m_share.recomputation == Recomputation::FULL)
    {
        OperatorList forward(m_share);
        AddForward(forward, layer);
        list.AddRecomputation(forward);
    }
    AddBackward(list, layer);
    return Select(list, pass);
}

TransformerOperators::Steps
TransformerOperators::GetLogits(TrainingPass pass, bool ownMatrix) const
{
    OperatorList list(m_share);
    if (pass == TrainingPass::FORWARD)
    {
        m_ends.AddLogitsForward(list);
        return list.GetSteps();
    }
    m_ends.AddLogitsBackward(list);
    auto parameters = m_model.GetFinalNormParameters();
    if (ownMatrix)
    {
        parameters = parameters + m_model.GetWordEmbeddingParameters();
    }
    list.AddGradient(parameters.GetDensePerRank(m_share.tensor), false);
    return Select(list, pass);
}

ModelOperator
TransformerOperators::GetOptimizer(uint64_t parameters, uint64_t bytesPerParameter)
{
    ModelOperator op;
    op.name = "optimizer";
    op.elements = parameters;
    op.flops = parameters * OPTIMIZER_FLOPS;
    op.bytes = parameters * bytesPerParameter;
    return op;
}

void
TransformerOperators::AddForward(OperatorList& list, uint64_t layer) const
{
    const auto& shape = m_share.shape;
    AddNorm(list, TrainingPass::FORWARD);
    m_attention.AddForward(list);
    if (shape.parallelBlock)
    {
        if (shape.blockNorms > 1)
        {
            AddNorm(list, TrainingPass::FORWARD);
            AddTokenGather(list, shape.hidden);
        }
        GetFeedForward().AddForward(list);
        AddSum(list, m_share.tokens); // of the two parts
        AddGroupSum(list, shape.hidden);
        AddResidual(list);
        return;
    }
    AddGroupSum(list, shape.hidden);
    AddResidual(list);
    AddNorm(list, TrainingPass::FORWARD);
    if (shape.IsExpertLayer(layer))
    {
        m_experts.AddForward(list);
    }
    else
    {
        AddTokenGather(list, shape.hidden);
        GetFeedForward().AddForward(list);
        AddGroupSum(list, shape.hidden);
    }
    AddResidual(list);
}

void
TransformerOperators::AddBackward(OperatorList& list, uint64_t layer) const
{
    const auto& shape = m_share.shape;
    const auto attention = m_model.GetAttentionParameters().GetDensePerRank(m_share.tensor);
    const auto feedForward = m_model.GetFeedForwardParameters(layer);
    if (shape.parallelBlock)
    {
        AddResidualBackward(list, shape.outputBias || shape.feedForwardBias);
        AddTokenGather(list, shape.hidden);
        GetFeedForward().AddBackward(list);
        m_attention.AddBackward(list, {GetFeedForward().GetFirst()});
        if (shape.blockNorms > 1)
        {
            AddNorm(list, TrainingPass::BACKWARD);
        }
        AddSum(list, m_share.residualTokens);
        AddNorm(list, TrainingPass::BACKWARD);
        AddSum(list, m_share.residualTokens);
        list.AddGradient(attention + feedForward.GetDensePerRank(m_share.tensor), false);
        return;
    }
    AddFeedForwardBackward(list, layer);
    list.AddGradient(feedForward.GetExpertsPerRank(m_share.tensor, m_share.expert), true);
    list.AddGradient(feedForward.GetDensePerRank(m_share.tensor), false);
    AddResidualBackward(list, shape.outputBias);
    AddTokenGather(list, shape.hidden);
    m_attention.AddBackward(list, {});
    AddNorm(list, TrainingPass::BACKWARD);
    AddSum(list, m_share.residualTokens);
    list.AddGradient(attention, false);
}

void
TransformerOperators::AddFeedForwardBackward(OperatorList& list, uint64_t layer) const
{
    const auto& shape = m_share.shape;
    AddResidualBackward(list, shape.feedForwardBias);
    if (shape.IsExpertLayer(layer))
    {
        m_experts.AddBackward(list);
    }
    else
    {
        AddTokenGather(list, shape.hidden);
        GetFeedForward().AddBackward(list);
        AddColumnBackward(list, {GetFeedForward().GetFirst()}, shape.hidden);
    }
    AddNorm(list, TrainingPass::BACKWARD);
    AddSum(list, m_share.residualTokens);
}

void
TransformerOperators::AddNorm(OperatorList& list, TrainingPass pass) const
{
    list.AddNorm("norm", m_share.residualTokens * m_share.shape.hidden, pass);
}

void
TransformerOperators::AddResidual(OperatorList& list) const
{
    const uint64_t elements = m_share.residualTokens * m_share.shape.hidden;
    const bool dropout = m_share.options.dropout;
    // two read, one written, and the mask of the dropout
    auto& step = list.AddVector("residual",
                                elements,
                                dropout ? 2 : 1,
                                (3 * m_share.options.activationBytes + dropout) * elements);
    step.op.randomNumbers = dropout ? elements : 0;
}

void
TransformerOperators::AddResidualBackward(OperatorList& list, bool bias) const
{
    const uint64_t elements = m_share.residualTokens * m_share.shape.hidden;
    if (m_share.options.dropout)
    {
        list.AddDropout(elements, TrainingPass::BACKWARD);
    }
    if (m_share.options.unfusedBiases && bias)
    {
        list.AddVector("bias", elements, 1, m_share.options.activationBytes * elements);
    }
}

void
TransformerOperators::AddSum(OperatorList& list, uint64_t tokens) const
{
    const uint64_t elements = tokens * m_share.shape.hidden;
    list.AddVector("residual", elements, 1, 3 * m_share.options.activationBytes * elements);
}

TransformerOperators::Steps
TransformerOperators::Select(const OperatorList& list, TrainingPass pass)
{
    Steps steps;
    for (const auto& step : list.GetSteps())
    {
        const bool ofWeights = step.share == TransformerStep::WEIGHT_GRADIENT;
        if (pass == TrainingPass::BACKWARD || ofWeights == (pass == TrainingPass::BACKWARD_WEIGHT))
        {
            steps.push_back(step);
        }
    }
    return steps;
}

} // namespace ns3::llm
