// SPDX-License-Identifier: GPL-2.0-only

// What an ACK says of marks: exact bytes for any number of frames per ACK.

#include "control-bench.h"
#include "small-network.h"

#include "ns3/dctcp-window.h"
#include "ns3/input-error.h"
#include "ns3/test.h"

#include <functional>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Marked bytes in ACKs.
 */

namespace
{

constexpr uint32_t MTU = 1000; //!< payload of a full frame

/** What the control of the sender was told, in order; of one queue pair. */
std::vector<AckSignal> g_acks;

/** Nothing to keep. */
struct RecorderState
{
};

/** Leaves rate and window alone and notes each ACK. */
class AckRecorder : public RdmaCongestionControlOf<RecorderState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TestAckRecorder")
                                .SetParent<RdmaCongestionControl>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<AckRecorder>();
        return tid;
    }

  private:
    /** @copydoc ns3::llm::RdmaCongestionControl::OnAck */
    void DoAck([[maybe_unused]] RecorderState& state,
               [[maybe_unused]] const QueuePairInfo& info,
               [[maybe_unused]] uint64_t now,
               const AckSignal& ack,
               [[maybe_unused]] CongestionDecision& decision) const override
    {
        g_acks.push_back(ack);
    }
};

NS_OBJECT_ENSURE_REGISTERED(AckRecorder);

/** Stands before a NIC, marks chosen frames and loses others. */
class Marker : public FrameSink
{
  public:
    /** Says something of a frame. */
    using Choice = std::function<bool(const Frame&)>;

    /** @param nic who gets them @param pool where lost ones go @param isMarked chooses @param isLost
     * chooses */
    Marker(FrameSink& nic, FramePool& pool, const Choice& isMarked, const Choice& isLost)
        : m_nic(nic),
          m_pool(pool),
          m_isMarked(isMarked),
          m_isLost(isLost)
    {
    }

    void ReceiveFrame(uint16_t port, const TransitFrame& transit) override
    {
        TransitFrame copy = transit;
        const Frame& frame = *copy.Store();
        if (m_isLost && m_isLost(frame))
        {
            m_pool.Give(copy.frame);
            return;
        }
        if (frame.kind == FrameKind::DATA && m_isMarked(frame))
        {
            copy.flags |= Frame::MARKED;
        }
        m_nic.ReceiveFrame(port, copy);
    }

    void BufferReleased() override
    {
        m_nic.BufferReleased();
    }

    void PortReady(uint16_t port) override
    {
        m_nic.PortReady(port);
    }

  private:
    FrameSink& m_nic;  //!< who gets them
    FramePool& m_pool; //!< where lost frames go
    Choice m_isMarked; //!< which are marked
    Choice m_isLost;   //!< which are lost
};

/**
 * Send a message and note the ACKs in g_acks.
 * @param framesPerAck attribute
 * @param bytes of the message
 * @param isMarked says which data frames arrive marked
 * @param isLost says which frames do not arrive
 * @return messages delivered
 */
std::size_t
Transfer(uint32_t framesPerAck,
         uint64_t bytes,
         const Marker::Choice& isMarked,
         const Marker::Choice& isLost = nullptr)
{
    g_acks.clear();
    SmallNetwork::SetPlain(MTU);
    const std::string name = "ns3::llm::RdmaTransport::";
    Config::SetDefault(name + "CongestionControl", StringValue("ns3::llm::TestAckRecorder"));
    Config::SetDefault(name + "FramesPerAck", UintegerValue(framesPerAck));
    Config::SetDefault(name + "RetransmissionTimeout", TimeValue(MicroSeconds(100)));
    SmallNetwork net;
    net.makeEnd = [&](FrameSink& nic, FramePool& pool)
    {
        return std::make_unique<Marker>(nic, pool, isMarked, isLost);
    };
    net.MakeStar(2, "100Gbps");
    net.Send(0, 1, bytes);
    Simulator::Run();
    return net.delivered.size();
}

/** @return sum of the marked bytes of g_acks */
uint64_t
SumMarked()
{
    uint64_t sum = 0;
    for (const AckSignal& ack : g_acks)
    {
        sum += ack.markedBytes;
    }
    return sum;
}

/** Fractions. */
class FractionTestCase : public TestCase
{
  public:
    FractionTestCase()
        : TestCase(
              "With 1, 2 and 16 frames per ACK, each says exactly what of its bytes was marked")
    {
    }

  private:
    void DoRun() override
    {
        // every third frame is marked; the last one has 500 B
        for (const uint32_t k : {1u, 2u, 16u})
        {
            const auto isMarked = [](const Frame& frame)
            {
                return frame.psn % 3 == 0;
            };
            NS_TEST_EXPECT_MSG_EQ(Transfer(k, 99 * MTU + 500, isMarked), 1, "message");
            NS_TEST_ASSERT_MSG_EQ(g_acks.size(), (100 + k - 1) / k, "ACKs, one per " << k);
            uint64_t psn = 0;
            for (const AckSignal& ack : g_acks)
            {
                uint64_t marked = 0;
                uint64_t acked = 0;
                for (; psn < ack.ackedPsn; ++psn)
                {
                    const uint64_t payload = psn == 99 ? 500 : MTU;
                    acked += payload;
                    marked += psn % 3 == 0 ? payload : 0;
                }
                NS_TEST_EXPECT_MSG_EQ(ack.ackedBytes, acked, "bytes up to " << psn);
                NS_TEST_EXPECT_MSG_EQ(ack.markedBytes, marked, "marked up to " << psn);
                NS_TEST_EXPECT_MSG_EQ(ack.GetMarkedBytes(), marked, "is what controls use");
                NS_TEST_EXPECT_MSG_EQ(ack.ecnEcho, ((psn - 1) % 3 == 0), "echo of the last frame");
            }
            NS_TEST_EXPECT_MSG_EQ(psn, 100, "all frames");
            NS_TEST_EXPECT_MSG_EQ(SumMarked(), 33 * MTU + 500, "all marked ones");
        }
        for (const bool isAll : {false, true})
        {
            Transfer(16, 50 * MTU, [isAll](const Frame&) { return isAll; });
            NS_TEST_EXPECT_MSG_EQ(SumMarked(), (isAll ? 50u * MTU : 0u), "all or nothing");
        }
    }
};

/** Losses. */
class LossTestCase : public TestCase
{
  public:
    LossTestCase()
        : TestCase("Lost ACKs lose no marks, and frames that are dropped or come twice count once")
    {
    }

  private:
    void DoRun() override
    {
        const auto isMarked = [](const Frame& frame)
        {
            return frame.psn % 2 == 0;
        };
        for (const uint32_t k : {1u, 4u})
        {
            // every third ACK is lost, the last one with certainty never: the next makes up for it
            const auto losesAcks = [](const Frame& frame)
            {
                return frame.kind == FrameKind::ACK && frame.psn % 3 == 0 && frame.psn < 90;
            };
            NS_TEST_EXPECT_MSG_EQ(Transfer(k, 100 * MTU, isMarked, losesAcks), 1, "message");
            NS_TEST_EXPECT_MSG_EQ(SumMarked(), 50 * MTU, "in spite of lost ACKs, k = " << k);
            for (const std::string recovery : {"GoBackN", "SelectiveRepeat"})
            {
                Config::SetDefault("ns3::llm::RdmaTransport::LossRecovery",
                                   StringValue("ns3::llm::" + recovery));
                const auto losesData = [](const Frame& frame)
                {
                    return frame.kind == FrameKind::DATA && frame.attempt == 0 &&
                           frame.psn % 10 == 3;
                };
                NS_TEST_EXPECT_MSG_EQ(Transfer(k, 100 * MTU, isMarked, losesData), 1, "message");
                NS_TEST_EXPECT_MSG_EQ(SumMarked(),
                                      50 * MTU,
                                      "with " << recovery << " and k = " << k);
            }
        }
    }
};

/** At once. */
class ChangeTestCase : public TestCase
{
  public:
    ChangeTestCase()
        : TestCase("AckOnMarkChange: an ACK when marks begin and when they end")
    {
    }

  private:
    void DoRun() override
    {
        // frames 5 to 9 of 32 are marked, an ACK for every eighth
        const auto isMarked = [](const Frame& frame)
        {
            return frame.psn >= 5 && frame.psn < 10;
        };
        NS_TEST_EXPECT_MSG_EQ(Run(false, isMarked), "8/3 16/2 24/0 32/0 ", "as a rule");
        NS_TEST_EXPECT_MSG_EQ(Run(true, isMarked),
                              "6/1 11/4 19/0 27/0 32/0 ",
                              "at once for frames 5 and 10");
    }

    /** @param isOn attribute @param isMarked chooses @return each ACK: number, marked frames */
    std::string Run(bool isOn, const Marker::Choice& isMarked)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::AckOnMarkChange", BooleanValue(isOn));
        Transfer(8, 32 * MTU, isMarked);
        std::string text;
        for (const AckSignal& ack : g_acks)
        {
            text +=
                std::to_string(ack.ackedPsn) + '/' + std::to_string(ack.markedBytes / MTU) + ' ';
        }
        return text;
    }
};

/** What a control makes of it. */
class AlphaTestCase : public TestCase
{
  public:
    AlphaTestCase()
        : TestCase("DCTCP's alpha is the same with an ACK for each frame and for every fourth")
    {
    }

  private:
    void DoRun() override
    {
        const auto isMarked = [](const Frame& frame)
        {
            return frame.psn % 2 == 1;
        };
        const std::vector<double> single = Follow(1, isMarked);
        const std::vector<double> fourth = Follow(4, isMarked);
        NS_TEST_ASSERT_MSG_EQ(single.size(), 50, "round trips of eight frames");
        NS_TEST_ASSERT_MSG_EQ(fourth.size(), 50, "round trips of eight frames");
        double alpha = 1;
        for (std::size_t round = 0; round < 50; ++round)
        {
            NS_TEST_EXPECT_MSG_EQ(single[round], fourth[round], "bit for bit in round " << round);
            alpha = alpha * 15 / 16 + 0.5 / 16;
            NS_TEST_EXPECT_MSG_EQ_TOL(single[round], alpha, 1e-12, "g = 1/16, half is marked");
        }
    }

    /** @param framesPerAck attribute @param isMarked chooses @return alpha after each eight frames */
    std::vector<double> Follow(uint32_t framesPerAck, const Marker::Choice& isMarked)
    {
        Transfer(framesPerAck, 400 * MTU, isMarked);
        ControlBench<DctcpWindow, DctcpWindowState> bench;
        bench.state.roundEndPsn = 7; // a round trip has eight frames from the first one on
        std::vector<double> alphas;
        for (AckSignal ack : g_acks)
        {
            ack.nextPsn = ack.ackedPsn + 7;
            bench.Ack(0, ack);
            if (ack.ackedPsn % 8 == 0)
            {
                alphas.push_back(bench.state.alpha);
            }
        }
        return alphas;
    }
};

/** What is refused. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("More frames per ACK than its count of marked bytes holds are refused")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Refusal(4096, 2047), "", "8,384,512 B are allowed");
        NS_TEST_EXPECT_MSG_EQ(Refusal(4096, 2048),
                              "FramesPerAck 2048 with Mtu 4096: an ACK stands for less than 8 MiB, "
                              "so at most 2047 frames",
                              "8 MiB are not");
    }

    /** @param mtu attribute @param framesPerAck attribute @return the refusal, or nothing */
    std::string Refusal(uint32_t mtu, uint32_t framesPerAck)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(mtu));
        Config::SetDefault("ns3::llm::RdmaTransport::FramesPerAck", UintegerValue(framesPerAck));
        std::string text;
        try
        {
            SmallNetwork net;
            net.MakeStar(2, "100Gbps");
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        Config::Reset();
        return text;
    }
};

/** The suite. */
class AckMarksTestSuite : public TestSuite
{
  public:
    AckMarksTestSuite()
        : TestSuite("llm-fabric-ack-marks", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new FractionTestCase);
        AddTestCase(new LossTestCase);
        AddTestCase(new ChangeTestCase);
        AddTestCase(new AlphaTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

AckMarksTestSuite g_ackMarksTestSuite; //!< registers the suite

} // namespace
