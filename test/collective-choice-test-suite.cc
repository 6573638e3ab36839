// SPDX-License-Identifier: GPL-2.0-only

// Which algorithm is chosen, and that a communicator finds out one that does not do its operation.

#include "collective-run.h"
#include "two-tier-locality.h"

#include "ns3/algorithm-chooser.h"
#include "ns3/direct-algorithm.h"
#include "ns3/input-error.h"
#include "ns3/listed-program.h"
#include "ns3/test.h"

#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** The least of the closed forms is taken. */
class ChoiceTestCase : public TestCase
{
  public:
    ChoiceTestCase()
        : TestCase("The algorithm is the one with the least closed-form time")
    {
    }

  private:
    void DoRun() override
    {
        const AlgorithmChooser apart(MakeGroup(16), Create<TwoTierLocality>(1));
        CheckForms(apart);
        Expect(apart, Op::ALL_REDUCE, 1000, "DoubleBinaryTreeAlgorithm");
        Expect(apart, Op::ALL_REDUCE, 100'000'000, "RingAlgorithm");
        Expect(apart, Op::ALL_GATHER, 1000, "PatAlgorithm");
        Expect(apart, Op::REDUCE_SCATTER, 1000, "PatAlgorithm");
        Expect(apart, Op::BROADCAST, 1000, "RingAlgorithm");
        Expect(apart, Op::REDUCE, 1000, "RingAlgorithm");
        Expect(apart, Op::ALL_TO_ALL, 1000, "DirectAlgorithm");
        Expect(apart, Op::GATHER, 1000, "DirectAlgorithm");
        Expect(apart, Op::SCATTER, 1000, "DirectAlgorithm");
        Expect(apart, Op::BARRIER, 0, "BruckAlgorithm");
        Expect(apart, Op::POINT_TO_POINT, 10, "PointToPointAlgorithm");
        const AlgorithmChooser grid(MakeGroup(16), Create<TwoTierLocality>(4));
        Expect(grid, Op::ALL_REDUCE, 100'000'000, "HierarchicalAlgorithm");
        Expect(grid, Op::ALL_GATHER, 100'000'000, "HierarchicalAlgorithm");
        const AlgorithmChooser uneven(MakeGroup(15), Create<TwoTierLocality>(4));
        Expect(uneven, Op::ALL_REDUCE, 100'000'000, "RingAlgorithm");
        const AlgorithmChooser inside(MakeGroup(8), Create<TwoTierLocality>(8));
        Expect(inside, Op::ALL_GATHER, 1000, "RingAlgorithm");
        const AlgorithmChooser blind(MakeGroup(16), nullptr);
        Expect(blind, Op::ALL_REDUCE, 1000, "RingAlgorithm");
        const AlgorithmChooser alone(MakeGroup(1), Create<TwoTierLocality>(1));
        Expect(alone, Op::ALL_REDUCE, 1000, "RingAlgorithm");
        // software latency is paid for each message of a tree
        StepCosts slow;
        slow.latency = MicroSeconds(50);
        CollectiveRequest large{Op::ALL_REDUCE, 100'000'000, 0};
        NS_TEST_EXPECT_MSG_EQ(apart.Choose(large, slow)->GetInstanceTypeId().GetName(),
                              "ns3::llm::RingAlgorithm",
                              "many messages");
    }

    /** @param apart 16 ranks in domains of their own: 5 us and 10 GB/s */
    void CheckForms(const AlgorithmChooser& apart)
    {
        StepCosts costs;
        costs.latency = MicroSeconds(2);
        const auto reduce = apart.GetEstimates({Op::ALL_REDUCE, 16'000'000, 0}, costs);
        NS_TEST_ASSERT_MSG_EQ(reduce.size(), 2u, "ring and tree");
        // 30 (2 us + 5 us + 1 MB / 10 GB/s)
        Near(reduce.at("ns3::llm::RingAlgorithm"), 30 * (7 + 100));
        // 8 (7 us + 131,072 B / 10 GB/s) + 2 max(62 x 2 us, 1600 us)
        Near(reduce.at("ns3::llm::DoubleBinaryTreeAlgorithm"), 8 * (7 + 13.1072) + 2 * 1600);
        const auto gather = apart.GetEstimates({Op::ALL_GATHER, 16'000'000, 0}, costs);
        Near(gather.at("ns3::llm::RingAlgorithm"), 15 * (7 + 100));
        Near(gather.at("ns3::llm::PatAlgorithm"), 4 * 7 + 1500);
    }

    /** @param seconds a time @param us what it must be, within what rounding of paths leaves */
    void Near(double seconds, double us)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds * 1e6, us, 1e-6 * us, "closed form");
    }

    /**
     * @param chooser of a group
     * @param operation what to do
     * @param bytes S
     * @param name of the algorithm, without namespace
     */
    void
    Expect(const AlgorithmChooser& chooser, Op operation, uint64_t bytes, const std::string& name)
    {
        const auto chosen = chooser.Choose({operation, bytes, 0}, StepCosts());
        NS_TEST_EXPECT_MSG_EQ(chosen->GetInstanceTypeId().GetName(),
                              "ns3::llm::" + name,
                              llm::GetName(operation) << " of " << bytes);
        NS_TEST_EXPECT_MSG_EQ(chosen->Supports({operation, bytes, 0}), true, name);
    }
};

/** Direct, but for one message. */
class WrongProgram : public StepProgram
{
  public:
    /** @param right what it is like */
    explicit WrongProgram(std::shared_ptr<const StepProgram> right)
        : m_right(std::move(right))
    {
    }

    uint32_t GetSize() const override
    {
        return m_right->GetSize();
    }

    uint32_t GetLaneCount(uint32_t rank) const override
    {
        return m_right->GetLaneCount(rank);
    }

    uint32_t GetLaneLength(uint32_t rank, uint32_t lane) const override
    {
        return m_right->GetLaneLength(rank, lane);
    }

    Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const override
    {
        Step step = m_right->GetStep(rank, lane, index);
        const bool isSent = step.kind == Step::SEND && rank == 2 && step.peer == 1;
        const bool isTaken = step.kind == Step::RECEIVE && rank == 1 && step.peer == 2;
        step.bytes = isSent || isTaken ? step.bytes - 1 : step.bytes;
        return step;
    }

  private:
    std::shared_ptr<const StepProgram> m_right; //!< what it is like
};

/** An all-gather in which rank 1 gets a byte less from rank 2 than it must. */
class WrongAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TestWrongAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<WrongAlgorithm>();
        return tid;
    }

    bool Supports(const CollectiveRequest& request) const override
    {
        return request.operation == Op::ALL_GATHER;
    }

    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override
    {
        return std::make_shared<WrongProgram>(
            CreateObject<DirectAlgorithm>()->MakeProgram(request, accelerators, locality));
    }
};

NS_OBJECT_ENSURE_REGISTERED(WrongAlgorithm);

/** What is wrong in a run ends it. */
class WrongResultTestCase : public TestCase
{
  public:
    WrongResultTestCase()
        : TestCase("A run with an algorithm that does something else ends with rank and bytes")
    {
    }

  private:
    void DoRun() override
    {
        GroupOperation operation;
        operation.request.operation = Op::ALL_GATHER;
        operation.request.bytes = 3000;
        operation.algorithm = "ns3::llm::TestWrongAlgorithm";
        operation.accelerators = {0, 1, 2};
        ClusterOptions options;
        options.accelerators = 3;
        std::string refusal;
        CollectiveRun run(options);
        try
        {
            run.Run({operation});
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(refusal.find("rank 1 ends without bytes 2999 to 3000; the algorithm "
                                           "does not do what the operation is"),
                              std::string::npos,
                              refusal);
    }
};

/** Suite of choices. */
class CollectiveChoiceTestSuite : public TestSuite
{
  public:
    CollectiveChoiceTestSuite()
        : TestSuite("llm-fabric-collective-choice", TestSuite::Type::UNIT)
    {
        AddTestCase(new ChoiceTestCase);
        AddTestCase(new WrongResultTestCase);
    }
};

CollectiveChoiceTestSuite g_collectiveChoiceTestSuite; //!< registers itself

} // namespace
