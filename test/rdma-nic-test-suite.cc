// SPDX-License-Identifier: GPL-2.0-only

// A NIC that many queue pairs share: fairness, pacing, windows, and what it costs.

#include "small-network.h"

#include "ns3/dcqcn.h"
#include "ns3/test.h"

#include <iostream>
#include <map>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Nothing to keep. */
struct FixedState
{
};

/** Rate and window as attributes say. */
class FixedControl : public RdmaCongestionControlOf<FixedState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TestFixedControl")
                                .SetParent<RdmaCongestionControl>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<FixedControl>()
                                .AddAttribute("Rate",
                                              "Pacing.",
                                              DataRateValue(DataRate("10Gbps")),
                                              MakeDataRateAccessor(&FixedControl::m_rate),
                                              MakeDataRateChecker())
                                .AddAttribute("Window",
                                              "Window, bytes.",
                                              UintegerValue(UINT64_MAX),
                                              MakeUintegerAccessor(&FixedControl::m_window),
                                              MakeUintegerChecker<uint64_t>());
        return tid;
    }

  private:
    /** @copydoc ns3::llm::RdmaCongestionControlOf::DoStart */
    void DoStart([[maybe_unused]] FixedState& state,
                 [[maybe_unused]] const QueuePairInfo& info,
                 CongestionDecision& decision) const override
    {
        decision.rateBps = static_cast<double>(m_rate.GetBitRate());
        decision.windowBytes = m_window;
    }

    DataRate m_rate;   //!< attribute
    uint64_t m_window; //!< attribute
};

NS_OBJECT_ENSURE_REGISTERED(FixedControl);

/** @param rate attribute @param window attribute */
void
SetFixed(const std::string& rate, uint64_t window)
{
    SmallNetwork::SetPlain(1000);
    Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                       StringValue("ns3::llm::TestFixedControl"));
    Config::SetDefault("ns3::llm::TestFixedControl::Rate", StringValue(rate));
    Config::SetDefault("ns3::llm::TestFixedControl::Window", UintegerValue(window));
}

/** Looks at what host 0 sends. */
class UplinkObserver : public FrameTransmitter::Observer
{
  public:
    void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) override
    {
        if (frame.kind == FrameKind::DATA && &transmitter == uplink && seen)
        {
            seen(frame, tick);
        }
    }

    const FrameTransmitter* uplink = nullptr;         //!< of host 0
    std::function<void(const Frame&, uint64_t)> seen; //!< called for each data frame
};

/** A network with one sender and such an observer. */
class OneSender
{
  public:
    /** @param receivers so many */
    explicit OneSender(uint32_t receivers)
    {
        net.MakeStar(receivers + 1, "100Gbps");
        observer.uplink = &net.network->GetTerminalPort(0)->GetTransmitter();
        net.network->SetObserver(&observer);
    }

    SmallNetwork net;        //!< the network
    UplinkObserver observer; //!< sees the sender's data
};

/** Fair shares. */
class FairnessTestCase : public TestCase
{
  public:
    FairnessTestCase()
        : TestCase("Backlogged queue pairs of a NIC stay within a frame of each other")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* rate : {"100Gbps", "4Gbps"}) // unpaced; all paced, 64 Gb/s together
        {
            SetFixed(rate, UINT64_MAX);
            OneSender one(4);
            std::map<uint32_t, uint64_t> bytes;
            uint64_t worst = 0;
            uint32_t frames = 0;
            one.observer.seen = [&](const Frame& frame, uint64_t)
            {
                bytes[frame.queuePair] += frame.wireBytes;
                if (++frames < 16 * 90) // all of them still have some
                {
                    uint64_t least = UINT64_MAX;
                    uint64_t most = 0;
                    for (const auto& [queuePair, sum] : bytes)
                    {
                        least = std::min(least, sum);
                        most = std::max(most, sum);
                    }
                    worst = std::max(worst, bytes.size() == 16 ? most - least : 0);
                }
            };
            for (uint32_t i = 0; i < 16; ++i)
            {
                one.net.Send(0, i % 4 + 1, 100000, 0, i / 4);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(bytes.size(), 16, "queue pairs");
            NS_TEST_EXPECT_MSG_EQ(worst, 1082, "difference of the bytes sent, " << rate);
            NS_TEST_EXPECT_MSG_EQ(one.net.delivered.size(), 16, "messages");
        }
    }
};

/** Pacing to the tick. */
class PacingTestCase : public TestCase
{
  public:
    PacingTestCase()
        : TestCase("A rate R spaces frame starts by wire bytes over R, to the picosecond")
    {
    }

  private:
    void DoRun() override
    {
        Check("10Gbps", 865600);
        Check("99Gbps", 87434); // 87434.3
        Check("1Mbps", 8656000000);
        Check("100Gbps", 86560);
        Check("400Gbps", 86560); // the line's
    }

    /** @param rate of pacing @param spacing expected, ps */
    void Check(const std::string& rate, uint64_t spacing)
    {
        SetFixed(rate, UINT64_MAX);
        OneSender one(1);
        std::vector<uint64_t> ticks;
        one.observer.seen = [&](const Frame&, uint64_t tick)
        {
            ticks.push_back(tick);
        };
        one.net.Send(0, 1, 50000, 0);
        one.net.Send(0, 1, 50000, 1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(ticks.size(), 100, "frames");
        for (uint32_t i = 1; i < 100; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(ticks[i] - ticks[i - 1], spacing, "spacing at " << rate);
        }
    }
};

/** Windows. */
class WindowTestCase : public TestCase
{
  public:
    WindowTestCase()
        : TestCase("Payload in flight stays within the window; one frame may always go")
    {
    }

  private:
    void DoRun() override
    {
        // round trip: 4 us, data twice and ACK twice
        const double rtt = 4e6 + 2 * 86560 + 2 * 6880;
        Check(5000, 5000, 20 * rtt);
        Check(5999, 5000, 20 * rtt);
        Check(10, 1000, 100 * rtt);
        Check(1000000, 49000, 100 * 86560 + rtt - 86560); // a round trip's worth
    }

    /** @param window attribute @param most expected in flight @param time expected, ps */
    void Check(uint64_t window, uint64_t most, double time)
    {
        SetFixed("100Gbps", window);
        OneSender one(1);
        uint64_t inFlight = 0;
        one.observer.seen = [&](const Frame&, uint64_t)
        {
            inFlight =
                std::max(inFlight, one.net.transport->GetNic(0).GetQueuePair(0).GetInFlightBytes());
        };
        one.net.Send(0, 1, 100000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_LT(inFlight, most + 1, "in flight, window " << window);
        NS_TEST_EXPECT_MSG_GT(inFlight, most / 2, "in flight, window " << window);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(one.net.acknowledged[0].tick),
                                  time,
                                  5 * 86560,
                                  "time, window " << window);
    }
};

/** Cost of a frame. */
class EventsTestCase : public TestCase
{
  public:
    EventsTestCase()
        : TestCase("Events per data frame do not grow with the queue pairs of a NIC")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* rate : {"400Gbps", "0.7Gbps"})
        {
            const double one = PerFrame(1, rate);
            const double some = PerFrame(16, rate);
            const double many = PerFrame(127, rate);
            std::cout << "    events per data frame, paced at " << rate << ": " << one << ", "
                      << some << ", " << many << " with 1, 16, 127 queue pairs\n";
            NS_TEST_EXPECT_MSG_EQ_TOL(some / one, 1, 0.1, "16 queue pairs");
            NS_TEST_EXPECT_MSG_EQ_TOL(many / one, 1, 0.1, "127 queue pairs");
        }
    }

    /** @param queuePairs so many, to as many hosts @param rate of each @return events per frame */
    double PerFrame(uint32_t queuePairs, const std::string& rate)
    {
        SetFixed(rate, UINT64_MAX);
        OneSender one(127);
        for (uint32_t i = 0; i < queuePairs; ++i)
        {
            one.net.Send(0, i + 1, 10160000 / queuePairs);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(one.net.delivered.size(), queuePairs, "messages");
        return static_cast<double>(one.net.clock->GetFrameCount()) /
               static_cast<double>(one.net.transport->GetCounters().dataFrames);
    }
};

/** Memory. */
class MemoryTestCase : public TestCase
{
  public:
    MemoryTestCase()
        : TestCase("A queue pair takes less than 1 kB")
    {
    }

  private:
    void DoRun() override
    {
        const std::size_t bytes = sizeof(SendQueuePair) + sizeof(DcqcnState);
        std::cout << "    memory of a queue pair: " << bytes << " B, of which state "
                  << sizeof(DcqcnState) << " B\n";
        NS_TEST_EXPECT_MSG_LT(bytes, 1000, "bytes");
        NS_TEST_EXPECT_MSG_LT(sizeof(Frame), 73, "a frame");
    }
};

/** The suite. */
class RdmaNicTestSuite : public TestSuite
{
  public:
    RdmaNicTestSuite()
        : TestSuite("llm-fabric-rdma-nic", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new FairnessTestCase);
        AddTestCase(new PacingTestCase);
        AddTestCase(new WindowTestCase);
        AddTestCase(new EventsTestCase);
        AddTestCase(new MemoryTestCase);
    }
};

RdmaNicTestSuite g_rdmaNicTestSuite; //!< registers the suite

} // namespace
