// SPDX-License-Identifier: GPL-2.0-only

// Switches that handle their frames in batches, against those that do so event by event: the same
// frames at the same ticks, the same state for whoever looks in between, and fewer events.

#include "small-network.h"

#include "ns3/frame-digest.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** How to run. */
struct Way
{
    bool isBatched = true;     //!< batches are allowed
    bool isFrameEngine = true; //!< the module's engine
    bool isReference = false;  //!< one decision per frame
    bool isLookedAt = false;   //!< somebody looks at all ports and switches again and again
    bool isWatched = false;    //!< an observer that needs the order comes and goes at some links
    uint64_t stopMicroseconds = 0; //!< the run stops at this time for a look, and goes on; 0: not
};

/** What a run leaves behind. */
struct Outcome
{
    uint64_t arrivals = 0;   //!< hash of all
    uint64_t frames = 0;     //!< arrivals
    uint64_t deliveries = 0; //!< hash of all, with their ticks
    uint64_t delivered = 0;  //!< messages
    uint64_t state = 0;      //!< hash of all counters at the end
    uint64_t looks = 0;      //!< hash of what was seen in between
    uint64_t seen = 0;       //!< hash of what observers were shown, in their order
    uint64_t marks = 0;      //!< frames
    uint64_t pauses = 0;     //!< received
    uint64_t drops = 0;      //!< for want of room, or corrupted
    uint64_t lost = 0;       //!< with a link
    uint64_t cnps = 0;       //!< received
    uint64_t events = 0;     //!< frame events run
};

/** @param hash so far @param net the network @return with all that can be asked of it now */
uint64_t
HashState(uint64_t hash, const SmallNetwork& net)
{
    const auto now = static_cast<uint64_t>(Simulator::Now().GetTimeStep());
    for (const auto& direction : net.network->GetDirections())
    {
        const FrameTransmitter& transmitter = direction.port->GetTransmitter();
        const PortCounters c = transmitter.GetCounters();
        for (const uint64_t value : {c.frames,
                                     c.wireBytes,
                                     c.marks,
                                     c.pausesReceived,
                                     c.pausesSent,
                                     c.drops,
                                     c.lost,
                                     c.corrupted,
                                     c.pausedTicks,
                                     uint64_t{c.maxQueueBytes},
                                     transmitter.GetQueueBytes(now)})
        {
            hash = MixHash(hash, value);
        }
    }
    for (uint32_t i = 0; i < net.network->GetSwitchCount(); ++i)
    {
        const auto fabricSwitch = net.network->GetSwitch(i);
        hash = MixHash(hash, fabricSwitch->GetBuffer().GetUsedBytes());
        hash = MixHash(hash, fabricSwitch->GetUnroutable());
        hash = MixHash(hash, fabricSwitch->GetLosslessDrops());
    }
    return hash;
}

/** A workload on 16 hosts, and the ways to run it. */
class BatchBench
{
  public:
    std::function<void()> setUp = []() {
    }; //!< sets attribute defaults
    std::function<void(SmallNetwork&)> build = [](SmallNetwork& n)
    {
        n.MakeFatTree(4);
    }; //!< makes it
    std::function<void(SmallNetwork&)> start = [](SmallNetwork&) {
    };                       //!< adds to the random messages
    uint32_t seed = 1;       //!< of run and messages
    bool isLong = true;      //!< links are long enough for several frames in a batch
    uint32_t messages = 150; //!< random ones

    /** @param way how to run @return what came of it */
    Outcome Run(const Way& way) const
    {
        SmallNetwork::ChooseEngine(way.isFrameEngine);
        setUp();
        Config::SetDefault("ns3::llm::FabricNetwork::BatchSwitches", BooleanValue(way.isBatched));
        Config::SetDefault("ns3::llm::FabricNetwork::ReferenceMode", BooleanValue(way.isReference));
        RngSeedManager::SetSeed(seed);
        Outcome outcome;
        FrameDigest observer;
        {
            SmallNetwork net;
            build(net);
            SendAtRandom(net);
            start(net);
            if (way.isLookedAt)
            {
                LookAgain(net, outcome, 1);
            }
            if (way.isWatched)
            {
                ScheduleObserver(net, observer);
            }
            if (way.stopMicroseconds != 0)
            {
                Simulator::Stop(MicroSeconds(way.stopMicroseconds));
                Simulator::Run();
                outcome.looks = HashState(outcome.looks, net);
            }
            Simulator::Run();
            Fill(outcome, net);
            outcome.seen = MixHash(observer.GetHash(), observer.GetFrameCount());
        }
        return outcome;
    }

  private:
    /** Bursts to few hosts and messages among all, at random times. @param net the network */
    void SendAtRandom(SmallNetwork& net) const
    {
        std::mt19937 random(seed);
        const auto hosts = static_cast<uint32_t>(net.hosts.size());
        auto draw = [&random](uint32_t below)
        {
            return static_cast<uint32_t>(random() % below);
        };
        for (uint32_t i = 0; i < messages; ++i)
        {
            const uint32_t source = draw(hosts);
            const uint32_t target = draw(3) == 0 ? draw(2) : draw(hosts);
            const uint64_t bytes = draw(4) == 0 ? draw(300000) : draw(20000);
            if (source != target)
            {
                net.SendAt(NanoSeconds(1 + draw(100000)), source, target, bytes, i);
            }
        }
    }

    /** Look at all, and again later. @param net the network @param outcome notes it @param times so
     * far */
    static void LookAgain(SmallNetwork& net, Outcome& outcome, uint32_t times)
    {
        outcome.looks = HashState(outcome.looks, net);
        if (times < 60)
        {
            // at odd times, now and then several within a link's delay
            Simulator::Schedule(PicoSeconds(times % 3 == 0 ? 300007 : 2500011),
                                [&net, &outcome, times]() { LookAgain(net, outcome, times + 1); });
        }
    }

    /** An observer comes and goes. @param net the network @param observer it */
    static void ScheduleObserver(SmallNetwork& net, FrameDigest& observer)
    {
        const auto directions = net.network->GetDirections();
        for (std::size_t i = 0; i < directions.size(); i += 7)
        {
            auto port = ConstCast<FabricPort>(directions[i].port);
            Simulator::Schedule(MicroSeconds(15),
                                [port, &observer]()
                                { port->GetTransmitter().AddObserver(&observer); });
            Simulator::Schedule(NanoSeconds(45003),
                                [port, &observer]()
                                { port->GetTransmitter().RemoveObserver(&observer); });
        }
    }

    /** @param outcome gets what a run has left @param net the network */
    static void Fill(Outcome& outcome, const SmallNetwork& net)
    {
        outcome.arrivals = net.digest.hash;
        outcome.frames = net.digest.frames;
        for (const auto& record : net.delivered)
        {
            // those of one tick at several hosts come in the order of the hosts' own events
            outcome.deliveries =
                MixHash(MixHash(outcome.deliveries, record.tick), record.message.place);
        }
        outcome.delivered = net.delivered.size();
        outcome.state = HashState(0, net);
        const NicCounters nics = net.transport->GetCounters();
        for (const uint64_t value : {nics.dataFrames,
                                     nics.retransmissions,
                                     nics.timeouts,
                                     nics.nacksReceived,
                                     nics.cnpsReceived,
                                     nics.payloadBytes})
        {
            outcome.state = MixHash(outcome.state, value);
        }
        outcome.marks = net.Sum(&PortCounters::marks);
        outcome.pauses = net.Sum(&PortCounters::pausesReceived);
        outcome.drops = net.Sum(&PortCounters::drops) + net.Sum(&PortCounters::corrupted);
        outcome.lost = net.Sum(&PortCounters::lost);
        outcome.cnps = nics.cnpsReceived;
        outcome.events = net.clock->GetFrameCount();
    }
};

/** A workload, batched and not, in all ways. */
class BatchEqualityTestCase : public TestCase
{
  public:
    /**
     * @param name of the workload
     * @param bench the workload
     * @param check whether it does what it is for
     */
    BatchEqualityTestCase(const std::string& name,
                          const BatchBench& bench,
                          std::function<bool(const Outcome&)> check)
        : TestCase(name + ": equal with and without batches, whoever looks"),
          m_bench(bench),
          m_check(std::move(check))
    {
    }

  private:
    void DoRun() override
    {
        Way plain;
        Way exact;
        exact.isBatched = false;
        const Outcome batched = m_bench.Run(plain);
        const Outcome base = m_bench.Run(exact);
        const bool isAsMeant = m_check(base);
        NS_TEST_EXPECT_MSG_EQ(isAsMeant,
                              true,
                              "the workload does what it is for: pauses "
                                  << base.pauses << ", marks " << base.marks << ", drops "
                                  << base.drops << ", lost " << base.lost << ", CNPs "
                                  << base.cnps);
        Compare(batched, base, "batched");
        if (m_bench.isLong)
        {
            NS_TEST_EXPECT_MSG_LT(batched.events, base.events, "events");
        }
        Way other = plain;
        other.isFrameEngine = false;
        Compare(m_bench.Run(other), base, "batched under ns-3's engine");
        CompareLooks();
        CompareObserved(base);
    }

    /** Somebody looks on, and the run stops in between. */
    void CompareLooks()
    {
        Way way;
        way.isLookedAt = true;
        way.stopMicroseconds = 37;
        const Outcome batched = m_bench.Run(way);
        way.isBatched = false;
        const Outcome base = m_bench.Run(way);
        Compare(batched, base, "looked at");
        way.isReference = true;
        Compare(m_bench.Run(way), base, "looked at in reference mode");
        way.isReference = false;
        way.isBatched = true;
        way.isFrameEngine = false;
        Compare(m_bench.Run(way), base, "looked at under ns-3's engine");
    }

    /** Observers come and go. @param base the outcome without */
    void CompareObserved(const Outcome& base)
    {
        Way way;
        way.isWatched = true;
        const Outcome batched = m_bench.Run(way);
        way.isBatched = false;
        Outcome exact = m_bench.Run(way);
        Compare(batched, exact, "observed");
        exact.seen = base.seen;
        Compare(exact, base, "observed, and not");
    }

    /** @param outcome an outcome @param base what it must be equal to @param name of it */
    void Compare(const Outcome& outcome, const Outcome& base, const std::string& name)
    {
        NS_TEST_EXPECT_MSG_EQ(outcome.arrivals, base.arrivals, name << ": arrivals");
        NS_TEST_EXPECT_MSG_EQ(outcome.frames, base.frames, name << ": number of arrivals");
        NS_TEST_EXPECT_MSG_EQ(outcome.deliveries, base.deliveries, name << ": deliveries");
        NS_TEST_EXPECT_MSG_EQ(outcome.state, base.state, name << ": counters");
        NS_TEST_EXPECT_MSG_EQ(outcome.looks, base.looks, name << ": what was seen on the way");
        NS_TEST_EXPECT_MSG_EQ(outcome.seen, base.seen, name << ": what observers were shown");
    }

    BatchBench m_bench;                          //!< the workload
    std::function<bool(const Outcome&)> m_check; //!< looks at the outcome
};

/** Events of a frame on a row of switches, counted. */
class BatchEventsTestCase : public TestCase
{
  public:
    BatchEventsTestCase()
        : TestCase("A lone frame costs a batch a switch, a train of frames costs no more")
    {
    }

  private:
    /** @param bytes of a message over three switches @param isBatched whether @return events */
    static uint64_t Count(uint64_t bytes, bool isBatched)
    {
        SmallNetwork::SetComparison();
        Config::SetDefault("ns3::llm::FabricNetwork::BatchSwitches", BooleanValue(isBatched));
        SmallNetwork net;
        net.MakeRow(3, "100Gbps");
        net.Send(0, 1, bytes);
        Simulator::Run();
        return net.clock->GetFrameCount();
    }

    void DoRun() override
    {
        // a request, a wake-up, a timer; the frame crosses four links, and so does its ACK
        NS_TEST_EXPECT_MSG_EQ(Count(4000, false), 3 + 8, "one frame, event by event");
        NS_TEST_EXPECT_MSG_EQ(Count(4000, true), 3 + 8, "one frame: a batch for each arrival");
        // Three frames, 323.84 ns apart: within 1 us, so a switch takes them in one batch. Their ACKs
        // leave the far host as far apart.
        NS_TEST_EXPECT_MSG_EQ(Count(12000, false), 1 + 3 + 1 + 3 * 8, "three, event by event");
        NS_TEST_EXPECT_MSG_EQ(Count(12000, true), 1 + 3 + 1 + 2 * 3 + 2 * 3, "three, in batches");
    }
};

/** Where there can be no batches. */
class BatchLimitsTestCase : public TestCase
{
  public:
    BatchLimitsTestCase()
        : TestCase("An observer that needs the order sees that of time across switches")
    {
    }

  private:
    /** Sees whether ticks ever go back. */
    class OrderWatch : public FrameTransmitter::Observer
    {
      public:
        void FrameArrived(const FrameTransmitter&, const Frame&, uint64_t tick) override
        {
            backward += tick < last;
            early += tick != static_cast<uint64_t>(Simulator::Now().GetTimeStep());
            last = tick;
            ++frames;
        }

        uint64_t last = 0;     //!< tick
        uint64_t backward = 0; //!< ticks that lay before the one before
        uint64_t early = 0;    //!< ticks that were not the simulator's time
        uint64_t frames = 0;   //!< arrivals
    };

    void DoRun() override
    {
        OrderWatch watch;
        SmallNetwork::SetComparison();
        SmallNetwork net;
        net.MakeFatTree(4);
        net.network->SetObserver(&watch);
        net.SendAllToAll(20000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(watch.frames, 10000, "arrivals");
        NS_TEST_EXPECT_MSG_EQ(watch.backward, 0, "in the order of time");
        NS_TEST_EXPECT_MSG_EQ(watch.early, 0, "at their time");
    }
};

/** A small buffer, so that pauses come early. @param bytes its size */
void
SetBuffer(uint64_t bytes)
{
    Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(bytes));
    Config::SetDefault("ns3::llm::FabricSwitch::MaxFrameSize", UintegerValue(4500));
}

/** Marks and timeouts that come early. */
void
SetEarly()
{
    Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(5000));
    Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(50000));
    Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                       TimeValue(MicroSeconds(100)));
}

/** Some links fail and come back. @param net the network */
void
FailLinks(SmallNetwork& net)
{
    for (uint32_t link = 1; link < net.network->GetLinkCount(); link += 6)
    {
        net.network->SetLinkState(link, NanoSeconds(20000 + 511 * link), false);
        net.network->SetLinkState(link, NanoSeconds(60000 + 977 * link), true);
    }
}

/** A row of switches with links of all lengths, the shortest of a picosecond. @param net gets it */
void
MakeUnevenRow(SmallNetwork& net)
{
    net.AddHosts(6);
    std::vector<uint32_t> switches;
    for (uint32_t i = 0; i < 3; ++i)
    {
        switches.push_back(net.AddSwitch(0, i));
    }
    for (uint32_t i = 0; i < 6; ++i)
    {
        net.network->Connect(net.hosts[i],
                             switches[i / 2],
                             DataRate(i % 2 == 0 ? "100Gbps" : "40Gbps"),
                             NanoSeconds(i == 3 ? 5 : 100 * (i + 1)));
    }
    net.network->Connect(switches[0], switches[1], DataRate("100Gbps"), PicoSeconds(1));
    net.network->Connect(switches[1], switches[2], DataRate("400Gbps"), MicroSeconds(3));
    net.Finish();
}

/** The suite. */
class FabricBatchTestSuite : public TestSuite
{
  public:
    FabricBatchTestSuite()
        : TestSuite("llm-fabric-fabric-batch", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new BatchEventsTestCase);
        AddTestCase(new BatchLimitsTestCase);
        AddWorkloads();
        for (const std::string control : {"Dcqcn",
                                          "DcqcnDevice",
                                          "DctcpWindow",
                                          "Hpcc",
                                          "NoCongestionControl",
                                          "Nscc",
                                          "PowerTcp",
                                          "Swift",
                                          "Timely"})
        {
            BatchBench bench;
            bench.seed = 7;
            bench.messages = 80;
            bench.setUp = [control]()
            {
                SetEarly();
                SetBuffer(400000);
                Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                                   StringValue("ns3::llm::" + control));
            };
            bench.start = [](SmallNetwork& net)
            {
                net.SendIncast(60000);
            };
            Add("Incast with " + control, bench, [](const Outcome& o) { return o.delivered > 80; });
        }
    }

  private:
    /** @param name of a case @param bench its workload @param check whether that is as meant */
    void Add(const std::string& name,
             const BatchBench& bench,
             const std::function<bool(const Outcome&)>& check)
    {
        AddTestCase(new BatchEqualityTestCase(name, bench, check));
    }

    /** Cases with the usual control. */
    void AddWorkloads()
    {
        BatchBench plain;
        plain.setUp = []()
        {
            SetEarly();
        };
        Add("Random messages", plain, [](const Outcome& o) { return o.marks > 100; });
        BatchBench pauses;
        pauses.seed = 2;
        pauses.setUp = []()
        {
            SetEarly();
            SetBuffer(350000);
        };
        pauses.start = [](SmallNetwork& net)
        {
            net.SendIncast(150000);
        };
        Add("Pauses", pauses, [](const Outcome& o) { return o.pauses > 20 && o.cnps > 20; });
        BatchBench failures = pauses;
        failures.seed = 3;
        failures.start = [](SmallNetwork& net)
        {
            net.SendIncast(100000);
            FailLinks(net);
        };
        Add("Pauses and failing links",
            failures,
            [](const Outcome& o) { return o.pauses > 20 && o.lost > 20; });
        BatchBench lossy = pauses;
        lossy.seed = 4;
        lossy.setUp = []()
        {
            SetEarly();
            SetBuffer(300000);
            Config::SetDefault("ns3::llm::FabricSwitch::Pfc", BooleanValue(false));
        };
        Add("Drops without PFC", lossy, [](const Outcome& o) { return o.drops > 20; });
        BatchBench losses = pauses;
        losses.seed = 5;
        losses.setUp = []()
        {
            SetEarly();
            SetBuffer(400000);
            Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss",
                               StringValue("ns3::llm::BurstLoss"));
            Config::SetDefault("ns3::llm::BurstLoss::GoodTime", TimeValue(MicroSeconds(50)));
        };
        Add("Bursts of losses", losses, [](const Outcome& o) { return o.drops > 20; });
        BatchBench uneven;
        uneven.seed = 6;
        uneven.isLong = false;
        uneven.messages = 60;
        uneven.setUp = []()
        {
            SetEarly();
            SetBuffer(400000);
        };
        uneven.build = &MakeUnevenRow;
        Add("Links of all lengths", uneven, [](const Outcome& o) { return o.delivered > 30; });
        BatchBench ties = plain;
        ties.messages = 0;
        ties.setUp = []()
        {
            SmallNetwork::SetComparison();
        };
        ties.start = [](SmallNetwork& net)
        {
            net.SendRing(64000);
        };
        Add("Ties in lock-step", ties, [](const Outcome& o) { return o.delivered == 480; });
    }
};

FabricBatchTestSuite g_fabricBatchTestSuite; //!< registers the suite

} // namespace
