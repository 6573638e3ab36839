// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-model.h"

#include "llm-fabric-data.h"
#include "transformer-config-reader.h"

#include "ns3/input-error.h"

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ns3::llm
{

namespace
{

/**
 * @param path a file; refused when it cannot be read
 * @return its content
 */
std::string
ReadWhole(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        RefuseInput("cannot read the model file '" + path + "'");
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

TransformerModel
TransformerModel::Load(const std::string& nameOrPath)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::is_directory(nameOrPath, ignored))
    {
        const std::string path = nameOrPath + "/config.json";
        return FromJson(ReadWhole(path), path);
    }
    if (fs::exists(nameOrPath, ignored) || nameOrPath.find('/') != std::string::npos ||
        boost::algorithm::ends_with(nameOrPath, ".json"))
    {
        return FromJson(ReadWhole(nameOrPath), nameOrPath);
    }
    const auto names = GetBuiltInNames();
    for (const auto& name : names)
    {
        if (boost::algorithm::iequals(name, nameOrPath))
        {
            return FromJson(ReadWhole(FindDataFile("models/" + name + "/config.json")), name);
        }
    }
    RefuseInput("model = '" + nameOrPath + "' is neither a file nor a built-in name" +
                DescribeAllowedNames(nameOrPath, names));
}

TransformerModel
TransformerModel::FromJson(const std::string& text, const std::string& source)
{
    return TransformerModel(ReadTransformerConfig(text, source));
}

std::vector<std::string>
TransformerModel::GetBuiltInNames()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(FindDataFile("models")))
    {
        if (std::filesystem::exists(entry.path() / "config.json"))
        {
            names.push_back(entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

TransformerModel::TransformerModel(const TransformerShape& shape)
    : m_shape(shape)
{
    shape.Validate();
}

const TransformerShape&
TransformerModel::GetShape() const
{
    return m_shape;
}

TransformerModel
TransformerModel::WithVocabulary(uint64_t vocabulary) const
{
    TransformerShape shape = m_shape;
    shape.vocabulary = vocabulary;
    return TransformerModel(shape);
}

uint64_t
TransformerModel::GetParameterCount() const
{
    const uint64_t matrices = m_shape.tied ? 1 : 2;
    const uint64_t expertLayers = m_shape.GetExpertLayerCount();
    const uint64_t denseLayers = m_shape.layers - expertLayers;
    const ParameterCount all = (GetAttentionParameters() + GetFeedForwardNorm()) * m_shape.layers +
                               GetFeedForward(m_shape.feedForward) * denseLayers +
                               GetExpertLayer() * expertLayers +
                               GetWordEmbeddingParameters() * matrices + GetPositionParameters() +
                               GetFinalNormParameters();
    return all.GetTotal();
}

uint64_t
TransformerModel::GetActiveParameterCount() const
{
    const auto& experts = m_shape.experts;
    const uint64_t one = GetFeedForward(experts.feedForward).GetTotal();
    const uint64_t idle = m_shape.GetExpertLayerCount() * (experts.count - experts.perToken) * one;
    return GetParameterCount() - idle;
}

ParameterCount
TransformerModel::GetAttentionParameters() const
{
    ParameterCount count =
        m_shape.latent.keyValueRank ? GetLatentParameters() : GetHeadParameters();
    count.sharded += m_shape.attentionSinks ? m_shape.heads : 0;
    count.replicated += GetNormParameters() + (m_shape.outputBias ? m_shape.hidden : 0);
    return count;
}

ParameterCount
TransformerModel::GetHeadParameters() const
{
    const uint64_t queries = m_shape.heads * m_shape.headSize;
    const uint64_t keys = m_shape.keyValueHeads * m_shape.headSize;
    ParameterCount count;
    count.sharded = m_shape.hidden * (queries + 2 * keys) + queries * m_shape.hidden;
    count.sharded += m_shape.qkvBias ? queries + 2 * keys : 0;
    if (m_shape.queryKeyNorm == TransformerShape::EACH_HEAD)
    {
        count.replicated = 2 * m_shape.headSize;
    }
    if (m_shape.queryKeyNorm == TransformerShape::ALL_HEADS)
    {
        count.sharded += queries + keys;
    }
    return count;
}

ParameterCount
TransformerModel::GetLatentParameters() const
{
    // The matrices to the latents are kept whole, as is the latents' norm: a rank needs all of them.
    const auto& latent = m_shape.latent;
    const uint64_t queries = m_shape.heads * m_shape.headSize;
    const uint64_t keysAndValues = m_shape.heads * (latent.noRopeHeadSize + latent.valueHeadSize);
    const uint64_t values = m_shape.heads * latent.valueHeadSize;
    const uint64_t down = latent.queryRank + latent.keyValueRank + latent.ropeHeadSize;
    ParameterCount count;
    count.sharded = (latent.queryRank ? latent.queryRank : m_shape.hidden) * queries +
                    latent.keyValueRank * keysAndValues + values * m_shape.hidden;
    count.replicated = m_shape.hidden * down + (m_shape.qkvBias ? down : 0) + latent.queryRank +
                       latent.keyValueRank;
    return count;
}

ParameterCount
TransformerModel::GetFeedForward(uint64_t width) const
{
    const uint64_t inner = width * (m_shape.gated ? 2 : 1);
    ParameterCount count;
    count.sharded = m_shape.hidden * (inner + width) + (m_shape.feedForwardBias ? inner : 0);
    count.replicated = width > 0 && m_shape.feedForwardBias ? m_shape.hidden : 0;
    return count;
}

ParameterCount
TransformerModel::GetExpertLayer() const
{
    const auto& experts = m_shape.experts;
    const ParameterCount one = GetFeedForward(experts.feedForward);
    ParameterCount count = GetFeedForward(experts.sharedFeedForward);
    count.replicated += experts.count * m_shape.hidden + (experts.sharedGate ? m_shape.hidden : 0);
    count.replicated += experts.count * (experts.routerBias + experts.balanceBias);
    count.expertSharded = experts.count * one.sharded;
    count.expertReplicated = experts.count * one.replicated;
    return count;
}

ParameterCount
TransformerModel::GetFeedForwardNorm() const
{
    return {0, GetNormParameters() * (m_shape.blockNorms - 1)};
}

ParameterCount
TransformerModel::GetFeedForwardParameters(uint64_t layer) const
{
    return GetFeedForwardNorm() +
           (m_shape.IsExpertLayer(layer) ? GetExpertLayer() : GetFeedForward(m_shape.feedForward));
}

ParameterCount
TransformerModel::GetBlockParameters(uint64_t layer) const
{
    return GetAttentionParameters() + GetFeedForwardParameters(layer);
}

ParameterCount
TransformerModel::GetWordEmbeddingParameters() const
{
    return {m_shape.vocabulary * m_shape.hidden, 0};
}

ParameterCount
TransformerModel::GetPositionParameters() const
{
    return {0,
            m_shape.positionRows * m_shape.hidden +
                (m_shape.embeddingNorm ? GetNormParameters() : 0)};
}

ParameterCount
TransformerModel::GetFinalNormParameters() const
{
    return {0, GetNormParameters()};
}

uint64_t
TransformerModel::GetNormParameters() const
{
    return m_shape.hidden * (m_shape.rmsNorm ? 1 : 2);
}

uint64_t
PadVocabulary(uint64_t vocabulary, uint64_t tensorParallel)
{
    const uint64_t multiple = 128 * tensorParallel;
    return (vocabulary + multiple - 1) / multiple * multiple;
}

} // namespace ns3::llm
