// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fluid-domain.h"
#include "ns3/fluid-transport.h"
#include "ns3/frame-clock.h"
#include "ns3/global-value.h"
#include "ns3/input-error.h"
#include "ns3/max-min-shares.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/time-resolution.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** The engines under which results must be equal. */
const char* const ENGINES[] = {"ns3::llm::FrameSimulatorImpl", "ns3::DefaultSimulatorImpl"};

/** A transfer and when it is handed over. */
struct Posting
{
    uint64_t tick;          //!< when, ps
    FluidTransfer transfer; //!< what
};

/** What the owner of a domain saw. */
struct Seen
{
    uint64_t tick;    //!< when, ps
    bool isAck;       //!< acknowledged, or delivered
    uint64_t handle;  //!< which transfer
    uint32_t context; //!< at which node

    /**
     * @param other another one
     * @return whether they are equal
     */
    bool operator==(const Seen& other) const
    {
        return std::tie(tick, isAck, handle, context) ==
               std::tie(other.tick, other.isAck, other.handle, other.context);
    }
};

/** A fluid domain under one engine; node of port p is p + 50. */
class FluidFixture
{
  public:
    /**
     * @param engine TypeId of the engine
     * @param ports number of ports
     * @param rate attribute
     * @param overhead attribute
     * @param delay attribute
     */
    explicit FluidFixture(const std::string& engine,
                          uint32_t ports,
                          const std::string& rate = "8Gb/s",
                          double overhead = 1,
                          Time delay = Time(0))
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(engine));
        clock = Create<FrameClock>();
        domain = CreateObject<FluidDomain>();
        domain->SetAttribute("DataRate", DataRateValue(DataRate(rate)));
        domain->SetAttribute("WireOverhead", DoubleValue(overhead));
        domain->SetAttribute("Delay", TimeValue(delay));
        std::vector<uint32_t> nodes;
        for (uint32_t port = 0; port < ports; ++port)
        {
            nodes.push_back(port + 50);
        }
        domain->Setup(clock, nodes);
        domain->SetCallbacks(MakeCallback(&FluidFixture::OnDelivered, this),
                             MakeCallback(&FluidFixture::OnAcknowledged, this));
    }

    ~FluidFixture()
    {
        Simulator::Destroy();
        domain->Dispose();
        GlobalValue::Bind("SimulatorImplementationType", StringValue(ENGINES[1]));
    }

    FluidFixture(const FluidFixture&) = delete;
    FluidFixture& operator=(const FluidFixture&) = delete;

    /**
     * @param posting what to hand over
     */
    void Post(const Posting& posting)
    {
        Simulator::ScheduleWithContext(posting.transfer.source + 50,
                                       TimeStep(posting.tick),
                                       [this, posting] { domain->Send(posting.transfer); });
    }

    /** @return by handle, when it was delivered */
    std::map<uint64_t, uint64_t> GetDeliveries() const
    {
        std::map<uint64_t, uint64_t> result;
        for (const Seen& one : seen)
        {
            if (!one.isAck)
            {
                result[one.handle] = one.tick;
            }
        }
        return result;
    }

    Ptr<FrameClock> clock;   //!< the time
    Ptr<FluidDomain> domain; //!< under test
    std::vector<Seen> seen;  //!< in order

  private:
    /**
     * @param transfer delivered
     */
    void OnDelivered(const FluidTransfer& transfer)
    {
        seen.push_back({static_cast<uint64_t>(Simulator::Now().GetTimeStep()),
                        false,
                        transfer.handle,
                        Simulator::GetContext()});
    }

    /**
     * @param transfer acknowledged
     */
    void OnAcknowledged(const FluidTransfer& transfer)
    {
        seen.push_back({static_cast<uint64_t>(Simulator::Now().GetTimeStep()),
                        true,
                        transfer.handle,
                        Simulator::GetContext()});
    }
};

/** Sharing alone: any history leads to the same, max-min fair rates. */
class SharesCase : public TestCase
{
  public:
    SharesCase()
        : TestCase("shares are max-min fair after any history")
    {
    }

  private:
    static constexpr uint32_t RESOURCES = 24; //!< 12 ports, each way

    /** Numbers of a live flow. */
    struct Live
    {
        uint32_t number; //!< in the instance under test
        uint32_t first;  //!< resource
        uint32_t second; //!< resource
    };

    void DoRun() override
    {
        std::mt19937 random(11);
        MaxMinShares shares(RESOURCES);
        std::vector<uint64_t> capacities;
        for (uint32_t i = 0; i < RESOURCES; ++i)
        {
            capacities.push_back(1000 + random() % 5000);
            shares.SetCapacity(i, capacities[i]);
        }
        std::vector<Live> live;
        for (uint32_t round = 0; round < 600; ++round)
        {
            // few flows at first and last, many between: the graph falls apart and comes together
            const uint32_t target = 5 + 60 * (round < 300 ? round : 600 - round) / 300;
            for (uint32_t change = random() % 3 + 1; change > 0; --change)
            {
                if (live.size() > target || (!live.empty() && random() % 3 == 0))
                {
                    const std::size_t gone = random() % live.size();
                    shares.RemoveFlow(live[gone].number);
                    live.erase(live.begin() + gone);
                }
                else
                {
                    const uint32_t first = random() % 12 * 2;
                    const uint32_t second = random() % 12 * 2 + 1;
                    live.push_back({shares.AddFlow(first, second), first, second});
                }
            }
            std::map<uint32_t, uint32_t> before;
            for (const Live& flow : live)
            {
                before[flow.number] = shares.GetBottleneck(flow.number);
            }
            shares.Update();
            const auto& moved = shares.GetMoved();
            for (const Live& flow : live)
            {
                const bool isNamed = std::count(moved.begin(), moved.end(), flow.number) == 1;
                NS_TEST_ASSERT_MSG_EQ(isNamed,
                                      (before[flow.number] != shares.GetBottleneck(flow.number)),
                                      "exactly the moved flows are named");
            }
            CheckFair(shares, capacities, live);
            CheckFresh(shares, capacities, live, random);
        }
    }

    /**
     * Every flow has a bottleneck: a resource without anything to give, where none gets more.
     * @param shares under test
     * @param capacities of the resources
     * @param live the flows
     */
    void CheckFair(const MaxMinShares& shares,
                   const std::vector<uint64_t>& capacities,
                   const std::vector<Live>& live)
    {
        std::vector<uint64_t> load(RESOURCES);
        std::vector<uint64_t> most(RESOURCES);
        std::vector<uint64_t> count(RESOURCES);
        for (const Live& flow : live)
        {
            for (uint32_t used : {flow.first, flow.second})
            {
                load[used] += shares.GetRate(flow.number);
                most[used] = std::max(most[used], shares.GetRate(flow.number));
                ++count[used];
            }
        }
        for (uint32_t i = 0; i < RESOURCES; ++i)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(load[i], capacities[i], "never above capacity");
            NS_TEST_ASSERT_MSG_EQ(shares.GetLoad(i), load[i], "load is the sum of rates");
            NS_TEST_ASSERT_MSG_EQ(shares.GetFlowCount(i), count[i], "flows");
        }
        for (const Live& flow : live)
        {
            const uint64_t rate = shares.GetRate(flow.number);
            const uint32_t used = shares.GetBottleneck(flow.number);
            NS_TEST_ASSERT_MSG_EQ((used == flow.first || used == flow.second), true, "its own");
            NS_TEST_ASSERT_MSG_EQ(rate, shares.GetLevel(used), "the bottleneck's level");
            // rounding down leaves less than one unit a flow
            NS_TEST_ASSERT_MSG_LT(capacities[used] - load[used], count[used], "not full");
            NS_TEST_ASSERT_MSG_EQ(rate, most[used], "another flow gets more");
        }
    }

    /**
     * An instance without a history, built in another order, gives the same rates.
     * @param shares under test
     * @param capacities of the resources
     * @param live the flows
     * @param random for the order
     */
    void CheckFresh(const MaxMinShares& shares,
                    const std::vector<uint64_t>& capacities,
                    std::vector<Live> live,
                    std::mt19937& random)
    {
        MaxMinShares fresh(RESOURCES);
        for (uint32_t i = 0; i < RESOURCES; ++i)
        {
            fresh.SetCapacity(i, capacities[i]);
        }
        std::shuffle(live.begin(), live.end(), random);
        std::vector<uint32_t> numbers;
        for (const Live& flow : live)
        {
            numbers.push_back(fresh.AddFlow(flow.first, flow.second));
        }
        fresh.Update();
        for (std::size_t i = 0; i < live.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(fresh.GetRate(numbers[i]),
                                  shares.GetRate(live[i].number),
                                  "history enters");
        }
    }
};

/** What a hand-computed case consists of. */
struct HandCase
{
    const char* name;               //!< a sentence
    std::vector<Posting> postings;  //!< handles count from 0
    std::vector<uint64_t> expected; //!< delivery by handle, ps
    bool isTriangle;                //!< ports have rates of their own
};

/** Cases whose times were computed by hand; 8 Gb/s are 1000 ps a byte. */
class HandComputedCase : public TestCase
{
  public:
    HandComputedCase()
        : TestCase("hand-computed transfers end at the very picosecond")
    {
    }

  private:
    void DoRun() override
    {
        // everything is seen 2 ps later: one tick into the domain and one out of it
        const std::vector<HandCase> cases{
            {"alone", {{0, {0, 1, 0, 0, 1000, 0}}}, {1000002}, false},
            {"both ways at once",
             {{0, {0, 1, 0, 0, 1000, 0}}, {0, {1, 0, 0, 0, 1000, 1}}},
             {1000002, 1000002},
             false},
            {"a shared sender: 4 Gb/s each for 2 us, then 2000 B are left for 8 Gb/s",
             {{0, {0, 1, 0, 0, 1000, 0}}, {0, {0, 2, 0, 0, 3000, 1}}},
             {2000002, 4000002},
             false},
            {"a later one at a shared receiver: 1000 B alone, then both at 4 Gb/s, then alone",
             {{0, {0, 1, 0, 0, 4000, 0}}, {1000000, {2, 1, 0, 0, 1000, 1}}},
             {5000002, 3000002},
             false},
            {"one queue is served in order, and an empty transfer keeps its place",
             {{0, {0, 1, 0, 0, 1000, 0}}, {0, {0, 1, 0, 0, 10, 1}}, {0, {0, 1, 0, 0, 0, 2}}},
             {1000002, 1010002, 1010002},
             false},
            {"two queues of a pair share: 10 B at half the rate, then 990 B are left",
             {{0, {0, 1, 0, 0, 1000, 0}}, {0, {0, 1, 1, 0, 10, 1}}},
             {1010002, 20002},
             false},
            {"an empty one alone", {{0, {0, 1, 0, 0, 0, 0}}}, {2}, false},
            // port 0 sends at 8, port 2 receives at 6 Gb/s. First port 2 is tight: 3 and 3, and 5
            // for the first transfer. At 4 us the third ends; 2500 B and 1500 B are left at 4 Gb/s
            // each (port 0). At 7 us the second ends; 1000 B are left for 8 Gb/s.
            {"a triangle with two bottlenecks",
             {{0, {0, 1, 0, 0, 5000, 0}}, {0, {0, 2, 0, 0, 3000, 1}}, {0, {1, 2, 0, 0, 1500, 2}}},
             {8000002, 7000002, 4000002},
             true},
        };
        for (const HandCase& hand : cases)
        {
            for (const char* engine : ENGINES)
            {
                FluidFixture fixture(engine, 3);
                if (hand.isTriangle)
                {
                    fixture.domain->SetPortRates(2, DataRate("8Gb/s"), DataRate("6Gb/s"));
                    fixture.domain->SetPortRates(1, DataRate("8Gb/s"), DataRate("12Gb/s"));
                }
                for (const Posting& posting : hand.postings)
                {
                    fixture.Post(posting);
                }
                Simulator::Run();
                const auto deliveries = fixture.GetDeliveries();
                NS_TEST_ASSERT_MSG_EQ(deliveries.size(), hand.expected.size(), hand.name);
                for (const auto& [handle, tick] : deliveries)
                {
                    NS_TEST_EXPECT_MSG_EQ(tick, hand.expected[handle], hand.name << " " << engine);
                }
                NS_TEST_EXPECT_MSG_EQ(fixture.domain->GetUnfinishedCount(), 0, hand.name);
            }
        }
    }
};

/** Rounding, overhead and delay of a single transfer. */
class SingleTransferCase : public TestCase
{
  public:
    SingleTransferCase()
        : TestCase("a lone transfer takes its wire bits over the rate, rounded up, and the delay")
    {
    }

  private:
    /** One setting. */
    struct Row
    {
        const char* rate; //!< of the ports
        double overhead;  //!< WireOverhead
        uint64_t bytes;   //!< payload
        uint64_t ticks;   //!< by hand, without the delay
    };

    void DoRun() override
    {
        const Row rows[] = {
            {"3000Gb/s", 1, 1, 3},                                 // 2.67
            {"400Gb/s", 1, 1048, 20960},                           // 20 ps a byte
            {"400Gb/s", 4178.0 / 4096.0, 4096, 83560},             // 4178 x 20
            {"400Gb/s", 4178.0 / 4096.0, 1, 21},                   // 20.4
            {"2400Gb/s", 1, 2097152, 6990507},                     // 6990506.67
            {"281000Gb/s", 1, 1000, 29},                           // 28.47
            {"1Mb/s", 1.5, 1000000, 12'000'000'000'000},           // 12 s
            {"1000Gb/s", 1, 1'000'000'000'000, 8'000'000'000'000}, // 8 s
        };
        for (const char* engine : ENGINES)
        {
            for (const Row& row : rows)
            {
                FluidFixture fixture(engine, 2, row.rate, row.overhead, NanoSeconds(7));
                fixture.Post({0, {1, 0, 0, 0, row.bytes, 0}});
                Simulator::Run();
                NS_TEST_ASSERT_MSG_EQ(fixture.seen.size(), 2, "both ends");
                const uint64_t delivered = row.ticks + 7000 + 2;
                NS_TEST_EXPECT_MSG_EQ(fixture.seen[0].tick, delivered, row.rate << row.bytes);
                NS_TEST_EXPECT_MSG_EQ(fixture.seen[0].context, 50, "at the destination");
                NS_TEST_EXPECT_MSG_EQ(fixture.seen[1].tick, delivered + 7000, row.rate);
                NS_TEST_EXPECT_MSG_EQ(fixture.seen[1].context, 51, "at the source");
            }
        }
    }
};

/** A ring of 8 driven by arrivals, and the published two-layer job. */
class RingCase : public TestCase
{
  public:
    RingCase()
        : TestCase("a ring of 8 equals its closed form, and the two-layer job its published time")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* engine : ENGINES)
        {
            uint64_t total = 0;
            for (const uint64_t bytes : {16ull << 20, 64ull << 20})
            {
                const uint64_t chunk = bytes / 8;
                const uint64_t step = (chunk * 8 * 10 + 23) / 24 + 6'000'000; // 10/24 ps a bit
                const uint64_t ticks = RunRing(engine, chunk);
                NS_TEST_EXPECT_MSG_EQ(ticks, 14 * (step + 2), "14 steps, " << engine);
                total += ticks;
            }
            const double microseconds = total * 1e-6 + 2 * 556;
            NS_TEST_EXPECT_MSG_EQ_TOL(microseconds, 1769.34, 0.01, "alpha-beta theory");
            NS_TEST_EXPECT_MSG_EQ_TOL(microseconds, 1772.0, 0.002 * 1772, "as published");
        }
    }

    /**
     * @param engine TypeId of the engine
     * @param chunk bytes of each message
     * @return when the last rank has received its last chunk, ps
     */
    uint64_t RunRing(const std::string& engine, uint64_t chunk)
    {
        FluidFixture fixture(engine, 8, "2400Gb/s", 1, MicroSeconds(6));
        std::vector<uint32_t> received(8);
        uint64_t last = 0;
        auto transport = CreateObject<FluidTransport>();
        transport->AddDomain(fixture.domain, {8, 9, 10, 11, 12, 13, 14, 15});
        m_step = [&](const Message& message)
        {
            const uint32_t next = message.destination == 15 ? 8 : message.destination + 1;
            last = Simulator::Now().GetTimeStep();
            if (++received[message.destination - 8] < 14)
            {
                transport->Send({message.destination, next, chunk, 3, 0, message.place + 1, 0});
            }
        };
        transport->SetOwner(3, MakeCallback(&RingCase::OnDelivered, this), {});
        for (uint32_t rank = 8; rank < 16; ++rank)
        {
            transport->Send({rank, rank == 15 ? 8 : rank + 1, chunk, 3, 0, 0, 0});
        }
        Simulator::Run();
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(received[rank], 14, "rank " << rank);
            const FluidPortUse use = fixture.domain->GetPortUse(rank, Simulator::Now());
            NS_TEST_EXPECT_MSG_EQ(use.sentBytes, 14 * chunk, "port " << rank);
            NS_TEST_EXPECT_MSG_EQ(use.receivedWireBytes, 14 * chunk, "port " << rank);
        }
        transport->Dispose();
        return last;
    }

    /**
     * @param message delivered
     */
    void OnDelivered(const Message& message)
    {
        m_step(message);
    }

    std::function<void(const Message&)> m_step; //!< what a rank does next
};

/**
 * The same in floating point, from the definition: at every start and end all rates are found anew
 * by raising all of them together until something is full.
 */
class NaiveFluid
{
  public:
    /**
     * @param postings what is handed over, each in a queue of its own
     * @param ports number of ports
     * @param bps capacity of each, each way
     * @return delivery by handle, ps, without the ticks in and out
     */
    static std::vector<long double>
    Run(const std::vector<Posting>& postings, uint32_t ports, long double bps)
    {
        std::vector<long double> ends(postings.size(), -1);
        std::vector<long double> left(postings.size());
        std::vector<bool> active(postings.size());
        long double now = 0;
        for (;;)
        {
            const std::vector<long double> rates = GetRates(postings, active, ports, bps);
            long double next = 1e30L;
            for (std::size_t i = 0; i < postings.size(); ++i)
            {
                if (ends[i] < 0 && !active[i])
                {
                    next = std::min<long double>(next, postings[i].tick);
                }
                else if (active[i])
                {
                    next = std::min(next, now + left[i] / rates[i]);
                }
            }
            if (next == 1e30L)
            {
                return ends;
            }
            for (std::size_t i = 0; i < postings.size(); ++i)
            {
                if (active[i])
                {
                    left[i] -= rates[i] * (next - now);
                    if (left[i] < 1e-3L)
                    {
                        active[i] = false;
                        ends[i] = next;
                    }
                }
                else if (ends[i] < 0 && postings[i].tick <= next)
                {
                    active[i] = true;
                    left[i] = 8.0L * postings[i].transfer.bytes;
                }
            }
            now = next;
        }
    }

  private:
    /**
     * @param postings all
     * @param active which of them share
     * @param ports number of ports
     * @param bps capacity
     * @return bits a ps
     */
    static std::vector<long double> GetRates(const std::vector<Posting>& postings,
                                             const std::vector<bool>& active,
                                             uint32_t ports,
                                             long double bps)
    {
        std::vector<long double> rates(postings.size());
        std::vector<bool> fixed(postings.size());
        for (;;)
        {
            std::vector<long double> used(2 * ports);
            std::vector<uint32_t> open(2 * ports);
            for (std::size_t i = 0; i < postings.size(); ++i)
            {
                const FluidTransfer& t = postings[i].transfer;
                for (uint32_t side : {2 * t.source, 2 * t.destination + 1})
                {
                    used[side] += rates[i];
                    open[side] += active[i] && !fixed[i];
                }
            }
            long double step = 1e30L;
            for (uint32_t side = 0; side < 2 * ports; ++side)
            {
                if (open[side] > 0)
                {
                    step = std::min(step, (bps * 1e-12L - used[side]) / open[side]);
                }
            }
            if (step == 1e30L)
            {
                return rates;
            }
            for (std::size_t i = 0; i < postings.size(); ++i)
            {
                rates[i] += active[i] && !fixed[i] ? step : 0;
            }
            for (std::size_t i = 0; i < postings.size(); ++i)
            {
                const FluidTransfer& t = postings[i].transfer;
                for (uint32_t side : {2 * t.source, 2 * t.destination + 1})
                {
                    const long double room = bps * 1e-12L - used[side] - open[side] * step;
                    fixed[i] = fixed[i] || room < 1e-12L;
                }
            }
        }
    }
};

/** Random transfers against the naive model, in shuffled order, under both engines. */
class RandomCase : public TestCase
{
  public:
    RandomCase()
        : TestCase("random transfers: as the naive model, conserved, bounded, whatever the order")
    {
    }

  private:
    static constexpr uint32_t PORTS = 7;       //!< of the domain
    static constexpr uint64_t BPS = 700000000; //!< of each port

    void DoRun() override
    {
        std::mt19937 random(5);
        std::vector<Posting> postings;
        for (uint32_t i = 0; i < 400; ++i)
        {
            FluidTransfer transfer;
            transfer.source = random() % PORTS;
            transfer.destination = (transfer.source + 1 + random() % (PORTS - 1)) % PORTS;
            transfer.owner = i;
            transfer.bytes = 1 + random() % 3000;
            transfer.handle = i;
            // many at the same tick
            postings.push_back({random() % 40 * 9'000'000, transfer});
        }
        const auto ends = NaiveFluid::Run(postings, PORTS, BPS);
        std::vector<Seen> first;
        for (uint32_t run = 0; run < 4; ++run)
        {
            FluidFixture fixture(ENGINES[run % 2], PORTS, "700Mb/s", 1, NanoSeconds(3));
            for (const Posting& posting : postings)
            {
                fixture.Post(posting);
            }
            for (uint64_t sample = 1; sample < 300; ++sample)
            {
                Simulator::Schedule(TimeStep(sample * 1'234'567),
                                    [this, &fixture] { Sample(fixture); });
            }
            Simulator::Run();
            Check(fixture, postings, ends);
            first = run == 0 ? fixture.seen : first;
            NS_TEST_EXPECT_MSG_EQ((fixture.seen == first), true, "engine or order of calls enters");
            std::shuffle(postings.begin(), postings.end(), random);
            m_last = {};
        }
    }

    /**
     * Rates stay below capacity, and carried bytes grow as they say.
     * @param fixture while it runs
     */
    void Sample(const FluidFixture& fixture)
    {
        uint64_t sent = 0;
        uint64_t received = 0;
        for (uint32_t port = 0; port < PORTS; ++port)
        {
            const FluidPortUse use = fixture.domain->GetPortUse(port, Simulator::Now());
            NS_TEST_ASSERT_MSG_LT_OR_EQ(use.sendingBps, BPS, "sending above capacity");
            NS_TEST_ASSERT_MSG_LT_OR_EQ(use.receivingBps, BPS, "receiving above capacity");
            const uint64_t possible = BPS / 8 * 1'234'567 / 1'000'000'000'000 + 2;
            NS_TEST_ASSERT_MSG_LT_OR_EQ(use.sentWireBytes - m_last[port], possible, "too fast");
            m_last[port] = use.sentWireBytes;
            sent += use.sentWireBytes;
            received += use.receivedWireBytes;
        }
        // each is rounded down to a byte
        NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(sent),
                                  static_cast<double>(received),
                                  PORTS,
                                  "what is sent is received");
    }

    /**
     * @param fixture after the run
     * @param postings what was handed over
     * @param ends what the naive model says, by handle
     */
    void Check(const FluidFixture& fixture,
               const std::vector<Posting>& postings,
               const std::vector<long double>& ends)
    {
        const auto deliveries = fixture.GetDeliveries();
        NS_TEST_ASSERT_MSG_EQ(deliveries.size(), postings.size(), "all delivered");
        NS_TEST_ASSERT_MSG_EQ(fixture.seen.size(), 2 * postings.size(), "and acknowledged, once");
        std::vector<uint64_t> sent(PORTS);
        std::vector<uint64_t> received(PORTS);
        for (const Posting& posting : postings)
        {
            const FluidTransfer& t = posting.transfer;
            sent[t.source] += t.bytes;
            received[t.destination] += t.bytes;
            const uint64_t tick = deliveries.at(t.handle) - 2 - 3000;
            // each of the starts and ends on the way may round by a picosecond
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(tick),
                                      static_cast<double>(ends[t.handle]),
                                      60,
                                      "transfer " << t.handle);
            NS_TEST_ASSERT_MSG_GT_OR_EQ((tick - posting.tick) * BPS,
                                        t.bytes * 8'000'000'000'000,
                                        "faster than line rate");
        }
        for (uint32_t port = 0; port < PORTS; ++port)
        {
            const FluidPortUse use = fixture.domain->GetPortUse(port, Simulator::Now());
            NS_TEST_EXPECT_MSG_EQ(use.sentBytes, sent[port], "port " << port);
            NS_TEST_EXPECT_MSG_EQ(use.receivedBytes, received[port], "port " << port);
            NS_TEST_EXPECT_MSG_EQ(use.sentWireBytes, sent[port], "port " << port);
            NS_TEST_EXPECT_MSG_EQ(use.receivedWireBytes, received[port], "port " << port);
            NS_TEST_EXPECT_MSG_EQ(use.sendingBps, 0, "idle at last");
        }
    }

    std::map<uint32_t, uint64_t> m_last; //!< wire bytes sent at the last sample, by port
};

/** Every port sends to every other one. */
class AllToAllCase : public TestCase
{
  public:
    AllToAllCase()
        : TestCase("an all-to-all of 72 ends at one tick, its closed form")
    {
    }

  private:
    void DoRun() override
    {
        FluidFixture fixture(ENGINES[0], 72, "71Gb/s");
        for (uint32_t a = 0; a < 72; ++a)
        {
            for (uint32_t b = 0; b < 72; ++b)
            {
                if (a != b)
                {
                    fixture.Post({0, {a, b, 0, 0, 125000, 0}});
                }
            }
        }
        Simulator::Run();
        // 1 Gb/s each: 1 ms
        NS_TEST_ASSERT_MSG_EQ(fixture.seen.size(), 2 * 72 * 71, "all, both ends");
        for (const Seen& one : fixture.seen)
        {
            NS_TEST_ASSERT_MSG_EQ(one.tick, 1'000'000'002, "all alike");
        }
        NS_TEST_EXPECT_MSG_LT(fixture.clock->GetFrameCount(),
                              72 * 71 + 10,
                              "one request each, one start, one end");
    }
};

/** Settings that cannot be. */
class FluidRefusalCase : public TestCase
{
  public:
    FluidRefusalCase()
        : TestCase("rates that cannot be are refused with what is allowed")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* rate : {"0b/s", "999999b/s", "282000Gb/s"})
        {
            std::string text;
            try
            {
                FluidFixture fixture(ENGINES[1], 2, rate);
            }
            catch (const InputError& error)
            {
                text = error.what();
            }
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_NE(text.find("allowed are 1 Mb/s to 281000 Gb/s"),
                                  std::string::npos,
                                  rate << ": " << text);
        }
    }
};

/** The suite. */
class FluidTestSuite : public TestSuite
{
  public:
    FluidTestSuite()
        : TestSuite("llm-fabric-fluid", TestSuite::Type::UNIT)
    {
        AddTestCase(new SharesCase);
        AddTestCase(new HandComputedCase);
        AddTestCase(new SingleTransferCase);
        AddTestCase(new RingCase);
        AddTestCase(new RandomCase);
        AddTestCase(new AllToAllCase);
        AddTestCase(new FluidRefusalCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
};

FluidTestSuite g_fluidTestSuite; //!< registers the suite

} // namespace
