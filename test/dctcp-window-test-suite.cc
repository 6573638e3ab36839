// SPDX-License-Identifier: GPL-2.0-only

// The DCTCP window by its hooks alone, without a network.

#include "control-bench.h"

#include "ns3/dctcp-window.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A queue pair that always fills its window. */
class Bench : public ControlBench<DctcpWindow, DctcpWindowState>
{
  public:
    /** @param frames acknowledged one by one @param marked the first so many of them */
    void Acknowledge(uint32_t frames, uint32_t marked)
    {
        for (uint32_t i = 0; i < frames; ++i)
        {
            AckSignal ack;
            ack.ackedBytes = 1000;
            ack.inFlightBytes = decision.windowBytes;
            ack.ackedPsn = ++psn;
            ack.nextPsn = psn + frames - 1;
            ack.ecnEcho = i < marked;
            Ack(0, ack);
        }
    }

    /** @param frames window from here on */
    void SetWindow(double frames)
    {
        state.windowBytes = frames * 1000;
    }

    /** @return window, frames */
    double Window() const
    {
        return state.windowBytes / 1000;
    }

    uint64_t psn = 0; //!< acknowledged
};

/** Marks. */
class DctcpWindowHooksTestCase : public TestCase
{
  public:
    DctcpWindowHooksTestCase()
        : TestCase("DCTCP's alpha, cuts and growth are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckAlpha();
        CheckCuts();
        CheckGrowth();
        CheckBytes();
    }

    /** Whole round trips. */
    void CheckAlpha()
    {
        Bench clean;
        clean.state.roundEndPsn = 10; // ten frames are in flight
        for (uint32_t round = 0; round < 10; ++round)
        {
            clean.Acknowledge(10, 0);
        }
        clean.Acknowledge(1, 0); // what ends the tenth round trip
        NS_TEST_EXPECT_MSG_EQ_TOL(clean.state.alpha, 0.5245, 5e-5, "ten clean round trips");
        Bench half;
        half.state.roundEndPsn = 9;
        half.Acknowledge(10, 5);
        NS_TEST_EXPECT_MSG_EQ_TOL(half.state.alpha, 0.96875, 1e-12, "half of ten marked");
    }

    /** Marks in one round trip and in two. */
    void CheckCuts()
    {
        for (const double alpha : {1.0, 0.5})
        {
            Bench bench;
            bench.state.roundEndPsn = 50;
            bench.state.alpha = alpha;
            bench.SetWindow(100);
            bench.Acknowledge(2, 2);
            const double cut = 100 * (1 - alpha / 2);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.Window(), cut, 1e-9, "one cut for two marks");
            bench.Acknowledge(1, 0);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.Window(), cut + 1 / cut, 1e-9, "then growth");
            NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes,
                                  static_cast<uint64_t>(bench.state.windowBytes),
                                  "handed out");
        }
        Bench again;
        again.state.roundEndPsn = 1;
        again.SetWindow(100);
        again.Acknowledge(1, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(again.Window(), 50, 1e-9, "half");
        again.Acknowledge(1, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(again.Window(), 25, 1e-9, "in the next round trip again");
        Bench least;
        least.SetWindow(1.2);
        least.Acknowledge(1, 1);
        NS_TEST_EXPECT_MSG_EQ(least.decision.windowBytes, 1000, "never below a frame");
    }

    /** Without marks. */
    void CheckGrowth()
    {
        Bench bench;
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 125000, "at first the path's bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 100, 1e-9, "unpaced");
        bench.SetWindow(50);
        bench.Acknowledge(50, 0);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Window(), 51, 0.02, "a frame per window");
        AckSignal idle;
        idle.ackedBytes = 1000;
        idle.ackedPsn = bench.psn + 1;
        idle.nextPsn = bench.psn + 10;
        idle.inFlightBytes = 9000;
        const double before = bench.Window();
        bench.Ack(0, idle);
        NS_TEST_EXPECT_MSG_EQ(bench.Window(), before, "not while the sender has less to send");
        bench.Set("InitialWindow", 0.5);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 62500, "half of it, if so asked");
    }

    /** An acknowledgment of several frames. */
    void CheckBytes()
    {
        for (const bool isKnown : {false, true})
        {
            Bench bench;
            bench.state.roundEndPsn = 100;
            AckSignal ack;
            ack.ackedBytes = 4000;
            ack.ackedPsn = 4;
            ack.nextPsn = 100;
            ack.ecnEcho = true;
            if (isKnown)
            {
                ack.markedBytes = 1000;
            }
            bench.Ack(0, ack);
            NS_TEST_EXPECT_MSG_EQ(bench.state.markedBytes, (isKnown ? 1000 : 4000), "marked");
        }
    }
};

/** Losses. */
class DctcpWindowLossTestCase : public TestCase
{
  public:
    DctcpWindowLossTestCase()
        : TestCase("A loss halves DCTCP's window once per round trip, a timeout leaves a frame")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench;
        bench.state.roundEndPsn = 20;
        bench.state.alpha = 0;
        bench.SetWindow(100);
        bench.Loss(0);
        bench.Loss(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Window(), 50, 1e-9, "once, whatever alpha");
        bench.Timeout(2);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 1000, "one frame");
        bench.Acknowledge(21, 0);
        const double grown = bench.Window();
        NS_TEST_EXPECT_MSG_GT(grown, 2, "it grows again");
        bench.Loss(3);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Window(), grown / 2, 1e-9, "and halves again");
    }
};

/** The suite. */
class DctcpWindowTestSuite : public TestSuite
{
  public:
    DctcpWindowTestSuite()
        : TestSuite("llm-fabric-dctcp-window", TestSuite::Type::UNIT)
    {
        AddTestCase(new DctcpWindowHooksTestCase);
        AddTestCase(new DctcpWindowLossTestCase);
    }
};

DctcpWindowTestSuite g_dctcpWindowTestSuite; //!< registers the suite

} // namespace
