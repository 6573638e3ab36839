// SPDX-License-Identifier: GPL-2.0-only

#include "megatron-references.h"
#include "operator-test-support.h"
#include "workload-test-support.h"

#include "ns3/roofline-cost-model.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr TrainingPass FORWARD = TrainingPass::FORWARD;   //!< shorter
constexpr TrainingPass BACKWARD = TrainingPass::BACKWARD; //!< shorter

// The constants of the profile of an A100, once more.
constexpr double MEMORY = 1.7e12;         //!< byte/s
constexpr double NORM_FORWARD = 1258e9;   //!< byte/s
constexpr double NORM_BACKWARD = 1163e9;  //!< byte/s
constexpr double EARLY_FORWARD = 896e9;   //!< byte/s
constexpr double EARLY_BACKWARD = 572e9;  //!< byte/s
constexpr double RANDOM_NUMBERS = 250e9;  //!< per second
constexpr double LAUNCH = 4e-6;           //!< seconds
constexpr double RING_BUSWIDTH = 230e9;   //!< byte/s of a ring of a node
constexpr double RING_STEP = 2.5e-6;      //!< seconds
constexpr double RING_LAUNCH = 10e-6;     //!< seconds
constexpr double RING_SHARE = 24.0 / 108; //!< of the multiprocessors that a collective holds
constexpr double HALF_TICK = 0.5e-12;     //!< rounding of each operator, seconds

/** The operators of a run and their times. */
class MegatronRun
{
  public:
    /**
     * @param reference the run
     * @param options its software
     */
    MegatronRun(const MegatronReference& reference, const OperatorOptions& options)
        : m_accelerator(Accelerator::FromName("A100")),
          m_cost(RooflineCostModel::Create(m_accelerator)),
          m_tensor(reference.tensor),
          m_operators(
              TransformerModel(MakeGpt(reference.layers, reference.hidden, reference.heads)),
              MakeStrategy(reference),
              options)
    {
    }

    /** @return the lists */
    const TransformerOperators& Get() const
    {
        return m_operators;
    }

    /** @param step an operator @return its time, seconds */
    double GetSeconds(const TransformerStep& step) const
    {
        return m_cost->GetTime(step.op, m_accelerator).GetSeconds();
    }

    /**
     * @param steps a pass
     * @param filter which operators
     * @return their time, seconds
     */
    double Sum(const TransformerOperators::Steps& steps, const StepFilter& filter = nullptr) const
    {
        double sum = 0;
        for (const auto& step : steps)
        {
            sum += IsOperator(step) && (!filter || filter(step)) ? GetSeconds(step) : 0;
        }
        return sum;
    }

    /**
     * @param steps a pass
     * @return its time with collectives by rings: alone, or beside the operators up to the wait, which
     *         then have fewer multiprocessors
     */
    double SumWithCollectives(const TransformerOperators::Steps& steps) const
    {
        double sum = 0;
        double beside = 0;
        double collective = 0;
        for (const auto& step : steps)
        {
            if (step.kind == TransformerStep::COMMUNICATION)
            {
                collective = GetCollectiveSeconds(step);
            }
            else if (step.kind == TransformerStep::WAIT)
            {
                sum += std::max(collective, beside + (beside > 0 ? RING_SHARE * collective : 0));
                collective = beside = 0;
            }
            else if (IsOperator(step))
            {
                (collective > 0 ? beside : sum) += GetSeconds(step);
            }
        }
        return sum;
    }

  private:
    /** @param step a collective of a tensor group @return its time, seconds */
    double GetCollectiveSeconds(const TransformerStep& step) const
    {
        const double steps = (step.task == TrainingTask::ALL_REDUCE ? 2 : 1) * (m_tensor - 1);
        return steps / m_tensor * static_cast<double>(step.bytes) / RING_BUSWIDTH +
               steps * RING_STEP + RING_LAUNCH;
    }

    /** @param reference a run @return its strategy */
    static ParallelStrategy MakeStrategy(const MegatronReference& reference)
    {
        ParallelStrategy strategy =
            ::MakeStrategy(reference.tensor, 1, 1, reference.microBatches, 2048);
        strategy.microBatchSize = reference.microBatch;
        strategy.globalBatchSize *= reference.microBatch;
        strategy.sequenceParallel = reference.sequenceParallel;
        strategy.recomputation =
            reference.sequenceParallel ? Recomputation::SELECTIVE : Recomputation::FULL;
        return strategy;
    }

    Accelerator m_accelerator;           //!< A100
    Ptr<const RooflineCostModel> m_cost; //!< with its profile
    double m_tensor;                     //!< TP
    TransformerOperators m_operators;    //!< the lists
};

/** Sums of blocks and ends. */
class MegatronSumsTestCase : public TestCase
{
  public:
    MegatronSumsTestCase()
        : TestCase("Times of published runs' blocks and ends equal those of the formulas")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& reference : MEGATRON_2022)
        {
            Check(reference, OperatorOptions::Megatron2022());
        }
        for (const auto& reference : MEGATRON_2021)
        {
            Check(reference, OperatorOptions::Megatron2021());
        }
    }

    /**
     * @param what what is compared
     * @param seconds as computed
     * @param expected as the formulas give it
     */
    void Compare(const std::string& what, double seconds, double expected)
    {
        constexpr int MOST_OPERATORS = 100;
        const double tolerance = 1e-9 * expected + MOST_OPERATORS * HALF_TICK;
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds, expected, tolerance, what);
    }

    /**
     * @param reference a run
     * @param options its software
     */
    void Check(const MegatronReference& reference, const OperatorOptions& options)
    {
        const MegatronRun run(reference, options);
        const std::string of =
            std::string(reference.name) + (reference.sequenceParallel ? " with SP: " : ": ");
        const auto recomputed = OfShare(TransformerStep::RECOMPUTATION);
        const auto forward = run.Get().GetBlock(FORWARD);
        const auto backward = run.Get().GetBlock(BACKWARD);
        const double again = run.Sum(backward, recomputed);
        Compare(of + "forward", run.Sum(forward), reference.forward);
        Compare(of + "recomputation", again, reference.recomputation);
        Compare(of + "backward", run.Sum(backward) - again, reference.backward);
        Compare(of + "forward, collectives",
                run.SumWithCollectives(forward),
                reference.forwardWith);
        Compare(of + "backward, collectives",
                run.SumWithCollectives(backward),
                reference.backwardWith);
        CheckEnds(reference, run, options.earlyNorms, of);
    }

    /**
     * The reference takes the final norm for a kernel that streams, with six tensors backward, and
     * draws no random numbers for the embedding's dropout; here both are as in the blocks.
     * @param reference a run
     * @param run the same
     * @param early whether it has early norms
     * @param of its name
     */
    void CheckEnds(const MegatronReference& reference,
                   const MegatronRun& run,
                   bool early,
                   const std::string& of)
    {
        const double tokens = 2048.0 * reference.microBatch;
        const double elements =
            tokens * reference.hidden / (reference.sequenceParallel ? reference.tensor : 1);
        const double tensor = 2 * elements;
        const double dropout =
            std::max(2.5 * tensor / MEMORY, elements / RANDOM_NUMBERS) - 2.5 * tensor / MEMORY;
        Compare(of + "embedding forward",
                run.Sum(run.Get().GetEmbedding(FORWARD)),
                reference.embeddingForward + dropout);
        Compare(of + "embedding backward",
                run.Sum(run.Get().GetEmbedding(BACKWARD)),
                reference.embeddingBackward);
        const double forward =
            2 * tensor / (early ? EARLY_FORWARD : NORM_FORWARD) - 2 * tensor / MEMORY;
        Compare(of + "logits forward",
                run.Sum(run.Get().GetLogits(FORWARD, false)),
                reference.logitsForward + forward);
        const double backward =
            3 * tensor / (early ? EARLY_BACKWARD : NORM_BACKWARD) - 6 * tensor / MEMORY - LAUNCH;
        Compare(of + "logits backward",
                run.Sum(run.Get().GetLogits(BACKWARD, false)),
                reference.logitsBackward + backward);
    }
};

/** Each operator of one block. */
class MegatronOperatorsTestCase : public TestCase
{
  public:
    MegatronOperatorsTestCase()
        : TestCase("Each operator of a published run's block takes the time of its formula")
    {
    }

  private:
    void DoRun() override
    {
        const MegatronRun run(MEGATRON_2022[1], OperatorOptions::Megatron2022());
        // microseconds; sums of all operators of a name; 22B with SP, from the formulas by hand
        CheckPass(run,
                  run.Get().GetBlock(FORWARD),
                  {{"norm", 48.0092591415},
                   {"qkv", 1019.8955594},
                   {"bias", 48.4102776471},
                   {"scores", 214.965310068},
                   {"softmax", 240.854814118},
                   {"dropout", 540.870912},
                   {"values", 176.706635294},
                   {"transpose", 18.8034258824},
                   {"output", 362.60663504},
                   {"residual", 59.8119905882},
                   {"fc1", 1377.92817786},
                   {"activation", 63.2137035294},
                   {"fc2", 1314.07776275}});
        auto backward = run.Get().GetBlock(BACKWARD);
        backward.erase(std::remove_if(backward.begin(),
                                      backward.end(),
                                      OfShare(TransformerStep::RECOMPUTATION)),
                       backward.end());
        CheckPass(run,
                  backward,
                  {{"fc2", 1377.92817786 + 1399.97700501},
                   {"output", 347.482044466 + 383.307947076},
                   {"fc1", 1314.07776275 + 1399.97700501},
                   {"qkv", 996.920720178 + 952.766379281},
                   {"scores", 353.413270588},
                   {"values", 391.671945363},
                   {"softmax", 319.806418824},
                   // that of scores, then those of the residuals: 2.5 of 12582912 bytes each
                   {"dropout", 398.758023529 + 2 * (2.5 * 12.582912 / 1.7 + 4)},
                   {"residual", 2 * (3 * 12.582912 / 1.7 + 4)},
                   {"norm", 2 * (3 * 12.582912 / 1.163 + 8)}});
    }

    /**
     * @param run a run
     * @param steps a pass
     * @param expected microseconds by name; others are left out
     */
    void CheckPass(const MegatronRun& run,
                   const TransformerOperators::Steps& steps,
                   const std::map<std::string, double>& expected)
    {
        for (const auto& [name, microseconds] : expected)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(1e6 * run.Sum(steps, Named(name)),
                                      microseconds,
                                      1e-9 * microseconds + 4 * 1e6 * HALF_TICK,
                                      name);
        }
    }
};

/** The order of a block's steps. */
class MegatronOrderTestCase : public TestCase
{
  public:
    MegatronOrderTestCase()
        : TestCase("Steps of a block come in the order of Megatron-LM")
    {
    }

  private:
    void DoRun() override
    {
        const std::string core = "scores, softmax, dropout, values, transpose";
        const std::string attention = "norm, AG, wait, qkv, bias, " + core + ", output, RS, wait, ";
        const std::string feedForward = "norm, AG, wait, fc1, activation, fc2, RS, wait, residual";
        const MegatronRun with(MEGATRON_2022[1], OperatorOptions::Megatron2022());
        NS_TEST_EXPECT_MSG_EQ(DescribeSteps(with.Get().GetBlock(FORWARD)),
                              attention + "residual, " + feedForward,
                              "forward, SP");
        const std::string backward =
            "dropout, bias, AG, wait, fc2, fc2, activation, bias, AG, fc1, wait, RS, fc1, wait, "
            "norm, residual, gradient, dropout, bias, AG, wait, output, output, transpose, " +
            core +
            ", values, values, dropout, softmax, scores, scores, concatenation, bias, AG, qkv, "
            "wait, RS, qkv, wait, norm, residual, gradient";
        NS_TEST_EXPECT_MSG_EQ(DescribeSteps(with.Get().GetBlock(BACKWARD)), backward, "SP");
        // without SP: all-reduces in place of both, which hide behind weight gradients in 2022 only
        const std::string early =
            DescribeSteps(MegatronRun(MEGATRON_2021[1], OperatorOptions::Megatron2021())
                              .Get()
                              .GetBlock(BACKWARD));
        NS_TEST_EXPECT_MSG_NE(early.find("fc1, fc1, accumulation, AR, wait"),
                              std::string::npos,
                              "after the weight gradient");
        const std::string late =
            DescribeSteps(MegatronRun(MEGATRON_2022[0], OperatorOptions::Megatron2022())
                              .Get()
                              .GetBlock(BACKWARD));
        NS_TEST_EXPECT_MSG_NE(late.find("fc1, AR, fc1, wait"), std::string::npos, "beside it");
        NS_TEST_EXPECT_MSG_EQ(late.find("accumulation"), std::string::npos, "fused");
        NS_TEST_EXPECT_MSG_EQ(late.find("norm, qkv, bias, scores"), 0, "the forward pass again");
    }
};

/** The suite. */
class WorkloadMegatronTestSuite : public TestSuite
{
  public:
    WorkloadMegatronTestSuite()
        : TestSuite("llm-fabric-workload-megatron", TestSuite::Type::UNIT)
    {
        AddTestCase(new MegatronSumsTestCase);
        AddTestCase(new MegatronOperatorsTestCase);
        AddTestCase(new MegatronOrderTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadMegatronTestSuite g_workloadMegatronTestSuite; //!< registers itself

} // namespace
