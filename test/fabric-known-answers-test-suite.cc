// SPDX-License-Identifier: GPL-2.0-only

// Whole networks whose results can be computed by hand or were published.

#include "small-network.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <algorithm>
#include <iostream>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** One flow through one switch. */
class OneFlowTestCase : public TestCase
{
  public:
    OneFlowTestCase()
        : TestCase("One flow fills its line: 92.42 Gbps of 1000 B payloads at 100 Gbps, no queue")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, 10000000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 1, "messages");
        // 10000 frames one after the other, the last stored once more, two links, two ticks
        const uint64_t expected = 10001 * 86560 + 2 * 1000000 + 2;
        NS_TEST_EXPECT_MSG_EQ(net.delivered[0].tick, expected, "last byte");
        const double goodput = 8e3 * 10000000 / (10000 * 86560);
        NS_TEST_EXPECT_MSG_EQ_TOL(goodput, 92.42, 0.005, "goodput, Gb/s");
        NS_TEST_EXPECT_MSG_EQ(net.ToHost(1).GetCounters().maxQueueBytes,
                              1082,
                              "a frame finds an empty queue");
    }
};

/** A message of 1 MiB. */
class MebibyteTestCase : public TestCase
{
  public:
    MebibyteTestCase()
        : TestCase("A WRITE of 1 MiB takes 1,069,584 wire bytes and 87.90 us, its ACK 89.92 us")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t mtu : {4096, 1024})
        {
            Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(mtu));
            Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                               StringValue("ns3::llm::NoCongestionControl"));
            SmallNetwork net;
            net.MakeStar(2, "100Gbps");
            net.Send(0, 1, 1 << 20);
            Simulator::Run();
            const uint64_t wire =
                net.network->GetTerminalPort(0)->GetTransmitter().GetCounters().wireBytes;
            NS_TEST_EXPECT_MSG_EQ(wire, (mtu == 4096 ? 1069584u : 1132560u), "wire bytes");
            if (mtu == 4096)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(net.delivered[0].tick / 1e6,
                                          87.90,
                                          0.05,
                                          "last byte, us");
                NS_TEST_EXPECT_MSG_EQ_TOL(net.acknowledged[0].tick / 1e6, 89.92, 0.05, "ACK, us");
            }
        }
    }
};

/**
 * Incast without congestion control. The published figures have ACKs of no size; ours need a byte,
 * which on the way back adds two serializations of 80 ps and never meets data.
 */
class IncastTestCase : public TestCase
{
  public:
    IncastTestCase()
        : TestCase("N x 64 kB into one port: a queue of (N-1) 64 frames, drained without a gap")
    {
    }

  private:
    void DoRun() override
    {
        Check(8, 484736, 48.405);
        Check(16, 1038720, 92.724);
    }

    /** @param senders so many @param queue longest, bytes @param last ACK of the last data, us */
    void Check(uint32_t senders, uint32_t queue, double last)
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::AckSize", UintegerValue(1));
        Config::SetDefault("ns3::llm::FabricSwitch::Pfc", BooleanValue(false));
        Config::SetDefault("ns3::llm::FabricSwitch::Alpha", DoubleValue(1000));
        Config::SetDefault("ns3::llm::FabricSwitch::Ecn", BooleanValue(false));
        SmallNetwork net;
        net.MakeStar(senders + 1, "100Gbps");
        net.SendIncast(64000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.ToHost(0).GetCounters().maxQueueBytes, queue, "longest queue");
        // the switch works from 1 us and a frame on; 4 us of delay in all; two ACK bytes, three ticks
        const uint64_t exact = senders * 64 * 86560 + 86560 + 4000000 + 2 * 80 + 2;
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.back().tick, exact, "last data acknowledged, ps");
        NS_TEST_EXPECT_MSG_EQ_TOL(net.acknowledged.back().tick / 1e6, last, 0.001, "published, us");
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::drops), 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::marks), 0, "marks");
    }
};

/** The comparison's incast on 128 hosts. */
class BigIncastTestCase : public TestCase
{
  public:
    BigIncastTestCase()
        : TestCase("127 x 200 kB on a fat-tree of 128 hosts: no loss, pauses, 2065 us")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetComparison();
        SmallNetwork net;
        net.MakeFatTree(8);
        net.SendIncast(200000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 127, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::drops), 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().retransmissions, 0, "retransmissions");
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::pausesReceived), 10, "pauses");
        const double last = static_cast<double>(net.LastDelivery()) / 1e6;
        // payload and headers over line rate, and one frame over the other five hops of the longest way
        const double line = 127 * 50 * 4048 * 8e-5;
        const double base = 6 + 5 * 4048 * 8e-5;
        NS_TEST_EXPECT_MSG_GT(last, line, "faster than the line");
        NS_TEST_EXPECT_MSG_EQ_TOL(last, line + base, 0.02 * (line + base), "us");
        NS_TEST_EXPECT_MSG_EQ_TOL(last, 2065, 0.02 * 2065, "published, us");
        std::cout << "    incast 127 x 200 kB: " << last << " us, " << line + base << " expected, "
                  << net.Sum(&PortCounters::pausesReceived) << " pauses\n";
    }
};

/** The comparison's ring on 128 hosts. */
class RingTestCase : public TestCase
{
  public:
    RingTestCase()
        : TestCase("A ring all-reduce of 2.048 MB on 128 hosts, driven by arrivals, takes 1133 us")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetComparison();
        SmallNetwork net;
        net.MakeFatTree(8);
        net.SendRing(16000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 128 * 254, "messages");
        const double last = static_cast<double>(net.LastDelivery()) / 1e6;
        NS_TEST_EXPECT_MSG_EQ_TOL(last, 1133, 11.33, "us");
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::pausesReceived), 0, "pauses");
        std::cout << "    ring 2.048 MB: " << last << " us\n";
    }
};

/** The same ring under a driver that learns of a chunk only from its sender. */
class RingByAcknowledgmentTestCase : public TestCase
{
  public:
    RingByAcknowledgmentTestCase()
        : TestCase(
              "The same ring, where a host passes a chunk on when its sender has the last ACK, "
              "takes 1816 us")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetComparison();
        SmallNetwork net;
        net.MakeFatTree(8);
        m_net = &net;
        m_sent.assign(net.hosts.size(), 1);
        net.transport->SetOwner(0,
                                MakeNullCallback<void, const Message&>(),
                                MakeCallback(&RingByAcknowledgmentTestCase::Acknowledged, this));
        net.SendShift(1, CHUNK);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_messages, 128 * 254, "messages");
        const double last = static_cast<double>(m_last) / 1e6;
        NS_TEST_EXPECT_MSG_EQ_TOL(last, 1816, 18.16, "us");
        std::cout << "    ring 2.048 MB, by acknowledgments: " << last << " us\n";
    }

    static constexpr uint64_t CHUNK = 16000; //!< bytes

    /** @param message its sender knows that it has come: only now the receiver goes on */
    void Acknowledged(const Message& message)
    {
        ++m_messages;
        m_last = static_cast<uint64_t>(Simulator::Now().GetPicoSeconds());
        const uint32_t at = message.destination;
        const auto count = static_cast<uint32_t>(m_sent.size());
        if (m_sent[at] < 2 * (count - 1))
        {
            m_net->Send(at, (at + 1) % count, CHUNK, m_sent[at]++);
        }
    }

    SmallNetwork* m_net = nullptr; //!< the network
    std::vector<uint32_t> m_sent;  //!< chunks, by host
    uint32_t m_messages = 0;       //!< acknowledged
    uint64_t m_last = 0;           //!< tick of the last, ps
};

/** The comparison's all-to-all on 128 hosts. */
class AllToAllTestCase : public TestCase
{
  public:
    AllToAllTestCase()
        : TestCase(
              "An all-to-all of 20 kB a pair on 128 hosts under DCQCN takes 259 us in the mean "
              "of ten seeds")
    {
    }

  private:
    static constexpr uint32_t SEEDS = 10; //!< of equal-cost choices and marks

    void DoRun() override
    {
        double sum = 0;
        double least = 1e9;
        double most = 0;
        uint64_t cnps = 0;
        for (uint32_t seed = 1; seed <= SEEDS; ++seed)
        {
            SmallNetwork::SetComparison();
            Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                               StringValue("ns3::llm::Dcqcn"));
            RngSeedManager::SetRun(seed);
            SmallNetwork net;
            net.MakeFatTree(8);
            net.SendAllToAll(20000);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 128 * 127, "messages");
            NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::drops), 0, "drops");
            const double last = static_cast<double>(net.LastDelivery()) / 1e6;
            // a NIC alone sends 127 x 5 frames
            NS_TEST_EXPECT_MSG_GT(last, 127 * 5 * 4048 * 8e-5, "faster than the line");
            sum += last;
            least = std::min(least, last);
            most = std::max(most, last);
            cnps += net.transport->GetCounters().cnpsReceived;
        }
        RngSeedManager::SetRun(1);
        NS_TEST_EXPECT_MSG_GT(most, least, "seeds differ");
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / SEEDS, 259, 0.05 * 259, "us");
        std::cout << "    all-to-all 20 kB a pair, DCQCN, 10 seeds: mean " << sum / SEEDS << " us, "
                  << least << " to " << most << ", " << cnps << " CNPs in all\n";
    }
};

/** The suite. */
class FabricKnownAnswersTestSuite : public TestSuite
{
  public:
    FabricKnownAnswersTestSuite()
        : TestSuite("llm-fabric-fabric-known-answers", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new OneFlowTestCase);
        AddTestCase(new MebibyteTestCase);
        AddTestCase(new IncastTestCase);
        AddTestCase(new BigIncastTestCase);
        AddTestCase(new RingTestCase);
        AddTestCase(new RingByAcknowledgmentTestCase);
        AddTestCase(new AllToAllTestCase);
    }
};

FabricKnownAnswersTestSuite g_fabricKnownAnswersTestSuite; //!< registers the suite

} // namespace
