// SPDX-License-Identifier: GPL-2.0-only

#include "expert-operators.h"

#include "tensor-parallel-steps.h"

#include <cmath>

namespace ns3::llm
{

namespace
{

constexpr uint64_t CHOICE_FLOPS = 7;   //!< for each score: softmax, and a comparison
constexpr uint64_t CHOICE_BYTES = 12;  //!< 32 bit: read and written by softmax, read by the choice
constexpr uint32_t CHOICE_KERNELS = 2; //!< these two

constexpr auto EXPERT = ParallelDimension::EXPERT; //!< shorter
constexpr auto TENSOR = ParallelDimension::TENSOR; //!< shorter

} // namespace

ExpertOperators::ExpertOperators(const RankShare& share)
    : m_share(share)
{
}

uint64_t
ExpertOperators::GetSentTokens() const
{
    const uint64_t copies = m_share.residualTokens * m_share.shape.experts.perToken;
    return static_cast<uint64_t>(
        std::ceil(static_cast<double>(copies) * m_share.options.capacityFactor));
}

uint64_t
ExpertOperators::GetTakenTokens() const
{
    // what its expert group sends to it, and with SP what that of each rank of its tensor group does
    return GetSentTokens() * (m_share.sequenceParallel ? m_share.tensor : 1);
}

MatrixProduct
ExpertOperators::GetRouter() const
{
    const auto& shape = m_share.shape;
    return {"router", 1, m_share.residualTokens, shape.experts.count, shape.hidden};
}

FeedForwardOperators
ExpertOperators::GetRouted() const
{
    const auto& experts = m_share.shape.experts;
    const uint64_t own = experts.count / m_share.expert;
    const uint64_t each = (GetTakenTokens() + own - 1) / own;
    return FeedForwardOperators(m_share, experts.feedForward, own, each);
}

FeedForwardOperators
ExpertOperators::GetShared() const
{
    const uint64_t width = m_share.shape.experts.sharedFeedForward;
    return FeedForwardOperators(m_share, width, 1, m_share.tokens);
}

void
ExpertOperators::AddForward(OperatorList& list) const
{
    const auto& experts = m_share.shape.experts;
    const uint64_t hidden = m_share.shape.hidden;
    list.AddForward(GetRouter());
    AddChoice(list);
    if (experts.shared > 0)
    {
        AddTokenGather(list, hidden);
        GetShared().AddForward(list);
        if (m_share.sequenceParallel)
        {
            AddGroupSum(list, hidden);
        }
    }
    AddCopies(list, "permutation", 1 + experts.perToken);
    AddDispatch(list);
    GetRouted().AddForward(list);
    AddReturn(list);
    AddCopies(list, "combination", 1 + experts.perToken);
    if (!m_share.sequenceParallel)
    {
        AddGroupSum(list, hidden);
    }
}

void
ExpertOperators::AddBackward(OperatorList& list) const
{
    const auto& experts = m_share.shape.experts;
    const uint64_t hidden = m_share.shape.hidden;
    const FeedForwardOperators routed = GetRouted();
    // the gradient of each copy, and of its weight, which takes the copy
    AddCopies(list, "combination", 1 + 2 * experts.perToken);
    AddDispatch(list);
    routed.AddBackward(list);
    list.AddInputGradient(routed.GetFirst());
    list.AddWeightGradient(routed.GetFirst());
    AddReturn(list);
    AddCopies(list, "permutation", 1 + experts.perToken);
    AddChoice(list);
    list.AddInputGradient(GetRouter());
    list.AddWeightGradient(GetRouter());
    if (experts.shared > 0)
    {
        const FeedForwardOperators shared = GetShared();
        AddTokenGather(list, hidden);
        shared.AddBackward(list);
        AddColumnBackward(list, {shared.GetFirst()}, hidden); // sums the routed experts' share too
    }
    else if (!m_share.sequenceParallel)
    {
        AddGroupSum(list, hidden);
    }
}

void
ExpertOperators::AddDispatch(OperatorList& list) const
{
    const uint64_t token = m_share.shape.hidden * m_share.options.activationBytes;
    list.Exchange(TrainingTask::ALL_TO_ALL, EXPERT, GetSentTokens() * token);
    if (m_share.sequenceParallel)
    {
        list.Exchange(TrainingTask::ALL_GATHER, TENSOR, GetTakenTokens() * token);
    }
    AddSort(list);
}

void
ExpertOperators::AddReturn(OperatorList& list) const
{
    const uint64_t token = m_share.shape.hidden * m_share.options.activationBytes;
    AddSort(list);
    if (m_share.sequenceParallel)
    {
        list.Exchange(TrainingTask::REDUCE_SCATTER, TENSOR, GetTakenTokens() * token);
    }
    list.Exchange(TrainingTask::ALL_TO_ALL, EXPERT, GetSentTokens() * token);
}

void
ExpertOperators::AddSort(OperatorList& list) const
{
    // what comes from one rank is sorted already
    const bool several = m_share.expert > 1 || m_share.sequenceParallel;
    if (several && m_share.shape.experts.count > m_share.expert)
    {
        const uint64_t elements = GetTakenTokens() * m_share.shape.hidden;
        list.AddVector("sort", elements, 0, 2 * m_share.options.activationBytes * elements);
    }
}

void
ExpertOperators::AddChoice(OperatorList& list) const
{
    const uint64_t scores = m_share.residualTokens * m_share.shape.experts.count;
    list.AddVector("choice", scores, CHOICE_FLOPS, CHOICE_BYTES * scores, CHOICE_KERNELS);
}

void
ExpertOperators::AddCopies(OperatorList& list, const char* name, uint64_t tensors) const
{
    const uint64_t elements = m_share.residualTokens * m_share.shape.hidden;
    list.AddVector(name,
                   elements,
                   m_share.shape.experts.perToken,
                   tensors * m_share.options.activationBytes * elements);
}

} // namespace ns3::llm
