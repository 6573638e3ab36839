// SPDX-License-Identifier: GPL-2.0-only

// Swift by its hooks alone, without a network.

#include "control-bench.h"

#include "ns3/input-error.h"
#include "ns3/swift.h"
#include "ns3/test.h"

#include "ns3/nstime.h"

#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A queue pair of 100G with a target of 50 us, without scaling. */
class Bench : public ControlBench<Swift, SwiftState>
{
  public:
    Bench()
    {
        control->SetAttribute("BaseTarget", TimeValue(MicroSeconds(50)));
        control->SetAttribute("HopTarget", TimeValue(Time(0)));
        control->SetAttribute("FlowScalingRange", TimeValue(Time(0)));
        Start();
    }

    /** @param frames fabric window from here on; the other is as large as may be */
    void SetWindow(double frames)
    {
        state.fabric.frames = frames;
        state.endpoint.frames = 1e6;
    }

    /**
     * @param at us
     * @param rtt us
     * @param remote of it in the receiving host, us
     * @param hops switches of the forward path
     */
    void Ack(double at, double rtt, double remote = 0, uint32_t hops = 0)
    {
        AckSignal ack;
        ack.ackedBytes = 1000;
        ack.rttTicks = static_cast<uint64_t>(std::llround(rtt * US));
        ack.remoteDelayTicks = static_cast<uint64_t>(std::llround(remote * US));
        ack.forwardHops = hops;
        ControlBench::Ack(static_cast<uint64_t>(std::llround(at * US)), ack);
    }
};

/** Targets. */
class SwiftTargetTestCase : public TestCase
{
  public:
    SwiftTargetTestCase()
        : TestCase("Swift's target grows with hops and for small windows as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench;
        bench.Set("FlowScalingRange", TimeValue(MicroSeconds(50)));
        // a_f = 50 / (1 / sqrt 0.1 - 1 / sqrt 100) = 16.327, b_f = -1.633
        const double table[][2] =
            {{0.01, 50}, {0.1, 50}, {1, 14.69}, {10, 3.53}, {100, 0}, {1000, 0}};
        for (const auto& [frames, expected] : table)
        {
            const double us = bench.control->GetFlowScaling(frames) / 1e6;
            NS_TEST_EXPECT_MSG_EQ_TOL(us, expected, 5e-3, frames << " frames");
        }
        // a window of 10 frames has 53.53 us
        bench.SetWindow(10);
        bench.Ack(100, 53.5);
        NS_TEST_EXPECT_MSG_GT(bench.state.fabric.frames, 10, "below the target");
        bench.SetWindow(10);
        bench.Ack(200, 53.55);
        NS_TEST_EXPECT_MSG_LT(bench.state.fabric.frames, 10, "above the target");
        Bench hops;
        hops.Set("HopTarget", TimeValue(MicroSeconds(2)));
        hops.SetWindow(10);
        hops.Ack(100, 55.9, 0, 3);
        NS_TEST_EXPECT_MSG_GT(hops.state.fabric.frames, 10, "three hops have 56 us");
        hops.SetWindow(10);
        hops.Ack(200, 50.1);
        NS_TEST_EXPECT_MSG_LT(hops.state.fabric.frames, 10, "an unknown number has 50 us");
    }
};

/** Windows. */
class SwiftWindowTestCase : public TestCase
{
  public:
    SwiftWindowTestCase()
        : TestCase("Swift's window grows by a frame per round trip and is cut once in it")
    {
    }

  private:
    void DoRun() override
    {
        CheckStart();
        CheckCuts();
        CheckGrowth();
        CheckPace();
        CheckEndpoint();
    }

    /** The first window and the largest. */
    void CheckStart()
    {
        Bench bench;
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 125000, "the path's bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 100, 1e-9, "unpaced");
        bench.SetWindow(1e5);
        bench.Ack(100, 20);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 625000, "at most the target's bytes");
        bench.Set("MaxWindow", 70.0);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 70000, "or as asked");
    }

    /** Delays above the target. */
    void CheckCuts()
    {
        Bench bench;
        bench.SetWindow(100);
        bench.Ack(1000, 100);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 60, 1e-9, "twice the target: 0.6");
        bench.Ack(1099, 100);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 60, 1e-9, "not again in a round trip");
        bench.Ack(1100, 100);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 36, 1e-9, "but after it");
        bench.Ack(2000, 500);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 18, 1e-9, "never below half");
        bench.Ack(3000, 50);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 18, 1e-9, "at the target: no change");
    }

    /** Delays below the target. */
    void CheckGrowth()
    {
        Bench bench;
        bench.SetWindow(50);
        for (uint32_t i = 0; i < 50; ++i)
        {
            bench.Ack(100, 40);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 51, 0.02, "a frame per window");
        bench.Set("AdditiveIncrease", 0.25);
        bench.SetWindow(0.5);
        bench.Ack(100, 40);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 0.75, 1e-9, "ai per frame below one");
        bench.SetWindow(2);
        bench.Ack(100, 40);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 2.125, 1e-9, "ai / cwnd above");
    }

    /** Less than a frame. */
    void CheckPace()
    {
        Bench bench;
        bench.Set("AdditiveIncrease", 0.0);
        bench.SetWindow(0.25);
        bench.Ack(100, 20);
        const double gap = 8 * 1082 / bench.decision.rateBps * 1e6;
        NS_TEST_EXPECT_MSG_EQ_TOL(gap, 80, 1e-9, "a frame per RTT / window, us");
        NS_TEST_EXPECT_MSG_LT(bench.decision.windowBytes, 1000, "and no second in flight");
        bench.SetWindow(1);
        bench.Ack(100, 20);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 100, 1e-9, "unpaced from one frame on");
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 1000, "one");
        bench.Set("MinWindow", 0.01);
        bench.SetWindow(0.001);
        bench.Ack(100, 20);
        NS_TEST_EXPECT_MSG_EQ(bench.state.fabric.frames, 0.01, "the smallest");
    }

    /** The receiving host's part of the delay. */
    void CheckEndpoint()
    {
        Bench bench;
        bench.Set("EndpointTarget", TimeValue(MicroSeconds(10)));
        bench.Set("EndpointGain", 0.5);
        bench.state.fabric.frames = 100;
        bench.state.endpoint.frames = 20;
        bench.Ack(1000, 70, 30);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 100.01, 1e-9, "40 us in the fabric");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.endpointTicks, 15e6, 1, "smoothed");
        const double cut = 20 * (1 - 0.8 * 5 / 15);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.endpoint.frames, cut, 1e-9, "15 us in the host");
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes,
                              static_cast<uint64_t>(cut * 1000),
                              "the smaller window counts");
    }
};

/** NACKs and timeouts. */
class SwiftLossTestCase : public TestCase
{
  public:
    SwiftLossTestCase()
        : TestCase("Swift halves on loss once per round trip, and gives up after timeouts in a row")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench;
        bench.SetWindow(64);
        bench.state.endpoint.frames = 80;
        bench.Ack(1000, 50);
        bench.Loss(1100 * Bench::US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 32, 1e-9, "half");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.endpoint.frames, 40.0, 0.02, "of both");
        bench.Loss(1149 * Bench::US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 32, 1e-9, "once per round trip");
        for (uint32_t i = 1; i <= 4; ++i)
        {
            bench.Timeout((1200 + 100 * i) * Bench::US);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 2, 1e-9, "half each timeout");
        bench.Loss(1601 * Bench::US); // word from the receiver: the row is over
        for (uint32_t i = 1; i <= 4; ++i)
        {
            bench.Timeout((1700 + 100 * i) * Bench::US);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 2.0 / 16, 1e-9, "half each");
        bench.Timeout(1900 * Bench::US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.fabric.frames, 0.001, 1e-9, "the fifth in a row");
        std::string text;
        try
        {
            bench.Set("FlowScalingMax", 0.1);
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(text.find("FlowScalingMin"), std::string::npos, text);
    }
};

/** The suite. */
class SwiftTestSuite : public TestSuite
{
  public:
    SwiftTestSuite()
        : TestSuite("llm-fabric-swift", TestSuite::Type::UNIT)
    {
        AddTestCase(new SwiftTargetTestCase);
        AddTestCase(new SwiftWindowTestCase);
        AddTestCase(new SwiftLossTestCase);
    }
};

SwiftTestSuite g_swiftTestSuite; //!< registers the suite

} // namespace
