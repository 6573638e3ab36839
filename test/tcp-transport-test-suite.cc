// SPDX-License-Identifier: GPL-2.0-only

#include "transport-bench.h"

#include "ns3/tcp-transport.h"
#include "ns3/test.h"

#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Messages over ns-3's TCP: times by hand, losses, failures, pools.
 */

namespace
{

constexpr uint64_t SEGMENT = 8948;    //!< payload of a full segment
constexpr uint64_t WIRE = 9038;       //!< its frame
constexpr uint64_t HEADER = 16;       //!< of a message in the stream
constexpr uint64_t BYTE_TICKS = 80;   //!< at 100 Gb/s, ps
constexpr uint64_t DELAY = 1'000'000; //!< of a link, ps
constexpr uint64_t OVERHEAD = 90;     //!< of a segment on the wire
const Settings LARGE_WINDOW = {{"TcpTransport::InitialWindow", "200"}}; //!< no slow start

/** Times. */
class ByHandTestCase : public TestCase
{
  public:
    ByHandTestCase()
        : TestCase("A message takes its handshake, its frames and its propagation")
    {
    }

  private:
    void DoRun() override
    {
        TransportBench bench("tcp", LARGE_WINDOW);
        constexpr uint64_t SMALL = 1000;
        constexpr uint64_t AGAIN = 100'000'000; // ps: long after the first
        bench.Send(Time(0), 0, 1, SMALL);
        bench.Send(PicoSeconds(AGAIN), 0, 1, 100 * SEGMENT - HEADER);
        bench.Send(PicoSeconds(2 * AGAIN), 0, 1, 0);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.delivered.size(), 3u, "all");
        NS_TEST_ASSERT_MSG_EQ(bench.acknowledged.size(), 3u, "all");
        // SYN and SYN-ACK of 94 B or little more over two links each, then an ACK and the segment:
        // both one behind the other on the first link, the segment alone on the second
        const uint64_t handshake = 2 * (2 * DELAY + 2 * 94 * BYTE_TICKS);
        const uint64_t first =
            handshake + 2 * DELAY + (OVERHEAD + 2 * (SMALL + HEADER + OVERHEAD)) * BYTE_TICKS;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bench.delivered[0].tick),
                                  static_cast<double>(first),
                                  5e3,
                                  "with the handshake");
        // 100 frames on the first link, the last one once more on the second
        const uint64_t second = AGAIN + 2 * DELAY + 101 * WIRE * BYTE_TICKS;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bench.delivered[1].tick),
                                  static_cast<double>(second),
                                  10.0,
                                  "over the connection that is there: to some ticks");
        const uint64_t third = 2 * AGAIN + 2 * DELAY + 2 * (HEADER + OVERHEAD) * BYTE_TICKS;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bench.delivered[2].tick),
                                  static_cast<double>(third),
                                  10.0,
                                  "an empty message is its header");
        // the segments are even in number, so the last is acknowledged at once
        const uint64_t back = 2 * DELAY + 2 * OVERHEAD * BYTE_TICKS;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bench.acknowledged[1].tick),
                                  static_cast<double>(second + back),
                                  20.0,
                                  "and known there");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP connections"), 1u, "one pair, one connection");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP stream bytes"),
                              SMALL + 100 * SEGMENT + 2 * HEADER,
                              "payload and headers");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("data frames"), 0u, "nothing by RDMA");
    }
};

/** Slow start. */
class SlowStartTestCase : public TestCase
{
  public:
    SlowStartTestCase()
        : TestCase("A small window costs a round trip each time that it doubles")
    {
    }

  private:
    void DoRun() override
    {
        double ticks[2];
        for (const bool isLarge : {false, true})
        {
            Settings settings{{"TcpTransport::InitialWindow", isLarge ? "200" : "1"},
                              {"TcpTransport::SegmentsPerAck", "1"}};
            TransportBench bench("tcp", settings);
            bench.Send(Time(0), 0, 1, 60 * SEGMENT - HEADER);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(bench.delivered.size(), 1u, "all");
            ticks[isLarge ? 1 : 0] = static_cast<double>(bench.delivered[0].tick);
        }
        // the round trip of a segment holds 7.6: flights of 1, 2 and 4 leave 6.6, 5.6 and 3.6 of them
        // unused, and from 8 on the line is full
        constexpr double FRAME = WIRE * BYTE_TICKS;
        NS_TEST_EXPECT_MSG_EQ_TOL(ticks[0] - ticks[1], 15.8 * FRAME, FRAME, "unused");
    }
};

/** Congestion operations. */
class CongestionOpsTestCase : public TestCase
{
  public:
    CongestionOpsTestCase()
        : TestCase("Congestion operations differ in what happens, not in what arrives")
    {
    }

  private:
    void DoRun() override
    {
        std::set<uint64_t> hashes;
        std::set<std::vector<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>>> states;
        const std::vector<std::string> names{"ns3::TcpCubic",
                                             "ns3::TcpLinuxReno",
                                             "ns3::TcpDctcp",
                                             "ns3::TcpVegas"};
        for (const std::string& name : names)
        {
            TransportBench bench(
                "tcp",
                {{"TcpTransport::CongestionOps", name}, {"FabricSwitch::BufferSize", "400000"}},
                "SingleSwitch",
                5);
            for (uint32_t source = 1; source < 5; ++source)
            {
                bench.Send(Time(0), source, 0, 1'000'000 + source);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(bench.cluster->GetFaults().size(), 0u, name);
            NS_TEST_EXPECT_MSG_EQ(bench.acknowledged.size(), 4u, name);
            hashes.insert(bench.digest.GetHash());
            states.insert(bench.GetState());
        }
        NS_TEST_EXPECT_MSG_EQ(hashes.size(), names.size(), "all differ");
        NS_TEST_EXPECT_MSG_EQ(states.size(), 1u, "the same arrives");
        NS_TEST_EXPECT_MSG_EQ(states.begin()->size(), 4u, "all of it");
    }
};

/** Losses, random traffic, and that both repeat. */
class LossTestCase : public TestCase
{
  public:
    /** @param connections of a pool */
    explicit LossTestCase(uint32_t connections)
        : TestCase("On links that lose frames all comes once, and the same again, pools of " +
                   std::to_string(connections)),
          m_connections(connections)
    {
    }

  private:
    static constexpr uint32_t COUNT = 40; //!< messages

    /** @param isReversed call in another order @param hash gets that of the run @return messages */
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>> RunOne(bool isReversed,
                                                                           uint64_t& hash)
    {
        TransportBench bench("tcp",
                             {{"FabricNetwork::FrameLoss", "ns3::llm::RandomLoss"},
                              {"RandomLoss::Rate", "0.02"},
                              {"TcpTransport::StripeBytes", "20000"},
                              {"TcpTransport::Connections", std::to_string(m_connections)}},
                             "RailOptimized",
                             8,
                             2);
        std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> plan;
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            const uint32_t source = i % 8;
            const uint32_t destination = (source + 2 + i * 5 % 5) % 8; // in another domain
            plan.emplace_back(source, destination, uint64_t{i} * i * 137);
        }
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            const uint32_t which = isReversed ? COUNT - 1 - i : i;
            Message message;
            std::tie(message.source, message.destination, message.bytes) = plan[which];
            message.place = which;
            Simulator::ScheduleWithContext(bench.cluster->GetNodeId(message.source),
                                           MicroSeconds(which / 10),
                                           [&bench, message]()
                                           { bench.cluster->GetTransport()->Send(message); });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.cluster->GetFaults().size(), 0u, "no failure");
        NS_TEST_EXPECT_MSG_EQ(bench.acknowledged.size(), COUNT, "each known once");
        NS_TEST_EXPECT_MSG_GT(bench.GetCounter("frames corrupted on links"), 10u, "losses");
        uint32_t inDomain = 0;
        std::set<uint32_t> places;
        for (const auto& each : bench.delivered)
        {
            places.insert(each.message.place);
            inDomain += each.message.source / 2 == each.message.destination / 2 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(places.size(), COUNT, "each");
        NS_TEST_EXPECT_MSG_EQ(bench.delivered.size(), COUNT, "once");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP messages"),
                              COUNT - inDomain,
                              "over the network");
        hash = bench.digest.GetHash();
        return bench.GetState();
    }

    void DoRun() override
    {
        uint64_t first = 0;
        uint64_t second = 0;
        const auto state = RunOne(false, first);
        NS_TEST_EXPECT_MSG_EQ((RunOne(true, second) == state), true, "the same state");
        NS_TEST_EXPECT_MSG_EQ(first, second, "the same frames, whatever the order of calls");
    }

    uint32_t m_connections; //!< of a pool
};

/** Pools. */
class PoolTestCase : public TestCase
{
  public:
    PoolTestCase()
        : TestCase("Parts of a message go over the connections of a pool in turn")
    {
    }

  private:
    void DoRun() override
    {
        TransportBench bench(
            "tcp",
            {{"TcpTransport::Connections", "3"}, {"TcpTransport::StripeBytes", "100000"}});
        bench.Send(Time(0), 0, 1, 350'000); // parts of 100, 100, 100 and 50 kB
        bench.Send(Time(0), 1, 0, 100'000); // undivided
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.delivered.size(), 2u, "each once");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP connections"), 4u, "three and one");
        NS_TEST_EXPECT_MSG_EQ(bench.GetCounter("TCP stream bytes"),
                              450'000 + 5 * HEADER,
                              "a header for each part");
    }
};

/** Order. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("Messages of a connection come in the order in which they were sent")
    {
    }

  private:
    void DoRun() override
    {
        TransportBench bench(
            "tcp",
            {{"FabricNetwork::FrameLoss", "ns3::llm::RandomLoss"}, {"RandomLoss::Rate", "0.02"}});
        for (uint32_t i = 0; i < 30; ++i)
        {
            bench.Send(NanoSeconds(i), 0, 1, i * 7 % 30 * 3000);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.delivered.size(), 30u, "all");
        for (uint32_t i = 0; i < 30; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.delivered[i].message.place, i, "in order");
            NS_TEST_EXPECT_MSG_EQ(bench.acknowledged[i].message.place, i, "and known in order");
            NS_TEST_EXPECT_MSG_GT(bench.acknowledged[i].tick, bench.delivered[i].tick, "later");
        }
    }
};

/** Failures. */
class FailureTestCase : public TestCase
{
  public:
    /** @param at when the link goes down, us */
    explicit FailureTestCase(uint32_t at)
        : TestCase("A link that stays down ends the run, with the names of both ends, from " +
                   std::to_string(at) + " us on"),
          m_at(at)
    {
    }

  private:
    void DoRun() override
    {
        TransportBench bench("tcp", {}, "SingleSwitch", 3);
        bench.cluster->GetNetwork()->SetLinkState(2, MicroSeconds(m_at), false);
        bench.Send(MicroSeconds(2), 0, 2, 100'000'000);
        bench.Send(MicroSeconds(2), 0, 1, 1000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.delivered.size(), 1u, "the other one alone");
        NS_TEST_EXPECT_MSG_EQ(bench.delivered[0].message.destination, 1u, "the other one alone");
        const auto faults = bench.cluster->GetFaults();
        NS_TEST_ASSERT_MSG_EQ(faults.size(), 1u, "one connection");
        NS_TEST_EXPECT_MSG_NE(faults[0].find("from accelerator 0 to accelerator 2"),
                              std::string::npos,
                              faults[0]);
    }

    uint32_t m_at; //!< when the link goes down, us
};

/** Suite. */
class TcpTransportTestSuite : public TestSuite
{
  public:
    TcpTransportTestSuite()
        : TestSuite("llm-fabric-tcp-transport", TestSuite::Type::UNIT)
    {
        AddTestCase(new ByHandTestCase);
        AddTestCase(new SlowStartTestCase);
        AddTestCase(new CongestionOpsTestCase);
        AddTestCase(new LossTestCase(1));
        AddTestCase(new LossTestCase(4));
        AddTestCase(new PoolTestCase);
        AddTestCase(new OrderTestCase);
        AddTestCase(new FailureTestCase(1));
        AddTestCase(new FailureTestCase(500));
    }
};

TcpTransportTestSuite g_tcpTransportTestSuite; //!< registers itself

} // namespace
