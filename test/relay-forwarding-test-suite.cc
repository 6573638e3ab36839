// SPDX-License-Identifier: GPL-2.0-only

// Ways of forwarding: by load, by packet, aggregated; times and bytes by hand.

#include "relay-bench.h"

#include "ns3/relay-map.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Either of two relays. */
class EitherRelayCase : public TestCase
{
  public:
    EitherRelayCase()
        : TestCase("by load, both relays of a pair may be used, or the only one that exists")
    {
    }

  private:
    void DoRun() override
    {
        auto grid = CreateObject<GridLocality>(3, 4);
        const RelayMap map(*grid, RelayMap::ParseSide("load"));
        for (uint32_t a = 0; a < 12; ++a)
        {
            for (uint32_t b = 0; b < 12; ++b)
            {
                if (a / 4 == b / 4 || a % 4 == b % 4)
                {
                    continue;
                }
                NS_TEST_EXPECT_MSG_EQ(map.GetRelay(a, b), a / 4 * 4 + b % 4, a << " " << b);
                NS_TEST_EXPECT_MSG_EQ(map.GetOtherRelay(a, b), b / 4 * 4 + a % 4, a << " " << b);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(map.GetSenderCount(5), 5, "three of its domain, two of its rail");
        NS_TEST_EXPECT_MSG_EQ(map.SharesDomain(4, 7), true, "one domain");
        NS_TEST_EXPECT_MSG_EQ(map.SharesDomain(3, 4), false, "two domains");
        const RelayMap one(*grid, RelayMap::SOURCE);
        NS_TEST_EXPECT_MSG_EQ((one.GetOtherRelay(0, 5) == RelayMap::DIRECT), true, "a fixed side");

        grid->places[1].second = 4; // off rail 1
        const RelayMap hole(*grid, RelayMap::EITHER);
        NS_TEST_EXPECT_MSG_EQ(hole.GetRelay(0, 5), 4, "the one at the destination");
        NS_TEST_EXPECT_MSG_EQ((hole.GetOtherRelay(0, 5) == RelayMap::DIRECT), true, "no other");
        grid->places[4].second = 5; // and off rail 0
        const RelayMap none(*grid, RelayMap::EITHER);
        NS_TEST_EXPECT_MSG_NE(GetRefusal([&] { none.GetRelay(0, 5); }), "", "no relay is left");
    }
};

/** The order in which messages leave. */
class DistanceCase : public TestCase
{
  public:
    DistanceCase()
        : TestCase("what is sent at once leaves in the order of distance, domains before rails")
    {
    }

  private:
    void DoRun() override
    {
        const RelayMap map(*CreateObject<GridLocality>(3, 4), RelayMap::SOURCE);
        NS_TEST_EXPECT_MSG_EQ(map.GetDistance(1, 1), 0, "itself");
        NS_TEST_EXPECT_MSG_EQ(map.GetDistance(1, 2), 1, "the next rail");
        NS_TEST_EXPECT_MSG_EQ(map.GetDistance(1, 0), 3, "the rail before");
        NS_TEST_EXPECT_MSG_EQ(map.GetDistance(1, 4), 7, "the next domain");
        NS_TEST_EXPECT_MSG_EQ(map.GetDistance(9, 1), 4, "the first after the last");

        RelayFixture fixture(CreateObject<GridLocality>(3, 4), "source", 1 << 20, 0);
        for (const uint32_t destination : {0, 8, 2, 10})
        {
            fixture.SendAt(0, {5, destination, 100, 0, 0, destination, 0});
        }
        Simulator::Run();
        // over relay 6, a rail on, and then over relay 4, three rails on; domain 2 before domain 0
        std::vector<uint32_t> places;
        for (const Message& one : fixture.mock->sent)
        {
            if (one.source == 5)
            {
                places.push_back(one.place);
            }
        }
        const std::vector<uint32_t> expected{10, 2, 8, 0};
        NS_TEST_EXPECT_MSG_EQ((places == expected), true, "first legs");
    }
};

/** Settings that cannot work. */
class ForwardingRefusalCase : public TestCase
{
  public:
    ForwardingRefusalCase()
        : TestCase("ways of forwarding that cannot work are refused with the reason")
    {
    }

  private:
    /**
     * @param isFluid whether domains are
     * @param forwarding the side
     * @param settings attributes
     * @return the refusal
     */
    static std::string Try(bool isFluid,
                           const std::string& forwarding,
                           const std::map<std::string, std::string>& settings)
    {
        auto grid = CreateObject<GridLocality>(2, 2);
        grid->isFluid = isFluid;
        return GetRefusal([&] { RelayFixture(grid, forwarding, 1 << 20, 0, settings); });
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Try(true, "source", {{"ForwardBy", "packet"}}),
                              "ForwardBy is \"packet\", but the HB domains are fluid and have no "
                              "packets; did you mean DomainFidelity \"packet\" of the topology, or "
                              "ForwardBy \"chunk\"?",
                              "packets of a fluid domain");
        NS_TEST_EXPECT_MSG_EQ(Try(false, "source", {{"ForwardBy", "packet"}}), "", "packets");
        NS_TEST_EXPECT_MSG_EQ(Try(true, "source", {}), "", "chunks of a fluid domain");
        NS_TEST_EXPECT_MSG_EQ(
            Try(false, "source", {{"ForwardBy", "frame"}}),
            "ForwardBy is \"frame\"; allowed are \"chunk\" (a relay stores a chunk "
            "as a whole) and \"packet\" (it sends on each packet that comes)",
            "no such unit");
        for (const std::string side : {"destination", "load"})
        {
            NS_TEST_EXPECT_MSG_EQ(Try(false, side, {{"Aggregate", "true"}}),
                                  "Aggregate with Forwarding \"" + side +
                                      "\" and ForwardBy \"chunk\": what a domain has for a "
                                      "destination comes together only with Forwarding \"source\" "
                                      "and ForwardBy \"chunk\"",
                                  side);
        }
        NS_TEST_EXPECT_MSG_NE(
            Try(false, "source", {{"Aggregate", "true"}, {"ForwardBy", "packet"}}),
            "",
            "what waits cannot go on at once");
    }
};

/** Times of packets. */
class PacketForwardingCase : public TestCase
{
  public:
    PacketForwardingCase()
        : TestCase("by packet, a relay sends on what has come, and gives credit back by chunk")
    {
    }

  private:
    void DoRun() override
    {
        RelayFixture fixture(CreateObject<GridLocality>(2, 2),
                             "source",
                             1 << 20,
                             0,
                             {{"ForwardBy", "packet"}});
        fixture.SendAt(0, {0, 3, 10000, 2, 7, 11, 5});
        Simulator::Run();
        // packets of 4096, 4096 and 1808 bytes leave at 1 and are at the relay at 41961, 82921 and
        // 101001; each goes on a tick later: the first until 82922, the second from then until
        // 123882, the third until 141962. The relay knows 2000 after that, and the word of it is back
        // 1 + 1000 later
        NS_TEST_ASSERT_MSG_EQ(fixture.GetText(),
                              "142962 got 0>3 10000 2/7/11/5\n"
                              "144963 ack 0>3 10000 2/7/11/5\n",
                              "a third faster than as a whole");
        NS_TEST_ASSERT_MSG_EQ(fixture.mock->sent.size(), 7, "two legs of three, and a word");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetForwardedCount(1), 3, "packets");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetRelayedBytes(1), 10000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetPeakStoredBytes(1), 8192, "two at a time");

        // an empty message is a packet too, and chunks are of full packets
        RelayFixture other(CreateObject<GridLocality>(2, 2),
                           "destination",
                           10000,
                           0,
                           {{"ForwardBy", "packet"}});
        other.SendAt(0, {0, 3, 0, 0, 0, 0, 0});
        other.SendAt(5, {0, 3, 20000, 0, 0, 1, 0});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(other.seen.size(), 4, "both, at both ends");
        NS_TEST_EXPECT_MSG_EQ(other.relay->GetForwardedCount(2), 6, "1, and 2 + 2 + 1");
        NS_TEST_EXPECT_MSG_EQ(other.relay->GetWaitingCount(), 0, "nothing waits");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(other.relay->GetPeakStoredBytes(2), 10000, "bounded");
    }
};

/** Two relays share a message. */
class LoadForwardingCase : public TestCase
{
  public:
    LoadForwardingCase()
        : TestCase("by load, chunks take the relay with less under way, and messages keep order")
    {
    }

  private:
    void DoRun() override
    {
        RelayFixture even(CreateObject<GridLocality>(2, 2), "load", 1 << 20, 1000);
        even.SendAt(0, {0, 3, 8000, 0, 0, 0, 0});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(even.relay->GetRelayedBytes(1), 4000, "at the source");
        NS_TEST_EXPECT_MSG_EQ(even.relay->GetRelayedBytes(2), 4000, "at the destination");

        // relay 1 stands still: two senders may use it, so a credit is 4096 of 8192 bytes
        RelayFixture stuck(CreateObject<GridLocality>(2, 2), "load", 8192, 1000);
        stuck.mock->held = {{1, 3}};
        stuck.SendAt(0, {0, 3, 3000, 0, 0, 0, 0});
        stuck.SendAt(1, {0, 3, 500, 0, 0, 1, 0});
        stuck.SendAt(2, {0, 3, 9000, 0, 0, 2, 0});
        stuck.SendAt(3, {0, 3, 700, 1, 0, 3, 0}); // of another owner
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(stuck.seen.size(), 2, "behind the first none is told of, but one");
        NS_TEST_EXPECT_MSG_EQ(stuck.seen[0].message.owner, 1, "of another owner");
        NS_TEST_EXPECT_MSG_EQ(stuck.relay->GetWaitingCount(), 0, "relay 2 took the rest");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(stuck.relay->GetPeakStoredBytes(1), 4096, "one credit");
        stuck.mock->Release();
        Simulator::Run();
        std::vector<uint32_t> told;
        std::vector<uint32_t> acknowledged;
        for (const Seen& one : stuck.seen)
        {
            if (one.message.owner == 0)
            {
                (one.isAck ? acknowledged : told).push_back(one.message.place);
            }
        }
        const std::vector<uint32_t> inOrder{0, 1, 2};
        NS_TEST_EXPECT_MSG_EQ((told == inOrder), true, "delivered in order");
        NS_TEST_EXPECT_MSG_EQ((acknowledged == inOrder), true, "acknowledged in order");
        NS_TEST_EXPECT_MSG_EQ(stuck.relay->GetRelayedBytes(1) + stuck.relay->GetRelayedBytes(2),
                              3000u + 500u + 9000u + 700u,
                              "every byte once");
    }
};

/** A domain's messages for one destination. */
class AggregateCase : public TestCase
{
  public:
    AggregateCase()
        : TestCase("an aggregate waits for the whole domain, but not for ever")
    {
    }

  private:
    /** @param source accelerator @param bytes size @return a message to accelerator 4 of three */
    static Message MakeJoint(uint32_t source, uint64_t bytes)
    {
        Message message{source, 4, bytes, 0, 0, source, 0};
        message.joint = 3;
        return message;
    }

    void DoRun() override
    {
        CheckComplete();
        CheckWait();
        CheckCredit();
        CheckOrder();
    }

    /** All come. */
    void CheckComplete()
    {
        RelayFixture fixture(CreateObject<GridLocality>(2, 3), "source", 1 << 20, 0, m_on);
        fixture.SendAt(0, MakeJoint(0, 100));
        fixture.SendAt(500, MakeJoint(1, 200)); // of the relay itself
        fixture.SendAt(1000, MakeJoint(2, 300));
        Simulator::Run();
        // the last leaves at 1001 and is there at 5001; 600 bytes leave at 5002
        NS_TEST_ASSERT_MSG_EQ(fixture.GetText(),
                              "12002 got 0>4 100 0/0/0/0\n"
                              "12002 got 1>4 200 0/0/1/0\n"
                              "12002 got 2>4 300 0/0/2/0\n"
                              "13002 ack 1>4 200 0/0/1/0\n"
                              "14003 ack 0>4 100 0/0/0/0\n"
                              "14003 ack 2>4 300 0/0/2/0\n",
                              "all at once");
        NS_TEST_EXPECT_MSG_EQ(fixture.contextsRight, true, "callbacks run at the right nodes");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetForwardedCount(1), 1, "one message");
        NS_TEST_EXPECT_MSG_EQ(fixture.mock->sent[2].bytes, 600, "of all three");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetRelayedBytes(1), 400, "without the relay's own");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetPeakStoredBytes(1), 400, "the same");
    }

    /** The last is late. */
    void CheckWait()
    {
        auto settings = m_on;
        settings["AggregateWait"] = "2us";
        RelayFixture fixture(CreateObject<GridLocality>(2, 3), "source", 1 << 20, 0, settings);
        fixture.SendAt(0, MakeJoint(0, 100));
        fixture.SendAt(500, MakeJoint(1, 200));
        fixture.SendAt(1000, MakeJoint(2, 300));
        Simulator::Run();
        // the relay's own is held from 501 to 2502, when that of accelerator 0 is there; the third
        // completes what was begun, so it does not wait
        NS_TEST_ASSERT_MSG_EQ(fixture.seen.size(), 6, "all");
        NS_TEST_EXPECT_MSG_EQ(fixture.seen[0].GetText(), "6502 got 0>4 100 0/0/0/0", "two");
        NS_TEST_EXPECT_MSG_EQ(fixture.seen[1].GetText(), "6502 got 1>4 200 0/0/1/0", "two");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetForwardedCount(1), 2, "messages");
        uint64_t last = 0;
        for (const Seen& one : fixture.seen)
        {
            last = one.message.source == 2 && !one.isAck ? one.tick : last;
        }
        // behind 300 bytes of the first, which leave until 5502
        NS_TEST_EXPECT_MSG_EQ(last, 9502, "the third");
    }

    /** Nobody else comes, and a message is larger than the credit. */
    void CheckCredit()
    {
        auto settings = m_on;
        settings["AggregateWait"] = "1s";
        RelayFixture fixture(CreateObject<GridLocality>(2, 3), "source", 16384, 0, settings);
        fixture.SendAt(0, MakeJoint(0, 40960));
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetWaitingCount(), 0, "no credit is kept for long");
        NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetRelayedBytes(1), 40960, "ten chunks of 4096");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(fixture.relay->GetPeakStoredBytes(1), 8192, "one credit");
        NS_TEST_EXPECT_MSG_EQ(fixture.seen.size(), 2, "delivered, acknowledged");
    }

    /** A message that is no part of it follows. */
    void CheckOrder()
    {
        auto settings = m_on;
        settings["AggregateWait"] = "1ms";
        RelayFixture fixture(CreateObject<GridLocality>(2, 3), "source", 1 << 20, 0, settings);
        for (const uint32_t source : {0, 1})
        {
            fixture.SendAt(0, MakeJoint(source, 100));
            fixture.SendAt(10, {source, 4, 50, 0, 1, 7, 0});
        }
        Simulator::Run();
        for (const uint32_t source : {0, 1})
        {
            std::vector<uint32_t> instances;
            for (const Seen& one : fixture.seen)
            {
                if (one.message.source == source && !one.isAck)
                {
                    instances.push_back(one.message.instance);
                }
            }
            const std::vector<uint32_t> inOrder{0, 1};
            NS_TEST_EXPECT_MSG_EQ((instances == inOrder), true, "from accelerator " << source);
        }
        NS_TEST_EXPECT_MSG_LT(fixture.seen.back().tick, 100'000u, "nobody waited");
    }

    const std::map<std::string, std::string> m_on{{"Aggregate", "true"}}; //!< aggregates
};

/** The suite. */
class RelayForwardingTestSuite : public TestSuite
{
  public:
    RelayForwardingTestSuite()
        : TestSuite("llm-fabric-relay-forwarding", TestSuite::Type::UNIT)
    {
        AddTestCase(new EitherRelayCase);
        AddTestCase(new DistanceCase);
        AddTestCase(new ForwardingRefusalCase);
        AddTestCase(new PacketForwardingCase);
        AddTestCase(new LoadForwardingCase);
        AddTestCase(new AggregateCase);
    }
};

RelayForwardingTestSuite g_relayForwardingTestSuite; //!< registers the suite

} // namespace
