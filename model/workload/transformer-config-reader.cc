// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-config-reader.h"

#include "json-fields.h"
#include "llm-fabric-data.h"

#include "ns3/input-error.h"

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/erase.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::json;     //!< a JSON value
using Names = JsonFields::Names; //!< names of a quantity

/** What the files of a family do not say, and the defaults of Transformers' configuration class. */
struct Family
{
    const char* name;                      //!< `model_type`
    bool gated;                            //!< feed-forward of three matrices
    bool tied;                             //!< default of `tie_word_embeddings`
    bool rmsNorm;                          //!< norms without bias
    TransformerShape::Positions positions; //!< how positions enter
    bool qkvBias;                          //!< default: biases of queries, keys and values
    bool outputBias;                       //!< default: bias of the output projection
    bool feedForwardBias;                  //!< default: biases of the feed-forward
    uint64_t feedForwardFactor;            //!< default feed-forward size over hidden; 0: required
    uint64_t headSize;                     //!< default head size; 0: hidden over heads
    uint64_t extraPositions;               //!< rows of the position table beyond the positions
    bool embeddingNorm;                    //!< a norm after the word embedding
    bool queryKeyNorm;                     //!< norms on queries and keys
};

constexpr auto LEARNED = TransformerShape::LEARNED; //!< a table of positions
constexpr auto ROTARY = TransformerShape::ROTARY;   //!< rotated queries and keys
constexpr auto ALIBI = TransformerShape::ALIBI;     //!< a bias on scores

// clang-format off
/** All families. Source: configuration and model classes of the Transformers library. */
const Family FAMILIES[] = {
    // name     gated  tied   rms    positions qkv    output ffn    factor head extra embn   qknorm
    {"gpt2",     false, true,  false, LEARNED,  true,  true,  true,  4,     0,   0,    false, false},
    {"opt",      false, true,  false, LEARNED,  true,  true,  true,  0,     0,   2,    false, false},
    {"bloom",    false, true,  false, ALIBI,    true,  true,  true,  4,     0,   0,    true,  false},
    {"falcon",   false, true,  false, ROTARY,   false, false, false, 4,     0,   0,    false, false},
    {"gpt_neox", false, false, false, ROTARY,   true,  true,  true,  0,     0,   0,    false, false},
    {"llama",    true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, false},
    {"mistral",  true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, false},
    {"qwen2",    true,  false, true,  ROTARY,   true,  false, false, 0,     0,   0,    false, false},
    {"qwen3",    true,  false, true,  ROTARY,   false, false, false, 0,     128, 0,    false, true},
    {"phi3",     true,  false, true,  ROTARY,   false, false, false, 0,     0,   0,    false, false},
    {"gemma",    true,  true,  true,  ROTARY,   false, false, false, 0,     256, 0,    false, false},
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
 * Find the language part of a file.
 * @param root the whole file
 * @return the object that holds the language model's keys
 */
const Json&
FindLanguagePart(const Json& root)
{
    for (const char* key : {"text_config", "llm_config", "language_config", "llama_config"})
    {
        const auto found = root.find(key);
        if (found != root.end() && found->is_object())
        {
            return *found;
        }
    }
    return root;
}

/**
 * Refuse what is not a dense model with ordinary attention.
 * @param config the language part
 */
void
RequireDense(const JsonFields& config)
{
    for (const char* key :
         {"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"})
    {
        const Json* value = config.Find(key);
        if (value && !(value->is_number() && *value <= 1))
        {
            config.Refuse(key, "means a mixture of experts; only dense models are supported");
        }
    }
    if (config.Find("kv_lora_rank"))
    {
        config.Refuse("kv_lora_rank", "means latent attention, which is not supported");
    }
}

/**
 * @param config the language part
 * @return the name of its family: `model_type`, else from `architectures`, e.g. "llama" from
 *         "LlamaForCausalLM"; "" when neither is there
 */
std::string
FindFamilyName(const JsonFields& config)
{
    const Json* type = config.Find("model_type");
    if (type && type->is_string())
    {
        const auto name = type->get<std::string>();
        // the first files of Falcon
        return name == "RefinedWeb" || name == "RefinedWebModel" ? "falcon" : name;
    }
    if (type)
    {
        config.Refuse("model_type", "must be a string");
    }
    const Json* list = config.Find("architectures");
    if (!list || !list->is_array() || list->empty() || !list->front().is_string())
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

/**
 * @param config the language part
 * @return its family; an unknown one is refused
 */
const Family&
FindFamily(const JsonFields& config)
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

/**
 * Heads of queries, keys and values, and their size.
 * @param config the language part
 * @param family its family
 * @param shape gets them; has the hidden size
 */
void
ReadAttention(const JsonFields& config, const Family& family, TransformerShape& shape)
{
    const Names headNames = {"num_attention_heads", "n_head", "n_heads", "num_heads"};
    shape.heads = config.RequireCount(headNames);
    const bool falcon = shape.family == "falcon";
    const bool grouped = falcon && config.GetFlag("new_decoder_architecture", false);
    const Names keyValueNames = {"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads"};
    const auto keyValueHeads = config.FindCount(keyValueNames);
    if (falcon && !grouped)
    {
        shape.keyValueHeads = config.GetFlag("multi_query", true) ? 1 : shape.heads;
    }
    else
    {
        shape.keyValueHeads = keyValueHeads.value_or(shape.heads);
    }
    if (shape.heads % shape.keyValueHeads != 0)
    {
        config.Refuse(config.FindName(keyValueNames),
                      "must divide the number of heads = " + std::to_string(shape.heads));
    }
    const auto headSize = config.FindCount({"head_dim", "attention_head_dim", "head_size"});
    if (!headSize && family.headSize == 0 && shape.hidden % shape.heads != 0)
    {
        config.Refuse(config.FindName(headNames),
                      "must divide the hidden size = " + std::to_string(shape.hidden) +
                          " when head_dim is not given");
    }
    shape.headSize =
        headSize.value_or(family.headSize ? family.headSize : shape.hidden / shape.heads);
    if (falcon)
    {
        shape.parallelBlock = grouped || config.GetFlag("parallel_attn", true);
        const auto norms = config.FindCount({"num_ln_in_parallel_attn"});
        shape.blockNorms = grouped ? norms.value_or(2) : (shape.parallelBlock ? 1 : 2);
        if (shape.blockNorms > 2)
        {
            config.Refuse("num_ln_in_parallel_attn", "must be 1 or 2");
        }
        shape.positions = config.GetFlag("alibi", false) ? ALIBI : family.positions;
    }
    if (shape.family == "gpt_neox")
    {
        shape.parallelBlock = config.GetFlag("use_parallel_residual", true);
    }
}

/**
 * Hidden size, layers, vocabulary, feed-forward and positions.
 * @param config the language part
 * @param family its family
 * @param shape gets them
 */
void
ReadSizes(const JsonFields& config, const Family& family, TransformerShape& shape)
{
    shape.hidden = config.RequireCount({"hidden_size", "n_embd", "n_embed", "d_model", "dim"});
    shape.layers = config.RequireCount({"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
    shape.vocabulary = config.RequireCount({"vocab_size", "padded_vocab_size", "n_vocab"});
    const Names widths = {"intermediate_size", "ffn_dim", "n_inner", "d_ff", "ffn_hidden_size"};
    shape.feedForward =
        family.feedForwardFactor
            ? config.FindCount(widths).value_or(family.feedForwardFactor * shape.hidden)
            : config.RequireCount(widths);
    const Names lengths = {"max_position_embeddings", "n_positions", "n_ctx"};
    shape.maxPositions = config.FindCount(lengths).value_or(0);
    if (shape.maxPositions == 0)
    {
        shape.maxPositions = config.FindCount({"seq_length", "max_seq_len"}).value_or(0);
    }
    if (family.positions == LEARNED)
    {
        shape.positionRows = config.RequireCount(lengths) + family.extraPositions;
    }
    const auto projected = config.FindCount({"word_embed_proj_dim"});
    if (projected && *projected != shape.hidden)
    {
        config.Refuse("word_embed_proj_dim", "must equal the hidden size");
    }
}

/**
 * Biases of the linear layers.
 * @param config the language part
 * @param family its family
 * @param shape gets them
 */
void
ReadBiases(const JsonFields& config, const Family& family, TransformerShape& shape)
{
    shape.qkvBias = family.qkvBias;
    shape.outputBias = family.outputBias;
    shape.feedForwardBias = family.feedForwardBias;
    for (const char* key : {"bias", "enable_bias"})
    {
        if (config.Find(key))
        {
            shape.qkvBias = shape.outputBias = shape.feedForwardBias = config.GetFlag(key, false);
        }
    }
    if (config.Find("attention_bias"))
    {
        shape.qkvBias = shape.outputBias = config.GetFlag("attention_bias", false);
    }
    shape.feedForwardBias = config.GetFlag("mlp_bias", shape.feedForwardBias);
}

} // namespace

TransformerShape
ReadTransformerConfig(const std::string& text, const std::string& source)
{
    Json root;
    try
    {
        root = Json::parse(text);
    }
    catch (const Json::parse_error& error)
    {
        RefuseInput(source + " is not valid JSON: " + error.what());
    }
    if (!root.is_object())
    {
        RefuseInput(source + " must hold a JSON object with the keys of a config.json");
    }
    const JsonFields outer(root, source);
    const Json& part = FindLanguagePart(root);
    const JsonFields config(part, source);
    RequireDense(config);
    const Family& family = FindFamily(config);

    TransformerShape shape;
    shape.name = source;
    shape.family = family.name;
    shape.gated = family.gated;
    shape.rmsNorm = family.rmsNorm;
    shape.positions = family.positions;
    shape.embeddingNorm = family.embeddingNorm;
    shape.queryKeyNorm = family.queryKeyNorm;
    ReadSizes(config, family, shape);
    shape.tied =
        config.GetFlag("tie_word_embeddings", outer.GetFlag("tie_word_embeddings", family.tied));
    ReadAttention(config, family, shape);
    ReadBiases(config, family, shape);
    return shape;
}

} // namespace ns3::llm
