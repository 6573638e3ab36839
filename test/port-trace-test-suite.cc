// SPDX-License-Identifier: GPL-2.0-only

// The trace sources of ports, against what ports count.

#include "small-network.h"
#include "switch-bench.h"

#include "ns3/test.h"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Connected to all trace sources of all ports: counts, and follows the queues. */
class Listener
{
  public:
    /** What happened at a port. */
    struct Seen
    {
        uint64_t enqueued = 0;                             //!< frames
        uint64_t dequeued = 0;                             //!< frames
        uint64_t dequeuedBytes = 0;                        //!< wire bytes
        uint64_t marked = 0;                               //!< frames
        uint64_t stopsSent = 0;                            //!< PFC frames
        uint64_t resumesSent = 0;                          //!< PFC frames
        uint64_t stopsReceived = 0;                        //!< PFC frames
        uint64_t resumesReceived = 0;                      //!< PFC frames
        std::array<uint64_t, 4> drops{};                   //!< frames, by reason
        std::array<uint64_t, TRAFFIC_CLASSES + 1> queue{}; //!< bytes, by class
    };

    /** @param clock tells the time */
    explicit Listener(Ptr<FrameClock> clock)
        : m_clock(clock)
    {
    }

    /** @param port whose sources are connected */
    void Connect(Ptr<FabricPort> port)
    {
        port->TraceConnectWithoutContext("Enqueue", MakeCallback(&Listener::Enqueued, this));
        port->TraceConnectWithoutContext("Dequeue", MakeCallback(&Listener::Dequeued, this));
        port->TraceConnectWithoutContext("Mark", MakeCallback(&Listener::Marked, this));
        port->TraceConnectWithoutContext("PauseSent", MakeCallback(&Listener::PauseSent, this));
        port->TraceConnectWithoutContext("PauseReceived",
                                         MakeCallback(&Listener::PauseReceived, this));
        port->TraceConnectWithoutContext("Drop", MakeCallback(&Listener::Dropped, this));
    }

    std::map<Ptr<const FabricPort>, Seen> seen; //!< by port
    uint64_t wrongTimes = 0;                    //!< calls whose time is not now
    uint64_t wrongQueues = 0;                   //!< calls with another queue than what was followed
    uint64_t backwards = 0;                     //!< calls earlier than the one before

  private:
    /** @param time of a call */
    void Check(Time time)
    {
        const auto tick = static_cast<uint64_t>(time.GetPicoSeconds());
        wrongTimes += tick != m_clock->NowTicks();
        backwards += tick < m_before;
        m_before = tick;
    }

    /** @param port where @param frame which @param queueBytes with it @param time when */
    void Enqueued(Ptr<const FabricPort> port, const Frame& frame, uint32_t queueBytes, Time time)
    {
        Check(time);
        Seen& one = seen[port];
        ++one.enqueued;
        one.queue[frame.trafficClass] += frame.wireBytes;
        wrongQueues += one.queue[frame.trafficClass] != queueBytes;
    }

    /** @param port where @param frame which @param queueBytes without it @param time when */
    void Dequeued(Ptr<const FabricPort> port, const Frame& frame, uint32_t queueBytes, Time time)
    {
        Check(time);
        Seen& one = seen[port];
        ++one.dequeued;
        one.dequeuedBytes += frame.wireBytes;
        one.queue[frame.trafficClass] -= frame.wireBytes;
        wrongQueues += one.queue[frame.trafficClass] != queueBytes;
        m_last = &frame;
    }

    /** @param port where @param frame which @param queueBytes with it @param time when */
    void Marked(Ptr<const FabricPort> port, const Frame& frame, uint32_t queueBytes, Time time)
    {
        Check(time);
        Seen& one = seen[port];
        ++one.marked;
        wrongQueues += one.queue[frame.trafficClass] + frame.wireBytes != queueBytes;
        wrongQueues += &frame != m_last || !(frame.flags & Frame::MARKED);
    }

    /** @param port where @param trafficClass which @param isStop stop or go on @param time when */
    void PauseSent(Ptr<const FabricPort> port, uint8_t trafficClass, bool isStop, Time time)
    {
        Check(time);
        ++(isStop ? seen[port].stopsSent : seen[port].resumesSent);
        wrongQueues += trafficClass != 3;
    }

    /** @param port where @param trafficClass which @param isStop stop or go on @param time when */
    void PauseReceived(Ptr<const FabricPort> port, uint8_t trafficClass, bool isStop, Time time)
    {
        Check(time);
        ++(isStop ? seen[port].stopsReceived : seen[port].resumesReceived);
        wrongQueues += trafficClass != 3;
    }

    /** @param port where @param frame which @param reason why @param time when */
    void Dropped(Ptr<const FabricPort> port, const Frame& frame, DropReason reason, Time time)
    {
        Check(time);
        Seen& one = seen[port];
        ++one.drops.at(static_cast<std::size_t>(reason));
        wrongQueues += frame.wireBytes == 0;
    }

    Ptr<FrameClock> m_clock;       //!< tells the time
    uint64_t m_before = 0;         //!< tick of the last call
    const Frame* m_last = nullptr; //!< the last frame that left
};

/** A busy network. */
class CountersTestCase : public TestCase
{
  public:
    /** @param isReference reference mode @param isLossless PFC, else drops and losses */
    CountersTestCase(bool isReference, bool isLossless)
        : TestCase(std::string("Sinks see what ports count, and change nothing: ") +
                   (isLossless ? "pauses and marks" : "drops, losses and a link that goes down") +
                   (isReference ? ", reference mode" : "")),
          m_isReference(isReference),
          m_isLossless(isLossless)
    {
    }

  private:
    void DoRun() override
    {
        const auto plain = RunOne(0);
        NS_TEST_EXPECT_MSG_EQ((RunOne(1) == plain), true, "all ports traced");
        NS_TEST_EXPECT_MSG_EQ((RunOne(3) == plain), true, "every third port traced");
    }

    /** @param step every so many ports are traced; 0: none @return digest and number of frames */
    std::pair<uint64_t, uint64_t> RunOne(uint32_t step)
    {
        SmallNetwork::SetComparison();
        Config::SetDefault("ns3::llm::FabricNetwork::ReferenceMode", BooleanValue(m_isReference));
        Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(300000));
        Config::SetDefault("ns3::llm::FabricSwitch::MaxFrameSize", UintegerValue(4500));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(1000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(10000));
        Config::SetDefault("ns3::llm::FabricSwitch::Pfc", BooleanValue(m_isLossless));
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(100)));
        if (!m_isLossless)
        {
            Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss",
                               StringValue("ns3::llm::RandomLoss"));
        }
        SmallNetwork net;
        Listener listener(net.clock);
        net.beforeBuild = [&]()
        {
            Connect(net, listener, step);
        }; // before sending halves move
        net.MakeFatTree(4);
        if (!m_isLossless)
        {
            net.network->SetLinkState(20, MicroSeconds(30), false);
            net.network->SetLinkState(20, MicroSeconds(90), true);
            net.network->SetLinkState(3, MicroSeconds(30), false); // a host's
            net.network->SetLinkState(3, MicroSeconds(90), true);
        }
        net.SendAllToAll(60000);
        Simulator::Run();
        Compare(net, listener, step);
        return {net.digest.hash, net.digest.frames};
    }

    /** @param net whose ports are traced @param listener by whom @param step every so many */
    static void Connect(SmallNetwork& net, Listener& listener, uint32_t step)
    {
        const auto directions = net.network->GetDirections();
        for (std::size_t i = 0; step != 0 && i < directions.size(); i += step)
        {
            listener.Connect(ConstCast<FabricPort>(directions[i].port));
        }
    }

    /** @param net that has run @param listener what it saw @param step every so many ports */
    void Compare(const SmallNetwork& net, Listener& listener, uint32_t step)
    {
        NS_TEST_EXPECT_MSG_EQ(listener.wrongTimes, 0u, "sinks are called when it happens");
        NS_TEST_EXPECT_MSG_EQ(listener.backwards, 0u, "in the order of time");
        PortCounters all;
        const auto directions = net.network->GetDirections();
        for (std::size_t i = 0; step != 0 && i < directions.size(); i += step)
        {
            const PortCounters counted = directions[i].port->GetTransmitter().GetCounters();
            const Listener::Seen& seen = listener.seen[directions[i].port];
            NS_TEST_EXPECT_MSG_EQ(seen.dequeued, counted.frames, "frames " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.dequeuedBytes, counted.wireBytes, "bytes " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.marked, counted.marks, "marks " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.stopsSent, counted.pausesSent, "pauses sent " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.resumesSent, counted.pausesSent, "all end " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.stopsReceived, counted.pausesReceived, "received " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.resumesReceived, counted.pausesReceived, "all end " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.drops[0], counted.drops, "drops " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.drops[1], counted.unroutable, "without a route " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.drops[2], counted.lost, "lost with a link " << i);
            NS_TEST_EXPECT_MSG_EQ(seen.drops[3], counted.corrupted, "lost on a link " << i);
            NS_TEST_EXPECT_MSG_EQ((seen.enqueued >= seen.dequeued), true, "what leaves was there");
            NS_TEST_EXPECT_MSG_EQ((seen.enqueued == seen.dequeued || counted.lost != 0),
                                  true,
                                  "and leaves, or is lost with the link " << i);
            all.marks += counted.marks;
            all.pausesSent += counted.pausesSent;
            all.drops += counted.drops;
            all.lost += counted.lost;
            all.corrupted += counted.corrupted;
        }
        if (m_isLossless)
        {
            NS_TEST_EXPECT_MSG_EQ(listener.wrongQueues, 0u, "queues as they were followed");
        }
        if (step == 1)
        {
            NS_TEST_EXPECT_MSG_GT(all.marks, 50u, "marks");
            NS_TEST_EXPECT_MSG_EQ((m_isLossless ? all.pausesSent > 20 : all.drops > 20),
                                  true,
                                  "busy");
            NS_TEST_EXPECT_MSG_EQ((m_isLossless || (all.lost > 5 && all.corrupted > 5)),
                                  true,
                                  "lost");
        }
    }

    bool m_isReference; //!< reference mode
    bool m_isLossless;  //!< PFC
};

/** By path, and off again. */
class PathTestCase : public TestCase
{
  public:
    PathTestCase()
        : TestCase("Sinks connect by path with their context, and can be disconnected")
    {
    }

  private:
    void DoRun() override
    {
        SwitchBench bench;
        bench.MakeStar(2, "100Gbps"); // terminals at nodes 0 and 1, the switch at node 2
        const uint32_t hub = bench.network->GetSwitch(0)->GetPort(0)->GetNode()->GetId();
        const std::string path =
            "/NodeList/" + std::to_string(hub) + "/DeviceList/*/$ns3::llm::FabricPort/Dequeue";
        const auto sink = MakeCallback(&PathTestCase::Dequeued, this);
        Config::Connect(path, sink);
        bench.Send(1000, 0, 1, 3, 1000);
        bench.Send(2000, 1, 0, 2, 1000);
        bench.At(50000000, [&]() { Config::Disconnect(path, sink); });
        bench.Send(60000000, 0, 1, 7, 1000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.arrivals.size(), 12u, "frames");
        NS_TEST_ASSERT_MSG_EQ(m_seen.size(), 2u, "ports");
        const std::string device = "/NodeList/" + std::to_string(hub) + "/DeviceList/";
        const std::string end = "/$ns3::llm::FabricPort/Dequeue";
        NS_TEST_EXPECT_MSG_EQ(m_seen[device + "1" + end], 3u, "to terminal 1");
        NS_TEST_EXPECT_MSG_EQ(m_seen[device + "0" + end], 2u, "to terminal 0");
        const auto port = bench.network->GetTerminalPort(0);
        NS_TEST_EXPECT_MSG_EQ(port->TraceConnectWithoutContext("None", sink),
                              false,
                              "no such source");
    }

    /** @param context of the port */
    void Dequeued(std::string context, Ptr<const FabricPort>, const Frame&, uint32_t, Time)
    {
        ++m_seen[context];
    }

    std::map<std::string, uint32_t> m_seen; //!< frames by context
};

/** Times by hand. */
class TimesTestCase : public TestCase
{
  public:
    TimesTestCase()
        : TestCase("A frame is queued, leaves, and a pause is sent and received, at times by hand")
    {
    }

  private:
    void DoRun() override
    {
        SwitchBench bench;
        bench.MakeStar(2, "100Gbps");
        const auto port = bench.network->GetSwitch(0)->GetPort(1);
        port->TraceConnectWithoutContext("Enqueue", MakeCallback(&TimesTestCase::OnFrame, this));
        port->TraceConnectWithoutContext("Dequeue", MakeCallback(&TimesTestCase::OnFrame, this));
        port->TraceConnectWithoutContext("PauseReceived",
                                         MakeCallback(&TimesTestCase::OnPause, this));
        // frames of 1000 B, 80 ns each, are at the switch 1080 and 1160 ns after 1 ns; the pause, 84 B,
        // 6720 ps, is there after the first, and the resume 500 ns later
        bench.Send(1000, 0, 1, 2, 1000);
        bench.Pause(100000, 1, true);
        bench.Pause(600000, 1, false);
        Simulator::Run();
        const std::vector<uint64_t> wanted =
            {1081000, 1000, 1081000, 0, 1106720, 1, 1161000, 1000, 1606720, 0, 1606720, 0};
        NS_TEST_EXPECT_MSG_EQ((m_seen == wanted), true, "times and queues");
        NS_TEST_EXPECT_MSG_EQ(port->GetTransmitter().GetPausedTicks(3, 2000000), 500000u, "paused");
    }

    /** @param queueBytes then @param time when */
    void OnFrame(Ptr<const FabricPort>, const Frame&, uint32_t queueBytes, Time time)
    {
        m_seen.push_back(static_cast<uint64_t>(time.GetPicoSeconds()));
        m_seen.push_back(queueBytes);
    }

    /** @param isStop stop or go on @param time when */
    void OnPause(Ptr<const FabricPort>, uint8_t, bool isStop, Time time)
    {
        m_seen.push_back(static_cast<uint64_t>(time.GetPicoSeconds()));
        m_seen.push_back(isStop);
    }

    std::vector<uint64_t> m_seen; //!< times, and queues or pauses
};

/** The suite. */
class PortTraceTestSuite : public TestSuite
{
  public:
    PortTraceTestSuite()
        : TestSuite("llm-fabric-port-trace", TestSuite::Type::UNIT)
    {
        AddTestCase(new CountersTestCase(false, true));
        AddTestCase(new CountersTestCase(true, true));
        AddTestCase(new CountersTestCase(false, false));
        AddTestCase(new PathTestCase);
        AddTestCase(new TimesTestCase);
    }
};

PortTraceTestSuite g_portTraceTestSuite; //!< registers the suite

} // namespace
