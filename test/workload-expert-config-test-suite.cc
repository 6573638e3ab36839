// SPDX-License-Identifier: GPL-2.0-only

#include "workload-expert-support.h"
#include "workload-test-support.h"

#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Json = nlohmann::json; //!< a JSON value

/** Wrong files and shapes. */
class ExpertRefusalTestCase : public TestCase
{
  public:
    ExpertRefusalTestCase()
        : TestCase("Experts and latents that do not fit are refused")
    {
    }

  private:
    /**
     * @param config a right file
     * @param key a key
     * @param value its wrong value
     * @param part what the message must say
     */
    void Check(Json config, const char* key, const Json& value, const std::string& part)
    {
        config[key] = value;
        const std::string named = std::string(key) + " = " + value.dump();
        NS_TEST_EXPECT_MSG_EQ(
            CheckRefused([&] { ParseModel(config); }, {"x/config.json", named, part}),
            "",
            key);
    }

    /**
     * @param config a right file
     * @param key what to leave out
     */
    void CheckMissing(Json config, const char* key)
    {
        config.erase(key);
        const std::string named = std::string(key) + " = absent but is required";
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&] { ParseModel(config); }, {named}), "", key);
    }

    /**
     * @param change makes a shape of two layers and four experts wrong
     * @param parts what the message must say
     */
    void CheckShape(const std::function<void(TransformerShape&)>& change,
                    const std::vector<std::string>& parts)
    {
        TransformerShape shape;
        shape.name = "small";
        shape.hidden = shape.feedForward = shape.vocabulary = 64;
        shape.layers = 2;
        shape.heads = shape.keyValueHeads = 4;
        shape.headSize = 16;
        shape.experts.count = 4;
        shape.experts.perToken = 2;
        shape.experts.feedForward = 32;
        TransformerModel right(shape);
        change(shape);
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&] { TransformerModel wrong(shape); }, parts),
                              "",
                              parts[0]);
    }

    void DoRun() override
    {
        CheckFiles();
        CheckShapes();
    }

    /** Wrong files. */
    void CheckFiles()
    {
        const Json deepSeek = MakeSmallDeepSeek();
        Check(deepSeek, "num_experts_per_tok", 9, "more than the number of experts = 8");
        Check(deepSeek, "num_experts_per_tok", 0, "at least 1");
        Check(deepSeek, "n_routed_experts", 0, "at least 1");
        Check(deepSeek, "num_experts", 16, "contradicts n_routed_experts = 8");
        Check(deepSeek, "n_shared_experts", -1, "at least 0");
        Check(deepSeek, "first_k_dense_replace", 7, "number of layers = 6");
        Check(deepSeek, "moe_layer_freq", 0, "at least 1");
        Check(deepSeek, "moe_layer_freq", "all", "whole number");
        Check(deepSeek, "moe_layer_freq", {1, 0}, "each of the 6 layers");
        Check(deepSeek, "moe_layer_freq", {1, 2, 1, 1, 1, 1}, "whole numbers from 0 to 1");
        Check(deepSeek, "mlp_only_layers", {6}, "whole numbers from 0 to 5");
        Check(deepSeek, "mlp_only_layers", 3, "must be a list");
        Check(deepSeek, "q_lora_rank", "none", "whole number");
        Check(deepSeek, "v_head_dim", 0, "at least 1");
        for (const char* key : {"q_lora_rank",
                                "kv_lora_rank",
                                "qk_rope_head_dim",
                                "num_experts_per_tok",
                                "moe_intermediate_size",
                                "first_k_dense_replace"})
        {
            CheckMissing(deepSeek, key);
        }
        Json none = deepSeek;
        none["first_k_dense_replace"] = 6;
        NS_TEST_EXPECT_MSG_EQ(
            CheckRefused([&] { ParseModel(none); },
                         {"n_routed_experts = 8", "no layer of the file is left"}),
            "",
            "all layers dense");
        Check(MakeSmallGptOss(), "n_shared_experts", 1, "gpt_oss has no shared experts");
        Check(MakeSmallGptOss(), "kv_lora_rank", 8, "latent attention");
        Json maverick = MakeMaverick()["text_config"];
        CheckMissing(maverick, "intermediate_size_mlp");
        Json later = MakeOwnFormat(); // of a model with an index of keys, which has more matrices
        later["index_n_heads"] = 64;
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&] { ParseModel(later); }, {"must name the family"}),
                              "",
                              "later");
    }

    /** Wrong shapes. */
    void CheckShapes()
    {
        CheckShape([](auto& shape) { shape.experts.perToken = 5; },
                   {"experts per token = 5", "small", "experts = 4"});
        CheckShape([](auto& shape) { shape.experts.perToken = 0; }, {"experts per token = 0"});
        CheckShape([](auto& shape) { shape.experts.feedForward = 0; }, {"size of experts = 0"});
        CheckShape([](auto& shape) { shape.experts.shared = 1; },
                   {"shared experts = 1", "feed-forward size = 0"});
        CheckShape([](auto& shape) { shape.experts.denseLayers = {2}; },
                   {"dense layer = 2", "0 to 1"});
        CheckShape([](auto& shape) { shape.experts.denseLayers = {1, 0}; }, {"must ascend"});
        CheckShape(
            [](auto& shape) {
                shape.experts.denseLayers = {0, 1};
            },
            {"4 experts, but no layer is left"});
        CheckShape([](auto& shape) { shape.experts.count = 1ull << 44; }, {"too large"});
        CheckShape(
            [](auto& shape)
            {
                shape.latent.keyValueRank = 8;
                shape.latent.valueHeadSize = 16;
                shape.latent.noRopeHeadSize = 16;
                shape.latent.ropeHeadSize = 8;
            },
            {"head size = 16", "16 + 8"});
        CheckShape([](auto& shape) { shape.latent.keyValueRank = 8; }, {"head of values = 0"});
    }
};

/** The suite. */
class WorkloadExpertConfigTestSuite : public TestSuite
{
  public:
    WorkloadExpertConfigTestSuite()
        : TestSuite("llm-fabric-workload-expert-config", TestSuite::Type::UNIT)
    {
        AddTestCase(new ExpertRefusalTestCase);
    }
};

WorkloadExpertConfigTestSuite g_workloadExpertConfigTestSuite; //!< registers itself

} // namespace
