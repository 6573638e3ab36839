// SPDX-License-Identifier: GPL-2.0-only

// Caps on outstanding messages, priorities, and the latency of a launch.

#include "collective-requests.h"
#include "collective-run.h"
#include "communicator-bench.h"

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
        for (uint32_t rank = 0; rank < 6; ++rank)
        {
            Time start;
            for (uint32_t i = 0; i < 5; ++i)
            {
                start += PicoSeconds(random->GetInteger(0, 3000));
                group.StartAt(start, rank, RequestOf(i));
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
