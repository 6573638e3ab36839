// SPDX-License-Identifier: GPL-2.0-only

#include "relay-bench.h"

#include "ns3/input-error.h"
#include "ns3/locality.h"
#include "ns3/message-transport.h"
#include "ns3/node.h"
#include "ns3/relay-map.h"
#include "ns3/relay-transport.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/tiered-transport.h"
#include "ns3/uinteger.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @defgroup llm-fabric-test Tests of llm-fabric
 * @ingroup tests
 */

namespace
{

/** Every pair of a grid has the relay that one reads off the grid. */
class RelayMapCase : public TestCase
{
  public:
    RelayMapCase()
        : TestCase("relays stand where the domain of one end meets the rail of the other")
    {
    }

  private:
    void DoRun() override
    {
        const auto grid = CreateObject<GridLocality>(3, 4);
        const RelayMap atSource(*grid, RelayMap::SOURCE);
        const RelayMap atDestination(*grid, RelayMap::DESTINATION);
        for (uint32_t a = 0; a < 12; ++a)
        {
            for (uint32_t b = 0; b < 12; ++b)
            {
                if (a == b)
                {
                    continue;
                }
                const bool direct = a / 4 == b / 4 || a % 4 == b % 4;
                NS_TEST_EXPECT_MSG_EQ(atSource.GetRelay(a, b),
                                      (direct ? RelayMap::DIRECT : a / 4 * 4 + b % 4),
                                      "source side " << a << " " << b);
                NS_TEST_EXPECT_MSG_EQ(atDestination.GetRelay(a, b),
                                      (direct ? RelayMap::DIRECT : b / 4 * 4 + a % 4),
                                      "destination side " << a << " " << b);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(atSource.GetSenderCount(5), 3, "the others of its domain");
        NS_TEST_EXPECT_MSG_EQ(atDestination.GetSenderCount(5), 2, "the others of its rail");
    }
};

/** Messages without a path, and settings that cannot work. */
class RelayRefusalCase : public TestCase
{
  public:
    RelayRefusalCase()
        : TestCase("what has no path or cannot work is refused with names and reason")
    {
    }

  private:
    void DoRun() override
    {
        // accelerator 1 of domain 0 sits on rail 2, where no other one is
        auto grid = CreateObject<GridLocality>(2, 2);
        grid->places[1].second = 2;
        const RelayMap map(*grid, RelayMap::SOURCE);
        const std::string text = GetRefusal([&] { map.GetRelay(0, 3); });
        NS_TEST_EXPECT_MSG_EQ(text,
                              "no path from accelerator 0 (HB domain 0, rail 0) to accelerator 3 "
                              "(HB domain 1, rail 1): rails meet in HB domains only, and HB domain "
                              "0 has no accelerator on rail 1; Forwarding \"destination\" would "
                              "find accelerator 2",
                              "the refusal");
        NS_TEST_EXPECT_MSG_EQ(map.GetRelay(1, 2), 0, "this one has a relay");
        NS_TEST_EXPECT_MSG_NE(GetRefusal([&] { map.GetRelay(0, 0); }), "", "to itself");
        NS_TEST_EXPECT_MSG_NE(GetRefusal([&] { map.GetRelay(0, 4); }), "", "to nobody");

        grid->places[1].second = 0;
        NS_TEST_EXPECT_MSG_EQ(GetRefusal([&] { RelayMap(*grid, RelayMap::SOURCE); }),
                              "accelerators 0 and 1 are both on rail 0 of HB domain 0; a relay "
                              "needs one on each",
                              "two at one place");
        NS_TEST_EXPECT_MSG_NE(GetRefusal([] { RelayMap::ParseSide("Source"); }).find("\"source\""),
                              std::string::npos,
                              "the right word is named");
        const std::string small =
            GetRefusal([] { RelayFixture(CreateObject<GridLocality>(2, 4), "source", 10000, 0); });
        NS_TEST_EXPECT_MSG_NE(small.find("at least 12288 bytes"), std::string::npos, small);

        auto tiered = CreateObject<TieredTransport>();
        tiered->Setup(CreateObject<GridLocality>(2, 2), nullptr, CreateObject<MockTransport>());
        for (uint32_t destination : {1, 4})
        {
            const std::string self = GetRefusal(
                [&] {
                    tiered->Send({1, destination, 8, 0, 0, 0, 0});
                });
            NS_TEST_EXPECT_MSG_NE(self.find("two of the 4 accelerators"), std::string::npos, self);
        }
        NS_TEST_EXPECT_MSG_EQ(
            GetRefusal(
                [&] {
                    tiered->Send({0, 1, 8, 0, 0, 0, 0});
                }),
            "no path from accelerator 0 (HB domain 0) to accelerator 1 (HB domain "
            "0): the cluster has no fabric within HB domains",
            "no tier");
    }
};

/** One message over each kind of relay, times by hand. */
class RelayTimelineCase : public TestCase
{
  public:
    /**
     * @param forwarding the side
     * @param relay the relay by hand
     */
    RelayTimelineCase(const std::string& forwarding, uint32_t relay)
        : TestCase("a relayed message arrives as it was sent, relay at the " + forwarding),
          m_forwarding(forwarding),
          m_relay(relay)
    {
    }

  private:
    void DoRun() override
    {
        RelayFixture fixture(CreateObject<GridLocality>(2, 2), m_forwarding, 1 << 20, 0);
        const Message message{0, 3, 100, 2, 7, 11, 5};
        fixture.SendAt(0, message);
        // the same rail and the same domain go directly, and at once
        fixture.SendAt(0, {0, 2, 100, 1, 0, 0, 0});
        fixture.SendAt(0, {0, 1, 300, 1, 0, 0, 0});
        Simulator::Run();
        // direct: 1000 ps of bytes and 1000 of latency; back after 1000. Relayed: leaves at 1, at
        // the relay at 2001, on from there at 2002, at its end at 4002; the relay knows at 5002, and
        // its word, sent at 5003, is back at 6003
        NS_TEST_ASSERT_MSG_EQ(fixture.GetText(),
                              "2000 got 0>2 100 1/0/0/0\n"
                              "3000 ack 0>2 100 1/0/0/0\n"
                              "4000 got 0>1 300 1/0/0/0\n"
                              "4002 got 0>3 100 2/7/11/5\n"
                              "5000 ack 0>1 300 1/0/0/0\n"
                              "6003 ack 0>3 100 2/7/11/5\n",
                              "what the owners saw");
        NS_TEST_EXPECT_MSG_EQ(fixture.contextsRight, true, "callbacks run at the right nodes");
        const auto& sent = fixture.mock->sent;
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 5, "two direct messages and three legs");
        const uint32_t ends[3][2] = {{0, m_relay}, {m_relay, 3}, {m_relay, 0}};
        for (uint32_t leg = 0; leg < 3; ++leg)
        {
            const Message& one = sent[2 + leg];
            NS_TEST_EXPECT_MSG_EQ(one.source, ends[leg][0], "source of leg " << leg);
            NS_TEST_EXPECT_MSG_EQ(one.destination, ends[leg][1], "destination of leg " << leg);
            NS_TEST_EXPECT_MSG_EQ(one.owner, RelayTransport::OWNERS + 2, "owner of leg " << leg);
            NS_TEST_EXPECT_MSG_EQ(one.instance, 7, "instance of leg " << leg);
            NS_TEST_EXPECT_MSG_EQ(one.place, 11, "place of leg " << leg);
            NS_TEST_EXPECT_MSG_EQ(one.flow, (leg == 2 ? 11 : 10), "flow of leg " << leg);
            NS_TEST_EXPECT_MSG_EQ(one.bytes, (leg == 2 ? 0 : 100), "bytes of leg " << leg);
        }
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetRelayedBytes(m_relay), 100, "relayed");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetPeakStoredBytes(m_relay), 100, "stored");
    }

    std::string m_forwarding; //!< the side
    uint32_t m_relay;         //!< the relay by hand
};

/** Parts of a message overlap on the two legs. */
class RelayChunkCase : public TestCase
{
  public:
    RelayChunkCase()
        : TestCase("parts of a message are on both legs at once")
    {
    }

  private:
    void DoRun() override
    {
        // whole: 2 x (10000 + 1000 + 1)
        // parts of 400, 400, 200 reach the relay at 5001, 9001, 11001; the second leg is busy from
        // 5002 to 15002 without a gap
        const std::map<uint64_t, uint64_t> deliveredByChunk{{0, 22002},
                                                            {400, 16002},
                                                            {1000, 22002}};
        for (const auto& [chunk, delivered] : deliveredByChunk)
        {
            RelayFixture fixture(CreateObject<GridLocality>(2, 2), "source", 1 << 20, chunk);
            fixture.SendAt(0, {0, 3, 1000, 0, 0, 0, 0});
            fixture.SendAt(0, {0, 3, 0, 0, 0, 1, 0}); // an empty one behind it keeps its place
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(fixture.seen.size(), 4, "two messages, both ends");
            NS_TEST_EXPECT_MSG_EQ(fixture.seen[0].GetText(),
                                  std::to_string(delivered) + " got 0>3 1000 0/0/0/0",
                                  "chunks of " << chunk);
            NS_TEST_EXPECT_MSG_EQ(fixture.seen[1].GetText(),
                                  std::to_string(delivered) + " got 0>3 0 0/0/1/0",
                                  "chunks of " << chunk);
            NS_TEST_EXPECT_MSG_EQ(fixture.seen[2].tick, delivered + 2001, "chunks of " << chunk);
        }
    }
};

/** A relay whose second legs stand still. */
class RelayCreditCase : public TestCase
{
  public:
    RelayCreditCase()
        : TestCase("a full relay holds up senders at home and nothing else")
    {
    }

  private:
    void DoRun() override
    {
        // domains of 3: two senders over each relay, 8192 bytes of credit each
        RelayFixture fixture(CreateObject<GridLocality>(2, 3), "source", 16384, 0);
        NS_TEST_ASSERT_MSG_EQ(fixture.relay->GetCreditBytes(1), 8192, "half of the buffer each");
        fixture.mock->held = {{1, 4}}; // the second legs from relay 1
        for (uint32_t place = 0; place < 4; ++place)
        {
            fixture.SendAt(0, {0, 4, 3000, 0, 0, place, 0});
        }
        fixture.SendAt(0, {0, 4, 20000, 0, 0, 4, 0}); // larger than the credit: cut to fit
        fixture.SendAt(0, {2, 4, 3000, 0, 0, 9, 0});  // the other sender has credit of its own
        fixture.SendAt(0, {0, 5, 3000, 0, 0, 9, 0});  // over relay 2
        fixture.SendAt(0, {0, 1, 3000, 0, 0, 9, 0});  // directly, over the link to relay 1
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        std::multiset<std::string> others;
        for (const Seen& one : fixture.seen)
        {
            others.insert(one.GetText().substr(one.GetText().find(' ') + 1));
        }
        NS_TEST_EXPECT_MSG_EQ(others.size(), 4, "only the other two arrive: " << fixture.GetText());
        NS_TEST_EXPECT_MSG_EQ(others.count("got 0>5 3000 0/0/9/0"), 1, "over another relay");
        NS_TEST_EXPECT_MSG_EQ(others.count("got 0>1 3000 0/0/9/0"), 1, "directly");
        uint64_t firstLegs = 0;
        for (const Message& one : fixture.mock->sent)
        {
            firstLegs += one.source == 0 && one.destination == 1 && one.owner > 2 ? one.bytes : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(firstLegs, 6000, "two of 3000 fit into 8192 bytes");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetWaitingCount(), 3, "the rest waits");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetPeakStoredBytes(1), 9000, "of both senders");

        fixture.mock->Release();
        Simulator::Run();
        std::vector<uint32_t> places;
        for (const Seen& one : fixture.seen)
        {
            if (!one.isAck && one.message.source == 0 && one.message.destination == 4)
            {
                places.push_back(one.message.place);
            }
        }
        const std::vector<uint32_t> inOrder{0, 1, 2, 3, 4};
        NS_TEST_EXPECT_MSG_EQ((places == inOrder), true, "all, in order, once");
        NS_TEST_EXPECT_MSG_EQ(fixture.seen.size(), 16, "each message at both ends");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetWaitingCount(), 0, "nothing waits");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(fixture.relay->GetPeakStoredBytes(1), 16384, "bounded");
    }
};

/** Two tiers. */
class TieredCase : public TestCase
{
  public:
    TieredCase()
        : TestCase("messages go by the tier that joins their ends")
    {
    }

  private:
    void DoRun() override
    {
        auto up = CreateObject<MockTransport>();
        auto out = CreateObject<MockTransport>();
        auto tiered = CreateObject<TieredTransport>();
        tiered->Setup(CreateObject<GridLocality>(2, 2), up, out);
        tiered->SetOwner(4,
                         MakeCallback(&TieredCase::Count, this),
                         MakeCallback(&TieredCase::Count, this));
        for (uint32_t destination = 1; destination < 4; ++destination)
        {
            tiered->Send({0, destination, 8, 4, 0, 0, 0});
        }
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(up->sent.size(), 1, "one within the domain");
        NS_TEST_EXPECT_MSG_EQ(up->sent[0].destination, 1, "to the neighbour");
        NS_TEST_EXPECT_MSG_EQ(out->sent.size(), 2, "two between domains");
        NS_TEST_EXPECT_MSG_EQ(m_count, 6, "the owner heard of three messages at both ends");
        NS_TEST_EXPECT_MSG_EQ((tiered->GetScaleUp() == up), true, "scale-up");
        NS_TEST_EXPECT_MSG_EQ((tiered->GetScaleOut() == out), true, "scale-out");
        tiered->Dispose();
    }

    /** Called at either end. */
    void Count(const Message&)
    {
        ++m_count;
    }

    uint32_t m_count = 0; //!< calls
};

/** The suite. */
class RelayTestSuite : public TestSuite
{
  public:
    RelayTestSuite()
        : TestSuite("llm-fabric-relay", TestSuite::Type::UNIT)
    {
        AddTestCase(new RelayMapCase);
        AddTestCase(new RelayRefusalCase);
        AddTestCase(new RelayTimelineCase("source", 1));
        AddTestCase(new RelayTimelineCase("destination", 2));
        AddTestCase(new RelayChunkCase);
        AddTestCase(new RelayCreditCase);
        AddTestCase(new TieredCase);
    }
};

RelayTestSuite g_relayTestSuite; //!< registers the suite

} // namespace
