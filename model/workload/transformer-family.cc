// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-family.h"

#include "llm-fabric-data.h"

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/erase.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::json; //!< a JSON value

constexpr auto LEARNED = TransformerShape::LEARNED; //!< a table of positions
constexpr auto ROTARY = TransformerShape::ROTARY;   //!< rotated queries and keys
constexpr auto ALIBI = TransformerShape::ALIBI;     //!< a bias on scores
constexpr auto NONE = TransformerShape::NO_NORM;    //!< no norms on queries and keys
constexpr auto HEADS = TransformerShape::EACH_HEAD; //!< norms within each head
constexpr auto ALL = TransformerShape::ALL_HEADS;   //!< norms over all heads

// clang-format off
/** All families. Source: configuration and model classes of the Transformers library. */
const TransformerFamily FAMILIES[] = {
    // name         gated  tied   rms    positions qkv    output ffn    factor head extra embn   qknorm latent
    {"gpt2",        false, true,  false, LEARNED,  true,  true,  true,  4,     0,   0,    false, NONE,  false},
    {"opt",         false, true,  false, LEARNED,  true,  true,  true,  0,     0,   2,    false, NONE,  false},
    {"bloom",       false, true,  false, ALIBI,    true,  true,  true,  4,     0,   0,    true,  NONE,  false},
    {"falcon",      false, true,  false, ROTARY,   false, false, false, 4,     0,   0,    false, NONE,  false},
    {"gpt_neox",    false, false, false, ROTARY,   true,  true,  true,  0,     0,   0,    false, NONE,  false},
    {"llama",       true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  false},
    {"mistral",     true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  false},
    {"qwen2",       true,  false, true,  ROTARY,   true,  false, false, 0,     0,   0,    false, NONE,  false},
    {"qwen3",       true,  false, true,  ROTARY,   false, false, false, 0,     128, 0,    false, HEADS, false},
    {"phi3",        true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  false},
    {"gemma",       true,  true,  true,  ROTARY,   false, false, false, 0,     256, 0,    false, NONE,  false},
    {"mixtral",     true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  false},
    {"qwen2_moe",   true,  false, true,  ROTARY,   true,  false, false, 0,     0,   0,    false, NONE,  false},
    {"qwen3_moe",   true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, HEADS, false},
    {"olmoe",       true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, ALL,   false},
    {"dbrx",        true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  false},
    {"gpt_oss",     true,  false, true,  ROTARY,   true,  true,  true,  0,     64,  0,    false, NONE,  false},
    {"deepseek_v2", true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  true},
    {"deepseek_v3", true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  true},
    {"glm4_moe",    true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, NONE,  false},
    {"llama4_text", true,  false, true,  ROTARY,   false, false, false, 0,     128, 0,    false, NONE,  false},
};

// clang-format on

/** @return the names of all families */
std::vector<std::string>
GetFamilyNames()
{
    std::vector<std::string> names;
    for (const auto& family : FAMILIES)
    {
        names.emplace_back(family.name);
    }
    return names;
}

/**
 * Tell the models of the files that DeepSeek's own code reads, which name no family.
 * @param config the language model's keys
 * @return the family's name; "" when it is no such file
 */
std::string
FindOwnFormat(const JsonFields& config)
{
    // later versions choose the keys that a query meets by an index, or have other latents
    if (!config.Find("n_activated_experts") || !config.Find("kv_lora_rank") ||
        config.Find("index_n_heads"))
    {
        return "";
    }
    const Json* score = config.Find("score_func"); // V2: softmax, the default
    return score && *score == "sigmoid" ? "deepseek_v3" : "deepseek_v2";
}

/**
 * @param config the language model's keys
 * @return the name of its family: `model_type`, else from `architectures`, e.g. "llama" from
 *         "LlamaForCausalLM", else by keys; "" when nothing tells
 */
std::string
FindFamilyName(const JsonFields& config)
{
    const Json* type = config.Find("model_type");
    if (type && type->is_string())
    {
        const auto name = type->get<std::string>();
        if (name == "kimi_k2") // DeepSeek-V3's classes
        {
            return "deepseek_v3";
        }
        // the first files of Falcon
        return name == "RefinedWeb" || name == "RefinedWebModel" ? "falcon" : name;
    }
    if (type)
    {
        config.Refuse("model_type", "must be a string");
    }
    const Json* list = config.Find("architectures");
    if (!list)
    {
        return FindOwnFormat(config);
    }
    if (!list->is_array() || list->empty() || !list->front().is_string())
    {
        return "";
    }
    const std::string whole = boost::algorithm::to_lower_copy(list->front().get<std::string>());
    for (const auto& name : GetFamilyNames())
    {
        const std::string bare = boost::algorithm::erase_all_copy(name, "_");
        if (whole == bare + "forcausallm" || whole == bare + "lmheadmodel")
        {
            return name;
        }
    }
    return whole;
}

} // namespace

const TransformerFamily&
FindTransformerFamily(const JsonFields& config)
{
    const std::string name = FindFamilyName(config);
    for (const auto& family : FAMILIES)
    {
        if (name == family.name)
        {
            return family;
        }
    }
    config.Refuse("model_type",
                  (name.empty() ? "but must name the family" : "is not a known family") +
                      DescribeAllowedNames(name, GetFamilyNames()));
}

} // namespace ns3::llm
