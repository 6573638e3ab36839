// SPDX-License-Identifier: GPL-2.0-only

#include "attention-core.h"

namespace ns3::llm
{

namespace
{

// Operations for each element, counted from the formulas; memory is the limit of all of these.
constexpr uint64_t SOFTMAX_FLOPS = 6;          //!< scale, mask, maximum, exponential, sum, divide
constexpr uint64_t SOFTMAX_GRADIENT_FLOPS = 5; //!< product, sum, difference, product, scale
constexpr uint64_t MERGE_FLOPS = 3;            //!< two products and a sum

constexpr auto CONTEXT = ParallelDimension::CONTEXT; //!< shorter

} // namespace

AttentionCore::AttentionCore(const RankShare& share)
    : m_share(share)
{
}

uint64_t
AttentionCore::GetValueSize() const
{
    const auto& shape = m_share.shape;
    return shape.latent.keyValueRank > 0 ? shape.latent.valueHeadSize : shape.headSize;
}

uint64_t
AttentionCore::GetHeads() const
{
    return m_share.shape.heads / m_share.tensor;
}

uint64_t
AttentionCore::GetKeyValueHeads() const
{
    // from latents each head gets keys and values of its own
    const auto& shape = m_share.shape;
    return shape.latent.keyValueRank > 0 ? GetHeads() : shape.keyValueHeads / m_share.tensor;
}

uint64_t
AttentionCore::GetKeyValueBytes() const
{
    return m_share.tokens * GetKeyValueHeads() * (m_share.shape.headSize + GetValueSize()) *
           m_share.options.activationBytes;
}

bool
AttentionCore::IsRing() const
{
    return m_share.context > 1 && m_share.options.contextExchange == OperatorOptions::RING;
}

uint64_t
AttentionCore::GetRounds() const
{
    return IsRing() ? m_share.context : 1;
}

MatrixProduct
AttentionCore::GetScores() const
{
    const uint64_t keys = m_share.sequenceTokens * m_share.context / GetRounds();
    const uint64_t batch = m_share.sequences * GetHeads();
    return {"scores", batch, m_share.sequenceTokens, keys, m_share.shape.headSize};
}

MatrixProduct
AttentionCore::GetValues() const
{
    const MatrixProduct scores = GetScores();
    return {"values", scores.batch, scores.m, GetValueSize(), scores.n};
}

void
AttentionCore::AddForward(OperatorList& list) const
{
    const uint64_t element = m_share.options.activationBytes;
    const uint64_t outputs = m_share.tokens * GetHeads() * GetValueSize();
    if (!IsRing())
    {
        list.Exchange(TrainingTask::ALL_GATHER, CONTEXT, GetKeyValueBytes() * m_share.context);
    }
    for (uint64_t round = 0; round < GetRounds(); ++round)
    {
        if (round + 1 < GetRounds())
        {
            AddHop(list, 1);
        }
        AddRoundForward(list);
        if (round > 0)
        {
            list.AddVector("merge", outputs, MERGE_FLOPS, 3 * element * outputs);
        }
        list.Wait();
    }
    if (m_share.options.unfusedBiases && !m_share.options.fusedAttention)
    {
        list.AddVector("transpose", outputs, 0, 2 * element * outputs);
    }
}

void
AttentionCore::AddBackward(OperatorList& list) const
{
    // the fused kernel computes scores again by itself
    const bool recomputes =
        m_share.recomputation == Recomputation::SELECTIVE && !m_share.options.fusedAttention;
    if (recomputes)
    {
        OperatorList forward(m_share);
        AddForward(forward);
        list.AddRecomputation(forward);
    }
    const uint64_t keysAndValues = GetKeyValueBytes() / m_share.options.activationBytes;
    const uint64_t gathered = GetKeyValueBytes() * m_share.context;
    if (!IsRing() && !recomputes)
    {
        list.Exchange(TrainingTask::ALL_GATHER, CONTEXT, gathered);
    }
    for (uint64_t round = 0; round < GetRounds(); ++round)
    {
        if (round + 1 < GetRounds())
        {
            AddHop(list, -1); // keys and values
        }
        if (round > 0)
        {
            AddHop(list, -1); // the sums of their gradients
        }
        AddRoundBackward(list);
        list.Wait();
        if (round > 0)
        {
            list.AddVector("merge", keysAndValues, 1, 3 * GetKeyValueBytes());
        }
    }
    if (!IsRing())
    {
        list.Exchange(TrainingTask::REDUCE_SCATTER, CONTEXT, gathered);
    }
}

void
AttentionCore::AddHop(OperatorList& list, int32_t places) const
{
    constexpr auto MAIN = TransformerStep::MAIN;
    list.Start(TrainingTask::SEND, CONTEXT, GetKeyValueBytes(), MAIN, places);
    list.Start(TrainingTask::RECEIVE, CONTEXT, GetKeyValueBytes(), MAIN, -places);
}

void
AttentionCore::AddRoundForward(OperatorList& list) const
{
    if (m_share.options.fusedAttention)
    {
        AddFusedRound(list, TrainingPass::FORWARD);
        return;
    }
    const MatrixProduct scores = GetScores();
    list.AddForward(scores);
    AddSoftmax(list, TrainingPass::FORWARD);
    if (m_share.options.dropout)
    {
        list.AddDropout(scores.batch * scores.m * scores.n, TrainingPass::FORWARD);
    }
    list.AddForward(GetValues());
}

void
AttentionCore::AddRoundBackward(OperatorList& list) const
{
    if (m_share.options.fusedAttention)
    {
        AddFusedRound(list, TrainingPass::BACKWARD);
        return;
    }
    const MatrixProduct scores = GetScores();
    list.AddInputGradient(GetValues());
    list.AddSecondGradient(GetValues());
    if (m_share.options.dropout)
    {
        list.AddDropout(scores.batch * scores.m * scores.n, TrainingPass::BACKWARD);
    }
    AddSoftmax(list, TrainingPass::BACKWARD);
    list.AddInputGradient(scores);
    list.AddSecondGradient(scores);
}

void
AttentionCore::AddSoftmax(OperatorList& list, TrainingPass pass) const
{
    // reads only the causal half of each tensor, and writes all of the result
    const bool forward = pass == TrainingPass::FORWARD;
    const MatrixProduct scores = GetScores();
    const uint64_t elements = scores.batch * scores.m * scores.n;
    const uint64_t whole = elements * m_share.options.activationBytes;
    const uint64_t read = (forward ? 1 : 2) * whole;
    list.AddVector("softmax",
                   elements,
                   forward ? SOFTMAX_FLOPS : SOFTMAX_GRADIENT_FLOPS,
                   (m_share.options.causal ? read / 2 : read) + whole);
}

void
AttentionCore::AddFusedRound(OperatorList& list, TrainingPass pass) const
{
    const MatrixProduct scores = GetScores();
    const bool forward = pass == TrainingPass::FORWARD;
    const uint64_t keySize = m_share.shape.headSize;
    const uint64_t valueSize = GetValueSize();
    const uint64_t queries = scores.batch * scores.m;
    const uint64_t keys = m_share.sequences * GetKeyValueHeads() * scores.n;
    TransformerStep step;
    step.op.resultBytes = 0;
    // backward: scores once more, and gradients of scores, queries, keys and values
    const uint64_t sums = forward ? keySize + valueSize : 3 * keySize + 2 * valueSize;
    const uint64_t attended = m_share.options.causal ? (scores.n + 1) / 2 : scores.n;
    auto& attention = list.AddProduct(step, {"attention", scores.batch, scores.m, attended, sums});
    // queries and outputs, keys and values; backward also the gradient of each
    attention.op.bytes = (forward ? 1 : 2) * (queries + keys) * (keySize + valueSize) *
                         m_share.options.activationBytes;
}

} // namespace ns3::llm
