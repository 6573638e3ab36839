// SPDX-License-Identifier: GPL-2.0-only

#include "end-operators.h"

#include "tensor-parallel-steps.h"

namespace ns3::llm
{

namespace
{

constexpr uint64_t ENTROPY_FLOPS = 1; //!< for each logit and kernel
constexpr uint64_t LOSS_BYTES = 4;    //!< the loss is computed in 32 bit

} // namespace

EndOperators::EndOperators(const RankShare& share)
    : m_share(share)
{
}

uint64_t
EndOperators::GetResidualElements() const
{
    return m_share.residualTokens * m_share.shape.hidden;
}

MatrixProduct
EndOperators::GetLogits() const
{
    const auto& shape = m_share.shape;
    return {"logits", 1, m_share.tokens, shape.vocabulary / m_share.tensor, shape.hidden};
}

void
EndOperators::AddEmbeddingForward(OperatorList& list) const
{
    const auto& shape = m_share.shape;
    const uint64_t element = m_share.options.activationBytes;
    const uint64_t elements = m_share.tokens * shape.hidden;
    // the second kernel clears the rows of words that other ranks have
    list.AddVector("embedding", elements, 1, 2 * element * elements, 2);
    AddGroupSum(list, shape.hidden);
    if (shape.positionRows > 0)
    {
        list.AddVector("positions", elements, 1, 3 * element * elements);
    }
    if (shape.embeddingNorm)
    {
        list.AddNorm("norm", GetResidualElements(), TrainingPass::FORWARD);
    }
    if (m_share.options.dropout)
    {
        list.AddDropout(GetResidualElements(), TrainingPass::FORWARD);
    }
}

void
EndOperators::AddEmbeddingBackward(OperatorList& list) const
{
    const auto& shape = m_share.shape;
    const uint64_t element = m_share.options.activationBytes;
    const uint64_t elements = m_share.tokens * shape.hidden;
    if (m_share.options.dropout)
    {
        list.AddDropout(GetResidualElements(), TrainingPass::BACKWARD);
    }
    if (shape.embeddingNorm)
    {
        list.AddNorm("norm", GetResidualElements(), TrainingPass::BACKWARD);
    }
    AddTokenGather(list, shape.hidden);
    if (shape.positionRows > 0)
    {
        list.AddVector("positions", elements, 1, element * elements).share =
            TransformerStep::WEIGHT_GRADIENT;
    }
    // a gradient of the whole table is cleared, and rows are added to it
    const uint64_t table = shape.vocabulary / m_share.tensor * shape.hidden;
    const uint64_t bytes = 2 * element * (elements + table);
    list.AddVector("embedding", elements, 1, bytes, 2).share = TransformerStep::WEIGHT_GRADIENT;
}

void
EndOperators::AddLogitsForward(OperatorList& list) const
{
    const uint64_t element = m_share.options.activationBytes;
    list.AddNorm("norm", GetResidualElements(), TrainingPass::FORWARD);
    AddTokenGather(list, m_share.shape.hidden);
    list.AddForward(GetLogits());
    AddEntropy(list, element + 2 * LOSS_BYTES, 2); // to 32 bit, largest logit
    AddStatistic(list);
    AddEntropy(list, 2 * LOSS_BYTES, 3); // difference to it, the target's logit
    AddStatistic(list);
    AddEntropy(list, 3 * LOSS_BYTES, 2); // exponential, sum
    AddStatistic(list);
    AddEntropy(list, 2 * LOSS_BYTES, 1); // quotient, kept for the gradient
}

void
EndOperators::AddLogitsBackward(OperatorList& list) const
{
    const uint64_t element = m_share.options.activationBytes;
    // minus one at the target, scaled; from 32 bit
    AddEntropy(list, 3 * LOSS_BYTES + element, 4);
    AddColumnBackward(list, {GetLogits()}, m_share.shape.hidden);
    list.AddNorm("norm", GetResidualElements(), TrainingPass::BACKWARD);
}

void
EndOperators::AddEntropy(OperatorList& list, uint64_t bytes, uint32_t kernels) const
{
    const uint64_t logits = GetLogits().m * GetLogits().n;
    list.AddVector("cross entropy", logits, ENTROPY_FLOPS * kernels, bytes * logits, kernels);
}

void
EndOperators::AddStatistic(OperatorList& list) const
{
    list.Exchange(TrainingTask::ALL_REDUCE, ParallelDimension::TENSOR, LOSS_BYTES * m_share.tokens);
}

} // namespace ns3::llm
