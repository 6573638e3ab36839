// SPDX-License-Identifier: GPL-2.0-only

#include "operator-test-support.h"
#include "workload-test-support.h"

#include "ns3/test.h"

#include <memory>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr TrainingPass FORWARD = TrainingPass::FORWARD;   //!< shorter
constexpr TrainingPass BACKWARD = TrainingPass::BACKWARD; //!< shorter
constexpr auto TENSOR = ParallelDimension::TENSOR;        //!< shorter
constexpr auto EXPERT = ParallelDimension::EXPERT;        //!< shorter
constexpr uint64_t HIDDEN = 512;                          //!< of the models here
constexpr uint64_t TOKENS = 1024;                         //!< of the micro-batch
constexpr uint64_t EXPERTS = 8;                           //!< of a layer
constexpr uint64_t CHOSEN = 2;                            //!< of a token
constexpr uint64_t WIDTH = 768;                           //!< of an expert

/** @param shared experts that every token passes @return a model whose first layer is dense */
TransformerShape
MakeExperts(uint64_t shared)
{
    TransformerShape shape;
    shape.name = "experts";
    shape.hidden = HIDDEN;
    shape.layers = 3;
    shape.heads = shape.keyValueHeads = 8;
    shape.headSize = HIDDEN / 8;
    shape.feedForward = 1536;
    shape.vocabulary = 1024;
    shape.positions = TransformerShape::ROTARY;
    shape.gated = shape.rmsNorm = true;
    shape.experts.count = EXPERTS;
    shape.experts.perToken = CHOSEN;
    shape.experts.feedForward = WIDTH;
    shape.experts.shared = shared;
    shape.experts.sharedFeedForward = shared * WIDTH;
    shape.experts.denseLayers = {0};
    return shape;
}

/** @return a model with latent attention */
TransformerShape
MakeLatent()
{
    TransformerShape shape = MakeExperts(0);
    shape.experts = {};
    shape.name = "latents";
    shape.headSize = 48;
    shape.latent.keyValueRank = 64;
    shape.latent.queryRank = 96;
    shape.latent.noRopeHeadSize = 32;
    shape.latent.ropeHeadSize = 16;
    shape.latent.valueHeadSize = 24;
    return shape;
}

/**
 * @param shape a model
 * @param tensor TP
 * @param expert EP
 * @param sequenceParallel SP
 * @param options what the software does
 * @return its lists
 */
std::unique_ptr<TransformerOperators>
MakeOperators(const TransformerShape& shape,
              uint32_t tensor,
              uint32_t expert,
              bool sequenceParallel,
              const OperatorOptions& options = {})
{
    ParallelStrategy strategy = MakeStrategy(tensor, 1, expert, 1, TOKENS);
    strategy.expertParallel = expert;
    strategy.sequenceParallel = sequenceParallel;
    return std::make_unique<TransformerOperators>(TransformerModel(shape), strategy, options);
}

/** Layers with experts. */
class ExpertLayerTestCase : public TestCase
{
  public:
    ExpertLayerTestCase()
        : TestCase("Layers with experts have the operations and traffic of their tokens")
    {
    }

  private:
    void DoRun() override
    {
        CheckOrder();
        for (const uint64_t shared : {0, 1})
        {
            for (const uint32_t expert : {1, 2, 8})
            {
                CheckFlops(shared, 1, expert, false);
                CheckFlops(shared, 4, expert, true);
                CheckFlops(shared, 4, expert, false);
                CheckTraffic(shared, 4, expert);
            }
        }
        CheckCapacity();
        CheckGradients();
        OperatorOptions wrong;
        wrong.capacityFactor = 0.5;
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&]
                                           { MakeOperators(MakeExperts(0), 1, 1, false, wrong); },
                                           {"capacity factor = 0.5", "1 to 1000"}),
                              "",
                              "tokens dropped");
        wrong = {};
        wrong.activationBytes = 8;
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([&]
                                           { MakeOperators(MakeExperts(0), 1, 1, false, wrong); },
                                           {"activation bytes = 8", "1 to 4"}),
                              "",
                              "64 bit");
    }

    /** Names of the steps. */
    void CheckOrder()
    {
        const std::string attention = "norm, AG, wait, qkv, rotary, scores, softmax, values, "
                                      "output, RS, wait, residual, norm, ";
        const auto operators = MakeOperators(MakeExperts(1), 2, 4, true);
        NS_TEST_EXPECT_MSG_EQ(DescribeSteps(operators->GetBlock(FORWARD, 0)),
                              attention + "AG, wait, fc1, activation, fc2, RS, wait, residual",
                              "dense");
        NS_TEST_EXPECT_MSG_EQ(
            DescribeSteps(operators->GetBlock(FORWARD, 1)),
            attention + "router, choice, AG, wait, fc1, activation, fc2, RS, wait, permutation, "
                        "A2A, wait, AG, wait, sort, fc1, activation, fc2, sort, RS, wait, A2A, "
                        "wait, combination, residual",
            "experts");
        // without any group: no communication, nothing to sort
        NS_TEST_EXPECT_MSG_EQ(
            DescribeSteps(MakeOperators(MakeExperts(0), 1, 1, false)->GetBlock(BACKWARD, 1)),
            "combination, fc2, fc2, activation, fc1, fc1, permutation, choice, router, router, "
            "norm, residual, expert gradient, gradient, output, output, values, values, softmax, "
            "scores, scores, rotary, qkv, qkv, norm, residual, gradient",
            "backward");
    }

    /**
     * Operations of a layer, once from its parts and once from the parameters that a token passes.
     * @param shared experts that every token passes
     * @param tensor TP
     * @param expert EP
     * @param sequenceParallel SP
     */
    void CheckFlops(uint64_t shared, uint64_t tensor, uint64_t expert, bool sequenceParallel)
    {
        const TransformerShape shape = MakeExperts(shared);
        const auto operators = MakeOperators(shape,
                                             static_cast<uint32_t>(tensor),
                                             static_cast<uint32_t>(expert),
                                             sequenceParallel);
        const auto forward = operators->GetBlock(FORWARD, 1);
        const uint64_t routed = CHOSEN * 6 * TOKENS * HIDDEN * WIDTH / tensor;
        const uint64_t every = shared * 6 * TOKENS * HIDDEN * WIDTH / tensor;
        NS_TEST_EXPECT_MSG_EQ(SumFlops(forward, Named("fc1")) + SumFlops(forward, Named("fc2")),
                              routed + every,
                              "TP " << tensor << ", EP " << expert);
        const uint64_t router = 2 * TOKENS * HIDDEN * EXPERTS / (sequenceParallel ? tensor : 1);
        NS_TEST_EXPECT_MSG_EQ(SumFlops(forward, Named("router")), router, "router");
        NS_TEST_EXPECT_MSG_EQ(SumFlops(operators->GetBlock(BACKWARD, 1)),
                              2 * SumFlops(forward),
                              "backward");
        if (tensor == 1)
        {
            // 2 x tokens x parameters: all matrices of the three layers that a token passes
            uint64_t all = 0;
            for (const uint64_t layer : {0, 1, 2})
            {
                const auto steps = operators->GetBlock(FORWARD, layer);
                all += SumFlops(steps) - SumFlops(steps, Named("scores")) -
                       SumFlops(steps, Named("values"));
            }
            const uint64_t norms = (2 * 3 + 1) * HIDDEN;
            const uint64_t words = 2 * shape.vocabulary * HIDDEN;
            NS_TEST_EXPECT_MSG_EQ(
                all,
                2 * TOKENS * (TransformerModel(shape).GetActiveParameterCount() - norms - words),
                "active parameters");
        }
    }

    /**
     * @param shared experts that every token passes
     * @param tensor TP
     * @param expert EP
     */
    void CheckTraffic(uint64_t shared, uint64_t tensor, uint64_t expert)
    {
        constexpr uint64_t X = 2 * TOKENS * HIDDEN;
        const uint64_t exchanged = expert > 1 ? 2 * CHOSEN * X : 0; // there and back
        const auto with = MakeOperators(MakeExperts(shared),
                                        static_cast<uint32_t>(tensor),
                                        static_cast<uint32_t>(expert),
                                        true);
        const auto without = MakeOperators(MakeExperts(shared),
                                           static_cast<uint32_t>(tensor),
                                           static_cast<uint32_t>(expert),
                                           false);
        for (const auto pass : {FORWARD, BACKWARD})
        {
            const auto divided = with->GetBlock(pass, 1);
            const auto whole = without->GetBlock(pass, 1);
            NS_TEST_EXPECT_MSG_EQ(SumTraffic(whole, TrainingTask::ALL_TO_ALL, EXPERT),
                                  exchanged,
                                  "every rank of a tensor group sends all tokens");
            NS_TEST_EXPECT_MSG_EQ(tensor * SumTraffic(divided, TrainingTask::ALL_TO_ALL, EXPERT),
                                  exchanged,
                                  "SP: its own");
            NS_TEST_EXPECT_MSG_EQ(SumTraffic(whole, TrainingTask::ALL_REDUCE, TENSOR),
                                  2 * X,
                                  "attention and experts");
            // attention, shared experts, the tokens of routed experts
            NS_TEST_EXPECT_MSG_EQ(SumTraffic(divided, TrainingTask::REDUCE_SCATTER, TENSOR),
                                  (1 + shared + CHOSEN) * X,
                                  "sums");
            NS_TEST_EXPECT_MSG_EQ(SumTraffic(divided, TrainingTask::ALL_GATHER, TENSOR),
                                  ((pass == FORWARD ? 1 : 2) * (1 + shared) + CHOSEN) * X,
                                  "inputs");
        }
    }

    /** More tokens than an even choice gives. */
    void CheckCapacity()
    {
        OperatorOptions options;
        options.capacityFactor = 1.25;
        const auto even = MakeOperators(MakeExperts(0), 1, 4, false);
        const auto more = MakeOperators(MakeExperts(0), 1, 4, false, options);
        for (const auto pass : {FORWARD, BACKWARD})
        {
            NS_TEST_EXPECT_MSG_EQ(
                4 * SumTraffic(more->GetBlock(pass, 1), TrainingTask::ALL_TO_ALL, EXPERT),
                5 * SumTraffic(even->GetBlock(pass, 1), TrainingTask::ALL_TO_ALL, EXPERT),
                "traffic");
            NS_TEST_EXPECT_MSG_EQ(4 * SumFlops(more->GetBlock(pass, 1), Named("fc2")),
                                  5 * SumFlops(even->GetBlock(pass, 1), Named("fc2")),
                                  "operations");
        }
    }

    /** Gradients of a rank: those of its experts apart. */
    void CheckGradients()
    {
        const TransformerModel model(MakeExperts(1));
        for (const uint32_t expert : {1, 4})
        {
            const auto operators = MakeOperators(MakeExperts(1), 2, expert, true);
            uint64_t own = 0;
            uint64_t others = 0;
            for (const auto& step : operators->GetBlock(BACKWARD, 2))
            {
                (step.expert ? own : others) += step.parameters;
            }
            NS_TEST_EXPECT_MSG_EQ(own, EXPERTS * 3 * HIDDEN * WIDTH / (2 * expert), "experts");
            NS_TEST_EXPECT_MSG_EQ(others,
                                  (4 * HIDDEN * HIDDEN + 3 * HIDDEN * WIDTH) / 2 + 2 * HIDDEN +
                                      EXPERTS * HIDDEN,
                                  "matrices over TP, norms and router whole");
            NS_TEST_EXPECT_MSG_EQ(own + others,
                                  model.GetBlockParameters(2).GetPerRank(2, expert),
                                  "all of the block");
        }
    }
};

/** Latent attention. */
class LatentAttentionTestCase : public TestCase
{
  public:
    LatentAttentionTestCase()
        : TestCase("Latent attention projects down and up, and gathers latents only")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t HEADS = 8;
        const TransformerModel model(MakeLatent());
        for (const uint64_t tensor : {1, 2})
        {
            for (const bool divided : {false, true})
            {
                const auto operators =
                    MakeOperators(MakeLatent(), static_cast<uint32_t>(tensor), 1, divided);
                const auto forward = operators->GetBlock(FORWARD);
                const auto backward = operators->GetBlock(BACKWARD);
                const uint64_t down = 2 * TOKENS * HIDDEN * (96 + 64 + 16) / (divided ? tensor : 1);
                const uint64_t up = 2 * TOKENS * HEADS * (96 * 48 + 64 * (32 + 24)) / tensor;
                const uint64_t scores = 2 * TOKENS * TOKENS * HEADS * 48 / tensor;
                const uint64_t values = 2 * TOKENS * TOKENS * HEADS * 24 / tensor;
                const uint64_t output = 2 * TOKENS * HEADS * 24 * HIDDEN / tensor;
                const uint64_t feedForward = 6 * TOKENS * HIDDEN * 1536 / tensor;
                NS_TEST_EXPECT_MSG_EQ(SumFlops(forward),
                                      down + up + scores + values + output + feedForward,
                                      "TP " << tensor);
                NS_TEST_EXPECT_MSG_EQ(SumFlops(backward), 2 * SumFlops(forward), "backward");
                CheckSums(*operators, tensor, divided);
                uint64_t parameters = 0;
                for (const auto& step : backward)
                {
                    parameters += step.parameters;
                }
                NS_TEST_EXPECT_MSG_EQ(parameters,
                                      model.GetBlockParameters(0).GetPerRank(tensor),
                                      "gradients");
            }
        }
        CheckDirectQueries();
    }

    /**
     * @param operators lists
     * @param tensor TP
     * @param divided whether SP is used
     */
    void CheckSums(const TransformerOperators& operators, uint64_t tensor, bool divided)
    {
        constexpr uint64_t X = 2 * TOKENS * HIDDEN;
        constexpr uint64_t LATENTS = 2 * TOKENS * (96 + 64 + 16);
        const uint64_t any = tensor > 1 ? 1 : 0;
        const auto sum = [&](TrainingPass pass, TrainingTask::Kind task)
        {
            return SumTraffic(operators.GetBlock(pass), task, TENSOR);
        };
        NS_TEST_EXPECT_MSG_EQ(sum(FORWARD, TrainingTask::ALL_REDUCE),
                              (divided ? 0 : 2 * X * any),
                              "outputs");
        NS_TEST_EXPECT_MSG_EQ(sum(BACKWARD, TrainingTask::ALL_REDUCE),
                              (divided ? 0 : (X + LATENTS) * any),
                              "of the feed-forward's input and of the latents");
        NS_TEST_EXPECT_MSG_EQ(sum(FORWARD, TrainingTask::ALL_GATHER),
                              (divided ? (X + LATENTS) * any : 0),
                              "the feed-forward's input, the latents");
        NS_TEST_EXPECT_MSG_EQ(sum(BACKWARD, TrainingTask::ALL_GATHER),
                              (divided ? (3 * X + LATENTS) * any : 0),
                              "two outputs' gradients, and both inputs again");
    }

    /** Queries without a latent. */
    void CheckDirectQueries()
    {
        TransformerShape shape = MakeLatent();
        shape.latent.queryRank = 0;
        const auto steps = MakeOperators(shape, 2, 1, true)->GetBlock(FORWARD);
        NS_TEST_EXPECT_MSG_EQ(SumFlops(steps, Named("query up")),
                              2 * TOKENS * HIDDEN * 8 * 48 / 2,
                              "from the input");
        NS_TEST_EXPECT_MSG_EQ(CountSteps(steps, Named("query down")), 0, "no latent");
        NS_TEST_EXPECT_MSG_EQ(SumTraffic(steps, TrainingTask::ALL_GATHER, TENSOR),
                              2 * TOKENS * (HIDDEN + HIDDEN + 64 + 16),
                              "inputs and the latent of keys and values");
    }
};

/** The suite. */
class WorkloadExpertsTestSuite : public TestSuite
{
  public:
    WorkloadExpertsTestSuite()
        : TestSuite("llm-fabric-workload-experts", TestSuite::Type::UNIT)
    {
        AddTestCase(new ExpertLayerTestCase);
        AddTestCase(new LatentAttentionTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadExpertsTestSuite g_workloadExpertsTestSuite; //!< registers itself

} // namespace
