// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-shape.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <functional>

namespace ns3::llm
{

namespace
{

/**
 * Refuse a size of 0.
 * @param shape whose
 * @param what name of the size
 * @param value the size
 */
void
RequirePositive(const TransformerShape& shape, const char* what, uint64_t value)
{
    if (value == 0)
    {
        RefuseInput(std::string(what) + " = 0 in " + shape.name + ", but must be at least 1");
    }
}

/**
 * Refuse a model whose numbers of parameters do not fit into 64 bits with a good margin.
 * @param shape the model, whose sizes are at most 2^32
 */
void
RequireCountable(const TransformerShape& shape)
{
    constexpr double MOST = 1e16;
    const auto& experts = shape.experts;
    const auto& latent = shape.latent;
    const auto hidden = static_cast<double>(shape.hidden);
    const double latents = static_cast<double>(latent.queryRank) + latent.keyValueRank;
    const double heads = static_cast<double>(shape.heads) *
                         (static_cast<double>(shape.headSize) + latent.noRopeHeadSize +
                          latent.ropeHeadSize + latent.valueHeadSize);
    const double widths = static_cast<double>(shape.feedForward) + experts.sharedFeedForward +
                          static_cast<double>(experts.count) * (experts.feedForward + 1.0);
    const double block = hidden * (4 * heads + latents + 3 * widths) + latents * heads;
    const double rows = static_cast<double>(shape.vocabulary) + shape.positionRows;
    const double count = static_cast<double>(shape.layers) * block + 2 * hidden * rows;
    if (count > MOST)
    {
        RefuseInput(shape.name + ": a model of about " + std::to_string(count) +
                    " parameters is too large: at most 1e16 are allowed");
    }
}

/**
 * Refuse experts that do not fit together.
 * @param shape a model that has some
 */
void
RequireExperts(const TransformerShape& shape)
{
    const auto& experts = shape.experts;
    RequirePositive(shape, "number of experts per token", experts.perToken);
    RequirePositive(shape, "feed-forward size of experts", experts.feedForward);
    if (experts.perToken > experts.count)
    {
        RefuseInput("number of experts per token = " + std::to_string(experts.perToken) + " in " +
                    shape.name +
                    " is more than the number of experts = " + std::to_string(experts.count));
    }
    if ((experts.shared == 0) != (experts.sharedFeedForward == 0))
    {
        RefuseInput(
            "number of shared experts = " + std::to_string(experts.shared) + " in " + shape.name +
            " contradicts their feed-forward size = " + std::to_string(experts.sharedFeedForward));
    }
    const auto& dense = experts.denseLayers;
    const auto wrong = std::adjacent_find(dense.begin(), dense.end(), std::greater_equal<>());
    if (wrong != dense.end())
    {
        RefuseInput("dense layers of " + shape.name + ": " + std::to_string(*wrong) +
                    " is followed by " + std::to_string(wrong[1]) + ", but they must ascend");
    }
    if (dense.size() == shape.layers)
    {
        RefuseInput(shape.name + " has " + std::to_string(experts.count) +
                    " experts, but no layer is left for them");
    }
    if (!dense.empty() && dense.back() >= shape.layers)
    {
        RefuseInput("dense layer = " + std::to_string(dense.back()) + " in " + shape.name +
                    ", but layers are 0 to " + std::to_string(shape.layers - 1));
    }
}

/**
 * Refuse latent attention that does not fit together.
 * @param shape a model that has it
 */
void
RequireLatent(const TransformerShape& shape)
{
    const auto& latent = shape.latent;
    RequirePositive(shape, "size of a head of values", latent.valueHeadSize);
    const uint64_t both = latent.noRopeHeadSize + latent.ropeHeadSize;
    if (both != shape.headSize)
    {
        RefuseInput("head size = " + std::to_string(shape.headSize) + " in " + shape.name +
                    " is not the sum of its parts without and with rotation = " +
                    std::to_string(latent.noRopeHeadSize) + " + " +
                    std::to_string(latent.ropeHeadSize));
    }
}

} // namespace

bool
TransformerShape::IsExpertLayer(uint64_t layer) const
{
    const auto& dense = experts.denseLayers;
    return experts.count > 0 && !std::binary_search(dense.begin(), dense.end(), layer);
}

uint64_t
TransformerShape::GetExpertLayerCount() const
{
    return experts.count > 0 ? layers - experts.denseLayers.size() : 0;
}

void
TransformerShape::Validate() const
{
    RequirePositive(*this, "hidden size", hidden);
    RequirePositive(*this, "number of layers", layers);
    RequirePositive(*this, "number of heads", heads);
    RequirePositive(*this, "number of key-value heads", keyValueHeads);
    RequirePositive(*this, "head size", headSize);
    RequirePositive(*this, "feed-forward size", feedForward);
    RequirePositive(*this, "vocabulary", vocabulary);
    RequireCountable(*this);
    if (heads % keyValueHeads != 0)
    {
        RefuseInput("number of key-value heads = " + std::to_string(keyValueHeads) + " in " + name +
                    " does not divide the number of heads = " + std::to_string(heads));
    }
    if (experts.count > 0)
    {
        RequireExperts(*this);
    }
    if (latent.keyValueRank > 0)
    {
        RequireLatent(*this);
    }
}

} // namespace ns3::llm
