// SPDX-License-Identifier: GPL-2.0-only

// PowerTCP by its hooks alone, without a network.

#include "telemetry-bench.h"

#include "ns3/power-tcp.h"
#include "ns3/test.h"

#include "ns3/boolean.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A queue pair of 100G and 10 us, so that the path holds 125,000 B; beta is 500 B. */
class Bench : public ControlBench<PowerTcp, PowerTcpState>
{
  public:
    /** @param isDelay which form */
    explicit Bench(bool isDelay = false)
    {
        control->SetAttribute("Delay", BooleanValue(isDelay));
        control->SetAttribute("AdditiveIncrease", DoubleValue(500));
        Start();
    }

    /** @param bytes window now and of all that is in flight */
    void SetWindow(double bytes)
    {
        state.windowBytes = bytes;
        state.windows.Reset(bytes);
    }

    /** @param at us @param rtt us @param ackedPsn see AckSignal @param nextPsn see AckSignal */
    void Delay(double at, double rtt, uint64_t ackedPsn, uint64_t nextPsn)
    {
        AckSignal ack;
        ack.ackedBytes = 1000;
        ack.rttTicks = static_cast<uint64_t>(std::llround(rtt * US));
        ack.ackedPsn = ackedPsn;
        ack.nextPsn = nextPsn;
        Ack(static_cast<uint64_t>(std::llround(at * US)), ack);
    }
};

/** What was in force when a frame was sent. */
class SentWindowsTestCase : public TestCase
{
  public:
    SentWindowsTestCase()
        : TestCase("The window that a frame was sent under is known to a sixth of a round trip")
    {
    }

  private:
    void DoRun() override
    {
        SentWindows windows;
        windows.Reset(1000);
        NS_TEST_EXPECT_MSG_EQ(windows.At(0), 1000, "the first");
        windows.Note(10, 0, 2000);
        NS_TEST_EXPECT_MSG_EQ(windows.At(9), 1000, "the frame before");
        NS_TEST_EXPECT_MSG_EQ(windows.At(10), 2000, "the first under it");
        NS_TEST_EXPECT_MSG_EQ(windows.At(1000), 2000, "and all later ones");
        windows.Note(10, 5, 3000);
        NS_TEST_EXPECT_MSG_EQ(windows.At(10), 3000, "nothing was sent between");
        // 60 frames in flight: a note each ten frames
        for (const uint64_t start : {uint64_t{100}, (uint64_t{1} << 32) - 60})
        {
            for (uint64_t psn = start; psn < start + 200; ++psn)
            {
                windows.Note(psn, psn - 60, static_cast<double>(psn - start));
            }
            for (uint64_t psn = start + 139; psn < start + 200; ++psn)
            {
                const double off = static_cast<double>(psn - start) - windows.At(psn);
                NS_TEST_EXPECT_MSG_EQ((off >= 0 && off < 10), true, psn << " is off by " << off);
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(windows.At(start + 20), 135, 5, "the oldest known");
        }
    }
};

/** With telemetry. */
class PowerTcpHooksTestCase : public TestCase
{
  public:
    PowerTcpHooksTestCase()
        : TestCase("PowerTCP's power and window are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckPower();
        CheckCurrent();
        CheckSmoothing();
        CheckSentWindow();
        CheckLimits();
    }

    /** A full link without and with a queue. */
    void CheckPower()
    {
        for (const bool isQueued : {false, true})
        {
            Bench bench;
            NS_TEST_EXPECT_MSG_EQ(bench.hooks->NeedsTelemetry(), true, "it asks for telemetry");
            NS_TEST_EXPECT_MSG_EQ(bench.hooks->GetTelemetryBytes(), 42, "five hops");
            bench.SetWindow(50000);
            TelemetryPath path;
            path.samples[0].queueBytes = isQueued ? 125000 : 0;
            bench.Ack(0, path.Ack(1, 50));
            NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, 50000, "the first is only stored");
            path.Pass(10, 125000, path.samples[0].queueBytes);
            bench.Ack(0, path.Ack(2, 50));
            const double window = isQueued ? 0.55 * 50000 + 450 : 50000 + 450;
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power, (isQueued ? 2.0 : 1.0), 1e-12, "power");
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, window, 1e-6, "w");
            NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, static_cast<uint64_t>(window), "cap");
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), window * 8 / 10e3, 1e-9, "w over tau");
        }
    }

    /** Arrivals: what was sent and what the queue grew by; never less than half the line. */
    void CheckCurrent()
    {
        const double table[][4] = {
            // before, after, sent, power over 10 us
            {0, 62500, 125000, 1.5 * 1.5},
            {62500, 0, 125000, 0.5 * 1},
            {62500, 0, 62500, 0.5 * 1},
            {0, 0, 1000, 0.5 * 1},
            {62500, 62500, 125000, 1 * 1.5},
        };
        for (const auto& [before, after, sent, power] : table)
        {
            Bench bench;
            TelemetryPath path;
            path.samples[0].queueBytes = static_cast<uint32_t>(before);
            bench.Ack(0, path.Ack(1, 50));
            path.Pass(10, static_cast<uint64_t>(sent), static_cast<uint32_t>(after));
            bench.Ack(0, path.Ack(2, 50));
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power, power, 1e-12, before << " " << sent);
        }
        Bench bench;
        bench.Set("MinCurrent", 0.1);
        bench.Set("TargetUtilization", 0.95);
        TelemetryPath path(3);
        bench.Ack(0, path.Ack(1, 50));
        path.Pass(10, 1000, 0, 0);
        path.Pass(10, 1000, 125000, 1);
        bench.Ack(0, path.Ack(2, 50));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power,
                                  126.0 / 125 * 2 / 0.95,
                                  1e-12,
                                  "the hop of the highest power; one without time does not count");
    }

    /** Samples closer than a round trip. */
    void CheckSmoothing()
    {
        Bench bench;
        TelemetryPath path;
        path.samples[0].queueBytes = 125000;
        bench.Ack(0, path.Ack(1, 50));
        path.Pass(2, 25000, 125000);
        bench.Ack(0, path.Ack(2, 50));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power, 0.8 * 1 + 0.2 * 2, 1e-12, "a fifth of tau");
        const double before = bench.state.windowBytes;
        bench.Ack(0, path.Ack(3, 50));
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, before, "no time, no news");
        NS_TEST_EXPECT_MSG_EQ(std::isfinite(bench.decision.rateBps), true, "nor a division by 0");
    }

    /** The window divided is that of the frame acknowledged. */
    void CheckSentWindow()
    {
        Bench bench;
        bench.SetWindow(40000);
        bench.state.windows.Note(30, 20, 80000);
        bench.state.windowBytes = 60000;
        TelemetryPath path;
        bench.Ack(0, path.Ack(20, 40));
        path.Pass(10, 125000, 0);
        bench.Ack(0, path.Ack(30, 40)); // frame 29
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 0.9 * 40500 + 6000, 1e-2, "of before");
        path.Pass(10, 125000, 0);
        bench.Ack(0, path.Ack(31, 40)); // frame 30
        const double now = 0.1 * (0.9 * 40500 + 6000);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 0.9 * 80500 + now, 1e-2, "of after");
    }

    /** Clamps and defaults. */
    void CheckLimits()
    {
        Bench bench;
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 125000, "the path's bytes");
        NS_TEST_EXPECT_MSG_EQ(Run(bench, 0), 125000, "at most");
        bench.Set("MaxWindow", 2.0);
        NS_TEST_EXPECT_MSG_EQ(Run(bench, 0), 250000, "or twice");
        bench.Set("AdditiveIncrease", 1.0);
        NS_TEST_EXPECT_MSG_EQ(Run(bench, 4000000000), 1000, "at least a frame");
        bench.Set("MinWindow", 10.0);
        NS_TEST_EXPECT_MSG_EQ(Run(bench, 4000000000), 10, "or less");
        bench.Set("MaxWindow", 1.0);
        bench.Set("BaseRtt", TimeValue(MicroSeconds(20)));
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 250000, "of the time given");
        bench.Set("AdditiveIncrease", 0.0);
        bench.SetWindow(50000);
        TelemetryPath path;
        bench.Ack(0, path.Ack(1, 50));
        path.Pass(20, 250000, 0);
        bench.Ack(0, path.Ack(2, 50));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 50000 + 22500, 1e-6, "beta: a tenth");
    }

    /** @param bench made to see a queue for long @param queue bytes @return its window then */
    uint64_t Run(Bench& bench, uint32_t queue)
    {
        TelemetryPath path;
        for (uint64_t psn = 1; psn < 2000; ++psn)
        {
            bench.Ack(0, path.Ack(psn, psn + 1));
            path.Pass(10, 125000, queue);
        }
        return bench.decision.windowBytes;
    }
};

/** By delay. */
class DelayPowerTcpTestCase : public TestCase
{
  public:
    DelayPowerTcpTestCase()
        : TestCase("theta-PowerTCP takes delay and its slope for the power, once per round trip")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench(true);
        NS_TEST_EXPECT_MSG_EQ(bench.hooks->NeedsTelemetry(), false, "no telemetry");
        NS_TEST_EXPECT_MSG_EQ(bench.hooks->GetTelemetryBytes(), 0, "nor its bytes");
        bench.SetWindow(50000);
        bench.Delay(100, 20, 1, 50);
        bench.Delay(110, 20, 2, 50);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power, 2, 1e-12, "twice the base, flat");
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, 50000, "in the same round trip");
        bench.Delay(112, 21, 50, 90);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power,
                                  0.8 * 2 + 0.2 * 1.5 * 2.1,
                                  1e-12,
                                  "rising by half, for a fifth of the base");
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, 50000, "its last frame");
        const double power = bench.state.power;
        bench.Delay(112, 30, 51, 90);
        NS_TEST_EXPECT_MSG_EQ(bench.state.power, power, "no time, no news");
        const double window = 0.9 * (50000 / power + 500) + 5000;
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, window, 1e-6, "the next round trip");
        bench.Delay(122, 11, 52, 90);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power, 0.5 * 1.1, 1e-12, "falling as time goes by");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, window, 1e-6, "until the round is over");
        bench.Delay(132, 10, 91, 140);
        const double next = 0.9 * (window / 0.9 + 500) + 0.1 * window;
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.power, 0.9, 1e-12, "falling by a tenth");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, next, 1e-6, "and then");
    }
};

/** The suite. */
class PowerTcpTestSuite : public TestSuite
{
  public:
    PowerTcpTestSuite()
        : TestSuite("llm-fabric-power-tcp", TestSuite::Type::UNIT)
    {
        AddTestCase(new SentWindowsTestCase);
        AddTestCase(new PowerTcpHooksTestCase);
        AddTestCase(new DelayPowerTcpTestCase);
    }
};

PowerTcpTestSuite g_powerTcpTestSuite; //!< registers the suite

} // namespace
