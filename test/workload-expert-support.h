// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_WORKLOAD_EXPERT_SUPPORT_H
#define LLM_FABRIC_WORKLOAD_EXPERT_SUPPORT_H

#include "ns3/transformer-model.h"

#include <nlohmann/json.hpp>

/**
 * @param config content of a file
 * @return the model
 */
inline ns3::llm::TransformerModel
ParseModel(const nlohmann::json& config)
{
    return ns3::llm::TransformerModel::FromJson(config.dump(), "x/config.json");
}

/**
 * @param family `model_type`
 * @param more keys of the family
 * @return a small file: hidden size 64, six layers, four heads of 16, feed-forward 96, vocabulary 100
 */
inline nlohmann::json
MakeSmallConfig(const char* family, const nlohmann::json& more)
{
    nlohmann::json config = {{"model_type", family},
                             {"hidden_size", 64},
                             {"num_hidden_layers", 6},
                             {"num_attention_heads", 4},
                             {"intermediate_size", 96},
                             {"vocab_size", 100}};
    config.update(more);
    return config;
}

/** @return a small DeepSeek-V3: first layer dense, 8 experts of width 32, 2 for a token, 1 shared */
inline nlohmann::json
MakeSmallDeepSeek()
{
    return MakeSmallConfig("deepseek_v3", nlohmann::json::parse(R"({
        "q_lora_rank": 24, "kv_lora_rank": 12,
        "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 20,
        "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1,
        "moe_intermediate_size": 32, "first_k_dense_replace": 1})"));
}

/** @return a small gpt-oss: 8 experts of width 96, 2 for a token, biases and sinks */
inline nlohmann::json
MakeSmallGptOss()
{
    return MakeSmallConfig("gpt_oss", nlohmann::json::parse(R"({
        "num_key_value_heads": 2, "head_dim": 32,
        "num_local_experts": 8, "num_experts_per_tok": 2})"));
}

/** @return Llama 4 Maverick, nested as its file is */
inline nlohmann::json
MakeMaverick()
{
    return nlohmann::json::parse(R"({"model_type": "llama4", "text_config": {
        "model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48,
        "num_attention_heads": 40, "num_key_value_heads": 8, "intermediate_size": 8192,
        "intermediate_size_mlp": 16384, "num_local_experts": 128, "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 2, "use_qk_norm": true, "vocab_size": 202048}})");
}

/** @return DeepSeek-V2-Lite by the keys of DeepSeek's own code */
inline nlohmann::json
MakeOwnFormat()
{
    return nlohmann::json::parse(R"({"vocab_size": 102400, "dim": 2048, "inter_dim": 10944,
        "moe_inter_dim": 1408, "n_layers": 27, "n_dense_layers": 1, "n_heads": 16,
        "n_routed_experts": 64, "n_shared_experts": 2, "n_activated_experts": 6, "q_lora_rank": 0,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128})");
}

#endif // LLM_FABRIC_WORKLOAD_EXPERT_SUPPORT_H
