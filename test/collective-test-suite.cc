// SPDX-License-Identifier: GPL-2.0-only

// Communicators, over a transport that has latencies only.

#include "communicator-bench.h"

#include "ns3/config.h"
#include "ns3/locality.h"
#include "ns3/test.h"
#include "ns3/transfer-time.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Many operations, ranks that start in any order, random latencies. */
class RandomLatencyTestCase : public TestCase
{
  public:
    RandomLatencyTestCase()
        : TestCase("Operations complete everywhere for any latencies and start times")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(2);
        for (uint32_t trial = 0; trial < 40; ++trial)
        {
            RunOnce(random, random->GetInteger(1, 9), trial);
        }
    }

    /**
     * One run of 12 operations.
     * @param random source of sizes, latencies and start times
     * @param size N
     * @param trial number of the run
     */
    void RunOnce(Ptr<UniformRandomVariable> random, uint32_t size, uint32_t trial)
    {
        const bool isRing = trial % 2 == 0;
        Group group(size, isRing ? "ns3::llm::RingAlgorithm[Channels=2]" : "auto");
        group.communicator->SetAttribute("StepLatency", TimeValue(NanoSeconds(trial % 3 * 100)));
        group.transport->m_latency = [random]()
        {
            return PicoSeconds(random->GetInteger(2, 5000));
        };
        uint64_t expected = 0;
        std::map<CollectiveOperation, uint64_t> counts;
        std::vector<CollectiveRequest> requests;
        for (uint32_t i = 0; i < 12; ++i)
        {
            const auto operation = RING_OPERATIONS[random->GetInteger(0, 2)];
            requests.push_back({operation, random->GetInteger(0, 1000), 0});
            expected += (operation == CollectiveOperation::ALL_REDUCE ? 2 : 1) * (size - 1) *
                        requests.back().bytes;
            ++counts[operation];
        }
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            Time start;
            for (const CollectiveRequest& request : requests)
            {
                start += PicoSeconds(random->GetInteger(0, 3000));
                group.StartAt(start, rank, request);
            }
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(group.communicator->DescribeUnfinished().size(), 0, "unfinished");
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            NS_TEST_ASSERT_MSG_EQ(group.done[rank].size(), 12, "completions of rank " << rank);
        }
        uint64_t sent = 0;
        for (const auto& [accelerator, bytes] : group.transport->m_bytes)
        {
            sent += bytes;
        }
        NS_TEST_ASSERT_MSG_EQ(sent, expected, "bytes sent");
        for (const CollectiveOperation operation : RING_OPERATIONS)
        {
            NS_TEST_ASSERT_MSG_EQ(group.statistics.GetTotals(operation).count,
                                  counts[operation],
                                  "count of " << llm::GetName(operation));
        }
        NS_TEST_ASSERT_MSG_EQ(group.statistics.GetPartialCount(), 0, "partly complete");
        Simulator::Destroy();
    }
};

/** Times by hand. */
class TimesTestCase : public TestCase
{
  public:
    TimesTestCase()
        : TestCase("Latency, reduction and statistics are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        // 3 ranks, 4 steps; each: 5 us software, 1 us transport; 2 of the 4 receives reduce 1000 B
        // at 8 Gb/s in 1 us. One tick to begin, one after each of the 4 arrivals.
        Group group(3);
        group.communicator->SetAttribute("StepLatency", TimeValue(MicroSeconds(5)));
        group.communicator->SetAttribute("ReductionRate", StringValue("8Gbps"));
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            group.StartAt(MicroSeconds(rank == 1 ? 3 : 0),
                          rank,
                          {CollectiveOperation::ALL_REDUCE, 3000, 0});
        }
        Simulator::Run();
        // rank 1 starts last; it sends to 2, 2 to 0, 0 to 1, 1 to 2: the chain of 4 sends that ends
        // last ends at rank 2, where it is not reduced
        const Time end = MicroSeconds(3 + 4 * 6 + 2) + PicoSeconds(5);
        NS_TEST_ASSERT_MSG_EQ(group.done.at(2).at(0), end, "end of rank 2");
        const OperationTotals& totals = group.statistics.GetTotals(CollectiveOperation::ALL_REDUCE);
        NS_TEST_ASSERT_MSG_EQ(totals.count, 1, "count");
        NS_TEST_ASSERT_MSG_EQ(totals.bytes, 3000, "bytes");
        NS_TEST_ASSERT_MSG_EQ(totals.sentBytes, 12000, "sent bytes");
        NS_TEST_ASSERT_MSG_EQ(totals.time, end, "first start to last end");
        NS_TEST_ASSERT_MSG_EQ(totals.lastEnd, end, "last end");
        NS_TEST_ASSERT_MSG_EQ(GetTransferTime(5'000'000'000, DataRate("400Gbps")),
                              MilliSeconds(100),
                              "more bytes than 32 bits hold");
        NS_TEST_ASSERT_MSG_EQ(GetTransferTime(1, DataRate("3Gbps")),
                              PicoSeconds(2667),
                              "rounds up");
        Simulator::Destroy();
    }
};

/** Knows the nodes only. */
class NodeLocality : public Locality
{
  public:
    uint32_t GetAcceleratorCount() const override
    {
        return 100;
    }

    uint32_t GetDomain(uint32_t) const override
    {
        return 0;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return accelerator;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return 1000 + accelerator;
    }

    Path GetPath(uint32_t, uint32_t, uint32_t, uint32_t) const override
    {
        return {};
    }
};

/** What is done for a rank is done in the context of its node. */
class ContextTestCase : public TestCase
{
  public:
    ContextTestCase()
        : TestCase("Sends and completions run in the context of the rank's node")
    {
    }

  private:
    void DoRun() override
    {
        Group group(3);
        group.communicator->SetLocality(CreateObject<NodeLocality>());
        std::vector<uint32_t> sends;
        group.transport->m_latency = [&sends]()
        {
            sends.push_back(Simulator::GetContext());
            return MicroSeconds(1);
        };
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            // from outside of any event
            group.communicator->Start(rank,
                                      {CollectiveOperation::ALL_GATHER, 30, 0},
                                      MakeCallback(&ContextTestCase::Done, this).Bind(rank));
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_done, 3, "completions");
        NS_TEST_ASSERT_MSG_EQ(sends.size(), 6, "sends");
        for (size_t i = 0; i < sends.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(sends[i],
                                  1000 + group.transport->m_sent[i].message.source,
                                  "context of a send");
        }
        Simulator::Destroy();
    }

    /**
     * An operation is complete.
     * @param rank where
     */
    void Done(uint32_t rank)
    {
        ++m_done;
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetContext(), 1010 + rank, "context of a completion");
    }

    uint32_t m_done = 0; //!< completions
};

/** A group of one has nothing to send. */
class GroupOfOneTestCase : public TestCase
{
  public:
    GroupOfOneTestCase()
        : TestCase("A group of one is done one tick later, without a transport")
    {
    }

  private:
    void DoRun() override
    {
        Group group(1);
        group.communicator->SetTransport(nullptr);
        group.StartAt(NanoSeconds(1), 0, {CollectiveOperation::ALL_REDUCE, 1000, 0});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(group.done[0].size(), 1, "done");
        NS_TEST_ASSERT_MSG_EQ(group.done[0][0], PicoSeconds(1001), "one tick later");
        Simulator::Destroy();
    }
};

/** More operations than instances are carried; both senders in turn. */
class PointToPointTestCase : public TestCase
{
  public:
    PointToPointTestCase()
        : TestCase("Point-to-point messages keep their order past the wrap of instances")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t COUNT = 10'000;
        Group group(2);
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            const CollectiveRequest request{CollectiveOperation::POINT_TO_POINT, i, i / 1500 % 2};
            group.StartAt(NanoSeconds(i), 0, request);
            group.StartAt(NanoSeconds(i + 1000), 1, request);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(group.done[0].size(), COUNT, "done at rank 0");
        NS_TEST_ASSERT_MSG_EQ(group.done[1].size(), COUNT, "done at rank 1");
        NS_TEST_ASSERT_MSG_EQ(
            group.statistics.GetTotals(CollectiveOperation::POINT_TO_POINT).sentBytes,
            uint64_t{COUNT} * (COUNT - 1) / 2,
            "bytes");
        Simulator::Destroy();
    }
};

/** The order of simultaneous events does not change what goes out. */
class SimultaneousTestCase : public TestCase
{
  public:
    SimultaneousTestCase()
        : TestCase("What goes out does not depend on the order of simultaneous events")
    {
    }

  private:
    /** (accelerator, time, place, instance, flow) of each send, in the order of each accelerator. */
    using Trace = std::vector<std::tuple<uint32_t, Time, uint32_t, uint32_t, uint32_t>>;

    void DoRun() override
    {
        const Trace free = RunOnce(0, 0);
        for (const uint32_t most : {0u, 3u})
        {
            const Trace reference = RunOnce(0, most);
            // 4 ranks, 4 operations, 2 channels, 6 steps
            NS_TEST_ASSERT_MSG_EQ(reference.size(), 4 * 4 * 2 * 6, "messages");
            NS_TEST_ASSERT_MSG_EQ((reference == free), (most == 0), "the cap matters");
            for (uint32_t order = 1; order < 6; ++order)
            {
                NS_TEST_ASSERT_MSG_EQ((RunOnce(order, most) == reference), true, "order " << order);
            }
        }
    }

    /**
     * Two-channel rings with four operations in flight; messages are delivered at multiples of 1 us.
     * @param order changes the order of simultaneous starts and deliveries
     * @param most attribute MaxOutstanding
     * @return what was sent
     */
    Trace RunOnce(uint32_t order, uint32_t most)
    {
        constexpr uint32_t SIZE = 4;
        Config::SetDefault("ns3::llm::Communicator::MaxOutstanding", UintegerValue(most));
        Group group(SIZE, "ns3::llm::RingAlgorithm[Channels=2]");
        Config::SetDefault("ns3::llm::Communicator::MaxOutstanding", UintegerValue(0));
        for (uint32_t i = 0; i < 4 * SIZE; ++i)
        {
            const uint32_t rank = (i + order) % SIZE;
            group.StartAt(Time(0), rank, {CollectiveOperation::ALL_REDUCE, 100 + i / SIZE, 0});
        }
        group.transport->m_latency = []()
        {
            const int64_t now = Simulator::Now().GetPicoSeconds();
            return PicoSeconds((now / 1'000'000 + 1) * 1'000'000 - now);
        };
        group.transport->m_shuffle = CreateObject<UniformRandomVariable>();
        group.transport->m_shuffle->SetStream(100 + order);
        Simulator::Run();
        Trace trace;
        for (const auto& sent : group.transport->m_sent)
        {
            const Message& message = sent.message;
            trace.emplace_back(message.source,
                               sent.time,
                               message.place,
                               message.instance,
                               message.flow);
        }
        std::stable_sort(trace.begin(),
                         trace.end(),
                         [](const auto& a, const auto& b)
                         { return std::get<0>(a) < std::get<0>(b); });
        Simulator::Destroy();
        return trace;
    }
};

/** All of them. */
class CollectiveTestSuite : public TestSuite
{
  public:
    CollectiveTestSuite()
        : TestSuite("llm-fabric-collective", TestSuite::Type::UNIT)
    {
        AddTestCase(new RandomLatencyTestCase);
        AddTestCase(new TimesTestCase);
        AddTestCase(new ContextTestCase);
        AddTestCase(new GroupOfOneTestCase);
        AddTestCase(new PointToPointTestCase);
        AddTestCase(new SimultaneousTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveTestSuite g_collectiveTestSuite; //!< registers the suite

} // namespace
