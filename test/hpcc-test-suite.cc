// SPDX-License-Identifier: GPL-2.0-only

// HPCC by its hooks alone, without a network.

#include "telemetry-bench.h"

#include "ns3/hpcc.h"
#include "ns3/test.h"

#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Bench = ControlBench<Hpcc, HpccState>; //!< 100G, 10 us: the path holds 125,000 B

/** What a hop says, and what is kept of it. */
class HopSamplesTestCase : public TestCase
{
  public:
    HopSamplesTestCase()
        : TestCase("Telemetry is compared only with that of the same ports, in order, and fresh")
    {
    }

  private:
    void DoRun() override
    {
        HopSamples samples;
        TelemetryPath path(2);
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), false, "the first is only stored");
        path.Pass(2, 3000, 40, 0);
        path.Pass(3, 5000, 60, 1);
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), true, "the second is compared");
        NS_TEST_EXPECT_MSG_EQ(m_changes[0].ticks, 2e6, "time of the first hop");
        NS_TEST_EXPECT_MSG_EQ(m_changes[1].ticks, 3e6, "each hop has its own");
        NS_TEST_EXPECT_MSG_EQ(m_changes[1].sentBytes, 5000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(m_changes[1].queueBytesBefore, 0, "queue before");
        NS_TEST_EXPECT_MSG_EQ(m_changes[1].queueBytes, 60, "queue now");
        NS_TEST_EXPECT_MSG_EQ(m_changes[1].rateBps, 100e9, "line rate");
        const TelemetryPath old = path;
        path.Pass(5, 100, 10, 0);
        path.Pass(5, 100, 10, 1);
        Take(samples, path);
        NS_TEST_EXPECT_MSG_EQ(Take(samples, old), false, "what was overtaken is left aside");
        path.Pass(1, 100, 10, 0);
        path.Pass(1, 100, 10, 1);
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), true, "and is not stored");
        NS_TEST_EXPECT_MSG_EQ(m_changes[0].ticks, 1e6, "else this would be 6 us");
        path.Pass(50, 100, 10, 0);
        path.Pass(50.001, 100, 10, 1);
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), false, "one hop is too old");
        path.Pass(50, 100, 10, 0);
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), true, "but stored; no time is no age");
        NS_TEST_EXPECT_MSG_EQ(m_changes[1].ticks, 0, "no time has passed there");
        path.samples[1].port = 99;
        path.Pass(1, 100, 10, 0);
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), false, "another port");
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), true, "is the same the next time");
        path.samples.pop_back();
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), false, "a shorter path");
        NS_TEST_EXPECT_MSG_EQ(Take(samples, path), true, "is the same the next time");
    }

    /** @param samples kept @param path now @return whether they can be compared */
    bool Take(HopSamples& samples, const TelemetryPath& path)
    {
        return samples.Take(path.Ack(1, 1), 50 * Bench::US, m_changes);
    }

    HopSamples::Changes m_changes; //!< by Take()
};

/** Windows by hand. */
class HpccHooksTestCase : public TestCase
{
  public:
    HpccHooksTestCase()
        : TestCase("HPCC's utilization and window are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckFullInterval();
        CheckShortInterval();
        CheckShorterQueue();
        CheckStages();
        CheckHops();
    }

    /** Samples a whole round trip apart. */
    void CheckFullInterval()
    {
        Bench bench;
        NS_TEST_EXPECT_MSG_EQ(bench.hooks->NeedsTelemetry(), true, "it asks for telemetry");
        NS_TEST_EXPECT_MSG_EQ(bench.hooks->GetTelemetryBytes(), 42, "five hops of 8 B, and 2 B");
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, 125000, "the path's bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 100, 1e-9, "the line's rate");
        TelemetryPath path;
        path.samples[0].queueBytes = 25000;
        bench.Ack(0, path.Ack(1, 100));
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes,
                              125000,
                              "the first only tells where to begin");
        path.Pass(10, 125000, 25000);
        bench.Ack(0, path.Ack(101, 200));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.utilization, 1.2, 1e-12, "U");
        const double window = 125000 * 0.95 / 1.2 + 80;
        NS_TEST_EXPECT_MSG_EQ_TOL(window, 0.79167 * 125000 + 80, 0.5, "as tabled");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, window, 1e-6, "W");
        NS_TEST_EXPECT_MSG_EQ(bench.decision.windowBytes, static_cast<uint64_t>(window), "cap");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), window * 8 / 10e3, 1e-9, "W over T");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.referenceBytes, window, 1e-6, "a new round trip");
    }

    /** Samples a tenth of a round trip apart, in one round trip. */
    void CheckShortInterval()
    {
        Bench bench;
        bench.Set("InitialUtilization", 0.95);
        TelemetryPath path;
        path.samples[0].queueBytes = 25000;
        bench.Ack(0, path.Ack(1, 100));
        path.Pass(1, 12500, 25000);
        bench.Ack(0, path.Ack(2, 100));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.utilization, 0.975, 1e-12, "U");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 0.97436 * 125000 + 80, 0.5, "W");
        NS_TEST_EXPECT_MSG_EQ(bench.state.referenceBytes, 125000, "Wc");
        path.Pass(1, 12500, 25000);
        bench.Ack(0, path.Ack(3, 100));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.utilization, 0.9975, 1e-12, "U");
        // of Wc, and W_AI once: of W it would be 0.92796
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes, 0.95238 * 125000 + 80, 0.5, "W");
        NS_TEST_EXPECT_MSG_EQ(bench.state.referenceBytes, 125000, "still the same round trip");
        path.Pass(1, 12500, 25000);
        bench.Ack(0, path.Ack(100, 200));
        NS_TEST_EXPECT_MSG_EQ(bench.state.referenceBytes, 125000, "its last frame");
        path.Pass(1, 12500, 25000);
        bench.Ack(0, path.Ack(101, 200));
        NS_TEST_EXPECT_MSG_EQ(bench.state.referenceBytes, bench.state.windowBytes, "the next one");
        NS_TEST_EXPECT_MSG_EQ(bench.state.roundEndPsn, 200, "which ends there");
    }

    /** A queue that was not there before. */
    void CheckShorterQueue()
    {
        for (const bool isRising : {false, true})
        {
            Bench bench;
            TelemetryPath path;
            path.samples[0].queueBytes = isRising ? 0 : 25000;
            bench.Ack(0, path.Ack(1, 100));
            path.Pass(10, 100000, isRising ? 25000 : 0);
            bench.Ack(0, path.Ack(2, 100));
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.utilization, 0.8, 1e-12, "the rate alone");
        }
    }

    /** Round trips below the target. */
    void CheckStages()
    {
        for (const uint32_t stages : {5, 0, 2})
        {
            Bench bench;
            bench.Set("MaxStage", UintegerValue(stages));
            bench.state.windowBytes = 20000;
            bench.state.referenceBytes = 20000;
            TelemetryPath path;
            uint64_t psn = 1;
            bench.Ack(0, path.Ack(psn, psn + 10));
            double window = 20000;
            for (uint32_t round = 1; round <= 2 * stages + 2; ++round)
            {
                path.Pass(10, 62500, 0);
                psn += 11;
                bench.Ack(0, path.Ack(psn, psn + 10));
                const bool isMultiplicative = round % (stages + 1) == 0;
                window = isMultiplicative ? window * 0.95 / 0.5 + 80 : window + 80;
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.windowBytes,
                                          window,
                                          1e-6,
                                          "stages " << stages << ", round " << round);
                path.Pass(10, 62500, 0);
                bench.Ack(0, path.Ack(psn, psn + 10));
            }
        }
    }

    /** The busiest of several hops, over its own time; a hop without time does not count. */
    void CheckHops()
    {
        Bench bench;
        TelemetryPath path(3);
        bench.Ack(0, path.Ack(1, 100));
        path.Pass(5, 12500, 0, 0);
        path.Pass(2, 20000, 0, 1); // 0.8 for a fifth of a round trip
        bench.Ack(0, path.Ack(2, 100));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.utilization, 0.8 * 1 + 0.2 * 0.8, 1e-12, "U");
        const double before = bench.state.windowBytes;
        bench.Ack(0, path.Ack(3, 100));
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.utilization, 0.96, 1e-12, "no time, no news");
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, before, "nor another window");
        NS_TEST_EXPECT_MSG_EQ(std::isfinite(bench.decision.rateBps), true, "nor a division by 0");
        AckSignal bare;
        bare.ackedPsn = 4;
        bare.nextPsn = 100;
        bench.Ack(0, bare);
        NS_TEST_EXPECT_MSG_EQ(bench.state.windowBytes, before, "nor without telemetry");
    }
};

/** Limits and closed forms. */
class HpccLimitsTestCase : public TestCase
{
  public:
    HpccLimitsTestCase()
        : TestCase("HPCC's window stays between a frame and the path, and settles where it should")
    {
    }

  private:
    void DoRun() override
    {
        Bench low;
        NS_TEST_EXPECT_MSG_EQ(Overload(low), 1000, "one frame");
        low.Set("MinWindow", 250.0);
        NS_TEST_EXPECT_MSG_EQ(Overload(low), 250, "or less, if so asked");
        NS_TEST_EXPECT_MSG_EQ_TOL(low.Rate(), 0.2, 1e-9, "paced");
        Bench high;
        TelemetryPath path;
        high.Ack(0, path.Ack(1, 10));
        path.Pass(10, 1000, 0);
        high.Ack(0, path.Ack(20, 30));
        NS_TEST_EXPECT_MSG_EQ(high.decision.windowBytes, 125000, "never above the path");
        high.Set("BaseRtt", TimeValue(MicroSeconds(40)));
        NS_TEST_EXPECT_MSG_EQ(high.decision.windowBytes, 500000, "of the time given");
        NS_TEST_EXPECT_MSG_EQ_TOL(high.Rate(), 100, 1e-9, "at line rate");
        CheckEquilibrium();
    }

    /** @param bench made to see a long queue for long @return its window */
    uint64_t Overload(Bench& bench)
    {
        TelemetryPath path;
        for (uint64_t round = 0; round < 50; ++round)
        {
            bench.Ack(0, path.Ack(1 + 20 * round, 10 + 20 * round));
            path.Pass(10, 125000, 500000);
        }
        return bench.decision.windowBytes;
    }

    /** Flows with equal windows whose bytes are in flight at one port. */
    void CheckEquilibrium()
    {
        for (const uint32_t flows : {1, 4, 16})
        {
            for (const double increase : {80.0, 300.0})
            {
                Bench bench;
                bench.Set("AdditiveIncrease", increase);
                TelemetryPath path;
                for (uint64_t round = 0; round < 3000; ++round)
                {
                    const double inFlight = flows * bench.state.windowBytes;
                    const auto queue = static_cast<uint32_t>(std::max(inFlight - 125000, 0.0));
                    path.Pass(10, static_cast<uint64_t>(std::min(inFlight, 125000.0)), queue);
                    bench.Ack(0, path.Ack(1 + 20 * round, 10 + 20 * round));
                }
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.utilization,
                                          0.95 + flows * increase / 125000,
                                          1e-3,
                                          flows << " flows, " << increase << " B");
            }
        }
    }
};

/** The suite. */
class HpccTestSuite : public TestSuite
{
  public:
    HpccTestSuite()
        : TestSuite("llm-fabric-hpcc", TestSuite::Type::UNIT)
    {
        AddTestCase(new HopSamplesTestCase);
        AddTestCase(new HpccHooksTestCase);
        AddTestCase(new HpccLimitsTestCase);
    }
};

HpccTestSuite g_hpccTestSuite; //!< registers the suite

} // namespace
