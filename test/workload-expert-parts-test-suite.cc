// SPDX-License-Identifier: GPL-2.0-only

#include "workload-expert-support.h"
#include "workload-test-support.h"

#include "ns3/test.h"

#include <algorithm>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Json = nlohmann::json; //!< a JSON value

/** Parts of small models by hand, and what ranks hold of them. */
class ExpertPartsTestCase : public TestCase
{
  public:
    ExpertPartsTestCase()
        : TestCase("Parts of models with experts add up, and ranks hold their share")
    {
    }

  private:
    void DoRun() override
    {
        CheckDeepSeek();
        CheckGptOss();
        CheckGate();
    }

    /** Latents and their norms are kept whole; heads, shared and routed experts are divided. */
    void CheckDeepSeek()
    {
        const auto model = ParseModel(MakeSmallDeepSeek());
        const auto attention = model.GetAttentionParameters();
        NS_TEST_EXPECT_MSG_EQ(attention.sharded,
                              24 * 4 * 24 + 12 * 4 * (16 + 20) + 4 * 20 * 64,
                              "from latents to heads, and the output");
        NS_TEST_EXPECT_MSG_EQ(attention.replicated,
                              64 * (24 + 12 + 8) + 24 + 12 + 64,
                              "to latents, norms");
        NS_TEST_EXPECT_MSG_EQ(attention.GetExperts(), 0, "none here");

        const auto dense = model.GetFeedForwardParameters(0);
        NS_TEST_EXPECT_MSG_EQ(dense.sharded, 3 * 64 * 96, "dense");
        NS_TEST_EXPECT_MSG_EQ(dense.replicated, 64, "its norm");
        NS_TEST_EXPECT_MSG_EQ(dense.GetExperts(), 0, "none in the first layer");
        const auto layer = model.GetFeedForwardParameters(1);
        NS_TEST_EXPECT_MSG_EQ(layer.sharded, 3 * 64 * 32, "the shared expert");
        NS_TEST_EXPECT_MSG_EQ(layer.replicated, 64 + 8 * 64 + 8, "norm, router and its bias");
        NS_TEST_EXPECT_MSG_EQ(layer.expertSharded, 8 * 3 * 64 * 32, "routed experts");
        NS_TEST_EXPECT_MSG_EQ(layer.expertReplicated, 0, "no biases");

        NS_TEST_EXPECT_MSG_EQ(layer.GetDensePerRank(2),
                              3 * 64 * 16 + 584,
                              "half of the shared one");
        NS_TEST_EXPECT_MSG_EQ(layer.GetExpertsPerRank(2, 4), 2 * 3 * 64 * 16, "two halves");
        NS_TEST_EXPECT_MSG_EQ(layer.GetPerRank(2, 4),
                              layer.GetDensePerRank(2) + layer.GetExpertsPerRank(2, 4),
                              "both");
        NS_TEST_EXPECT_MSG_EQ(layer.GetPerRank(1), layer.GetTotal(), "one rank holds all");

        uint64_t sum = 2 * model.GetWordEmbeddingParameters().GetTotal() + 64;
        for (uint64_t i = 0; i < 6; ++i)
        {
            sum += model.GetBlockParameters(i).GetTotal();
        }
        NS_TEST_EXPECT_MSG_EQ(model.GetParameterCount(), sum, "layer by layer");
        NS_TEST_EXPECT_MSG_EQ(model.GetActiveParameterCount(),
                              sum - 5 * 6 * 3 * 64 * 32,
                              "six idle experts in five layers");

        Json full = MakeSmallDeepSeek();
        full["q_lora_rank"] = nullptr;
        full["attention_bias"] = true;
        const auto whole = ParseModel(full).GetAttentionParameters();
        NS_TEST_EXPECT_MSG_EQ(whole.sharded - attention.sharded, 40 * 4 * 24, "one full matrix");
        // without latent of queries and its norm, with biases of the other latent and of the output
        NS_TEST_EXPECT_MSG_EQ(attention.replicated - whole.replicated,
                              64 * 24 + 24 - (12 + 8) - 64,
                              "biases");
    }

    /** A bias that is added after the sum over an expert's parts is kept with each of them. */
    void CheckGptOss()
    {
        const auto model = ParseModel(MakeSmallGptOss());
        const auto layer = model.GetFeedForwardParameters(0);
        NS_TEST_EXPECT_MSG_EQ(layer.expertSharded, 8 * (3 * 64 * 96 + 2 * 96), "with inner biases");
        NS_TEST_EXPECT_MSG_EQ(layer.expertReplicated, 8 * 64, "outer biases");
        NS_TEST_EXPECT_MSG_EQ(layer.sharded, 0, "nothing dense");
        NS_TEST_EXPECT_MSG_EQ(layer.replicated, 64 + 8 * 64 + 8, "norm, router with bias");
        NS_TEST_EXPECT_MSG_EQ(layer.GetExpertsPerRank(4, 2),
                              4 * (3 * 64 * 24 + 2 * 24 + 64),
                              "a quarter of four experts");
        const auto attention = model.GetAttentionParameters();
        NS_TEST_EXPECT_MSG_EQ(attention.sharded,
                              (64 + 1) * (128 + 2 * 64) + 128 * 64 + 4,
                              "biases, and a sink for each head");
        NS_TEST_EXPECT_MSG_EQ(attention.replicated, 2 * 64, "norm and output's bias");
        NS_TEST_EXPECT_MSG_EQ((layer + layer).GetTotal(), (layer * 2).GetTotal(), "sum, multiple");
        NS_TEST_EXPECT_MSG_EQ((layer * 2).expertReplicated, 2 * 8 * 64, "part by part");
    }

    /** Qwen2 has a gate on its shared expert, OLMoE norms over all heads. */
    void CheckGate()
    {
        const Json experts = {{"num_experts", 8},
                              {"num_experts_per_tok", 2},
                              {"moe_intermediate_size", 32},
                              {"shared_expert_intermediate_size", 48}};
        const auto layer =
            ParseModel(MakeSmallConfig("qwen2_moe", experts)).GetFeedForwardParameters(0);
        NS_TEST_EXPECT_MSG_EQ(layer.sharded, 3 * 64 * 48, "shared");
        NS_TEST_EXPECT_MSG_EQ(layer.replicated, 64 + 8 * 64 + 64, "norm, router, gate");
        Json none = experts;
        none["shared_expert_intermediate_size"] = 0;
        const auto bare =
            ParseModel(MakeSmallConfig("qwen2_moe", none)).GetFeedForwardParameters(0);
        NS_TEST_EXPECT_MSG_EQ(bare.sharded, 0, "no shared expert");
        NS_TEST_EXPECT_MSG_EQ(bare.replicated, 64 + 8 * 64, "then no gate");

        Json olmoe = experts;
        olmoe["num_key_value_heads"] = 2;
        const auto attention = ParseModel(MakeSmallConfig("olmoe", olmoe)).GetAttentionParameters();
        NS_TEST_EXPECT_MSG_EQ(attention.sharded, 64 * (64 + 64) + 64 * 64 + 64 + 32, "norms");
    }
};

/** Which layers have experts. */
class ExpertLayersTestCase : public TestCase
{
  public:
    ExpertLayersTestCase()
        : TestCase("Expert layers are those that the file names")
    {
    }

  private:
    /**
     * @param family `model_type`
     * @param more keys about layers
     * @param marks "1" for each layer with experts, else "0"
     */
    void Check(const char* family, const Json& more, const std::string& marks)
    {
        Json config = MakeSmallConfig(family,
                                      {{"num_experts", 8},
                                       {"num_experts_per_tok", 2},
                                       {"moe_intermediate_size", 32},
                                       {"shared_expert_intermediate_size", 32},
                                       {"intermediate_size_mlp", 96}});
        if (family == std::string("deepseek_v3"))
        {
            config = MakeSmallDeepSeek();
        }
        config.update(more);
        const auto model = ParseModel(config);
        std::string found;
        for (uint64_t layer = 0; layer < 6; ++layer)
        {
            const bool experts = model.GetShape().IsExpertLayer(layer);
            NS_TEST_EXPECT_MSG_EQ((model.GetBlockParameters(layer).GetExperts() > 0),
                                  experts,
                                  layer);
            found += experts ? "1" : "0";
        }
        NS_TEST_EXPECT_MSG_EQ(found, marks, config.dump());
        NS_TEST_EXPECT_MSG_EQ(model.GetShape().GetExpertLayerCount(),
                              uint64_t(std::count(marks.begin(), marks.end(), '1')),
                              marks);
    }

    void DoRun() override
    {
        Check("mixtral", Json::object(), "111111");
        Check("deepseek_v3", {{"first_k_dense_replace", 2}}, "001111");
        Check("deepseek_v3", {{"first_k_dense_replace", 0}}, "111111");
        Check("deepseek_v3", {{"moe_layer_freq", 2}}, "001010");
        Check("deepseek_v3", {{"moe_layer_freq", {1, 1, 0, 1, 0, 1}}}, "010101");
        Check("qwen2_moe", {{"decoder_sparse_step", 2}}, "010101");
        Check("qwen2_moe", {{"decoder_sparse_step", 2}, {"mlp_only_layers", {0, 3}}}, "010001");
        Check("qwen3_moe", {{"mlp_only_layers", {5}}}, "111110");
        Check("llama4_text", {{"interleave_moe_layer_step", 3}}, "001001");
        // a list comes before a step
        Check("llama4_text", {{"interleave_moe_layer_step", 3}, {"moe_layers", {1, 2}}}, "011000");
        Check("llama4_text", {{"interleave_moe_layer_step", 2}, {"moe_layers", nullptr}}, "010101");
        NS_TEST_EXPECT_MSG_EQ(TransformerModel::Load("gpt2").GetShape().IsExpertLayer(0),
                              false,
                              "dense");
    }
};

/** The suite. */
class WorkloadExpertPartsTestSuite : public TestSuite
{
  public:
    WorkloadExpertPartsTestSuite()
        : TestSuite("llm-fabric-workload-expert-parts", TestSuite::Type::UNIT)
    {
        AddTestCase(new ExpertPartsTestCase);
        AddTestCase(new ExpertLayersTestCase);
    }
};

WorkloadExpertPartsTestSuite g_workloadExpertPartsTestSuite; //!< registers itself

} // namespace
