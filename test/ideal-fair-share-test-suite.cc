// SPDX-License-Identifier: GPL-2.0-only

// Flows that send at their ideal fair shares.

#include "small-network.h"

#include "ns3/input-error.h"
#include "ns3/load-balancer.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr uint32_t MTU = 1000;      //!< payload of a frame
constexpr uint32_t WIRE = 1082;     //!< wire bytes of a full frame
constexpr uint32_t ACK = 86;        //!< wire bytes of an acknowledgment
constexpr double UTILIZATION = 0.8; //!< of a link, so that a queue would be seen to be none

/** A balancer that looks at each frame. */
class FrameBalancer : public LoadBalancer
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TestFrameBalancer")
                                .SetParent<LoadBalancer>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<FrameBalancer>();
        return tid;
    }

    uint16_t Choose(const TransitFrame& frame, const Ports& ports, uint32_t) override
    {
        return PortOf(DrawFor(frame), ports);
    }
};

NS_OBJECT_ENSURE_REGISTERED(FrameBalancer);

/** Set the control and plain frames. @param utilization see IdealFairShare */
void
ChooseIdeal(double utilization = UTILIZATION)
{
    SmallNetwork::SetPlain(MTU);
    Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                       StringValue("ns3::llm::IdealFairShare"));
    Config::SetDefault("ns3::llm::IdealFairShare::Utilization", DoubleValue(utilization));
}

/** @param bytes wire bytes @param gbps rate @return time, us */
double
Microseconds(double bytes, double gbps)
{
    return bytes * 8e-3 / gbps;
}

/** N to one. */
class IncastTestCase : public TestCase
{
  public:
    IncastTestCase()
        : TestCase("Incast: each sends at a share of the port, and a round of frames waits at most")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t senders : {1, 2, 8, 32})
        {
            ChooseIdeal();
            constexpr uint32_t FRAMES = 100;
            SmallNetwork net;
            net.MakeStar(senders + 1, "100Gbps");
            net.SendIncast(FRAMES * MTU);
            double rate = 0;
            Simulator::Schedule(
                MicroSeconds(2),
                [&]() { rate = net.transport->GetNic(1).GetQueuePair(0).decision.rateBps; });
            Simulator::Run();
            const double share = UTILIZATION * 1e11 / senders;
            NS_TEST_EXPECT_MSG_EQ_TOL(rate, share, 2, "C / N");
            // 99 frames at the share, then all the last ones over two links of 1 us
            const double last = Microseconds((FRAMES - 1.0) * WIRE, share / 1e9);
            const double end = last + 2 + Microseconds(WIRE * (1.0 + senders), 100);
            NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), std::size_t{senders}, "all have come");
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(net.delivered.back().tick) / 1e6,
                                      end,
                                      1e-3,
                                      senders << " senders");
            NS_TEST_EXPECT_MSG_EQ(
                (net.ToHost(0).GetCounters().maxQueueBytes <= senders * WIRE),
                true,
                "more than a round of frames waits: " << net.ToHost(0).GetCounters().maxQueueBytes);
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().retransmissions, 0u, "a loss");
        }
    }
};

/** Disjoint paths. */
class PermutationTestCase : public TestCase
{
  public:
    PermutationTestCase()
        : TestCase("Permutation: data and the ACKs of another flow fill each link, without a queue")
    {
    }

  private:
    void DoRun() override
    {
        ChooseIdeal(1);
        constexpr uint32_t FRAMES = 1000;
        SmallNetwork net;
        net.MakeStar(8, "100Gbps");
        net.SendShift(3, FRAMES * MTU);
        Simulator::Run();
        const double rate = 100.0 * WIRE / (WIRE + ACK);
        const double end =
            Microseconds((FRAMES - 1.0) * WIRE, rate) + 2 + Microseconds(2 * WIRE, 100);
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 8u, "all have come");
        for (const auto& record : net.delivered)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(record.tick) / 1e6,
                                      end,
                                      2 * Microseconds(ACK, 100),
                                      "line rate but for the ACKs, one of which may be in the way");
        }
        for (uint32_t host = 0; host < 8; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ((net.ToHost(host).GetCounters().maxQueueBytes <= WIRE + ACK),
                                  true,
                                  "more than a frame and an ACK wait");
        }
    }
};

/** A long flow and short ones. */
class ParkingLotTestCase : public TestCase
{
  public:
    ParkingLotTestCase()
        : TestCase("Parking lot: shares by hand, and what ends leaves its share to the others")
    {
    }

  private:
    void DoRun() override
    {
        ChooseIdeal();
        // switches 0, 1, 2 in a row; the long flow from host 0 to host 1 over both trunks
        SmallNetwork net;
        net.AddHosts(8);
        std::vector<uint32_t> row;
        for (uint32_t i = 0; i < 3; ++i)
        {
            row.push_back(net.AddSwitch(0, i));
        }
        const uint32_t at[] = {0, 2, 0, 1, 1, 2, 1, 2};
        for (uint32_t host = 0; host < 8; ++host)
        {
            net.network->Connect(net.hosts[host], row[at[host]], DataRate("100Gbps"), Time("1us"));
        }
        net.network->Connect(row[0], row[1], DataRate("100Gbps"), Time("1us"));
        net.network->Connect(row[1], row[2], DataRate("100Gbps"), Time("1us"));
        net.Finish();
        const uint64_t bytes = 400 * MTU;
        net.Send(0, 1, 2 * bytes); // over both trunks
        net.Send(2, 3, 8 * bytes); // over the first
        net.Send(4, 5, bytes);     // over the second
        net.Send(6, 7, bytes);     // over the second
        std::vector<double> rates;
        const auto look = [&net, &rates]()
        {
            for (const uint32_t host : {0, 2, 4, 6})
            {
                const auto& queuePair = net.transport->GetNic(host).GetQueuePair(0);
                rates.push_back(queuePair.decision.rateBps / (UTILIZATION * 1e9));
            }
        };
        Simulator::Schedule(MicroSeconds(10), look);
        // 400 frames at a third of 80 Gb/s take 129.84 us
        Simulator::Schedule(NanoSeconds(129900), look);
        Simulator::Run();
        const std::vector<double> expected = {100. / 3, 200. / 3, 100. / 3, 100. / 3, 50, 50};
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(rates.at(i), expected[i], 1e-6, "share " << i);
        }
        // the long flow: the rest of its 800 frames at half of the trunk
        const double then = Microseconds(400.0 * WIRE, 80. / 3);
        const double end = then + Microseconds(399.0 * WIRE, 40) + 4 + Microseconds(4 * WIRE, 100);
        double tick = 0;
        for (const auto& record : net.delivered)
        {
            tick = record.message.source == 0 ? static_cast<double>(record.tick) : tick;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(tick / 1e6, end, 3 * Microseconds(WIRE, 100), "the long flow");
    }
};

/** A queue pair that rests. */
class RestartTestCase : public TestCase
{
  public:
    RestartTestCase()
        : TestCase("A queue pair has a share while it has something to send, and again later")
    {
    }

  private:
    void DoRun() override
    {
        ChooseIdeal();
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        net.SendAt(Time(0), 1, 0, 1000 * MTU);           // 108 us alone, longer with the other
        net.SendAt(MicroSeconds(20), 2, 0, 10 * MTU);    // about 2 us
        net.SendAt(MicroSeconds(60), 2, 0, 10 * MTU, 1); // the same queue pair
        std::vector<double> rates;
        for (const double us : {10., 21., 40., 61., 80.})
        {
            Simulator::Schedule(NanoSeconds(static_cast<int64_t>(us * 1e3)),
                                [&net, &rates]()
                                {
                                    const auto& first = net.transport->GetNic(1).GetQueuePair(0);
                                    rates.push_back(first.decision.rateBps / 1e9);
                                });
        }
        Simulator::Run();
        const std::vector<double> expected = {80, 40, 80, 40, 80};
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(rates.at(i), expected[i], 1e-6, "look " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 3u, "all have come");
    }
};

/** What is lost is sent again at a share. */
class LossTestCase : public TestCase
{
  public:
    LossTestCase()
        : TestCase("A queue pair that goes back has its share again and ends")
    {
    }

  private:
    void DoRun() override
    {
        ChooseIdeal();
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(50)));
        SmallNetwork net;
        uint32_t lost = 0;
        net.isLost = [&lost](const Frame& frame)
        {
            return frame.kind == FrameKind::DATA && frame.psn == 9 && ++lost < 3;
        };
        net.MakeStar(3, "100Gbps");
        net.SendIncast(10 * MTU); // of each the last frame is lost, of one twice
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2u, "both have come");
        NS_TEST_EXPECT_MSG_EQ((net.transport->GetCounters().timeouts >= 2), true, "none was lost");
        for (const uint32_t host : {1, 2})
        {
            const auto& queuePair = net.transport->GetNic(host).GetQueuePair(0);
            NS_TEST_EXPECT_MSG_EQ(queuePair.isSharing, false, "it has nothing to send");
        }
    }
};

/** What the oracle cannot know. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("Paths that are not known and networks in several processes are refused")
    {
    }

  private:
    void DoRun() override
    {
        ChooseIdeal();
        Config::SetDefault("ns3::llm::FabricSwitch::LoadBalancer",
                           StringValue("ns3::llm::TestFrameBalancer"));
        Expect("TestFrameBalancer", [](SmallNetwork& net) { net.MakeStar(2, "100Gbps"); });
        ChooseIdeal();
        Expect("system id 1",
               [](SmallNetwork& net)
               {
                   net.hosts.push_back(net.network->AddTerminal(CreateObject<Node>(1), 0, "far"));
                   net.MakeStar(1, "100Gbps");
               });
    }

    /** @param words of the refusal @param make what is refused */
    void Expect(const std::string& words, const std::function<void(SmallNetwork&)>& make)
    {
        std::string text = "no refusal";
        SmallNetwork net;
        try
        {
            make(net);
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ((text.find(words) != std::string::npos), true, text);
    }
};

/** Both engines. */
class EngineTestCase : public TestCase
{
  public:
    EngineTestCase()
        : TestCase("Both engines give the same frames")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<uint64_t> hashes;
        for (const bool isFrameEngine : {true, false})
        {
            SmallNetwork::ChooseEngine(isFrameEngine);
            ChooseIdeal();
            SmallNetwork net;
            net.MakeFatTree(4);
            net.SendAllToAll(20 * MTU);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 240u, "all have come");
            hashes.push_back(net.digest.hash);
        }
        SmallNetwork::ChooseEngine(true);
        NS_TEST_EXPECT_MSG_EQ(hashes[0], hashes[1], "they differ");
    }
};

/** The suite. */
class IdealFairShareTestSuite : public TestSuite
{
  public:
    IdealFairShareTestSuite()
        : TestSuite("llm-fabric-ideal-fair-share", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new IncastTestCase);
        AddTestCase(new PermutationTestCase);
        AddTestCase(new ParkingLotTestCase);
        AddTestCase(new RestartTestCase);
        AddTestCase(new LossTestCase);
        AddTestCase(new RefusalTestCase);
        AddTestCase(new EngineTestCase);
    }
};

IdealFairShareTestSuite g_idealFairShareTestSuite; //!< registers the suite

} // namespace
