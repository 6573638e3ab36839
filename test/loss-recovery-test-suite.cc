// SPDX-License-Identifier: GPL-2.0-only

// Both loss recoveries where frames are lost and overtake each other: every message comes once, whole
// and in order.

#include "recovery-bench.h"

#include "ns3/test.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Random losses. */
class RandomLossTestCase : public TestCase
{
  public:
    RandomLossTestCase()
        : TestCase("With 1e-3 and 1e-2 of all frames lost each message comes once, whole, in order")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            for (const double rate : {1e-3, 1e-2})
            {
                SetRecovery(recovery);
                SetLoss(rate);
                Delivery run;
                run.net.MakeStar(4, "100Gbps");
                for (uint32_t i = 0; i < 20; ++i)
                {
                    run.Send(1, 0, 100000 + i);
                    run.Send(2, 0, 1000 * i);
                    run.Send(0, 3, 30000 - i);
                }
                NS_TEST_EXPECT_MSG_EQ(run.Run(), "", recovery << " at " << rate);
                const uint64_t lost = run.net.Sum(&PortCounters::corrupted);
                NS_TEST_EXPECT_MSG_GT(lost, 5, recovery << " at " << rate << ": lost");
            }
        }
    }
};

/** Chosen losses. */
class ChosenLossTestCase : public TestCase
{
  public:
    ChosenLossTestCase()
        : TestCase("Lost last frames, ACKs, NACKs and CNPs cost time and nothing else")
    {
    }

  private:
    /** What is expected under each recovery. */
    struct Expected
    {
        uint64_t nacks;    //!< received
        uint64_t timeouts; //!< of the queue pair
        uint64_t resent;   //!< frames
    };

    void DoRun() override
    {
        // 40 and 40 frames over 100 Gb/s, of which 49 are on the way at most
        Check("the last frame of a message", 0, "39/0", 1, {1, 0, 41}, {40, 0, 1});
        Check("the very last frame", 0, "79/0", 1, {0, 1, 1}, {0, 1, 1});
        Check("an ACK", 2, "7/0", 2, {0, 0, 0}, {0, 0, 0});
        Check("the last ACK", 2, "80/0", 2, {0, 1, 1}, {0, 1, 1});
    }

    /** @param name of the case @param direction of the link @param frames lost there @param kinds of
     * them @param goBackN expected @param selective expected */
    void Check(const std::string& name,
               uint32_t direction,
               const std::string& frames,
               uint32_t kinds,
               const Expected& goBackN,
               const Expected& selective)
    {
        for (const std::string& recovery : RECOVERIES)
        {
            SetRecovery(recovery);
            Delivery run;
            SetList(run.net, direction, frames, kinds);
            run.net.MakeStar(2, "100Gbps");
            run.Send(0, 1, 40000);
            run.Send(0, 1, 40000);
            NS_TEST_EXPECT_MSG_EQ(run.Run(), "", recovery << ", " << name);
            const Expected& expected = recovery == "GoBackN" ? goBackN : selective;
            const NicCounters counters = run.net.transport->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.nacksReceived, expected.nacks, recovery << ", " << name);
            NS_TEST_EXPECT_MSG_EQ(counters.timeouts, expected.timeouts, recovery << ", " << name);
            NS_TEST_EXPECT_MSG_EQ(counters.retransmissions,
                                  expected.resent,
                                  recovery << ", " << name);
            NS_TEST_EXPECT_MSG_EQ(run.net.Sum(&PortCounters::corrupted), 1, name << ": lost");
        }
    }
};

/** Losses of answers. */
class AnswerLossTestCase : public TestCase
{
  public:
    AnswerLossTestCase()
        : TestCase("A lost NACK is found by the next or by a timeout; CNPs may all be lost")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            SetRecovery(recovery);
            uint32_t nacks = 0;
            Delivery run;
            run.net.isLost = [&nacks](const Frame& frame)
            {
                const bool isFirst = frame.kind == FrameKind::DATA && frame.psn == 7;
                return (isFirst && frame.attempt == 0) ||
                       (frame.kind == FrameKind::NACK && nacks++ == 0);
            };
            run.net.MakeStar(2, "100Gbps");
            run.Send(0, 1, 40000);
            NS_TEST_EXPECT_MSG_EQ(run.Run(), "", recovery << ", a NACK");
            const NicCounters counters = run.net.transport->GetCounters();
            const bool isGoBackN = recovery == "GoBackN";
            NS_TEST_EXPECT_MSG_EQ(counters.timeouts, (isGoBackN ? 1 : 0), recovery << ", a NACK");
            // 8 arrived, but its NACK did not
            NS_TEST_EXPECT_MSG_EQ(counters.retransmissions, (isGoBackN ? 33 : 2), recovery);
        }
        for (const std::string& recovery : RECOVERIES)
        {
            SetRecovery(recovery);
            Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                               StringValue("ns3::llm::Dcqcn"));
            Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(5000));
            Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(50000));
            SetLoss(1, 8);
            Delivery run;
            run.net.MakeStar(5, "100Gbps");
            for (uint32_t i = 1; i < 5; ++i)
            {
                run.Send(i, 0, 300000);
            }
            NS_TEST_EXPECT_MSG_EQ(run.Run(), "", recovery << ", CNPs");
            NS_TEST_EXPECT_MSG_EQ(run.net.transport->GetCounters().cnpsReceived, 0, "CNPs");
            NS_TEST_EXPECT_MSG_GT(run.net.Sum(&PortCounters::corrupted), 3, "CNPs lost");
            NS_TEST_EXPECT_MSG_EQ(run.net.transport->GetCounters().retransmissions, 0, "data");
        }
    }
};

/** Reordering. */
class ReorderingTestCase : public TestCase
{
  public:
    ReorderingTestCase()
        : TestCase("Frames that overtake each other are told in order, and nothing is sent again "
                   "within a reorder depth")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            for (const uint32_t depth : {0u, 12u})
            {
                SetRecovery(recovery);
                Config::SetDefault("ns3::llm::SelectiveRepeat::ReorderDepth", UintegerValue(depth));
                Delivery run;
                run.Shuffle(6, 1);
                run.net.MakeStar(3, "100Gbps");
                for (uint32_t i = 0; i < 10; ++i)
                {
                    run.Send(0, 1, 60000 + i);
                    run.Send(2, 1, 10000 * i);
                }
                NS_TEST_EXPECT_MSG_EQ(run.Run(), "", recovery << ", depth " << depth);
                const NicCounters counters = run.net.transport->GetCounters();
                const bool isCalm = recovery == "SelectiveRepeat" && depth != 0;
                NS_TEST_EXPECT_MSG_EQ((counters.nacksReceived == 0), isCalm, recovery << depth);
                // what is held at the very end looks lost
                NS_TEST_EXPECT_MSG_EQ((counters.retransmissions < 20), isCalm, recovery << depth);
            }
        }
    }
};

/** Everything at once. */
class FuzzTestCase : public TestCase
{
  public:
    FuzzTestCase()
        : TestCase("Random settings, losses and reorderings: each message once, whole, in order")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 120 && !IsStatusFailure(); ++seed)
        {
            m_random.seed(seed);
            const std::string recovery = RECOVERIES[seed % 2];
            SetRecovery(recovery, MicroSeconds(Any({30, 100, 400})));
            const std::string transport = "ns3::llm::RdmaTransport::";
            const std::string selective = "ns3::llm::SelectiveRepeat::";
            Config::SetDefault(transport + "Mtu", UintegerValue(Any({100, 1000, 4096})));
            Config::SetDefault(transport + "FramesPerAck", UintegerValue(Any({1, 1, 3, 8})));
            Config::SetDefault(transport + "CongestionControl",
                               StringValue(Any({0, 1}) ? "ns3::llm::DctcpWindow"
                                                       : "ns3::llm::NoCongestionControl"));
            Config::SetDefault(transport + "MaxTimeouts", UintegerValue(20));
            Config::SetDefault(selective + "ReorderFrames", UintegerValue(Any({8, 100, 512})));
            Config::SetDefault(selective + "ReorderDepth", UintegerValue(Any({0, 0, 4})));
            Config::SetDefault(selective + "TimeoutLow", TimeValue(MicroSeconds(Any({0, 20}))));
            Config::SetDefault("ns3::llm::GoBackN::NackInterval",
                               TimeValue(MicroSeconds(Any({0, 5}))));
            SetLoss(static_cast<double>(Any({0, 1, 10, 50})) / 1000);
            Delivery run;
            if (Any({0, 1}))
            {
                run.Shuffle(Any({2, 10}), seed);
            }
            run.net.MakeStar(3, Any({0, 1}) ? "100Gbps" : "400Gbps");
            const uint32_t messages = 3 + m_random() % 10;
            for (uint32_t i = 0; i < messages; ++i)
            {
                run.Send(0, 1, m_random() % 60000);
                run.Send(2, 1, m_random() % 5000);
                run.Send(1, 2, Any({0, 1, 4096, 8192}));
            }
            NS_TEST_EXPECT_MSG_EQ(run.Run(), "", recovery << ", seed " << seed);
        }
    }

    /** @param values some @return one of them */
    uint32_t Any(const std::vector<uint32_t>& values)
    {
        return values[m_random() % values.size()];
    }

    std::mt19937_64 m_random; //!< chooses
};

/** The suite. */
class LossRecoveryTestSuite : public TestSuite
{
  public:
    LossRecoveryTestSuite()
        : TestSuite("llm-fabric-loss-recovery", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RandomLossTestCase);
        AddTestCase(new ChosenLossTestCase);
        AddTestCase(new AnswerLossTestCase);
        AddTestCase(new ReorderingTestCase);
        AddTestCase(new FuzzTestCase);
    }
};

LossRecoveryTestSuite g_lossRecoveryTestSuite; //!< registers the suite

} // namespace
