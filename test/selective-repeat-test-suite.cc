// SPDX-License-Identifier: GPL-2.0-only

#include "lone-sender.h"

#include "ns3/input-error.h"
#include "ns3/psn-bitmap.h"
#include "ns3/selective-repeat.h"
#include "ns3/time-resolution.h"

#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The sending end of a queue pair under selective repeat, without a network.
 */

namespace
{

constexpr uint32_t MTU = LoneSender::MTU; //!< payload of a full frame

/** @param inFlight attribute @param depth attribute @return a recovery with room for 64 frames */
Ptr<SelectiveRepeat>
MakeRecovery(uint32_t inFlight, uint32_t depth = 0)
{
    auto recovery = CreateObject<SelectiveRepeat>();
    recovery->SetAttribute("ReorderFrames", UintegerValue(64));
    recovery->SetAttribute("InFlightFrames", UintegerValue(inFlight));
    recovery->SetAttribute("ReorderDepth", UintegerValue(depth));
    return recovery;
}

/** The bits. */
class BitmapTestCase : public TestCase
{
  public:
    BitmapTestCase()
        : TestCase("A bitmap of any length tells apart the numbers of a range of that length")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t frames : {1u, 63u, 64u, 65u, 512u, 1000u})
        {
            PsnBitmap bitmap(frames);
            const uint64_t first = 12345678901u;
            bool isRight = true;
            for (uint64_t psn = first; psn < first + frames; ++psn)
            {
                isRight = isRight && !bitmap.Test(psn) && bitmap.Set(psn) && !bitmap.Set(psn);
            }
            for (uint64_t psn = first; psn < first + frames; ++psn)
            {
                isRight = isRight && bitmap.Clear(psn) && !bitmap.Clear(psn);
                isRight = isRight && bitmap.Set(psn + frames); // the range moves on
            }
            NS_TEST_EXPECT_MSG_EQ(isRight, true, frames << " frames");
        }
    }
};

/** One recovery. */
class HolesTestCase : public TestCase
{
  public:
    HolesTestCase()
        : TestCase("Holes go first, each once; a timeout takes all that has not arrived for lost")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<SelectiveRepeat> recovery = MakeRecovery(8);
        LoneSender sender(recovery);
        sender.Post(20 * MTU);
        sender.Skip(8);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "eight on the way");
        sender.Acknowledge(2);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MarkReceived(4), MTU, "4 arrived");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MarkReceived(4), 0, "and only once");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MarkReceived(1), 0, "old");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MarkReceived(8), 0, "never sent");
        const bool begins = recovery->OnNack(*sender.pair, 2, 4);
        NS_TEST_EXPECT_MSG_EQ(begins, true, "a loss");
        // of 2 to 7, 4 has arrived, 2 and 3 are lost
        NS_TEST_EXPECT_MSG_EQ(sender.pair->GetInFlightBytes(), 3 * MTU, "5, 6 and 7");
        const Frame first = sender.Next();
        NS_TEST_EXPECT_MSG_EQ(first.psn, 2, "hole");
        NS_TEST_EXPECT_MSG_EQ(+first.attempt, 1, "second time");
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 3, "hole");
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 8, "new");
        sender.pair->MarkReceived(5);
        const bool beginsAgain = recovery->OnNack(*sender.pair, 2, 5);
        NS_TEST_EXPECT_MSG_EQ(beginsAgain, false, "known");
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 9, "new");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "10 is 8 after 2");
        sender.pair->MarkReceived(7);
        recovery->OnNack(*sender.pair, 2, 7);
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 6, "one more hole of the same recovery");
        recovery->OnTimeout(*sender.pair);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->GetInFlightBytes(), 0, "nothing is on its way");
        for (const uint64_t psn : {2, 3, 6, 8, 9})
        {
            const Frame frame = sender.Next();
            NS_TEST_EXPECT_MSG_EQ(frame.psn, psn, "all that has not arrived");
            NS_TEST_EXPECT_MSG_EQ(+frame.attempt, 2, "next attempt");
        }
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "each once");
        NS_TEST_EXPECT_MSG_EQ(sender.Acknowledge(10), 5 * MTU, "what was not known to be there");
        NS_TEST_EXPECT_MSG_EQ(+sender.Next().attempt, 0, "10 is new");
        sender.Next();
        sender.pair->MarkReceived(11);
        NS_TEST_EXPECT_MSG_EQ(recovery->OnNack(*sender.pair, 10, 11), true, "a recovery anew");
        NS_TEST_EXPECT_MSG_EQ(+sender.Next().attempt, 1, "and attempts anew");
    }
};

/** A window. */
class WindowTestCase : public TestCase
{
  public:
    WindowTestCase()
        : TestCase("The window holds holes back, too; what has arrived does not count in it")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<SelectiveRepeat> recovery = MakeRecovery(64);
        LoneSender sender(recovery);
        sender.pair->decision.windowBytes = 4 * MTU;
        sender.Post(20 * MTU);
        sender.Skip(4);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "window");
        sender.pair->MarkReceived(3);
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 4, "3 has made room");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "window");
        sender.pair->decision.windowBytes = 2 * MTU;
        recovery->OnNack(*sender.pair, 0, 3);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->GetInFlightBytes(), MTU, "4 alone");
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 0, "a hole fits");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "another does not");
        sender.pair->decision.windowBytes = 0;
        recovery->OnTimeout(*sender.pair);
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 0, "one frame may always go");
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), false, "one");
    }
};

/** Reordering. */
class DepthTestCase : public TestCase
{
  public:
    DepthTestCase()
        : TestCase("With a reorder depth only what lies further back is taken for lost")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<SelectiveRepeat> recovery = MakeRecovery(64, 3);
        LoneSender sender(recovery);
        sender.Post(20 * MTU);
        sender.Skip(10);
        sender.pair->MarkReceived(2);
        NS_TEST_EXPECT_MSG_EQ(recovery->OnNack(*sender.pair, 0, 2), false, "no loss yet");
        sender.pair->MarkReceived(5);
        NS_TEST_EXPECT_MSG_EQ(recovery->OnNack(*sender.pair, 0, 5), true, "a loss");
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 0, "more than 3 before 5");
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 1, "more than 3 before 5");
        NS_TEST_EXPECT_MSG_EQ(sender.Next().psn, 10, "3 and 4 may still come");
    }
};

/** Frames that may be on the way. */
class BoundTestCase : public TestCase
{
  public:
    BoundTestCase()
        : TestCase("By default a path is filled and no more; settings that cannot work are refused")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<SelectiveRepeat> recovery = MakeRecovery(0);
        QueuePairInfo info;
        info.lineRateBps = 100e9;
        info.mtuBytes = 1000;
        info.frameOverheadBytes = 82;
        info.baseRttTicks = 4173120;
        // 52,164 B at 1082 B a frame are 48.2 frames
        NS_TEST_EXPECT_MSG_EQ(recovery->GetMaxFrames(info), 49, "path");
        info.baseRttTicks = 10 * 4173120;
        NS_TEST_EXPECT_MSG_EQ(recovery->GetMaxFrames(info), 64, "room at the receiver");
        info.baseRttTicks = 0;
        NS_TEST_EXPECT_MSG_EQ(recovery->GetMaxFrames(info), 64, "path unknown");
        RdmaConfig config;
        Expect("InFlightFrames 65", [&]() { MakeRecovery(65)->Configure(config); });
        Expect("ReorderDepth 64", [&]() { MakeRecovery(0, 64)->Configure(config); });
        config.framesPerAck = 9;
        Expect("FramesPerAck 9", [&]() { MakeRecovery(8)->Configure(config); });
    }

    /** @param words what the refusal must name @param call what is to be refused */
    void Expect(const std::string& words, const std::function<void()>& call)
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
        NS_TEST_EXPECT_MSG_NE(text.find(words), std::string::npos, "refusal '" << text << "'");
    }
};

/** What is known of a frame that was sent. */
enum class Fate
{
    ON_THE_WAY, //!< sent
    ARRIVED,    //!< after a gap
    LOST,       //!< to be sent again
};

/** Random operations. */
class RandomHolesTestCase : public TestCase
{
  public:
    RandomHolesTestCase()
        : TestCase("Random sends, arrivals and losses go as in a plain list of frames")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 30; ++seed)
        {
            m_random.seed(seed);
            m_bytes.clear();
            m_fates.clear();
            m_attempts.clear();
            m_unacked = 0;
            m_judged = 0;
            LoneSender sender(MakeRecovery(m_most));
            for (uint32_t step = 0; step < 3000 && !IsStatusFailure(); ++step)
            {
                Step(sender);
                Compare(sender);
            }
        }
    }

    /** @param sender under test */
    void Step(LoneSender& sender)
    {
        const uint64_t sent = m_fates.size();
        const uint64_t any = sent == m_unacked ? sent : m_unacked + m_random() % (sent - m_unacked);
        switch (m_random() % 12)
        {
        case 0:
        case 1:
            Post(sender);
            break;
        case 2:
        {
            const uint64_t psn = m_unacked + m_random() % (sent - m_unacked + 1);
            uint64_t payload = 0;
            for (; m_unacked < psn; ++m_unacked)
            {
                payload += m_fates[m_unacked] == Fate::ARRIVED ? 0 : m_bytes[m_unacked];
            }
            m_judged = std::max(m_judged, psn);
            NS_TEST_ASSERT_MSG_EQ(sender.Acknowledge(psn), payload, "payload acknowledged");
            break;
        }
        case 3:
        case 4:
        {
            const bool isNew = any < sent && m_fates[any] != Fate::ARRIVED;
            NS_TEST_ASSERT_MSG_EQ(sender.pair->MarkReceived(any),
                                  (isNew ? m_bytes[any] : 0),
                                  "arrival");
            if (isNew)
            {
                m_fates[any] = Fate::ARRIVED;
            }
            break;
        }
        case 5:
            sender.pair->ResendHoles(any);
            for (; m_judged < any; ++m_judged)
            {
                Lose(m_judged);
            }
            break;
        case 6:
            if (m_random() % 8 == 0)
            {
                sender.pair->ResendAll();
                for (uint64_t psn = m_unacked; psn < sent; ++psn)
                {
                    Lose(psn);
                }
                m_judged = sent;
            }
            break;
        case 7:
            sender.pair->decision.windowBytes = m_random() % 2 ? UINT64_MAX : m_random() % 9000;
            break;
        default:
            if (sender.pair->MaySend())
            {
                Send(sender);
            }
        }
    }

    /** @param psn lost, unless it has arrived */
    void Lose(uint64_t psn)
    {
        if (m_fates[psn] != Fate::ARRIVED)
        {
            m_fates[psn] = Fate::LOST;
        }
    }

    /** @param sender gets a message */
    void Post(LoneSender& sender)
    {
        uint64_t bytes = m_random() % (5 * MTU);
        sender.Post(bytes);
        for (; bytes > MTU; bytes -= MTU)
        {
            m_bytes.push_back(MTU);
        }
        m_bytes.push_back(static_cast<uint32_t>(bytes));
    }

    /** @return the frame that is to be sent */
    uint64_t GetNext() const
    {
        uint64_t psn = m_unacked;
        while (psn < m_fates.size() && m_fates[psn] != Fate::LOST)
        {
            ++psn;
        }
        return psn;
    }

    /** @param sender sends a frame */
    void Send(LoneSender& sender)
    {
        const uint64_t psn = GetNext();
        const Frame frame = sender.Next();
        NS_TEST_ASSERT_MSG_EQ(frame.psn, psn, "number");
        NS_TEST_ASSERT_MSG_EQ(frame.payloadBytes, m_bytes[psn], "payload");
        const auto [last, isNew] = m_attempts.emplace(psn, frame.attempt);
        const bool isRight = isNew ? frame.attempt == 0 : frame.attempt > last->second;
        NS_TEST_ASSERT_MSG_EQ(isRight, true, "0 at first, then more and more, so draws differ");
        last->second = frame.attempt;
        m_fates.resize(std::max<std::size_t>(m_fates.size(), psn + 1));
        m_fates[psn] = Fate::ON_THE_WAY;
    }

    /** @param sender under test */
    void Compare(const LoneSender& sender)
    {
        uint64_t inFlight = 0;
        for (uint64_t psn = m_unacked; psn < m_fates.size(); ++psn)
        {
            inFlight += m_fates[psn] == Fate::ON_THE_WAY ? m_bytes[psn] : 0;
        }
        const uint64_t next = GetNext();
        const bool isThere = next < m_bytes.size() && next - m_unacked < m_most;
        const bool maySend = isThere && (inFlight == 0 || inFlight + m_bytes[next] <=
                                                              sender.pair->decision.windowBytes);
        NS_TEST_ASSERT_MSG_EQ(sender.pair->GetInFlightBytes(), inFlight, "in flight");
        NS_TEST_ASSERT_MSG_EQ(sender.pair->MaySend(), maySend, "may send");
        NS_TEST_ASSERT_MSG_EQ(sender.pair->GetUnackedPsn(), m_unacked, "unacknowledged");
    }

    static constexpr uint32_t m_most = 20;  //!< frames that may be on the way
    std::mt19937_64 m_random;               //!< chooses
    std::vector<uint32_t> m_bytes;          //!< payload by PSN, of all messages
    std::vector<Fate> m_fates;              //!< by PSN, of what was sent
    std::map<uint64_t, uint8_t> m_attempts; //!< by PSN: of the last sending
    uint64_t m_unacked = 0;                 //!< first not acknowledged
    uint64_t m_judged = 0;                  //!< frames before were once taken for lost, or not
};

/** The suite. */
class SelectiveRepeatTestSuite : public TestSuite
{
  public:
    SelectiveRepeatTestSuite()
        : TestSuite("llm-fabric-selective-repeat", TestSuite::Type::UNIT)
    {
        AddTestCase(new BitmapTestCase);
        AddTestCase(new HolesTestCase);
        AddTestCase(new WindowTestCase);
        AddTestCase(new DepthTestCase);
        AddTestCase(new BoundTestCase);
        AddTestCase(new RandomHolesTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_selectiveRepeatTestSuite; //!< registers the suite

} // namespace
