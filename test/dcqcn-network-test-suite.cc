// SPDX-License-Identifier: GPL-2.0-only

// Flows under DCQCN that share a port, against an independent per-packet model of one queue.

#include "incast-bench.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What the independent model says, with the flows it says it of. */
struct Expected
{
    uint32_t flows; //!< so many
    double queue;   //!< mean, kB
    double peak;    //!< longest after the start, kB
    double start;   //!< longest at the start, kB
};

/** The paper's form with the paper's parameters. */
class PaperTestCase : public TestCase
{
  public:
    PaperTestCase()
        : TestCase("2 and 8 flows under DCQCN keep a 40G port busy, share it and hold the queue "
                   "where an independent model does")
    {
    }

  private:
    void DoRun() override
    {
        Check({2, 29, 110, 225});
        Check({8, 132, 205, 1400});
    }

    /** @param expected by the model */
    void Check(const Expected& expected)
    {
        IncastBench::Scene scene;
        scene.rate = 40;
        scene.ecn = {5, 200, 0.01};
        IncastBench bench("ns3::llm::Dcqcn", expected.flows, scene);
        bench.Run(MilliSeconds(20), MilliSeconds(70));
        NS_TEST_EXPECT_MSG_GT(bench.net.transport->GetCounters().cnpsReceived, 100, "CNPs");
        NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.99, "use of the port");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.99, "fairness");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, expected.queue, 0.25 * expected.queue, "queue");
        NS_TEST_EXPECT_MSG_LT(bench.peakQueue, 1.25 * expected.peak, "longest queue, kB");
        NS_TEST_EXPECT_MSG_LT(bench.longestQueue, expected.start, "burst at the start, kB");
        NS_TEST_EXPECT_MSG_EQ(bench.net.Sum(&PortCounters::drops), 0, "drops");
    }
};

/** @return a CNP for every marked frame, and the marking of HPCC's simulations at 100G */
IncastBench::Scene
DeviceScene()
{
    Config::SetDefault("ns3::llm::RdmaTransport::CnpInterval", TimeValue(Time(0)));
    IncastBench::Scene scene;
    scene.ecn = {400, 1600, 0.2};
    return scene;
}

/** The device's form. */
class DeviceTestCase : public TestCase
{
  public:
    /** @param expected by the model */
    explicit DeviceTestCase(const Expected& expected)
        : TestCase(std::to_string(expected.flows) +
                   " flows under a device's DCQCN at 100G do as in an independent model, whatever "
                   "the seed of the marks"),
          m_expected(expected)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t run = 1; run <= 3; ++run)
        {
            RngSeedManager::SetRun(run);
            CheckRun();
        }
        RngSeedManager::SetRun(1);
    }

    /** Once. */
    void CheckRun()
    {
        IncastBench bench("ns3::llm::DcqcnDevice", m_expected.flows, DeviceScene());
        bench.Run(MilliSeconds(6), MilliSeconds(18));
        const double queue = m_expected.queue;
        const double peak = m_expected.peak;
        NS_TEST_EXPECT_MSG_GT(bench.net.transport->GetCounters().cnpsReceived, 100, "CNPs");
        NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.98, "use of the port");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.985, "fairness");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, queue, 0.3 * queue, "queue, kB");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.peakQueue, peak, 0.3 * peak, "longest queue, kB");
        // when the first marks come is chance
        const double start = m_expected.start;
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.longestQueue, start, 0.4 * start, "burst at the start, kB");
    }

    Expected m_expected; //!< by the model
};

/** A second flow joins. */
class JoinTestCase : public TestCase
{
  public:
    JoinTestCase()
        : TestCase("A flow that joins under a device's DCQCN has its share in 1.5 ms, for good")
    {
    }

  private:
    void DoRun() override
    {
        IncastBench bench("ns3::llm::DcqcnDevice", 2, DeviceScene());
        std::vector<double> before{0, 0};
        double unfairUntil = 0; // ms after the join, by shares of 0.75 ms
        for (uint32_t i = 0; i < 7; ++i)
        {
            Simulator::Schedule(
                MicroSeconds(1000 + 750 * i),
                [&bench, &before, &unfairUntil, i]()
                {
                    const std::vector<double> now{bench.Acknowledged(0), bench.Acknowledged(1)};
                    const double jain =
                        SmallNetwork::Jain({now[0] - before[0], now[1] - before[1]});
                    unfairUntil = jain > 0.98 ? unfairUntil : 0.75 * i;
                    before = now;
                });
        }
        bench.Run(MilliSeconds(3), MilliSeconds(6), MilliSeconds(1));
        std::cout << "    fair from " << unfairUntil << " ms after the join on\n";
        NS_TEST_EXPECT_MSG_LT_OR_EQ(unfairUntil, 1.5, "in twice the model's 0.75 ms");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.98, "they go on sharing");
        NS_TEST_EXPECT_MSG_GT(bench.marks, 100, "by marks");
    }
};

/** The suite. */
class DcqcnNetworkTestSuite : public TestSuite
{
  public:
    DcqcnNetworkTestSuite()
        : TestSuite("llm-fabric-dcqcn-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new PaperTestCase);
        AddTestCase(new DeviceTestCase({2, 192, 515, 560}));
        AddTestCase(new DeviceTestCase({8, 258, 700, 2100}));
        AddTestCase(new DeviceTestCase({16, 332, 884, 6700}));
        AddTestCase(new JoinTestCase);
    }
};

DcqcnNetworkTestSuite g_dcqcnNetworkTestSuite; //!< registers the suite

} // namespace
