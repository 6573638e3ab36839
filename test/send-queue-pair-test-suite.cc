// SPDX-License-Identifier: GPL-2.0-only

#include "lone-sender.h"

#include "ns3/time-resolution.h"

#include "ns3/test.h"

#include <map>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The sending end of a queue pair alone: frames, window, pace, acknowledgments, going back.
 */

namespace
{

constexpr uint32_t MTU = LoneSender::MTU; //!< payload of a full frame

/** Frames of messages. */
class FramesTestCase : public TestCase
{
  public:
    FramesTestCase()
        : TestCase("A message is cut into full frames and a rest, the first with its own header")
    {
    }

  private:
    void DoRun() override
    {
        LoneSender sender;
        sender.Post(2500, 6);
        const Frame first = sender.Next(123);
        const Frame second = sender.Next(456);
        const Frame third = sender.Next(789);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "no more");
        NS_TEST_EXPECT_MSG_EQ(first.wireBytes, 1000 + 82 + 16, "first");
        NS_TEST_EXPECT_MSG_EQ(second.wireBytes, 1000 + 82, "second");
        NS_TEST_EXPECT_MSG_EQ(third.wireBytes, 500 + 82, "rest");
        NS_TEST_EXPECT_MSG_EQ(third.payloadBytes, 500, "payload of the rest");
        NS_TEST_EXPECT_MSG_EQ(+first.flags, +Frame::FIRST, "flag");
        NS_TEST_EXPECT_MSG_EQ(+second.flags, 0, "no flag");
        NS_TEST_EXPECT_MSG_EQ(+third.flags, +Frame::LAST, "flag");
        NS_TEST_EXPECT_MSG_EQ(second.psn, 1, "numbers go on");
        NS_TEST_EXPECT_MSG_EQ(second.sentTick, 456, "time");
        NS_TEST_EXPECT_MSG_EQ(second.identity, first.identity + 1, "identities go on");
        NS_TEST_EXPECT_MSG_EQ(third.destination, 9, "destination");
        NS_TEST_EXPECT_MSG_EQ(third.queuePair, 5, "queue pair");
        NS_TEST_EXPECT_MSG_EQ(third.GetPair(), 2, "number of the pair");
        NS_TEST_EXPECT_MSG_EQ(third.entropy, 0xabcd, "entropy");
        NS_TEST_EXPECT_MSG_EQ(+third.trafficClass, 3, "class");
        Message message;
        ReadMessageTag(third.tag, message);
        NS_TEST_EXPECT_MSG_EQ(message.owner, 3, "owner travels");
        NS_TEST_EXPECT_MSG_EQ(message.instance, 4, "instance travels");
        NS_TEST_EXPECT_MSG_EQ(message.place, 6, "place travels");
    }
};

/** Sizes at the edges. */
class EmptyMessageTestCase : public TestCase
{
  public:
    EmptyMessageTestCase()
        : TestCase("An empty message is one frame, first and last, and is completed like others")
    {
    }

  private:
    void DoRun() override
    {
        LoneSender sender;
        sender.Post(0, 1);
        sender.Post(MTU, 2);
        sender.Post(0, 3);
        const Frame empty = sender.Next();
        NS_TEST_EXPECT_MSG_EQ(+empty.flags, (Frame::FIRST | Frame::LAST), "alone");
        NS_TEST_EXPECT_MSG_EQ(empty.wireBytes, 82 + 16, "headers only");
        NS_TEST_EXPECT_MSG_EQ(empty.payloadBytes, 0, "no payload");
        const Frame full = sender.Next();
        NS_TEST_EXPECT_MSG_EQ(+full.flags, (Frame::FIRST | Frame::LAST), "one full frame");
        NS_TEST_EXPECT_MSG_EQ(full.payloadBytes, MTU, "payload");
        sender.Next();
        NS_TEST_EXPECT_MSG_EQ(sender.Acknowledge(1), 0, "no payload acknowledged");
        NS_TEST_ASSERT_MSG_EQ(sender.completed.size(), 1, "but a message");
        NS_TEST_EXPECT_MSG_EQ(sender.Acknowledge(3), MTU, "the rest");
        NS_TEST_ASSERT_MSG_EQ(sender.completed.size(), 3, "all");
        NS_TEST_EXPECT_MSG_EQ(sender.completed[2].place, 3, "in order");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->IsIdle(), true, "idle");
    }
};

/** Draws of a repeated phase. */
class IdentityTestCase : public TestCase
{
  public:
    IdentityTestCase()
        : TestCase("A message has the same identities whatever was sent before it")
    {
    }

  private:
    void DoRun() override
    {
        LoneSender fresh;
        LoneSender used;
        used.Post(12345, 8);
        used.Skip(13);
        used.Acknowledge(13);
        fresh.Post(3000, 5);
        used.Post(3000, 5);
        uint32_t identity = 0;
        for (uint32_t i = 0; i < 3; ++i)
        {
            const Frame a = fresh.Next();
            const Frame b = used.Next();
            NS_TEST_EXPECT_MSG_EQ(a.identity, b.identity, "frame " << i);
            NS_TEST_EXPECT_MSG_EQ(a.psn + 13, b.psn, "though the numbers differ");
            identity = b.identity;
        }
        fresh.Post(3000, 6);
        NS_TEST_EXPECT_MSG_NE(fresh.Next().identity, identity, "another place");
    }
};

/** The window. */
class WindowRuleTestCase : public TestCase
{
  public:
    WindowRuleTestCase()
        : TestCase("A window holds back what would not fit, but one frame may always go")
    {
    }

  private:
    void DoRun() override
    {
        // by window: how many frames of a message of 3.5 frames go at once
        const std::map<uint64_t, uint32_t>
            table{{0, 1}, {999, 1}, {1999, 1}, {2000, 2}, {3499, 3}, {3500, 4}, {UINT64_MAX, 4}};
        for (const auto& [window, expected] : table)
        {
            LoneSender sender;
            sender.pair->decision.windowBytes = window;
            sender.Post(3500);
            uint32_t count = 0;
            for (; sender.pair->MaySend(); ++count)
            {
                sender.Next();
            }
            NS_TEST_EXPECT_MSG_EQ(count, expected, "window " << window);
            sender.Acknowledge(1);
            const bool mayGoOn = expected < 4;
            NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), mayGoOn, "a frame makes room for one");
        }
    }
};

/** The pace. */
class PaceTestCase : public TestCase
{
  public:
    PaceTestCase()
        : TestCase("A paced frame is followed after its wire bytes at the rate, not its payload")
    {
    }

  private:
    void DoRun() override
    {
        LoneSender sender;
        sender.Post(4000);
        sender.Next(5000);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->nextSendTick, 5000, "at line rate there is no pace");
        // 10 Gb/s are 800 ps a byte; a change counts for the frame that has just been sent
        sender.pair->decision.rateBps = 10e9;
        sender.pair->UpdatePace();
        NS_TEST_EXPECT_MSG_EQ(sender.pair->nextSendTick, 5000 + 1098 * 800, "slower");
        sender.Next(1000000);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->nextSendTick, 1000000 + 1082 * 800, "second");
        sender.pair->decision.rateBps = 20e9;
        sender.pair->UpdatePace();
        NS_TEST_EXPECT_MSG_EQ(sender.pair->nextSendTick, 1000000 + 1082 * 400, "faster");
        sender.pair->decision.rateBps = 200e9;
        sender.pair->UpdatePace();
        NS_TEST_EXPECT_MSG_EQ(sender.pair->nextSendTick, 1000000, "above the line: no pace");
    }
};

/** Losses. */
class GoBackTestCase : public TestCase
{
  public:
    GoBackTestCase()
        : TestCase("Going back repeats what is unacknowledged; attempts count until it is over")
    {
    }

  private:
    void DoRun() override
    {
        LoneSender sender;
        sender.Post(1500, 1);
        sender.Post(2500, 2);
        sender.Skip(4); // PSN 0 to 3, PSN 4 is not sent
        sender.Acknowledge(1);
        sender.pair->GoBack();
        NS_TEST_EXPECT_MSG_EQ(sender.pair->GetInFlightBytes(), 0, "nothing counts as sent");
        const Frame again = sender.Next();
        NS_TEST_EXPECT_MSG_EQ(again.psn, 1, "first unacknowledged");
        NS_TEST_EXPECT_MSG_EQ(again.payloadBytes, 500, "its size");
        NS_TEST_EXPECT_MSG_EQ(+again.attempt, 1, "second time");
        sender.pair->GoBack();
        NS_TEST_EXPECT_MSG_EQ(+sender.Next().attempt, 2, "third time");
        sender.Skip(2);
        NS_TEST_EXPECT_MSG_EQ(+sender.Next().attempt, 0, "PSN 4 for the first time");
        sender.Acknowledge(3);
        sender.pair->GoBack();
        NS_TEST_EXPECT_MSG_EQ(+sender.Next().attempt, 3, "4 was the aim, 3 not enough");
        sender.Acknowledge(5);
        sender.Post(2000, 3);
        sender.Skip(2);
        sender.pair->GoBack();
        NS_TEST_EXPECT_MSG_EQ(+sender.Next().attempt, 1, "counts anew");
        // an acknowledgment of the first attempt arrives after going back
        sender.pair->GoBack();
        NS_TEST_EXPECT_MSG_EQ(sender.Acknowledge(6), 1000, "what arrived at first");
        const Frame rest = sender.Next();
        NS_TEST_EXPECT_MSG_EQ(rest.psn, 6, "is not sent again");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->GetInFlightBytes(), 1000, "the rest");
    }
};

/** The suite. */
class SendQueuePairTestSuite : public TestSuite
{
  public:
    SendQueuePairTestSuite()
        : TestSuite("llm-fabric-send-queue-pair", TestSuite::Type::UNIT)
    {
        AddTestCase(new FramesTestCase);
        AddTestCase(new EmptyMessageTestCase);
        AddTestCase(new IdentityTestCase);
        AddTestCase(new WindowRuleTestCase);
        AddTestCase(new PaceTestCase);
        AddTestCase(new GoBackTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_sendQueuePairTestSuite; //!< registers the suite

} // namespace
