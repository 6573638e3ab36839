// SPDX-License-Identifier: GPL-2.0-only

// NSCC by its hooks alone, without a network.

#include "control-bench.h"

#include "ns3/nscc.h"
#include "ns3/test.h"

#include "ns3/nstime.h"

#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A queue pair of 400G, 12 us and frames of 4096 B with a target of 9 us. */
class Bench : public ControlBench<Nscc, NsccState>
{
  public:
    Bench()
        : ControlBench(400, 12, 4096)
    {
        Set("TargetShare", 0.75);
        // neither growth in any case nor quick adapt, unless a test asks for it
        Set("SteadyIncrease", 0.0);
        Set("AdaptShare", 0.0);
        parameters = control->GetParameters(info);
    }

    /**
     * @param at us
     * @param delay queuing delay, us
     * @param isMarked whether the frame was
     * @param bytes acknowledged
     */
    void Ack(double at, double delay, bool isMarked, uint64_t bytes = 4096)
    {
        AckSignal ack;
        ack.ackedBytes = bytes;
        ack.inFlightBytes = 40960;
        ack.rttTicks = static_cast<uint64_t>(std::llround((12 + delay) * US));
        ack.ecnEcho = isMarked;
        ControlBench::Ack(static_cast<uint64_t>(std::llround(at * US)), ack);
    }

    NsccParameters parameters; //!< of the path
};

/** What follows from the path. */
class NsccParametersTestCase : public TestCase
{
  public:
    NsccParametersTestCase()
        : TestCase("NSCC's parameters scale with the path as the specification has it")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench;
        bench.Set("SteadyIncrease", 0.15);
        bench.Set("AdaptShare", 0.125);
        const NsccParameters p = bench.control->GetParameters(bench.info);
        NS_TEST_EXPECT_MSG_EQ_TOL(p.scale, 4, 1e-12, "a");
        NS_TEST_EXPECT_MSG_EQ_TOL(p.pathBytes, 600e3, 1e-6, "BDP");
        NS_TEST_EXPECT_MSG_EQ_TOL(p.maxBytes, 900e3, 1e-6, "largest window");
        NS_TEST_EXPECT_MSG_EQ_TOL(p.targetTicks, 9e6, 1e-6, "target");
        NS_TEST_EXPECT_MSG_EQ_TOL(p.fair, 81920, 1e-6, "fi");
        NS_TEST_EXPECT_MSG_EQ_TOL(p.steady, 2457.6, 1e-6, "eta");
        NS_TEST_EXPECT_MSG_EQ_TOL(p.adaptBytes, 112.5e3, 1e-6, "gate of the quick adapt");
        NS_TEST_EXPECT_MSG_EQ_TOL(p.proportional, 4 * 4096 * 4 * 0.75 / 9e6, 1e-12, "alpha");
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 900000, "which is the first");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 400, 1e-9, "unpaced");
        bench.Set("BaseRtt", TimeValue(MicroSeconds(6)));
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 450000, "of the time given");
    }
};

/** The four answers. */
class NsccAnswersTestCase : public TestCase
{
  public:
    NsccAnswersTestCase()
        : TestCase("NSCC grows, waits and cuts as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckGrowth();
        CheckFast();
        CheckCut();
        CheckAverage();
        CheckFulfil();
    }

    /** @param bench a queue pair @param delay us @param isMarked of all frames @return growth of a
     * window of 400,000 B after eight frames, bytes */
    double GrowthOf(Bench& bench, double delay, bool isMarked)
    {
        bench.state.windowBytes = 400000;
        bench.state.fulfilTicks = 1000 * Bench::US;
        for (uint32_t i = 0; i < 8; ++i)
        {
            bench.Ack(1000 + 0.1 * i, delay, isMarked);
        }
        return bench.state.windowBytes - 400000;
    }

    /** Unmarked, and marked below the target. */
    void CheckGrowth()
    {
        const double bytes = 8 * 4096;
        Bench below;
        const double alpha = below.parameters.proportional;
        NS_TEST_EXPECT_MSG_EQ_TOL(GrowthOf(below, 6, false),
                                  alpha * bytes * 3e6 / 400000,
                                  1e-6,
                                  "in proportion to the missing 3 us");
        Bench above;
        NS_TEST_EXPECT_MSG_EQ_TOL(GrowthOf(above, 9, false), 81920 * bytes / 400000, 1e-6, "fair");
        Bench marked;
        NS_TEST_EXPECT_MSG_EQ(GrowthOf(marked, 6, true), 0, "left to the choice of paths");
    }

    /** No delay for a whole window. */
    void CheckFast()
    {
        Bench bench;
        bench.Set("FastIncrease", 0.5);
        bench.state.windowBytes = 400000;
        while (!bench.state.isFast)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(bench.state.fastBytes, 2 * 400000, "soon");
            bench.Ack(1000, 0.5, false);
        }
        NS_TEST_EXPECT_MSG_GT(bench.state.fastBytes, 400000, "a window without delay");
        for (uint32_t i = 0; i < 3; ++i)
        {
            const double before = bench.state.windowBytes;
            bench.Ack(1000, 0.5, false, 100);
            const double growth = bench.state.windowBytes - before;
            NS_TEST_EXPECT_MSG_EQ_TOL(growth, 200, 1e-6, "then half a byte a byte, times a");
        }
        bench.Ack(1000, 1, false);
        NS_TEST_EXPECT_MSG_EQ(bench.state.isFast, false, "until there is delay");
        bench.Ack(1000, 0, false);
        NS_TEST_EXPECT_MSG_EQ(bench.state.fastBytes, 4096, "from which it counts anew");
        bench.state.isFast = true;
        bench.Ack(1000, 0, true);
        NS_TEST_EXPECT_MSG_EQ(bench.state.isFast, false, "or a mark");
    }

    /** Marked above the target. */
    void CheckCut()
    {
        const double table[][2] = {{2, 0.6}, {10, 0.5}, {1.25, 0.84}};
        for (const auto& [targets, factor] : table)
        {
            Bench bench;
            bench.Set("AverageGain", 1.0);
            bench.state.windowBytes = 400000;
            bench.Ack(1000, 9 * targets, true);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 400000 * factor, 1e-3, targets);
            bench.Ack(1012, 9 * targets, true);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 400000 * factor, 1e-3, "once");
            bench.Ack(1012.001, 9 * targets, true);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes,
                                      400000 * factor * factor,
                                      1e-3,
                                      "per base round trip");
        }
        Bench average;
        average.state.windowBytes = 400000;
        average.state.averageTicks = 5e6;
        average.Ack(1000, 20, true);
        NS_TEST_EXPECT_MSG_EQ(average.state.windowBytes, 400000, "by the average, not by a frame");
    }

    /** The average delay. */
    void CheckAverage()
    {
        Bench bench;
        bench.Ack(1000, 8, false);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.averageTicks, 0.0125 * 8e6, 1, "below");
        bench.state.averageTicks = 0;
        bench.Ack(1000, 20, true);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.averageTicks, 0.0125 * 20e6, 1, "marked");
        bench.state.averageTicks = 0;
        bench.Ack(1000, 20, false);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.averageTicks, 0.0125 * 3e6, 1, "late without a mark");
        bench.state.averageTicks = 0;
        bench.Ack(1000, -1, false);
        NS_TEST_EXPECT_MSG_EQ(bench.state.averageTicks, 0, "shorter than the base");
    }

    /** When growth takes effect. */
    void CheckFulfil()
    {
        Bench bench;
        bench.state.windowBytes = 400000;
        bench.state.fulfilTicks = 1000 * Bench::US;
        bench.Ack(1000, 9, false);
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, 400000, "not yet");
        bench.Ack(1012, 9, false);
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, 400000, "a round trip");
        bench.Ack(1012.001, 9, false);
        const double grown = 400000 + 81920.0 * 3 * 4096 / 400000;
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, grown, 1e-6, "is over");
        bench.Set("SteadyIncrease", 0.15);
        bench.state.windowBytes = 400000;
        bench.state.steadyTicks = 2000 * Bench::US;
        bench.Ack(2012, 5, true);
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, 400000, "not yet");
        bench.Ack(2012.001, 5, true);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 402457.6, 1e-6, "eta in any case");
        bench.state.windowBytes = 899999;
        bench.Ack(3000, 5, true);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 900000, "never above the largest");
    }
};

/** When little gets through. */
class NsccLossTestCase : public TestCase
{
  public:
    NsccLossTestCase()
        : TestCase("NSCC adapts quickly to what gets through, and loses a frame with a frame")
    {
    }

  private:
    void DoRun() override
    {
        CheckAdapt();
        CheckNoAdapt();
        Bench bench;
        bench.Loss(0);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 900000 - 4096, "a frame less");
        bench.Timeout(1);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 4096, "one frame");
    }

    /** Ten frames in 21 us, by loss or by delay. */
    void CheckAdapt()
    {
        for (const bool isLoss : {false, true})
        {
            Bench bench;
            bench.Set("AdaptShare", 0.125);
            bench.Ack(1000, 10, true); // the period begins, and ends at 1021 us
            if (isLoss)
            {
                bench.Loss(1001 * Bench::US);
            }
            for (uint32_t i = 0; i < 9; ++i)
            {
                bench.Ack(1002, 10, true);
            }
            NS_TEST_EXPECT_MSG_GT(bench.decision.windowBytes, 800000, "not yet");
            bench.Ack(1021, isLoss ? 10 : 37, true);
            NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 40960, "what was achieved");
            NS_TEST_EXPECT_MSG_EQ(bench.state.ignoreBytes, 40960, "what is in flight");
            const double average = bench.state.averageTicks;
            for (uint32_t i = 0; i < 10; ++i)
            {
                bench.Ack(1022, 37, true);
            }
            NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 40960, "says nothing");
            NS_TEST_EXPECT_MSG_EQ(bench.state.averageTicks, average, "of now");
            bench.Ack(1023, 37, true);
            NS_TEST_EXPECT_MSG_GT(bench.state.averageTicks, average, "what comes then does");
        }
    }

    /** Enough gets through, or there is neither loss nor much delay. */
    void CheckNoAdapt()
    {
        for (const bool isMuch : {false, true})
        {
            Bench bench;
            bench.Set("AdaptShare", 0.125);
            bench.Ack(1000, 10, true);
            bench.Ack(1002, 10, true, isMuch ? 112500 : 1000);
            bench.Ack(1021, isMuch ? 37 : 36, true);
            NS_TEST_EXPECT_MSG_GT(bench.decision.windowBytes, 800000, "no reason");
            bench.Ack(1041.9, 37, true);
            NS_TEST_EXPECT_MSG_GT(bench.decision.windowBytes, 800000, "a new period");
            bench.Ack(1042, 37, true);
            NS_TEST_EXPECT_MSG_LT(bench.decision.windowBytes, 100000, "and its end");
        }
    }
};

/** The suite. */
class NsccTestSuite : public TestSuite
{
  public:
    NsccTestSuite()
        : TestSuite("llm-fabric-nscc", TestSuite::Type::UNIT)
    {
        AddTestCase(new NsccParametersTestCase);
        AddTestCase(new NsccAnswersTestCase);
        AddTestCase(new NsccLossTestCase);
    }
};

NsccTestSuite g_nsccTestSuite; //!< registers the suite

} // namespace
