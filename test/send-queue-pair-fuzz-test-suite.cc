// SPDX-License-Identifier: GPL-2.0-only

#include "lone-sender.h"

#include "ns3/time-resolution.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The sending end of a queue pair against a plain list of frames.
 */

namespace
{

constexpr uint32_t MTU = LoneSender::MTU; //!< payload of a full frame

/** The queue pair done in the plainest way: all frames of all messages in a row. */
struct PlainSender
{
    /** A frame. */
    struct Item
    {
        uint32_t bytes; //!< payload
        uint32_t place; //!< of its message
        uint8_t flags;  //!< FIRST and LAST
    };

    /** @param bytes payload @param place of the message */
    void Post(uint64_t bytes, uint32_t place)
    {
        uint8_t flags = Frame::FIRST;
        for (; bytes > MTU; bytes -= MTU)
        {
            items.push_back({MTU, place, flags});
            flags = 0;
        }
        items.push_back(
            {static_cast<uint32_t>(bytes), place, static_cast<uint8_t>(flags | Frame::LAST)});
    }

    /** @param from a PSN @param to a PSN @return payload of the frames from the one up to the other */
    uint64_t Sum(uint64_t from, uint64_t to) const
    {
        uint64_t sum = 0;
        for (uint64_t psn = from; psn < to; ++psn)
        {
            sum += items[psn].bytes;
        }
        return sum;
    }

    std::vector<Item> items; //!< by PSN
    uint64_t next = 0;       //!< next to send
    uint64_t unacked = 0;    //!< first not acknowledged
    uint64_t highest = 0;    //!< after the highest ever sent
};

/** Random operations. */
class RandomOperationsTestCase : public TestCase
{
  public:
    RandomOperationsTestCase()
        : TestCase(
              "Random posts, sends, acknowledgments and losses go as in a plain list of frames")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 20; ++seed)
        {
            m_random.seed(seed);
            LoneSender sender;
            PlainSender plain;
            m_attempts.clear();
            for (uint32_t step = 0; step < 3000 && !IsStatusFailure(); ++step)
            {
                Step(sender, plain);
                Compare(*sender.pair, plain);
            }
        }
    }

    /** @param sender under test @param plain the reference */
    void Step(LoneSender& sender, PlainSender& plain)
    {
        const uint32_t choice = m_random() % 16;
        if (choice < 3)
        {
            const uint64_t sizes[] = {0, 1, MTU - 1, MTU, MTU + 1, m_random() % (6 * MTU)};
            const uint64_t bytes = sizes[m_random() % 6];
            const auto place = static_cast<uint32_t>(m_random());
            sender.Post(bytes, place);
            plain.Post(bytes, place);
        }
        else if (choice < 10 && sender.pair->MaySend())
        {
            const Frame frame = sender.Next();
            NS_TEST_ASSERT_MSG_LT(plain.next, plain.items.size(), "there is one");
            const PlainSender::Item& item = plain.items[plain.next];
            NS_TEST_ASSERT_MSG_EQ(frame.psn, plain.next, "number");
            NS_TEST_ASSERT_MSG_EQ(frame.payloadBytes, item.bytes, "payload");
            NS_TEST_ASSERT_MSG_EQ(+frame.flags, +item.flags, "flags");
            NS_TEST_ASSERT_MSG_EQ(static_cast<uint32_t>(frame.tag), item.place, "place");
            const auto [last, isNew] = m_attempts.emplace(frame.psn, frame.attempt);
            const bool isRight = isNew ? frame.attempt == 0 : frame.attempt > last->second;
            NS_TEST_ASSERT_MSG_EQ(isRight, true, "0 at first, then more and more, so draws differ");
            last->second = frame.attempt;
            plain.highest = std::max(plain.highest, ++plain.next);
        }
        else if (choice < 14)
        {
            Acknowledge(sender, plain);
        }
        else if (choice == 14)
        {
            sender.pair->GoBack();
            plain.next = plain.unacked;
        }
        else
        {
            sender.pair->decision.windowBytes = m_random() % 2 ? UINT64_MAX : m_random() % 9000;
        }
    }

    /** @param sender under test @param plain the reference */
    void Acknowledge(LoneSender& sender, PlainSender& plain)
    {
        const uint64_t psn = plain.unacked + m_random() % (plain.highest - plain.unacked + 1);
        std::vector<uint32_t> places;
        for (uint64_t i = plain.unacked; i < psn; ++i)
        {
            if (plain.items[i].flags & Frame::LAST)
            {
                places.push_back(plain.items[i].place);
            }
        }
        sender.completed.clear();
        NS_TEST_ASSERT_MSG_EQ(sender.Acknowledge(psn), plain.Sum(plain.unacked, psn), "payload");
        NS_TEST_ASSERT_MSG_EQ(sender.completed.size(), places.size(), "messages complete");
        for (std::size_t i = 0; i < places.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(sender.completed[i].place, places[i], "message " << i);
        }
        plain.unacked = psn;
        plain.next = std::max(plain.next, psn);
    }

    /** @param pair under test @param plain the reference */
    void Compare(const SendQueuePair& pair, const PlainSender& plain)
    {
        const uint64_t inFlight = plain.Sum(plain.unacked, plain.next);
        const bool isIdle = plain.next == plain.unacked;
        const bool maySend =
            plain.next < plain.items.size() &&
            (isIdle || inFlight + plain.items[plain.next].bytes <= pair.decision.windowBytes);
        NS_TEST_ASSERT_MSG_EQ(pair.MaySend(), maySend, "may send");
        NS_TEST_ASSERT_MSG_EQ(pair.IsIdle(), isIdle, "idle");
        NS_TEST_ASSERT_MSG_EQ(pair.GetInFlightBytes(), inFlight, "in flight");
        NS_TEST_ASSERT_MSG_EQ(pair.GetUnackedPsn(), plain.unacked, "unacknowledged");
        NS_TEST_ASSERT_MSG_EQ(pair.GetHighestPsn(), plain.highest, "highest");
    }

    std::mt19937_64 m_random;               //!< chooses
    std::map<uint64_t, uint8_t> m_attempts; //!< by PSN: of the last sending
};

/** The suite. */
class SendQueuePairFuzzTestSuite : public TestSuite
{
  public:
    SendQueuePairFuzzTestSuite()
        : TestSuite("llm-fabric-send-queue-pair-fuzz", TestSuite::Type::UNIT)
    {
        AddTestCase(new RandomOperationsTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_sendQueuePairFuzzTestSuite; //!< registers the suite

} // namespace
