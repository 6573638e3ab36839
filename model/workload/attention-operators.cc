// SPDX-License-Identifier: GPL-2.0-only

#include "attention-operators.h"

#include "tensor-parallel-steps.h"

namespace ns3::llm
{

namespace
{

constexpr uint64_t ROTARY_FLOPS = 3; //!< for each element: two products and a sum

} // namespace

AttentionOperators::AttentionOperators(const RankShare& share)
    : m_share(share),
      m_core(share)
{
}

bool
AttentionOperators::IsLatent() const
{
    return m_share.shape.latent.keyValueRank > 0;
}

MatrixProduct
AttentionOperators::GetQkv() const
{
    const auto& shape = m_share.shape;
    const uint64_t width = (m_core.GetHeads() + 2 * m_core.GetKeyValueHeads()) * shape.headSize;
    return {"qkv", 1, m_share.tokens, width, shape.hidden};
}

MatrixProduct
AttentionOperators::GetOutput() const
{
    const uint64_t width = m_core.GetHeads() * m_core.GetValueSize();
    return {"output", 1, m_share.tokens, m_share.shape.hidden, width};
}

MatrixProduct
AttentionOperators::GetQueryDown() const
{
    const auto& shape = m_share.shape;
    return {"query down", 1, m_share.residualTokens, shape.latent.queryRank, shape.hidden};
}

MatrixProduct
AttentionOperators::GetKeyValueDown() const
{
    const auto& shape = m_share.shape;
    const uint64_t width = shape.latent.keyValueRank + shape.latent.ropeHeadSize;
    return {"key-value down", 1, m_share.residualTokens, width, shape.hidden};
}

MatrixProduct
AttentionOperators::GetQueryUp() const
{
    const auto& shape = m_share.shape;
    const uint64_t from = shape.latent.queryRank > 0 ? shape.latent.queryRank : shape.hidden;
    return {"query up", 1, m_share.tokens, m_core.GetHeads() * shape.headSize, from};
}

MatrixProduct
AttentionOperators::GetKeyValueUp() const
{
    const auto& latent = m_share.shape.latent;
    const uint64_t width = m_core.GetHeads() * (latent.noRopeHeadSize + latent.valueHeadSize);
    return {"key-value up", 1, m_share.tokens, width, latent.keyValueRank};
}

uint64_t
AttentionOperators::GetLatentWidth() const
{
    return GetQueryUp().k + GetKeyValueDown().n;
}

void
AttentionOperators::AddForward(OperatorList& list) const
{
    if (IsLatent())
    {
        AddLatentForward(list);
    }
    else
    {
        const MatrixProduct qkv = GetQkv();
        AddTokenGather(list, m_share.shape.hidden);
        list.AddForward(qkv);
        if (m_share.options.unfusedBiases && m_share.shape.qkvBias)
        {
            const uint64_t elements = qkv.m * qkv.n;
            list.AddVector("bias", elements, 1, 2 * m_share.options.activationBytes * elements);
        }
    }
    AddPositions(list, TrainingPass::FORWARD);
    m_core.AddForward(list);
    list.AddForward(GetOutput());
}

void
AttentionOperators::AddBackward(OperatorList& list, const std::vector<MatrixProduct>& beside) const
{
    const uint64_t element = m_share.options.activationBytes;
    list.AddInputGradient(GetOutput());
    list.AddWeightGradient(GetOutput());
    if (m_share.options.unfusedBiases && !m_share.options.fusedAttention)
    {
        const uint64_t outputs = GetOutput().m * GetOutput().k;
        list.AddVector("transpose", outputs, 0, 2 * element * outputs);
    }
    m_core.AddBackward(list);
    AddPositions(list, TrainingPass::BACKWARD);
    if (IsLatent())
    {
        if (!beside.empty())
        {
            AddColumnBackward(list, beside, m_share.shape.hidden);
        }
        AddLatentBackward(list);
        return;
    }
    const MatrixProduct qkv = GetQkv();
    if (m_share.options.unfusedBiases)
    {
        const uint64_t elements = qkv.m * qkv.n;
        list.AddVector("concatenation", elements, 0, 2 * element * elements);
        if (m_share.shape.qkvBias)
        {
            list.AddVector("bias", elements, 1, element * elements);
        }
    }
    std::vector<MatrixProduct> columns = beside;
    columns.push_back(qkv);
    AddColumnBackward(list, columns, m_share.shape.hidden);
}

void
AttentionOperators::AddLatentForward(OperatorList& list) const
{
    const auto& latent = m_share.shape.latent;
    if (latent.queryRank > 0)
    {
        list.AddForward(GetQueryDown());
    }
    list.AddForward(GetKeyValueDown());
    const uint64_t normalized = latent.queryRank + latent.keyValueRank;
    list.AddNorm("latent norm", m_share.residualTokens * normalized, TrainingPass::FORWARD);
    AddTokenGather(list, GetLatentWidth());
    list.AddForward(GetQueryUp());
    list.AddForward(GetKeyValueUp());
}

void
AttentionOperators::AddLatentBackward(OperatorList& list) const
{
    const auto& latent = m_share.shape.latent;
    AddColumnBackward(list, {GetQueryUp(), GetKeyValueUp()}, GetLatentWidth());
    const uint64_t normalized = latent.queryRank + latent.keyValueRank;
    list.AddNorm("latent norm", m_share.residualTokens * normalized, TrainingPass::BACKWARD);
    list.AddInputGradient(GetKeyValueDown());
    list.AddWeightGradient(GetKeyValueDown());
    if (latent.queryRank > 0)
    {
        list.AddInputGradient(GetQueryDown());
        list.AddWeightGradient(GetQueryDown());
    }
}

void
AttentionOperators::AddPositions(OperatorList& list, TrainingPass pass) const
{
    const auto& shape = m_share.shape;
    const uint64_t element = m_share.options.activationBytes;
    const uint64_t both = m_core.GetHeads() + m_core.GetKeyValueHeads();
    const uint64_t all = m_share.tokens * both * shape.headSize;
    // of latent attention only a part is rotated, that of the keys once for all heads
    const uint64_t rotated =
        IsLatent() ? m_share.tokens * (m_core.GetHeads() + 1) * shape.latent.ropeHeadSize : all;
    const bool rotates = shape.positions == TransformerShape::ROTARY;
    const bool hasNorm = shape.queryKeyNorm != TransformerShape::NO_NORM;
    if (pass == TrainingPass::FORWARD)
    {
        if (hasNorm)
        {
            list.AddNorm("query-key norm", all, pass);
        }
        if (rotates)
        {
            list.AddVector("rotary", rotated, ROTARY_FLOPS, 2 * element * rotated);
        }
        return;
    }
    if (rotates)
    {
        list.AddVector("rotary", rotated, ROTARY_FLOPS, 2 * element * rotated);
    }
    if (hasNorm)
    {
        list.AddNorm("query-key norm", all, pass);
    }
}

} // namespace ns3::llm
