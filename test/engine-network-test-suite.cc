// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-support.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/callback.h"
#include "ns3/config.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/flow-monitor.h"
#include "ns3/frame-clock.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/udp-echo-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

using namespace ns3;
using namespace ns3::llm;

/**
 * @ingroup llm-fabric-test
 * ns-3's own TCP/IP on two links, traced and monitored, while frame events run or not.
 */
class EngineNetworkTest : public TestCase
{
  public:
    EngineNetworkTest()
        : TestCase("UDP echo, a TCP transfer and FlowMonitor give the same under all engines and "
                   "schedulers, beside frames or not")
    {
    }

  private:
    void DoRun() override
    {
        const std::string expected = Run(DEFAULT_ENGINE, MAP_SCHEDULER, false);
        NS_TEST_EXPECT_MSG_GT(m_lines, 5000, "the trace is long");
        NS_TEST_EXPECT_MSG_EQ(m_echoes, 200, "all echoes come back");
        NS_TEST_EXPECT_MSG_EQ(m_flows, 4, "two each way");
        Check(FRAME_ENGINE, MAP_SCHEDULER, false, expected);
        Check(DEFAULT_ENGINE, RADIX_SCHEDULER, false, expected);
        Check(FRAME_ENGINE, MAP_SCHEDULER, true, expected);
        NS_TEST_EXPECT_MSG_GT(m_frames, 50000, "there were many");
        const uint64_t frames = m_frames;
        for (const char* scheduler : {MAP_SCHEDULER, RADIX_SCHEDULER})
        {
            Check(DEFAULT_ENGINE, scheduler, true, expected);
            NS_TEST_EXPECT_MSG_EQ(m_frames, frames, "as many under both engines");
        }
    }

    /**
     * Run the network and compare.
     * @param engine the engine
     * @param scheduler the scheduler of ns-3's engine
     * @param withFrames whether frame events run too
     * @param expected the trace that is expected
     */
    void Check(const std::string& engine,
               const std::string& scheduler,
               bool withFrames,
               const std::string& expected)
    {
        const std::string trace = Run(engine, scheduler, withFrames);
        const auto at =
            std::mismatch(trace.begin(), trace.end(), expected.begin(), expected.end()).first;
        NS_TEST_EXPECT_MSG_EQ((trace == expected),
                              true,
                              engine << " with " << scheduler << ", frames " << withFrames
                                     << ", line " << std::count(trace.begin(), at, '\n') + 1);
    }

    /**
     * Run the network.
     * @param engine the engine
     * @param scheduler the scheduler of ns-3's engine
     * @param withFrames whether frame events run too
     * @return the trace
     */
    std::string Run(const std::string& engine, const std::string& scheduler, bool withFrames)
    {
        const EngineScope scope(engine, scheduler);
        m_log.str("");
        m_lines = 0;
        m_echoes = 0;
        if (withFrames)
        {
            m_clock = Create<FrameClock>();
            m_clock->SetHandler(FrameEventKind::TEST, &RunFrame);
            for (uint32_t i = 0; i < 16; i++)
            {
                m_clock->AddObject(this);
                m_clock->Request(FrameEventKind::TEST, i);
            }
        }
        SetUp();
        FlowMonitorHelper monitor;
        monitor.InstallAll();
        Simulator::Stop(MicroSeconds(1500));
        Simulator::Run();
        m_log << "end " << Simulator::Now().GetTimeStep() << "\n";
        WriteFlows(monitor.GetMonitor());
        m_frames = withFrames ? m_clock->GetFrameCount() : 0;
        m_clock = nullptr;
        return m_log.str();
    }

    /**
     * Write what FlowMonitor found, its times in ticks.
     * @param monitor the monitor
     */
    void WriteFlows(Ptr<FlowMonitor> monitor)
    {
        monitor->CheckForLostPackets();
        m_flows = monitor->GetFlowStats().size();
        for (const auto& [id, flow] : monitor->GetFlowStats())
        {
            m_log << "flow " << id;
            for (const Time& time : {flow.timeFirstTxPacket,
                                     flow.timeFirstRxPacket,
                                     flow.timeLastTxPacket,
                                     flow.timeLastRxPacket,
                                     flow.delaySum,
                                     flow.jitterSum,
                                     flow.lastDelay})
            {
                m_log << " " << time.GetTimeStep();
            }
            m_log << "\n";
        }
        m_log << monitor->SerializeToXmlString(0, true, true);
    }

    /** Make three nodes in a row, with an echo and a transfer from one end to the other. */
    void SetUp()
    {
        NodeContainer nodes;
        nodes.Create(3);
        InternetStackHelper internet;
        internet.SetIpv6StackInstall(false);
        internet.Install(nodes);
        SimpleNetDeviceHelper link;
        link.SetNetDevicePointToPointMode(true);
        link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        link.SetChannelAttribute("Delay", StringValue("1us"));
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        addresses.Assign(link.Install(NodeContainer(nodes.Get(0), nodes.Get(1))));
        addresses.NewNetwork();
        const Ipv4Address far =
            addresses.Assign(link.Install(NodeContainer(nodes.Get(1), nodes.Get(2)))).GetAddress(1);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();

        UdpEchoServerHelper server(9);
        server.Install(nodes.Get(2)).Start(Seconds(0));
        UdpEchoClientHelper client(far, 9);
        client.SetAttribute("MaxPackets", UintegerValue(200));
        client.SetAttribute("Interval", StringValue("3us"));
        client.SetAttribute("PacketSize", UintegerValue(1000));
        client.Install(nodes.Get(0)).Start(MicroSeconds(1));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(far, 10));
        sink.Install(nodes.Get(2)).Start(Seconds(0));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(far, 10));
        bulk.SetAttribute("MaxBytes", UintegerValue(500000));
        bulk.Install(nodes.Get(0)).Start(MicroSeconds(5));
        for (const char* source : {"Tx", "Rx"})
        {
            Config::Connect(std::string("/NodeList/*/$ns3::Ipv4L3Protocol/") + source,
                            MakeCallback(&EngineNetworkTest::TraceIp, this));
        }
        Config::ConnectWithoutContext("/NodeList/*/ApplicationList/*/$ns3::UdpEchoClient/Rx",
                                      MakeCallback(&EngineNetworkTest::TraceEcho, this));
    }

    /**
     * Note a packet.
     * @param path where
     * @param packet the packet
     * @param interface the interface
     */
    void TraceIp(std::string path, Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t interface)
    {
        m_lines++;
        m_log << Simulator::Now().GetTimeStep() << " " << Simulator::GetContext() << " " << path
              << " " << packet->GetSize() << " " << interface << "\n";
    }

    /**
     * Count an echo.
     * @param packet the packet
     */
    void TraceEcho(Ptr<const Packet> packet)
    {
        m_echoes++;
        m_log << Simulator::Now().GetTimeStep() << " echo " << packet->GetSize() << "\n";
    }

    /**
     * A frame event: schedules another one.
     * @param object this test
     */
    static void RunFrame(void* object)
    {
        auto& self = *static_cast<EngineNetworkTest*>(object);
        const uint64_t now = self.m_clock->NowTicks();
        self.m_clock->ScheduleFrame(now + 100000 + now % 9973,
                                    FrameEventKind::TEST,
                                    static_cast<uint32_t>(now % 16));
    }

    std::ostringstream m_log; //!< the trace
    Ptr<FrameClock> m_clock;  //!< the clock of the frame events, if any
    uint64_t m_lines{0};      //!< packets traced
    uint64_t m_echoes{0};     //!< echoes received
    uint64_t m_frames{0};     //!< frame events run
    std::size_t m_flows{0};   //!< flows that FlowMonitor saw
};

/**
 * @ingroup llm-fabric-test
 * ns-3's models under the module's engine.
 */
class EngineNetworkTestSuite : public TestSuite
{
  public:
    EngineNetworkTestSuite()
        : TestSuite("llm-fabric-engine-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new EngineNetworkTest);
    }
};

/** The suite. */
static EngineNetworkTestSuite g_engineNetworkTestSuite;
