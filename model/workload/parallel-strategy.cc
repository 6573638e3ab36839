// SPDX-License-Identifier: GPL-2.0-only

#include "parallel-strategy.h"

#include "rank-order.h"

#include <algorithm>
#include <array>

namespace ns3::llm
{

namespace
{

/** How ranks count along an axis. */
struct RankStride
{
    RankAxis axis;   //!< which
    uint32_t size;   //!< coordinates
    uint32_t stride; //!< ranks from one coordinate to the next
};

/// Of all axes, fastest first.
using RankStrides = std::array<RankStride, RANK_AXES>;

/**
 * @param strategy a strategy
 * @param axis an axis
 * @return coordinates along it
 */
uint32_t
GetAxisSize(const ParallelStrategy& strategy, RankAxis axis)
{
    switch (axis)
    {
    case RankAxis::TENSOR:
        return strategy.tensorParallel;
    case RankAxis::CONTEXT:
        return strategy.contextParallel;
    case RankAxis::EXPERT:
        return strategy.expertParallel;
    case RankAxis::REPLICA:
        return strategy.dataParallel / strategy.expertParallel;
    case RankAxis::PIPELINE:
        break;
    }
    return strategy.pipelineParallel;
}

/**
 * @param strategy a strategy
 * @return how its ranks count
 */
RankStrides
GetStrides(const ParallelStrategy& strategy)
{
    const RankOrder order = ParseRankOrder(strategy.rankOrder);
    RankStrides strides{};
    uint32_t stride = 1;
    for (std::size_t i = 0; i < RANK_AXES; ++i)
    {
        strides[i] = {order[i], GetAxisSize(strategy, order[i]), stride};
        stride *= strides[i].size;
    }
    return strides;
}

/**
 * @param dimension a dimension
 * @param axis an axis
 * @return whether ranks of a group differ along it
 */
bool
Spans(ParallelDimension dimension, RankAxis axis)
{
    switch (dimension)
    {
    case ParallelDimension::TENSOR:
        return axis == RankAxis::TENSOR;
    case ParallelDimension::PIPELINE:
    case ParallelDimension::EMBEDDING:
        return axis == RankAxis::PIPELINE;
    case ParallelDimension::DATA:
        return axis == RankAxis::EXPERT || axis == RankAxis::REPLICA || axis == RankAxis::CONTEXT;
    case ParallelDimension::CONTEXT:
        return axis == RankAxis::CONTEXT;
    case ParallelDimension::EXPERT:
        return axis == RankAxis::EXPERT;
    case ParallelDimension::EXPERT_DATA:
        return axis == RankAxis::REPLICA || axis == RankAxis::CONTEXT;
    case ParallelDimension::WORLD:
        break;
    }
    return true;
}

/**
 * @param place a place
 * @param axis an axis
 * @param expertParallel EP
 * @return the coordinate along the axis
 */
uint32_t
GetCoordinate(const RankCoordinates& place, RankAxis axis, uint32_t expertParallel)
{
    switch (axis)
    {
    case RankAxis::TENSOR:
        return place.tensor;
    case RankAxis::CONTEXT:
        return place.context;
    case RankAxis::EXPERT:
        return place.data % expertParallel;
    case RankAxis::REPLICA:
        return place.data / expertParallel;
    case RankAxis::PIPELINE:
        break;
    }
    return place.pipeline;
}

} // namespace

uint64_t
ParallelStrategy::GetRankCount() const
{
    return uint64_t(tensorParallel) * contextParallel * pipelineParallel * dataParallel;
}

uint32_t
ParallelStrategy::GetMicroBatchCount() const
{
    return static_cast<uint32_t>(globalBatchSize / (uint64_t(dataParallel) * microBatchSize));
}

uint64_t
ParallelStrategy::GetMicroBatchTokens() const
{
    return uint64_t(microBatchSize) * sequenceLength;
}

uint32_t
ParallelStrategy::GetSize(ParallelDimension dimension) const
{
    if (dimension == ParallelDimension::EMBEDDING)
    {
        return std::min(pipelineParallel, 2u); // a lone stage is both first and last
    }
    uint32_t size = 1;
    for (const auto& step : GetStrides(*this))
    {
        size *= Spans(dimension, step.axis) ? step.size : 1;
    }
    return size;
}

RankCoordinates
ParallelStrategy::GetCoordinates(uint32_t rank) const
{
    RankCoordinates place;
    for (const auto& step : GetStrides(*this))
    {
        const uint32_t coordinate = rank / step.stride % step.size;
        switch (step.axis)
        {
        case RankAxis::TENSOR:
            place.tensor = coordinate;
            break;
        case RankAxis::CONTEXT:
            place.context = coordinate;
            break;
        case RankAxis::EXPERT:
            place.data += coordinate;
            break;
        case RankAxis::REPLICA:
            place.data += coordinate * expertParallel;
            break;
        case RankAxis::PIPELINE:
            place.pipeline = coordinate;
            break;
        }
    }
    return place;
}

uint32_t
ParallelStrategy::GetRank(const RankCoordinates& coordinates) const
{
    uint32_t rank = 0;
    for (const auto& step : GetStrides(*this))
    {
        rank += step.stride * GetCoordinate(coordinates, step.axis, expertParallel);
    }
    return rank;
}

uint32_t
ParallelStrategy::GetGroupCount(ParallelDimension dimension) const
{
    const uint32_t spanned =
        dimension == ParallelDimension::EMBEDDING ? pipelineParallel : GetSize(dimension);
    return static_cast<uint32_t>(GetRankCount() / spanned);
}

uint32_t
ParallelStrategy::GetGroupIndex(ParallelDimension dimension, uint32_t rank) const
{
    uint32_t index = 0;
    uint32_t stride = 1;
    for (const auto& step : GetStrides(*this))
    {
        if (!Spans(dimension, step.axis))
        {
            index += stride * (rank / step.stride % step.size);
            stride *= step.size;
        }
    }
    return index;
}

std::vector<uint32_t>
ParallelStrategy::GetGroup(ParallelDimension dimension, uint32_t rank) const
{
    const bool endsOnly = dimension == ParallelDimension::EMBEDDING;
    std::vector<uint32_t> group = {rank};
    for (const auto& step : GetStrides(*this))
    {
        if (!Spans(dimension, step.axis))
        {
            continue;
        }
        // to coordinate 0 along this axis, then to the others; the slowest axis comes last
        for (auto& member : group)
        {
            member -= member / step.stride % step.size * step.stride;
        }
        const std::size_t count = group.size();
        const uint32_t skip = endsOnly ? std::max(step.size - 1, 1u) : 1;
        for (uint32_t coordinate = skip; coordinate < step.size; coordinate += skip)
        {
            for (std::size_t i = 0; i < count; ++i)
            {
                group.push_back(group[i] + coordinate * step.stride);
            }
        }
    }
    return group;
}

std::vector<std::vector<uint32_t>>
ParallelStrategy::GetGroups(ParallelDimension dimension) const
{
    std::vector<std::vector<uint32_t>> groups(GetGroupCount(dimension));
    for (uint32_t rank = 0; rank < GetRankCount(); ++rank)
    {
        auto& group = groups[GetGroupIndex(dimension, rank)];
        if (group.empty())
        {
            group = GetGroup(dimension, rank);
        }
    }
    return groups;
}

std::string
ParallelStrategy::Describe() const
{
    std::string text = "TP " + std::to_string(tensorParallel);
    text += contextParallel > 1 ? " x CP " + std::to_string(contextParallel) : "";
    text += " x PP " + std::to_string(pipelineParallel) + " x DP " + std::to_string(dataParallel);
    text += expertParallel > 1 ? ", EP " + std::to_string(expertParallel) : "";
    text += modelChunks > 1 ? ", " + std::to_string(modelChunks) + " model chunks" : "";
    text += sequenceParallel ? ", SP" : "";
    text += zeroStage > 0 ? ", ZeRO " + std::to_string(zeroStage) : "";
    text += recomputation == Recomputation::SELECTIVE ? ", selective recomputation" : "";
    text += recomputation == Recomputation::FULL ? ", full recomputation" : "";
    return text;
}

} // namespace ns3::llm
