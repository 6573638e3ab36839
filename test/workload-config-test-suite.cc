// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/test.h"
#include "ns3/transformer-model.h"

#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Json = nlohmann::json; //!< a JSON value

/** @return a small valid file of the Llama family */
Json
MakeLlama()
{
    return {{"model_type", "llama"},
            {"hidden_size", 64},
            {"num_hidden_layers", 2},
            {"num_attention_heads", 4},
            {"num_key_value_heads", 2},
            {"intermediate_size", 96},
            {"vocab_size", 100},
            {"max_position_embeddings", 512}};
}

/**
 * @param config content of a file
 * @return the model
 */
TransformerModel
Parse(const Json& config)
{
    return TransformerModel::FromJson(config.dump(), "x/config.json");
}

/** Different ways to say the same. */
class ConfigDialectTestCase : public TestCase
{
  public:
    ConfigDialectTestCase()
        : TestCase("Nested files, other key names and defaults are understood")
    {
    }

  private:
    void DoRun() override
    {
        const Json plain = MakeLlama();
        const uint64_t count = Parse(plain).GetParameterCount();
        // by hand: QKV 64 x (64 + 64), output 64 x 64, three of 64 x 96, norms; embedding twice
        const uint64_t block = 64 * 128 + 64 * 64 + 3 * 64 * 96 + 2 * 64;
        NS_TEST_EXPECT_MSG_EQ(count, 2 * block + 2 * 100 * 64 + 64, "by hand");

        Json tied = plain;
        tied["tie_word_embeddings"] = true;
        NS_TEST_EXPECT_MSG_EQ(Parse(tied).GetParameterCount(), count - 6400, "tied");
        const Json nested = {{"model_type", "llava"},
                             {"tie_word_embeddings", true},
                             {"text_config", plain}};
        NS_TEST_EXPECT_MSG_EQ(Parse(nested).GetParameterCount(), count - 6400, "nested");

        Json named = plain;
        named.erase("model_type");
        named["architectures"] = {"LlamaForCausalLM"};
        NS_TEST_EXPECT_MSG_EQ(Parse(named).GetParameterCount(), count, "architectures");

        Json whole = plain;
        whole["num_key_value_heads"] = nullptr;
        NS_TEST_EXPECT_MSG_EQ(Parse(whole).GetShape().keyValueHeads, 4, "null means absent");
        Json biased = plain;
        biased["attention_bias"] = true;
        biased["mlp_bias"] = true;
        NS_TEST_EXPECT_MSG_EQ(Parse(biased).GetParameterCount(),
                              count + 2 * (128 + 64 + 2 * 96 + 64),
                              "biases");
        Json wide = plain;
        wide["head_dim"] = 32;
        NS_TEST_EXPECT_MSG_EQ(Parse(wide).GetParameterCount(),
                              count + 2 * (64 * 128 + 64 * 64),
                              "heads x head_dim = 128 differs from the hidden size");
        const TransformerModel opt = TransformerModel::Load("opt-175b");
        NS_TEST_EXPECT_MSG_EQ(opt.GetShape().positionRows, 2050, "OPT has two rows more");
    }
};

/** Wrong files. */
class ConfigRefusalTestCase : public TestCase
{
  public:
    ConfigRefusalTestCase()
        : TestCase("Wrong model files are refused by key, value and file")
    {
    }

  private:
    /**
     * @param key a key
     * @param value its wrong value
     * @param parts what the message must say
     */
    void Check(const char* key, const Json& value, std::vector<std::string> parts)
    {
        Json config = MakeLlama();
        config[key] = value;
        parts.insert(parts.end(), {"x/config.json", std::string(key) + " = " + value.dump()});
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&config] { Parse(config); }, parts), "", key);
    }

    void DoRun() override
    {
        Check("hidden_size", "64", {"whole number"});
        Check("hidden_size", 64.5, {"whole number"});
        Check("hidden_size", -64, {"at least 1"});
        Check("num_hidden_layers", 0, {"at least 1"});
        Check("vocab_size", 1ull << 40, {"too large"});
        Check("intermediate_size", (1u << 24) + 1, {"too large"});
        Check("n_layer", 3, {"contradicts num_hidden_layers = 2"});
        Check("num_attention_heads", 6, {"hidden size = 64", "head_dim"});
        Check("num_key_value_heads", 3, {"number of heads = 4"});
        Check("model_type", "t5", {"not a known family", "Allowed: ", "llama", "deepseek_v3"});
        Check("tie_word_embeddings", "yes", {"true or false"});
        Check("model_type", "lama", {"did you mean llama?"});
        Check("model_type", 7, {"must be a string"});
        Check("num_local_experts", 8, {"the family llama does not have", "mixtral"});
        Check("kv_lora_rank", 512, {"latent attention", "the family llama does not have"});

        const auto refuse =
            [this](const std::function<void()>& action, const std::vector<std::string>& parts)
        {
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(action, parts), "", parts[0]);
        };
        Json missing = MakeLlama();
        missing.erase("intermediate_size");
        refuse([&] { Parse(missing); }, {"intermediate_size = absent", "ffn_dim"});
        missing = MakeLlama();
        missing.erase("model_type");
        refuse([&] { Parse(missing); }, {"model_type = absent", "must name the family"});
        Json vast = MakeLlama();
        vast["hidden_size"] = vast["intermediate_size"] = vast["num_hidden_layers"] = 1u << 20;
        refuse([&] { Parse(vast); }, {"x/config.json", "parameters is too large"});
        refuse([] { TransformerModel::FromJson("{", "y.json"); }, {"y.json is not valid JSON"});
        refuse([] { TransformerModel::FromJson("[1]", "y.json"); }, {"y.json must hold"});
        refuse([] { TransformerModel::Load("gpt2-medum"); }, {"did you mean gpt2-medium?"});
        refuse([] { TransformerModel::Load("none/such.json"); }, {"cannot read", "none/such.json"});
        refuse([] { TransformerModel::Load("llama-2-7b").WithVocabulary(0); }, {"vocabulary = 0"});
    }
};

/** The suite. */
class WorkloadConfigTestSuite : public TestSuite
{
  public:
    WorkloadConfigTestSuite()
        : TestSuite("llm-fabric-workload-config", TestSuite::Type::UNIT)
    {
        AddTestCase(new ConfigDialectTestCase);
        AddTestCase(new ConfigRefusalTestCase);
    }
};

WorkloadConfigTestSuite g_workloadConfigTestSuite; //!< registers itself

} // namespace
