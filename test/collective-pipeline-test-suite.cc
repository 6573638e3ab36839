// SPDX-License-Identifier: GPL-2.0-only

// Messages cut into chunks, caps on those outstanding, priorities, and the latency of a launch.

#include "collective-requests.h"
#include "collective-run.h"
#include "communicator-bench.h"
#include "pair-bytes.h"

#include "ns3/chunked-program.h"
#include "ns3/program-check.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** A program in chunks does what it did. */
class ChunksTestCase : public TestCase
{
  public:
    ChunksTestCase()
        : TestCase("Chunks leave meaning and bytes as they are, and none is too large")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* name : {"RingAlgorithm[Channels=2|Bidirectional=true|ChainMessage=300]",
                                 "DirectAlgorithm",
                                 "BruckAlgorithm",
                                 "HalvingDoublingAlgorithm",
                                 "DoubleBinaryTreeAlgorithm[TreeMessage=500]",
                                 "PatAlgorithm",
                                 "HierarchicalAlgorithm[Slices=2]"})
        {
            const auto algorithm = Make(std::string("ns3::llm::") + name);
            for (uint32_t i = 0; i < COLLECTIVE_OPERATION_COUNT; ++i)
            {
                const Op operation = static_cast<Op>(i);
                const bool isDone = algorithm->Supports(MakeRequest(operation, 2, 1));
                for (const uint32_t ranks : {1u, 2u, 5u, 8u})
                {
                    for (const uint64_t chunk : {uint64_t{1}, uint64_t{100}, uint64_t{1} << 40})
                    {
                        const auto request = MakeRequest(operation, ranks, chunk == 1 ? 40 : 2003);
                        if (isDone)
                        {
                            Check(name, *algorithm, request, ranks, chunk);
                        }
                    }
                }
            }
        }
    }

    /**
     * @param name of the algorithm
     * @param algorithm it
     * @param request what it does
     * @param ranks N
     * @param chunk largest chunk
     */
    void Check(const std::string& name,
               const CollectiveAlgorithm& algorithm,
               const CollectiveRequest& request,
               uint32_t ranks,
               uint64_t chunk)
    {
        const auto locality = Create<TwoTierLocality>(ranks % 4 == 0 ? 4 : ranks);
        const auto whole = algorithm.MakeProgram(request, MakeGroup(ranks), locality);
        const auto cut = std::make_shared<ChunkedProgram>(whole, chunk);
        const std::string where = name + ", " + llm::GetName(request.operation) + " among " +
                                  std::to_string(ranks) + " in " + std::to_string(chunk);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, cut), "", where);
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(ranks);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, cut, random), "", where << ", at random");
        NS_TEST_EXPECT_MSG_EQ((PairBytes(*cut) == PairBytes(*whole)), true, where << ", bytes");
        NS_TEST_EXPECT_MSG_EQ(CountSends(*cut, UINT64_MAX),
                              CountSends(*whole, chunk),
                              where << ", messages");
        CheckSteps(*cut, chunk, where);
    }

    /** @param program steps @param chunk a size @return how many messages of at most that it makes */
    static uint64_t CountSends(const StepProgram& program, uint64_t chunk)
    {
        uint64_t messages = 0;
        for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
            {
                for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
                {
                    const Step step = program.GetStep(rank, lane, i);
                    const uint64_t fewest = step.bytes == 0 ? 1 : (step.bytes - 1) / chunk + 1;
                    messages += step.kind == Step::SEND ? fewest : 0;
                }
            }
        }
        return messages;
    }

    /** @param program steps @param chunk none is larger @param where for messages */
    void CheckSteps(const StepProgram& program, uint64_t chunk, const std::string& where)
    {
        for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
            {
                for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
                {
                    const Step step = program.GetStep(rank, lane, i);
                    NS_TEST_ASSERT_MSG_LT_OR_EQ(step.bytes, chunk, where << ", size");
                    uint32_t foundLane = 0;
                    uint32_t foundIndex = 0;
                    if (step.kind != Step::RECEIVE)
                    {
                        continue;
                    }
                    NS_TEST_ASSERT_MSG_EQ(
                        program.FindReceive(rank, step.peer, step.place, foundLane, foundIndex),
                        true,
                        where << ", receive step");
                    NS_TEST_ASSERT_MSG_EQ(foundLane, lane, where << ", its lane");
                    NS_TEST_ASSERT_MSG_EQ(foundIndex, i, where << ", its place");
                }
            }
        }
    }
};

/** Chunks let reduction and transfer overlap. */
class OverlapTestCase : public TestCase
{
  public:
    OverlapTestCase()
        : TestCase("With chunks all but the last one's reduction is hidden behind the transfer")
    {
    }

  private:
    void DoRun() override
    {
        // two ranks: half of the buffer, its reduction, half of the buffer
        const double whole = Measure(0);
        const double cut = Measure(450'000);
        const double transfer = 4.5e6 * 4178 / 4096 * 8 / 3600e9 * 1e6; // us
        const double reduction = 4.5e6 * 8 / 4000e9 * 1e6;              // us
        NS_TEST_EXPECT_MSG_EQ_TOL(whole, 2 * transfer + reduction, 1.5, "one after the other");
        NS_TEST_EXPECT_MSG_EQ_TOL(whole - cut,
                                  reduction * 0.9,
                                  0.1 * reduction,
                                  "nine of ten chunks are reduced while others come");
    }

    /** @param chunk attribute ChunkBytes @return us that an all-reduce of 9 MB takes */
    double Measure(uint64_t chunk)
    {
        Config::SetDefault("ns3::llm::Communicator::ChunkBytes", UintegerValue(chunk));
        Config::SetDefault("ns3::llm::Communicator::ReductionRate", StringValue("4000Gbps"));
        ClusterOptions options;
        options.accelerators = 2;
        options.domainSize = 2;
        CollectiveRun run(options);
        GroupOperation operation;
        operation.request = {Op::ALL_REDUCE, 9'000'000, 0};
        operation.algorithm = "ns3::llm::RingAlgorithm";
        operation.accelerators = {0, 1};
        const GroupOutcome outcome = run.Run({operation})[0];
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", "done");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble() / outcome.ideal.GetDouble(),
                                  1.0,
                                  0.01,
                                  "the ideal time knows chunks");
        Config::SetDefault("ns3::llm::Communicator::ChunkBytes", UintegerValue(0));
        Config::SetDefault("ns3::llm::Communicator::ReductionRate", StringValue("0bps"));
        return outcome.last.ToDouble(Time::US);
    }
};

/** No more than so many messages are under way. */
class OutstandingTestCase : public TestCase
{
  public:
    OutstandingTestCase()
        : TestCase("A rank sends on when a message is acknowledged, with never more than the cap")
    {
    }

  private:
    void DoRun() override
    {
        // 1 us to the receiver and 1 us back, a tick to act
        const Time turn = MicroSeconds(2) + PicoSeconds(1);
        Expect(0, {Time(0), Time(0), Time(0), Time(0)});
        Expect(4, {Time(0), Time(0), Time(0), Time(0)});
        Expect(3, {Time(0), Time(0), Time(0), turn});
        Expect(2, {Time(0), Time(0), turn, turn});
        Expect(1, {Time(0), turn, turn * int64_t{2}, turn * int64_t{3}});
        for (uint32_t most = 1; most <= 4; ++most)
        {
            CheckMany(most);
        }
    }

    /** All-to-all of five. @param most attribute MaxOutstanding @param times of rank 0's sends */
    void Expect(uint32_t most, const std::vector<Time>& times)
    {
        Config::SetDefault("ns3::llm::Communicator::MaxOutstanding", UintegerValue(most));
        Group group(5, "ns3::llm::DirectAlgorithm");
        for (uint32_t rank = 0; rank < 5; ++rank)
        {
            group.StartAt(Time(0), rank, {Op::ALL_TO_ALL, 1000, 0});
        }
        Simulator::Run();
        std::vector<Time> sent;
        for (const auto& message : group.transport->m_sent)
        {
            if (message.message.source == 10)
            {
                sent.push_back(message.time - PicoSeconds(1));
            }
        }
        NS_TEST_ASSERT_MSG_EQ(sent.size(), times.size(), "messages of rank 0");
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(sent[i], times[i], "message " << i << ", cap " << most);
        }
        NS_TEST_EXPECT_MSG_EQ(group.communicator->DescribeUnfinished().size(), 0u, "done");
        Config::SetDefault("ns3::llm::Communicator::MaxOutstanding", UintegerValue(0));
        Simulator::Destroy();
    }

    /** Several operations share the cap. @param most attribute MaxOutstanding */
    void CheckMany(uint32_t most)
    {
        Config::SetDefault("ns3::llm::Communicator::MaxOutstanding", UintegerValue(most));
        Config::SetDefault("ns3::llm::Communicator::StepLatency", TimeValue(NanoSeconds(300)));
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(most);
        Group group(6, "ns3::llm::RingAlgorithm[Channels=3]");
        group.transport->m_latency = [random]()
        {
            return PicoSeconds(random->GetInteger(2, 5'000'000));
        };
        for (uint32_t i = 0; i < 5; ++i)
        {
            for (uint32_t rank = 0; rank < 6; ++rank)
            {
                group.StartAt(PicoSeconds(random->GetInteger(0, 3000)), rank, RequestOf(i));
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(group.transport->m_refusal, "", "nothing is refused");
        NS_TEST_EXPECT_MSG_EQ(group.communicator->DescribeUnfinished().size(), 0u, "all done");
        for (const auto& [accelerator, mostSeen] : group.transport->m_mostUnderWay)
        {
            NS_TEST_EXPECT_MSG_EQ(mostSeen, most, "the cap is reached and kept");
        }
        Config::SetDefault("ns3::llm::Communicator::MaxOutstanding", UintegerValue(0));
        Config::SetDefault("ns3::llm::Communicator::StepLatency", TimeValue(Time(0)));
        Simulator::Destroy();
    }

    /** @param i which @return an operation */
    static CollectiveRequest RequestOf(uint32_t i)
    {
        return {i % 2 == 0 ? Op::ALL_REDUCE : Op::ALL_GATHER, 100 + i, 0};
    }
};

/** The NIC serves messages by the communicator's priority. */
class PriorityTestCase : public TestCase
{
  public:
    PriorityTestCase()
        : TestCase("Of two communicators on the same NICs the one with priority runs as if alone")
    {
    }

  private:
    void DoRun() override
    {
        const double alone = Measure({0})[0];
        const auto equal = Measure({0, 0});
        const auto apart = Measure({0, 5});
        NS_TEST_EXPECT_MSG_EQ_TOL(equal[0] / alone, 2.0, 0.1, "both share the NICs");
        NS_TEST_EXPECT_MSG_EQ_TOL(apart[1] / alone, 1.0, 0.05, "the second one goes first");
        NS_TEST_EXPECT_MSG_EQ_TOL(apart[0] / alone, 2.0, 0.1, "the first one goes second");
    }

    /** @param priorities of all-to-alls among the same four @return us that each takes */
    std::vector<double> Measure(const std::vector<uint32_t>& priorities)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::Scheduler", StringValue("Strict"));
        ClusterOptions options;
        options.accelerators = 4;
        CollectiveRun run(options);
        std::vector<GroupOperation> operations;
        for (const uint32_t priority : priorities)
        {
            GroupOperation operation;
            operation.request = {Op::ALL_TO_ALL, 4'000'000, 0};
            operation.accelerators = {0, 1, 2, 3};
            operation.priority = priority;
            operations.push_back(operation);
        }
        std::vector<double> times;
        for (const GroupOutcome& outcome : run.Run(operations))
        {
            times.push_back(outcome.last.ToDouble(Time::US));
        }
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", "done");
        Config::SetDefault("ns3::llm::RdmaTransport::Scheduler", StringValue("RoundRobin"));
        return times;
    }
};

/** A launch comes before the first step. */
class LaunchTestCase : public TestCase
{
  public:
    LaunchTestCase()
        : TestCase(
              "The latency of a launch comes once, and a group of one says why it is done at once")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t ranks : {1u, 3u})
        {
            const Time without = Measure(ranks, Time(0));
            const Time with = Measure(ranks, MicroSeconds(7));
            NS_TEST_EXPECT_MSG_EQ(with - without, MicroSeconds(ranks == 1 ? 0 : 7), "later by it");
            NS_TEST_EXPECT_MSG_EQ(
                m_remark,
                (ranks == 1 ? "alone in its group, so there was nothing to send" : ""),
                "the reason");
        }
        StepCosts costs;
        costs.launch = MicroSeconds(7);
        const auto ring = Make("ns3::llm::RingAlgorithm");
        const auto locality = Create<TwoTierLocality>(4);
        const auto group = MakeGroup(4);
        const auto program = ring->MakeProgram({Op::ALL_REDUCE, 4000, 0}, group, locality);
        NS_TEST_EXPECT_MSG_EQ(EvaluateIdealTime(*program, group, locality, costs) -
                                  EvaluateIdealTime(*program, group, locality),
                              MicroSeconds(7),
                              "in the ideal time");
    }

    /** @param ranks N @param launch attribute LaunchLatency @return when rank 0 is done */
    Time Measure(uint32_t ranks, Time launch)
    {
        Group group(ranks);
        group.communicator->SetAttribute("LaunchLatency", TimeValue(launch));
        group.communicator->TraceConnectWithoutContext(
            "OperationDone",
            MakeCallback(&LaunchTestCase::NoteRemark, this));
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            group.StartAt(Time(0), rank, {Op::ALL_REDUCE, 3000, 0});
        }
        Simulator::Run();
        const Time done = group.done.at(0).at(0);
        Simulator::Destroy();
        return done;
    }

    /** @param record of an operation */
    void NoteRemark(const OperationRecord& record)
    {
        m_remark = record.remark;
    }

    std::string m_remark; //!< of the last operation
};

/** All of them. */
class CollectivePipelineTestSuite : public TestSuite
{
  public:
    CollectivePipelineTestSuite()
        : TestSuite("llm-fabric-collective-pipeline", TestSuite::Type::UNIT)
    {
        AddTestCase(new ChunksTestCase);
        AddTestCase(new OverlapTestCase);
        AddTestCase(new OutstandingTestCase);
        AddTestCase(new PriorityTestCase);
        AddTestCase(new LaunchTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectivePipelineTestSuite g_collectivePipelineTestSuite; //!< registers the suite

} // namespace
