// SPDX-License-Identifier: GPL-2.0-only

// One link: order, pauses and marks.

#include "link-bench.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Data in order, higher classes ahead, in both modes. */
class PriorityTestCase : public TestCase
{
  public:
    PriorityTestCase()
        : TestCase("A higher class overtakes what has not started; order within a class is kept")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            LinkBench bench("100Gbps", MicroSeconds(1), isReference);
            for (uint64_t psn = 0; psn < 6; ++psn)
            {
                bench.Queue(1000, 1000, psn);
            }
            // in the second frame (81000 to 161000 ps) two of class 6, exactly at its end one more
            bench.Queue(100000, 100, 100, 6);
            bench.Queue(110000, 100, 101, 6);
            bench.Queue(110000, 1000, 6, 3);
            bench.Queue(161000, 100, 102, 6);
            Simulator::Run();
            const std::vector<LinkBench::Arrival> expected{
                {1081000, 0, 3, false},
                {1161000, 1, 3, false},
                {1169000, 100, 6, false},
                {1177000, 101, 6, false},
                {1185000, 102, 6, false},
                {1265000, 2, 3, false},
                {1345000, 3, 3, false},
                {1425000, 4, 3, false},
                {1505000, 5, 3, false},
                {1585000, 6, 3, false},
            };
            const bool isEqual = bench.arrivals == expected;
            NS_TEST_EXPECT_MSG_EQ(isEqual, true, "arrivals, reference mode " << isReference);
            NS_TEST_EXPECT_MSG_EQ(bench.near.GetCounters().frames, 10, "frames");
            NS_TEST_EXPECT_MSG_EQ(bench.near.GetCounters().wireBytes, 7300, "bytes");
            NS_TEST_EXPECT_MSG_EQ(bench.pool.GetTaken(), 0, "frames are back in the pool");
        }
    }
};

/** What a port stamps into data frames, by hand. */
class TelemetryTestCase : public TestCase, public FrameTransmitter::Observer
{
  public:
    TelemetryTestCase()
        : TestCase("A switch's port stamps data frames that ask for it when they leave")
    {
    }

    void FrameArrived(const FrameTransmitter&, const Frame& frame, uint64_t) override
    {
        const FrameTelemetry& telemetry = FrameTelemetry::Of(&frame);
        m_stamps[frame.psn] = {telemetry.hops.begin(), telemetry.hops.begin() + telemetry.count};
    }

  private:
    /** Queue a frame that asks for telemetry. @param bench the link @param tick when @param bytes its
     * size @param psn its number @param trafficClass its class @param kind what it is */
    void Queue(LinkBench& bench,
               uint64_t tick,
               uint32_t bytes,
               uint64_t psn,
               uint8_t trafficClass,
               FrameKind kind = FrameKind::DATA)
    {
        bench.At(tick,
                 [this, &bench, bytes, psn, trafficClass, kind]()
                 {
                     Frame* frame = bench.MakeFrame(bytes, psn, trafficClass);
                     frame->kind = kind;
                     frame->flags = Frame::TELEMETRY;
                     FrameTelemetry::Of(frame).count = 0;
                     m_buffer.Admit(0, trafficClass, bytes);
                     bench.near.Enqueue(frame);
                 });
    }

    /** @param isReference reference mode @param isSwitch whether the port has a buffer */
    void Run(bool isReference, bool isSwitch)
    {
        LinkBench bench("100Gbps", MicroSeconds(1), isReference);
        bench.pool.MakeRoomForTelemetry();
        bench.near.AddObserver(this);
        SharedBuffer::Config config;
        config.totalBytes = 1000000;
        m_buffer.Configure(config, {0});
        bench.near.SetBuffer(isSwitch ? &m_buffer : nullptr);
        m_stamps.clear();
        for (uint64_t psn = 0; psn < 5; ++psn)
        {
            Queue(bench, 1000, 1000, psn, 3);
        }
        Queue(bench, 100000, 100, 100, 6); // goes ahead of 2, 3 and 4
        Queue(bench, 500000, 60, 101, 3, FrameKind::ACK);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_stamps.size(), 7, "frames");
    }

    void DoRun() override
    {
        struct Expected
        {
            uint64_t psn;
            uint64_t tick;
            uint64_t txBytes;
            uint32_t queueBytes;
        };

        // 1000 B take 80000 ps, and 100 B 8000
        const std::vector<Expected> all{{0, 1000, 0, 0},
                                        {1, 81000, 1000, 3000},
                                        {100, 161000, 2000, 3000},
                                        {2, 169000, 2100, 2000},
                                        {3, 249000, 3100, 1000},
                                        {4, 329000, 4100, 0}};
        for (const bool isReference : {false, true})
        {
            Run(isReference, true);
            for (const Expected& expected : all)
            {
                const std::vector<HopTelemetry>& hops = m_stamps[expected.psn];
                NS_TEST_ASSERT_MSG_EQ(hops.size(), 1, "one switch, frame " << expected.psn);
                NS_TEST_EXPECT_MSG_EQ(hops[0].tick, expected.tick, "frame " << expected.psn);
                NS_TEST_EXPECT_MSG_EQ(hops[0].txBytes, expected.txBytes, "frame " << expected.psn);
                NS_TEST_EXPECT_MSG_EQ(hops[0].queueBytes,
                                      expected.queueBytes,
                                      "frame " << expected.psn);
                NS_TEST_EXPECT_MSG_EQ(hops[0].rateBps, 1e11, "line rate");
                NS_TEST_EXPECT_MSG_EQ(hops[0].port, 1, "place of the near end");
            }
            NS_TEST_EXPECT_MSG_EQ(m_stamps[101].size(), 0, "an ACK brings what is there");
        }
        Run(false, false);
        NS_TEST_EXPECT_MSG_EQ(m_stamps[4].size(), 0, "a NIC's port stamps nothing");
    }

    SharedBuffer m_buffer;                                  //!< of the switch
    std::map<uint64_t, std::vector<HopTelemetry>> m_stamps; //!< what arrived, by PSN
};

/** A pause stops the next frame start and nothing else. */
class PauseTestCase : public TestCase
{
  public:
    PauseTestCase()
        : TestCase("A pause blocks the next frame start from its reception on; a frame in flight "
                   "goes on")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            // frames start at 1000 + 80000 i; receptions just before, at and after a start
            for (const int64_t offset : {-1, 0, 1, 40000, 79999})
            {
                Check(isReference, offset);
            }
        }
    }

    /** @param isReference mode @param offset of the reception from the start of frame 20, ps */
    void Check(bool isReference, int64_t offset)
    {
        LinkBench bench("100Gbps", MicroSeconds(1), isReference);
        for (uint64_t psn = 0; psn < 40; ++psn)
        {
            bench.Queue(1000, 1000, psn);
        }
        const uint64_t start20 = 1000 + 20 * 80000;
        const uint64_t lag = 84 * 80 + 1000000;
        const uint64_t stopped = bench.Pause(start20 + offset - lag, true);
        NS_TEST_ASSERT_MSG_EQ(stopped, start20 + offset, "reception");
        bench.Pause(3000000, false);
        const uint64_t resumed = 3000000 + lag;
        bench.Queue(2500000, 100, 500, 6); // another class is not stopped
        Simulator::Run();
        // a frame that starts in the tick of the reception has started
        const uint64_t before = offset >= 0 ? 21 : 20;
        NS_TEST_ASSERT_MSG_EQ(bench.arrivals.size(), 41, "frames");
        for (uint64_t i = 0; i < 41; ++i)
        {
            const LinkBench::Arrival& arrival = bench.arrivals[i];
            if (i == before)
            {
                NS_TEST_EXPECT_MSG_EQ(arrival.psn, 500, "the other class");
                NS_TEST_EXPECT_MSG_EQ(arrival.tick, 2500000 + 8000 + 1000000, "the other class");
                continue;
            }
            const uint64_t psn = i < before ? i : i - 1;
            const uint64_t start =
                psn < before ? 1000 + 80000 * psn : resumed + 80000 * (psn - before);
            NS_TEST_EXPECT_MSG_EQ(arrival.psn, psn, "order");
            NS_TEST_EXPECT_MSG_EQ(arrival.tick,
                                  start + 80000 + 1000000,
                                  "frame " << psn << ", offset " << offset << ", reference "
                                           << isReference);
        }
        NS_TEST_EXPECT_MSG_EQ(bench.near.GetCounters().pausedTicks,
                              resumed - stopped,
                              "time paused");
        NS_TEST_EXPECT_MSG_EQ(bench.near.GetCounters().pausesReceived, 1, "pauses");
        NS_TEST_EXPECT_MSG_EQ(bench.far.GetCounters().pausesSent, 1, "pauses");
        NS_TEST_EXPECT_MSG_EQ(bench.readyCalls, 1, "the owner is told");
    }
};

/** Shares of marked frames at given queue lengths. */
class MarkingTestCase : public TestCase
{
  public:
    MarkingTestCase()
        : TestCase("Marks follow the RED profile: 0 to Kmin, a line to Pmax at Kmax, then 1")
    {
    }

  private:
    static constexpr uint32_t DRAWS = 20000; //!< frames observed

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Count(400, 1), 0, "at Kmin");
        NS_TEST_EXPECT_MSG_EQ(Count(1601, 1), DRAWS, "above Kmax");
        // four standard deviations
        NS_TEST_EXPECT_MSG_EQ_TOL(Count(1000, 1) / double{DRAWS}, 0.1, 0.0085, "half-way");
        NS_TEST_EXPECT_MSG_EQ_TOL(Count(1600, 1) / double{DRAWS}, 0.2, 0.0113, "at Kmax");
        NS_TEST_EXPECT_MSG_EQ_TOL(Count(1600, 2) / double{DRAWS}, 0.2, 0.0113, "another seed");
        const auto first = Marked(1000, 1, false);
        const bool sameAgain = first == Marked(1000, 1, false);
        const bool sameInReference = first == Marked(1000, 1, true);
        const bool otherSeed = first == Marked(1000, 2, false);
        NS_TEST_EXPECT_MSG_EQ(sameAgain, true, "same seed, same marks");
        NS_TEST_EXPECT_MSG_EQ(sameInReference, true, "reference mode, same marks");
        NS_TEST_EXPECT_MSG_EQ(otherSeed, false, "another seed, other marks");
    }

    /** @param kilobytes queue at each departure @param seed of the draws @return frames marked */
    uint32_t Count(uint32_t kilobytes, uint64_t seed)
    {
        const std::vector<bool> marked = Marked(kilobytes, seed, false);
        return static_cast<uint32_t>(std::count(marked.begin(), marked.end(), true));
    }

    /** @param kilobytes queue at each departure, the leaving frame included @param seed of the draws
     * @param isReference mode @return whether each of DRAWS frames was marked */
    std::vector<bool> Marked(uint32_t kilobytes, uint64_t seed, bool isReference)
    {
        LinkBench bench("100Gbps", MicroSeconds(1), isReference);
        EcnProfile profile;
        profile.minBytes = 400000;
        profile.maxBytes = 1600000;
        profile.maxProbability = 0.2;
        bench.near.SetEcn(profile, seed);
        bench.Pause(1, true);
        const uint64_t resumed = bench.Pause(10000000, false);
        for (uint64_t psn = 0; psn < kilobytes + DRAWS; ++psn)
        {
            // as one leaves the next one comes
            const bool isThere = psn < kilobytes;
            bench.Queue(isThere ? 5000000 : resumed + 80000 * (psn - kilobytes) + 40000, 1000, psn);
        }
        Simulator::Run();
        std::vector<bool> marked;
        for (uint32_t i = 0; i < DRAWS; ++i)
        {
            marked.push_back(bench.arrivals[i].isMarked);
        }
        return marked;
    }
};

/** What comes when links are idle, busy, paused, down and up, chosen at random. */
class RandomScheduleTestCase : public TestCase
{
  public:
    RandomScheduleTestCase()
        : TestCase("One event per hop and one decision per frame agree on random schedules")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t pauses = 0;
        uint64_t lost = 0;
        uint64_t marks = 0;
        for (uint32_t seed = 0; seed < 300; ++seed)
        {
            const auto [one, a] = RunOne(seed, false);
            const auto [reference, b] = RunOne(seed, true);
            const bool isEqual = one == reference;
            NS_TEST_ASSERT_MSG_EQ(isEqual, true, "arrivals, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(a.frames, b.frames, "frames, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(a.marks, b.marks, "marks, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(a.lost, b.lost, "lost, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(a.pausedTicks, b.pausedTicks, "time paused, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(a.maxQueueBytes, b.maxQueueBytes, "longest queue " << seed);
            pauses += a.pausesReceived;
            lost += a.lost;
            marks += a.marks;
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 500, "the schedules had pauses");
        NS_TEST_EXPECT_MSG_GT(lost, 500, "the schedules had losses");
        NS_TEST_EXPECT_MSG_GT(marks, 500, "the schedules had marks");
    }

    /** @param seed of the schedule @param isReference mode @return arrivals and counters */
    std::pair<std::vector<LinkBench::Arrival>, PortCounters> RunOne(uint32_t seed, bool isReference)
    {
        std::mt19937 random(seed);
        LinkBench bench("100Gbps", NanoSeconds(10), isReference);
        EcnProfile profile;
        profile.minBytes = 200;
        profile.maxBytes = 800;
        profile.maxProbability = 0.5;
        bench.near.SetEcn(profile, 7);
        const uint32_t step = seed % 2 ? 4000 : 1000; // ticks that frame ends hit, or seldom hit
        uint32_t queued = 0;
        for (uint64_t psn = 1; psn <= 150; ++psn)
        {
            const uint64_t tick = step * (1 + random() % 1500);
            const uint32_t bytes = 50 + 50 * (random() % 4);
            const auto trafficClass = static_cast<uint8_t>(random() % 3 * 2 + 1);
            bench.Queue(tick, bytes, psn, trafficClass);
            ++queued;
        }
        for (uint32_t i = 0; i < 12; ++i)
        {
            const bool stop = i % 2 == 0;
            bench.Pause(step * (100 * i + 1 + random() % 100), stop, i % 4 < 2 ? 3 : 5);
        }
        if (seed % 3 == 0)
        {
            const uint64_t down = step * (300 + random() % 300);
            for (const bool isUp : {false, true})
            {
                bench.At(down + (isUp ? 150 * step : 0),
                         [&bench, isUp]()
                         {
                             bench.near.SetUp(isUp);
                             bench.far.SetUp(isUp);
                         });
            }
        }
        bench.Pause(step * 1600, false, 3);
        bench.Pause(step * 1601, false, 5);
        Simulator::Run();
        const PortCounters& counters = bench.near.GetCounters();
        NS_TEST_EXPECT_MSG_EQ(bench.arrivals.size() + counters.lost, queued, "conservation");
        NS_TEST_EXPECT_MSG_EQ(bench.pool.GetTaken(), 0, "frames are back in the pool");
        NS_TEST_EXPECT_MSG_EQ(bench.near.GetQueueBytes(bench.clock->NowTicks()), 0, "queue");
        uint64_t last = 0;
        for (const auto& arrival : bench.arrivals)
        {
            NS_TEST_EXPECT_MSG_GT(arrival.tick, last, "one after the other");
            last = arrival.tick;
        }
        return {bench.arrivals, counters};
    }
};

/** The suite. */
class FabricLinkTestSuite : public TestSuite
{
  public:
    FabricLinkTestSuite()
        : TestSuite("llm-fabric-fabric-link", TestSuite::Type::UNIT)
    {
        AddTestCase(new PriorityTestCase);
        AddTestCase(new TelemetryTestCase);
        AddTestCase(new PauseTestCase);
        AddTestCase(new MarkingTestCase);
        AddTestCase(new RandomScheduleTestCase);
    }
};

FabricLinkTestSuite g_fabricLinkTestSuite; //!< registers the suite

} // namespace
