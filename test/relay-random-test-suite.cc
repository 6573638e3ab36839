// SPDX-License-Identifier: GPL-2.0-only

#include "relay-bench.h"

#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Many messages that meet. */
class RelayRandomCase : public TestCase
{
  public:
    /**
     * @param forwarding the side
     * @param settings more attributes
     */
    explicit RelayRandomCase(const std::string& forwarding,
                             const std::map<std::string, std::string>& settings = {})
        : TestCase("random messages: once, in order, bounded, in any order of calls, " +
                   forwarding + (settings.empty() ? "" : ", " + settings.begin()->first)),
          m_forwarding(forwarding),
          m_settings(settings)
    {
    }

  private:
    /** A message and when it is sent. */
    struct Posting
    {
        uint64_t tick;   //!< when, ps
        Message message; //!< what
    };

    void DoRun() override
    {
        std::vector<Posting> postings = MakePostings();
        std::string first;
        std::mt19937 random(7);
        for (uint32_t run = 0; run < 3; ++run)
        {
            RelayFixture fixture(CreateObject<GridLocality>(4, 4),
                                 m_forwarding,
                                 30000,
                                 2500,
                                 m_settings);
            for (const Posting& posting : postings)
            {
                fixture.SendAt(posting.tick, posting.message);
            }
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(fixture.contextsRight, true, "callbacks at the right nodes");
            CheckOnce(fixture, postings);
            for (uint32_t relay = 0; relay < 16; ++relay)
            {
                const uint64_t peak = fixture.relay->GetPeakStoredBytes(relay);
                NS_TEST_EXPECT_MSG_LT_OR_EQ(peak, 30000, "relay " << relay);
                NS_TEST_EXPECT_MSG_GT(peak, 2500, "relay " << relay << " was in use");
            }
            NS_TEST_EXPECT_MSG_EQ(fixture.relay->GetWaitingCount(), 0, "nothing waits");
            std::vector<std::string> lines;
            for (const Seen& one : fixture.seen)
            {
                lines.push_back(one.GetText());
            }
            std::sort(lines.begin(), lines.end());
            std::string text;
            for (const std::string& line : lines)
            {
                text += line + "\n";
            }
            first = run == 0 ? text : first;
            NS_TEST_EXPECT_MSG_EQ((text == first), true, "the order of calls changed a time");
            std::shuffle(postings.begin(), postings.end(), random);
        }
    }

    /** @return many messages at few times; every queue pair has at most one a time */
    static std::vector<Posting> MakePostings()
    {
        std::mt19937 random(3);
        std::vector<Posting> postings;
        std::set<std::vector<uint64_t>> used;
        while (postings.size() < 2000)
        {
            Message message;
            message.source = random() % 16;
            message.destination = random() % 16;
            message.bytes = random() % 8000;
            message.owner = random() % 3;
            message.flow = random() % 2;
            message.joint = random() % 3 == 0 ? 4 : 0; // not all of the four will come
            message.place = static_cast<uint32_t>(postings.size());
            const uint64_t tick = random() % 20 * 50000;
            const bool isNew =
                used.insert(
                        {tick, message.source, message.destination, message.owner, message.flow})
                    .second;
            if (message.source != message.destination && isNew)
            {
                postings.push_back({tick, message});
            }
        }
        return postings;
    }

    /**
     * Every message is delivered once, unchanged and in order, and then acknowledged once.
     * @param fixture after the run
     * @param postings what was sent
     */
    void CheckOnce(const RelayFixture& fixture, const std::vector<Posting>& postings)
    {
        std::map<uint32_t, const Posting*> byPlace;
        uint64_t relayed = 0;
        for (const Posting& posting : postings)
        {
            byPlace[posting.message.place] = &posting;
            const uint32_t a = posting.message.source;
            const uint32_t b = posting.message.destination;
            relayed += a / 4 != b / 4 && a % 4 != b % 4 ? posting.message.bytes : 0;
        }
        std::set<uint32_t> delivered;
        std::set<uint32_t> acknowledged;
        std::map<std::vector<uint32_t>, uint64_t> lastPosted;
        for (const Seen& one : fixture.seen)
        {
            const Message& m = one.message;
            const Posting& posting = *byPlace.at(m.place);
            if (one.isAck)
            {
                NS_TEST_ASSERT_MSG_EQ(delivered.count(m.place), 1, "delivered first");
                NS_TEST_ASSERT_MSG_EQ(acknowledged.insert(m.place).second, true, "once");
                continue;
            }
            NS_TEST_ASSERT_MSG_EQ(delivered.insert(m.place).second, true, "once");
            NS_TEST_ASSERT_MSG_EQ(Seen({0, false, m}).GetText(),
                                  Seen({0, false, posting.message}).GetText(),
                                  "unchanged");
            uint64_t& last = lastPosted[{m.source, m.destination, m.owner, m.flow}];
            NS_TEST_ASSERT_MSG_EQ((posting.tick >= last), true, "in order");
            last = posting.tick;
        }
        NS_TEST_ASSERT_MSG_EQ(delivered.size(), postings.size(), "all delivered");
        NS_TEST_ASSERT_MSG_EQ(acknowledged.size(), postings.size(), "all acknowledged");
        uint64_t counted = 0;
        for (uint32_t relay = 0; relay < 16; ++relay)
        {
            counted += fixture.relay->GetRelayedBytes(relay);
        }
        NS_TEST_EXPECT_MSG_EQ(counted, relayed, "relays count every byte once");
    }

    std::string m_forwarding;                      //!< the side
    std::map<std::string, std::string> m_settings; //!< more attributes
};

/** The suite. */
class RelayRandomTestSuite : public TestSuite
{
  public:
    RelayRandomTestSuite()
        : TestSuite("llm-fabric-relay-random", TestSuite::Type::UNIT)
    {
        AddTestCase(new RelayRandomCase("source"));
        AddTestCase(new RelayRandomCase("destination"));
        AddTestCase(new RelayRandomCase("load"));
        AddTestCase(new RelayRandomCase("source", {{"ForwardBy", "packet"}}));
        AddTestCase(new RelayRandomCase("load", {{"ForwardBy", "packet"}}));
        AddTestCase(
            new RelayRandomCase("source", {{"Aggregate", "true"}, {"AggregateWait", "20us"}}));
    }
};

RelayRandomTestSuite g_relayRandomTestSuite; //!< registers the suite

} // namespace
