// SPDX-License-Identifier: GPL-2.0-only

// DCQCN by its hooks alone, without a network, and flows under DCQCN that share a port.

#include "small-network.h"

#include "ns3/dcqcn.h"
#include "ns3/input-error.h"
#include "ns3/test.h"

#include <iostream>
#include <random>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr uint64_t US = 1000000; //!< ticks of a microsecond

/** A queue pair's state and its hooks. */
class Bench
{
  public:
    /** @param rate of the line, Gb/s */
    explicit Bench(double rate = 100)
        : control(CreateObject<Dcqcn>())
    {
        info.lineRateBps = rate * 1e9;
        info.mtuBytes = 1000;
        decision.rateBps = info.lineRateBps;
        base = PeekPointer(control);
        base->Start(&state, info, decision);
    }

    /** @param now ps */
    void Cnp(uint64_t now)
    {
        CatchUp(now);
        base->OnCnp(&state, info, now, decision);
    }

    /** @param now ps */
    void CatchUp(uint64_t now)
    {
        if (now >= decision.deadlineTicks)
        {
            base->OnDeadline(&state, info, now, decision);
        }
    }

    /** @param now ps @param bytes acknowledged */
    void Ack(uint64_t now, uint64_t bytes)
    {
        CatchUp(now);
        AckSignal ack;
        ack.ackedBytes = bytes;
        base->OnAck(&state, info, now, ack, decision);
    }

    /** @return rate, Gb/s */
    double Rate() const
    {
        return decision.rateBps / 1e9;
    }

    Ptr<Dcqcn> control;                          //!< the control
    const RdmaCongestionControl* base = nullptr; //!< its hooks
    QueuePairInfo info;                          //!< the queue pair
    CongestionDecision decision;                 //!< in force
    DcqcnState state;                            //!< set by Start()
};

/** Cuts and increases by hand. */
class DcqcnHooksTestCase : public TestCase
{
  public:
    DcqcnHooksTestCase()
        : TestCase("DCQCN cuts, decays and rises as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckAlpha();
        CheckCuts();
        CheckPhases();
    }

    /** alpha without CNPs. */
    void CheckAlpha()
    {
        const std::vector<std::pair<uint32_t, double>> table{{1, .99609},
                                                             {4, .98447},
                                                             {16, .93930},
                                                             {100, .67612},
                                                             {256, .36716}};
        for (const auto& [periods, expected] : table)
        {
            Bench bench;
            bench.Cnp(0);
            bench.Cnp(55 * US * periods);
            // the second cut saw alpha after so many periods, then raised it
            const double alpha = (bench.state.alpha - 1.0 / 256) / (1 - 1.0 / 256);
            NS_TEST_EXPECT_MSG_EQ_TOL(alpha, expected, 1e-5, periods << " periods");
        }
    }

    /** One and two CNPs, then the timer. */
    void CheckCuts()
    {
        Bench one;
        NS_TEST_EXPECT_MSG_EQ(one.Rate(), 100, "a new queue pair has the line");
        const bool isTimed = one.decision.deadlineTicks != CongestionDecision::NEVER;
        NS_TEST_EXPECT_MSG_EQ(isTimed, false, "and no timer");
        one.Cnp(1000 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(one.Rate(), 50, 1e-9, "one CNP");
        NS_TEST_EXPECT_MSG_EQ_TOL(one.state.targetBps, 100e9, 1e-3, "target");
        NS_TEST_EXPECT_MSG_EQ_TOL(one.state.alpha, 1, 1e-12, "alpha");
        const double rates[] = {75, 87.5, 93.75, 96.875, 98.4375};
        for (uint32_t i = 0; i < 5; ++i)
        {
            one.CatchUp((1000 + 55 * (i + 1)) * US - 1);
            NS_TEST_EXPECT_MSG_LT(one.Rate(), rates[i] - 1, "before its time");
            one.CatchUp((1000 + 55 * (i + 1)) * US);
            NS_TEST_EXPECT_MSG_EQ_TOL(one.Rate(), rates[i], 1e-9, "increase " << i + 1);
        }
        Bench two;
        two.Cnp(0);
        two.Cnp(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(two.Rate(), 25, 1e-9, "second CNP");
        NS_TEST_EXPECT_MSG_EQ_TOL(two.state.targetBps, 50e9, 1e-3, "target");
        const double additive = 0.04 * 100 / 40; // 40 Mb/s at 40 Gb/s
        const double after[] = {37.5, 43.75, 46.875, 48.4375, 49.21875 + additive / 2};
        for (uint32_t i = 0; i < 5; ++i)
        {
            two.CatchUp(55 * (i + 1) * US + 1);
            NS_TEST_EXPECT_MSG_EQ_TOL(two.Rate(), after[i], 1e-9, "increase " << i + 1);
        }
        Bench many;
        for (uint32_t i = 0; i < 100; ++i)
        {
            many.Cnp(i);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(many.Rate(), 0.1, 1e-9, "never below the lowest rate");
    }

    /** Which of timer and byte counter leads where. */
    void CheckPhases()
    {
        // target above the rate's reach: two CNPs on a 400G line leave it at 200
        for (uint32_t timers = 0; timers <= 7; ++timers)
        {
            for (uint32_t counts = 0; counts <= 7; ++counts)
            {
                Bench bench(400);
                bench.control->SetAttribute("ReferenceRate", DataRateValue(DataRate(0)));
                bench.Cnp(0);
                bench.Cnp(1);
                double target = 200;
                double rate = 100;
                uint32_t done[2] = {0, 0};
                const auto expect = [&]()
                {
                    const uint32_t least = std::min(done[0], done[1]);
                    if (least >= 5)
                    {
                        target += (least - 4) * 0.2;
                    }
                    else if (std::max(done[0], done[1]) >= 5)
                    {
                        target += 0.04;
                    }
                    rate = (rate + target) / 2;
                };
                for (uint32_t i = 0; i < counts; ++i)
                {
                    ++done[0];
                    expect();
                    bench.Ack(2 + i, 10000000);
                }
                for (uint32_t i = 0; i < timers; ++i)
                {
                    ++done[1];
                    expect();
                    bench.CatchUp(55 * US * (i + 1) + 1);
                }
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(),
                                          rate,
                                          1e-9,
                                          timers << " timers, " << counts << " byte counters");
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.targetBps / 1e9, target, 1e-9, "target");
            }
        }
    }
};

/** Deadlines served late. */
class LazyDeadlineTestCase : public TestCase
{
  public:
    LazyDeadlineTestCase()
        : TestCase("A deadline served late once leaves what many served in time leave")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(3);
        for (uint32_t turn = 0; turn < 200; ++turn)
        {
            Bench timely;
            Bench late;
            uint64_t now = 0;
            for (uint32_t step = 0; step < 10; ++step)
            {
                const uint64_t next = now + random() % (1500 * US);
                while (timely.decision.deadlineTicks <= next)
                {
                    timely.CatchUp(timely.decision.deadlineTicks);
                }
                timely.CatchUp(next);
                late.CatchUp(next);
                now = next;
                if (random() % 3 == 0)
                {
                    timely.Cnp(now);
                    late.Cnp(now);
                }
                else
                {
                    const uint64_t bytes = random() % 30000000;
                    timely.Ack(now, bytes);
                    late.Ack(now, bytes);
                }
                NS_TEST_ASSERT_MSG_EQ(timely.decision.rateBps, late.decision.rateBps, "rate");
                NS_TEST_ASSERT_MSG_EQ(timely.decision.deadlineTicks,
                                      late.decision.deadlineTicks,
                                      "deadline");
                NS_TEST_ASSERT_MSG_EQ(timely.state.targetBps, late.state.targetBps, "target");
                NS_TEST_ASSERT_MSG_EQ(timely.state.alpha, late.state.alpha, "alpha");
            }
        }
    }
};

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

/** Flows into one port under DCQCN. */
class DcqcnNetworkTestCase : public TestCase
{
  public:
    DcqcnNetworkTestCase()
        : TestCase("2 and 8 flows into a 40G port keep it busy, share it and hold the queue where "
                   "an independent model does")
    {
    }

  private:
    void DoRun() override
    {
        Check(2, 29, 225e3);
        Check(8, 132, 1.4e6);
    }

    /** @param flows so many @param queue mean, kB @param start longest queue at the start, bytes */
    void Check(uint32_t flows, double queue, double start)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(1000));
        Config::SetDefault("ns3::llm::RdmaTransport::FirstOverhead", UintegerValue(0));
        Config::SetDefault("ns3::llm::FabricSwitch::Pfc", BooleanValue(false));
        Config::SetDefault("ns3::llm::FabricSwitch::Alpha", DoubleValue(1000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnReferenceRate", DataRateValue(DataRate(0)));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(5000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(200000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxProbability", DoubleValue(0.01));
        SmallNetwork net;
        net.MakeStar(flows + 1, "40Gbps");
        const uint64_t each = 400000000 / flows; // 86 ms in all
        net.SendIncast(each);
        const FrameTransmitter& port = net.ToHost(0);
        double sum = 0;
        double peak = 0;
        uint32_t samples = 0;
        uint64_t bytesAt[2] = {0, 0};
        std::vector<double> acked[2];
        for (uint32_t i = 0; i < 2; ++i)
        {
            Simulator::Schedule(MilliSeconds(20 + 50 * i),
                                [&, i]()
                                {
                                    bytesAt[i] = port.GetCounters().wireBytes;
                                    for (uint32_t f = 1; f <= flows; ++f)
                                    {
                                        acked[i].push_back(static_cast<double>(
                                            net.transport->GetNic(f).GetCounters().payloadBytes));
                                    }
                                });
        }
        for (uint32_t i = 0; i < 5000; ++i)
        {
            Simulator::Schedule(MilliSeconds(20) + MicroSeconds(10 * i),
                                [&]()
                                {
                                    const auto now =
                                        static_cast<uint64_t>(Simulator::Now().GetPicoSeconds());
                                    const auto bytes = static_cast<double>(port.GetQueueBytes(now));
                                    sum += bytes;
                                    peak = std::max(peak, bytes);
                                    ++samples;
                                });
        }
        Simulator::Stop(MilliSeconds(71));
        Simulator::Run();
        const double utilization = static_cast<double>(bytesAt[1] - bytesAt[0]) / (5e9 * 0.05);
        std::vector<double> goodput;
        for (uint32_t f = 0; f < flows; ++f)
        {
            goodput.push_back(acked[1][f] - acked[0][f]);
        }
        const double mean = sum / samples / 1e3;
        const double jain = SmallNetwork::Jain(goodput);
        const uint64_t cnps = net.transport->GetCounters().cnpsReceived;
        std::cout << "    DCQCN 40G, " << flows << " flows: use " << utilization << ", Jain "
                  << jain << ", mean queue " << mean << " kB, peak " << peak / 1e3 << " kB, start "
                  << port.GetCounters().maxQueueBytes / 1e3 << " kB, " << cnps << " CNPs\n";
        NS_TEST_EXPECT_MSG_GT(cnps, 100, "CNPs");
        NS_TEST_EXPECT_MSG_GT(utilization, 0.99, "use of the port");
        NS_TEST_EXPECT_MSG_GT(jain, 0.99, "fairness");
        NS_TEST_EXPECT_MSG_EQ_TOL(mean, queue, 0.25 * queue, "mean queue, kB");
        NS_TEST_EXPECT_MSG_LT(port.GetCounters().maxQueueBytes, start, "burst at the start");
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::drops), 0, "drops");
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
        AddTestCase(new DcqcnHooksTestCase);
        AddTestCase(new LazyDeadlineTestCase);
        AddTestCase(new CnpPacingTestCase);
        AddTestCase(new DcqcnNetworkTestCase);
        AddTestCase(new ChoiceTestCase);
    }
};

CongestionControlTestSuite g_congestionControlTestSuite; //!< registers the suite

} // namespace
