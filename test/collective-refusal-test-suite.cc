// SPDX-License-Identifier: GPL-2.0-only

// What a communicator refuses, and how it explains what cannot finish.

#include "communicator-bench.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/test.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Ranks that do not start the same operations are told so. */
class MismatchTestCase : public TestCase
{
  public:
    MismatchTestCase()
        : TestCase("Different operations or sizes at different ranks are refused with both named")
    {
    }

  private:
    void DoRun() override
    {
        using Op = CollectiveOperation;
        for (const bool comparesCalls : {true, false})
        {
            Config::SetDefault("ns3::llm::Communicator::CheckCalls", BooleanValue(comparesCalls));
            Check({Op::ALL_REDUCE, 4000, 0}, {Op::ALL_GATHER, 4000, 0});
            Check({Op::ALL_REDUCE, 4000, 0}, {Op::REDUCE_SCATTER, 4000, 0});
            Check({Op::ALL_GATHER, 4000, 0}, {Op::REDUCE_SCATTER, 4000, 0});
            Check({Op::ALL_REDUCE, 4000, 0}, {Op::ALL_REDUCE, 4001, 0});
            Check({Op::ALL_GATHER, 0, 0}, {Op::ALL_GATHER, 1, 0});
            Check({Op::POINT_TO_POINT, 10, 0}, {Op::POINT_TO_POINT, 11, 0});
            Check({Op::POINT_TO_POINT, 10, 0}, {Op::ALL_REDUCE, 40, 0});
        }
        CollectiveRequest asked{Op::POINT_TO_POINT, 10, 0};
        asked.rendezvous = true;
        Config::SetDefault("ns3::llm::Communicator::CheckCalls", BooleanValue(true));
        // no message tells these apart: both wait, the messages are the same, or there are none
        Check({Op::POINT_TO_POINT, 10, 0}, {Op::POINT_TO_POINT, 10, 1});
        Check({Op::POINT_TO_POINT, 10, 0}, asked);
        Check({Op::BROADCAST, 10, 0}, {Op::REDUCE, 10, 1});
        Check({Op::BROADCAST, 10, 0}, {Op::SCATTER, 20, 0});
        Check({Op::ALL_TO_ALL, 10, 0}, MakeUneven({0, 5, 5, 0}));
        Check(MakeUneven({0, 5, 5, 0}), MakeUneven({1, 5, 5, 0}));
        CheckText();
    }

    /** @param bytes of a matrix of two ranks @return an all-to-all-v */
    static CollectiveRequest MakeUneven(const std::vector<uint64_t>& bytes)
    {
        CollectiveRequest request;
        request.operation = CollectiveOperation::ALL_TO_ALL_V;
        request.matrix = std::make_shared<TrafficMatrix>(2, bytes);
        return request;
    }

    /** Three ranks, of which the last one calls something else; equal matrices are the same call. */
    void CheckText()
    {
        Group group(3);
        for (const uint32_t rank : {0, 1, 2})
        {
            CollectiveRequest same;
            same.operation = CollectiveOperation::ALL_TO_ALL_V;
            same.matrix = std::make_shared<TrafficMatrix>(3, std::vector<uint64_t>(9, 4));
            group.StartAt(Time(0), rank, same);
            const auto operation =
                rank == 2 ? CollectiveOperation::BROADCAST : CollectiveOperation::ALL_REDUCE;
            group.StartAt(MicroSeconds(50), rank, {operation, 4000, rank == 2 ? 1u : 0u});
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(group.transport->m_refusal,
                              "DP group 3: the ranks' 2nd operations differ: rank 0 (accelerator "
                              "10) does all-reduce of 4000 B, rank 2 (accelerator 12) does "
                              "broadcast of 4000 B with root 1; all ranks must start the same "
                              "operations in the same order",
                              "who calls what");
        Simulator::Destroy();
    }

    /**
     * @param first what rank 0 does as its second operation
     * @param second what rank 1 does
     */
    void Check(const CollectiveRequest& first, const CollectiveRequest& second)
    {
        for (const uint32_t late : {0, 1})
        {
            Group group(2);
            for (const uint32_t rank : {0, 1})
            {
                group.StartAt(Time(0), rank, {CollectiveOperation::ALL_REDUCE, 8, 0});
                group.StartAt(MicroSeconds(rank == late ? 50 : 10), rank, rank ? second : first);
            }
            Simulator::Run();
            const std::string& text = group.transport->m_refusal;
            for (const std::string& part :
                 {std::string("DP group 3: the ranks' 2nd operations"),
                  std::string("rank 0 (accelerator 10) does ") + llm::GetName(first.operation),
                  std::string("rank 1 (accelerator 11) does ") + llm::GetName(second.operation)})
            {
                NS_TEST_EXPECT_MSG_EQ((text.find(part) != std::string::npos),
                                      true,
                                      part << " not in: " << text);
            }
            Simulator::Destroy();
        }
    }
};

/** What cannot finish is explained. */
class UnfinishedTestCase : public TestCase
{
  public:
    UnfinishedTestCase()
        : TestCase("What is unfinished is described with the rank that waits and for whom")
    {
    }

  private:
    void DoRun() override
    {
        {
            Group group(4);
            group.transport->m_dropFrom = 12; // rank 2
            for (uint32_t rank = 0; rank < 4; ++rank)
            {
                group.StartAt(Time(0), rank, {CollectiveOperation::ALL_GATHER, 4'000'000, 0});
            }
            Simulator::Run();
            const auto lines = group.communicator->DescribeUnfinished();
            NS_TEST_ASSERT_MSG_EQ(lines.size(), 3, "rank 2 alone has all chunks");
            NS_TEST_EXPECT_MSG_EQ(lines[2],
                                  "DP group 3, all-gather of 4 MB (its 1st): rank 3 (accelerator "
                                  "13) waits for chunk 2 from rank 2 (accelerator 12)",
                                  "first to wait");
            NS_TEST_EXPECT_MSG_EQ(lines[1],
                                  "DP group 3, all-gather of 4 MB (its 1st): rank 1 (accelerator "
                                  "11) waits for chunk 2 from rank 0 (accelerator 10)",
                                  "last to wait");
            Simulator::Destroy();
        }
        Group group(2);
        group.StartAt(Time(0), 1, {CollectiveOperation::ALL_REDUCE, 1500, 0});
        Simulator::Run();
        const auto lines = group.communicator->DescribeUnfinished();
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 2, "one waits, one has not started");
        NS_TEST_EXPECT_MSG_EQ(lines[0],
                              "DP group 3: rank 0 (accelerator 10) has not started its 1st "
                              "operation, for which rank 1 (accelerator 11) sent 750 B",
                              "not started");
        NS_TEST_EXPECT_MSG_EQ(lines[1],
                              "DP group 3, all-reduce of 1.5 kB (its 1st): rank 1 (accelerator 11) "
                              "waits for chunk 1 from rank 0 (accelerator 10), which has not "
                              "started it",
                              "waits for it");
        Simulator::Destroy();
    }
};

/** Wrong settings are refused. */
class InputTestCase : public TestCase
{
  public:
    InputTestCase()
        : TestCase("Wrong names, groups and operations are refused with what is allowed")
    {
    }

  private:
    void DoRun() override
    {
        for (const CollectiveOperation operation : RING_OPERATIONS)
        {
            NS_TEST_EXPECT_MSG_EQ((ParseCollectiveOperation(llm::GetName(operation)) == operation),
                                  true,
                                  "name of " << llm::GetName(operation));
        }
        Expect([]() { ParseCollectiveOperation("AllReduce"); }, "did you mean \"all-reduce\"?");
        Expect([]() { ParseCollectiveOperation("gossip"); }, "allowed: all-reduce, all-gather");
        Expect([]() { Group(2, "ns3::llm::RingAlgoritm"); }, "auto, ");
        Expect([]() { Group(2, "ns3::llm::Communicator"); }, "ns3::llm::RingAlgorithm");
        Expect([]() { Group(0); }, "1 rank or more");
        Expect(
            []() {
                CreateObject<Communicator>()->SetGroup(1, "TP group 0", {4, 5, 4});
            },
            "accelerator 4 is both rank 0 and rank 2");
        Expect(
            []() {
                Group(3).communicator->Start(0, {CollectiveOperation::POINT_TO_POINT, 1, 0}, {});
            },
            "the group must have 2 ranks");
        Expect(
            []()
            {
                Group(2, "ns3::llm::PointToPointAlgorithm")
                    .communicator->Start(0, {CollectiveOperation::ALL_REDUCE, 1, 0}, {});
            },
            "does not do all-reduce");
        Expect(
            []()
            {
                Group group(2);
                for (uint32_t i = 0; i < 3000; ++i)
                {
                    group.communicator->Start(0, {CollectiveOperation::ALL_REDUCE, 1, 0}, {});
                }
            },
            "more than 2048 operations in flight; the oldest is its 1st, all-reduce of 1 B");
        Simulator::Destroy();
    }

    /**
     * @param function must refuse
     * @param part must be in the refusal
     */
    void Expect(const std::function<void()>& function, const std::string& part)
    {
        const std::string text = GetRefusal(function);
        NS_TEST_EXPECT_MSG_EQ((text.find(part) != std::string::npos),
                              true,
                              part << " not in: " << text);
    }
};

/** All of them. */
class CollectiveRefusalTestSuite : public TestSuite
{
  public:
    CollectiveRefusalTestSuite()
        : TestSuite("llm-fabric-collective-refusal", TestSuite::Type::UNIT)
    {
        AddTestCase(new MismatchTestCase);
        AddTestCase(new UnfinishedTestCase);
        AddTestCase(new InputTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveRefusalTestSuite g_collectiveRefusalTestSuite; //!< registers the suite

} // namespace
