// SPDX-License-Identifier: GPL-2.0-only

// What is common to all congestion controls: how they are chosen, and how CNPs come.

#include "small-network.h"

#include "ns3/input-error.h"
#include "ns3/test.h"

#include <algorithm>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** At most one CNP in an interval. */
class CnpPacingTestCase : public TestCase
{
  public:
    CnpPacingTestCase()
        : TestCase(
              "With every frame marked for 1 ms there are 20 CNPs at 50 us, one in 47 frames at 4 "
              "us")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Count(50), 20, "one at once, then one in 50 us");
        // 250, were frames short: the first frame 4 us after a CNP is the 47th, 4.07 us after it
        NS_TEST_EXPECT_MSG_EQ(Count(4), 246, "one at once, then one in 47 frames");
        NS_TEST_EXPECT_MSG_EQ(Count(0), 11552, "one a frame");
    }

    /** @param interval at least so long between CNPs, us @return CNPs */
    uint64_t Count(uint32_t interval)
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::CnpInterval",
                           TimeValue(MicroSeconds(interval)));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(0));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(0));
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, 11552 * 1000); // 1 ms less than a frame
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::marks), 11552, "all frames are marked");
        return net.transport->GetCounters().cnpsReceived;
    }
};

/** What the user's control keeps. */
struct HalvingState
{
    uint32_t acks = 0; //!< acknowledgments
};

/** A control that no one has built in: halves its rate with every CNP, and caps the window. */
class HalvingControl : public RdmaCongestionControlOf<HalvingState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TestHalvingControl")
                                .SetParent<RdmaCongestionControl>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<HalvingControl>();
        return tid;
    }

  private:
    /** @copydoc ns3::llm::RdmaCongestionControlOf::DoStart */
    void DoStart([[maybe_unused]] HalvingState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override
    {
        decision.windowBytes = 10 * info.mtuBytes;
    }

    /** @copydoc ns3::llm::RdmaCongestionControlOf::DoAck */
    void DoAck(HalvingState& state,
               [[maybe_unused]] const QueuePairInfo& info,
               [[maybe_unused]] uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override
    {
        ++state.acks;
        s_acks = std::max(s_acks, state.acks);
        s_mostInFlight = std::max(s_mostInFlight, ack.inFlightBytes + ack.ackedBytes);
        decision.rateBps *= 1.001;
    }

    /** @copydoc ns3::llm::RdmaCongestionControlOf::DoCnp */
    void DoCnp([[maybe_unused]] HalvingState& state,
               [[maybe_unused]] const QueuePairInfo& info,
               [[maybe_unused]] uint64_t now,
               CongestionDecision& decision) const override
    {
        decision.rateBps /= 2;
    }

  public:
    static uint32_t s_acks;         //!< most acknowledgments of a queue pair
    static uint64_t s_mostInFlight; //!< most payload in flight
};

uint32_t HalvingControl::s_acks = 0;
uint64_t HalvingControl::s_mostInFlight = 0;

NS_OBJECT_ENSURE_REGISTERED(HalvingControl);

/** A user's control and a wrong name. */
class ChoiceTestCase : public TestCase
{
  public:
    ChoiceTestCase()
        : TestCase("A user's control works by its name; an unknown name is refused with a list")
    {
    }

  private:
    void DoRun() override
    {
        const std::string attribute = "ns3::llm::RdmaTransport::CongestionControl";
        {
            Config::SetDefault(attribute, StringValue("ns3::llm::TestHalvingControl"));
            Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(1000));
            Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(1000));
            Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(5000));
            SmallNetwork net;
            net.MakeStar(4, "100Gbps");
            net.SendIncast(500000);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 3, "messages");
            NS_TEST_EXPECT_MSG_EQ(HalvingControl::s_acks, 500, "acknowledgments seen");
            NS_TEST_EXPECT_MSG_EQ(HalvingControl::s_mostInFlight, 10000, "window");
            NS_TEST_EXPECT_MSG_GT(net.transport->GetCounters().cnpsReceived, 2, "CNPs");
        }
        for (const char* name : {"ns3::llm::Dcqcm", "ns3::Node"})
        {
            Config::SetDefault(attribute, StringValue(name));
            SmallNetwork net;
            std::string text;
            try
            {
                net.MakeStar(2, "100Gbps");
            }
            catch (const InputError& error)
            {
                text = error.what();
            }
            for (const char* word : {name,
                                     "ns3::llm::Dcqcn",
                                     "ns3::llm::NoCongestionControl",
                                     "ns3::llm::TestHalvingControl"})
            {
                NS_TEST_EXPECT_MSG_NE(text.find(word), std::string::npos, text);
            }
        }
    }
};

/** The suite. */
class CongestionControlTestSuite : public TestSuite
{
  public:
    CongestionControlTestSuite()
        : TestSuite("llm-fabric-congestion-control", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new CnpPacingTestCase);
        AddTestCase(new ChoiceTestCase);
    }
};

CongestionControlTestSuite g_congestionControlTestSuite; //!< registers the suite

} // namespace
