// SPDX-License-Identifier: GPL-2.0-only

#include "operator-test-support.h"
#include "workload-test-support.h"

#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr TrainingPass FORWARD = TrainingPass::FORWARD;   //!< shorter
constexpr TrainingPass BACKWARD = TrainingPass::BACKWARD; //!< shorter
constexpr auto TENSOR = ParallelDimension::TENSOR;        //!< shorter
constexpr uint64_t HIDDEN = GPT_HIDDEN;                   //!< shorter
constexpr uint64_t HEADS = GPT_HEADS;                     //!< shorter
constexpr uint64_t TOKENS = GPT_TOKENS;                   //!< shorter

/** @param strategy gets SP */
void
UseSequenceParallel(ParallelStrategy& strategy)
{
    strategy.sequenceParallel = true;
}

/** Tokens divided between matrices. */
class SequenceParallelTestCase : public TestCase
{
  public:
    SequenceParallelTestCase()
        : TestCase("Sequence parallelism moves as much and divides what lies between matrices")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t TP = 4;
        constexpr uint64_t X = 2 * 2 * TOKENS * HIDDEN; // bytes of the activations
        for (const bool overlap : {true, false})
        {
            OperatorOptions options;
            options.overlapBackward = overlap;
            const auto without = MakeGptOperators(TP, 1, options);
            const auto with = MakeGptOperators(TP, 1, options, UseSequenceParallel);
            for (const auto pass : {FORWARD, BACKWARD})
            {
                const auto steps = with->GetBlock(pass);
                const auto whole = without->GetBlock(pass);
                NS_TEST_EXPECT_MSG_EQ(SumTraffic(whole, TrainingTask::ALL_REDUCE, TENSOR),
                                      2 * X,
                                      "two sums");
                NS_TEST_EXPECT_MSG_EQ(SumTraffic(steps, TrainingTask::ALL_REDUCE, TENSOR), 0, "SP");
                NS_TEST_EXPECT_MSG_EQ(SumTraffic(steps, TrainingTask::REDUCE_SCATTER, TENSOR),
                                      2 * X,
                                      "each sum is half an all-reduce");
                // backward inputs are gathered a second time
                NS_TEST_EXPECT_MSG_EQ(SumTraffic(steps, TrainingTask::ALL_GATHER, TENSOR),
                                      (pass == FORWARD ? 2 : 4) * X,
                                      "and the other half");
                NS_TEST_EXPECT_MSG_EQ(SumFlops(steps), SumFlops(whole), "the same products");
                for (const char* name : {"norm", "residual"})
                {
                    NS_TEST_EXPECT_MSG_EQ(TP * SumVectorBytes(steps, Named(name)),
                                          SumVectorBytes(whole, Named(name)),
                                          name);
                }
                for (const char* name : {"softmax", "activation"})
                {
                    NS_TEST_EXPECT_MSG_EQ(SumVectorBytes(steps, Named(name)),
                                          SumVectorBytes(whole, Named(name)),
                                          name);
                }
            }
            const auto embedding = with->GetEmbedding(FORWARD);
            NS_TEST_EXPECT_MSG_EQ(SumTraffic(embedding, TrainingTask::REDUCE_SCATTER, TENSOR),
                                  X,
                                  "embedding");
            NS_TEST_EXPECT_MSG_EQ(
                SumTraffic(with->GetEmbedding(BACKWARD), TrainingTask::ALL_GATHER, TENSOR),
                X,
                "its gradient");
        }
        NS_TEST_EXPECT_MSG_EQ(
            DescribeSteps(MakeGptOperators(1, 1, {}, UseSequenceParallel)->GetBlock(FORWARD)),
            DescribeSteps(MakeGptOperators(1, 1)->GetBlock(FORWARD)),
            "a group of one");
    }
};

/** Activations computed again. */
class RecomputationTestCase : public TestCase
{
  public:
    RecomputationTestCase()
        : TestCase("Recomputation repeats the forward pass, or attention without projections")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t TP = 2;
        const auto again = OfShare(TransformerStep::RECOMPUTATION);
        const auto use = [](Recomputation recomputation)
        {
            return [recomputation](ParallelStrategy& strategy)
            {
                strategy.recomputation = recomputation;
            };
        };
        const auto none = MakeGptOperators(TP, 1);
        const auto forward = none->GetBlock(FORWARD);
        const auto backward = none->GetBlock(BACKWARD);
        NS_TEST_EXPECT_MSG_EQ(CountSteps(backward, again), 0, "none");
        NS_TEST_EXPECT_MSG_EQ(SumFlops(backward), 2 * SumFlops(forward), "backward");

        const auto full = MakeGptOperators(TP, 1, {}, use(Recomputation::FULL))->GetBlock(BACKWARD);
        NS_TEST_EXPECT_MSG_EQ(DescribeSteps(full),
                              DescribeSteps(forward) + ", " + DescribeSteps(backward),
                              "all of the forward pass comes first");
        NS_TEST_EXPECT_MSG_EQ(CountSteps(full, again), forward.size(), "with its collectives");
        NS_TEST_EXPECT_MSG_EQ(SumFlops(full), 3 * SumFlops(forward), "a third more");

        const auto selective =
            MakeGptOperators(TP, 1, {}, use(Recomputation::SELECTIVE))->GetBlock(BACKWARD);
        // Korthikanti et al., arXiv 2205.05198, section 5: 4 b s^2 h
        NS_TEST_EXPECT_MSG_EQ(SumFlops(selective, again),
                              4 * 2 * TOKENS * TOKENS * HIDDEN / TP,
                              "scores and values");
        NS_TEST_EXPECT_MSG_EQ(SumFlops(selective) - SumFlops(selective, again),
                              SumFlops(backward),
                              "and the same as before");
        NS_TEST_EXPECT_MSG_NE(
            DescribeSteps(selective).find(
                "output, output, scores, softmax, values, values, values, softmax"),
            std::string::npos,
            "right before they are needed");
        OperatorOptions fused;
        fused.fusedAttention = true;
        NS_TEST_EXPECT_MSG_EQ(
            CountSteps(
                MakeGptOperators(TP, 1, fused, use(Recomputation::SELECTIVE))->GetBlock(BACKWARD),
                again),
            0,
            "the fused kernel does it by itself");
    }
};

/** Attention in one kernel. */
class FusedAttentionTestCase : public TestCase
{
  public:
    FusedAttentionTestCase()
        : TestCase("Fused attention has the same operations without the traffic of scores")
    {
    }

  private:
    void DoRun() override
    {
        const auto unfused = MakeGptOperators(2, 1, {}, nullptr, 4);
        for (const bool causal : {false, true})
        {
            OperatorOptions options;
            options.fusedAttention = true;
            options.causal = causal;
            const auto fused = MakeGptOperators(2, 1, options, nullptr, 4);
            const auto forward = fused->GetBlock(FORWARD);
            const auto backward = fused->GetBlock(BACKWARD);
            const uint64_t products = SumFlops(unfused->GetBlock(FORWARD), Named("scores")) +
                                      SumFlops(unfused->GetBlock(FORWARD), Named("values"));
            const uint64_t part = causal ? 2 : 1;
            NS_TEST_EXPECT_MSG_EQ(part * SumFlops(forward, Named("attention")), products, "two");
            NS_TEST_EXPECT_MSG_EQ(2 * part * SumFlops(backward, Named("attention")),
                                  5 * products,
                                  "five products in place of two");
            NS_TEST_EXPECT_MSG_EQ(CountSteps(forward, Named("softmax")), 0, "inside");
            const uint64_t queries = 2 * TOKENS * HEADS / 2 * (HIDDEN / HEADS);
            const uint64_t keys = 2 * TOKENS * 4 / 2 * (HIDDEN / HEADS);
            for (const auto& step : forward)
            {
                if (Named("attention")(step))
                {
                    NS_TEST_EXPECT_MSG_EQ(step.op.bytes, 2 * 2 * (queries + keys), "Q, K, V, O");
                    NS_TEST_EXPECT_MSG_EQ(step.op.resultBytes, 0, "scores stay on the chip");
                }
            }
            NS_TEST_EXPECT_MSG_EQ(SumFlops(forward) - SumFlops(forward, Named("attention")),
                                  SumFlops(unfused->GetBlock(FORWARD)) - products,
                                  "the rest");
        }
        OperatorOptions causal;
        causal.causal = true;
        const auto softmax = [](const TransformerOperators& operators, TrainingPass pass)
        {
            return SumVectorBytes(operators.GetBlock(pass), Named("softmax"));
        };
        const auto triangle = MakeGptOperators(2, 1, causal, nullptr, 4);
        NS_TEST_EXPECT_MSG_EQ(4 * softmax(*triangle, FORWARD), 3 * softmax(*unfused, FORWARD), "S");
        NS_TEST_EXPECT_MSG_EQ(3 * softmax(*triangle, BACKWARD),
                              2 * softmax(*unfused, BACKWARD),
                              "2 S of 3 S");
    }
};

/** A backward pass in two halves. */
class SplitBackwardTestCase : public TestCase
{
  public:
    SplitBackwardTestCase()
        : TestCase("Gradients of inputs and of weights can be listed apart")
    {
    }

  private:
    void DoRun() override
    {
        const auto operators = MakeGptOperators(4, 1, {}, UseSequenceParallel);
        const auto whole = operators->GetBlock(BACKWARD);
        const auto inputs = operators->GetBlock(TrainingPass::BACKWARD_INPUT);
        const auto weights = operators->GetBlock(TrainingPass::BACKWARD_WEIGHT);
        NS_TEST_EXPECT_MSG_EQ(inputs.size() + weights.size(), whole.size(), "nothing twice");
        NS_TEST_EXPECT_MSG_EQ(SumFlops(weights),
                              24 * 2 * TOKENS * HIDDEN * HIDDEN / 4,
                              "the products with weights");
        NS_TEST_EXPECT_MSG_EQ(SumFlops(inputs), SumFlops(whole) - SumFlops(weights), "the rest");
        NS_TEST_EXPECT_MSG_EQ(DescribeSteps(weights),
                              "fc2, AG, wait, fc1, gradient, output, AG, wait, qkv, gradient",
                              "inputs are gathered where they are needed");
        NS_TEST_EXPECT_MSG_EQ(SumTraffic(inputs, TrainingTask::REDUCE_SCATTER, TENSOR),
                              SumTraffic(whole, TrainingTask::REDUCE_SCATTER, TENSOR),
                              "sums go on");
        for (const auto pass : {TrainingPass::BACKWARD_INPUT, TrainingPass::BACKWARD_WEIGHT})
        {
            const bool ofWeights = pass == TrainingPass::BACKWARD_WEIGHT;
            NS_TEST_EXPECT_MSG_EQ(CountSteps(operators->GetEmbedding(pass), Named("embedding")),
                                  (ofWeights ? 1 : 0),
                                  "an embedding has weights only");
            NS_TEST_EXPECT_MSG_EQ(CountSteps(operators->GetLogits(pass, true), Named("logits")),
                                  1,
                                  "one product each");
        }
    }
};

/** The suite. */
class WorkloadBlockTestSuite : public TestSuite
{
  public:
    WorkloadBlockTestSuite()
        : TestSuite("llm-fabric-workload-block", TestSuite::Type::UNIT)
    {
        AddTestCase(new SequenceParallelTestCase);
        AddTestCase(new RecomputationTestCase);
        AddTestCase(new FusedAttentionTestCase);
        AddTestCase(new SplitBackwardTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadBlockTestSuite g_workloadBlockTestSuite; //!< registers itself

} // namespace
