// SPDX-License-Identifier: GPL-2.0-only

// A drop in a lossless class, what it says, and the headroom that prevents it.

#include "switch-bench.h"

#include "ns3/cluster.h"
#include "ns3/input-error.h"
#include "ns3/lossless-check.h"
#include "ns3/topology-helper.h"

#include "ns3/object-factory.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param name of an attribute of the switch @param value its value */
void
SetSwitch(const std::string& name, const AttributeValue& value)
{
    Config::SetDefault("ns3::llm::FabricSwitch::" + name, value);
}

/** Frames larger than was said. */
class DropTestCase : public TestCase
{
  public:
    DropTestCase()
        : TestCase("A drop in a lossless class ends the run and names place, port, class and size")
    {
    }

  private:
    void DoRun() override
    {
        SwitchBench bench;
        Run(bench, "Error", true);
        const auto& faults = bench.network->GetFaults();
        NS_TEST_ASSERT_MSG_EQ(faults.size(), 1u, "one fault");
        const std::string fault = faults.empty() ? "" : faults[0];
        // 3 ports, each a headroom of 25000 + 2 x 200 + 84 + 1 B
        for (const std::string word : {"lossless class",
                                       "of switch 0 of tier 0 'hub 0'",
                                       "port 1",
                                       "class 3",
                                       "a frame of 4000 B",
                                       "headroom in use 24000 of 25485 B",
                                       "MaxFrameSize",
                                       "LosslessDrop"})
        {
            NS_TEST_EXPECT_MSG_NE(fault.find(word), std::string::npos, word << ": " << fault);
        }
        const uint64_t now = bench.clock->NowTicks();
        NS_TEST_EXPECT_MSG_EQ(static_cast<uint64_t>(Simulator::Now().GetPicoSeconds()),
                              now,
                              "it ends in that tick");
        NS_TEST_EXPECT_MSG_EQ(m_firstDrop, now, "with the first drop");
        NS_TEST_EXPECT_MSG_LT(bench.arrivals.size(), 20u, "long before the end");
    }

    /** @param reason of a drop @param time when */
    void Dropped(Ptr<const FabricPort>, const Frame&, DropReason reason, Time time)
    {
        if (m_firstDrop == 0 && reason == DropReason::NO_ROOM)
        {
            m_firstDrop = static_cast<uint64_t>(time.GetPicoSeconds());
        }
    }

    uint64_t m_firstDrop = 0; //!< tick

  public:
    /** Two senders of frames of 4000 B where 200 B were said. @param bench to be used @param rule
     * attribute @param isTraced whether to note the first drop */
    void Run(SwitchBench& bench, const std::string& rule, bool isTraced)
    {
        SetSwitch("MaxFrameSize", UintegerValue(200));
        SetSwitch("BufferSize", UintegerValue(3 * (4096 + 25485) + 20000));
        SetSwitch("LosslessDrop", StringValue(rule));
        bench.MakeStar(3, "100Gbps");
        if (isTraced)
        {
            for (uint32_t i = 0; i < 3; ++i)
            {
                bench.network->GetSwitch(0)->GetPort(i)->TraceConnectWithoutContext(
                    "Drop",
                    MakeCallback(&DropTestCase::Dropped, this));
            }
        }
        bench.Pause(500, 0, true); // nothing drains
        bench.Send(1000, 1, 0, 100, 4000);
        bench.Send(1000, 2, 0, 100, 4000);
        bench.Pause(50000000, 0, false);
        Simulator::Run();
    }
};

/** As a warning. */
class WarningTestCase : public TestCase
{
  public:
    WarningTestCase()
        : TestCase("As a warning it is counted, and the run goes on to its end")
    {
    }

  private:
    void DoRun() override
    {
        SwitchBench bench;
        DropTestCase test;
        test.Run(bench, "Warning", false);
        const uint64_t drops = bench.network->GetSwitch(0)->GetLosslessDrops();
        NS_TEST_EXPECT_MSG_GT(drops, 1u, "several");
        NS_TEST_EXPECT_MSG_EQ(bench.arrivals.size() + drops, 200u, "the rest arrives");
        NS_TEST_EXPECT_MSG_EQ(bench.network->GetFaults().size(), 0u, "no fault");
        uint64_t counted = 0;
        for (uint32_t i = 0; i < 3; ++i)
        {
            counted += bench.ToTerminal(i).GetCounters().drops;
        }
        NS_TEST_EXPECT_MSG_EQ(counted, drops, "by port");
    }
};

/** Headroom by hand. */
class HeadroomTestCase : public TestCase
{
  public:
    HeadroomTestCase()
        : TestCase("The headroom that never drops is 2 d C + 2 MTU + 84, also with unequal rates; "
                   "less is refused")
    {
    }

  private:
    void DoRun() override
    {
        // 2 x 1 us at 100 Gb/s are 25000 B
        NS_TEST_EXPECT_MSG_EQ(Needed("100Gbps", "100Gbps", MicroSeconds(1)), 25000 + 2084u, "100G");
        NS_TEST_EXPECT_MSG_EQ(Needed("400Gbps", "400Gbps", NanoSeconds(500)),
                              50000 + 2084u,
                              "400G");
        // fast towards the switch: 84 + 1000 B of its own take as long as ten times as many
        NS_TEST_EXPECT_MSG_EQ(Needed("100Gbps", "10Gbps", MicroSeconds(1)),
                              25000 + 1000 + 10840u,
                              "slow pauses");
        NS_TEST_EXPECT_MSG_EQ(Needed("10Gbps", "100Gbps", MicroSeconds(1)),
                              2500 + 1000 + 109u,
                              "fast pauses, 108.4 B rounded up");
        NS_TEST_EXPECT_MSG_EQ(Build(27084), "", "what is needed");
        const std::string text = Build(27083);
        for (const std::string word : {"Headroom 27083 B",
                                       "port 0 of switch 0",
                                       "needs 27084 B",
                                       "100 Gb/s",
                                       "1000 ns",
                                       "1000 B (MaxFrameSize)",
                                       "Warning"})
        {
            NS_TEST_EXPECT_MSG_NE(text.find(word), std::string::npos, word << ": " << text);
        }
        NS_TEST_EXPECT_MSG_EQ(Build(27083, "Warning"), "", "to be studied");
        NS_TEST_EXPECT_MSG_EQ(Build(27083, "Error", false), "", "no class is lossless");
        NS_TEST_EXPECT_MSG_EQ(Build(0), "", "the default is enough");
    }

    /** @param in rate towards the port @param out rate from the port @param delay of the link @return
     * the headroom it needs with frames of 1000 B */
    static uint64_t Needed(const std::string& in, const std::string& out, Time delay)
    {
        SwitchBench bench;
        const uint32_t terminal = bench.AddTerminal();
        const uint32_t hub = bench.AddSwitch(0);
        bench.network->Connect(terminal, hub, DataRate(in), DataRate(out), delay);
        return LosslessCheck::GetNeededHeadroom(bench.ToTerminal(0), 1000);
    }

    /** @param headroom attribute @param rule attribute @param hasPfc attribute @return words of the
     * refusal, or nothing */
    static std::string
    Build(uint64_t headroom, const std::string& rule = "Error", bool hasPfc = true)
    {
        SetSwitch("Headroom", UintegerValue(headroom));
        SetSwitch("MaxFrameSize", UintegerValue(1000));
        SetSwitch("LosslessDrop", StringValue(rule));
        SetSwitch("Pfc", BooleanValue(hasPfc));
        SwitchBench bench;
        try
        {
            bench.MakeStar(2, "100Gbps");
        }
        catch (const InputError& error)
        {
            return error.what();
        }
        return "";
    }
};

/** In a cluster, as a program sees it. */
class ClusterTestCase : public TestCase
{
  public:
    ClusterTestCase()
        : TestCase("A cluster names what ended its run first among its faults")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds();
        // pauses that get lost
        Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss",
                           StringValue("ns3::llm::RandomLoss"));
        Config::SetDefault("ns3::llm::RandomLoss::Rate", DoubleValue(1));
        Config::SetDefault("ns3::llm::FrameLoss::Kinds", UintegerValue(16));
        SetSwitch("BufferSize", UintegerValue(1000000));
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::NoCongestionControl"));
        ObjectFactory factory("ns3::llm::SingleSwitchHelper");
        factory.Set("Accelerators", UintegerValue(4));
        factory.Set("DomainSize", UintegerValue(1));
        const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
        for (uint32_t source = 1; source < 4; ++source)
        {
            Message message;
            message.source = source;
            message.destination = 0;
            message.bytes = 10000000;
            cluster->GetTransport()->Send(message);
        }
        Simulator::Run();
        const auto faults = cluster->GetFaults();
        NS_TEST_ASSERT_MSG_EQ(faults.size(), 1u, "no queue pair had time to give up");
        const std::string fault = faults.empty() ? "" : faults[0];
        NS_TEST_EXPECT_MSG_EQ(fault.rfind("drop in a lossless class at ", 0), 0u, fault);
        NS_TEST_EXPECT_MSG_LT(Simulator::Now(), MilliSeconds(1), "at once");
        Simulator::Destroy();
        cluster->Dispose();
        Config::Reset();
    }
};

/** The suite. */
class LosslessDropTestSuite : public TestSuite
{
  public:
    LosslessDropTestSuite()
        : TestSuite("llm-fabric-lossless-drop", TestSuite::Type::UNIT)
    {
        AddTestCase(new DropTestCase);
        AddTestCase(new WarningTestCase);
        AddTestCase(new HeadroomTestCase);
        AddTestCase(new ClusterTestCase);
    }
};

LosslessDropTestSuite g_losslessDropTestSuite; //!< registers the suite

} // namespace
