// SPDX-License-Identifier: GPL-2.0-only

// Flows under TIMELY that share a port.

#include "incast-bench.h"

#include "ns3/test.h"
#include "ns3/timely.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** TIMELY whose flows begin with unequal rates: 0.7 and 0.3 of the line, in turn. */
class UnequalTimely : public Timely
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TestUnequalTimely")
                                .SetParent<Timely>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<UnequalTimely>();
        return tid;
    }

  protected:
    /** @copydoc ns3::llm::RdmaCongestionControlOf::DoStart */
    void DoStart(TimelyState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override
    {
        Timely::DoStart(state, info, decision);
        decision.rateBps = info.lineRateBps * (s_started++ % 2 == 0 ? 0.7 : 0.3);
    }

  private:
    static uint32_t s_started; //!< queue pairs so far
};

uint32_t UnequalTimely::s_started = 0;

NS_OBJECT_ENSURE_REGISTERED(UnequalTimely);

constexpr double LINE = 12.5e3;      //!< bytes per us at 100G
constexpr double BASE_RTT = 4.17312; //!< us: 4 us of links, two serializations of 1082 B
constexpr double LOW = 10;           //!< Tlow, us
constexpr double STEP = 50e6;        //!< delta, bit/s

/** Set parameters for a round-trip time of a few us. @param isPatched which form */
void
SetShortPath(bool isPatched)
{
    const std::string prefix = "ns3::llm::Timely::";
    Config::SetDefault(prefix + "Patched", BooleanValue(isPatched));
    Config::SetDefault(prefix + "LowThreshold", TimeValue(MicroSeconds(LOW)));
    Config::SetDefault(prefix + "HighThreshold", TimeValue(MicroSeconds(100)));
    Config::SetDefault(prefix + "MinRtt", TimeValue(Time(0)));
    Config::SetDefault(prefix + "AdditiveIncrease", DataRateValue(DataRate(STEP)));
    Config::SetDefault(prefix + "ReferenceRate", DataRateValue(DataRate(0)));
    Config::SetDefault(prefix + "SubtractSerialization", BooleanValue(false));
}

/** The patch. */
class PatchedTestCase : public TestCase
{
  public:
    PatchedTestCase()
        : TestCase("Equal flows under patched TIMELY hold the queue at its fixed point")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t flows : {2, 8})
        {
            SetShortPath(true);
            Config::SetDefault("ns3::llm::Timely::InitialShare", DoubleValue(1.0 / flows));
            IncastBench bench("ns3::llm::Timely", flows, {});
            bench.Run(MilliSeconds(15), MilliSeconds(20));
            const double rtt = LOW * (1 + flows * STEP / (0.008 * 100e9));
            const double queue = LINE * (rtt - BASE_RTT) / 1e3;
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, queue, 0.01 * queue, "queue, kB");
            NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.999, "use of the port");
            NS_TEST_EXPECT_MSG_GT(bench.jain, 0.999, "fairness");
        }
    }
};

/** The original. */
class OriginalTestCase : public TestCase
{
  public:
    OriginalTestCase()
        : TestCase("Flows under original TIMELY fill and empty the queue in turn; one has the line")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t flows : {2, 8})
        {
            SetShortPath(false);
            IncastBench bench("ns3::llm::Timely", flows, {});
            bench.Run(MilliSeconds(10), MilliSeconds(20));
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, 16, 4, "queue, kB");
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.peakQueue, 84, 12, "longest queue, kB");
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.utilization, 0.96, 0.02, "use of the port");
        }
        SetShortPath(false);
        IncastBench alone("ns3::llm::Timely", 1, {});
        alone.Run(MilliSeconds(1), MilliSeconds(2));
        NS_TEST_EXPECT_MSG_GT(alone.utilization, 0.999, "use of the port by one");
        NS_TEST_EXPECT_MSG_EQ(alone.peakQueue, 0, "and no queue");
    }
};

/** Unequal beginnings. */
class UnequalTestCase : public TestCase
{
  public:
    UnequalTestCase()
        : TestCase("From 0.7 and 0.3 of the line patched TIMELY comes to share, slowly")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_LT(JainOf(2, 4), 0.95, "at first");
        NS_TEST_EXPECT_MSG_GT(JainOf(35, 40), 0.99, "in the end");
    }

    /** @param from ms @param to ms @return fairness between */
    double JainOf(uint32_t from, uint32_t to)
    {
        SetShortPath(true);
        IncastBench bench("ns3::llm::TestUnequalTimely", 2, {});
        bench.Run(MilliSeconds(from), MilliSeconds(to));
        return bench.jain;
    }
};

/** Any split of the line is a fixed point of the original. */
class UnfairTestCase : public TestCase
{
  public:
    UnfairTestCase()
        : TestCase("Original TIMELY is known to be unfair: with an update per frame 8 flows that "
                   "begin alike do not stay so")
    {
    }

  private:
    void DoRun() override
    {
        SetShortPath(false);
        Config::SetDefault("ns3::llm::Timely::SegmentSize", UintegerValue(1));
        IncastBench bench("ns3::llm::Timely", 8, {});
        bench.Run(MilliSeconds(10), MilliSeconds(20));
        NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.98, "use of the port");
        NS_TEST_EXPECT_MSG_LT(bench.jain, 0.9, "fairness");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.4, "though none starves the others");
    }
};

/** The suite. */
class TimelyNetworkTestSuite : public TestSuite
{
  public:
    TimelyNetworkTestSuite()
        : TestSuite("llm-fabric-timely-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new PatchedTestCase);
        AddTestCase(new OriginalTestCase);
        AddTestCase(new UnequalTestCase);
        AddTestCase(new UnfairTestCase);
    }
};

TimelyNetworkTestSuite g_timelyNetworkTestSuite; //!< registers the suite

} // namespace
