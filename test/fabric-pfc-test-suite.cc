// SPDX-License-Identifier: GPL-2.0-only

// Priority flow control in a network: nothing is lost, nothing is kept, and the headroom is what the
// formula says.

#include "small-network.h"

#include "ns3/input-error.h"
#include "ns3/test.h"

#include <random>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param name of an attribute of the switch @param value bytes */
void
SetSwitch(const std::string& name, uint64_t value)
{
    Config::SetDefault("ns3::llm::FabricSwitch::" + name, UintegerValue(value));
}

/** Incasts in small buffers. */
class LosslessTestCase : public TestCase
{
  public:
    LosslessTestCase()
        : TestCase("Incasts of 2 to 64 senders with small buffers lose nothing and leave nothing "
                   "behind")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t pauses = 0;
        for (const uint32_t senders : {2, 3, 8, 64})
        {
            for (const char* slow : {"100Gbps", "25Gbps", "400Gbps"})
            {
                for (uint32_t seed = 1; seed <= 3; ++seed)
                {
                    pauses += RunOne(senders, slow, seed);
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 1000, "there were pauses");
    }

    /** @param senders so many @param rate of the receiver's link @param seed of sizes and starts
     * @return pauses */
    uint64_t RunOne(uint32_t senders, const std::string& rate, uint32_t seed)
    {
        SmallNetwork::SetPlain(1000);
        SetSwitch("MaxFrameSize", 1082);
        SmallNetwork net;
        net.AddHosts(senders + 1);
        const uint32_t hub = net.AddSwitch(0, 0);
        uint64_t headroom = 0;
        for (uint32_t i = 0; i <= senders; ++i)
        {
            const char* own[] = {"100Gbps", "40Gbps", "200Gbps"};
            const DataRate r(i == 0 ? rate : own[i % 3]);
            net.network->Connect(net.hosts[i], hub, r, NanoSeconds(500));
            headroom += r.GetBitRate() / 8000000 + 2 * 1082 + 84 + 1; // 2 x 500 ns
        }
        net.network->GetSwitch(0)->SetAttribute(
            "BufferSize",
            UintegerValue(headroom + (senders + 1) * 4096 + 8000));
        net.Finish();
        std::mt19937 random(seed);
        uint64_t sum = 0;
        for (uint32_t i = 1; i <= senders; ++i)
        {
            const uint64_t bytes = 1 + random() % 60000;
            sum += bytes;
            net.SendAt(PicoSeconds(1 + random() % 3000000), i, 0, bytes);
            // answers on the way back make the pauses wait
            net.SendAt(PicoSeconds(1 + random() % 3000000), 0, i, 5000);
        }
        Simulator::Run();
        const std::string what = std::to_string(senders) + " senders, " + rate;
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2 * senders, what);
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 2 * senders, what);
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().payloadBytes,
                              sum + senders * 5000,
                              what);
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().retransmissions, 0, what);
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::drops), 0, what << ", drops");
        NS_TEST_EXPECT_MSG_EQ(net.LosslessDrops(), 0, what << ", lossless drops");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, what << ", frames");
        NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0, what << ", buffer");
        NS_TEST_EXPECT_MSG_EQ(net.QueueBytes(), 0, what << ", queues");
        const bool isWatched = net.network->GetSwitch(0)->GetBuffer().IsWatched();
        NS_TEST_EXPECT_MSG_EQ(isWatched, false, what << ", a pause is left");
        return net.Sum(&PortCounters::pausesReceived);
    }
};

/** Many senders, one receiver, and data the other way that makes pauses wait as long as they can. */
class HeadroomTestCase : public TestCase
{
  public:
    HeadroomTestCase()
        : TestCase("2 d C + 2 MTU + 84 bytes of headroom suffice in every phase, two frames less "
                   "do not")
    {
    }

  private:
    static constexpr uint64_t HEADROOM = 25000 + 2 * 1082 + 84; //!< 2 x 1 us at 100 Gb/s
    static constexpr uint32_t SENDERS = 8;                      //!< so many

    void DoRun() override
    {
        uint64_t enough = 0;
        uint64_t tooSmall = 0;
        for (uint32_t phase = 0; phase < 10; ++phase)
        {
            enough += Drops(HEADROOM, phase);
            tooSmall += Drops(HEADROOM - 2 * 1082, phase);
        }
        NS_TEST_EXPECT_MSG_EQ(enough, 0, "drops with the headroom of the formula");
        NS_TEST_EXPECT_MSG_GT(tooSmall, 0, "drops with two frames less");
        NS_TEST_EXPECT_MSG_EQ(Drops(0, 0), 0, "drops with the default, which is the formula");
    }

    /** @param headroom bytes; 0: default @param phase of the other way @return lossless drops */
    uint64_t Drops(uint64_t headroom, uint32_t phase)
    {
        SmallNetwork::SetPlain(1000);
        SetSwitch("MaxFrameSize", 1082);
        SetSwitch("Headroom", headroom);
        Config::SetDefault("ns3::llm::FabricSwitch::LosslessDrop", StringValue("Warning"));
        SetSwitch("BufferSize", (2 * SENDERS + 1) * (HEADROOM + 1 + 4096) + 60000);
        SmallNetwork net;
        net.AddHosts(2 * SENDERS + 1);
        const uint32_t hub = net.AddSwitch(0, 0);
        for (uint32_t i = 0; i <= 2 * SENDERS; ++i)
        {
            // the receiver is slow, so that next to nothing drains while frames come
            const DataRate rate(i == 0 ? "5Gbps" : "100Gbps");
            net.network->Connect(net.hosts[i], hub, rate, MicroSeconds(1));
        }
        net.Finish();
        net.SendIncast(40000, SENDERS);
        for (uint32_t i = 1; i <= SENDERS; ++i)
        {
            // keeps the link to a sender busy
            net.SendAt(PicoSeconds(1 + phase * 8656), SENDERS + i, i, 100000);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames in the pool");
        NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0, "bytes in the buffer");
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2 * SENDERS, "also what was lost comes");
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::pausesReceived), SENDERS - 1, "pauses");
        return net.LosslessDrops();
    }
};

/** Two senders under PFC alone. */
class EqualRatesTestCase : public TestCase
{
  public:
    EqualRatesTestCase()
        : TestCase("Under PFC alone two senders get half the line each, without a gap")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        SetSwitch("BufferSize", 2000000);
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        net.SendIncast(5000000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::pausesReceived), 20, "pauses");
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::drops), 0, "drops");
        for (const auto& record : net.delivered)
        {
            // 50 x 1000 / 1082
            const double rate = 8e3 * 5000000 / static_cast<double>(record.tick);
            NS_TEST_EXPECT_MSG_EQ_TOL(rate, 46.21, 0.5, "goodput of a sender, Gb/s");
        }
    }
};

/** Without PFC frames are dropped and sent again. */
class LossyTestCase : public TestCase
{
  public:
    LossyTestCase()
        : TestCase("Without PFC frames are dropped, and go-back-N still completes every message")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        SetSwitch("BufferSize", 60000);
        Config::SetDefault("ns3::llm::FabricSwitch::Pfc", BooleanValue(false));
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(50)));
        Config::SetDefault("ns3::llm::RdmaTransport::MaxTimeouts", UintegerValue(20));
        SmallNetwork net;
        net.MakeStar(9, "100Gbps");
        net.SendIncast(100000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 8, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 8, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetFailures().size(), 0, "failures");
        const NicCounters counters = net.transport->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.payloadBytes, 800000, "payload, once");
        const uint64_t drops = net.Sum(&PortCounters::drops);
        NS_TEST_EXPECT_MSG_GT(drops, 50, "drops");
        NS_TEST_EXPECT_MSG_GT(counters.retransmissions, drops - 1, "what is dropped is sent again");
        NS_TEST_EXPECT_MSG_EQ(counters.dataFrames, 800 + counters.retransmissions, "frames");
        NS_TEST_EXPECT_MSG_EQ(net.LosslessDrops(), 0, "no class is lossless");
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::pausesSent), 0, "pauses");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames in the pool");
        NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0, "bytes in the buffer");
    }
};

/** A flow that shares a paused link with an incast but not its destination. */
class VictimTestCase : public TestCase
{
  public:
    VictimTestCase()
        : TestCase("A pause holds up a flow whose own way is free (head-of-line blocking)")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t alone = RunOne(false);
        const uint64_t blocked = RunOne(true);
        NS_TEST_EXPECT_MSG_GT(blocked, 2 * alone, "the victim's message takes longer");
    }

    /** @param isIncast whether there is an incast @return tick when the victim's message is there */
    uint64_t RunOne(bool isIncast)
    {
        SmallNetwork::SetPlain(1000);
        SetSwitch("BufferSize", 500000);
        SmallNetwork net;
        net.MakeDumbbell(5, 2, "100Gbps", "400Gbps");
        for (uint32_t i = 0; i < 4 && isIncast; ++i)
        {
            net.Send(i, 5, 500000);
        }
        net.Send(4, 6, 500000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.LosslessDrops(), 0, "drops");
        uint64_t tick = 0;
        for (const auto& record : net.delivered)
        {
            tick = record.message.destination == 6 ? record.tick : tick;
        }
        return tick;
    }
};

/** Links that go down and up while their frames wait in the headroom. */
class FlappingTestCase : public TestCase
{
  public:
    FlappingTestCase()
        : TestCase(
              "A link that goes down and up while its frames fill the headroom finds all of it "
              "again: nothing is dropped")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t pauses = 0;
        for (uint32_t period = 15; period <= 30; period += 3)
        {
            pauses += RunOne(period);
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 100, "pauses");
    }

    /** @param period between failures of each link, us @return pauses */
    uint64_t RunOne(uint32_t period)
    {
        const uint32_t senders = 4;
        SmallNetwork::SetPlain(1000);
        SetSwitch("MaxFrameSize", 1082);
        SetSwitch("BufferSize", (senders + 1) * (4096 + 25000 + 2 * 1082 + 84 + 1) - 22500 + 8000);
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(200)));
        SmallNetwork net;
        net.AddHosts(senders + 1);
        const uint32_t hub = net.AddSwitch(0, 0);
        for (uint32_t i = 0; i <= senders; ++i)
        {
            const DataRate rate(i == 0 ? "10Gbps" : "100Gbps");
            net.network->Connect(net.hosts[i], hub, rate, MicroSeconds(1));
        }
        net.Finish();
        net.SendIncast(150000);
        for (uint32_t round = 1; round <= 10; ++round)
        {
            for (uint32_t link = 1; link <= senders; ++link)
            {
                const Time at = MicroSeconds(round * period + link);
                net.network->SetLinkState(link, at, false);
                net.network->SetLinkState(link, at + NanoSeconds(100), true);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), senders, "messages, " << period << " us");
        NS_TEST_EXPECT_MSG_EQ(net.LosslessDrops(), 0, "lossless drops, " << period << " us");
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::lost), 0, "frames lost with links");
        return net.Sum(&PortCounters::pausesReceived);
    }
};

/** A buffer that cannot hold its parts. */
class BufferInputTestCase : public TestCase
{
  public:
    BufferInputTestCase()
        : TestCase("A buffer smaller than its reserves and headrooms is refused with the size that "
                   "they need")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        SetSwitch("MaxFrameSize", 1082);
        SetSwitch("BufferSize", 50000);
        SmallNetwork net;
        std::string text;
        try
        {
            net.MakeStar(3, "100Gbps");
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        const uint64_t needed = 3 * (4096 + 25000 + 2 * 1082 + 84 + 1);
        NS_TEST_EXPECT_MSG_NE(text.find(std::to_string(needed)), std::string::npos, text);
        NS_TEST_EXPECT_MSG_NE(text.find("50000"), std::string::npos, text);
    }
};

/** The suite. */
class FabricPfcTestSuite : public TestSuite
{
  public:
    FabricPfcTestSuite()
        : TestSuite("llm-fabric-fabric-pfc", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new LosslessTestCase);
        AddTestCase(new HeadroomTestCase);
        AddTestCase(new EqualRatesTestCase);
        AddTestCase(new LossyTestCase);
        AddTestCase(new VictimTestCase);
        AddTestCase(new FlappingTestCase);
        AddTestCase(new BufferInputTestCase);
    }
};

FabricPfcTestSuite g_fabricPfcTestSuite; //!< registers the suite

} // namespace
