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
 * @param shape the model
 */
void
RequireCountable(const TransformerShape& shape)
{
    constexpr double MOST = 1e16;
    const auto hidden = static_cast<double>(shape.hidden);
    const double attention =
        4 * static_cast<double>(shape.heads) * static_cast<double>(shape.headSize);
    const double feedForward = 3 * static_cast<double>(shape.feedForward);
    const double others = static_cast<double>(shape.vocabulary + shape.positionRows);
    const double count =
        hidden * (static_cast<double>(shape.layers) * (attention + feedForward) + 2 * others);
    if (count > MOST)
    {
        RefuseInput(shape.name + ": a model of about " + std::to_string(count) +
                    " parameters is too large: at most 1e16 are allowed");
    }
}

} // namespace

uint64_t
ParameterCount::GetTotal() const
{
    return sharded + replicated;
}

uint64_t
ParameterCount::GetPerRank(uint64_t tensorParallel) const
{
    return sharded / tensorParallel + replicated;
}

ParameterCount
ParameterCount::operator+(const ParameterCount& other) const
{
    return {sharded + other.sharded, replicated + other.replicated};
}

ParameterCount
ParameterCount::operator*(uint64_t times) const
{
    return {sharded * times, replicated * times};
}

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
    RequirePositive(shape, "hidden size", shape.hidden);
    RequirePositive(shape, "number of layers", shape.layers);
    RequirePositive(shape, "number of heads", shape.heads);
    RequirePositive(shape, "number of key-value heads", shape.keyValueHeads);
    RequirePositive(shape, "head size", shape.headSize);
    RequirePositive(shape, "feed-forward size", shape.feedForward);
    RequirePositive(shape, "vocabulary", shape.vocabulary);
    RequireCountable(shape);
    if (shape.heads % shape.keyValueHeads != 0)
    {
        RefuseInput("number of key-value heads = " + std::to_string(shape.keyValueHeads) + " in " +
                    shape.name +
                    " does not divide the number of heads = " + std::to_string(shape.heads));
    }
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
    const ParameterCount all = GetBlockParameters() * m_shape.layers +
                               GetWordEmbeddingParameters() * matrices + GetPositionParameters() +
                               GetFinalNormParameters();
    return all.GetTotal();
}

ParameterCount
TransformerModel::GetAttentionParameters() const
{
    const uint64_t queries = m_shape.heads * m_shape.headSize;
    const uint64_t keysAndValues = 2 * m_shape.keyValueHeads * m_shape.headSize;
    ParameterCount count;
    count.sharded = m_shape.hidden * (queries + keysAndValues) + queries * m_shape.hidden;
    count.sharded += m_shape.qkvBias ? queries + keysAndValues : 0;
    count.replicated = GetNormParameters() + (m_shape.outputBias ? m_shape.hidden : 0) +
                       (m_shape.queryKeyNorm ? 2 * m_shape.headSize : 0);
    return count;
}

ParameterCount
TransformerModel::GetFeedForwardParameters() const
{
    const uint64_t inner = m_shape.feedForward * (m_shape.gated ? 2 : 1);
    ParameterCount count;
    count.sharded = m_shape.hidden * (inner + m_shape.feedForward);
    count.sharded += m_shape.feedForwardBias ? inner : 0;
    count.replicated = GetNormParameters() * (m_shape.blockNorms - 1) +
                       (m_shape.feedForwardBias ? m_shape.hidden : 0);
    return count;
}

ParameterCount
TransformerModel::GetBlockParameters() const
{
    return GetAttentionParameters() + GetFeedForwardParameters();
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
