// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-parallel-steps.h"

namespace ns3::llm
{

namespace
{

constexpr auto TENSOR = ParallelDimension::TENSOR;                 //!< shorter
constexpr auto WEIGHT_GRADIENT = TransformerStep::WEIGHT_GRADIENT; //!< shorter

/**
 * @param list a list
 * @param width values of a token
 * @return bytes of all tokens
 */
uint64_t
GetBytes(const OperatorList& list, uint64_t width)
{
    const RankShare& share = list.GetShare();
    return share.tokens * width * share.options.activationBytes;
}

/**
 * @param list a list
 * @return what sums over its tensor group
 */
TrainingTask::Kind
GetSumTask(const OperatorList& list)
{
    return list.GetShare().sequenceParallel ? TrainingTask::REDUCE_SCATTER
                                            : TrainingTask::ALL_REDUCE;
}

} // namespace

void
AddTokenGather(OperatorList& list, uint64_t width)
{
    if (list.GetShare().sequenceParallel)
    {
        list.Exchange(TrainingTask::ALL_GATHER, TENSOR, GetBytes(list, width));
    }
}

void
AddGroupSum(OperatorList& list, uint64_t width)
{
    list.Exchange(GetSumTask(list), TENSOR, GetBytes(list, width));
}

void
AddColumnBackward(OperatorList& list, const std::vector<MatrixProduct>& products, uint64_t width)
{
    const bool overlaps = list.GetShare().options.overlapBackward;
    if (list.GetShare().sequenceParallel)
    {
        // only the gradients of weights need it
        list.Start(TrainingTask::ALL_GATHER, TENSOR, GetBytes(list, width), WEIGHT_GRADIENT);
        if (!overlaps)
        {
            list.Wait(WEIGHT_GRADIENT);
        }
    }
    for (const auto& product : products)
    {
        list.AddInputGradient(product);
    }
    list.Wait(WEIGHT_GRADIENT);
    if (overlaps)
    {
        list.Start(GetSumTask(list), TENSOR, GetBytes(list, width));
    }
    for (const auto& product : products)
    {
        list.AddWeightGradient(product);
    }
    if (!overlaps)
    {
        list.Start(GetSumTask(list), TENSOR, GetBytes(list, width));
    }
    list.Wait();
}

} // namespace ns3::llm
