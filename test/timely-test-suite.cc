// SPDX-License-Identifier: GPL-2.0-only

// TIMELY by its hooks alone, without a network.

#include "control-bench.h"

#include "ns3/input-error.h"
#include "ns3/test.h"
#include "ns3/timely.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A queue pair of 100G whose delta is 100 Mb/s and whose every acknowledgment makes an update. */
class Bench : public ControlBench<Timely, TimelyState>
{
  public:
    /** @param isPatched which form */
    explicit Bench(bool isPatched = false)
    {
        control->SetAttribute("Patched", BooleanValue(isPatched));
        control->SetAttribute("SegmentSize", UintegerValue(1));
        control->SetAttribute("SubtractSerialization", BooleanValue(false));
        Start();
        decision.rateBps = 50e9;
    }

    /** @param us a round-trip time */
    void Rtt(double us)
    {
        AckSignal ack;
        ack.ackedBytes = 1000;
        ack.rttTicks = static_cast<uint64_t>(std::llround(us * US));
        Ack(0, ack);
    }
};

/** The original. */
class TimelyHooksTestCase : public TestCase
{
  public:
    TimelyHooksTestCase()
        : TestCase("TIMELY's steps and cuts are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckGradient();
        CheckThresholds();
        CheckHyper();
        CheckLimits();
    }

    /** Between the thresholds. */
    void CheckGradient()
    {
        Bench bench;
        bench.Rtt(100);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 50, 1e-9, "the first only tells where to begin");
        bench.Rtt(120);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.rttDiffTicks, 17.5e6, 1, "0.875 of 20 us");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 0.3 * 50, 1e-9, "1 - 0.8 * 0.875");
        bench.Rtt(110);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.rttDiffTicks, -6.5625e6, 1, "0.125 17.5 - 0.875 10");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 15.1, 1e-9, "a falling one adds delta");
        bench.Set("MinRtt", TimeValue(Time(0)));
        bench.decision.rateBps = 50e9;
        bench.Rtt(100);
        bench.Rtt(101);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(),
                                  50 * (1 - 0.8 * 0.875 / 10),
                                  1e-9,
                                  "of the path's 10 us");
    }

    /** Outside of the thresholds. */
    void CheckThresholds()
    {
        Bench high;
        high.Rtt(600);
        high.Rtt(600);
        NS_TEST_EXPECT_MSG_EQ_TOL(high.Rate(), 0.86667 * 50, 5e-4, "1 - 0.8 (1 - 500 / 600)");
        Bench low;
        low.Rtt(30);
        low.Rtt(40);
        NS_TEST_EXPECT_MSG_EQ_TOL(low.Rate(), 50.1, 1e-9, "delta, although it rises");
        Bench edge;
        edge.Rtt(500);
        edge.Rtt(500);
        NS_TEST_EXPECT_MSG_EQ_TOL(edge.Rate(), 50.1, 1e-9, "the gradient decides at Thigh");
    }

    /** A row without a rising gradient. */
    void CheckHyper()
    {
        Bench bench;
        bench.Rtt(100);
        double rate = 50;
        for (const double steps : {1, 1, 1, 1, 5, 5})
        {
            bench.Rtt(100);
            rate += 0.1 * steps;
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), rate, 1e-9, steps << " delta");
        }
        for (const double interruption : {30.0, 501.0, 100.0})
        {
            bench.Rtt(interruption); // below, far above, falling again
        }
        bench.Rtt(100);
        NS_TEST_EXPECT_MSG_EQ(bench.state.flatUpdates, 2, "the row began anew");
        Bench rising;
        rising.Rtt(100);
        rising.Rtt(100);
        rising.Rtt(101);
        NS_TEST_EXPECT_MSG_EQ(rising.state.flatUpdates, 0, "a rising gradient ends it");
    }

    /** Clamps, and what the attributes scale. */
    void CheckLimits()
    {
        Bench top;
        top.decision.rateBps = 99.95e9;
        top.Rtt(30);
        top.Rtt(30);
        NS_TEST_EXPECT_MSG_EQ_TOL(top.Rate(), 100, 1e-9, "never above the line");
        Bench bottom;
        bottom.Rtt(100);
        bottom.Rtt(400); // a gradient of 13 would make the rate negative
        NS_TEST_EXPECT_MSG_EQ_TOL(bottom.Rate(), 0.1, 1e-9, "nor below the least rate");
        Bench half;
        half.Set("MaxCut", 0.5);
        half.decision.rateBps = 50e9;
        half.Rtt(100);
        half.Rtt(400);
        NS_TEST_EXPECT_MSG_EQ_TOL(half.Rate(), 25, 1e-9, "nor by more than asked");
        Bench plain;
        plain.Set("ReferenceRate", DataRateValue(DataRate(0)));
        plain.Set("InitialShare", 0.25);
        NS_TEST_EXPECT_MSG_EQ_TOL(plain.Rate(), 25, 1e-9, "the first rate");
        plain.Rtt(30);
        plain.Rtt(30);
        NS_TEST_EXPECT_MSG_EQ_TOL(plain.Rate(), 25.01, 1e-9, "10 Mb/s at any line rate");
    }
};

/** When an update comes, and of what. */
class TimelyUpdateTestCase : public TestCase
{
  public:
    TimelyUpdateTestCase()
        : TestCase("TIMELY updates once per round trip or segment, without serialization")
    {
    }

  private:
    void DoRun() override
    {
        CheckRounds();
        CheckSegments();
        Bench bench;
        bench.Set("SubtractSerialization", BooleanValue(true));
        bench.Rtt(100);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.rttTicks, 100e6 - 86560, 1e-3, "1082 B at 100G");
        AckSignal last;
        last.ackedBytes = 18;
        last.rttTicks = 100 * Bench::US;
        bench.Ack(0, last);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.rttTicks, 100e6 - 8000, 1e-3, "100 B at 100G");
    }

    /** One per round trip. */
    void CheckRounds()
    {
        Bench bench;
        bench.Set("SegmentSize", UintegerValue(0));
        AckSignal ack;
        uint32_t updates = 0;
        for (uint64_t psn = 1; psn <= 100; ++psn)
        {
            ack.ackedPsn = psn;
            ack.nextPsn = psn + 9;
            ack.rttTicks = (1000 + psn) * Bench::US;
            bench.Ack(0, ack);
            updates += bench.state.rttTicks == static_cast<double>(ack.rttTicks);
        }
        NS_TEST_EXPECT_MSG_EQ(updates, 10, "at PSN 1, then when more than what was sent is acked");
    }

    /** One per so many bytes. */
    void CheckSegments()
    {
        Bench bench;
        bench.Set("SegmentSize", UintegerValue(16000));
        bench.decision.rateBps = 10e9;
        for (uint32_t i = 0; i < 15; ++i)
        {
            bench.Rtt(100);
        }
        NS_TEST_EXPECT_MSG_EQ(bench.state.hasRtt, false, "15 frames are no segment");
        bench.Rtt(100);
        NS_TEST_EXPECT_MSG_EQ(bench.state.hasRtt, true, "16 are");
        NS_TEST_EXPECT_MSG_EQ(bench.state.ackedBytes, 0, "and the next begins");
    }
};

/** The patch. */
class PatchedTimelyTestCase : public TestCase
{
  public:
    PatchedTimelyTestCase()
        : TestCase("Patched TIMELY weighs gradient and distance, and has its fixed point")
    {
    }

  private:
    void DoRun() override
    {
        // gradient -0.25, 0, 0.125, 0.25 and beyond: weight 0, 0.5, 0.75, 1
        const double table[][2] =
            {{-8, 0}, {-40.0 / 7, 0}, {0, 0.5}, {20.0 / 7, 0.75}, {40.0 / 7, 1}, {9, 1}};
        for (const auto& [change, weight] : table)
        {
            Bench bench(true);
            bench.Rtt(100 - change);
            bench.Rtt(100);
            const double rate = 50 * (1 - 0.008 * weight * (100.0 - 50) / 50) + 0.1 * (1 - weight);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), rate, 1e-6, "change of " << change << " us");
        }
        Bench high(true);
        high.Rtt(1000);
        high.Rtt(1000);
        NS_TEST_EXPECT_MSG_EQ_TOL(high.Rate(), 50 * (1 - 0.008 * 0.5), 1e-9, "its own beta");
        CheckFixedPoint();
    }

    /** Where a round-trip time leaves the rate as it is: Tlow (1 + delta / (beta R)). */
    void CheckFixedPoint()
    {
        Bench bench(true);
        const double rtt = 50 * (1 + 0.1 / (0.008 * 50));
        for (uint32_t i = 0; i < 100; ++i)
        {
            bench.Rtt(rtt);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 50, 1e-6, "it stays");
    }
};

/** Wrong input. */
class TimelyInputTestCase : public TestCase
{
  public:
    TimelyInputTestCase()
        : TestCase("TIMELY refuses thresholds in the wrong order")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench;
        std::string text;
        try
        {
            bench.Set("LowThreshold", TimeValue(MicroSeconds(501)));
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        for (const char* word : {"LowThreshold", "HighThreshold", "501", "500"})
        {
            NS_TEST_EXPECT_MSG_NE(text.find(word), std::string::npos, text);
        }
    }
};

/** The suite. */
class TimelyTestSuite : public TestSuite
{
  public:
    TimelyTestSuite()
        : TestSuite("llm-fabric-timely", TestSuite::Type::UNIT)
    {
        AddTestCase(new TimelyHooksTestCase);
        AddTestCase(new TimelyUpdateTestCase);
        AddTestCase(new PatchedTimelyTestCase);
        AddTestCase(new TimelyInputTestCase);
    }
};

TimelyTestSuite g_timelyTestSuite; //!< registers the suite

} // namespace
