// SPDX-License-Identifier: GPL-2.0-only

// Queue pairs: every message once and in order, whatever is lost; sizes, ACKs, timeouts.

#include "small-network.h"

#include "ns3/input-error.h"
#include "ns3/test.h"

#include <map>
#include <set>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param frame a frame @param psn a number @param attempts so many @return whether it is data frame
 * psn in one of its first attempts */
bool
IsData(const Frame& frame, uint64_t psn, uint32_t attempts = 1)
{
    return frame.kind == FrameKind::DATA && frame.psn == psn && frame.attempt < attempts;
}

/** Losses of chosen frames between two hosts. */
class LossTestCase : public TestCase
{
  public:
    LossTestCase()
        : TestCase("Whatever frame is lost, each message comes once, in order and whole")
    {
    }

  private:
    static constexpr uint32_t FRAMES = 40; //!< per message

    /** What is expected of a run. */
    struct Expected
    {
        uint64_t nacks;    //!< received
        uint64_t timeouts; //!< of the queue pair
    };

    void DoRun() override
    {
        Check("nothing", [](const Frame&) { return false; }, {0, 0});
        Check("one frame", [](const Frame& f) { return IsData(f, 7); }, {1, 0});
        Check("two frames of one gap",
              [](const Frame& f) { return IsData(f, 7) || IsData(f, 8); },
              {1, 0});
        Check("the first", [](const Frame& f) { return IsData(f, 0); }, {1, 0});
        Check("the last of a message", [](const Frame& f) { return IsData(f, 39); }, {1, 0});
        Check("the very last", [](const Frame& f) { return IsData(f, 79); }, {0, 1});
        Check("a frame and what is sent for it",
              [](const Frame& f) { return IsData(f, 7, 2); },
              {1, 1});
        Check("a frame thrice", [](const Frame& f) { return IsData(f, 7, 3); }, {1, 2});
        Check("two gaps", [](const Frame& f) { return IsData(f, 7) || IsData(f, 60); }, {2, 0});
        Check("an ACK",
              [](const Frame& f) { return f.kind == FrameKind::ACK && f.psn == 7; },
              {0, 0});
        uint32_t acks = 0;
        Check("the last ACK, once",
              [&acks](const Frame& f)
              { return f.kind == FrameKind::ACK && f.psn == 80 && acks++ == 0; },
              {0, 1});
        uint32_t nacks = 0;
        Check("a frame and its NACK",
              [&nacks](const Frame& f)
              { return IsData(f, 7) || (f.kind == FrameKind::NACK && nacks++ == 0); },
              {0, 1});
    }

    /** @param name of the case @param isLost what is lost @param expected what comes of it */
    void Check(const std::string& name, const LossyEnd::Filter& isLost, const Expected& expected)
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(100)));
        SmallNetwork net;
        net.isLost = isLost;
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, FRAMES * 1000, 0);
        net.Send(0, 1, FRAMES * 1000 - 1, 1);
        Simulator::Run();
        const NicCounters counters = net.transport->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.nacksReceived, expected.nacks, name << ": NACKs");
        NS_TEST_EXPECT_MSG_EQ(counters.timeouts, expected.timeouts, name << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(counters.payloadBytes, 2 * FRAMES * 1000 - 1, name << ": payload");
        NS_TEST_EXPECT_MSG_EQ(counters.messagesSent, 2, name << ": messages");
        NS_TEST_EXPECT_MSG_EQ(counters.dataFrames,
                              2 * FRAMES + counters.retransmissions,
                              name << ": frames");
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 2, name << ": delivered");
        NS_TEST_ASSERT_MSG_EQ(net.acknowledged.size(), 2, name << ": acknowledged");
        for (uint32_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(net.delivered[i].message.place, i, name << ": order");
            NS_TEST_EXPECT_MSG_EQ(net.delivered[i].message.bytes, 40000 - i, name << ": whole");
            NS_TEST_EXPECT_MSG_EQ(net.acknowledged[i].message.place, i, name << ": order");
        }
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, name << ": pool");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetFailures().size(), 0, name << ": failures");
    }
};

/** What a loss costs, and how timeouts back off. */
class RecoveryTimeTestCase : public TestCase
{
  public:
    RecoveryTimeTestCase()
        : TestCase("Going back sends a round-trip time again; timeouts double")
    {
    }

  private:
    void DoRun() override
    {
        {
            SmallNetwork::SetPlain(1000);
            SmallNetwork net;
            net.isLost = [](const Frame& frame)
            {
                return IsData(frame, 300);
            };
            net.MakeStar(2, "100Gbps");
            net.Send(0, 1, 1000000);
            Simulator::Run();
            // 4.19 us at 86.56 ns a frame
            NS_TEST_EXPECT_MSG_EQ_TOL(
                static_cast<double>(net.transport->GetCounters().retransmissions),
                49,
                2,
                "frames sent again");
        }
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(100)));
        SmallNetwork net;
        net.isLost = [](const Frame& frame)
        {
            return IsData(frame, 0, 4);
        };
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, 1000);
        Simulator::Run();
        // sent at 0, 100, 300, 700 and 1500 us
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.delivered[0].tick,
                              1500000000 + 2 * (86560 + 1000000) + 2,
                              "delivery");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().timeouts, 4, "timeouts");
    }
};

/** A queue pair that gave up. */
class GiveUpTestCase : public TestCase
{
  public:
    GiveUpTestCase()
        : TestCase("After MaxTimeouts a queue pair gives up for good; others go on; the run ends")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(10)));
        Config::SetDefault("ns3::llm::RdmaTransport::MaxTimeouts", UintegerValue(2));
        SmallNetwork net;
        net.isLost = [](const Frame& frame)
        {
            return frame.kind == FrameKind::DATA && frame.destination == 1;
        };
        net.MakeStar(3, "100Gbps");
        net.Send(0, 1, 20000);
        net.Send(0, 2, 20000);
        net.SendAt(MicroSeconds(500), 0, 1, 1000, 1);
        net.SendAt(MicroSeconds(500), 0, 2, 1000, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetFailures().size(), 1, "failures");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().timeouts, 3, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().dataFrames, 3 * 20 + 21, "frames");
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2, "messages to the other");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames in the pool");
        NS_TEST_EXPECT_MSG_LT(Simulator::Now().GetMicroSeconds(), 600, "the run ends");
    }
};

/** Messages of all sizes. */
class SizesTestCase : public TestCase
{
  public:
    SizesTestCase()
        : TestCase("Messages of any size take the frames and wire bytes that their headers say")
    {
    }

  private:
    void DoRun() override
    {
        Check(4096, 82, 16, 86, 1);
        Check(1000, 82, 0, 86, 1);
        Check(4000, 48, 0, 60, 1);
        Check(1, 100, 7, 1, 1);
        Check(1000, 82, 16, 86, 4);
        Check(1000, 82, 16, 86, 1000);
    }

    /** @param mtu attribute @param overhead attribute @param first attribute @param ack attribute
     * @param framesPerAck attribute */
    void Check(uint32_t mtu, uint32_t overhead, uint32_t first, uint32_t ack, uint32_t framesPerAck)
    {
        SmallNetwork::SetPlain(mtu);
        const std::string name = "ns3::llm::RdmaTransport::";
        Config::SetDefault(name + "DataOverhead", UintegerValue(overhead));
        Config::SetDefault(name + "FirstOverhead", UintegerValue(first));
        Config::SetDefault(name + "AckSize", UintegerValue(ack));
        Config::SetDefault(name + "FramesPerAck", UintegerValue(framesPerAck));
        SmallNetwork net;
        net.MakeStar(2, "400Gbps");
        const std::vector<uint64_t>
            sizes{0, 1, mtu - 1, mtu, mtu + 1, 2 * mtu, 0, 10 * mtu - 1, 17 * mtu + 1};
        uint64_t frames = 0;
        uint64_t wire = 0;
        uint64_t acks = 0;
        for (uint32_t i = 0; i < sizes.size(); ++i)
        {
            net.Send(0, 1, sizes[i], i);
            const uint64_t count = std::max<uint64_t>((sizes[i] + mtu - 1) / mtu, 1);
            frames += count;
            wire += sizes[i] + count * overhead + first;
            acks += (count + framesPerAck - 1) / framesPerAck;
        }
        Simulator::Run();
        const auto& data = net.network->GetTerminalPort(0)->GetTransmitter().GetCounters();
        const auto& back = net.network->GetTerminalPort(1)->GetTransmitter().GetCounters();
        NS_TEST_EXPECT_MSG_EQ(data.frames, frames, "data frames");
        NS_TEST_EXPECT_MSG_EQ(data.wireBytes, wire, "wire bytes");
        NS_TEST_EXPECT_MSG_EQ(back.frames, acks, "ACKs, one per " << framesPerAck);
        NS_TEST_EXPECT_MSG_EQ(back.wireBytes, acks * ack, "wire bytes of ACKs");
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), sizes.size(), "messages");
        NS_TEST_ASSERT_MSG_EQ(net.acknowledged.size(), sizes.size(), "messages");
        for (uint32_t i = 0; i < sizes.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(net.delivered[i].message.place, i, "order");
            NS_TEST_EXPECT_MSG_EQ(net.delivered[i].message.bytes, sizes[i], "size");
            NS_TEST_EXPECT_MSG_EQ(net.acknowledged[i].message.bytes, sizes[i], "size");
        }
    }
};

/** Sends of one tick. */
class SendOrderTestCase : public TestCase
{
  public:
    SendOrderTestCase()
        : TestCase("The order of Send() among events of one tick changes nothing")
    {
    }

  private:
    void DoRun() override
    {
        std::set<uint64_t> digests;
        for (uint32_t turn = 0; turn < 6; ++turn)
        {
            SmallNetwork net;
            net.MakeFatTree(4);
            std::vector<std::pair<uint32_t, uint32_t>> sends;
            for (uint32_t i = 0; i < 64; ++i)
            {
                sends.emplace_back(i % 16, i / 16);
            }
            // 7 and 64 have no common divisor
            for (uint32_t i = 0; i < 64; ++i)
            {
                const auto [from, by] = sends[(i * (2 * turn + 1) + turn * 7) % 64];
                net.SendAt(MicroSeconds(1), from, (from + 3 * by + 1) % 16, 20000, by);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 64, "messages");
            digests.insert(net.digest.hash);
        }
        NS_TEST_EXPECT_MSG_EQ(digests.size(), 1, "runs differ");
    }
};

/** Notes the marks of data frames by message. */
class MarkObserver : public FrameTransmitter::Observer
{
  public:
    void FrameArrived(const FrameTransmitter&, const Frame& frame, uint64_t) override
    {
        if (frame.kind == FrameKind::DATA && frame.destination == 0)
        {
            Message message;
            ReadMessageTag(frame.tag, message);
            const bool isMarked = frame.flags & Frame::MARKED;
            marks[message.instance].emplace_back(frame.source, isMarked);
        }
    }

    std::map<uint32_t, std::vector<std::pair<uint32_t, bool>>> marks; //!< by instance, in order
};

/** The same phase twice. */
class RepeatedPhaseTestCase : public TestCase
{
  public:
    RepeatedPhaseTestCase()
        : TestCase("A phase that is repeated from the same state repeats exactly, marks included")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(1000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(50000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxProbability", DoubleValue(0.5));
        SmallNetwork net;
        net.MakeStar(5, "100Gbps");
        MarkObserver observer;
        net.network->SetObserver(&observer);
        for (uint32_t instance = 0; instance < 2; ++instance)
        {
            for (uint32_t from = 1; from < 5; ++from)
            {
                Message message;
                message.source = from;
                message.bytes = 40000;
                message.instance = instance;
                Simulator::Schedule(MicroSeconds(1000 * instance),
                                    [&net, message]() { net.transport->Send(message); });
            }
        }
        Simulator::Run();
        const bool isEqual = observer.marks[0] == observer.marks[1];
        NS_TEST_EXPECT_MSG_EQ(isEqual, true, "order and marks");
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::marks), 20, "marks");
        NS_TEST_EXPECT_MSG_LT(net.Sum(&PortCounters::marks), 240, "not all are marked");
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(net.delivered[i].tick + 1000000000,
                                  net.delivered[4 + i].tick,
                                  "time");
        }
    }
};

/** What the transport refuses. */
class TransportInputTestCase : public TestCase
{
  public:
    TransportInputTestCase()
        : TestCase("A message to itself or to nobody and a timeout beyond the clock are refused")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        Expect("accelerator 2 to itself", [&]() { net.Send(2, 2, 1); });
        Expect("accelerator 7", [&]() { net.Send(0, 7, 1); });
        Config::SetDefault("ns3::llm::RdmaTransport::MaxTimeouts", UintegerValue(30));
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout", TimeValue(Seconds(1)));
        SmallNetwork other;
        Expect("RetransmissionTimeout", [&]() { other.MakeStar(2, "1Gbps"); });
        Config::Reset();
        Config::SetDefault("ns3::llm::FabricSwitch::LoadBalancer", StringValue("ns3::llm::Spray"));
        SmallNetwork third;
        Expect("ns3::llm::FlowEcmp", [&]() { third.MakeStar(2, "1Gbps"); });
        Config::Reset();
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(500000));
        SmallNetwork fourth;
        Expect("EcnMinThreshold", [&]() { fourth.MakeStar(2, "1Gbps"); });
        Config::Reset();
        // 4096 + 82 + 16
        Config::SetDefault("ns3::llm::FabricSwitch::MaxFrameSize", UintegerValue(4193));
        SmallNetwork fifth;
        Expect("4194 wire bytes", [&]() { fifth.MakeStar(2, "1Gbps"); });
    }

    /** @param words what the refusal must name @param call what is to be refused */
    void Expect(const std::string& words, const std::function<void()>& call)
    {
        std::string text;
        try
        {
            call();
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(text.find(words), std::string::npos, "refusal '" << text << "'");
    }
};

/** The suite. */
class RdmaTestSuite : public TestSuite
{
  public:
    RdmaTestSuite()
        : TestSuite("llm-fabric-rdma", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new LossTestCase);
        AddTestCase(new RecoveryTimeTestCase);
        AddTestCase(new GiveUpTestCase);
        AddTestCase(new SizesTestCase);
        AddTestCase(new SendOrderTestCase);
        AddTestCase(new RepeatedPhaseTestCase);
        AddTestCase(new TransportInputTestCase);
    }
};

RdmaTestSuite g_rdmaTestSuite; //!< registers the suite

} // namespace
