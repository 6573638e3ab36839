// SPDX-License-Identifier: GPL-2.0-only

#include "operator-test-support.h"
#include "workload-test-support.h"

#include "ns3/test.h"

#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr TrainingPass FORWARD = TrainingPass::FORWARD;   //!< shorter
constexpr TrainingPass BACKWARD = TrainingPass::BACKWARD; //!< shorter
constexpr auto TENSOR = ParallelDimension::TENSOR;        //!< shorter
constexpr auto CONTEXT = ParallelDimension::CONTEXT;      //!< shorter
constexpr uint64_t HIDDEN = GPT_HIDDEN;                   //!< shorter
constexpr uint64_t HEADS = GPT_HEADS;                     //!< shorter
constexpr uint64_t TOKENS = GPT_TOKENS;                   //!< shorter

/** Sequences divided among ranks. */
class ContextParallelTestCase : public TestCase
{
  public:
    ContextParallelTestCase()
        : TestCase("Context parallelism shares the work, and keys and values reach every query")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t context : {2, 4, 8})
        {
            for (const bool fused : {false, true})
            {
                CheckWork(context, fused);
            }
            CheckRing(context);
            CheckGather(context);
        }
        NS_TEST_EXPECT_MSG_EQ(
            DescribeSteps(MakeGptOperators(1, 2)->GetBlock(FORWARD)),
            "norm, qkv, send, receive, scores, softmax, values, wait, scores, "
            "softmax, values, merge, output, residual, norm, fc1, activation, fc2, "
            "residual",
            "two blocks");
    }

    /**
     * @param form how keys and values are exchanged
     * @param fused whether attention is fused
     * @return the options
     */
    static OperatorOptions Use(OperatorOptions::ContextExchange form, bool fused = false)
    {
        OperatorOptions options;
        options.contextExchange = form;
        options.fusedAttention = fused;
        return options;
    }

    /**
     * All ranks together do what one would.
     * @param context CP
     * @param fused whether attention is fused
     */
    void CheckWork(uint32_t context, bool fused)
    {
        const auto alone = MakeGptOperators(2, 1, Use(OperatorOptions::RING, fused));
        for (const auto form : {OperatorOptions::RING, OperatorOptions::GATHER})
        {
            const auto shared = MakeGptOperators(2, context, Use(form, fused));
            for (const auto pass : {FORWARD, BACKWARD})
            {
                NS_TEST_EXPECT_MSG_EQ(context * SumFlops(shared->GetBlock(pass)),
                                      SumFlops(alone->GetBlock(pass)),
                                      "operations, CP " << context);
                for (const char* name : {"norm", "softmax", "activation", "residual"})
                {
                    NS_TEST_EXPECT_MSG_EQ(context *
                                              SumVectorBytes(shared->GetBlock(pass), Named(name)),
                                          SumVectorBytes(alone->GetBlock(pass), Named(name)),
                                          name << ", CP " << context);
                }
                NS_TEST_EXPECT_MSG_EQ(
                    context * SumTraffic(shared->GetBlock(pass), TrainingTask::ALL_REDUCE, TENSOR),
                    SumTraffic(alone->GetBlock(pass), TrainingTask::ALL_REDUCE, TENSOR),
                    "tensor group");
            }
            NS_TEST_EXPECT_MSG_EQ(context * shared->GetActivationBytes(),
                                  alone->GetActivationBytes(),
                                  "between stages");
        }
    }

    /**
     * Follow the blocks around the ring.
     * @param context CP
     */
    void CheckRing(uint32_t context)
    {
        const auto operators = MakeGptOperators(2, context, {}, nullptr, 4);
        // keys and values of two heads of this rank
        const uint64_t block = 2 * TOKENS / context * 2 * (2 * HIDDEN / HEADS) * 2;
        const auto forward = operators->GetBlock(FORWARD);
        const auto backward = operators->GetBlock(BACKWARD);
        for (const auto task : {TrainingTask::SEND, TrainingTask::RECEIVE})
        {
            NS_TEST_EXPECT_MSG_EQ(SumTraffic(forward, task, CONTEXT),
                                  (context - 1) * block,
                                  "all blocks but the own");
            NS_TEST_EXPECT_MSG_EQ(SumTraffic(backward, task, CONTEXT),
                                  2 * (context - 1) * block,
                                  "and their gradients");
        }
        // rank 0: the block that it holds when each round's scores are computed
        int64_t held = 0;
        int64_t coming = 0;
        std::vector<bool> seen(context, false);
        for (const auto& step : forward)
        {
            coming = IsSent(step, TrainingTask::RECEIVE) ? held + step.peer : coming;
            if (Named("scores")(step))
            {
                seen.at(Wrap(held, context)) = true;
            }
            held = step.kind == TransformerStep::WAIT ? coming : held;
        }
        NS_TEST_EXPECT_MSG_EQ(CountSteps(forward, Named("scores")), context, "rounds");
        NS_TEST_EXPECT_MSG_EQ((seen == std::vector<bool>(context, true)), true, "every block");
        // backward, from the block that came last to the own one, where its gradient must end
        NS_TEST_EXPECT_MSG_EQ(Wrap(held, context), 1, "the next rank's block came last");
        // messages during each round: the next block, from the second round on a sum as well
        std::vector<uint64_t> messages(1, 0);
        bool again = false; // a round has two products with values
        for (const auto& step : backward)
        {
            if (IsSent(step, TrainingTask::RECEIVE))
            {
                NS_TEST_EXPECT_MSG_EQ(step.peer, 1, "the other way");
                ++messages.back();
            }
            if (Named("values")(step))
            {
                again = !again;
                if (!again)
                {
                    messages.push_back(0);
                }
            }
        }
        std::vector<uint64_t> expected(context + 1, 2);
        expected[0] = expected[context - 1] = 1; // no sum yet; no more blocks
        expected[context] = 0;
        NS_TEST_EXPECT_MSG_EQ((messages == expected), true, "CP " << context);
        // the sum of a block is made where the block is and goes one place with it each round; after
        // the last round both are home, as the block is the next rank's at first
        NS_TEST_EXPECT_MSG_EQ(Wrap(held + context - 1, context), 0, "home");
        NS_TEST_EXPECT_MSG_EQ(CountSteps(backward, Named("merge")), context - 1, "sums");
    }

    /** @param step a step @param task what it may do @return whether it does so along the ring */
    static bool IsSent(const TransformerStep& step, TrainingTask::Kind task)
    {
        return step.kind == TransformerStep::COMMUNICATION && step.dimension == CONTEXT &&
               step.task == task;
    }

    /** @param place a place @param size of the ring @return the same, from 0 to size - 1 */
    static uint64_t Wrap(int64_t place, int64_t size)
    {
        return static_cast<uint64_t>((place % size + size) % size);
    }

    /** Keys and values gathered. @param context CP */
    void CheckGather(uint32_t context)
    {
        const auto operators =
            MakeGptOperators(2, context, Use(OperatorOptions::GATHER), nullptr, 4);
        const uint64_t all = 2 * TOKENS * 2 * (2 * HIDDEN / HEADS) * 2;
        const auto backward = operators->GetBlock(BACKWARD);
        NS_TEST_EXPECT_MSG_EQ(
            SumTraffic(operators->GetBlock(FORWARD), TrainingTask::ALL_GATHER, CONTEXT),
            all,
            "keys and values");
        NS_TEST_EXPECT_MSG_EQ(SumTraffic(backward, TrainingTask::ALL_GATHER, CONTEXT),
                              all,
                              "again");
        NS_TEST_EXPECT_MSG_EQ(SumTraffic(backward, TrainingTask::REDUCE_SCATTER, CONTEXT),
                              all,
                              "their gradients");
        const auto selective = MakeGptOperators(
            2,
            context,
            Use(OperatorOptions::GATHER),
            [](ParallelStrategy& strategy) { strategy.recomputation = Recomputation::SELECTIVE; },
            4);
        NS_TEST_EXPECT_MSG_EQ(
            SumTraffic(selective->GetBlock(BACKWARD), TrainingTask::ALL_GATHER, CONTEXT),
            all,
            "once for recomputation and gradients");
    }
};

/** The suite. */
class WorkloadContextTestSuite : public TestSuite
{
  public:
    WorkloadContextTestSuite()
        : TestSuite("llm-fabric-workload-context", TestSuite::Type::UNIT)
    {
        AddTestCase(new ContextParallelTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadContextTestSuite g_workloadContextTestSuite; //!< registers itself

} // namespace
