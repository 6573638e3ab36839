// SPDX-License-Identifier: GPL-2.0-only

// Serialization, hashes, the ring of departures, and a frame over several hops.

#include "small-network.h"

#include "ns3/departure-ring.h"
#include "ns3/input-error.h"
#include "ns3/test.h"

#include <deque>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Serialization is bytes over rate, rounded up to the picosecond. */
class SerializationTestCase : public TestCase
{
  public:
    SerializationTestCase()
        : TestCase("A frame occupies the line for bytes over rate, rounded up to the picosecond")
    {
    }

  private:
    void DoRun() override
    {
        CheckAtHand("400Gbps", 64, 1280);
        CheckAtHand("400Gbps", 4166, 83320);
        CheckAtHand("400Gbps", 1048, 20960);
        CheckAtHand("100Gbps", 1082, 86560);
        CheckAtHand("2400Gbps", 3, 10);
        CheckAtHand("2400Gbps", 4178, 13927); // 13926.67
        CheckAtHand("3600Gbps", 9, 20);
        CheckAtHand("7200Gbps", 4178, 4643); // 4642.2
        CheckAtHand("1bps", 1, 8000000000000);
        for (const uint64_t rate : {uint64_t{1},
                                    uint64_t{999999937},
                                    uint64_t{1000000000},
                                    uint64_t{10312500000},
                                    uint64_t{25000000000},
                                    uint64_t{40000000000},
                                    uint64_t{53125000000},
                                    uint64_t{100000000000},
                                    uint64_t{200000000000},
                                    uint64_t{333000000000},
                                    uint64_t{400000000000},
                                    uint64_t{800000000000},
                                    uint64_t{1600000000000},
                                    uint64_t{2400000000000},
                                    uint64_t{3600000000000},
                                    uint64_t{7200000000000},
                                    uint64_t{7999999999993}})
        {
            FrameTransmitter transmitter;
            transmitter.Connect(nullptr, DataRate(rate), PicoSeconds(1));
            for (uint32_t bytes = 1; bytes < 9400; bytes += bytes < 100 ? 1 : 13)
            {
                // least t with t * rate >= bits * 1e12
                const uint64_t work = uint64_t{bytes} * 8000000000000u;
                const uint64_t ticks = transmitter.GetSerializationTicks(bytes);
                const bool isEnough = ticks * rate >= work;
                const bool isLeast = (ticks - 1) * rate < work;
                NS_TEST_ASSERT_MSG_EQ(isEnough, true, bytes << " B at " << rate << ": too fast");
                NS_TEST_ASSERT_MSG_EQ(isLeast, true, bytes << " B at " << rate << ": too slow");
            }
        }
    }

    /** @param rate a rate @param bytes wire bytes @param expected by hand, ps */
    void CheckAtHand(const std::string& rate, uint32_t bytes, uint64_t expected)
    {
        FrameTransmitter transmitter;
        transmitter.Connect(nullptr, DataRate(rate), PicoSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(transmitter.GetSerializationTicks(bytes),
                              expected,
                              bytes << " B at " << rate);
    }
};

/** The ring of departures against a queue of the standard library. */
class DepartureRingTestCase : public TestCase
{
  public:
    DepartureRingTestCase()
        : TestCase("The departure ring is a queue with a settled front, whatever its size")
    {
    }

  private:
    void DoRun() override
    {
        std::array<TransitFrame, DepartureRing::FIRST_ROOM> firstRoom;
        DepartureRing ring(firstRoom.data());
        std::deque<uint64_t> expected;
        std::size_t settled = 0;
        std::mt19937 random(5);
        uint64_t next = 0;
        for (uint32_t step = 0; step < 20000; ++step)
        {
            // growth prevails at first, shrinking later
            const uint32_t choice = random() % (step < 10000 ? 6 : 9);
            if (choice < 3)
            {
                TransitFrame departure{};
                departure.arrivalTick = next;
                ring.PushBack(departure);
                expected.push_back(next++);
            }
            else if (choice == 3 && settled < expected.size())
            {
                ring.PopBack();
                expected.pop_back();
            }
            else if ((choice == 4 || choice == 6) && settled < expected.size())
            {
                NS_TEST_ASSERT_MSG_EQ(ring.FirstUnsettled().arrivalTick,
                                      expected[settled],
                                      "first that is not settled");
                ring.Settle(1);
                ++settled;
            }
            else if (choice >= 5 && settled > 0)
            {
                ring.PopFront();
                expected.pop_front();
                --settled;
            }
            Compare(ring, expected, settled);
        }
        ring.Clear();
        Compare(ring, {}, 0);
    }

    /** @param ring the ring @param expected its content @param settled how many are settled */
    void Compare(DepartureRing& ring, const std::deque<uint64_t>& expected, std::size_t settled)
    {
        NS_TEST_ASSERT_MSG_EQ(ring.GetSize(), expected.size(), "size");
        NS_TEST_ASSERT_MSG_EQ(ring.GetSettledCount(), settled, "settled");
        const bool isSettled = settled == expected.size();
        NS_TEST_ASSERT_MSG_EQ(ring.IsSettled(), isSettled, "all settled");
        if (!expected.empty())
        {
            NS_TEST_ASSERT_MSG_EQ(ring.Front().arrivalTick, expected.front(), "front");
            NS_TEST_ASSERT_MSG_EQ(ring.Back().arrivalTick, expected.back(), "back");
            const auto middle = static_cast<uint32_t>(expected.size() / 2);
            NS_TEST_ASSERT_MSG_EQ(ring.At(middle).arrivalTick, expected[middle], "middle");
        }
    }
};

/** One frame over several store-and-forward hops, and its ACK back. */
class HopLatencyTestCase : public TestCase
{
  public:
    HopLatencyTestCase()
        : TestCase("A lone frame takes serialization plus delay on each hop, and nothing else")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t switches : {1, 2, 3, 7})
        {
            SmallNetwork::SetPlain(1000);
            SmallNetwork net;
            net.MakeRow(switches, "100Gbps");
            net.Send(0, 1, 1000);
            Simulator::Run();
            // 1082 B and 86 B at 80 ps/B; 1 us a hop; a tick into the frames' world and one out
            const uint64_t hops = switches + 1;
            const uint64_t there = 1 + hops * (86560 + 1000000);
            const uint64_t back = there + hops * (6880 + 1000000);
            NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 1, "messages");
            NS_TEST_ASSERT_MSG_EQ(net.delivered[0].tick, there + 1, switches << " switches");
            NS_TEST_ASSERT_MSG_EQ(net.acknowledged[0].tick, back + 1, switches << " switches");
            NS_TEST_EXPECT_MSG_EQ(net.clock->GetFrameCount(),
                                  2 * hops + 3,
                                  "an event per hop, a request, a wake-up, a timer");
        }
    }
};

/** The hash behind random draws and equal-cost choices. */
class IdentityHashTestCase : public TestCase
{
  public:
    IdentityHashTestCase()
        : TestCase("Hashes of small numbers differ, in either order, and are spread evenly")
    {
    }

  private:
    void DoRun() override
    {
        std::set<uint32_t> seen;
        std::vector<uint32_t> count(64);
        for (uint64_t a = 0; a < 128; ++a)
        {
            for (uint64_t b = 0; b < 128; ++b)
            {
                const uint64_t hash = MixHash(MixHash(a, b), 0);
                seen.insert(static_cast<uint32_t>(hash >> 32));
                ++count[static_cast<std::size_t>(HashToUnit(hash) * 64)];
            }
        }
        // 128^4 / 2^33 = 0.03 pairs of 32-bit hashes are expected to be equal
        NS_TEST_EXPECT_MSG_GT(seen.size(), 128 * 128 - 3, "distinct");
        double chiSquare = 0;
        for (const uint32_t c : count)
        {
            chiSquare += (c - 256.0) * (c - 256.0) / 256;
        }
        // 63 degrees of freedom: mean 63, standard deviation 11
        NS_TEST_EXPECT_MSG_EQ_TOL(chiSquare, 63, 45, "spread");
    }
};

/** What a link refuses. */
class LinkInputTestCase : public TestCase
{
  public:
    LinkInputTestCase()
        : TestCase("Links without rate or delay, a second link at a terminal and a terminal "
                   "without link are refused by name")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds();
        SmallNetwork net;
        net.AddHosts(3);
        const uint32_t hub = net.AddSwitch(0, 0);
        const uint32_t a = net.hosts[0];
        Expect("rate", [&]() { net.network->Connect(a, hub, DataRate(0), NanoSeconds(1)); });
        SmallNetwork other;
        other.AddHosts(2);
        const uint32_t b = other.hosts[0];
        Expect("delay",
               [&]() { other.network->Connect(b, other.hosts[1], DataRate("1Gbps"), Time(0)); });
        SmallNetwork third;
        third.AddHosts(3);
        const uint32_t c = third.hosts[0];
        third.network->Connect(c, third.hosts[1], DataRate("1Gbps"), NanoSeconds(1));
        Expect("host 0",
               [&]()
               { third.network->Connect(c, third.hosts[2], DataRate("1Gbps"), NanoSeconds(1)); });
        Expect("host 2", [&]() { third.Finish(); });
    }

    /** @param word what the refusal must name @param call what is to be refused */
    void Expect(const std::string& word, const std::function<void()>& call)
    {
        std::string text;
        try
        {
            call();
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(text.find(word), std::string::npos, "refusal '" << text << "'");
    }
};

/** The suite. */
class FabricTestSuite : public TestSuite
{
  public:
    FabricTestSuite()
        : TestSuite("llm-fabric-fabric", TestSuite::Type::UNIT)
    {
        AddTestCase(new SerializationTestCase);
        AddTestCase(new DepartureRingTestCase);
        AddTestCase(new HopLatencyTestCase);
        AddTestCase(new IdentityHashTestCase);
        AddTestCase(new LinkInputTestCase);
    }
};

FabricTestSuite g_fabricTestSuite; //!< registers the suite

} // namespace
