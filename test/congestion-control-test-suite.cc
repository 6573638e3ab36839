// SPDX-License-Identifier: GPL-2.0-only

// What is common to all congestion controls: how they are chosen, and how CNPs come.

#include "small-network.h"

#include "ns3/input-error.h"
#include "ns3/test.h"

#include "ns3/object-factory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

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

/** Every control, whatever happens to it. */
class AnyControlTestCase : public TestCase
{
  public:
    AnyControlTestCase()
        : TestCase(
              "Under random signals every control keeps a positive rate and its deadline ahead, "
              "and depends on its queue pair's state alone")
    {
    }

  private:
    /** A queue pair, with memory for the state of any control. */
    struct QueuePair
    {
        std::array<std::byte, RdmaCongestionControl::MAX_STATE_BYTES> state; //!< the control's
        CongestionDecision decision;                                         //!< in force
    };

    void DoRun() override
    {
        uint32_t controls = 0;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const TypeId type = TypeId::GetRegistered(i);
            const bool isOfTests = type.GetName().rfind("ns3::llm::Test", 0) == 0;
            if (type.IsChildOf(RdmaCongestionControl::GetTypeId()) && !isOfTests)
            {
                Check(type);
                ++controls;
            }
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(controls, 9, "all that are built in");
    }

    /** @param type a control */
    void Check(TypeId type)
    {
        ObjectFactory factory;
        factory.SetTypeId(type);
        const auto control = factory.Create<RdmaCongestionControl>();
        NS_TEST_EXPECT_MSG_LT_OR_EQ(control->GetStateSize(),
                                    RdmaCongestionControl::MAX_STATE_BYTES,
                                    type.GetName());
        QueuePairInfo info;
        info.lineRateBps = 100e9;
        info.baseRttTicks = 10000000;
        info.mtuBytes = 1000;
        info.frameOverheadBytes = 82;
        std::mt19937 random(11);
        QueuePair used;
        used.state.fill(std::byte{0xa5});
        for (uint32_t life = 0; life < 8; ++life)
        {
            QueuePair fresh;
            fresh.state.fill(std::byte{0});
            for (QueuePair* pair : {&used, &fresh})
            {
                pair->decision = CongestionDecision();
                pair->decision.rateBps = info.lineRateBps;
                control->Start(pair->state.data(), info, pair->decision);
            }
            m_now = 0;
            m_path.assign(random() % 4, HopTelemetry{0, 0, 100e9, 0, 1});
            for (uint32_t step = 0; step < 500 && !IsStatusFailure(); ++step)
            {
                m_now += random() % (step % 50 == 0 ? 3000000000u : 2000000u);
                const auto seed = static_cast<uint32_t>(random());
                for (QueuePair* pair : {&used, &fresh})
                {
                    const std::vector<HopTelemetry> before = m_path;
                    std::mt19937 same(seed);
                    Signal(*control, *pair, info, same);
                    m_path = pair == &used ? before : m_path;
                }
                CheckDecision(used.decision, fresh.decision, type.GetName());
            }
        }
    }

    /** Something happens. @param control it @param pair to it @param info its path @param random what */
    void Signal(const RdmaCongestionControl& control,
                QueuePair& pair,
                const QueuePairInfo& info,
                std::mt19937& random)
    {
        void* state = pair.state.data();
        if (m_now >= pair.decision.deadlineTicks)
        {
            control.OnDeadline(state, info, m_now, pair.decision);
        }
        switch (random() % 16)
        {
        case 0:
            control.OnCnp(state, info, m_now, pair.decision);
            return;
        case 1:
            control.OnLoss(state, info, m_now, pair.decision);
            return;
        case 2:
            control.OnTimeout(state, info, m_now, pair.decision);
            return;
        default:
            break;
        }
        AckSignal ack;
        ack.ackedBytes = random() % 3 * 1000;
        ack.inFlightBytes = random() % 200000;
        ack.rttTicks = random() % 8 == 0 ? 500000000 : 9000000 + random() % 20000000;
        ack.ackedPsn = m_now / 100000;
        ack.nextPsn = ack.ackedPsn + random() % 100;
        ack.ecnEcho = random() % 4 == 0;
        for (HopTelemetry& hop : m_path)
        {
            hop.tick = random() % 16 == 0 ? hop.tick : m_now - random() % 1000000;
            hop.txBytes += random() % 20000;
            hop.queueBytes = random() % 500000;
            hop.port += random() % 64 == 0;
        }
        ack.hops = m_path.data();
        ack.hopCount = static_cast<uint32_t>(m_path.size());
        control.OnAck(state, info, m_now, ack, pair.decision);
    }

    /** @param one decision @param other of a queue pair that saw the same @param name of the control */
    void CheckDecision(const CongestionDecision& one,
                       const CongestionDecision& other,
                       const std::string& name)
    {
        NS_TEST_ASSERT_MSG_EQ(std::isfinite(one.rateBps), true, name << " rate");
        NS_TEST_ASSERT_MSG_GT(one.rateBps, 0, name << " rate");
        NS_TEST_ASSERT_MSG_GT(one.deadlineTicks, m_now, name << " deadline");
        NS_TEST_ASSERT_MSG_EQ(one.rateBps, other.rateBps, name << " rate of a twin");
        NS_TEST_ASSERT_MSG_EQ(one.windowBytes, other.windowBytes, name << " window of a twin");
        NS_TEST_ASSERT_MSG_EQ(one.deadlineTicks,
                              other.deadlineTicks,
                              name << " deadline of a twin");
    }

    uint64_t m_now = 0;               //!< ps
    std::vector<HopTelemetry> m_path; //!< of the queue pair
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
        AddTestCase(new AnyControlTestCase);
    }
};

CongestionControlTestSuite g_congestionControlTestSuite; //!< registers the suite

} // namespace
