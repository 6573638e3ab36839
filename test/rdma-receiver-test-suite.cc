// SPDX-License-Identifier: GPL-2.0-only

#include "link-bench.h"

#include "ns3/message-transport.h"
#include "ns3/rdma-receiver.h"

#include "ns3/test.h"

#include <functional>
#include <memory>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The receiving side of a NIC alone, and the tags that name messages on their way.
 */

namespace
{

constexpr uint64_t US = 1000000; //!< ticks of a microsecond

/** A receiver whose answers are kept as they leave on a fast link. */
class ReceiverBench : public FrameTransmitter::Observer
{
  public:
    ReceiverBench()
        : bench("400Gbps", NanoSeconds(1))
    {
        config.cnpIntervalTicks = 50 * US;
        receiver = std::make_unique<RdmaReceiver>(PeekPointer(bench.clock), &bench.pool, 7, config);
        receiver->SetPort(&bench.near);
        bench.near.AddObserver(this);
    }

    /**
     * Receive a frame.
     * @param tick when
     * @param psn its number
     * @param flags of it
     * @param source terminal
     * @param pair number of the queue pair
     */
    void Data(uint64_t tick, uint64_t psn, uint8_t flags, uint32_t source = 2, uint16_t pair = 0)
    {
        bench.At(tick,
                 [this, tick, psn, flags, source, pair]()
                 {
                     Frame* frame = bench.MakeFrame(1082, psn, 3);
                     frame->payloadBytes = 1000;
                     frame->source = source;
                     frame->destination = 7;
                     frame->queuePair = 40u + pair;
                     frame->SetPair(pair);
                     frame->entropy = 99;
                     frame->sentTick = tick - 5;
                     frame->flags = flags;
                     Message sent;
                     sent.owner = 6;
                     sent.place = source;
                     frame->tag = MessageTag(sent);
                     Message message;
                     for (bool isOne = receiver->Receive(frame, message); isOne;
                          isOne = receiver->TakeFurther(message))
                     {
                         messages.push_back(message);
                     }
                 });
    }

    void FrameArrived(const FrameTransmitter&, const Frame& frame, uint64_t) override
    {
        answers.push_back(frame);
    }

    /** @return kinds and numbers of the answers: "A1 N1 C0" */
    std::string Run()
    {
        Simulator::Run();
        std::string text;
        for (const Frame& frame : answers)
        {
            const char* names[] = {"D", "A", "N", "C", "P"};
            text += (text.empty() ? "" : " ") + std::string(names[static_cast<int>(frame.kind)]) +
                    std::to_string(frame.psn);
        }
        return text;
    }

    LinkBench bench;                        //!< the link that answers leave by
    RdmaConfig config;                      //!< of the receiver
    std::unique_ptr<RdmaReceiver> receiver; //!< under test
    std::vector<Frame> answers;             //!< what it sent
    std::vector<Message> messages;          //!< what was complete
};

/** In order. */
class InOrderTestCase : public TestCase
{
  public:
    InOrderTestCase()
        : TestCase("Frames in order are acknowledged every so many, and at the end of a message")
    {
    }

  private:
    void DoRun() override
    {
        ReceiverBench one;
        one.config.framesPerAck = 3;
        for (uint64_t psn = 0; psn < 5; ++psn)
        {
            one.Data((psn + 1) * US, psn, psn == 0 ? Frame::FIRST : psn == 4 ? Frame::LAST : 0);
        }
        one.Data(6 * US, 5, Frame::FIRST | Frame::LAST);
        NS_TEST_EXPECT_MSG_EQ(one.Run(), "A3 A5 A6", "third, last, last");
        NS_TEST_ASSERT_MSG_EQ(one.messages.size(), 2, "messages");
        NS_TEST_EXPECT_MSG_EQ(one.messages[0].bytes, 5000, "payload summed");
        NS_TEST_EXPECT_MSG_EQ(one.messages[0].owner, 6, "owner");
        NS_TEST_EXPECT_MSG_EQ(one.messages[0].place, 2, "place");
        NS_TEST_EXPECT_MSG_EQ(one.messages[1].bytes, 1000, "counted anew");
        NS_TEST_EXPECT_MSG_EQ(one.bench.pool.GetTaken(), 0, "no frame is kept");
    }
};

/** The form of an answer. */
class AnswerTestCase : public TestCase
{
  public:
    AnswerTestCase()
        : TestCase("An answer goes back to the source with the echo of time and mark")
    {
    }

  private:
    void DoRun() override
    {
        ReceiverBench one;
        one.Data(US, 0, Frame::FIRST | Frame::LAST | Frame::MARKED);
        NS_TEST_ASSERT_MSG_EQ(one.Run(), "C0 A1", "notification and acknowledgment");
        for (const Frame& frame : one.answers)
        {
            NS_TEST_EXPECT_MSG_EQ(frame.destination, 2, "to the source");
            NS_TEST_EXPECT_MSG_EQ(frame.source, 7, "from here");
            NS_TEST_EXPECT_MSG_EQ(frame.queuePair, 40, "for its queue pair");
            NS_TEST_EXPECT_MSG_EQ(frame.payloadBytes, 0, "no payload");
            NS_TEST_EXPECT_MSG_NE(frame.entropy, 99, "a way of its own");
        }
        const Frame& cnp = one.answers[0];
        NS_TEST_EXPECT_MSG_EQ(cnp.wireBytes, 98, "CNP");
        NS_TEST_EXPECT_MSG_EQ(+cnp.trafficClass, 6, "its class");
        NS_TEST_EXPECT_MSG_EQ(+cnp.flags, 0, "no mark of its own");
        const Frame& ack = one.answers[1];
        NS_TEST_EXPECT_MSG_EQ(ack.wireBytes, 86, "ACK");
        NS_TEST_EXPECT_MSG_EQ(+ack.trafficClass, 3, "the class of data");
        NS_TEST_EXPECT_MSG_EQ(+ack.flags, +Frame::MARKED, "echo, no FIRST or LAST");
        NS_TEST_EXPECT_MSG_EQ(ack.sentTick, US - 5, "time of the data frame");
        NS_TEST_EXPECT_MSG_EQ(cnp.entropy, ack.entropy, "the same way");
    }
};

/** A gap. */
class GapTestCase : public TestCase
{
  public:
    GapTestCase()
        : TestCase("A gap is reported once until it is filled; an old frame is acknowledged again")
    {
    }

  private:
    void DoRun() override
    {
        ReceiverBench one;
        const uint64_t psns[] = {0, 2, 3, 4, 1, 3, 4, 2, 0, 5, 3};
        uint64_t tick = US;
        for (const uint64_t psn : psns)
        {
            one.Data(tick, psn, psn == 3 ? Frame::LAST : 0);
            tick += US;
        }
        NS_TEST_EXPECT_MSG_EQ(one.Run(), "A1 N1 A2 N2 A3 A3 N3 A4", "answers");
        NS_TEST_ASSERT_MSG_EQ(one.messages.size(), 1, "complete when in order only");
        NS_TEST_EXPECT_MSG_EQ(one.messages[0].bytes, 4000, "dropped frames do not count");
        NS_TEST_EXPECT_MSG_EQ(one.bench.pool.GetTaken(), 0, "no frame is kept");
    }
};

/** A gap that is reported again. */
class NackIntervalTestCase : public TestCase
{
  public:
    NackIntervalTestCase()
        : TestCase("With an interval a gap is reported again, by the first frame after it")
    {
    }

  private:
    void DoRun() override
    {
        ReceiverBench one;
        one.config.nackIntervalTicks = 10 * US;
        const std::pair<uint64_t, uint64_t> frames[] =
            {{1, 0}, {2, 2}, {11, 3}, {12, 4}, {21, 5}, {23, 6}, {24, 1}, {25, 3}};
        for (const auto& [tick, psn] : frames)
        {
            one.Data(tick * US, psn, 0);
        }
        // at 2, 12 and 23 us; a new gap at 25 us is reported at once
        NS_TEST_EXPECT_MSG_EQ(one.Run(), "A1 N1 N1 N1 A2 N2", "answers");
        NS_TEST_EXPECT_MSG_EQ(one.bench.pool.GetTaken(), 0, "no frame is kept");
    }
};

/** Frames that are kept. */
class KeptFramesTestCase : public TestCase
{
  public:
    KeptFramesTestCase()
        : TestCase("What follows a gap is kept within bounds, named in NACKs, and told in order")
    {
    }

  private:
    /** A frame in the order of arrival. */
    struct Item
    {
        uint64_t psn;     //!< number
        bool isLast;      //!< of its message
        std::string text; //!< answer, and number that it names
    };

    void DoRun() override
    {
        // messages of 4 frames and of 1
        Check(0,
              {{0, false, "A1<0"},
               {2, false, "N1<2"},
               {3, true, "N1<3"},
               {1, false, "A4<1"},
               {4, true, "A5<4"}},
              {4, 1});
        // backwards: messages of 1, 2 and 3 frames come at once
        Check(0,
              {{5, true, "N0<5"},
               {4, false, "N0<4"},
               {3, false, "N0<3"},
               {2, true, "N0<2"},
               {1, false, "N0<1"},
               {0, true, "A6<0"}},
              {1, 2, 3});
        // the same frames again and again
        Check(0,
              {{0, false, "A1<0"},
               {2, true, "N1<2"},
               {2, true, "N1<2"},
               {1, false, "A3<1"},
               {2, true, "A3<2"},
               {0, false, "A3<0"}},
              {3});
        // two gaps, one filled after the other
        Check(0,
              {{1, false, "N0<1"},
               {3, true, "N0<3"},
               {0, false, "A2<0"},
               {4, true, "N2<4"},
               {2, false, "A5<2"}},
              {4, 1});
        // up to 2 ahead is no loss yet
        Check(2,
              {{0, false, "A1<0"},
               {2, false, "A1<2"},
               {3, false, "A1<3"},
               {4, true, "N1<4"},
               {1, false, "A5<1"}},
              {5});
        // an ACK every 4 frames, but at once when a gap is filled
        Check(1,
              {{0, false, ""},
               {2, false, ""},
               {1, false, "A3<1"},
               {5, false, "N3<5"},
               {4, false, ""},
               {3, true, "A6<3"}},
              {4},
              4);
        // there is room for 8, from the first missing one on: 8 is dropped, 7 is kept
        Check(0,
              {{8, false, ""},
               {7, true, "N0<7"},
               {0, false, "A1<0"},
               {8, false, "N1<8"},
               {1, true, "A2<1"}},
              {2});
    }

    /** @param depth of reordering @param items what comes @param sizes of messages, frames
     * @param framesPerAck see RdmaConfig */
    void Check(uint32_t depth,
               const std::vector<Item>& items,
               const std::vector<uint64_t>& sizes,
               uint32_t framesPerAck = 1)
    {
        ReceiverBench one;
        one.config.mtuBytes = 1000;
        one.config.reorderFrames = 8;
        one.config.framesPerAck = framesPerAck;
        one.config.reorderDepth = depth;
        uint64_t tick = US;
        std::string expected;
        for (const Item& item : items)
        {
            one.Data(tick, item.psn, item.isLast ? Frame::LAST : 0);
            tick += US;
            expected += item.text.empty() ? "" : item.text + " ";
        }
        one.Run();
        std::string answers;
        for (const Frame& frame : one.answers)
        {
            answers += (frame.kind == FrameKind::ACK ? "A" : "N") + std::to_string(frame.psn) +
                       "<" + std::to_string(frame.tag) + " ";
        }
        NS_TEST_EXPECT_MSG_EQ(answers, expected, "answers");
        NS_TEST_ASSERT_MSG_EQ(one.messages.size(), sizes.size(), "messages of " << expected);
        for (std::size_t i = 0; i < sizes.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(one.messages[i].bytes, 1000 * sizes[i], "message " << i);
            NS_TEST_EXPECT_MSG_EQ(one.messages[i].owner, 6, "its owner");
        }
        NS_TEST_EXPECT_MSG_EQ(one.bench.pool.GetTaken(), 0, "no frame of the pool is kept");
    }
};

/** Queue pairs. */
class PairsTestCase : public TestCase
{
  public:
    PairsTestCase()
        : TestCase("Queue pairs of many sources are kept apart")
    {
    }

  private:
    void DoRun() override
    {
        ReceiverBench one;
        uint64_t tick = US;
        // sources on three pages of memory; a frame of each in turn
        for (uint64_t psn = 0; psn < 2; ++psn)
        {
            for (const uint32_t source : {0u, 63u, 64u, 200u})
            {
                for (const uint16_t pair : {3, 0})
                {
                    one.Data(tick, psn, psn == 0 ? Frame::FIRST : Frame::LAST, source, pair);
                    tick += US;
                }
            }
        }
        one.Run();
        NS_TEST_ASSERT_MSG_EQ(one.answers.size(), 16, "an answer each");
        for (std::size_t i = 0; i < 16; ++i)
        {
            const bool isAck = one.answers[i].kind == FrameKind::ACK;
            NS_TEST_EXPECT_MSG_EQ(isAck, true, "in order");
            NS_TEST_EXPECT_MSG_EQ(one.answers[i].psn, (i < 8 ? 1 : 2), "number");
        }
        NS_TEST_ASSERT_MSG_EQ(one.messages.size(), 8, "a message each");
        NS_TEST_EXPECT_MSG_EQ(one.messages[7].place, 200, "of the last");
        NS_TEST_EXPECT_MSG_EQ(one.messages[7].bytes, 2000, "its own bytes only");
    }
};

/** Congestion notifications. */
class CnpIntervalTestCase : public TestCase
{
  public:
    CnpIntervalTestCase()
        : TestCase("A queue pair is notified at most once in an interval, also for dropped frames")
    {
    }

  private:
    void DoRun() override
    {
        ReceiverBench one;
        one.config.framesPerAck = 100;
        one.Data(100 * US, 0, Frame::MARKED);
        one.Data(149 * US, 1, Frame::MARKED);
        one.Data(150 * US, 2, Frame::MARKED);    // 50 us after the first
        one.Data(151 * US, 0, Frame::MARKED, 3); // of another source
        one.Data(180 * US, 3, 0);
        one.Data(201 * US, 9, Frame::MARKED); // after a gap: marked all the same
        NS_TEST_EXPECT_MSG_EQ(one.Run(), "C0 C0 C0 C0 N4", "answers");
        NS_TEST_ASSERT_MSG_EQ(one.answers.size(), 5, "answers");
        NS_TEST_EXPECT_MSG_EQ(one.answers[2].destination, 3, "the other source");
    }
};

/** Tags. */
class MessageTagTestCase : public TestCase
{
  public:
    MessageTagTestCase()
        : TestCase("Owner, instance and place survive the tag, the instance modulo 4096")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t owner : {0u, 1u, 0x80000u, MessageTransport::MAX_OWNERS - 1})
        {
            for (const uint32_t instance : {0u, 1u, 4095u, 4096u, 8191u, UINT32_MAX})
            {
                for (const uint32_t place : {0u, 1u, 0x80000000u, UINT32_MAX})
                {
                    Message message;
                    message.owner = owner;
                    message.instance = instance;
                    message.place = place;
                    Message back;
                    ReadMessageTag(MessageTag(message), back);
                    NS_TEST_EXPECT_MSG_EQ(back.owner, owner, "owner");
                    NS_TEST_EXPECT_MSG_EQ(back.instance, instance % 4096, "instance " << instance);
                    NS_TEST_EXPECT_MSG_EQ(back.place, place, "place");
                }
            }
        }
        Message message;
        message.owner = 1;
        message.instance = 2;
        message.place = 3;
        NS_TEST_EXPECT_MSG_EQ(MessageTag(message), 0x0000100200000003u, "20, 12 and 32 bits");
    }
};

/** The suite. */
class RdmaReceiverTestSuite : public TestSuite
{
  public:
    RdmaReceiverTestSuite()
        : TestSuite("llm-fabric-rdma-receiver", TestSuite::Type::UNIT)
    {
        AddTestCase(new InOrderTestCase);
        AddTestCase(new AnswerTestCase);
        AddTestCase(new GapTestCase);
        AddTestCase(new NackIntervalTestCase);
        AddTestCase(new KeptFramesTestCase);
        AddTestCase(new PairsTestCase);
        AddTestCase(new CnpIntervalTestCase);
        AddTestCase(new MessageTagTestCase);
    }
} g_rdmaReceiverTestSuite; //!< registers the suite

} // namespace
