// SPDX-License-Identifier: GPL-2.0-only

#include "feed-forward-operators.h"

namespace ns3::llm
{

namespace
{

// Operations for each element, counted from the formulas; memory is the limit of all of these.
constexpr uint64_t ACTIVATION_FLOPS = 10;          //!< GELU by tanh, or SiLU times the other branch
constexpr uint64_t ACTIVATION_GRADIENT_FLOPS = 16; //!< its derivative times the gradient

} // namespace

FeedForwardOperators::FeedForwardOperators(const RankShare& share,
                                           uint64_t width,
                                           uint64_t batch,
                                           uint64_t tokens)
    : m_share(share),
      m_width(width / share.tensor),
      m_batch(batch),
      m_tokens(tokens)
{
}

MatrixProduct
FeedForwardOperators::GetFirst() const
{
    const uint64_t matrices = m_share.shape.gated ? 2 : 1;
    return {"fc1", m_batch, m_tokens, matrices * m_width, m_share.shape.hidden};
}

MatrixProduct
FeedForwardOperators::GetSecond() const
{
    return {"fc2", m_batch, m_tokens, m_share.shape.hidden, m_width};
}

void
FeedForwardOperators::AddForward(OperatorList& list) const
{
    const uint64_t elements = m_batch * m_tokens * m_width;
    const uint64_t tensors = m_share.shape.gated ? 3 : 2;
    list.AddForward(GetFirst());
    list.AddVector("activation",
                   elements,
                   ACTIVATION_FLOPS,
                   tensors * m_share.options.activationBytes * elements);
    list.AddForward(GetSecond());
}

void
FeedForwardOperators::AddBackward(OperatorList& list) const
{
    const uint64_t element = m_share.options.activationBytes;
    const uint64_t elements = m_batch * m_tokens * m_width;
    const uint64_t matrices = m_share.shape.gated ? 2 : 1;
    list.AddInputGradient(GetSecond());
    list.AddWeightGradient(GetSecond());
    list.AddVector("activation",
                   elements,
                   ACTIVATION_GRADIENT_FLOPS,
                   (2 * matrices + 1) * element * elements);
    if (m_share.options.unfusedBiases && m_share.shape.feedForwardBias)
    {
        list.AddVector("bias", matrices * elements, 1, element * matrices * elements);
    }
}

} // namespace ns3::llm
