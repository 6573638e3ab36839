// SPDX-License-Identifier: GPL-2.0-only

#include "workload-expert-support.h"
#include "workload-test-support.h"

#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Json = nlohmann::json; //!< a JSON value

/** Totals of published checkpoints, and what is published as active. */
class ExpertTotalsTestCase : public TestCase
{
  public:
    ExpertTotalsTestCase()
        : TestCase("Parameters of public models with experts equal the published ones")
    {
    }

  private:
    void DoRun() override
    {
        CheckTotals();
        CheckLarge();
        CheckActive();
    }

    /** Exact totals of families that no built-in name covers. */
    void CheckTotals()
    {
        const std::pair<const char*, uint64_t> files[] = {
            // Qwen1.5-MoE-A2.7B
            {R"({"model_type": "qwen2_moe", "hidden_size": 2048, "num_hidden_layers": 24,
                 "num_attention_heads": 16, "intermediate_size": 5632, "num_experts": 60,
                 "num_experts_per_tok": 4, "moe_intermediate_size": 1408,
                 "shared_expert_intermediate_size": 5632, "vocab_size": 151936})",
             14315784192},
            // Qwen3-30B-A3B
            {R"({"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48,
                 "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
                 "intermediate_size": 6144, "num_experts": 128, "num_experts_per_tok": 8,
                 "moe_intermediate_size": 768, "vocab_size": 151936})",
             30532122624},
            // OLMoE-1B-7B
            {R"({"model_type": "olmoe", "hidden_size": 2048, "num_hidden_layers": 16,
                 "num_attention_heads": 16, "intermediate_size": 1024, "num_experts": 64,
                 "num_experts_per_tok": 8, "vocab_size": 50304})",
             6919161856},
            {R"({"model_type": "dbrx", "d_model": 6144, "n_layers": 40, "n_heads": 48,
                 "vocab_size": 100352, "attn_config": {"kv_n_heads": 8, "model_type": ""},
                 "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}})",
             131596523520},
            // gpt-oss-20b
            {R"({"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24,
                 "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 2880,
                 "num_local_experts": 32, "experts_per_token": 4, "vocab_size": 201088})",
             20914757184}};
        for (const auto& [text, total] : files)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseModel(Json::parse(text)).GetParameterCount(), total, text);
        }
        NS_TEST_EXPECT_MSG_EQ(ParseModel(MakeOwnFormat()).GetParameterCount(),
                              15706484224,
                              "DeepSeek-V2-Lite");
        Json second = MakeOwnFormat(); // DeepSeek-V2
        second.update(Json::parse(R"({"dim": 5120, "inter_dim": 12288, "moe_inter_dim": 1536,
            "n_layers": 60, "n_heads": 128, "n_routed_experts": 160, "q_lora_rank": 1536})"));
        NS_TEST_EXPECT_MSG_EQ(ParseModel(second).GetParameterCount(), 235741434880, "DeepSeek-V2");
        NS_TEST_EXPECT_MSG_EQ(
            TransformerModel::Load("mixtral-8x22b").WithVocabulary(32000).GetParameterCount(),
            140620634112,
            "the base model's vocabulary");
    }

    /** Models summed up by hand. */
    void CheckLarge()
    {
        // Maverick: even layers dense; odd ones have 128 experts and a shared one, of one width
        const uint64_t h = 5120;
        const uint64_t one = 3 * h * 8192;
        const uint64_t block = h * (5120 + 2048) + 5120 * h + 2 * h;
        const uint64_t maverick =
            48 * block + 24 * 3 * h * 16384 + 24 * (129 * one + 128 * h) + 2 * 202048 * h + h;
        const auto model = ParseModel(MakeMaverick());
        NS_TEST_EXPECT_MSG_EQ(model.GetParameterCount(), maverick, "Maverick by hand");
        NS_TEST_EXPECT_MSG_EQ_TOL(double(maverick), 400e9, 1e9, "published");
        NS_TEST_EXPECT_MSG_EQ(model.GetActiveParameterCount(),
                              maverick - 24 * 127 * one,
                              "by hand");

        // GLM-4.5: biases of queries, keys and values alone, norms in heads, a bias to balance
        const auto glm = Json::parse(R"({"model_type": "glm4_moe", "hidden_size": 5120,
            "num_hidden_layers": 92, "num_attention_heads": 96, "num_key_value_heads": 8,
            "head_dim": 128, "attention_bias": true, "use_qk_norm": true,
            "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160,
            "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
            "vocab_size": 151552})");
        const uint64_t attention = (h + 1) * (96 + 16) * 128 + 96 * 128 * h + 2 * 128 + 2 * h;
        const uint64_t layer = 161 * 3 * h * 1536 + 160 * h + 160;
        const uint64_t glmTotal =
            92 * attention + 3 * 3 * h * 12288 + 89 * layer + 2 * 151552 * h + h;
        NS_TEST_EXPECT_MSG_EQ(ParseModel(glm).GetParameterCount(), glmTotal, "GLM-4.5 by hand");
        NS_TEST_EXPECT_MSG_EQ_TOL(double(glmTotal), 355e9, 3.55e9, "published");

        // Kimi K2 has the classes of DeepSeek-V3; published as 1 trillion
        Json kimi = MakeSmallDeepSeek();
        kimi["model_type"] = "kimi_k2";
        NS_TEST_EXPECT_MSG_EQ(ParseModel(kimi).GetParameterCount(),
                              ParseModel(MakeSmallDeepSeek()).GetParameterCount(),
                              "one family");
    }

    /** Active parameters as their makers print them. */
    void CheckActive()
    {
        struct Published
        {
            const char* model; //!< built-in name
            bool embedding;    //!< whether the figure fits with the word embedding, or without
            double active;     //!< as printed
            double half;       //!< half of its last digit
        };

        const Published all[] = {{"mixtral-8x7b", true, 12.9e9, 0.05e9},
                                 {"mixtral-8x22b", true, 39e9, 0.5e9},
                                 {"deepseek-v3", false, 37e9, 0.5e9},
                                 {"qwen3-235b-a22b", true, 22e9, 0.5e9},
                                 {"gpt-oss-120b", false, 5.13e9, 0.005e9}};
        for (const auto& published : all)
        {
            const auto model = TransformerModel::Load(published.model);
            const uint64_t table = model.GetWordEmbeddingParameters().GetTotal();
            const uint64_t active =
                model.GetActiveParameterCount() - (published.embedding ? 0 : table);
            NS_TEST_EXPECT_MSG_EQ_TOL(double(active),
                                      published.active,
                                      published.half,
                                      published.model);
        }
        const auto dense = TransformerModel::Load("llama-2-7b");
        NS_TEST_EXPECT_MSG_EQ(dense.GetActiveParameterCount(), dense.GetParameterCount(), "dense");
    }
};

/** The suite. */
class WorkloadExpertTotalsTestSuite : public TestSuite
{
  public:
    WorkloadExpertTotalsTestSuite()
        : TestSuite("llm-fabric-workload-expert-totals", TestSuite::Type::UNIT)
    {
        AddTestCase(new ExpertTotalsTestCase);
    }
};

WorkloadExpertTotalsTestSuite g_workloadExpertTotalsTestSuite; //!< registers itself

} // namespace
