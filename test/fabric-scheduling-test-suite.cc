// SPDX-License-Identifier: GPL-2.0-only

// How classes share a port: by weight, below strict priority.

#include "link-bench.h"
#include "switch-bench.h"

#include "ns3/class-weights.h"
#include "ns3/input-error.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param text weights @param quantum bytes @return them */
ClassWeights
Weights(const std::string& text, uint32_t quantum)
{
    return ClassWeights::Parse("ClassWeights", text, quantum);
}

/** @param bench whose near end sent @return numbers of the frames in the order of arrival */
std::vector<uint64_t>
Order(const LinkBench& bench)
{
    std::vector<uint64_t> order;
    for (const LinkBench::Arrival& arrival : bench.arrivals)
    {
        order.push_back(arrival.psn);
    }
    return order;
}

/** The first rounds, by hand. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("The order of the first frames is that of deficit round robin by hand")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            // Class 3 was there first. Its frame 300 starts alone; then it has a quantum, class 4 two.
            const std::vector<uint64_t> equal =
                Send(isReference, "4:2,3:1", 1000, 1000, 6, 1000, 6);
            const std::vector<uint64_t> wanted =
                {300, 301, 400, 401, 302, 402, 403, 303, 404, 405, 304, 305};
            NS_TEST_EXPECT_MSG_EQ((equal == wanted), true, "equal sizes " << isReference);
            // Class 3: 500 B each, two a round. Class 4: 1500 B, of 1000 earned a round: none, then
            // one with 500 left, then one with nothing left.
            const std::vector<uint64_t> unequal =
                Send(isReference, "4:1,3:1", 1000, 1500, 4, 500, 13);
            const std::vector<uint64_t> byHand = {300,
                                                  301,
                                                  302,
                                                  303,
                                                  304,
                                                  400,
                                                  305,
                                                  306,
                                                  401,
                                                  307,
                                                  308,
                                                  309,
                                                  310,
                                                  402,
                                                  311,
                                                  312,
                                                  403};
            NS_TEST_EXPECT_MSG_EQ((unequal == byHand), true, "unequal sizes " << isReference);
            // a quantum smaller than the frames takes several rounds for each
            const std::vector<uint64_t> small = Send(isReference, "4:2,3:1", 100, 1000, 6, 1000, 6);
            const std::vector<uint64_t> rounds =
                {300, 400, 301, 401, 402, 302, 403, 404, 303, 405, 304, 305};
            NS_TEST_EXPECT_MSG_EQ((small == rounds), true, "small quantum " << isReference);
            CheckEmptied(isReference);
        }
    }

    /** A class runs empty and has a frame again before the next one leaves. @param isReference
     * reference mode */
    void CheckEmptied(bool isReference)
    {
        LinkBench bench("100Gbps", MicroSeconds(1), isReference);
        bench.near.SetWeights(Weights("4:1,3:1", 3000));
        for (uint32_t i = 0; i < 8; ++i)
        {
            bench.Queue(1000, 1000, 300 + i, 3);
        }
        bench.Queue(1000, 1000, 400, 4);
        bench.Queue(330000, 1000, 401, 4); // 400 leaves from 321 to 401 ns
        Simulator::Run();
        const std::vector<uint64_t> wanted = {300, 301, 302, 303, 400, 304, 305, 306, 401, 307};
        NS_TEST_EXPECT_MSG_EQ((Order(bench) == wanted), true, "its turn is over " << isReference);
    }

    /** Queue frames at one tick, those of class 3 first. @param isReference reference mode @param text
     * weights @param quantum bytes @param bytes4 of those of class 4 @param count4 so many of them
     * @param bytes3 of those of class 3 @param count3 so many of them @return the order of arrival */
    static std::vector<uint64_t> Send(bool isReference,
                                      const std::string& text,
                                      uint32_t quantum,
                                      uint32_t bytes4,
                                      uint32_t count4,
                                      uint32_t bytes3,
                                      uint32_t count3)
    {
        LinkBench bench("100Gbps", MicroSeconds(1), isReference);
        bench.near.SetWeights(Weights(text, quantum));
        for (uint32_t i = 0; i < count3; ++i)
        {
            bench.Queue(1000, bytes3, 300 + i, 3);
        }
        for (uint32_t i = 0; i < count4; ++i)
        {
            bench.Queue(1000, bytes4, 400 + i, 4);
        }
        Simulator::Run();
        return Order(bench);
    }
};

/** Shares of classes that always have something to send. */
class SharesTestCase : public TestCase
{
  public:
    SharesTestCase()
        : TestCase("Two and three backlogged classes share by weight, to a quantum and a frame")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            Run(isReference, "4:2,3:1", {0, 0, 0, 1, 2, 0, 0, 0});
            Run(isReference, "5:1,3:3", {0, 0, 0, 3, 0, 1, 0, 0});
            Run(isReference, "5:4,4:2,3:1", {0, 0, 0, 1, 2, 4, 0, 0});
            Run(isReference, "7:1,1:5,0:7", {7, 5, 0, 0, 0, 0, 0, 1});
        }
    }

    /** @param isReference reference mode @param text weights @param weights by class */
    void Run(bool isReference, const std::string& text, const std::array<uint32_t, 8>& weights)
    {
        constexpr uint32_t QUANTUM = 1500;
        constexpr uint32_t LARGEST = 1500;
        std::mt19937 random(7);
        LinkBench bench("100Gbps", MicroSeconds(1), isReference);
        bench.near.SetWeights(Weights(text, QUANTUM));
        std::array<uint64_t, 8> backlog{};
        std::map<uint64_t, uint32_t> sizes;
        uint64_t psn = 0;
        for (uint8_t c = 0; c < 8; ++c)
        {
            while (weights[c] != 0 && backlog[c] < 400000)
            {
                const auto bytes = static_cast<uint32_t>(84 + random() % (LARGEST - 83));
                bench.Queue(1000, bytes, psn, c);
                sizes[psn++] = bytes;
                backlog[c] += bytes;
            }
        }
        Simulator::Run();
        std::array<uint64_t, 8> sent{};
        std::size_t checked = 0;
        for (const LinkBench::Arrival& arrival : bench.arrivals)
        {
            sent[arrival.trafficClass] += sizes[arrival.psn];
            if (sent[arrival.trafficClass] + LARGEST > backlog[arrival.trafficClass])
            {
                break; // one has nothing more to send
            }
            ++checked;
            CheckShares(sent, weights, QUANTUM, LARGEST, text);
        }
        NS_TEST_EXPECT_MSG_GT(checked, 400, "frames while all are backlogged, " << text);
    }

    /** @param sent bytes by class @param weights by class @param quantum bytes @param largest frame
     * @param text weights, for messages */
    void CheckShares(const std::array<uint64_t, 8>& sent,
                     const std::array<uint32_t, 8>& weights,
                     uint32_t quantum,
                     uint32_t largest,
                     const std::string& text)
    {
        for (uint8_t a = 0; a < 8; ++a)
        {
            for (uint8_t b = 0; b < 8; ++b)
            {
                if (weights[a] == 0 || weights[b] == 0)
                {
                    continue;
                }
                // Shreedhar and Varghese, lemma 2: a quantum, and a largest frame of each; the first
                // frame of all left before there was a round
                const double difference = static_cast<double>(sent[a]) / weights[a] -
                                          static_cast<double>(sent[b]) / weights[b];
                const double allowed = quantum + 2.0 * largest / weights[a] + largest / weights[b];
                NS_TEST_ASSERT_MSG_LT(difference, allowed + 1e-6, text << ", " << +a << ", " << +b);
            }
        }
    }
};

/** A strict class. */
class StrictAboveTestCase : public TestCase
{
  public:
    StrictAboveTestCase()
        : TestCase("A class without weight goes ahead of all that have one, also of a higher one")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            LinkBench bench("100Gbps", MicroSeconds(1), isReference);
            bench.near.SetWeights(Weights("6:2,3:1", 1000));
            for (uint64_t i = 0; i < 4; ++i)
            {
                bench.Queue(1000, 1000, 300 + i, 3);
                bench.Queue(1000, 1000, 600 + i, 6);
            }
            // in the second frame, 81000 to 161000 ps, and when no other class waits
            bench.Queue(100000, 1000, 200, 2);
            bench.Queue(100000, 1000, 201, 2);
            bench.Queue(700000, 1000, 202, 2);
            bench.Queue(710000, 1000, 304, 3);
            bench.Queue(710000, 1000, 203, 2);
            Simulator::Run();
            // class 6 was the first to wait, so the round begins with it
            const std::vector<uint64_t>
                wanted{300, 600, 200, 201, 601, 301, 602, 603, 302, 202, 203, 303, 304};
            NS_TEST_EXPECT_MSG_EQ((Order(bench) == wanted), true, "order " << isReference);
            NS_TEST_EXPECT_MSG_EQ(bench.pool.GetTaken(), 0, "frames are back in the pool");
        }
    }
};

/** A pause of one class. */
class PausedTestCase : public TestCase
{
  public:
    PausedTestCase()
        : TestCase("A paused class leaves its share to the others and earns nothing meanwhile")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            LinkBench bench("100Gbps", NanoSeconds(1), isReference);
            bench.near.SetWeights(Weights("5:1,4:1,3:1", 1000));
            for (const uint8_t c : {3, 4, 5})
            {
                for (uint64_t i = 0; i < 40; ++i)
                {
                    bench.Queue(1000, 1000, 100 * c + i, c);
                }
            }
            const uint64_t from = bench.Pause(500000, true, 5);
            const uint64_t to = bench.Pause(1500000, false, 5);
            Simulator::Run();
            std::array<uint32_t, 8> before{};
            std::array<uint32_t, 8> during{};
            std::array<uint32_t, 8> after{};
            for (const auto& arrival : bench.arrivals)
            {
                // frame starts: 80 ns and 1 ns before arrivals
                const uint64_t start = arrival.tick - 81000;
                auto& count = start < from ? before : start < to ? during : after;
                const bool isEarly = start < to + 6 * 80000;
                count[arrival.trafficClass] += start < to || isEarly;
            }
            NS_TEST_EXPECT_MSG_EQ(during[5], 0u, "nothing of the paused class " << isReference);
            NS_TEST_EXPECT_MSG_EQ(during[4] + during[3],
                                  12u,
                                  "the line stays busy: starts at 561 to 1441 ns");
            NS_TEST_EXPECT_MSG_LT(std::max(during[4], during[3]),
                                  std::min(during[4], during[3]) + 2,
                                  "the others share equally");
            for (const uint8_t c : {3, 4, 5})
            {
                NS_TEST_EXPECT_MSG_EQ(after[c], 2u, "two of six frames, class " << +c);
                NS_TEST_EXPECT_MSG_EQ((before[c] >= 2 && before[c] <= 3), true, "class " << +c);
            }
            NS_TEST_EXPECT_MSG_EQ(bench.near.GetPausedTicks(5, 2000000), to - from, "paused");
            NS_TEST_EXPECT_MSG_EQ(bench.near.GetPausedTicks(4, 2000000), 0u, "not paused");
            NS_TEST_EXPECT_MSG_EQ(bench.near.GetCounters().pausedTicks, to - from, "in all");
        }
    }
};

/** A pause in the middle of a turn. */
class PausedTurnTestCase : public TestCase
{
  public:
    PausedTurnTestCase()
        : TestCase("A class that is paused in its turn loses what it had earned")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            LinkBench bench("100Gbps", NanoSeconds(1), isReference);
            bench.near.SetWeights(Weights("5:1,4:1,3:1", 3000));
            for (const uint8_t c : {3, 4, 5})
            {
                for (uint64_t i = 0; i < 20; ++i)
                {
                    bench.Queue(1000, 1000, 100 * c + i, c);
                }
            }
            bench.Pause(590000, true, 4);   // while 400 leaves, from 561 to 641 ns
            bench.Pause(1150000, false, 4); // while 307 leaves, from 1121 to 1201 ns
            Simulator::Run();
            std::vector<uint64_t> first = Order(bench);
            first.resize(26);
            const std::vector<uint64_t> wanted = {300, 301, 302, 303, 500, 501, 502, 400, 304,
                                                  305, 306, 503, 504, 505, 307, 308, 309, 506,
                                                  507, 508, 401, 402, 403, 310, 311, 312};
            NS_TEST_EXPECT_MSG_EQ((first == wanted), true, "order " << isReference);
        }
    }
};

/** Random schedules in both modes. */
class BothModesTestCase : public TestCase
{
  public:
    BothModesTestCase()
        : TestCase("Weighted classes: one event per hop and one decision per frame agree")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t frames = 0;
        uint64_t different = 0;
        for (uint32_t seed = 1; seed <= 300; ++seed)
        {
            const auto fast = RunOne(seed, false, "4:3,3:2,2:1");
            NS_TEST_ASSERT_MSG_EQ((fast == RunOne(seed, true, "4:3,3:2,2:1")),
                                  true,
                                  "seed " << seed);
            different += fast != RunOne(seed, false, "");
            frames += fast.size();
        }
        NS_TEST_EXPECT_MSG_GT(frames, 20000, "frames");
        NS_TEST_EXPECT_MSG_GT(different, 250, "weights matter");
    }

    /** @param seed of the schedule @param isReference reference mode @param text weights
     * @return arrivals */
    static std::vector<LinkBench::Arrival>
    RunOne(uint32_t seed, bool isReference, const std::string& text)
    {
        std::mt19937 random(seed);
        LinkBench bench("100Gbps", NanoSeconds(100), isReference);
        bench.near.SetWeights(Weights(text, 200 + random() % 3000));
        EcnProfile profile;
        profile.minBytes = 2000;
        profile.maxBytes = 20000;
        profile.maxProbability = 0.5;
        bench.near.SetEcn(profile, 5);
        const uint32_t horizon = 1000000 + random() % 9000000; // full load and light load
        for (uint32_t i = 0; i < 100; ++i)
        {
            // whole multiples of 10 ns make ties
            const uint64_t tick = 10000 * (1 + random() % (horizon / 10000));
            const auto c = static_cast<uint8_t>(2 + random() % 5);
            bench.Queue(tick, 84 + random() % 8 * 200, i, c == 6 ? 6 : std::min<uint8_t>(c, 4));
        }
        for (uint32_t i = 0; i < random() % 4; ++i)
        {
            const auto c = static_cast<uint8_t>(2 + random() % 3);
            const uint64_t tick = 10000 * (1 + random() % (horizon / 10000));
            bench.Pause(tick, true, c);
            bench.Pause(tick + 10000 * (1 + random() % 200), false, c);
        }
        Simulator::Run();
        return bench.arrivals;
    }
};

/** What a lone class costs. */
class EventsTestCase : public TestCase
{
  public:
    EventsTestCase()
        : TestCase("A class that is alone costs one event per hop, with weights as without")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t plain = CountEvents("", false);
        NS_TEST_EXPECT_MSG_EQ(CountEvents("4:2,3:1", false), plain, "with weights");
        NS_TEST_EXPECT_MSG_EQ(plain, 400u, "an arrival each, and 200 events that queue them");
        // class 4 has sent its 100 frames when class 3 has sent 50
        NS_TEST_EXPECT_MSG_GT(CountEvents("4:2,3:1", true), plain + 140, "two take decisions");
    }

    /** @param text weights @param isMixed whether two classes compete @return events */
    static uint64_t CountEvents(const std::string& text, bool isMixed)
    {
        LinkBench bench("100Gbps", MicroSeconds(1));
        bench.near.SetWeights(Weights(text, 1000));
        for (uint64_t i = 0; i < 200; ++i)
        {
            bench.Queue(1000, 1000, i, isMixed && i % 2 == 0 ? 4 : 3);
        }
        Simulator::Run();
        return bench.clock->GetFrameCount();
    }
};

/** Weights of a switch. */
class SwitchTestCase : public TestCase
{
  public:
    SwitchTestCase()
        : TestCase("A switch's attribute gives weights to all its ports")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(CountOfClass4(""), 50u, "strict: class 4 first");
        // 50 frames leave in the time: of rounds of 3 + 1 frames, less the first ones
        const uint32_t count = CountOfClass4("4:3,3:1");
        NS_TEST_EXPECT_MSG_EQ((count >= 36 && count <= 39), true, count << " of 50 at 3 to 1");
    }

    /** @param weights attribute @return frames of class 4 among the first 50 after a start */
    static uint32_t CountOfClass4(const std::string& weights)
    {
        Config::SetDefault("ns3::llm::FabricSwitch::ClassWeights", StringValue(weights));
        Config::SetDefault("ns3::llm::FabricSwitch::WeightQuantum", UintegerValue(1000));
        SwitchBench bench;
        bench.MakeStar(3, "100Gbps");
        bench.Send(1000, 1, 0, 150, 1000, 3);
        bench.Send(1000, 2, 0, 150, 1000, 4);
        Simulator::Run();
        uint32_t count = 0;
        for (std::size_t i = 2; i < 52; ++i)
        {
            count += bench.arrivals.at(i).trafficClass == 4;
        }
        return count;
    }
};

/** Weights that are none. */
class InputTestCase : public TestCase
{
  public:
    InputTestCase()
        : TestCase("Weights that are none are refused with what is wrong and an example")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, std::string>> wrong = {
            {"8:1", "class \"8\""},
            {"3", "class 3 has no value"},
            {"3:1:2", "more than a weight"},
            {"3:0", "weight 0"},
            {"3:1,3:2", "twice"},
            {"3:-1", "weight \"-1\""},
            {"3:1;4:2", "more than a weight"},
            {"x:1", "class \"x\""},
            {"3:1001", "0 to 1000"},
        };
        for (const auto& [text, what] : wrong)
        {
            std::string message = "not refused";
            try
            {
                Weights(text, 1000);
            }
            catch (const InputError& error)
            {
                message = error.what();
            }
            NS_TEST_EXPECT_MSG_NE(message.find(what), std::string::npos, text << ": " << message);
            NS_TEST_EXPECT_MSG_NE(message.find("4:2,3:1"), std::string::npos, message);
        }
        const ClassWeights right = Weights(" 4:2 , 3:1", 1000);
        NS_TEST_EXPECT_MSG_EQ(right.GetMask(), 24, "blanks are allowed");
        NS_TEST_EXPECT_MSG_EQ(right.weights[4], 2, "weight");
        NS_TEST_EXPECT_MSG_EQ(Weights("", 1000).GetMask(), 0, "none");
    }
};

/** The suite. */
class FabricSchedulingTestSuite : public TestSuite
{
  public:
    FabricSchedulingTestSuite()
        : TestSuite("llm-fabric-fabric-scheduling", TestSuite::Type::UNIT)
    {
        AddTestCase(new OrderTestCase);
        AddTestCase(new SharesTestCase);
        AddTestCase(new StrictAboveTestCase);
        AddTestCase(new PausedTestCase);
        AddTestCase(new PausedTurnTestCase);
        AddTestCase(new BothModesTestCase);
        AddTestCase(new EventsTestCase);
        AddTestCase(new SwitchTestCase);
        AddTestCase(new InputTestCase);
    }
};

FabricSchedulingTestSuite g_fabricSchedulingTestSuite; //!< registers the suite

} // namespace
