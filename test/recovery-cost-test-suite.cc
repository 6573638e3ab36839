// SPDX-License-Identifier: GPL-2.0-only

// What losses cost under both loss recoveries: goodput, frames sent again, NACKs, time.

#include "recovery-bench.h"

#include "ns3/random-loss.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Goodput. */
class GoodputTestCase : public TestCase
{
  public:
    GoodputTestCase()
        : TestCase("Goodput under a loss p: 1-p with selective repeat, over 1-p+pw when going back")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            for (const double rate : {1e-4, 1e-3, 1e-2})
            {
                // 100 frames a round trip
                SetRecovery(recovery, MicroSeconds(20));
                Config::SetDefault("ns3::llm::SelectiveRepeat::InFlightFrames", UintegerValue(400));
                SmallNetwork net;
                net.beforeBuild = [&net, rate = rate]()
                {
                    auto loss = CreateObject<RandomLoss>();
                    loss->SetAttribute("Rate", DoubleValue(rate));
                    loss->SetAttribute("Kinds", UintegerValue(1));
                    net.network->SetFrameLoss(0, loss);
                };
                net.MakeStar(2, "100Gbps", PicoSeconds(2117280));
                for (uint32_t link = 0; link < 4; ++link)
                {
                    net.Send(0, 1, 20000000, link);
                }
                Simulator::Run();
                NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 4, "messages");
                const double goodput = 80000.0 * 86560 / static_cast<double>(net.LastDelivery());
                const double expected =
                    recovery == "GoBackN" ? (1 - rate) / (1 - rate + rate * 100) : 1 - rate;
                std::cout << "    " << recovery << " at " << rate << ": " << goodput << " for "
                          << expected << "\n";
                NS_TEST_EXPECT_MSG_EQ_TOL(goodput,
                                          expected,
                                          0.1 * expected,
                                          recovery << " " << rate);
            }
        }
    }
};

/** One loss. */
class OneLossTestCase : public TestCase
{
  public:
    OneLossTestCase()
        : TestCase("One loss at line rate costs a round trip going back, one frame otherwise")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            double ticks[2];
            for (const bool isLossy : {false, true})
            {
                SetRecovery(recovery);
                Config::SetDefault("ns3::llm::SelectiveRepeat::InFlightFrames", UintegerValue(200));
                SmallNetwork net;
                SetList(net, 0, isLossy ? "300/0" : "", 1);
                net.MakeStar(2, "100Gbps");
                net.Send(0, 1, 1000000);
                Simulator::Run();
                NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 1, "messages");
                ticks[isLossy] = static_cast<double>(net.LastDelivery());
                if (isLossy)
                {
                    const NicCounters counters = net.transport->GetCounters();
                    const bool isGoBackN = recovery == "GoBackN";
                    const auto resent = static_cast<double>(counters.retransmissions);
                    NS_TEST_EXPECT_MSG_EQ_TOL(resent,
                                              (isGoBackN ? 49 : 1),
                                              (isGoBackN ? 2 : 0.1),
                                              recovery << ": frames sent again");
                    NS_TEST_EXPECT_MSG_EQ(counters.timeouts, 0, recovery << ": timeouts");
                    if (isGoBackN)
                    {
                        NS_TEST_EXPECT_MSG_EQ(counters.nacksReceived, 1, "one NACK");
                    }
                    const double extra = (ticks[1] - ticks[0]) / 86560;
                    NS_TEST_EXPECT_MSG_EQ_TOL(extra,
                                              (isGoBackN ? 49 : 1),
                                              (isGoBackN ? 2 : 0.1),
                                              recovery << ": later, frames");
                }
            }
        }
    }
};

/** Notes what passes between two hosts. */
class Transcript : public FrameTransmitter::Observer
{
  public:
    /** @param first the sender's port @param last the port before the sender */
    Transcript(const FrameTransmitter& first, const FrameTransmitter& last)
        : m_first(first),
          m_last(last)
    {
    }

    void FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t) override
    {
        if (&transmitter == &m_first && frame.kind == FrameKind::DATA)
        {
            if (!isFilled)
            {
                highest = std::max(highest, frame.psn);
            }
            times[frame.psn] += 1;
        }
        if (&transmitter == &m_last && frame.kind == FrameKind::NACK)
        {
            nacks.emplace_back(frame.psn, frame.tag);
        }
        isFilled = isFilled || (&transmitter == &m_last && frame.psn > 3);
    }

    bool isFilled = false;                            //!< PSN 3 was acknowledged
    uint64_t highest = 0;                             //!< PSN sent before that
    std::map<uint64_t, uint32_t> times;               //!< by PSN: so often
    std::vector<std::pair<uint64_t, uint64_t>> nacks; //!< missing, and cause

  private:
    const FrameTransmitter& m_first; //!< the sender's port
    const FrameTransmitter& m_last;  //!< the port before the sender
};

/** IRN's rules. */
class SelectiveRulesTestCase : public TestCase
{
  public:
    SelectiveRulesTestCase()
        : TestCase(
              "NACKs name what is missing and their cause; a bound holds till the gap is filled")
    {
    }

  private:
    void DoRun() override
    {
        SetRecovery("SelectiveRepeat");
        Config::SetDefault("ns3::llm::SelectiveRepeat::InFlightFrames", UintegerValue(8));
        SmallNetwork net;
        SetList(net, 3, "3/0", 1); // from the switch to the receiver
        net.MakeStar(2, "100Gbps");
        Transcript transcript(net.network->GetTerminalPort(0)->GetTransmitter(), net.ToHost(0));
        net.network->SetObserver(&transcript);
        net.Send(0, 1, 20000);
        Simulator::Run();
        const std::vector<std::pair<uint64_t, uint64_t>>
            nacks{{3, 4}, {3, 5}, {3, 6}, {3, 7}, {3, 8}, {3, 9}, {3, 10}};
        NS_TEST_EXPECT_MSG_EQ((transcript.nacks == nacks), true, transcript.nacks.size());
        NS_TEST_EXPECT_MSG_EQ(transcript.highest, 10, "8 from the gap on");
        NS_TEST_EXPECT_MSG_EQ(transcript.times.size(), 20, "frames");
        for (const auto& [psn, times] : transcript.times)
        {
            NS_TEST_EXPECT_MSG_EQ(times, (psn == 3 ? 2 : 1), "PSN " << psn);
        }
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().timeouts, 0, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 1, "messages");
    }
};

/** Timeouts. */
class TimeoutTestCase : public TestCase
{
  public:
    TimeoutTestCase()
        : TestCase("Few frames on the way time out early, more late; both back off")
    {
    }

  private:
    void DoRun() override
    {
        // last delivery of so many frames, of which all are lost twice, us: 100 + 200, 320 + 640
        for (const auto& [frames, expected] : {std::pair{2, 300}, std::pair{3, 960}})
        {
            SetTimeouts();
            SmallNetwork net;
            net.isLost = [](const Frame& frame)
            {
                return frame.kind == FrameKind::DATA && frame.attempt < 2;
            };
            net.MakeStar(2, "100Gbps");
            net.Send(0, 1, 1000 * frames);
            Simulator::Run();
            const auto wire = static_cast<uint64_t>(frames) * 86560 + 86560 + 2000000;
            NS_TEST_EXPECT_MSG_EQ(net.LastDelivery() - wire - 2, expected * 1000000u, "delivery");
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().timeouts, 2, "timeouts");
        }
        // the last of 2000 frames, 100 us after the ACK before it, though many were on the way before
        SetTimeouts();
        SmallNetwork net;
        SetList(net, 0, "1999/0", 1);
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, 2000000);
        Simulator::Run();
        const uint64_t progress = 2000u * 86560 + 2000000 + 2 * 6880 + 2000000;
        NS_TEST_EXPECT_MSG_EQ(net.LastDelivery(),
                              progress + 100000000 + 2 * 86560 + 2000000 + 2,
                              "delivery of the last");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().retransmissions, 1, "frames again");
    }

    /** Set the timeouts of IRN. */
    static void SetTimeouts()
    {
        SetRecovery("SelectiveRepeat");
        const std::string name = "ns3::llm::SelectiveRepeat::Timeout";
        Config::SetDefault(name + "Low", TimeValue(MicroSeconds(100)));
        Config::SetDefault(name + "High", TimeValue(MicroSeconds(320)));
    }
};

/** ACKs by bytes. */
class BytesPerAckTestCase : public TestCase
{
  public:
    BytesPerAckTestCase()
        : TestCase("An ACK goes out after so many frames or bytes, whichever is first")
    {
    }

  private:
    void DoRun() override
    {
        // 20 frames of 1000 B: bytes and frames per ACK, ACKs
        for (const auto& [bytes, frames, acks] : {std::tuple{0, 8, 3},
                                                  std::tuple{4000, 8, 5},
                                                  std::tuple{3001, 8, 5},
                                                  std::tuple{4001, 8, 4},
                                                  std::tuple{1, 8, 20},
                                                  std::tuple{100000, 5, 4}})
        {
            SetRecovery("GoBackN");
            Config::SetDefault("ns3::llm::RdmaTransport::BytesPerAck", UintegerValue(bytes));
            Config::SetDefault("ns3::llm::RdmaTransport::FramesPerAck", UintegerValue(frames));
            SmallNetwork net;
            net.MakeStar(2, "100Gbps");
            net.Send(0, 1, 20000);
            Simulator::Run();
            const auto sent = static_cast<int>(
                net.network->GetTerminalPort(1)->GetTransmitter().GetCounters().frames);
            NS_TEST_EXPECT_MSG_EQ(sent, acks, bytes << " B or " << frames << " frames");
        }
    }
};

/** The suite. */
class RecoveryCostTestSuite : public TestSuite
{
  public:
    RecoveryCostTestSuite()
        : TestSuite("llm-fabric-recovery-cost", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new GoodputTestCase);
        AddTestCase(new OneLossTestCase);
        AddTestCase(new SelectiveRulesTestCase);
        AddTestCase(new TimeoutTestCase);
        AddTestCase(new BytesPerAckTestCase);
    }
};

RecoveryCostTestSuite g_recoveryCostTestSuite; //!< registers the suite

} // namespace
