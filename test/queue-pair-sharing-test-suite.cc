// SPDX-License-Identifier: GPL-2.0-only

// Many queue pairs, what it costs to connect them, how messages spread over them, and caps on what is
// outstanding.

#include "lone-sender.h"
#include "small-network.h"

#include "ns3/input-error.h"
#include "ns3/test.h"

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Queue pairs in large numbers, their set-up, and how they share messages.
 */

namespace
{

/** @param name of an attribute of the transport @param value its value */
void
Set(const std::string& name, const AttributeValue& value)
{
    Config::SetDefault("ns3::llm::RdmaTransport::" + name, value);
}

/** @param build makes what must be refused @return the refusal, or nothing */
std::string
Refusal(const std::function<void()>& build)
{
    std::string text;
    try
    {
        build();
    }
    catch (const InputError& error)
    {
        text = error.what();
    }
    Config::Reset();
    return text;
}

/** More queue pairs than 16 bits can number. */
class ManyQueuePairsTestCase : public TestCase
{
  public:
    ManyQueuePairsTestCase()
        : TestCase("70,000 queue pairs of one frame each all complete, to one host or to many")
    {
    }

  private:
    static constexpr uint32_t COUNT = 70000; //!< more than 2^16

    void DoRun() override
    {
        Check(1);
        Check(7);
    }

    /** @param receivers so many */
    void Check(uint32_t receivers)
    {
        SmallNetwork::SetPlain(1000);
        SmallNetwork net;
        net.MakeStar(receivers + 1, "400Gbps");
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            net.Send(0, 1 + i % receivers, 1 + i % 1000, i, i);
        }
        Simulator::Run();
        const NicCounters counters = net.transport->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetNic(0).GetQueuePairCount(), COUNT, "queue pairs");
        NS_TEST_EXPECT_MSG_EQ(counters.dataFrames, COUNT, "one frame each");
        NS_TEST_EXPECT_MSG_EQ(counters.retransmissions, 0, "none again");
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), COUNT, "messages");
        std::vector<uint64_t> bytes(COUNT, UINT64_MAX);
        for (const auto& record : net.delivered)
        {
            bytes.at(record.message.place) = record.message.bytes;
        }
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            wrong += bytes[i] != 1 + i % 1000;
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "messages that are not their queue pair's");
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), COUNT, "each once");
    }
};

/** Connecting. */
class SetupTimeTestCase : public TestCase
{
  public:
    SetupTimeTestCase()
        : TestCase("A queue pair's first message waits for QueuePairSetupTime, later ones do not")
    {
    }

  private:
    static constexpr uint64_t US = 1000000; //!< ticks of a microsecond

    void DoRun() override
    {
        const auto plain = Deliver(Time(0), "ns3::llm::NoCongestionControl");
        const auto held = Deliver(MicroSeconds(30), "ns3::llm::NoCongestionControl");
        // messages 0 and 1 are the first of two queue pairs, 2 and 3 come later
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(held.at(i) - plain.at(i), (i < 2 ? 30 * US : 0), "message " << i);
        }
        // paced by a control with a deadline of its own: still not before
        const auto paced = Deliver(Time(0), "ns3::llm::Timely");
        const auto pacedHeld = Deliver(MicroSeconds(30), "ns3::llm::Timely");
        NS_TEST_EXPECT_MSG_EQ(pacedHeld.at(0) - paced.at(0), 30 * US, "paced");
        LoneSender sender;
        sender.pair->HoldUntil(30 * US);
        sender.pair->UpdatePace(); // as at a control's deadline before
        NS_TEST_EXPECT_MSG_EQ(sender.pair->nextSendTick, 30 * US, "whatever its control does");
    }

    /** @param setup attribute @param control attribute @return tick of delivery, by place */
    std::map<uint32_t, uint64_t> Deliver(Time setup, const std::string& control)
    {
        SmallNetwork::SetPlain(1000);
        Set("CongestionControl", StringValue(control));
        Set("QueuePairSetupTime", TimeValue(setup));
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, 500, 0, 0);
        net.Send(0, 1, 500, 1, 1);
        net.SendAt(MicroSeconds(50), 0, 1, 500, 2);
        net.SendAt(MicroSeconds(51), 0, 1, 2000, 3);
        Simulator::Run();
        std::map<uint32_t, uint64_t> ticks;
        for (const auto& record : net.delivered)
        {
            ticks[record.message.place] = record.tick;
        }
        return ticks;
    }
};

/** Most outstanding. */
class OutstandingTestCase : public TestCase
{
  public:
    OutstandingTestCase()
        : TestCase(
              "What is outstanding stays within the caps of queue pair and NIC, and all arrives")
    {
    }

  private:
    static constexpr uint32_t PAIRS = 5; //!< queue pairs of the sender

    /** Largest sums seen. */
    struct Most
    {
        uint64_t ofPair = 0;   //!< payload in flight of a queue pair
        uint64_t ofNic = 0;    //!< of all
        uint64_t tick = 0;     //!< of the last acknowledgment
        uint64_t messages = 0; //!< delivered
        uint64_t timeouts = 0; //!< retransmission timeouts
    };

    void DoRun() override
    {
        const Most free = Run(0, 0);
        NS_TEST_EXPECT_MSG_GT(free.ofPair, 8000, "without caps there is more");
        NS_TEST_EXPECT_MSG_GT(free.ofNic, 40000, "without caps there is more");
        const Most paired = Run(4999, 0);
        NS_TEST_EXPECT_MSG_EQ(paired.ofPair, 4000, "four frames, not five");
        NS_TEST_EXPECT_MSG_EQ(paired.ofNic, 4000 * PAIRS, "each");
        const Most shared = Run(0, 7000);
        NS_TEST_EXPECT_MSG_EQ(shared.ofNic, 7000, "seven frames");
        const Most least = Run(1, 1);
        NS_TEST_EXPECT_MSG_EQ(least.ofPair, 1000, "a frame may always go");
        NS_TEST_EXPECT_MSG_EQ(least.ofNic, 1000, "a frame may always go");
        for (const Most& most : {free, paired, shared, least})
        {
            NS_TEST_EXPECT_MSG_EQ(most.messages, PAIRS, "messages");
            NS_TEST_EXPECT_MSG_EQ(most.timeouts, 0, "timeouts");
        }
        // with one frame on its way, a frame per round trip of 4 us and 2 x (86,560 + 6,880) ps
        const uint64_t rtt = 4000000 + 2 * (86560 + 6880);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(least.tick),
                                  static_cast<double>(PAIRS * 40 * rtt),
                                  static_cast<double>(rtt),
                                  "time of one after the other");
        for (const std::string recovery : {"ns3::llm::GoBackN", "ns3::llm::SelectiveRepeat"})
        {
            Set("LossRecovery", StringValue(recovery));
            m_loses = true;
            const Most lossy = Run(0, 7000);
            m_loses = false;
            NS_TEST_EXPECT_MSG_EQ(lossy.messages, PAIRS, "in spite of losses, " << recovery);
            NS_TEST_EXPECT_MSG_LT(lossy.ofNic, 7001, "in spite of losses, " << recovery);
        }
    }

    /** @param ofPair attribute @param ofNic attribute @return what was seen */
    Most Run(uint64_t ofPair, uint64_t ofNic)
    {
        SmallNetwork::SetPlain(1000);
        Set("MaxOutstanding", UintegerValue(ofPair));
        Set("MaxOutstandingPerNic", UintegerValue(ofNic));
        Set("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
        Most most;
        SmallNetwork net;
        if (m_loses)
        {
            net.isLost = [](const Frame& frame)
            {
                return frame.kind != FrameKind::CNP && frame.attempt == 0 && frame.psn % 13 == 12;
            };
        }
        net.MakeStar(2, "100Gbps");

        /** Looks at the sender whenever something arrives. */
        struct Look : public FrameTransmitter::Observer
        {
            void FrameArrived(const FrameTransmitter&, const Frame&, uint64_t) override
            {
                look();
            }

            std::function<void()> look; //!< what to do
        } look;

        look.look = [&]()
        {
            const RdmaNic& nic = net.transport->GetNic(0);
            uint64_t sum = 0;
            for (std::size_t i = 0; i < nic.GetQueuePairCount(); ++i)
            {
                const uint64_t bytes = nic.GetQueuePair(i).GetInFlightBytes();
                most.ofPair = std::max(most.ofPair, bytes);
                sum += bytes;
            }
            most.ofNic = std::max(most.ofNic, sum);
        };
        net.network->SetObserver(&look);
        for (uint32_t i = 0; i < PAIRS; ++i)
        {
            net.Send(0, 1, 40000, i, i);
        }
        Simulator::Run();
        most.tick = net.acknowledged.empty() ? 0 : net.acknowledged.back().tick;
        most.messages = net.delivered.size();
        most.timeouts = net.transport->GetCounters().timeouts;
        return most;
    }

    bool m_loses = false; //!< frames are lost
};

/** Several queue pairs for the same. */
class SpreadTestCase : public TestCase
{
  public:
    SpreadTestCase()
        : TestCase("Messages of a flow spread over QueuePairs in turn or by their place")
    {
    }

  private:
    void DoRun() override
    {
        const auto turns = Count("RoundRobin", 4, {0, 1, 2, 3, 4, 5, 6, 7, 8});
        NS_TEST_EXPECT_MSG_EQ(turns.size(), 4, "queue pairs");
        const std::vector<uint64_t> wanted{3, 2, 2, 2};
        NS_TEST_EXPECT_MSG_EQ((turns == wanted), true, "nine messages in turn");
        // the same place goes the same way, another one perhaps not
        const auto same = Count("Hash", 4, {5, 5, 5, 5, 5, 5, 5, 5});
        NS_TEST_EXPECT_MSG_EQ(same.size(), 1, "queue pairs for one place");
        std::vector<uint32_t> places(400);
        for (uint32_t i = 0; i < places.size(); ++i)
        {
            places[i] = i;
        }
        const auto hashed = Count("Hash", 4, places);
        NS_TEST_ASSERT_MSG_EQ(hashed.size(), 4, "queue pairs");
        for (const uint64_t count : hashed)
        {
            NS_TEST_EXPECT_MSG_GT(count, 70, "about 100, 3.5 deviations of 8.7");
            NS_TEST_EXPECT_MSG_LT(count, 130, "about 100, 3.5 deviations of 8.7");
        }
        const auto one = Count("RoundRobin", 1, {0, 1, 2});
        NS_TEST_EXPECT_MSG_EQ(one.size(), 1, "as a rule there is one");
        const std::string text = Refusal(
            []()
            {
                Set("QueuePairSelection", StringValue("LeastQueued"));
                SmallNetwork net;
                net.MakeStar(2, "100Gbps");
            });
        NS_TEST_EXPECT_MSG_EQ(text,
                              "QueuePairSelection 'LeastQueued': it is one of Hash RoundRobin",
                              "refused");
    }

    /** @param selection attribute @param pairs attribute @param places of messages @return frames of
     * each queue pair that there is */
    std::vector<uint64_t>
    Count(const std::string& selection, uint32_t pairs, const std::vector<uint32_t>& places)
    {
        SmallNetwork::SetPlain(1000);
        Set("QueuePairs", UintegerValue(pairs));
        Set("QueuePairSelection", StringValue(selection));
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        for (const uint32_t place : places)
        {
            net.Send(0, 1, 1000, place);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), places.size(), "messages");
        std::vector<uint64_t> frames;
        const RdmaNic& nic = net.transport->GetNic(0);
        for (std::size_t i = 0; i < nic.GetQueuePairCount(); ++i)
        {
            frames.push_back(nic.GetQueuePair(i).GetHighestPsn());
        }
        return frames;
    }
};

/** The suite. */
class QueuePairSharingTestSuite : public TestSuite
{
  public:
    QueuePairSharingTestSuite()
        : TestSuite("llm-fabric-queue-pair-sharing", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new ManyQueuePairsTestCase);
        AddTestCase(new SetupTimeTestCase);
        AddTestCase(new OutstandingTestCase);
        AddTestCase(new SpreadTestCase);
    }
};

QueuePairSharingTestSuite g_queuePairSharingTestSuite; //!< registers the suite

} // namespace
