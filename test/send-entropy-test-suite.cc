// SPDX-License-Identifier: GPL-2.0-only

// Entropies at the sender: per flow, random, recycled; what queue pairs and receivers make of them.

#include "lone-sender.h"
#include "small-network.h"

#include "ns3/recycled-entropy.h"

#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr uint64_t US = 1000000;  //!< a microsecond, ps
constexpr uint32_t FLOW = 0xabcd; //!< entropy of a queue pair
constexpr uint32_t EXPLORE = 10;  //!< frames of a round trip in these tests

/** A queue pair's ring, and frames that it chooses for. */
class Ring
{
  public:
    /** @param exploreFrames see RecycledEntropy; 0: those of a round trip of EXPLORE frames */
    explicit Ring(uint32_t exploreFrames = 0)
        : m_entropy(CreateObject<RecycledEntropy>())
    {
        m_entropy->SetAttribute("ExploreFrames", UintegerValue(exploreFrames));
        QueuePairInfo info;
        info.lineRateBps = 100e9;
        info.mtuBytes = 1000;
        info.frameOverheadBytes = 82;
        info.baseRttTicks = (EXPLORE - 1) * 86560 + 1; // a frame takes 86.56 ns
        m_entropy->Start(&m_state, info);
    }

    /** Send a frame. @return its entropy */
    uint32_t Send()
    {
        Frame frame{};
        frame.identity = ++m_sent;
        return m_entropy->Choose(&m_state, FLOW, frame, now);
    }

    /** @return what a random frame would get next */
    uint32_t Random() const
    {
        RandomEntropySender sender;
        Frame frame{};
        frame.identity = m_sent + 1;
        return sender.Choose(frame);
    }

    /** Send frames. @param count so many @return how many were random */
    uint32_t CountRandom(uint32_t count)
    {
        uint32_t random = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t drawn = Random();
            random += Send() == drawn;
        }
        return random;
    }

    /** An ACK comes in. @param entropy its @param isMarked whether it echoes a mark */
    void Ack(uint32_t entropy, bool isMarked = false)
    {
        m_entropy->OnAck(&m_state, entropy, isMarked, now);
    }

    /** Nothing came for long. */
    void Timeout()
    {
        m_entropy->OnTimeout(&m_state, now);
    }

    uint64_t now = 1000 * US; //!< ps

  private:
    /** The draws of RandomEntropy. */
    struct RandomEntropySender
    {
        /** @param frame a frame @return its random entropy */
        uint32_t Choose(const Frame& frame) const
        {
            return CreateObject<RandomEntropy>()->Choose(nullptr, FLOW, frame, 0);
        }
    };

    Ptr<RecycledEntropy> m_entropy; //!< what is tested
    RecycledEntropy::State m_state; //!< of the queue pair
    uint32_t m_sent = 0;            //!< frames
};

/** The known answers of recycling. */
class RecycledTestCase : public TestCase
{
  public:
    RecycledTestCase()
        : TestCase("ACKs with entropies 1, 2, 3 and a marked 4: the next frames have 1, 2, 3 and a "
                   "random one; the first round trip is random; a timeout freezes")
    {
    }

  private:
    void DoRun() override
    {
        Ring ring;
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(4), 4u, "none is known");
        for (uint32_t entropy = 1; entropy <= 4; ++entropy)
        {
            ring.Ack(entropy, entropy == 4);
        }
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(EXPLORE - 4), EXPLORE - 4, "the first round trip");
        Expect(ring, {1, 2, 3}, "in the order of the ACKs");
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(5), 5u, "each once, the marked one never");
        ring.Ack(7);
        Expect(ring, {7}, "a new one");
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(1), 1u, "and no more");
        CheckOverflow();
        CheckFreezing();
        CheckTimeoutWhileExploring();
    }

    /** @param ring it @param entropies of the next frames @param what it is */
    void Expect(Ring& ring, const std::vector<uint32_t>& entropies, const std::string& what)
    {
        for (const uint32_t entropy : entropies)
        {
            NS_TEST_EXPECT_MSG_EQ(ring.Send(), entropy, what);
        }
    }

    /** More than eight: the oldest are forgotten. */
    void CheckOverflow()
    {
        Ring ring(1);
        ring.Send();
        for (uint32_t entropy = 1; entropy <= 11; ++entropy)
        {
            ring.Ack(entropy);
        }
        Expect(ring, {4, 5, 6}, "the last eight");
        ring.Ack(12);
        ring.Ack(13);
        Expect(ring, {7, 8, 9, 10, 11, 12, 13}, "seven");
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(1), 1u, "none is left");
    }

    /** After a timeout. */
    void CheckFreezing()
    {
        Ring ring(2);
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(2), 2u, "exploring");
        for (uint32_t entropy = 1; entropy <= 3; ++entropy)
        {
            ring.Ack(entropy);
        }
        Expect(ring, {1}, "valid");
        ring.Timeout();
        Expect(ring, {2, 3}, "valid ones first");
        std::multiset<uint32_t> used;
        for (uint32_t i = 0; i < 6; ++i)
        {
            used.insert(ring.Send());
        }
        const bool isEven = used == std::multiset<uint32_t>{1, 1, 2, 2, 3, 3};
        NS_TEST_EXPECT_MSG_EQ(isEven, true, "known ones in turn, though used up");
        ring.Ack(9);
        Expect(ring, {9}, "a new one is valid");
        ring.now += 9999999;
        ring.Timeout();
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(4), 0u, "until 10 us have passed");
        ring.now += 1;
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(1), 1u, "exploring anew, though no ACK came");
        ring.Ack(5);
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(1), 1u, "for two frames");
        Expect(ring, {5}, "and recycling");
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(3), 3u, "no reuse any more");
    }

    /** A timeout before anything is known changes nothing. */
    void CheckTimeoutWhileExploring()
    {
        Ring ring(3);
        ring.Ack(1);
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(2), 2u, "exploring");
        ring.Timeout();
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(1), 1u, "still");
        Expect(ring, {1}, "valid");
        NS_TEST_EXPECT_MSG_EQ(ring.CountRandom(2), 2u, "not frozen");
        Ring empty(1);
        empty.Send();
        empty.Timeout();
        NS_TEST_EXPECT_MSG_EQ(empty.CountRandom(3), 3u, "frozen with nothing to reuse");
    }
};

/** Random entropies. */
class RandomEntropyTestCase : public TestCase
{
  public:
    RandomEntropyTestCase()
        : TestCase(
              "Random entropies are drawn by identity and attempt, as many as there are values")
    {
    }

  private:
    void DoRun() override
    {
        auto random = CreateObject<RandomEntropy>();
        Frame frame{};
        frame.identity = 4711;
        const uint32_t first = random->Choose(nullptr, FLOW, frame, 0);
        frame.psn = 5;
        NS_TEST_EXPECT_MSG_EQ(random->Choose(nullptr, FLOW, frame, 99),
                              first,
                              "no stream, no time");
        frame.attempt = 1;
        NS_TEST_EXPECT_MSG_NE(random->Choose(nullptr, FLOW, frame, 0), first, "another attempt");
        for (const uint32_t values : {1u, 8u, 256u})
        {
            random->SetAttribute("Values", UintegerValue(values));
            std::set<uint32_t> seen;
            std::set<uint32_t> others;
            for (uint32_t i = 0; i < 20 * values; ++i)
            {
                frame.identity = i;
                seen.insert(random->Choose(nullptr, FLOW, frame, 0));
                others.insert(random->Choose(nullptr, FLOW + 1, frame, 0));
            }
            NS_TEST_EXPECT_MSG_EQ(seen.size(), values, "all of them");
            others.insert(seen.begin(), seen.end());
            NS_TEST_EXPECT_MSG_EQ(others.size(), 2 * values, "another queue pair has others");
        }
    }
};

/** What a queue pair makes of it. */
class QueuePairEntropyTestCase : public TestCase
{
  public:
    QueuePairEntropyTestCase()
        : TestCase(
              "A queue pair asks for each frame, when its attempt is known, and passes echoes on")
    {
    }

  private:
    void DoRun() override
    {
        auto recycled = CreateObject<RecycledEntropy>();
        recycled->SetAttribute("ExploreFrames", UintegerValue(2));
        LoneSender sender;
        sender.config.entropy = PeekPointer(recycled);
        QueuePairInfo info;
        info.lineRateBps = 100e9;
        info.mtuBytes = LoneSender::MTU;
        sender.pair = std::make_unique<SendQueuePair>(sender.config, 5, 9, 2, FLOW, 77, info);
        sender.Post(10000);
        const Frame first = sender.Next();
        Frame second = sender.Next();
        NS_TEST_EXPECT_MSG_NE(first.entropy, second.entropy, "random");
        const uint32_t good = second.entropy;
        second.flags = 0;
        sender.pair->TakeEcho(second, 5);
        NS_TEST_EXPECT_MSG_EQ(sender.Next().entropy, good, "recycled");
        second.entropy = 99;
        second.flags = Frame::MARKED;
        sender.pair->TakeEcho(second, 5);
        NS_TEST_EXPECT_MSG_NE(sender.Next().entropy, 99u, "marked");
        sender.pair->TakeTimeout(5);
        sender.pair->GoBack();
        NS_TEST_EXPECT_MSG_EQ(sender.Next(6).entropy, good, "frozen: the one that is known");
        sender.pair->GoBack();
        const Frame again = sender.Next(20 * US);
        NS_TEST_EXPECT_MSG_EQ(again.psn, 0u, "the first one again");
        NS_TEST_EXPECT_MSG_EQ(+again.attempt, 2, "third attempt");
        NS_TEST_EXPECT_MSG_NE(again.entropy, first.entropy, "drawn anew");
    }
};

/** Notes the entropies of frames of a network. */
class EntropyObserver : public FrameTransmitter::Observer
{
  public:
    void FrameArrived(const FrameTransmitter&, const Frame& frame, uint64_t) override
    {
        auto& seen = frame.kind == FrameKind::DATA ? data : answers;
        seen.insert(frame.entropy);
    }

    std::set<uint32_t> data;    //!< of data frames
    std::set<uint32_t> answers; //!< of ACKs
};

/** Over a network. */
class EchoTestCase : public TestCase
{
  public:
    EchoTestCase()
        : TestCase(
              "ACKs bring the entropies of their frames; by default there is one per direction")
    {
    }

  private:
    void DoRun() override
    {
        const EntropyObserver flow = Run("FlowEntropy");
        NS_TEST_EXPECT_MSG_EQ(flow.data.size(), 1u, "one");
        NS_TEST_EXPECT_MSG_EQ(flow.answers.size(), 1u, "one");
        NS_TEST_EXPECT_MSG_EQ(*flow.answers.begin(),
                              RdmaReceiver::AnswerEntropy(*flow.data.begin()),
                              "its own");
        const EntropyObserver random = Run("RandomEntropy");
        NS_TEST_EXPECT_MSG_GT(random.data.size(), 190u, "of 200 frames");
        const bool isEcho = random.data == random.answers;
        NS_TEST_EXPECT_MSG_EQ(isEcho, true, "all come back");
        // the path of 4.2 us holds 49 frames of 86.56 ns: these are random, the rest recycled
        const EntropyObserver recycled = Run("RecycledEntropy");
        NS_TEST_EXPECT_MSG_GT(recycled.data.size(), 45u, "the first round trip");
        NS_TEST_EXPECT_MSG_LT(recycled.data.size(), 60u, "then known ones, as nothing is marked");
    }

    /** @param entropy which @return what was seen of a message of 200 frames over one switch */
    static EntropyObserver Run(const std::string& entropy)
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::SendEntropy",
                           StringValue("ns3::llm::" + entropy));
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        EntropyObserver observer;
        net.network->SetObserver(&observer);
        net.Send(0, 1, 200000);
        Simulator::Run();
        return observer;
    }
};

/** The suite. */
class SendEntropyTestSuite : public TestSuite
{
  public:
    SendEntropyTestSuite()
        : TestSuite("llm-fabric-send-entropy", TestSuite::Type::UNIT)
    {
        AddTestCase(new RecycledTestCase);
        AddTestCase(new RandomEntropyTestCase);
        AddTestCase(new QueuePairEntropyTestCase);
        AddTestCase(new EchoTestCase);
    }
};

SendEntropyTestSuite g_sendEntropyTestSuite; //!< registers the suite

} // namespace
