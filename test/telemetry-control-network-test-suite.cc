// SPDX-License-Identifier: GPL-2.0-only

// Flows under controls that read telemetry and share a port, against an independent per-packet model
// of one queue and against closed forms.

#include "incast-bench.h"

#include "ns3/hpcc.h"
#include "ns3/test.h"

#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr double PATH = 52164;  //!< bytes: 100G times 4 us and two serializations of 1082 B
constexpr double FRAME = 1.082; //!< kB

/** HPCC whose second flow begins with a tenth of its window. */
class UnequalHpcc : public Hpcc
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TestUnequalHpcc")
                                .SetParent<Hpcc>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<UnequalHpcc>();
        return tid;
    }

    static uint32_t s_started; //!< queue pairs so far

  protected:
    /** @copydoc ns3::llm::RdmaCongestionControlOf::DoStart */
    void DoStart(HpccState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override
    {
        Hpcc::DoStart(state, info, decision);
        if (s_started++ == 1)
        {
            state.windowBytes /= 10;
            SetDecision(state, info, decision);
            state.referenceBytes = state.windowBytes;
        }
    }
};

uint32_t UnequalHpcc::s_started = 0;

NS_OBJECT_ENSURE_REGISTERED(UnequalHpcc);

/** Set HPCC without bytes of telemetry, so that frames are as in the model. @param increase W_AI, B */
void
SetHpcc(double increase)
{
    Config::SetDefault("ns3::llm::Hpcc::AdditiveIncrease", DoubleValue(increase));
    Config::SetDefault("ns3::llm::Hpcc::TelemetrySize", UintegerValue(0));
}

/** A small step: no queue. */
class HpccEmptyTestCase : public TestCase
{
  public:
    HpccEmptyTestCase()
        : TestCase("HPCC with a step of 80 B uses what eta and the steps make, without a queue")
    {
    }

  private:
    void DoRun() override
    {
        Check(1, 0);
        Check(2, 55);
        Check(8, 398);
        Check(16, 848);
    }

    /** @param flows so many @param start longest queue, kB */
    void Check(uint32_t flows, double start)
    {
        SetHpcc(80);
        IncastBench bench("ns3::llm::Hpcc", flows, {});
        bench.Run(MilliSeconds(2), MilliSeconds(5));
        const double use = 0.95 + flows * 80 / PATH;
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.utilization, use, 0.015, "use of the port");
        NS_TEST_EXPECT_MSG_LT(bench.meanQueue, 2 * FRAME, "queue, kB");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(bench.peakQueue, 6 * FRAME, "longest queue, kB");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.longestQueue, start, 0.15 * start + 2 * FRAME, "start, kB");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.99, "fairness");
    }
};

/** A large step: a queue. */
class HpccQueueTestCase : public TestCase
{
  public:
    HpccQueueTestCase()
        : TestCase("HPCC with a step of 1000 B holds what of the steps is more than eta leaves")
    {
    }

  private:
    void DoRun() override
    {
        Check(1, 0.969);
        Check(2, 0.988);
        Check(8, 0.995);
        Check(16, 1.0);
    }

    /** @param flows so many @param use by the model */
    void Check(uint32_t flows, double use)
    {
        SetHpcc(1000);
        IncastBench bench("ns3::llm::Hpcc", flows, {});
        bench.Run(MilliSeconds(2), MilliSeconds(5));
        const double queue = std::max(flows * 1000 - 0.05 * PATH, 0.0) / 1e3;
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.utilization, use, 0.015, "use of the port");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue, queue, 0.2 * queue + FRAME, "queue, kB");
        NS_TEST_EXPECT_MSG_GT(bench.jain, 0.99, "fairness");
    }
};

/** One of two flows begins small. */
class HpccFairnessTestCase : public TestCase
{
  public:
    HpccFairnessTestCase()
        : TestCase("The gap between two flows under HPCC decays as its step makes it")
    {
    }

  private:
    void DoRun() override
    {
        Check(80, 1360);
        Check(250, 435);
        Check(1000, 109);
    }

    /** @param increase W_AI, B @param constant of time, us */
    void Check(double increase, double constant)
    {
        SetHpcc(increase);
        UnequalHpcc::s_started = 0;
        IncastBench bench("ns3::llm::TestUnequalHpcc", 2, {});
        double first = 0;
        double time = 0; // to a gap smaller by e
        for (uint32_t i = 0; i < 400; ++i)
        {
            const double us = constant * (0.25 + 0.01 * i);
            Simulator::Schedule(NanoSeconds(static_cast<int64_t>(us * 1e3)),
                                [&bench, &first, &time, i, constant]()
                                {
                                    const double gap =
                                        std::abs(bench.QueuePair(0).decision.rateBps -
                                                 bench.QueuePair(1).decision.rateBps);
                                    first = i == 0 ? gap : first;
                                    if (time == 0 && gap < first / std::exp(1))
                                    {
                                        time = constant * 0.01 * i;
                                    }
                                });
        }
        bench.Run(MicroSeconds(static_cast<uint64_t>(6 * constant)),
                  MicroSeconds(static_cast<uint64_t>(8 * constant)));
        std::cout << "    the gap decays in " << time << " us\n";
        NS_TEST_EXPECT_MSG_EQ_TOL(time, constant, 0.3 * constant, "time constant, us");
    }
};

/** Power. */
class PowerTcpTestCase : public TestCase
{
  public:
    PowerTcpTestCase()
        : TestCase("PowerTCP holds the sum of its additive increases in the queue")
    {
    }

  private:
    void DoRun() override
    {
        for (const double increase : {500.0, 5216.0})
        {
            for (const uint32_t flows : {2, 8, 16})
            {
                Config::SetDefault("ns3::llm::PowerTcp::AdditiveIncrease", DoubleValue(increase));
                Config::SetDefault("ns3::llm::PowerTcp::TelemetrySize", UintegerValue(0));
                IncastBench bench("ns3::llm::PowerTcp", flows, {});
                bench.Run(MilliSeconds(2), MilliSeconds(5));
                const double queue = flows * increase / 1e3;
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.meanQueue,
                                          queue,
                                          0.05 * queue + FRAME,
                                          "queue, kB");
                NS_TEST_EXPECT_MSG_GT(bench.utilization, 0.993, "use of the port");
                NS_TEST_EXPECT_MSG_GT(bench.jain, 0.999, "fairness");
            }
        }
    }
};

/** Paths longer than a control keeps samples of. */
class LongPathTestCase : public TestCase
{
  public:
    LongPathTestCase()
        : TestCase(
              "On a way over more switches than six, such as one around a link that is down, the "
              "last six count")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string control : {"Hpcc", "PowerTcp"})
        {
            for (const uint32_t switches : {6, 7, 8})
            {
                Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                                   StringValue("ns3::llm::" + control));
                SmallNetwork net;
                net.AddHosts(3);
                std::vector<uint32_t> row;
                for (uint32_t i = 0; i < switches; ++i)
                {
                    row.push_back(net.AddSwitch(0, i));
                    if (i > 0)
                    {
                        net.network->Connect(row[i - 1],
                                             row[i],
                                             DataRate("100Gbps"),
                                             MicroSeconds(1));
                    }
                }
                net.network->Connect(net.hosts[0], row[0], DataRate("100Gbps"), MicroSeconds(1));
                net.network->Connect(net.hosts[1], row[0], DataRate("100Gbps"), MicroSeconds(1));
                // up to seven switches there are samples of this port, the slow one
                net.network->Connect(net.hosts[2], row.back(), DataRate("25Gbps"), MicroSeconds(1));
                net.Finish();
                net.Send(0, 2, 1000000);
                net.Send(1, 2, 1000000);
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 2, control << ", " << switches);
                const double rate = net.transport->GetNic(0).GetQueuePair(0).decision.rateBps;
                if (switches < 8)
                {
                    NS_TEST_EXPECT_MSG_LT(rate, 50e9, control << " at " << switches << " switches");
                }
            }
        }
    }
};

/** The suite. */
class TelemetryControlNetworkTestSuite : public TestSuite
{
  public:
    TelemetryControlNetworkTestSuite()
        : TestSuite("llm-fabric-telemetry-control-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new HpccEmptyTestCase);
        AddTestCase(new HpccQueueTestCase);
        AddTestCase(new HpccFairnessTestCase);
        AddTestCase(new PowerTcpTestCase);
        AddTestCase(new LongPathTestCase);
    }
};

TelemetryControlNetworkTestSuite g_telemetryControlNetworkTestSuite; //!< registers the suite

} // namespace
