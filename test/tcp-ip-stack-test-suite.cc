// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-ip-bench.h"

#include "ns3/flow-monitor-helper.h"
#include "ns3/flow-monitor.h"
#include "ns3/test.h"
#include "ns3/traffic-control-helper.h"

#include <algorithm>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * ns-3's TCP over the fabric: rates, losses, marks, queues; beside RDMA and alone.
 */

namespace
{

/** Goodput of TCP that fills a line, of its rate: payload of a frame over its wire bytes. */
constexpr double GOODPUT = double{FULL_SEGMENT} / FULL_WIRE;

/** Have switches mark all that leaves a longer queue. @param bytes the length */
void
SetMarking(uint32_t bytes)
{
    Config::SetDefault("ns3::llm::FabricSwitch::EcnReferenceRate", StringValue("0bps"));
    Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(bytes));
    Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(bytes));
}

/** Have TCP be DCTCP. */
void
SetDctcp()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpDctcp"));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
}

/** Rate. */
class GoodputTestCase : public TestCase
{
  public:
    GoodputTestCase()
        : TestCase("A bulk transfer has the goodput of its frames, within 1 %")
    {
    }

  private:
    void DoRun() override
    {
        TcpIpBench::SetTcp();
        TcpIpBench bench;
        bench.net.MakeStar(2, "10Gbps");
        bench.Install();
        const auto sink = bench.SendTcp(0, 1, 0);
        uint64_t before = 0;
        Simulator::Schedule(MilliSeconds(5), [&]() { before = sink->GetTotalRx(); });
        bench.net.isCutShort = true; // TCP goes on
        Simulator::Stop(MilliSeconds(15));
        Simulator::Run();
        const double bits = 8 * static_cast<double>(sink->GetTotalRx() - before);
        NS_TEST_EXPECT_MSG_EQ_TOL(bits / 0.01 / 10e9, GOODPUT, 0.01 * GOODPUT, "goodput");
        NS_TEST_EXPECT_MSG_EQ(bench.net.Sum(&PortCounters::drops), 0u, "no loss");
        // frames that are on their way when the run ends give their packets back (seen by ASan)
        NS_TEST_EXPECT_MSG_GT(bench.net.network->GetPool().GetTaken(), 0u, "still on the way");
    }
};

/** ECN. */
class DctcpTestCase : public TestCase
{
  public:
    DctcpTestCase()
        : TestCase("DCTCP keeps the queue near the mark's threshold, without ECN it grows")
    {
    }

  private:
    static constexpr uint32_t THRESHOLD = 300000; //!< bytes; 10 Gb/s x 60 us x 4

    void DoRun() override
    {
        const double marked = RunOne(true);
        NS_TEST_EXPECT_MSG_EQ_TOL(marked, 1.0, 0.5, "mean queue over the threshold, DCTCP");
        const double unmarked = RunOne(false);
        NS_TEST_EXPECT_MSG_GT(unmarked, 3.0, "mean queue over the threshold, without ECN");
    }

    /** @param hasEcn whether TCP is DCTCP @return mean queue over the threshold */
    double RunOne(bool hasEcn)
    {
        TcpIpBench::SetTcp(2 << 20);
        SetMarking(THRESHOLD);
        if (hasEcn)
        {
            SetDctcp();
        }
        TcpIpBench bench;
        bench.net.MakeStar(3, "10Gbps");
        bench.Install();
        bench.SendTcp(0, 2, 0);
        bench.SendTcp(1, 2, 0);
        double sum = 0;
        uint64_t before = 0;
        Simulator::Schedule(MilliSeconds(20), [&]() { before = bench.GetReceived(); });
        for (uint32_t i = 0; i < 1000; ++i)
        {
            Simulator::Schedule(MilliSeconds(20) + i * MicroSeconds(20),
                                [&]()
                                {
                                    const auto now = Simulator::Now().GetTimeStep();
                                    sum += static_cast<double>(bench.net.ToHost(2).GetQueueBytes(
                                        static_cast<uint64_t>(now)));
                                });
        }
        bench.net.isCutShort = true; // TCP goes on
        Simulator::Stop(MilliSeconds(40));
        Simulator::Run();
        const double bits = 8 * static_cast<double>(bench.GetReceived() - before);
        NS_TEST_EXPECT_MSG_EQ_TOL(bits / 0.02 / 10e9, GOODPUT, 0.02 * GOODPUT, "the line is full");
        NS_TEST_EXPECT_MSG_EQ((bench.net.Sum(&PortCounters::marks) > 0),
                              hasEcn,
                              "only ECT is marked");
        NS_TEST_EXPECT_MSG_EQ(bench.net.Sum(&PortCounters::drops), 0u, "no loss");
        return sum / 1000 / THRESHOLD;
    }
};

/** Losses. */
class LossTestCase : public TestCase
{
  public:
    LossTestCase()
        : TestCase("TCP recovers from drops of a lossy class, from lossy links and from outages")
    {
    }

  private:
    /** What a run is to have. */
    struct Counts
    {
        uint64_t drops = 0;     //!< at switches
        uint64_t pauses = 0;    //!< received
        uint64_t corrupted = 0; //!< by links
        uint64_t lost = 0;      //!< with links
        uint64_t stopped = 0;   //!< by the stack, as the port's queue was stopped
    };

    void DoRun() override
    {
        Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(400000));
        const Counts lossy = RunOne();
        NS_TEST_EXPECT_MSG_GT(lossy.drops, 10u, "a small buffer drops");
        NS_TEST_EXPECT_MSG_EQ(lossy.pauses, 0u, "and does not pause a lossy class");

        Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(400000));
        Config::SetDefault("ns3::llm::FabricPort::TcpIpClass", UintegerValue(3));
        const Counts lossless = RunOne();
        NS_TEST_EXPECT_MSG_EQ(lossless.drops, 0u, "a lossless class does not drop");
        NS_TEST_EXPECT_MSG_GT(lossless.pauses, 10u, "it pauses");

        Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss",
                           StringValue("ns3::llm::RandomLoss"));
        Config::SetDefault("ns3::llm::RandomLoss::Rate", DoubleValue(0.02));
        const Counts corrupted = RunOne();
        NS_TEST_EXPECT_MSG_GT(corrupted.corrupted, 10u, "links lose packets");

        Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss",
                           StringValue("ns3::llm::RandomLoss"));
        Config::SetDefault("ns3::llm::FrameLoss::Kinds", UintegerValue(15));
        NS_TEST_EXPECT_MSG_EQ(RunOne().corrupted, 0u, "unless they lose other kinds alone");

        const Counts outage = RunOne(true);
        NS_TEST_EXPECT_MSG_GT(outage.lost, 0u, "frames are lost with their link");

        Config::SetDefault("ns3::llm::FabricPort::TcpIpQueueSize", StringValue("5p"));
        NS_TEST_EXPECT_MSG_GT(RunOne().stopped, 10u, "without a queue disc a short queue drops");
    }

    /** Four senders, one receiver. @param hasOutage a link fails for a while @return counts */
    Counts RunOne(bool hasOutage = false)
    {
        constexpr uint64_t BYTES = 1000000;
        TcpIpBench::SetTcp();
        Counts counts;
        TcpIpBench bench;
        bench.net.MakeStar(5, "10Gbps");
        bench.Install();
        Config::ConnectWithoutContext("/NodeList/*/$ns3::TrafficControlLayer/TcDrop",
                                      MakeCallback(&LossTestCase::Stopped, this));
        for (uint32_t source = 1; source < 5; ++source)
        {
            bench.SendTcp(source, 0, BYTES);
        }
        if (hasOutage)
        {
            bench.net.network->SetLinkState(0, MicroSeconds(1000), false);
            bench.net.network->SetLinkState(0, MicroSeconds(1500), true);
            bench.net.network->GetTerminalPort(0)->AddLinkChangeCallback(
                MakeCallback(&LossTestCase::LinkChanged, this));
        }
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        for (const auto& sink : bench.sinks)
        {
            NS_TEST_EXPECT_MSG_EQ(sink->GetTotalRx(), BYTES, "all bytes have come, once");
        }
        NS_TEST_EXPECT_MSG_EQ(bench.net.network->GetPool().GetTaken(), 0u, "frames are back");
        NS_TEST_EXPECT_MSG_EQ(bench.net.BufferBytes(), 0u, "buffers are empty");
        NS_TEST_EXPECT_MSG_EQ(bench.net.LosslessDrops(), 0u, "no fault");
        NS_TEST_EXPECT_MSG_EQ(m_linkChanges,
                              (hasOutage ? 2u : 0u),
                              "the stack is told of the link");
        m_linkChanges = 0;
        counts.drops = bench.net.Sum(&PortCounters::drops);
        counts.pauses = bench.net.Sum(&PortCounters::pausesReceived);
        counts.corrupted = bench.net.Sum(&PortCounters::corrupted);
        counts.lost = bench.net.Sum(&PortCounters::lost);
        counts.stopped = m_stopped;
        m_stopped = 0;
        return counts;
    }

    /** The link went down or came up. */
    void LinkChanged()
    {
        ++m_linkChanges;
    }

    /** A packet has found the port's queue stopped. */
    void Stopped(Ptr<const Packet>)
    {
        ++m_stopped;
    }

    uint32_t m_linkChanges = 0; //!< so often
    uint64_t m_stopped = 0;     //!< packets
};

/** Queue discs. */
class QueueDiscTestCase : public TestCase
{
  public:
    QueueDiscTestCase()
        : TestCase("A queue disc holds what the port has no room for, and nothing is lost")
    {
    }

  private:
    void DoRun() override
    {
        TcpIpBench::SetTcp(4 << 20);
        Config::SetDefault("ns3::llm::FabricPort::TcpIpQueueSize", StringValue("2p"));
        TcpIpBench bench;
        bench.net.MakeStar(2, "10Gbps");
        bench.Install();
        TrafficControlHelper control;
        control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("1000p"));
        const QueueDiscContainer discs =
            control.Install(FabricInternetHelper::GetDevices(bench.net.network));
        bench.SendTcp(0, 1, 10000000);
        uint32_t longest = 0;
        for (uint32_t i = 0; i < 1000; ++i)
        {
            Simulator::Schedule(MicroSeconds(10 * i),
                                [&]()
                                { longest = std::max(longest, discs.Get(0)->GetNPackets()); });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.GetReceived(), 10000000u, "all bytes have come");
        NS_TEST_EXPECT_MSG_GT(longest, 50u, "the disc holds them");
        NS_TEST_EXPECT_MSG_EQ(bench.GetPacketDrops(), 0u, "the port drops none");
        NS_TEST_EXPECT_MSG_EQ(discs.Get(0)->GetStats().nTotalDroppedPackets, 0u, "nor does it");
        NS_TEST_EXPECT_MSG_EQ(bench.net.Sum(&PortCounters::drops), 0u, "nor the fabric");
    }
};

/** ns-3's monitor. */
class FlowMonitorTestCase : public TestCase
{
  public:
    FlowMonitorTestCase()
        : TestCase("FlowMonitor sees every packet with its delay")
    {
    }

  private:
    void DoRun() override
    {
        TcpIpBench bench;
        bench.net.MakeStar(2, "100Gbps");
        bench.Install();
        FlowMonitorHelper helper;
        const Ptr<FlowMonitor> monitor = helper.InstallAll();
        bench.Listen(1);
        for (uint32_t i = 0; i < 20; ++i)
        {
            bench.SendUdp(MicroSeconds(10 + i), 0, 1, 972);
        }
        Simulator::Stop(MilliSeconds(1)); // the monitor looks for losses for ever
        Simulator::Run();
        const auto& flows = monitor->GetFlowStats();
        NS_TEST_EXPECT_MSG_EQ(flows.size(), 20u, "each socket is a flow");
        for (const auto& [id, flow] : flows)
        {
            NS_TEST_EXPECT_MSG_EQ(flow.rxPackets, 1u, "received");
            NS_TEST_EXPECT_MSG_EQ(flow.txBytes, 1000u, "bytes");
            NS_TEST_EXPECT_MSG_EQ(flow.delaySum,
                                  MicroSeconds(2) + PicoSeconds(2 * 1038 * 80 + 2),
                                  "delay of flow " << id);
        }
    }
};

/** The suite. */
class TcpIpStackTestSuite : public TestSuite
{
  public:
    TcpIpStackTestSuite()
        : TestSuite("llm-fabric-tcp-ip-stack", TestSuite::Type::UNIT)
    {
        AddTestCase(new GoodputTestCase);
        AddTestCase(new DctcpTestCase);
        AddTestCase(new LossTestCase);
        AddTestCase(new QueueDiscTestCase);
        AddTestCase(new FlowMonitorTestCase);
    }
};

TcpIpStackTestSuite g_tcpIpStackTestSuite; //!< registers the suite

} // namespace
