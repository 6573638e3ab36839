// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-config-reader.h"

#include "json-fields.h"
#include "transformer-expert-reader.h"
#include "transformer-family.h"

#include "ns3/input-error.h"

#include <nlohmann/json.hpp>

#include <string>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::json;     //!< a JSON value
using Names = JsonFields::Names; //!< names of a quantity

constexpr auto LEARNED = TransformerShape::LEARNED; //!< a table of positions
constexpr auto ALIBI = TransformerShape::ALIBI;     //!< a bias on scores

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
 * Bring the keys of a model to one level: some families (DBRX) keep those of attention and feed-forward
 * in objects of their own.
 * @param part the language model's keys
 * @return the same without inner objects
 */
Json
Flatten(const Json& part)
{
    Json flat = part;
    for (const char* key : {"attn_config", "ffn_config"})
    {
        const auto inner = part.find(key);
        if (inner == part.end() || !inner->is_object())
        {
            continue;
        }
        for (const auto& [name, value] : inner->items())
        {
            if (name != "model_type" && !flat.contains(name))
            {
                flat[name] = value;
            }
        }
    }
    return flat;
}

/**
 * Heads and latents of latent attention.
 * @param config the language part
 * @param shape gets them; has the heads
 */
void
ReadLatentAttention(const JsonFields& config, TransformerShape& shape)
{
    auto& latent = shape.latent;
    latent.keyValueRank = config.RequireCount({"kv_lora_rank"});
    if (!config.IsGiven("q_lora_rank"))
    {
        config.Refuse("q_lora_rank", "but is required; null means one full matrix for queries");
    }
    latent.queryRank = config.FindCount({"q_lora_rank"}, 0).value_or(0);
    latent.noRopeHeadSize = config.RequireCount({"qk_nope_head_dim"});
    latent.ropeHeadSize = config.RequireCount({"qk_rope_head_dim"});
    latent.valueHeadSize = config.RequireCount({"v_head_dim"});
    // what files say of key-value heads and of the head size means nothing here
    shape.keyValueHeads = shape.heads;
    shape.headSize = latent.noRopeHeadSize + latent.ropeHeadSize;
}

/**
 * Heads of queries, keys and values, and their size.
 * @param config the language part
 * @param family its family
 * @param shape gets them; has the hidden size
 */
void
ReadAttention(const JsonFields& config, const TransformerFamily& family, TransformerShape& shape)
{
    const Names headNames = {"num_attention_heads", "n_head", "n_heads", "num_heads"};
    shape.heads = config.RequireCount(headNames);
    if (family.latentAttention)
    {
        ReadLatentAttention(config, shape);
        return;
    }
    if (config.Find("kv_lora_rank"))
    {
        config.Refuse("kv_lora_rank",
                      "means latent attention, which the family " + shape.family +
                          " does not have");
    }
    const bool falcon = shape.family == "falcon";
    const bool grouped = falcon && config.GetFlag("new_decoder_architecture", false);
    const Names keyValueNames = {"num_key_value_heads",
                                 "num_kv_heads",
                                 "n_head_kv",
                                 "n_kv_heads",
                                 "kv_n_heads"};
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
    if (shape.family == "glm4_moe" && config.GetFlag("use_qk_norm", false))
    {
        shape.queryKeyNorm = TransformerShape::EACH_HEAD;
    }
    shape.attentionSinks = shape.family == "gpt_oss";
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
ReadSizes(const JsonFields& config, const TransformerFamily& family, TransformerShape& shape)
{
    shape.hidden = config.RequireCount({"hidden_size", "n_embd", "n_embed", "d_model", "dim"});
    shape.layers = config.RequireCount({"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
    shape.vocabulary = config.RequireCount({"vocab_size", "padded_vocab_size", "n_vocab"});
    const Names widths =
        {"intermediate_size", "ffn_dim", "n_inner", "d_ff", "ffn_hidden_size", "inter_dim"};
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
ReadBiases(const JsonFields& config, const TransformerFamily& family, TransformerShape& shape)
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
        shape.qkvBias = config.GetFlag("attention_bias", false);
        shape.outputBias = shape.qkvBias && shape.family != "glm4_moe";
    }
    shape.qkvBias = config.GetFlag("qkv_bias", shape.qkvBias);
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
    const Json part = Flatten(FindLanguagePart(root));
    const JsonFields config(part, source);
    const TransformerFamily& family = FindTransformerFamily(config);

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
    ReadExperts(config, shape);
    return shape;
}

} // namespace ns3::llm
