// SPDX-License-Identifier: GPL-2.0-only

#include "parallel-strategy.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <array>

namespace ns3::llm
{

namespace
{

/** The dimensions in the order in which ranks are numbered, fastest first. */
using Order = std::array<ParallelDimension, 3>;

/**
 * @param text as ParallelStrategy::rankOrder; anything else is refused
 * @return the dimensions
 */
Order
ParseOrder(const std::string& text)
{
    constexpr auto TP = ParallelDimension::TENSOR;
    constexpr auto PP = ParallelDimension::PIPELINE;
    constexpr auto DP = ParallelDimension::DATA;
    static const std::array<std::pair<const char*, Order>, 6> ORDERS = {{
        {"tp-dp-pp", {TP, DP, PP}},
        {"tp-pp-dp", {TP, PP, DP}},
        {"dp-tp-pp", {DP, TP, PP}},
        {"dp-pp-tp", {DP, PP, TP}},
        {"pp-tp-dp", {PP, TP, DP}},
        {"pp-dp-tp", {PP, DP, TP}},
    }};
    for (const auto& [name, order] : ORDERS)
    {
        if (text == name)
        {
            return order;
        }
    }
    RefuseInput("rank order = '" + text +
                "' must be an order of tp, dp and pp, fastest first, such as "
                "tp-dp-pp (Megatron-LM's) or tp-pp-dp");
}

/**
 * @param coordinates a place
 * @param dimension a dimension
 * @return the coordinate along it
 */
uint32_t&
At(RankCoordinates& coordinates, ParallelDimension dimension)
{
    switch (dimension)
    {
    case ParallelDimension::TENSOR:
        return coordinates.tensor;
    case ParallelDimension::PIPELINE:
        return coordinates.pipeline;
    default:
        return coordinates.data;
    }
}

/**
 * @param whole a number
 * @param part what should divide it
 * @return the divisors of `whole` next to `part`, e.g. "8 or 12"
 */
std::string
SuggestDivisors(uint64_t whole, uint64_t part)
{
    uint64_t below = std::min(part, whole);
    while (whole % below != 0)
    {
        --below;
    }
    uint64_t above = part;
    while (above < whole && whole % above != 0)
    {
        ++above;
    }
    std::string text = std::to_string(below);
    return above <= whole && above != below ? text + " or " + std::to_string(above) : text;
}

/**
 * Refuse a size that is not divided.
 * @param name of the divisor, e.g. "TP"
 * @param part the divisor
 * @param what the size, e.g. "heads"
 * @param whole its value
 */
void
RequireDivides(const char* name, uint64_t part, const std::string& what, uint64_t whole)
{
    if (whole % part != 0)
    {
        RefuseInput(std::string(name) + " = " + std::to_string(part) + " does not divide the " +
                    what + " = " + std::to_string(whole) + "; did you mean " + name + " = " +
                    SuggestDivisors(whole, part) + "?");
    }
}

/**
 * Refuse a product that is not the number of ranks.
 * @param strategy the strategy
 * @param ranks accelerators of the job
 */
void
RequireProduct(const ParallelStrategy& strategy, uint64_t ranks)
{
    const uint64_t product = strategy.GetRankCount();
    if (product == ranks)
    {
        return;
    }
    std::string text = std::to_string(ranks) +
                       " ranks but TP x PP x DP = " + std::to_string(strategy.tensorParallel) +
                       " x " + std::to_string(strategy.pipelineParallel) + " x " +
                       std::to_string(strategy.dataParallel) + " = " + std::to_string(product);
    const uint64_t others = uint64_t(strategy.tensorParallel) * strategy.pipelineParallel;
    const uint64_t outer = uint64_t(strategy.tensorParallel) * strategy.dataParallel;
    if (ranks > 0 && ranks % others == 0)
    {
        text += "; did you mean DP = " + std::to_string(ranks / others) + "?";
    }
    else if (ranks > 0 && ranks % outer == 0)
    {
        text += "; did you mean PP = " + std::to_string(ranks / outer) + "?";
    }
    else
    {
        text += "; did you mean " + std::to_string(product) + " ranks?";
    }
    RefuseInput(text);
}

} // namespace

void
ParallelStrategy::Validate(uint32_t ranks, const TransformerModel& model) const
{
    const std::pair<const char*, uint32_t> counts[] = {{"TP", tensorParallel},
                                                       {"PP", pipelineParallel},
                                                       {"DP", dataParallel},
                                                       {"model chunks", modelChunks},
                                                       {"micro-batch size", microBatchSize},
                                                       {"global batch size", globalBatchSize},
                                                       {"sequence length", sequenceLength}};
    for (const auto& [name, count] : counts)
    {
        if (count == 0)
        {
            RefuseInput(std::string(name) + " = 0, but must be at least 1");
        }
    }
    ParseOrder(rankOrder);
    RequireProduct(*this, ranks);
    const TransformerShape& shape = model.GetShape();
    const std::string of = " of " + shape.name;
    RequireDivides("TP", tensorParallel, "heads" + of, shape.heads);
    RequireDivides("TP", tensorParallel, "key-value heads" + of, shape.keyValueHeads);
    RequireDivides("TP", tensorParallel, "feed-forward size" + of, shape.feedForward);
    if (modelChunks == 1)
    {
        RequireDivides("PP", pipelineParallel, "layers" + of, shape.layers);
    }
    RequireDivides("PP x model chunks",
                   uint64_t(pipelineParallel) * modelChunks,
                   "layers" + of,
                   shape.layers);
    const uint64_t once = uint64_t(dataParallel) * microBatchSize;
    if (globalBatchSize % once != 0)
    {
        const uint64_t rounded = (globalBatchSize + once - 1) / once * once;
        RefuseInput("global batch size = " + std::to_string(globalBatchSize) +
                    " is not a multiple of DP x micro-batch size = " +
                    std::to_string(dataParallel) + " x " + std::to_string(microBatchSize) + " = " +
                    std::to_string(once) + "; did you mean " + std::to_string(rounded) + "?");
    }
    if (shape.positions == TransformerShape::LEARNED && sequenceLength > shape.maxPositions)
    {
        RefuseInput("sequence length = " + std::to_string(sequenceLength) + ", but " + shape.name +
                    " has learned positions for at most " + std::to_string(shape.maxPositions));
    }
}

uint64_t
ParallelStrategy::GetRankCount() const
{
    return uint64_t(tensorParallel) * pipelineParallel * dataParallel;
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
    RankCoordinates sizes{tensorParallel, pipelineParallel, dataParallel};
    return At(sizes, dimension);
}

RankCoordinates
ParallelStrategy::GetCoordinates(uint32_t rank) const
{
    RankCoordinates result;
    for (const auto dimension : ParseOrder(rankOrder))
    {
        At(result, dimension) = rank % GetSize(dimension);
        rank /= GetSize(dimension);
    }
    return result;
}

uint32_t
ParallelStrategy::GetRank(const RankCoordinates& coordinates) const
{
    RankCoordinates place = coordinates;
    uint32_t rank = 0;
    uint32_t stride = 1;
    for (const auto dimension : ParseOrder(rankOrder))
    {
        rank += stride * At(place, dimension);
        stride *= GetSize(dimension);
    }
    return rank;
}

uint32_t
ParallelStrategy::GetGroupCount(ParallelDimension dimension) const
{
    return static_cast<uint32_t>(GetRankCount() / GetSize(dimension));
}

uint32_t
ParallelStrategy::GetGroupIndex(ParallelDimension dimension, uint32_t rank) const
{
    RankCoordinates place = GetCoordinates(rank);
    uint32_t index = 0;
    uint32_t stride = 1;
    for (const auto other : ParseOrder(rankOrder))
    {
        if (other != dimension)
        {
            index += stride * At(place, other);
            stride *= GetSize(other);
        }
    }
    return index;
}

std::vector<uint32_t>
ParallelStrategy::GetGroup(ParallelDimension dimension, uint32_t rank) const
{
    RankCoordinates place = GetCoordinates(rank);
    std::vector<uint32_t> group;
    for (uint32_t i = 0; i < GetSize(dimension); ++i)
    {
        At(place, dimension) = i;
        group.push_back(GetRank(place));
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
    return "TP " + std::to_string(tensorParallel) + " x PP " + std::to_string(pipelineParallel) +
           " x DP " + std::to_string(dataParallel);
}

} // namespace ns3::llm
