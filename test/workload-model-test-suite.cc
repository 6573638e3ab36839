// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/csv-row.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/parameter-count-comparison.h"
#include "ns3/test.h"
#include "ns3/transformer-model.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Json = nlohmann::json; //!< a JSON value

/**
 * @param config content of a file
 * @return the model
 */
TransformerModel
Parse(const Json& config)
{
    return TransformerModel::FromJson(config.dump(), "x/config.json");
}

/** Parameter counts of public models. */
class ParameterCountTestCase : public TestCase
{
  public:
    ParameterCountTestCase()
        : TestCase("Parameter counts equal those of public models")
    {
    }

  private:
    void DoRun() override
    {
        CheckList();
        CheckShapes();
        CheckBuiltIns();
        CheckFamilies();
    }

    /** The list of public models. */
    void CheckList()
    {
        const auto list = CompareParameterCounts();
        NS_TEST_ASSERT_MSG_EQ(list.size(), 15, "lines of the list");
        for (const auto& line : list)
        {
            NS_TEST_EXPECT_MSG_LT(std::abs(line.GetError()),
                                  1e-3,
                                  line.model << " is off by " << 100 * line.GetError() << " %");
        }
        ParameterCountComparison half;
        half.counted = 500;
        half.listed = 1000;
        NS_TEST_EXPECT_MSG_EQ(half.GetError(), -0.5, "half of what is listed");
    }

    /** The config.json files have the sizes that the list has. */
    void CheckShapes()
    {
        const std::string path = FindDataFile("validation/huggingface-models.csv");
        for (const auto& row : CsvRow::ReadFile("list", path))
        {
            const auto model = TransformerModel::Load(row.GetText("built_in"));
            const auto& shape = model.GetShape();
            const auto& experts = shape.experts;
            // MLPerf pads GPT-3's vocabulary
            const bool padded = shape.name == "gpt3-175b";
            const std::pair<const char*, uint64_t> sizes[] = {
                {"hidden_size", shape.hidden},
                {"num_hidden_layers", shape.layers},
                {"num_attention_heads", shape.heads},
                {"num_key_value_heads", shape.keyValueHeads},
                {"head_dim", shape.headSize},
                {"intermediate_size", shape.feedForward},
                {"vocab_size", padded ? PadVocabulary(shape.vocabulary, 1) : shape.vocabulary},
                {"max_position_embeddings", shape.maxPositions},
                {"num_experts", experts.count},
                {"num_experts_per_tok", experts.perToken},
                {"moe_intermediate_size", experts.feedForward},
                {"n_shared_experts", experts.shared},
                {"first_k_dense_replace", experts.denseLayers.size()}};
            for (const auto& [column, size] : sizes)
            {
                NS_TEST_EXPECT_MSG_EQ(static_cast<double>(size),
                                      row.GetNumber(column),
                                      shape.name << " " << column);
            }
            const bool gated = row.GetText("gated_mlp") == "yes";
            NS_TEST_EXPECT_MSG_EQ(shape.gated, gated, shape.name);
        }
    }

    /** Totals of the published checkpoints, which are exact. */
    void CheckBuiltIns()
    {
        const std::map<std::string, uint64_t> totals = {{"gpt2", 124439808},
                                                        {"gpt2-medium", 354823168},
                                                        {"gpt2-large", 774030080},
                                                        {"gpt2-xl", 1557611200},
                                                        {"llama-2-7b", 6738415616},
                                                        {"llama-2-70b", 68976648192},
                                                        {"llama-3.1-8b", 8030261248},
                                                        {"llama-3.1-70b", 70553706496},
                                                        {"llama-3.1-405b", 405853388800},
                                                        {"qwen2.5-72b", 72706203648},
                                                        {"bloom-176b", 176247271424},
                                                        {"mixtral-8x7b", 46702792704},
                                                        {"deepseek-v3", 671026419200},
                                                        {"qwen3-235b-a22b", 235093634560},
                                                        {"gpt-oss-120b", 116829156672}};
        // Falcon-180B by hand: QKV of 232 + 2 x 8 heads of 64, output, feed-forward, two norms
        const uint64_t h = 14848;
        const uint64_t falcon = 65024 * h + 80 * (h * (h + 1024) + 9 * h * h + 4 * h) + 2 * h;
        NS_TEST_EXPECT_MSG_EQ(TransformerModel::Load("falcon-180b").GetParameterCount(),
                              falcon,
                              "Falcon-180B");
        const auto names = TransformerModel::GetBuiltInNames();
        for (const auto& [name, total] : totals)
        {
            NS_TEST_EXPECT_MSG_EQ(TransformerModel::Load(name).GetParameterCount(), total, name);
        }
        for (const auto& name : names)
        {
            NS_TEST_EXPECT_MSG_EQ(TransformerModel::Load(name).GetShape().name, name, "name");
        }
        NS_TEST_EXPECT_MSG_EQ(TransformerModel::Load("GPT2-Medium").GetShape().hidden,
                              1024,
                              "case");
    }

    /** Totals of published checkpoints of the families that no built-in name covers. */
    void CheckFamilies()
    {
        const std::vector<std::pair<Json, uint64_t>> files = {
            {{{"model_type", "falcon"},
              {"hidden_size", 4544},
              {"num_hidden_layers", 32},
              {"num_attention_heads", 71},
              {"vocab_size", 65024},
              {"multi_query", true},
              {"parallel_attn", true},
              {"bias", false},
              {"new_decoder_architecture", false}},
             6921720704},
            {{{"model_type", "mistral"},
              {"hidden_size", 4096},
              {"num_hidden_layers", 32},
              {"num_attention_heads", 32},
              {"num_key_value_heads", 8},
              {"vocab_size", 32000},
              {"intermediate_size", 14336}},
             7241732096},
            {{{"model_type", "gemma"},
              {"hidden_size", 2048},
              {"num_hidden_layers", 18},
              {"num_attention_heads", 8},
              {"num_key_value_heads", 1},
              {"head_dim", 256},
              {"vocab_size", 256000},
              {"intermediate_size", 16384}},
             2506172416},
            {{{"model_type", "qwen3"},
              {"hidden_size", 4096},
              {"num_hidden_layers", 36},
              {"num_attention_heads", 32},
              {"num_key_value_heads", 8},
              {"head_dim", 128},
              {"vocab_size", 151936},
              {"intermediate_size", 12288},
              {"tie_word_embeddings", false}},
             8190735360},
            {{{"model_type", "gpt_neox"},
              {"hidden_size", 6144},
              {"num_hidden_layers", 44},
              {"num_attention_heads", 64},
              {"vocab_size", 50432},
              {"intermediate_size", 24576}},
             20554567680},
            {{{"model_type", "phi3"},
              {"hidden_size", 3072},
              {"num_hidden_layers", 32},
              {"num_attention_heads", 32},
              {"num_key_value_heads", 32},
              {"vocab_size", 32064},
              {"intermediate_size", 8192}},
             3821079552}};
        for (const auto& [config, total] : files)
        {
            NS_TEST_EXPECT_MSG_EQ(Parse(config).GetParameterCount(), total, config["model_type"]);
        }
    }
};

/** GPT-3 with the closed form of Narayanan et al., and the division among ranks. */
class ParameterPartsTestCase : public TestCase
{
  public:
    ParameterPartsTestCase()
        : TestCase("Parts of a model add up, and ranks hold their share")
    {
    }

  private:
    void DoRun() override
    {
        const TransformerModel model = TransformerModel::Load("gpt3-175b").WithVocabulary(51200);
        const double h = 12288;
        const double l = 96;
        const double closed = 12 * l * h * h * (1 + 13 / (12 * h) + (51200 + 2048) / (12 * l * h));
        const auto count = static_cast<double>(model.GetParameterCount());
        NS_TEST_EXPECT_MSG_EQ_TOL(count, closed + 2 * h, 100, "closed form and the final norm");
        NS_TEST_EXPECT_MSG_EQ_TOL(count, 174.6e9, 0.05e9, "published");

        const auto block = model.GetBlockParameters(0);
        NS_TEST_EXPECT_MSG_EQ(block.GetTotal(), 12ULL * 12288 * 12288 + 13 * 12288, "block");
        // sharded: four matrices, biases of QKV and the first matrix; kept: two norms, two biases
        NS_TEST_EXPECT_MSG_EQ(block.sharded, 12ULL * 12288 * 12288 + 7 * 12288, "sharded");
        NS_TEST_EXPECT_MSG_EQ(block.replicated, 6ULL * 12288, "replicated");
        NS_TEST_EXPECT_MSG_EQ(block.GetPerRank(8), block.sharded / 8 + block.replicated, "rank");

        NS_TEST_EXPECT_MSG_EQ(PadVocabulary(50257, 1), 50304, "128");
        NS_TEST_EXPECT_MSG_EQ(PadVocabulary(50257, 8), 51200, "128 x 8");
        NS_TEST_EXPECT_MSG_EQ(PadVocabulary(51200, 8), 51200, "already padded");
    }
};

/** The suite. */
class WorkloadModelTestSuite : public TestSuite
{
  public:
    WorkloadModelTestSuite()
        : TestSuite("llm-fabric-workload-model", TestSuite::Type::UNIT)
    {
        AddTestCase(new ParameterCountTestCase);
        AddTestCase(new ParameterPartsTestCase);
    }
};

WorkloadModelTestSuite g_workloadModelTestSuite; //!< registers itself

} // namespace
