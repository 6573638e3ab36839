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
                     frame->pair = pair;
                     frame->queuePair = 40u + pair;
                     frame->entropy = 99;
                     frame->sentTick = tick - 5;
                     frame->flags = flags;
                     Message sent;
                     sent.owner = 6;
                     sent.place = source;
                     frame->tag = MessageTag(sent);
                     Message message;
                     if (receiver->Receive(frame, message))
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
        AddTestCase(new PairsTestCase);
        AddTestCase(new CnpIntervalTestCase);
        AddTestCase(new MessageTagTestCase);
    }
} g_rdmaReceiverTestSuite; //!< registers the suite

} // namespace
