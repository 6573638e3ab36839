// SPDX-License-Identifier: GPL-2.0-only

#include "operator-test-support.h"
#include "workload-test-support.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/roofline-cost-model.h"
#include "ns3/test.h"

#include <map>
#include <memory>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr TrainingPass FORWARD = TrainingPass::FORWARD;   //!< shorter
constexpr TrainingPass BACKWARD = TrainingPass::BACKWARD; //!< shorter

/**
 * @param model built-in name
 * @param strategy a strategy
 * @param overlap see OperatorOptions
 * @return its operators, in 16 bit
 */
std::unique_ptr<TransformerOperators>
MakeOperators(const std::string& model, const ParallelStrategy& strategy, bool overlap = true)
{
    OperatorOptions options;
    options.overlapBackward = overlap;
    const TransformerModel loaded = TransformerModel::Load(model);
    const uint64_t padded = PadVocabulary(loaded.GetShape().vocabulary, strategy.tensorParallel);
    return std::make_unique<TransformerOperators>(loaded.WithVocabulary(padded), strategy, options);
}

/** Operations against closed forms. */
class FlopsTestCase : public TestCase
{
  public:
    FlopsTestCase()
        : TestCase("Operations of the matrix products equal the closed forms")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* model : {"gpt2-medium", "gpt3-175b"})
        {
            for (uint64_t tensor : {1, 4, 8})
            {
                for (uint64_t batch : {1, 3})
                {
                    ParallelStrategy strategy =
                        MakeStrategy(static_cast<uint32_t>(tensor), 1, 1, 1, 1024);
                    strategy.microBatchSize = static_cast<uint32_t>(batch);
                    const auto operators = MakeOperators(model, strategy);
                    const uint64_t h = TransformerModel::Load(model).GetShape().hidden;
                    const uint64_t s = 1024;
                    // Pati et al., arXiv 2302.02825
                    const uint64_t forward =
                        (24 * h * h * s * batch + 4 * s * s * h * batch) / tensor;
                    const uint64_t back = SumFlops(operators->GetBlock(BACKWARD));
                    NS_TEST_EXPECT_MSG_EQ(SumFlops(operators->GetBlock(FORWARD)), forward, model);
                    NS_TEST_EXPECT_MSG_EQ(back, 2 * forward, "backward twice the forward");
                }
            }
        }
        CheckIteration();
        CheckLlama();
    }

    /** Narayanan et al., arXiv 2104.04473, equation 3, without recomputation: 72 in place of 96. */
    void CheckIteration()
    {
        const auto operators = MakeOperators("gpt3-175b", MakeStrategy(8, 1, 1, 1, 2048));
        const double h = 12288;
        const double s = 2048;
        const double l = 96;
        const double v = 51200;
        double sum = 0;
        for (const auto pass : {FORWARD, BACKWARD})
        {
            sum += l * static_cast<double>(SumFlops(operators->GetBlock(pass)));
            sum += static_cast<double>(SumFlops(operators->GetLogits(pass, true)));
        }
        const double closed = 72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
        NS_TEST_EXPECT_MSG_EQ_TOL(8 * sum, closed, 1e-9 * closed, "8 ranks, one sequence");
    }

    /** Grouped heads and a gated feed-forward, by hand. */
    void CheckLlama()
    {
        const auto operators = MakeOperators("llama-2-70b", MakeStrategy(8, 1, 1, 1, 4096));
        const uint64_t tokens = 4096;
        const uint64_t qkv = 2 * tokens * 8192 * (64 + 2 * 8) * 128 / 8;
        const uint64_t output = 2 * tokens * 8192 * 8192 / 8;
        const uint64_t scores = 2 * 2 * tokens * tokens * 8192 / 8;
        const uint64_t feedForward = 3 * 2 * tokens * 8192 * 28672 / 8;
        NS_TEST_EXPECT_MSG_EQ(SumFlops(operators->GetBlock(FORWARD)),
                              qkv + output + scores + feedForward,
                              "forward");
    }
};

/** Shapes, bytes and the order of communication. */
class BlockTestCase : public TestCase
{
  public:
    BlockTestCase()
        : TestCase("A block has the operators and collectives that it should have")
    {
    }

  private:
    void DoRun() override
    {
        CheckShapes();
        const auto strategy = MakeStrategy(8, 1, 1, 1, 1024);
        const auto serial = MakeOperators("gpt2-medium", strategy);
        NS_TEST_EXPECT_MSG_EQ(serial->GetActivationBytes(), 2 * 1024 * 1024, "2 B x s x b x h");
        for (const auto pass : {FORWARD, BACKWARD})
        {
            const auto steps = serial->GetBlock(pass);
            NS_TEST_EXPECT_MSG_EQ(CountSteps(steps, OfKind(TransformerStep::COMMUNICATION)),
                                  2,
                                  "two each way");
            NS_TEST_EXPECT_MSG_EQ(CountSteps(steps, OfKind(TransformerStep::WAIT)),
                                  2,
                                  "each is waited for");
        }
        const auto parallel = MakeOperators("falcon-180b", strategy);
        for (const auto pass : {FORWARD, BACKWARD})
        {
            NS_TEST_EXPECT_MSG_EQ(
                CountSteps(parallel->GetBlock(pass), OfKind(TransformerStep::COMMUNICATION)),
                1,
                "attention and feed-forward side by side");
        }
        CheckEnds(*serial);
        CheckGradients();
        CheckOverlap(strategy);
    }

    /**
     * Memory traffic and collectives of embedding and logits, by hand.
     * @param operators of GPT-2 medium with TP 8, 1024 tokens
     */
    void CheckEnds(const TransformerOperators& operators)
    {
        const auto describe = [](const TransformerOperators::Steps& steps)
        {
            std::string text;
            for (const auto& step : steps)
            {
                const bool matrix = step.op.kind == ModelOperator::MATRIX;
                text += step.kind == TransformerStep::OPERATOR
                            ? std::string(step.op.name) + " " +
                                  std::to_string((matrix ? step.op.flops : step.op.bytes) / 1024)
                        : step.kind == TransformerStep::COMMUNICATION
                            ? "sum " + std::to_string(step.bytes / 1024)
                        : step.kind == TransformerStep::WAIT ? "wait"
                                                             : "gradient";
                text += ", ";
            }
            return text;
        };
        // KiB of memory traffic, Kiflop of products; a tensor of activations has 2048 KiB, and the
        // logits and the words of a rank, 6400 x 1024 each, 12800 KiB in 16 bit
        NS_TEST_EXPECT_MSG_EQ(describe(operators.GetEmbedding(FORWARD)),
                              "embedding 4096, sum 2048, wait, positions 6144, ",
                              "embedding forward");
        NS_TEST_EXPECT_MSG_EQ(describe(operators.GetEmbedding(BACKWARD)),
                              "positions 2048, embedding 29696, gradient, ",
                              "embedding backward");
        NS_TEST_EXPECT_MSG_EQ(describe(operators.GetLogits(FORWARD, false)),
                              "norm 4096, logits 13107200, cross entropy 64000, sum 4, wait, "
                              "cross entropy 51200, sum 4, wait, cross entropy 76800, sum 4, wait, "
                              "cross entropy 51200, ",
                              "logits forward");
        NS_TEST_EXPECT_MSG_EQ(describe(operators.GetLogits(BACKWARD, false)),
                              "cross entropy 89600, logits 13107200, sum 2048, logits 13107200, "
                              "wait, norm 6144, gradient, ",
                              "logits backward");
        const ModelOperator optimizer = operators.GetOptimizer(1000, 28);
        NS_TEST_EXPECT_MSG_EQ(optimizer.bytes, 28000, "optimizer");
    }

    /** Each operator of GPT-2 medium with TP 8, by hand. */
    void CheckShapes()
    {
        const auto operators = MakeOperators("gpt2-medium", MakeStrategy(8, 1, 1, 1, 1024));
        std::map<std::string, ModelOperator> found;
        for (const auto& step : operators->GetBlock(FORWARD))
        {
            if (step.kind == TransformerStep::OPERATOR)
            {
                found[step.op.name] = step.op;
            }
        }
        const auto check = [&](const char* name, uint64_t batch, uint64_t m, uint64_t n, uint64_t k)
        {
            const ModelOperator& op = found[name];
            NS_TEST_EXPECT_MSG_EQ(op.batch, batch, name);
            NS_TEST_EXPECT_MSG_EQ(op.m, m, name);
            NS_TEST_EXPECT_MSG_EQ(op.n, n, name);
            NS_TEST_EXPECT_MSG_EQ(op.k, k, name);
            NS_TEST_EXPECT_MSG_EQ(op.bytes, 2 * batch * (m * k + k * n + m * n), name);
        };
        check("qkv", 1, 1024, 384, 1024);
        check("scores", 2, 1024, 1024, 64);
        check("values", 2, 1024, 64, 1024);
        check("output", 1, 1024, 1024, 128);
        check("fc1", 1, 1024, 512, 1024);
        check("fc2", 1, 1024, 1024, 512);
        NS_TEST_EXPECT_MSG_EQ(found["softmax"].bytes, 2 * 2 * 2 * 1024 * 1024, "read and write");
        NS_TEST_EXPECT_MSG_EQ(found["norm"].bytes, 2 * 2 * 1024 * 1024, "read and write");
        NS_TEST_EXPECT_MSG_EQ(found["residual"].bytes,
                              3 * 2 * 1024 * 1024,
                              "two read, one written");
        NS_TEST_EXPECT_MSG_EQ(found["activation"].elements, 1024 * 512, "4 h / TP");
        NS_TEST_EXPECT_MSG_EQ(found.count("rotary"), 0, "learned positions");
    }

    /** Gradients of all parts are those of all parameters. */
    void CheckGradients()
    {
        for (const char* name : {"gpt2-medium", "llama-3.1-8b", "falcon-180b", "bloom-176b"})
        {
            const auto operators = MakeOperators(name, MakeStrategy(1, 1, 1, 1, 512));
            const TransformerModel model = TransformerModel::Load(name);
            const TransformerModel padded =
                model.WithVocabulary(PadVocabulary(model.GetShape().vocabulary, 1));
            const auto sum = [](const TransformerOperators::Steps& steps)
            {
                uint64_t parameters = 0;
                for (const auto& step : steps)
                {
                    parameters += step.parameters;
                }
                return parameters;
            };
            NS_TEST_EXPECT_MSG_EQ(sum(operators->GetEmbedding(BACKWARD)) +
                                      model.GetShape().layers * sum(operators->GetBlock(BACKWARD)) +
                                      sum(operators->GetLogits(BACKWARD, !model.GetShape().tied)),
                                  padded.GetParameterCount(),
                                  name);
        }
    }

    /**
     * The last weight gradients come after the start of the sum or before it.
     * @param strategy a strategy
     */
    void CheckOverlap(const ParallelStrategy& strategy)
    {
        for (const bool overlap : {true, false})
        {
            const auto steps = MakeOperators("gpt2-medium", strategy, overlap)->GetBlock(BACKWARD);
            std::string between;
            for (std::size_t i = 0; i < steps.size(); ++i)
            {
                if (steps[i].kind == TransformerStep::COMMUNICATION &&
                    steps[i + 1].kind == TransformerStep::OPERATOR)
                {
                    between += std::string(steps[i + 1].op.name) + " ";
                }
            }
            NS_TEST_EXPECT_MSG_EQ(between, (overlap ? "fc1 qkv " : ""), "overlap " << overlap);
        }
    }
};

/** Times. */
class RooflineTestCase : public TestCase
{
  public:
    RooflineTestCase()
        : TestCase("The roofline takes the longer of arithmetic and memory")
    {
    }

  private:
    void DoRun() override
    {
        Accelerator accelerator;
        accelerator.matrixFlopsPerSecond = 100e12;
        accelerator.vectorFlopsPerSecond = 10e12;
        accelerator.memoryBytesPerSecond = 1e12;
        auto cost = CreateObject<RooflineCostModel>();
        NS_TEST_EXPECT_MSG_EQ(cost->GetTime(ModelOperator(), accelerator),
                              MicroSeconds(4),
                              "default launch overhead");
        cost->SetAttribute("Efficiency", EnumValue(RooflineCostModel::CONSTANT));
        cost->SetAttribute("MatrixEfficiency", DoubleValue(0.5));
        cost->SetAttribute("VectorEfficiency", DoubleValue(0.25));
        cost->SetAttribute("MemoryEfficiency", DoubleValue(0.8));
        cost->SetAttribute("LaunchOverhead", TimeValue(MicroSeconds(3)));
        ModelOperator op;
        op.kind = ModelOperator::MATRIX;
        op.flops = 1000000000; // 20 us at 50 Tflop/s
        op.bytes = 8000000;    // 10 us at 0.8 TB/s
        NS_TEST_EXPECT_MSG_EQ(cost->GetTime(op, accelerator), MicroSeconds(23), "arithmetic");
        op.bytes = 80000000;
        NS_TEST_EXPECT_MSG_EQ(cost->GetTime(op, accelerator), MicroSeconds(103), "memory");
        op.kind = ModelOperator::VECTOR;
        NS_TEST_EXPECT_MSG_EQ(cost->GetTime(op, accelerator), MicroSeconds(403), "vector units");
        accelerator.vectorFlopsPerSecond = 0;
        NS_TEST_EXPECT_MSG_EQ(cost->GetTime(op, accelerator), MicroSeconds(103), "unknown peak");
        op.bytes = 1;
        cost->SetAttribute("LaunchOverhead", TimeValue(Time(0)));
        // 1.25 ps, to the nearest tick
        NS_TEST_EXPECT_MSG_EQ(cost->GetTime(op, accelerator), PicoSeconds(1), "one tick");
    }
};

/** The suite. */
class WorkloadOperatorsTestSuite : public TestSuite
{
  public:
    WorkloadOperatorsTestSuite()
        : TestSuite("llm-fabric-workload-operators", TestSuite::Type::UNIT)
    {
        AddTestCase(new FlopsTestCase);
        AddTestCase(new BlockTestCase);
        AddTestCase(new RooflineTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadOperatorsTestSuite g_workloadOperatorsTestSuite; //!< registers itself

} // namespace
