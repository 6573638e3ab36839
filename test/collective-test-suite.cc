// SPDX-License-Identifier: GPL-2.0-only

// Step programs and communicators, over a transport that has latencies only.

#include "ns3/collective-operation.h"
#include "ns3/collective-statistics.h"
#include "ns3/communicator.h"
#include "ns3/input-error.h"
#include "ns3/locality.h"
#include "ns3/message-transport.h"
#include "ns3/point-to-point-algorithm.h"
#include "ns3/random-variable-stream.h"
#include "ns3/ring-algorithm.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/transfer-time.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * Run a function that may refuse its input. Inside of events this is done there, as an event that an
 * exception leaves is never freed.
 * @param function it
 * @return the refusal's text, empty if there was none
 */
std::string
GetRefusal(const std::function<void()>& function)
{
    try
    {
        function();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

/** Carries messages with latencies alone, in order per flow, and counts them. */
class LatencyTransport : public MessageTransport
{
  public:
    /** One message on its way. */
    struct Sent
    {
        Message message; //!< what
        Time time;       //!< when it was sent
    };

    void Send(const Message& message) override
    {
        m_sent.push_back({message, Simulator::Now()});
        m_bytes[message.source] += message.bytes;
        if (m_dropFrom == message.source)
        {
            return;
        }
        Time arrival = Simulator::Now() + (m_latency ? m_latency() : MicroSeconds(1));
        Time& last = m_last[{message.source, message.destination, message.owner, message.flow}];
        arrival = std::max(arrival, last);
        last = arrival;
        auto& batch = m_batches[arrival];
        batch.push_back(message);
        if (batch.size() == 1)
        {
            Simulator::Schedule(arrival - Simulator::Now(),
                                &LatencyTransport::Arrive,
                                Ptr<LatencyTransport>(this));
        }
    }

    std::function<Time()> m_latency;      //!< latency of the next message
    Ptr<UniformRandomVariable> m_shuffle; //!< permutes simultaneous deliveries, if set
    std::string m_refusal;                //!< what communicators refused
    uint32_t m_dropFrom = UINT32_MAX;     //!< accelerator whose messages are lost
    std::vector<Sent> m_sent;             //!< all messages in the order of Send
    std::map<uint32_t, uint64_t> m_bytes; //!< sent by each accelerator

  private:
    /** Messages have come at this tick: deliver them in the order that m_shuffle makes of it. */
    void Arrive()
    {
        std::vector<Message> batch = m_batches.at(Simulator::Now());
        m_batches.erase(Simulator::Now());
        for (size_t i = batch.size(); m_shuffle && i > 1; --i)
        {
            std::swap(batch[i - 1], batch[m_shuffle->GetInteger(0, i - 1)]);
        }
        for (const Message& message : batch)
        {
            m_refusal += GetRefusal([&]() { NotifyDelivered(message); });
            Simulator::Schedule(MicroSeconds(1),
                                &LatencyTransport::Acknowledge,
                                Ptr<LatencyTransport>(this),
                                message);
        }
    }

    /**
     * The source knows that a message has come.
     * @param message it
     */
    void Acknowledge(const Message& message)
    {
        NotifyAcknowledged(message);
    }

    std::map<Time, std::vector<Message>> m_batches; //!< on their way, by time of arrival
    /** Last arrival by (source, destination, owner, flow). */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, Time> m_last;
};

/** A communicator with its transport and what became of it. */
struct Group
{
    /**
     * @param size number of ranks; rank r is accelerator 10 + r
     * @param algorithm attribute Algorithm
     */
    explicit Group(uint32_t size, const std::string& algorithm = "auto")
        : transport(CreateObject<LatencyTransport>()),
          communicator(CreateObject<Communicator>())
    {
        std::vector<uint32_t> accelerators(size);
        std::iota(accelerators.begin(), accelerators.end(), 10);
        communicator->SetAttribute("Algorithm", StringValue(algorithm));
        communicator->SetTransport(transport);
        communicator->SetGroup(7, "DP group 3", accelerators);
        communicator->TraceConnectWithoutContext(
            "OperationDone",
            MakeCallback(&CollectiveStatistics::Add, &statistics));
        done.resize(size);
    }

    /**
     * Start an operation at a rank.
     * @param delay from now
     * @param rank the rank
     * @param request the operation
     */
    void StartAt(Time delay, uint32_t rank, const CollectiveRequest& request)
    {
        Simulator::ScheduleWithContext(10 + rank,
                                       delay,
                                       [this, rank, request]()
                                       {
                                           transport->m_refusal += GetRefusal(
                                               [&]() {
                                                   communicator->Start(
                                                       rank,
                                                       request,
                                                       MakeCallback(&Group::Done, this).Bind(rank));
                                               });
                                       });
    }

    /**
     * Called when an operation is complete.
     * @param rank where
     */
    void Done(uint32_t rank)
    {
        done[rank].push_back(Simulator::Now());
    }

    Ptr<LatencyTransport> transport;     //!< carries the messages
    Ptr<Communicator> communicator;      //!< under test
    CollectiveStatistics statistics;     //!< of its operations
    std::vector<std::vector<Time>> done; //!< completions by rank
};

/** What a ring does. */
const CollectiveOperation RING_OPERATIONS[] = {CollectiveOperation::ALL_REDUCE,
                                               CollectiveOperation::ALL_GATHER,
                                               CollectiveOperation::REDUCE_SCATTER};

/**
 * @param size number of ranks
 * @return accelerators 0, 1, ...
 */
std::vector<uint32_t>
MakeAccelerators(uint32_t size)
{
    std::vector<uint32_t> result(size);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

/**
 * Bytes that a program lets each rank send.
 * @param program it
 * @return by rank
 */
std::vector<uint64_t>
CountSentBytes(const StepProgram& program)
{
    std::vector<uint64_t> result(program.GetSize());
    for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
    {
        for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
        {
            for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
            {
                const Step step = program.GetStep(rank, lane, i);
                result[rank] += step.kind == Step::SEND ? step.bytes : 0;
            }
        }
    }
    return result;
}

/** A ring's bytes are exact for any size of buffer and group. */
class RingBytesTestCase : public TestCase
{
  public:
    RingBytesTestCase()
        : TestCase("A ring sends exactly (N - 1) S or 2 (N - 1) S bytes for any S and N")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t channels : {1, 3})
        {
            Ptr<RingAlgorithm> ring = CreateObject<RingAlgorithm>();
            ring->SetAttribute("Channels", UintegerValue(channels));
            for (const uint32_t size : {1, 2, 3, 4, 7, 8, 13, 64})
            {
                for (const uint64_t bytes :
                     {0ULL, 1ULL, 2ULL, 5ULL, 7ULL, 8ULL, 63ULL, 64ULL, 1'000'003ULL, 1ULL << 40})
                {
                    Check(ring, size, bytes, channels);
                }
            }
        }
    }

    /**
     * Check the three operations.
     * @param ring the algorithm
     * @param size N
     * @param bytes S
     * @param channels number of rings
     */
    void Check(Ptr<RingAlgorithm> ring, uint32_t size, uint64_t bytes, uint32_t channels)
    {
        for (const CollectiveOperation operation : RING_OPERATIONS)
        {
            const auto sent = CountSentBytes(
                *ring->MakeProgram({operation, bytes, 0}, MakeAccelerators(size), nullptr));
            const uint64_t phases = operation == CollectiveOperation::ALL_REDUCE ? 2 : 1;
            NS_TEST_ASSERT_MSG_EQ(std::accumulate(sent.begin(), sent.end(), uint64_t{0}),
                                  phases * (size - 1) * bytes,
                                  llm::GetName(operation) << " of " << bytes << " among " << size);
            for (const uint64_t ofRank : sent)
            {
                // one byte a chunk at most above or below the even share
                const double even = static_cast<double>(phases * (size - 1)) / size * bytes;
                NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(ofRank),
                                          even,
                                          phases * channels + 1e-9 * even,
                                          "share of a rank, " << size << " ranks, " << bytes);
            }
        }
    }
};

/**
 * Who contributed to each chunk at each rank, while a program runs with messages in a random order.
 */
class ContributionRun
{
  public:
    using Set = std::multiset<uint32_t>; //!< contributing ranks; twice would be an error

    /**
     * @param program what to run
     * @param state contributions by (rank, chunk) at the start
     */
    ContributionRun(const StepProgram& program, std::map<std::pair<uint32_t, uint32_t>, Set> state)
        : m_program(program),
          m_state(std::move(state))
    {
    }

    /**
     * Run until nothing moves, choosing at random what goes next.
     * @param random source of the choices
     * @return whether all lanes came to their end and no message is left
     */
    bool Run(Ptr<UniformRandomVariable> random)
    {
        std::vector<std::pair<uint32_t, uint32_t>> lanes;
        for (uint32_t rank = 0; rank < m_program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < m_program.GetLaneCount(rank); ++lane)
            {
                lanes.emplace_back(rank, lane);
            }
        }
        for (size_t stuck = 0; stuck < 50 * lanes.size();)
        {
            const auto& lane = lanes[random->GetInteger(0, lanes.size() - 1)];
            stuck = Do(lane.first, lane.second) ? 0 : stuck + 1;
        }
        return m_messages.empty() &&
               std::all_of(
                   lanes.begin(),
                   lanes.end(),
                   [&](auto& lane)
                   { return m_next[lane] == m_program.GetLaneLength(lane.first, lane.second); });
    }

    /**
     * @param rank a rank
     * @param chunk a chunk
     * @return who contributed to it there
     */
    const Set& Get(uint32_t rank, uint32_t chunk)
    {
        return m_state[{rank, chunk}];
    }

  private:
    /**
     * Try the next step of a lane.
     * @param rank its rank
     * @param lane the lane
     * @return whether it was done
     */
    bool Do(uint32_t rank, uint32_t lane)
    {
        uint32_t& next = m_next[{rank, lane}];
        if (next == m_program.GetLaneLength(rank, lane))
        {
            return false;
        }
        const Step step = m_program.GetStep(rank, lane, next);
        if (step.dependencyLane != Step::NONE &&
            m_next[{rank, step.dependencyLane}] <= step.dependencyIndex)
        {
            return false;
        }
        Set& mine = m_state[{rank, step.chunk}];
        if (step.kind == Step::SEND)
        {
            m_messages[{rank, step.peer, step.place}] = {step.chunk, step.bytes, step.flow, mine};
        }
        else
        {
            const auto message = m_messages.find({step.peer, rank, step.place});
            if (message == m_messages.end() || std::get<0>(message->second) != step.chunk ||
                std::get<1>(message->second) != step.bytes ||
                std::get<2>(message->second) != step.flow)
            {
                return false;
            }
            Set& theirs = std::get<3>(message->second);
            if (step.reduce)
            {
                mine.insert(theirs.begin(), theirs.end());
            }
            else
            {
                mine = theirs;
            }
            m_messages.erase(message);
        }
        ++next;
        return true;
    }

    const StepProgram& m_program;                             //!< what is run
    std::map<std::pair<uint32_t, uint32_t>, Set> m_state;     //!< by (rank, chunk)
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_next; //!< by (rank, lane)
    /** (chunk, bytes, flow, contributions) by (sender, receiver, place). */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>,
             std::tuple<uint32_t, uint64_t, uint32_t, Set>>
        m_messages;
};

/** Each rank ends with what the operation says. */
class RingMeaningTestCase : public TestCase
{
  public:
    RingMeaningTestCase()
        : TestCase("Each rank ends a ring operation with exactly the contributions it should have")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        for (const uint32_t channels : {1, 2})
        {
            for (const uint32_t size : {1, 2, 3, 5, 8})
            {
                for (const CollectiveOperation operation : RING_OPERATIONS)
                {
                    Check(operation, size, channels, random);
                }
            }
        }
    }

    /**
     * Run one operation and look at every chunk.
     * @param operation which
     * @param size N
     * @param channels number of rings
     * @param random orders the messages
     */
    void Check(CollectiveOperation operation,
               uint32_t size,
               uint32_t channels,
               Ptr<UniformRandomVariable> random)
    {
        Ptr<RingAlgorithm> ring = CreateObject<RingAlgorithm>();
        ring->SetAttribute("Channels", UintegerValue(channels));
        const auto program =
            ring->MakeProgram({operation, 100, 0}, MakeAccelerators(size), nullptr);
        const bool isGather = operation == CollectiveOperation::ALL_GATHER;
        std::map<std::pair<uint32_t, uint32_t>, ContributionRun::Set> start;
        ContributionRun::Set all;
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            all.insert(rank);
            for (uint32_t chunk = 0; chunk < size * channels; ++chunk)
            {
                if (!isGather || chunk % size == rank)
                {
                    start[{rank, chunk}] = {rank};
                }
            }
        }
        ContributionRun run(*program, start);
        NS_TEST_ASSERT_MSG_EQ((size == 1 || run.Run(random)), true, "did not come to its end");
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            for (uint32_t chunk = 0; chunk < size * channels; ++chunk)
            {
                const uint32_t owner = chunk % size;
                if (operation == CollectiveOperation::REDUCE_SCATTER && owner != rank)
                {
                    continue; // what is left there has no meaning
                }
                NS_TEST_ASSERT_MSG_EQ(
                    (run.Get(rank, chunk) == (isGather ? ContributionRun::Set{owner} : all)),
                    true,
                    llm::GetName(operation)
                        << ": chunk " << chunk << " at " << rank << " of " << size);
            }
        }
    }
};

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
        const Trace reference = RunOnce(0);
        // 4 ranks, 4 operations, 2 channels, 6 steps
        NS_TEST_ASSERT_MSG_EQ(reference.size(), 4 * 4 * 2 * 6, "messages");
        for (uint32_t order = 1; order < 6; ++order)
        {
            NS_TEST_ASSERT_MSG_EQ((RunOnce(order) == reference), true, "order " << order);
        }
    }

    /**
     * Two-channel rings with four operations in flight; messages are delivered at multiples of 1 us.
     * @param order changes the order of simultaneous starts and deliveries
     * @return what was sent
     */
    Trace RunOnce(uint32_t order)
    {
        constexpr uint32_t SIZE = 4;
        Group group(SIZE, "ns3::llm::RingAlgorithm[Channels=2]");
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
        Check({Op::ALL_REDUCE, 4000, 0}, {Op::ALL_GATHER, 4000, 0});
        Check({Op::ALL_REDUCE, 4000, 0}, {Op::REDUCE_SCATTER, 4000, 0});
        Check({Op::ALL_GATHER, 4000, 0}, {Op::REDUCE_SCATTER, 4000, 0});
        Check({Op::ALL_REDUCE, 4000, 0}, {Op::ALL_REDUCE, 4001, 0});
        Check({Op::ALL_GATHER, 0, 0}, {Op::ALL_GATHER, 1, 0});
        Check({Op::POINT_TO_POINT, 10, 0}, {Op::POINT_TO_POINT, 11, 0});
        Check({Op::POINT_TO_POINT, 10, 0}, {Op::ALL_REDUCE, 40, 0});
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
class CollectiveTestSuite : public TestSuite
{
  public:
    CollectiveTestSuite()
        : TestSuite("llm-fabric-collective", TestSuite::Type::UNIT)
    {
        AddTestCase(new RingBytesTestCase);
        AddTestCase(new RingMeaningTestCase);
        AddTestCase(new RandomLatencyTestCase);
        AddTestCase(new TimesTestCase);
        AddTestCase(new ContextTestCase);
        AddTestCase(new GroupOfOneTestCase);
        AddTestCase(new PointToPointTestCase);
        AddTestCase(new SimultaneousTestCase);
        AddTestCase(new MismatchTestCase);
        AddTestCase(new UnfinishedTestCase);
        AddTestCase(new InputTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveTestSuite g_collectiveTestSuite; //!< registers the suite

} // namespace
