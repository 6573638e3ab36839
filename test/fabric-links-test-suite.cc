// SPDX-License-Identifier: GPL-2.0-only

// Links as the field has them: of several rates, of two rates, without a switch, and failing.

#include "small-network.h"
#include "switch-bench.h"

#include "ns3/input-error.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Several rates on one way. */
class MixedRatesTestCase : public TestCase
{
  public:
    MixedRatesTestCase()
        : TestCase("A frame takes the time of each link's own rate, and the slowest sets the pace")
    {
    }

  private:
    void DoRun() override
    {
        SwitchBench bench;
        const uint32_t a = bench.AddTerminal();
        const uint32_t b = bench.AddTerminal();
        const uint32_t left = bench.AddSwitch(0);
        const uint32_t right = bench.AddSwitch(1);
        bench.network->Connect(a, left, DataRate("100Gbps"), NanoSeconds(100));
        bench.network->Connect(left, right, DataRate("25Gbps"), NanoSeconds(300));
        bench.network->Connect(right, b, DataRate("400Gbps"), NanoSeconds(50));
        bench.network->Build();
        bench.Send(1000, 0, 1, 3, 1000);
        bench.Send(1000, 1, 0, 1, 1000); // the other way
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.arrivals.size(), 4u, "frames");
        // 80 + 320 + 20 ns and 450 ns of delay; then one each 320 ns
        const std::vector<uint64_t> wanted = {871000, 871000, 1191000, 1511000};
        for (std::size_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.arrivals[i].tick, wanted[i], "arrival " << i);
        }
    }
};

/** A rate for each way. */
class AsymmetricTestCase : public TestCase
{
  public:
    AsymmetricTestCase()
        : TestCase("A link has a rate for each way, which its attributes and its ports tell")
    {
    }

  private:
    void DoRun() override
    {
        SwitchBench bench;
        const uint32_t a = bench.AddTerminal();
        const uint32_t b = bench.AddTerminal();
        const uint32_t hub = bench.AddSwitch(0);
        bench.network->Connect(a, hub, DataRate("100Gbps"), DataRate("10Gbps"), NanoSeconds(100));
        bench.network->Connect(b, hub, DataRate("100Gbps"), NanoSeconds(100));
        bench.network->Build();
        bench.Send(1000, 0, 1, 2, 1000);
        bench.Send(1000, 1, 0, 2, 1000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.arrivals.size(), 4u, "frames");
        // 80 + 80 + 200 ns, one each 80 ns; back 80 + 800 + 200 ns, one each 800 ns
        const std::vector<uint64_t> wanted = {361000, 441000, 1081000, 1881000};
        for (std::size_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.arrivals[i].tick, wanted[i], "arrival " << i);
        }
        const Ptr<Channel> link = bench.network->GetTerminalPort(0)->GetChannel();
        DataRateValue rate;
        link->GetAttribute("DataRate", rate);
        NS_TEST_EXPECT_MSG_EQ(rate.Get(), DataRate("100Gbps"), "from device 0");
        link->GetAttribute("ReverseDataRate", rate);
        NS_TEST_EXPECT_MSG_EQ(rate.Get(), DataRate("10Gbps"), "from device 1");
        std::string text;
        try
        {
            SwitchBench other;
            const uint32_t one = other.AddTerminal();
            const uint32_t two = other.AddSwitch(0);
            other.network->Connect(one, two, DataRate("1Gbps"), DataRate("0bps"), NanoSeconds(1));
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(text.find("0bps"), std::string::npos, "refused: " << text);
    }
};

/** Lossless over a link that is slow one way. */
class AsymmetricLosslessTestCase : public TestCase
{
  public:
    AsymmetricLosslessTestCase()
        : TestCase("The default headroom of a link with a slow way back loses nothing")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t phase = 0; phase < 8; ++phase)
        {
            Config::SetDefault("ns3::llm::FabricSwitch::MaxFrameSize", UintegerValue(1000));
            Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(200000));
            SwitchBench bench;
            const uint32_t a = bench.AddTerminal();
            const uint32_t b = bench.AddTerminal();
            const uint32_t c = bench.AddTerminal();
            const uint32_t hub = bench.AddSwitch(0);
            bench.network->Connect(a, hub, DataRate("100Gbps"), DataRate("5Gbps"), MicroSeconds(1));
            bench.network->Connect(b, hub, DataRate("1Gbps"), MicroSeconds(1));
            bench.network->Connect(c, hub, DataRate("100Gbps"), MicroSeconds(1));
            bench.network->Build();
            bench.Send(1000 + phase * 200000, 2, 0, 40, 1000); // keeps the slow way busy
            bench.Send(2000000, 0, 1, 300, 1000);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(bench.network->GetFaults().size(), 0u, "no drop");
            NS_TEST_EXPECT_MSG_EQ(bench.arrivals.size(), 340u, "all arrives");
            NS_TEST_EXPECT_MSG_GT(bench.Port(0).GetCounters().pausesReceived, 1u, "pauses");
        }
    }
};

/** No switch at all. */
class BackToBackTestCase : public TestCase
{
  public:
    BackToBackTestCase()
        : TestCase("Two hosts without a switch: messages both ways at line rate")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        SmallNetwork net;
        net.AddHosts(2);
        net.network->Connect(net.hosts[0], net.hosts[1], DataRate("100Gbps"), MicroSeconds(1));
        net.Finish();
        net.Send(0, 1, 100000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 1u, "messages");
        // a tick to the NIC, 100 frames of 1082 B, the delay, a tick to the receiver's program
        NS_TEST_EXPECT_MSG_EQ(net.delivered[0].tick,
                              1 + 100 * 86560u + 1000000 + 1,
                              "hand-computed");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPath(0, 1, 7).size(), 1u, "one hop");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetSwitchCount(), 0u, "no switch");
    }
};

/** A link of two hosts that goes down and comes up while messages are on their way. */
class FlapTestCase : public TestCase
{
  public:
    FlapTestCase()
        : TestCase("What a link carried when it went down is lost and sent again when it is up")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool hasSwitch : {false, true})
        {
            SmallNetwork::SetPlain(1000);
            Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                               TimeValue(MicroSeconds(100)));
            SmallNetwork net;
            net.AddHosts(2);
            const uint32_t peer = hasSwitch ? net.AddSwitch(0, 0) : net.hosts[1];
            const DataRate rate("100Gbps");
            const uint32_t link = net.network->Connect(net.hosts[0], peer, rate, MicroSeconds(1));
            if (hasSwitch)
            {
                net.network->Connect(peer, net.hosts[1], rate, MicroSeconds(1));
            }
            net.Finish();
            net.network->SetLinkState(link, MicroSeconds(20), false);
            net.network->SetLinkState(link, MicroSeconds(40), true);
            net.Send(0, 1, 1000000);
            net.Send(1, 0, 1000000);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2u, "both arrive");
            NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 2u, "and are acknowledged");
            // on the link: 1 us of data and ACKs in turns, 86.56 and 6.88 ns: 21 or 22, and at the port
            // at most one of each
            const uint64_t lost =
                net.network->GetTerminalPort(0)->GetTransmitter().GetCounters().lost;
            NS_TEST_EXPECT_MSG_EQ((lost >= 21 && lost <= 24),
                                  true,
                                  lost << " lost on the way there");
            NS_TEST_EXPECT_MSG_GT(net.transport->GetCounters().retransmissions, lost, "sent again");
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetFailures().size(), 0u, "nobody gives up");
            NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0u, "frames in the pool");
            NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0u, "nothing stays in a buffer");
        }
    }
};

/** The suite. */
class FabricLinksTestSuite : public TestSuite
{
  public:
    FabricLinksTestSuite()
        : TestSuite("llm-fabric-fabric-links", TestSuite::Type::UNIT)
    {
        AddTestCase(new MixedRatesTestCase);
        AddTestCase(new AsymmetricTestCase);
        AddTestCase(new AsymmetricLosslessTestCase);
        AddTestCase(new BackToBackTestCase);
        AddTestCase(new FlapTestCase);
    }
};

FabricLinksTestSuite g_fabricLinksTestSuite; //!< registers the suite

} // namespace
