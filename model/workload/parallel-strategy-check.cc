// SPDX-License-Identifier: GPL-2.0-only
// What ParallelStrategy refuses.

#include "parallel-strategy.h"
#include "rank-order.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <numeric>

namespace ns3::llm
{

namespace
{

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
    const bool context = strategy.contextParallel > 1;
    const auto number = [](uint32_t count)
    {
        return " x " + std::to_string(count);
    };
    std::string text = std::to_string(ranks) + " ranks but TP" + (context ? " x CP" : "") +
                       " x PP x DP = " + std::to_string(strategy.tensorParallel) +
                       (context ? number(strategy.contextParallel) : "") +
                       number(strategy.pipelineParallel) + number(strategy.dataParallel) + " = " +
                       std::to_string(product);
    const uint64_t others = product / strategy.dataParallel;
    const uint64_t outer = product / strategy.pipelineParallel;
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

/**
 * Refuse counts of 0 and a ZeRO stage that there is not.
 * @param strategy the strategy
 */
void
RequireCounts(const ParallelStrategy& strategy)
{
    const std::pair<const char*, uint32_t> counts[] = {
        {"TP", strategy.tensorParallel},
        {"PP", strategy.pipelineParallel},
        {"DP", strategy.dataParallel},
        {"CP", strategy.contextParallel},
        {"EP", strategy.expertParallel},
        {"model chunks", strategy.modelChunks},
        {"micro-batch size", strategy.microBatchSize},
        {"global batch size", strategy.globalBatchSize},
        {"sequence length", strategy.sequenceLength}};
    for (const auto& [name, count] : counts)
    {
        if (count == 0)
        {
            RefuseInput(std::string(name) + " = 0, but must be at least 1");
        }
    }
    if (strategy.zeroStage > 3)
    {
        RefuseInput("ZeRO stage = " + std::to_string(strategy.zeroStage) +
                    ", but must be 0 (nothing is divided), 1, 2 or 3; did you mean 3?");
    }
}

/**
 * Refuse numbers of ranks that do not fit each other.
 * @param strategy the strategy
 * @param ranks accelerators of the job
 */
void
RequireRanks(const ParallelStrategy& strategy, uint64_t ranks)
{
    ParseRankOrder(strategy.rankOrder);
    if (strategy.contextParallel > 1 && !NamesContext(strategy.rankOrder))
    {
        RefuseInput("rank order = '" + strategy.rankOrder +
                    "' does not say where CP = " + std::to_string(strategy.contextParallel) +
                    " counts; did you mean tp-cp-ep-dp-pp (Megatron-Core's)?");
    }
    RequireProduct(strategy, ranks);
    RequireDivides("EP", strategy.expertParallel, "DP", strategy.dataParallel);
}

/**
 * Refuse experts that TP or EP do not divide.
 * @param strategy the strategy
 * @param shape the model
 */
void
RequireExperts(const ParallelStrategy& strategy, const TransformerShape& shape)
{
    const ExpertShape& experts = shape.experts;
    const std::string of = " of " + shape.name;
    if (experts.count == 0)
    {
        if (strategy.expertParallel > 1)
        {
            RefuseInput("EP = " + std::to_string(strategy.expertParallel) + ", but " + shape.name +
                        " has no experts; did you mean EP = 1?");
        }
        return;
    }
    RequireDivides("EP", strategy.expertParallel, "experts" + of, experts.count);
    RequireDivides("TP", strategy.tensorParallel, "expert feed-forward" + of, experts.feedForward);
    RequireDivides("TP",
                   strategy.tensorParallel,
                   "shared expert feed-forward" + of,
                   experts.sharedFeedForward);
}

/**
 * Refuse layers that cannot be divided as said.
 * @param strategy the strategy
 * @param shape the model
 */
void
RequireBlocks(const ParallelStrategy& strategy, const TransformerShape& shape)
{
    const std::string layers = "layers of " + shape.name;
    const uint64_t places = uint64_t(strategy.pipelineParallel) * strategy.modelChunks;
    const std::string product = strategy.modelChunks == 1 ? "PP" : "PP x model chunks";
    const auto& blocks = strategy.chunkBlocks;
    if (blocks.empty())
    {
        RequireDivides(product.c_str(), places, layers, shape.layers);
        return;
    }
    if (blocks.size() != places)
    {
        RefuseInput("chunk blocks has " + std::to_string(blocks.size()) + " entries, but " +
                    product + " = " + std::to_string(places) + " needs as many");
    }
    const auto none = std::find(blocks.begin(), blocks.end(), 0u);
    if (none != blocks.end())
    {
        const auto index = static_cast<uint64_t>(none - blocks.begin());
        RefuseInput("chunk blocks = 0 for model chunk " +
                    std::to_string(index / strategy.pipelineParallel) + " of stage " +
                    std::to_string(index % strategy.pipelineParallel) +
                    ", but each needs at least 1");
    }
    const uint64_t sum = std::accumulate(blocks.begin(), blocks.end(), uint64_t(0));
    if (sum == shape.layers)
    {
        return;
    }
    std::string text = "chunk blocks sum to " + std::to_string(sum) + ", but the " + layers +
                       " are " + std::to_string(shape.layers);
    const uint64_t rest = sum - blocks.back();
    if (rest < shape.layers)
    {
        text += "; did you mean " + std::to_string(shape.layers - rest) + " for the last?";
    }
    RefuseInput(text);
}

/**
 * Refuse a sequence that is too long or cannot be divided as said.
 * @param strategy the strategy
 * @param shape the model
 */
void
RequireSequence(const ParallelStrategy& strategy, const TransformerShape& shape)
{
    const uint32_t length = strategy.sequenceLength;
    if (shape.positions == TransformerShape::LEARNED && length > shape.maxPositions)
    {
        RefuseInput("sequence length = " + std::to_string(length) + ", but " + shape.name +
                    " has learned positions for at most " + std::to_string(shape.maxPositions));
    }
    if (strategy.contextParallel > 1)
    {
        // each rank has an early and a late part, so that causal attention takes all equally long
        if (length % 2 != 0)
        {
            RefuseInput("sequence length = " + std::to_string(length) +
                        " is odd, but CP = " + std::to_string(strategy.contextParallel) +
                        " divides it in 2 x CP parts; did you mean " + std::to_string(length + 1) +
                        "?");
        }
        RequireDivides("CP", strategy.contextParallel, "half of the sequence length", length / 2);
    }
    if (strategy.sequenceParallel)
    {
        if (strategy.tensorParallel == 1)
        {
            RefuseInput("sequence parallelism is on, but TP = 1; it needs TP of at least 2");
        }
        const std::string what =
            strategy.contextParallel == 1 ? "sequence length" : "sequence length / CP";
        RequireDivides("TP", strategy.tensorParallel, what, length / strategy.contextParallel);
    }
}

/**
 * Refuse a batch that replicas and micro-batches do not divide.
 * @param strategy the strategy
 */
void
RequireBatch(const ParallelStrategy& strategy)
{
    const uint64_t once = uint64_t(strategy.dataParallel) * strategy.microBatchSize;
    if (strategy.globalBatchSize % once != 0)
    {
        const uint64_t rounded = (strategy.globalBatchSize + once - 1) / once * once;
        RefuseInput("global batch size = " + std::to_string(strategy.globalBatchSize) +
                    " is not a multiple of DP x micro-batch size = " +
                    std::to_string(strategy.dataParallel) + " x " +
                    std::to_string(strategy.microBatchSize) + " = " + std::to_string(once) +
                    "; did you mean " + std::to_string(rounded) + "?");
    }
}

} // namespace

void
ParallelStrategy::Validate(uint32_t ranks, const TransformerModel& model) const
{
    RequireCounts(*this);
    RequireRanks(*this, ranks);
    const TransformerShape& shape = model.GetShape();
    const std::string of = " of " + shape.name;
    RequireDivides("TP", tensorParallel, "heads" + of, shape.heads);
    RequireDivides("TP", tensorParallel, "key-value heads" + of, shape.keyValueHeads);
    RequireDivides("TP", tensorParallel, "feed-forward size" + of, shape.feedForward);
    RequireExperts(*this, shape);
    RequireBlocks(*this, shape);
    RequireBatch(*this);
    RequireSequence(*this, shape);
}

} // namespace ns3::llm
