// SPDX-License-Identifier: GPL-2.0-only

// How a NIC shares its port: by turns, by weight, by priority; answers ahead of data.

#include "small-network.h"

#include "ns3/communicator.h"
#include "ns3/input-error.h"
#include "ns3/no-congestion-control.h"
#include "ns3/queue-pair-scheduler.h"
#include "ns3/test.h"

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The scheduler of a NIC's queue pairs.
 */

namespace
{

/** A scheduler with queue pairs that always have something to send. */
class SchedulerBench
{
  public:
    /** @param scheduling how @param weights see PriorityWeights */
    explicit SchedulerBench(RdmaScheduling scheduling, const std::string& weights = "1")
        : m_control(CreateObject<NoCongestionControl>())
    {
        m_config.mtuBytes = 1000;
        m_config.dataOverheadBytes = 100;
        m_config.firstOverheadBytes = 0;
        m_config.scheduling = scheduling;
        m_config.weights = QueuePairScheduler::ReadWeights(weights);
        m_config.control = PeekPointer(m_control);
        m_scheduler = std::make_unique<QueuePairScheduler>(m_config);
    }

    /** @param priority of a new queue pair, which stands in its round from here on */
    void Add(uint32_t priority)
    {
        QueuePairInfo info;
        info.lineRateBps = 100e9;
        const auto number = static_cast<uint32_t>(m_pairs.size());
        m_pairs.push_back(std::make_unique<SendQueuePair>(m_config, number, 1, number, 0, 0, info));
        m_pairs.back()->round = m_scheduler->GetRound(priority);
        m_scheduler->Push(*m_pairs.back());
    }

    /**
     * Let frames be sent.
     * @param count so many
     * @param bytes wire bytes of each queue pair's frames; the last is that of all others
     * @param stays whether queue pairs have more to send
     * @return queue pairs that sent, as digits
     */
    std::string Send(uint32_t count, const std::vector<uint32_t>& bytes = {1100}, bool stays = true)
    {
        std::string order;
        for (uint32_t i = 0; i < count && !m_scheduler->IsEmpty(); ++i)
        {
            SendQueuePair& one = m_scheduler->Pop();
            order += static_cast<char>('0' + one.index);
            m_scheduler->Charge(bytes[std::min<std::size_t>(one.index, bytes.size() - 1)]);
            if (stays)
            {
                m_scheduler->Push(one);
            }
        }
        return order;
    }

  private:
    Ptr<NoCongestionControl> m_control;                  //!< of the queue pairs
    RdmaConfig m_config;                                 //!< sizes and weights
    std::unique_ptr<QueuePairScheduler> m_scheduler;     //!< under test
    std::vector<std::unique_ptr<SendQueuePair>> m_pairs; //!< by number
};

/** Orders by hand. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("Orders by hand: in turn, 1 to 3, and the highest first")
    {
    }

  private:
    void DoRun() override
    {
        SchedulerBench turns(RdmaScheduling::ROUND_ROBIN, "1,9");
        turns.Add(0);
        turns.Add(1);
        turns.Add(7);
        NS_TEST_EXPECT_MSG_EQ(turns.Send(7), "0120120", "priorities do not matter");

        SchedulerBench weighted(RdmaScheduling::WEIGHTED, "1,3");
        weighted.Add(0);
        weighted.Add(1);
        NS_TEST_EXPECT_MSG_EQ(weighted.Send(9), "111011101", "three frames for one");
        weighted.Add(1);
        // 2 joins the round of 1, which has two frames left of its turn
        NS_TEST_EXPECT_MSG_EQ(weighted.Send(10), "1201210212", "in turn within the priority");

        // frames of 550 B: six of them for one of 1100 B
        SchedulerBench small(RdmaScheduling::WEIGHTED, "1,3");
        small.Add(0);
        small.Add(1);
        NS_TEST_EXPECT_MSG_EQ(small.Send(14, {1100, 550}), "11111101111110", "by bytes");

        SchedulerBench strict(RdmaScheduling::STRICT);
        strict.Add(2);
        strict.Add(5);
        strict.Add(5);
        NS_TEST_EXPECT_MSG_EQ(strict.Send(4), "1212", "the highest, in turn");
        NS_TEST_EXPECT_MSG_EQ(strict.Send(9, {1100}, false), "120", "then the others");
    }
};

/** In the long run. */
class SharesTestCase : public TestCase
{
  public:
    SharesTestCase()
        : TestCase(
              "Long-run shares are the weights', whatever the frames' sizes, and no debt is old")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> sizes{1100, 164, 900, 333};
        SchedulerBench bench(RdmaScheduling::WEIGHTED, "1,2,5,4");
        for (uint32_t priority = 0; priority < 4; ++priority)
        {
            bench.Add(priority);
        }
        std::map<char, uint64_t> bytes;
        for (const char one : bench.Send(100000, sizes))
        {
            bytes[one] += sizes[static_cast<std::size_t>(one - '0')];
        }
        const auto unit = static_cast<double>(bytes['0']);
        const double turn = 2 * 5 * 1100 / unit; // begun, and overdrawn
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bytes['1']) / unit, 2, turn, "share of 1");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bytes['2']) / unit, 5, turn, "share of 2");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bytes['3']) / unit, 4, turn, "share of 3");

        // one that was alone for long owes nothing to one that comes
        SchedulerBench alone(RdmaScheduling::WEIGHTED, "1,1");
        alone.Add(0);
        alone.Send(1000);
        alone.Add(1);
        NS_TEST_EXPECT_MSG_EQ(alone.Send(6), "101010", "from the first frame on");
    }
};

/** Wrong weights. */
class WeightsTestCase : public TestCase
{
  public:
    WeightsTestCase()
        : TestCase("Weights are read, and nonsense is refused with what is allowed")
    {
    }

  private:
    void DoRun() override
    {
        const auto weights = QueuePairScheduler::ReadWeights("3,65535,2");
        NS_TEST_EXPECT_MSG_EQ(weights[0], 3, "first");
        NS_TEST_EXPECT_MSG_EQ(weights[1], 65535, "second");
        NS_TEST_EXPECT_MSG_EQ(weights[2], 2, "third");
        NS_TEST_EXPECT_MSG_EQ(weights[7], 1, "not named");
        for (const std::string text :
             {"0", "-1", "1,,2", "a", "1;2", "65536", "1,1,1,1,1,1,1,1,1", "2 "})
        {
            std::string refusal;
            try
            {
                QueuePairScheduler::ReadWeights(text);
            }
            catch (const InputError& error)
            {
                refusal = error.what();
            }
            NS_TEST_EXPECT_MSG_EQ(refusal.find("PriorityWeights '" + text + "': up to 8 numbers"),
                                  0,
                                  "refused: " << text << ": " << refusal);
        }
        Refuse("Scheduler", "Fair", "Scheduler 'Fair': it is one of RoundRobin Strict Weighted");
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        Message message;
        message.destination = 1;
        message.priority = 8;
        std::string refusal;
        try
        {
            net.transport->Send(message);
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(refusal,
                              "message from accelerator 0 with priority 8: priorities are 0 to 7",
                              "refused");
    }

    /** @param name attribute @param value of it @param expected refusal */
    void Refuse(const std::string& name, const std::string& value, const std::string& expected)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::" + name, StringValue(value));
        std::string refusal;
        try
        {
            SmallNetwork net;
            net.MakeStar(2, "100Gbps");
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(refusal, expected, "refused");
    }
};

/** Sees what a host sends. */
class Uplink : public FrameTransmitter::Observer
{
  public:
    /** @param transport of the host @param host it */
    Uplink(const RdmaTransport& transport, uint32_t host)
        : m_transmitter(&transport.GetNetwork()->GetTerminalPort(host)->GetTransmitter())
    {
    }

    void FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t) override
    {
        if (&transmitter == m_transmitter)
        {
            frames.push_back(frame);
        }
    }

    std::vector<Frame> frames; //!< in their order

  private:
    const FrameTransmitter* m_transmitter; //!< of the host
};

/** Through a network. */
class NetworkTestCase : public TestCase
{
  public:
    NetworkTestCase()
        : TestCase("Messages of two priorities share a NIC by weight; ACKs go ahead of data")
    {
    }

  private:
    void DoRun() override
    {
        CheckWeights("RoundRobin", 0.5);
        CheckWeights("Weighted", 0.75);
        CheckWeights("Strict", 1);
        CheckAnswers();
    }

    /** @param scheduler attribute @param share expected of priority 1 while both have something */
    void CheckWeights(const std::string& scheduler, double share)
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::Scheduler", StringValue(scheduler));
        Config::SetDefault("ns3::llm::RdmaTransport::PriorityWeights", StringValue("1,3"));
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        Uplink uplink(*net.transport, 0);
        net.network->SetObserver(&uplink);
        for (uint32_t priority = 0; priority < 2; ++priority)
        {
            Message message;
            message.destination = 1;
            message.bytes = 4000000;
            message.priority = priority;
            message.place = priority;
            net.transport->Send(message);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 2, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetNic(0).GetQueuePairCount(), 2, "a queue pair each");
        uint64_t high = 0;
        for (std::size_t i = 0; i < 4000; ++i)
        {
            high += uplink.frames[i].tag & 1; // the place
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(high) / 4000, share, 1e-3, scheduler);
    }

    /** Two hosts send to each other: between a data frame's arrival and its ACK goes one frame. */
    void CheckAnswers()
    {
        SmallNetwork::SetPlain(1000);
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        Uplink uplink(*net.transport, 1);
        net.network->SetObserver(&uplink);
        for (uint32_t flow = 0; flow < 8; ++flow)
        {
            net.Send(0, 1, 100000, flow, flow);
            net.Send(1, 0, 100000, flow, flow);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 16, "messages");
        uint32_t data = 0;
        uint32_t acks = 0;
        uint32_t longest = 0;
        for (const Frame& frame : uplink.frames)
        {
            const bool isAck = frame.kind == FrameKind::ACK;
            data = isAck ? 0 : data + 1;
            acks += isAck;
            longest = acks > 0 && acks < 800 ? std::max(longest, data) : longest;
        }
        NS_TEST_EXPECT_MSG_EQ(acks, 800, "ACKs");
        // a data frame takes as long as one that comes in, so at most two begin between two ACKs
        NS_TEST_EXPECT_MSG_LT(longest, 3, "data frames between ACKs");
    }
};

/** Priorities of collectives. */
class CommunicatorTestCase : public TestCase
{
  public:
    CommunicatorTestCase()
        : TestCase("A communicator's Priority is that of its messages")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::Scheduler", StringValue("Strict"));
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        std::vector<Time> ends(2);
        std::vector<Ptr<Communicator>> groups;
        CollectiveRequest request;
        request.operation = CollectiveOperation::ALL_GATHER;
        request.bytes = 4000000;
        for (uint32_t i = 0; i < 2; ++i)
        {
            groups.push_back(CreateObject<Communicator>());
            groups[i]->SetAttribute("Priority", UintegerValue(i));
            groups[i]->SetTransport(net.transport);
            groups[i]->SetGroup(i, "group " + std::to_string(i), {0, 1});
            for (uint32_t rank = 0; rank < 2; ++rank)
            {
                Simulator::Schedule(
                    Time(0),
                    [&groups, &ends, request, i, rank]() {
                        groups[i]->Start(rank,
                                         request,
                                         MakeCallback(&CommunicatorTestCase::Note).Bind(&ends[i]));
                    });
            }
        }
        Simulator::Run();
        // each sends 2 MB, 173 us, and ACKs, 14 us: the second group goes first, then the first one
        NS_TEST_EXPECT_MSG_EQ_TOL(ends[1].GetMicroSeconds(), 189, 4, "the higher priority");
        NS_TEST_EXPECT_MSG_EQ_TOL(ends[0].GetMicroSeconds(), 376, 4, "the lower one");
        for (const auto& group : groups)
        {
            group->Dispose();
        }
    }

    /** @param end set to now */
    static void Note(Time* end)
    {
        *end = Simulator::Now();
    }
};

/** The suite. */
class NicSchedulerTestSuite : public TestSuite
{
  public:
    NicSchedulerTestSuite()
        : TestSuite("llm-fabric-nic-scheduler", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new OrderTestCase);
        AddTestCase(new SharesTestCase);
        AddTestCase(new WeightsTestCase);
        AddTestCase(new NetworkTestCase);
        AddTestCase(new CommunicatorTestCase);
    }
};

NicSchedulerTestSuite g_nicSchedulerTestSuite; //!< registers the suite

} // namespace
