// SPDX-License-Identifier: GPL-2.0-only

// The shared buffer by itself: thresholds by hand, and a second way of counting.

#include "ns3/shared-buffer.h"
#include "ns3/test.h"

#include <cmath>
#include <random>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Verdict = SharedBuffer::Verdict; //!< short

constexpr uint8_t DATA = 3;    //!< the lossless class
constexpr uint8_t CONTROL = 6; //!< a lossy class

/**
 * A buffer with the given shared part.
 * @param shared bytes
 * @param ports number of ports
 * @param headroom bytes per port
 * @param reserve bytes per port and class
 * @param alpha share of the free memory
 * @return the buffer
 */
SharedBuffer
MakeBuffer(uint64_t shared,
           uint32_t ports,
           uint64_t headroom = 100000,
           uint64_t reserve = 0,
           double alpha = 0.125)
{
    SharedBuffer::Config config;
    config.totalBytes = shared + ports * (headroom + reserve);
    config.reserveBytes = reserve;
    config.alpha = alpha;
    config.hysteresisBytes = 3000;
    config.losslessMask = 1 << DATA;
    SharedBuffer buffer;
    buffer.Configure(config, std::vector<uint64_t>(ports, headroom));
    return buffer;
}

/** Fill and drain by hand. */
class ThresholdTestCase : public TestCase
{
  public:
    ThresholdTestCase()
        : TestCase("XOFF at alpha times the free shared part, XON a hysteresis below it with the "
                   "headroom empty")
    {
    }

  private:
    void DoRun() override
    {
        SharedBuffer buffer = MakeBuffer(10000000, 3);
        NS_TEST_EXPECT_MSG_EQ(buffer.GetSharedBytes(), 10000000, "shared part");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetThreshold(), 1250000, "empty");
        Fill(buffer, 0, 750);
        Fill(buffer, 1, 750);
        Fill(buffer, 2, 500);
        NS_TEST_EXPECT_MSG_EQ(buffer.GetThreshold(), 1000000, "2 MB of 10 MB are used");
        // frame k reaches it when 750000 + 1000 k >= (10e6 - 2e6 - 1000 (k-1)) / 8, first for 223
        Fill(buffer, 0, 222);
        NS_TEST_EXPECT_MSG_EQ(buffer.AdmitPlainly(0, DATA, 1000), false, "one frame short");
        const bool isPause = buffer.Admit(0, DATA, 1000) == Verdict::PAUSE;
        NS_TEST_EXPECT_MSG_EQ(isPause, true, "XOFF");
        NS_TEST_EXPECT_MSG_EQ(buffer.IsWatched(), true, "a pause is on");
        // two more go to the headroom, which does not count as shared
        const double threshold = buffer.GetThreshold();
        Fill(buffer, 0, 2);
        NS_TEST_EXPECT_MSG_EQ(buffer.GetThreshold(), threshold, "headroom is apart");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetUsedBytes(), 2225000, "used");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetUsedBytes(0, DATA), 975000, "used by port 0");
        // headroom first; then 973000 - 1000 m <= (7777000 + 1000 m) / 8 - 3000, first for m = 4
        uint16_t port = 99;
        uint8_t trafficClass = 99;
        for (uint32_t m = 1; m <= 6; ++m)
        {
            NS_TEST_EXPECT_MSG_EQ(buffer.TakeResumable(port, trafficClass), false, "after " << m);
            buffer.Release(0, DATA, 1000);
        }
        NS_TEST_EXPECT_MSG_EQ(buffer.TakeResumable(port, trafficClass), true, "XON");
        NS_TEST_EXPECT_MSG_EQ(port, 0, "XON");
        NS_TEST_EXPECT_MSG_EQ(+trafficClass, +DATA, "XON");
        NS_TEST_EXPECT_MSG_EQ(buffer.IsWatched(), false, "no pause is on");
        NS_TEST_EXPECT_MSG_EQ(buffer.TakeResumable(port, trafficClass), false, "once");
    }

    /** @param buffer a buffer @param port a port @param frames of 1000 B that are just counted */
    void Fill(SharedBuffer& buffer, uint16_t port, uint32_t frames)
    {
        for (uint32_t i = 0; i < frames; ++i)
        {
            const bool isAccepted = buffer.Admit(port, DATA, 1000) == Verdict::ACCEPT;
            NS_TEST_ASSERT_MSG_EQ(isAccepted, true, "frame " << i << " by port " << port);
        }
    }
};

/** Overload by many ports at once. */
class EqualSharesTestCase : public TestCase
{
  public:
    EqualSharesTestCase()
        : TestCase("n ports under overload hold alpha B over 1 + n alpha each, to two frames")
    {
    }

  private:
    void DoRun() override
    {
        Check(1, 0.125);
        Check(8, 0.125);
        Check(16, 0.125);
        Check(32, 0.125);
        Check(1, 1);
        Check(4, 1);
        Check(16, 0.0625);
    }

    /** @param ports so many @param alpha share of the free memory */
    void Check(uint32_t ports, double alpha)
    {
        const double shared = 10000000;
        SharedBuffer buffer = MakeBuffer(10000000, ports, 100000, 0, alpha);
        std::vector<bool> isPaused(ports);
        uint32_t paused = 0;
        while (paused < ports)
        {
            for (uint32_t port = 0; port < ports; ++port)
            {
                if (!isPaused[port] &&
                    buffer.Admit(static_cast<uint16_t>(port), DATA, 1000) == Verdict::PAUSE)
                {
                    isPaused[port] = true;
                    ++paused;
                }
            }
        }
        for (uint32_t port = 0; port < ports; ++port)
        {
            const auto used = buffer.GetUsedBytes(static_cast<uint16_t>(port), DATA);
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(used),
                                      alpha * shared / (1 + ports * alpha),
                                      2000, // the threshold moves by up to a frame within a round
                                      ports << " ports, alpha " << alpha);
        }
    }
};

/** Reserve, headroom, lossy classes. */
class PartsTestCase : public TestCase
{
  public:
    PartsTestCase()
        : TestCase("The reserve is not shared, the headroom ends to the byte, a lossy class drops")
    {
    }

  private:
    void DoRun() override
    {
        SharedBuffer buffer = MakeBuffer(80000, 2, 5000, 4096);
        NS_TEST_EXPECT_MSG_EQ(buffer.GetSharedBytes(), 80000, "shared part");
        for (uint32_t i = 0; i < 4; ++i)
        {
            buffer.Admit(0, DATA, 1024);
        }
        NS_TEST_EXPECT_MSG_EQ(buffer.GetThreshold(), 10000, "the reserve is full, nothing shared");
        // 1024 (k) >= (80000 - 1024 (k-1)) / 8, first for k = 9
        for (uint32_t i = 1; i <= 8; ++i)
        {
            const bool isAccepted = buffer.Admit(0, DATA, 1024) == Verdict::ACCEPT;
            NS_TEST_EXPECT_MSG_EQ(isAccepted, true, "frame " << i);
        }
        bool isPause = buffer.Admit(0, DATA, 1024) == Verdict::PAUSE;
        NS_TEST_EXPECT_MSG_EQ(isPause, true, "XOFF");
        bool isAccepted = buffer.Admit(0, DATA, 4999) == Verdict::ACCEPT;
        NS_TEST_EXPECT_MSG_EQ(isAccepted, true, "headroom but for a byte");
        const uint64_t used = buffer.GetUsedBytes();
        bool isRefused = buffer.Admit(0, DATA, 2) == Verdict::NO_ROOM;
        NS_TEST_EXPECT_MSG_EQ(isRefused, true, "a byte too much");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetUsedBytes(), used, "what is refused is not counted");
        isAccepted = buffer.Admit(0, DATA, 1) == Verdict::ACCEPT;
        NS_TEST_EXPECT_MSG_EQ(isAccepted, true, "the last byte");
        // the other port is not concerned, and the lossy class never pauses
        isAccepted = buffer.Admit(1, DATA, 1024) == Verdict::ACCEPT;
        NS_TEST_EXPECT_MSG_EQ(isAccepted, true, "other port");
        uint32_t accepted = 0;
        while (buffer.Admit(1, CONTROL, 1024) == Verdict::ACCEPT)
        {
            ++accepted;
        }
        // 4 in the reserve, then while 1024 k < (80000 - 9216 - 1024 (k-1)) / 8
        NS_TEST_EXPECT_MSG_EQ(accepted, 4 + 7, "lossy frames");
        buffer.ForgetPauses(1);
        NS_TEST_EXPECT_MSG_EQ(buffer.IsWatched(), true, "pauses of another port stay");
        buffer.ForgetPauses(0);
        NS_TEST_EXPECT_MSG_EQ(buffer.IsWatched(), false, "pauses of a dead port are void");
        for (uint32_t i = 0; i < 13; ++i)
        {
            buffer.Release(0, DATA, 1024);
        }
        buffer.Release(0, DATA, 5000);
        NS_TEST_EXPECT_MSG_EQ(buffer.GetUsedBytes(0, DATA), 0, "all of port 0 has left");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetUsedBytes(), 1024 + 11 * 1024, "of port 1");
    }
};

/** Random traffic, counted in a second way. */
class SecondCountTestCase : public TestCase
{
  public:
    SecondCountTestCase()
        : TestCase("Random traffic agrees with a count made anew from all frames at each step")
    {
    }

  private:
    /** A port and class. */
    struct Queue
    {
        uint64_t bytes = 0;    //!< reserve and shared
        uint64_t headroom = 0; //!< headroom
        bool isPaused = false; //!< XOFF
    };

    static constexpr uint32_t PORTS = 5;        //!< number of ports
    static constexpr int64_t SHARED = 60000;    //!< bytes
    static constexpr int64_t RESERVE = 2000;    //!< bytes
    static constexpr uint64_t HEADROOM = 9000;  //!< bytes
    static constexpr int64_t HYSTERESIS = 3000; //!< bytes

    /** @param queue a queue @return its part of the shared memory */
    static int64_t SharedPart(const Queue& queue)
    {
        return std::max<int64_t>(static_cast<int64_t>(queue.bytes) - RESERVE, 0);
    }

    /** @return what is free of the shared memory */
    int64_t Free() const
    {
        int64_t used = 0;
        for (const auto& port : m_queues)
        {
            for (const Queue& queue : port)
            {
                used += SharedPart(queue);
            }
        }
        return SHARED - used;
    }

    /** @param queue the queue @param isLossless its class @param bytes of a frame @return verdict */
    Verdict Expect(Queue& queue, bool isLossless, uint32_t bytes)
    {
        if (queue.isPaused)
        {
            if (queue.headroom + bytes > HEADROOM)
            {
                return Verdict::NO_ROOM;
            }
            queue.headroom += bytes;
            return Verdict::ACCEPT;
        }
        Queue after = queue;
        after.bytes += bytes;
        // alpha = 1/4, in integers
        const bool isOver = SharedPart(after) > 0 && 4 * SharedPart(after) >= Free();
        if (isOver && !isLossless)
        {
            return Verdict::NO_ROOM;
        }
        queue = after;
        queue.isPaused = isOver;
        return isOver ? Verdict::PAUSE : Verdict::ACCEPT;
    }

    void DoRun() override
    {
        SharedBuffer buffer = MakeBuffer(SHARED, PORTS, HEADROOM, RESERVE, 0.25);
        std::mt19937 random(11);
        std::vector<std::pair<std::pair<uint16_t, uint8_t>, uint32_t>> held;
        uint32_t pauses = 0;
        uint32_t refusals = 0;
        uint32_t plain = 0;
        for (uint32_t step = 0; step < 120000; ++step)
        {
            const bool isFilling = step / 3000 % 2 == 0;
            if (held.empty() || random() % 10 < (isFilling ? 6 : 4))
            {
                const auto port = static_cast<uint16_t>(random() % PORTS);
                const uint8_t trafficClass = random() % 8 == 0 ? CONTROL : DATA;
                const uint32_t bytes = 60 + random() % 1500;
                Queue& queue = m_queues[port][trafficClass];
                const Verdict expected = Expect(queue, trafficClass == DATA, bytes);
                const bool isPlain = buffer.AdmitPlainly(port, trafficClass, bytes);
                const Verdict verdict =
                    isPlain ? Verdict::ACCEPT : buffer.Admit(port, trafficClass, bytes);
                const bool isEqual = verdict == expected;
                NS_TEST_ASSERT_MSG_EQ(isEqual, true, "verdict at step " << step);
                plain += isPlain;
                if (verdict != Verdict::NO_ROOM)
                {
                    held.push_back({{port, trafficClass}, bytes});
                }
                pauses += verdict == Verdict::PAUSE;
                refusals += verdict == Verdict::NO_ROOM;
            }
            else
            {
                std::swap(held[random() % held.size()], held.back());
                const auto [where, bytes] = held.back();
                held.pop_back();
                Queue& queue = m_queues[where.first][where.second];
                const uint64_t part = std::min<uint64_t>(queue.headroom, bytes);
                queue.headroom -= part;
                queue.bytes -= bytes - part;
                buffer.Release(where.first, where.second, bytes);
                Resume(buffer);
            }
            Compare(buffer);
        }
        NS_TEST_EXPECT_MSG_GT(plain, 10000, "most came in plainly");
        NS_TEST_EXPECT_MSG_GT(pauses, 100, "there were pauses");
        NS_TEST_EXPECT_MSG_GT(refusals, 100, "there were refusals");
        for (const auto& [where, bytes] : held)
        {
            buffer.Release(where.first, where.second, bytes);
        }
        NS_TEST_EXPECT_MSG_EQ(buffer.GetUsedBytes(), 0, "empty");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetThreshold(), SHARED / 4, "empty");
    }

    /** Take all that may go on. @param buffer the buffer */
    void Resume(SharedBuffer& buffer)
    {
        uint16_t port;
        uint8_t trafficClass;
        while (buffer.TakeResumable(port, trafficClass))
        {
            Queue& queue = m_queues[port][trafficClass];
            NS_TEST_ASSERT_MSG_EQ(queue.isPaused, true, "was paused");
            NS_TEST_ASSERT_MSG_EQ(MayResume(queue), true, "may go on");
            queue.isPaused = false;
        }
        bool isWatched = false;
        for (const auto& ofPort : m_queues)
        {
            for (const Queue& queue : ofPort)
            {
                isWatched = isWatched || queue.isPaused;
                const bool isLeft = queue.isPaused && MayResume(queue);
                NS_TEST_ASSERT_MSG_EQ(isLeft, false, "none is left that may go on");
            }
        }
        NS_TEST_ASSERT_MSG_EQ(buffer.IsWatched(), isWatched, "watched");
    }

    /** @param queue a paused one @return whether it may go on */
    bool MayResume(const Queue& queue) const
    {
        return queue.headroom == 0 &&
               (SharedPart(queue) == 0 || 4 * (SharedPart(queue) + HYSTERESIS) <= Free());
    }

    /** @param buffer to be compared */
    void Compare(const SharedBuffer& buffer)
    {
        uint64_t used = 0;
        for (uint16_t port = 0; port < PORTS; ++port)
        {
            for (const uint8_t trafficClass : {DATA, CONTROL})
            {
                const Queue& queue = m_queues[port][trafficClass];
                used += queue.bytes + queue.headroom;
                NS_TEST_ASSERT_MSG_EQ(buffer.GetUsedBytes(port, trafficClass),
                                      queue.bytes + queue.headroom,
                                      "port " << port);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(buffer.GetUsedBytes(), used, "used");
        NS_TEST_ASSERT_MSG_EQ(buffer.GetThreshold(), 0.25 * static_cast<double>(Free()), "free");
    }

    Queue m_queues[PORTS][TRAFFIC_CLASSES]; //!< by port and class
};

/** The suite. */
class FabricBufferTestSuite : public TestSuite
{
  public:
    FabricBufferTestSuite()
        : TestSuite("llm-fabric-fabric-buffer", TestSuite::Type::UNIT)
    {
        AddTestCase(new ThresholdTestCase);
        AddTestCase(new EqualSharesTestCase);
        AddTestCase(new PartsTestCase);
        AddTestCase(new SecondCountTestCase);
    }
};

FabricBufferTestSuite g_fabricBufferTestSuite; //!< registers the suite

} // namespace
