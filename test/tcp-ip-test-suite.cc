// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-ip-bench.h"

#include "ns3/frame-to-roce.h"
#include "ns3/input-error.h"

#include "ns3/net-device-queue-interface.h"
#include "ns3/test.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Packets of ns-3's stack in frames: who owns them, what they cost, when they leave.
 */

namespace
{

constexpr uint64_t US = 1000000; //!< ps

/** Ownership. */
class OwnershipTestCase : public TestCase
{
  public:
    OwnershipTestCase()
        : TestCase("A frame owns a packet until it goes back, is unloaded, or the pool ends")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<Packet> packet = Create<Packet>(100);
        NS_TEST_EXPECT_MSG_EQ(sizeof(Frame), 64u, "a frame fills a cache line");
        for (const bool hasTelemetry : {false, true})
        {
            FramePool pool;
            if (hasTelemetry)
            {
                pool.MakeRoomForTelemetry();
            }
            Frame* given = Load(pool, packet);
            Frame* unloaded = Load(pool, packet);
            Frame* left = Load(pool, packet);
            NS_TEST_EXPECT_MSG_EQ(packet->GetReferenceCount(), 4u, "three frames");
            NS_TEST_EXPECT_MSG_EQ(left->packet, PeekPointer(packet), "what it carries");
            pool.Give(given);
            NS_TEST_EXPECT_MSG_EQ(packet->GetReferenceCount(), 3u, "one went back");
            NS_TEST_EXPECT_MSG_EQ(pool.Unload(unloaded), packet, "the packet comes out");
            NS_TEST_EXPECT_MSG_EQ(packet->GetReferenceCount(), 2u, "its reference, too");
            NS_TEST_EXPECT_MSG_EQ(pool.GetTaken(), 1u, "the last one");
            // a frame that is used again owns nothing
            Frame* again = pool.Take();
            NS_TEST_EXPECT_MSG_EQ((again->kind == FrameKind::PACKET), false, "carries nothing");
            pool.Give(again);
        }
        NS_TEST_EXPECT_MSG_EQ(packet->GetReferenceCount(), 1u, "the pools are gone");
    }

    /** @param pool a pool @param packet a packet @return a frame of it with the packet */
    static Frame* Load(FramePool& pool, Ptr<const Packet> packet)
    {
        Frame* frame = pool.Take();
        *frame = Frame();
        pool.Load(frame, packet);
        return frame;
    }
};

/** Times by hand. */
class UdpTimeTestCase : public TestCase
{
  public:
    /** @param isFrameEngine which engine runs it */
    explicit UdpTimeTestCase(bool isFrameEngine)
        : TestCase(std::string("One way takes serialization, propagation and two ticks, under ") +
                   (isFrameEngine ? "the module's engine" : "ns-3's")),
          m_isFrameEngine(isFrameEngine)
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::ChooseEngine(m_isFrameEngine);
        {
            TcpIpBench bench;
            bench.net.MakeStar(3, "100Gbps");
            bench.Install();
            bench.Listen(1);
            bench.SendUdp(MicroSeconds(10), 0, 1, 972);    // 1038 B on the wire
            bench.SendUdp(MicroSeconds(20), 2, 1, 1);      // 84 B, the smallest
            bench.SendUdp(MicroSeconds(30), 0, 1, 972, 3); // one after the other
            bench.SendUdp(MicroSeconds(40), 0, 1, 20000);  // three fragments
            bench.SendUdp(MicroSeconds(50), 1, 1, 7);      // to itself
            Simulator::Run();
            const auto& got = bench.datagrams;
            NS_TEST_ASSERT_MSG_EQ(got.size(), 7u, "all have come");
            const uint64_t fixed = 2 * US + 2;
            const uint64_t full = 1038 * 80;
            NS_TEST_EXPECT_MSG_EQ(got[0].tick, 10 * US + fixed + 2 * full, "lone datagram");
            NS_TEST_EXPECT_MSG_EQ(got[1].tick, 20 * US + fixed + 2 * 84 * 80, "small one");
            for (uint64_t i = 0; i < 3; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(got[2 + i].tick,
                                      30 * US + fixed + (2 + i) * full,
                                      "at line rate, number " << i);
            }
            // IP data 8976 + 8976 + 2056; header 20 and overhead 38 on each
            const uint64_t whole = 8976 + 58;
            const uint64_t last = 2056 + 58;
            NS_TEST_EXPECT_MSG_EQ(got[5].tick, 40 * US + fixed + (3 * whole + last) * 80, "pieces");
            NS_TEST_EXPECT_MSG_EQ(got[5].bytes, 20000u, "put together");
            NS_TEST_EXPECT_MSG_EQ(got[6].tick, 50 * US, "to itself it takes no time");
            NS_TEST_EXPECT_MSG_EQ(bench.GetPacketDrops(), 0u, "nothing dropped");
            NS_TEST_EXPECT_MSG_EQ(bench.net.network->GetPool().GetTaken(), 0u, "frames are back");
        }
        SmallNetwork::ChooseEngine(true);
    }

    bool m_isFrameEngine; //!< which engine runs it
};

/** The queue at the port. */
class PortQueueTestCase : public TestCase
{
  public:
    /** @param isFrameEngine which engine runs it */
    explicit PortQueueTestCase(bool isFrameEngine)
        : TestCase(std::string("A port drops beyond its limit, stops and wakes the stack, under ") +
                   (isFrameEngine ? "the module's engine" : "ns-3's")),
          m_isFrameEngine(isFrameEngine)
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::ChooseEngine(m_isFrameEngine);
        Config::SetDefault("ns3::llm::FabricPort::TcpIpQueueSize", StringValue("3p"));
        {
            TcpIpBench bench;
            bench.net.MakeStar(2, "100Gbps");
            bench.Install();
            m_bench = &bench;
            m_port = bench.net.network->GetTerminalPort(0);
            m_port->TraceConnectWithoutContext("MacTx", MakeCallback(&PortQueueTestCase::Tx, this));
            m_port->TraceConnectWithoutContext("MacTxDrop",
                                               MakeCallback(&PortQueueTestCase::Drop, this));
            m_queue = m_port->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
            m_queue->SetWakeCallback(MakeCallback(&PortQueueTestCase::Woken, this));
            Simulator::Schedule(MicroSeconds(1), &PortQueueTestCase::Fill, this);
            // the first leaves a tick later; who sends in that very tick does not see it yet
            Simulator::Schedule(PicoSeconds(US + 1), &PortQueueTestCase::Try, this, false);
            Simulator::Schedule(PicoSeconds(US + 3), &PortQueueTestCase::Try, this, true);
            Simulator::Schedule(PicoSeconds(US + 4), &PortQueueTestCase::Try, this, false);
            Simulator::Run();
            // 9038 B at 100 Gb/s: the second leaves 723.04 ns after the first, and so on
            NS_TEST_ASSERT_MSG_EQ(m_woken.size(), 2u, "woken after each stop");
            NS_TEST_EXPECT_MSG_EQ(m_woken[0], US + 2, "a tick after the first has left");
            NS_TEST_EXPECT_MSG_EQ(m_woken[1], US + 2 + FULL_WIRE * 80, "after the second");
            NS_TEST_EXPECT_MSG_EQ(m_queue->IsStopped(), false, "goes on");
            NS_TEST_EXPECT_MSG_EQ(m_taken, 4u, "traced as taken");
            NS_TEST_EXPECT_MSG_EQ(m_dropped, 5u, "traced as dropped");
            NS_TEST_EXPECT_MSG_EQ(m_port->GetPacketDrops(), 5u, "counted");
            NS_TEST_EXPECT_MSG_EQ(m_port->GetTransmitter().GetCounters().frames, 4u, "sent");
            m_port = nullptr;
            m_queue = nullptr;
        }
        SmallNetwork::ChooseEngine(true);
    }

    /** Send five, of which three find room. */
    void Fill()
    {
        for (uint32_t i = 0; i < 5; ++i)
        {
            Try(i < 3);
            NS_TEST_EXPECT_MSG_EQ(m_queue->IsStopped(),
                                  (i >= 2),
                                  "stopped when full, packet " << i);
        }
        // in the tick in which the first leaves: this one comes after that, the other one before it
        Simulator::Schedule(PicoSeconds(1), &PortQueueTestCase::Try, this, false);
    }

    /** Send one. @param isTaken whether it finds room */
    void Try(bool isTaken)
    {
        const bool hasRoom = m_bench->SendFullPacket(0, 1);
        NS_TEST_EXPECT_MSG_EQ(hasRoom, isTaken, "at " << Simulator::Now().GetTimeStep());
    }

    /** The stack may go on. */
    void Woken()
    {
        m_woken.push_back(static_cast<uint64_t>(Simulator::Now().GetTimeStep()));
    }

    /** Trace sink. */
    void Tx(Ptr<const Packet>)
    {
        ++m_taken;
    }

    /** Trace sink. */
    void Drop(Ptr<const Packet>)
    {
        ++m_dropped;
    }

    bool m_isFrameEngine;                //!< which engine runs it
    const TcpIpBench* m_bench = nullptr; //!< the network
    Ptr<FabricPort> m_port;              //!< the port
    Ptr<NetDeviceQueue> m_queue;         //!< as the stack sees it
    std::vector<uint64_t> m_woken;       //!< when the stack was woken
    uint32_t m_taken = 0;                //!< packets traced
    uint32_t m_dropped = 0;              //!< packets traced
};

/** What is refused. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("Too large packets, unknown destinations and settings that do not fit")
    {
    }

  private:
    void DoRun() override
    {
        TestPackets();
        TestSettings();
    }

    /** What a port does not send. */
    void TestPackets()
    {
        TcpIpBench bench;
        bench.net.MakeStar(2, "100Gbps");
        bench.Install();
        const auto port = bench.net.network->GetTerminalPort(0);
        NS_TEST_EXPECT_MSG_EQ(port->SetMtu(67), false, "below what IPv4 needs");
        NS_TEST_EXPECT_MSG_EQ(port->SetMtu(65500), false, "above what a frame holds");
        NS_TEST_EXPECT_MSG_EQ(port->GetMtu(), 9000, "unchanged");
        const Mac48Address peer = GetRoceMac(GetTerminalAddress(1));
        NS_TEST_EXPECT_MSG_EQ(
            Mac48Address::ConvertFrom(bench.net.network->GetTerminalPort(1)->GetAddress()),
            peer,
            "address by arithmetic");

        // other protocols than IPv4 go by the Ethernet address
        struct Case
        {
            Address to;    //!< destination
            uint32_t size; //!< bytes
            bool isTaken;  //!< what is expected
        };

        const std::vector<Case> cases = {{peer, 9000, true},
                                         {peer, 9001, false},
                                         {GetRoceMac(GetTerminalAddress(0)), 100, false},
                                         {GetRoceMac(GetTerminalAddress(2)), 100, false},
                                         {Mac48Address("00:00:00:00:00:01"), 100, false},
                                         {Mac48Address::GetBroadcast(), 100, false}};
        for (const Case& one : cases)
        {
            const bool isTaken = port->Send(Create<Packet>(one.size), one.to, 0x86dd);
            NS_TEST_EXPECT_MSG_EQ(isTaken, one.isTaken, one.size << " B to " << one.to);
        }
        NS_TEST_EXPECT_MSG_EQ(port->GetPacketDrops(), 5u, "counted");
        ExpectRefusal([&bench]() { bench.Install(); }, "installed once");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(port->GetTransmitter().GetCounters().wireBytes, 9038u, "one went");
    }

    /** What does not fit together. */
    void TestSettings()
    {
        Config::SetDefault("ns3::llm::FabricSwitch::MaxFrameSize", UintegerValue(4194));
        {
            TcpIpBench small;
            small.net.MakeStar(2, "100Gbps");
            ExpectRefusal([&small]() { small.Install(); }, "Mtu 4156 would fit");
        }
        Config::SetDefault("ns3::llm::FabricPort::TcpIpQueueSize", StringValue("0p"));
        Config::SetDefault("ns3::llm::FabricPort::Mtu", UintegerValue(4156));
        TcpIpBench none;
        none.net.MakeStar(2, "100Gbps");
        ExpectRefusal([&none]() { none.Install(); }, "TcpIpQueueSize 0");
    }

    /** @tparam F a function @param run it is refused @param words of the refusal */
    template <typename F>
    void ExpectRefusal(F run, const std::string& words)
    {
        std::string text;
        try
        {
            run();
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(text.find(words), std::string::npos, "refused with: " << text);
    }
};

/** The suite. */
class TcpIpTestSuite : public TestSuite
{
  public:
    TcpIpTestSuite()
        : TestSuite("llm-fabric-tcp-ip", TestSuite::Type::UNIT)
    {
        AddTestCase(new OwnershipTestCase);
        for (const bool isFrameEngine : {false, true})
        {
            AddTestCase(new UdpTimeTestCase(isFrameEngine));
            AddTestCase(new PortQueueTestCase(isFrameEngine));
        }
        AddTestCase(new RefusalTestCase);
    }
};

TcpIpTestSuite g_tcpIpTestSuite; //!< registers the suite

} // namespace
