// SPDX-License-Identifier: GPL-2.0-only

// Flows under controls with a window that share a port, against an independent per-packet model of
// one queue and against closed forms.

#include "incast-bench.h"

#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr double PATH = 52.164; //!< kB: 100G times 4 us and two serializations of 1082 B

/** A window by DCTCP's rules. */
class DctcpTestCase : public TestCase
{
  public:
    DctcpTestCase()
        : TestCase("DCTCP keeps the port busy and the queue just below its step")
    {
    }

  private:
    void DoRun() override
    {
        Check(20, 2, 17.7, 21.6);
        Check(20, 8, 17.7, 27);
        Check(65, 2, 62.5, 67);
        Check(65, 8, 62.5, 71);
        IncastBench alone("ns3::llm::DctcpWindow", 1, Scene(20));
        alone.Run(MilliSeconds(1), MilliSeconds(2));
        NS_TEST_EXPECT_MSG_GT(alone.utilization, 0.999, "use of the port by one");
        NS_TEST_EXPECT_MSG_EQ(alone.marks, 0, "which is never marked");
    }

    /** @param step kB @return marking from there on */
    IncastBench::Scene Scene(double step) const
    {
        IncastBench::Scene scene;
        scene.ecn = {step, step, 1};
        return scene;
    }

    /** @param step kB @param flows so many @param queue mean, kB @param peak longest, kB */
    void Check(double step, uint32_t flows, double queue, double peak)
    {
        IncastBench bench("ns3::llm::DctcpWindow", flows, Scene(step));
        bench.Run(MilliSeconds(1), MilliSeconds(4));
        NS_TEST_EXPECT_MSG_GT(bench.marks, 100, "marks");
        NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.999, "use of the port");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.93, "fairness");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, queue, 0.1 * queue, "queue, kB");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.peakQueue, peak, 0.1 * peak, "longest queue, kB");
    }
};

/** Delay against a target. */
class SwiftTestCase : public TestCase
{
  public:
    SwiftTestCase()
        : TestCase("Swift keeps the port busy and the queue at its target; scaling makes it fair")
    {
    }

  private:
    void DoRun() override
    {
        CheckPlain();
        CheckScaled(8, 16.3, 87);
        CheckScaled(32, 5.1, 110);
        CheckScaled(100, 1.84, 146);
    }

    /** @param range of flow scaling, us */
    void SetTarget(uint32_t range)
    {
        const std::string prefix = "ns3::llm::Swift::";
        Config::SetDefault(prefix + "BaseTarget", TimeValue(MicroSeconds(10)));
        Config::SetDefault(prefix + "HopTarget", TimeValue(Time(0)));
        Config::SetDefault(prefix + "FlowScalingRange", TimeValue(MicroSeconds(range)));
    }

    /** Without scaling. */
    void CheckPlain()
    {
        const double queue = 12.5 * 10 - PATH; // kB, what fills the target
        const double model[][2] = {{2, 73.4}, {8, 75.5}, {32, 82.1}};
        for (const auto& [flows, mean] : model)
        {
            SetTarget(0);
            IncastBench bench("ns3::llm::Swift", static_cast<uint32_t>(flows), {});
            bench.Run(MilliSeconds(4), MilliSeconds(8));
            NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.999, "use of the port");
            NS_TEST_EXPECT_MSG_GT(bench.jain, 0.97, "fairness");
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, mean, 0.03 * mean, "queue, kB");
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, queue, 0.15 * queue, "closed form, kB");
        }
        SetTarget(0);
        IncastBench alone("ns3::llm::Swift", 1, {});
        alone.Run(MilliSeconds(1), MilliSeconds(2));
        NS_TEST_EXPECT_MSG_GT(alone.utilization, 0.999, "use of the port by one");
        NS_TEST_EXPECT_MSG_EQ(alone.peakQueue, 0, "and no queue");
    }

    /** @param flows so many @param window each, frames @param queue kB */
    void CheckScaled(uint32_t flows, double window, double queue)
    {
        SetTarget(20);
        IncastBench bench("ns3::llm::Swift", flows, {});
        bench.Run(MilliSeconds(4), MilliSeconds(8));
        std::cout << "    window " << bench.meanWindow << " frames\n";
        NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.999, "use of the port");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.999, "fairness");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, queue, 0.1 * queue, "queue, kB");
        // below two frames it swings by whole ones
        const double tolerance = window > 2 ? 0.1 : 0.3;
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanWindow, window, tolerance * window, "window, frames");
    }
};

/** More flows than frames fit on the path. */
class SwiftBelowOneTestCase : public TestCase
{
  public:
    SwiftBelowOneTestCase()
        : TestCase("200 flows under Swift pace less than a frame each; without scaling that is "
                   "known to be unfair")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::llm::Swift::BaseTarget", TimeValue(MicroSeconds(10)));
        Config::SetDefault("ns3::llm::Swift::HopTarget", TimeValue(Time(0)));
        Config::SetDefault("ns3::llm::Swift::FlowScalingRange", TimeValue(Time(0)));
        IncastBench bench("ns3::llm::Swift", 200, {});
        bench.Run(MilliSeconds(8), MilliSeconds(12));
        uint32_t paced = 0;
        for (uint32_t i = 0; i < 200; ++i)
        {
            paced += bench.QueuePair(i).decision.rateBps < 100e9;
        }
        std::cout << "    window " << bench.meanWindow << " frames; " << paced << " below one\n";
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanWindow, 0.775, 0.175, "mean window, frames");
        NS_TEST_EXPECT_MSG_GT(paced, 100, "below one frame");
        NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.999, "use of the port");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, 112, 0.3 * 112, "queue, kB");
        NS_TEST_EXPECT_MSG_LT(bench.peakQueue, 249 * 1.25, "longest queue, kB");
        NS_TEST_EXPECT_MSG_LT(bench.jain, 0.95, "unfair");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.6, "within bounds");
    }
};

/** Power from delay. */
class DelayPowerTcpTestCase : public TestCase
{
  public:
    DelayPowerTcpTestCase()
        : TestCase("theta-PowerTCP holds the sum of its additive increases in the queue")
    {
    }

  private:
    void DoRun() override
    {
        for (const double increase : {500.0, 5216.0})
        {
            for (const uint32_t flows : {2, 8, 16})
            {
                Config::SetDefault("ns3::llm::PowerTcp::Delay", BooleanValue(true));
                Config::SetDefault("ns3::llm::PowerTcp::AdditiveIncrease", DoubleValue(increase));
                IncastBench bench("ns3::llm::PowerTcp", flows, {});
                bench.Run(MilliSeconds(4), MilliSeconds(8));
                const double queue = flows * increase / 1e3;
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue,
                                          queue,
                                          0.05 * queue + 1.082,
                                          "queue, kB, to 5 % and a frame");
                NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.985, "use of the port");
                NS_TEST_EXPECT_MSG_GT(bench.jain, 0.99, "fairness");
            }
        }
    }
};

/** Delay and marks. */
class NsccTestCase : public TestCase
{
  public:
    NsccTestCase()
        : TestCase("NSCC keeps the port busy, shares it and holds the queue at its target")
    {
    }

  private:
    void DoRun() override
    {
        Check(2, 446, 489, 1200);
        Check(8, 474, 518, 6700);
        Check(32, 531, 740, 28700);
    }

    /** @param flows so many @param queue mean, kB @param peak late, kB @param start longest, kB */
    void Check(uint32_t flows, double queue, double peak, double start)
    {
        Config::SetDefault("ns3::llm::Nscc::TargetShare", DoubleValue(0.75));
        IncastBench::Scene scene;
        scene.rate = 400;
        scene.delay = NanoSeconds(2958); // a base round-trip time of 12 us
        scene.mtu = 4096;
        scene.ecn = {120, 480, 1}; // 0.2 and 0.8 of the path
        IncastBench bench("ns3::llm::Nscc", flows, scene);
        bench.Run(MilliSeconds(5), MilliSeconds(10));
        NS_TEST_EXPECT_MSG_GT(bench.marks, 100, "marks");
        NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.999, "use of the port");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.99, "fairness");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, queue, 0.1 * queue, "queue, kB");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.peakQueue, peak, 0.1 * peak, "longest queue, kB");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.longestQueue, start, 0.1 * start, "at the start, kB");
    }
};

/** The suite. */
class WindowControlNetworkTestSuite : public TestSuite
{
  public:
    WindowControlNetworkTestSuite()
        : TestSuite("llm-fabric-window-control-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new DctcpTestCase);
        AddTestCase(new SwiftTestCase);
        AddTestCase(new SwiftBelowOneTestCase);
        AddTestCase(new DelayPowerTcpTestCase);
        AddTestCase(new NsccTestCase);
    }
};

WindowControlNetworkTestSuite g_windowControlNetworkTestSuite; //!< registers the suite

} // namespace
