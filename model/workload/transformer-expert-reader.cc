// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-expert-reader.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::json;     //!< a JSON value
using Names = JsonFields::Names; //!< names of a quantity

/** What the files of a family with experts do not say. */
struct ExpertFamily
{
    const char* name; //!< as TransformerFamily::name
    bool ownWidth;    //!< experts have a key for their width; else they use the dense one
    bool startsDense; //!< the file must say how many dense layers come first
    uint64_t shared;  //!< default number of shared experts; 0: the family has none
    bool sharedGate;  //!< a gate on the shared experts, which have a key for their width
    bool routerBias;  //!< bias of the router's scores
    bool balanceBias; //!< bias that only chooses experts
};

// clang-format off
/** All families with experts. Source: as that of the families. */
const ExpertFamily FAMILIES[] = {
    // name          width  starts shared gate   router balance
    {"mixtral",      false, false, 0,     false, false, false},
    {"qwen2_moe",    true,  false, 1,     true,  false, false},
    {"qwen3_moe",    true,  false, 0,     false, false, false},
    {"olmoe",        false, false, 0,     false, false, false},
    {"dbrx",         false, false, 0,     false, false, false},
    {"gpt_oss",      false, false, 0,     false, true,  false},
    {"deepseek_v2",  true,  true,  2,     false, false, false},
    {"deepseek_v3",  true,  true,  1,     false, false, true},
    {"glm4_moe",     true,  true,  1,     false, false, true},
    {"llama4_text",  false, false, 1,     false, false, false},
};

// clang-format on

const Names COUNTS = {"num_local_experts",
                      "n_routed_experts",
                      "num_experts",
                      "moe_num_experts",
                      "num_routed_experts"}; //!< names of the number of routed experts
const Names PER_TOKEN = {"num_experts_per_tok",
                         "experts_per_token",
                         "num_experts_per_token",
                         "moe_top_k",
                         "n_activated_experts"}; //!< names of the experts of a token
const Names WIDTHS = {"moe_intermediate_size",
                      "moe_inter_dim",
                      "expert_intermediate_size"}; //!< names of the width of an expert
const Names SHARED = {"n_shared_experts", "num_shared_experts"};       //!< names of their number
const Names SHARED_WIDTHS = {"shared_expert_intermediate_size"};       //!< names of their width
const Names FIRST_DENSE = {"first_k_dense_replace", "n_dense_layers"}; //!< names of their number

/**
 * Refuse what is not a dense model.
 * @param config the language model's keys
 * @param family its family, which has no experts
 */
void
RequireDense(const JsonFields& config, const std::string& family)
{
    for (const char* key : COUNTS)
    {
        const Json* value = config.Find(key);
        if (value && !(value->is_number() && *value <= 1))
        {
            std::string others;
            for (const auto& other : FAMILIES)
            {
                others += std::string(others.empty() ? "" : ", ") + other.name;
            }
            config.Refuse(key,
                          "means a mixture of experts, which the family " + family +
                              " does not have; families with experts: " + others);
        }
    }
}

/**
 * Experts that every token passes.
 * @param config the language model's keys
 * @param family its family
 * @param experts gets them; has the width of a routed expert
 */
void
ReadSharedExperts(const JsonFields& config, const ExpertFamily& family, ExpertShape& experts)
{
    const char* name = config.FindName(SHARED);
    const uint64_t count = config.FindCount(SHARED, 0).value_or(0);
    if (family.shared == 0 && count > 0)
    {
        config.Refuse(name,
                      std::string("but the family ") + family.name + " has no shared experts");
    }
    experts.shared = config.IsGiven(name) ? count : family.shared;
    experts.sharedFeedForward = family.sharedGate ? config.RequireCount(SHARED_WIDTHS, 0)
                                                  : experts.shared * experts.feedForward;
    if (experts.sharedFeedForward == 0)
    {
        experts.shared = 0;
    }
    experts.sharedGate = family.sharedGate && experts.shared > 0;
}

/**
 * Mark layers as dense by the keys that count.
 * @param config the language model's keys
 * @param family its family
 * @param dense gets the marks, one for each layer
 */
void
MarkByCount(const JsonFields& config, const ExpertFamily& family, std::vector<bool>& dense)
{
    const uint64_t first = family.startsDense ? config.RequireCount(FIRST_DENSE, 0)
                                              : config.FindCount(FIRST_DENSE, 0).value_or(0);
    if (first > dense.size())
    {
        config.Refuse(config.FindName(FIRST_DENSE),
                      "is more than the number of layers = " + std::to_string(dense.size()));
    }
    // the last of each group of `step` layers has experts
    const bool listed = config.Find("moe_layers");
    const Names steps = {"decoder_sparse_step", "interleave_moe_layer_step"};
    const uint64_t step = listed ? 1 : config.FindCount(steps).value_or(1);
    // the first of each group of `frequency` layers has experts
    const Json* frequencies = config.Find("moe_layer_freq");
    const bool number = frequencies && !frequencies->is_array();
    const uint64_t frequency = number ? *config.FindCount({"moe_layer_freq"}) : 1;
    for (uint64_t layer = 0; layer < dense.size(); ++layer)
    {
        if (layer < first || (layer + 1) % step != 0 || layer % frequency != 0)
        {
            dense[layer] = true;
        }
    }
}

/**
 * Mark layers as dense by the keys that are lists.
 * @param config the language model's keys
 * @param dense gets the marks, one for each layer
 */
void
MarkByList(const JsonFields& config, std::vector<bool>& dense)
{
    const uint64_t last = dense.size() - 1;
    for (const uint64_t layer : config.GetNumbers("mlp_only_layers", last))
    {
        dense[layer] = true;
    }
    if (config.Find("moe_layers"))
    {
        std::vector<bool> others(dense.size(), true);
        for (const uint64_t layer : config.GetNumbers("moe_layers", last))
        {
            others[layer] = dense[layer];
        }
        dense = others;
    }
    const Json* flags = config.Find("moe_layer_freq");
    if (flags && flags->is_array())
    {
        const auto values = config.GetNumbers("moe_layer_freq", 1);
        if (values.size() != dense.size())
        {
            config.Refuse("moe_layer_freq",
                          "must have one number for each of the " + std::to_string(dense.size()) +
                              " layers");
        }
        for (uint64_t layer = 0; layer < dense.size(); ++layer)
        {
            dense[layer] = dense[layer] || values[layer] == 0;
        }
    }
}

/**
 * @param config the language model's keys
 * @param family its family
 * @param layers number of layers
 * @return those without experts
 */
std::vector<uint64_t>
ReadDenseLayers(const JsonFields& config, const ExpertFamily& family, uint64_t layers)
{
    std::vector<bool> dense(layers, false);
    MarkByCount(config, family, dense);
    MarkByList(config, dense);
    std::vector<uint64_t> result;
    for (uint64_t layer = 0; layer < layers; ++layer)
    {
        if (dense[layer])
        {
            result.push_back(layer);
        }
    }
    if (result.size() == layers)
    {
        config.Refuse(config.FindName(COUNTS), "but no layer of the file is left for experts");
    }
    return result;
}

} // namespace

void
ReadExperts(const JsonFields& config, TransformerShape& shape)
{
    const ExpertFamily* family = nullptr;
    for (const auto& candidate : FAMILIES)
    {
        family = shape.family == candidate.name ? &candidate : family;
    }
    if (!family)
    {
        RequireDense(config, shape.family);
        return;
    }
    ExpertShape& experts = shape.experts;
    experts.count = config.RequireCount(COUNTS);
    experts.perToken = config.RequireCount(PER_TOKEN);
    if (experts.perToken > experts.count)
    {
        config.Refuse(config.FindName(PER_TOKEN),
                      "is more than the number of experts = " + std::to_string(experts.count));
    }
    experts.feedForward = family->ownWidth ? config.RequireCount(WIDTHS) : shape.feedForward;
    experts.routerBias = family->routerBias;
    experts.balanceBias = family->balanceBias;
    ReadSharedExperts(config, *family, experts);
    experts.denseLayers = ReadDenseLayers(config, *family, shape.layers);
    if (shape.family == "llama4_text") // intermediate_size is that of experts
    {
        shape.feedForward = config.RequireCount({"intermediate_size_mlp"});
    }
}

} // namespace ns3::llm
