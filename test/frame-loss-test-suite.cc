// SPDX-License-Identifier: GPL-2.0-only

#include "link-bench.h"
#include "small-network.h"

#include "ns3/burst-loss.h"
#include "ns3/error-model-loss.h"
#include "ns3/input-error.h"
#include "ns3/listed-loss.h"
#include "ns3/random-loss.h"

#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/test.h"

#include <functional>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Frames that links lose: which ones, how often, and what is not lost.
 */

namespace
{

/** @param psn a number @param attempt of it @param bytes on the wire @return a data frame */
Frame
MakeData(uint64_t psn, uint8_t attempt = 0, uint16_t bytes = 1082)
{
    Frame frame{};
    frame.kind = FrameKind::DATA;
    frame.psn = psn;
    frame.identity = static_cast<uint32_t>(MixHash(5, psn / 40) + psn % 40);
    frame.attempt = attempt;
    frame.wireBytes = bytes;
    return frame;
}

/** @param rate attribute @param seed of the run @param place of the port @return a loss in service */
template <typename Loss>
Ptr<Loss>
MakeLoss(double rate, uint64_t seed = 1, uint64_t place = 2)
{
    auto loss = CreateObject<Loss>();
    loss->SetAttribute("Rate", DoubleValue(rate));
    loss->Begin(seed, place);
    return loss;
}

/** Draws. */
class DrawTestCase : public TestCase
{
  public:
    DrawTestCase()
        : TestCase("A draw depends on seed, port and frame alone; an attempt is drawn anew")
    {
    }

  private:
    static constexpr uint64_t FRAMES = 40000; //!< tried

    void DoRun() override
    {
        const auto loss = MakeLoss<RandomLoss>(0.1);
        const auto other = MakeLoss<RandomLoss>(0.1);
        uint64_t lost = 0;
        uint64_t lostTwice = 0;
        for (uint64_t psn = 0; psn < FRAMES; ++psn)
        {
            const bool isLost = loss->IsLost(MakeData(psn), psn);
            lost += isLost;
            lostTwice += isLost && loss->IsLost(MakeData(psn, 1), psn);
            if (psn % 7 == 0)
            {
                NS_TEST_ASSERT_MSG_EQ(other->IsLost(MakeData(psn), 9 * psn),
                                      isLost,
                                      "the others and the time do not matter");
            }
        }
        // four standard deviations: 4 x sqrt(40000 x 0.1 x 0.9) and 4 x sqrt(4000 x 0.1 x 0.9)
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(lost), 4000, 240, "lost");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(lostTwice), 400, 76, "lost again");
        CheckApart(MakeLoss<RandomLoss>(0.5, 2, 2), "another seed");
        CheckApart(MakeLoss<RandomLoss>(0.5, 1, 3), "another port");
        auto answer = MakeData(0);
        answer.kind = FrameKind::ACK;
        NS_TEST_EXPECT_MSG_EQ(MakeLoss<RandomLoss>(0)->IsLost(answer, 0), false, "rate 0");
        NS_TEST_EXPECT_MSG_EQ(MakeLoss<RandomLoss>(1)->IsLost(answer, 0), true, "rate 1");
    }

    /** @param other a loss of rate 1/2 @param name how it differs from seed 1 at port 2 */
    void CheckApart(Ptr<RandomLoss> other, const std::string& name)
    {
        const auto loss = MakeLoss<RandomLoss>(0.5);
        uint64_t equal = 0;
        for (uint64_t psn = 0; psn < FRAMES; ++psn)
        {
            equal += loss->IsLost(MakeData(psn), 0) == other->IsLost(MakeData(psn), 0);
        }
        // half of them, by chance
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(equal), 20000, 400, name);
    }
};

/** Bit errors. */
class BitErrorTestCase : public TestCase
{
  public:
    BitErrorTestCase()
        : TestCase("A frame of n bytes survives a bit error rate with (1 - rate)^(8 n)")
    {
    }

  private:
    void DoRun() override
    {
        const auto loss = MakeLoss<BitErrorLoss>(1e-5);
        // 1 - 0.99999^672 and 1 - 0.99999^33552
        const std::pair<uint16_t, double> table[] = {{84, 0.0066975}, {4194, 0.2850501}};
        for (const auto& [bytes, probability] : table)
        {
            double lost = 0;
            const uint64_t count = 100000;
            for (uint64_t psn = 0; psn < count; ++psn)
            {
                lost += loss->IsLost(MakeData(psn, 0, bytes), 0);
            }
            const double deviation = std::sqrt(probability * (1 - probability) / count);
            NS_TEST_EXPECT_MSG_EQ_TOL(lost / count, probability, 4 * deviation, bytes << " bytes");
        }
        NS_TEST_EXPECT_MSG_EQ(MakeLoss<BitErrorLoss>(1)->IsLost(MakeData(1), 0), true, "rate 1");
        NS_TEST_EXPECT_MSG_EQ(MakeLoss<BitErrorLoss>(0)->IsLost(MakeData(1), 0), false, "rate 0");
    }
};

/** Bursts. */
class BurstTestCase : public TestCase
{
  public:
    BurstTestCase()
        : TestCase("Bursts have their share of time and length, whatever frames ask")
    {
    }

  private:
    /** @param place of the port @return a loss that is bad a fifth of the time */
    static Ptr<BurstLoss> Make(uint64_t place)
    {
        auto loss = CreateObject<BurstLoss>();
        loss->SetAttribute("GoodTime", TimeValue(NanoSeconds(800)));
        loss->SetAttribute("BadTime", TimeValue(NanoSeconds(200)));
        loss->SetAttribute("BadRate", DoubleValue(1));
        loss->Begin(1, place);
        return loss;
    }

    void DoRun() override
    {
        const auto often = Make(7);
        const auto seldom = Make(7);
        const uint64_t step = 10000; // 10 ns
        const uint64_t count = 1000000;
        double bad = 0;
        double bursts = 0;
        bool wasBad = false;
        for (uint64_t i = 0; i < count; ++i)
        {
            const bool isBad = often->IsLost(MakeData(i), i * step);
            bad += isBad;
            bursts += isBad && !wasBad;
            wasBad = isBad;
            if (i % 13 == 0)
            {
                NS_TEST_ASSERT_MSG_EQ(seldom->IsLost(MakeData(3), i * step),
                                      isBad,
                                      "at step " << i);
            }
        }
        // 10 ms hold some 10,000 cycles of 1 us, so shares are off by 1.5 % or so; a burst that lies
        // between two steps is not seen: exp(-10/200) are seen, and they look 10 ns longer
        NS_TEST_EXPECT_MSG_EQ_TOL(bad / count, 0.2, 0.01, "share of time");
        NS_TEST_EXPECT_MSG_EQ_TOL(bad / bursts * 10, 210, 12, "length of a burst, ns");
        double starts = 0;
        for (uint64_t place = 0; place < 4000; ++place)
        {
            starts += Make(place)->IsLost(MakeData(0), 0);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(starts / 4000, 0.2, 0.026, "bad from the start");
    }
};

/** Lists. */
class ListTestCase : public TestCase
{
  public:
    ListTestCase()
        : TestCase("A list loses the frames that it names, and what cannot be read is refused")
    {
    }

  private:
    void DoRun() override
    {
        auto loss = Make("7/0 8/2  #4");
        loss->Begin(1, 2);
        std::string lost;
        for (const uint64_t psn : {7, 8, 9, 10, 7})
        {
            lost += loss->IsLost(MakeData(psn), 0) ? 'x' : '.';
        }
        lost += loss->IsLost(MakeData(7, 1), 0) ? 'x' : '.';
        lost += loss->IsLost(MakeData(8, 2), 0) ? 'x' : '.';
        NS_TEST_EXPECT_MSG_EQ(lost, "x..xx.x", "lost");
        for (const std::string text : {"7", "7/", "/1", "7/256", "#", "#x", "-1/0", "7/0/1"})
        {
            Expect("'" + text + "'", [&]() { Make(text)->Begin(1, 2); });
        }
        Expect("ErrorModel", []() { CreateObject<ErrorModelLoss>()->Begin(1, 2); });
        SmallNetwork net;
        Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss", StringValue("ns3::llm::Fire"));
        SmallNetwork other;
        Expect("ns3::llm::BitErrorLoss", [&]() { other.MakeStar(2, "100Gbps"); });
    }

    /** @param frames attribute @return a loss, not yet in service */
    static Ptr<ListedLoss> Make(const std::string& frames)
    {
        auto loss = CreateObject<ListedLoss>();
        loss->SetAttribute("Frames", StringValue(frames));
        return loss;
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

/** A model of ns-3 that loses every third packet and notes the sizes. */
class CountingErrorModel : public ErrorModel
{
  public:
    std::vector<uint32_t> sizes; //!< of the packets

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        sizes.push_back(packet->GetSize());
        return sizes.size() % 3 == 0;
    }

    void DoReset() override
    {
    }
};

/** An ErrorModel. */
class ErrorModelTestCase : public TestCase
{
  public:
    ErrorModelTestCase()
        : TestCase("An ErrorModel of ns-3 gets a packet of the wire size of each frame")
    {
    }

  private:
    void DoRun() override
    {
        auto model = CreateObject<CountingErrorModel>();
        auto loss = CreateObject<ErrorModelLoss>();
        loss->SetAttribute("ErrorModel", PointerValue(model));
        loss->Begin(1, 2);
        const bool isFirst = loss->IsLost(MakeData(0, 0, 100), 0);
        const bool isSecond = loss->IsLost(MakeData(1, 0, 4194), 0);
        const bool isThird = loss->IsLost(MakeData(2, 0, 86), 0);
        NS_TEST_EXPECT_MSG_EQ(isFirst || isSecond, false, "arrive");
        NS_TEST_EXPECT_MSG_EQ(isThird, true, "is lost");
        const std::vector<uint32_t> expected{100, 4194, 86};
        NS_TEST_EXPECT_MSG_EQ((model->sizes == expected), true, "sizes");
    }
};

/** Kinds of frames on a link. */
class KindsTestCase : public TestCase
{
  public:
    KindsTestCase()
        : TestCase("All kinds of frames can be lost, each when asked, PFC frames only then")
    {
    }

  private:
    void DoRun() override
    {
        // by kinds: data frames that arrive of 2, and whether the pause stops the second
        Check(15, 0);
        Check(1, 0);
        Check(14, 1);
        Check(16, 2);
        Check(30, 2);
        Check(31, 0);
        for (uint32_t kind = 0; kind < 4; ++kind)
        {
            auto frame = MakeData(1);
            frame.kind = static_cast<FrameKind>(kind);
            for (uint32_t kinds = 0; kinds < 16; ++kinds)
            {
                auto loss = CreateObject<RandomLoss>();
                loss->SetAttribute("Rate", DoubleValue(1));
                loss->SetAttribute("Kinds", UintegerValue(kinds));
                const bool isMeant = (kinds & 1u << kind) != 0;
                NS_TEST_EXPECT_MSG_EQ(loss->IsLost(frame, 0), isMeant, kind << " of " << kinds);
            }
        }
    }

    /** @param kinds attribute @param arrivals expected: of two frames, between which there is a pause
     * that is not taken back */
    void Check(uint32_t kinds, std::size_t arrivals)
    {
        LinkBench bench("100Gbps", MicroSeconds(1));
        auto loss = CreateObject<RandomLoss>();
        auto other = CreateObject<RandomLoss>();
        for (const auto& one : {loss, other})
        {
            one->SetAttribute("Rate", DoubleValue(1));
            one->SetAttribute("Kinds", UintegerValue(kinds));
        }
        loss->Begin(1, 1);
        other->Begin(1, 2);
        bench.near.SetLoss(PeekPointer(loss));
        bench.far.SetLoss(PeekPointer(other));
        bench.Queue(1000000, 1000, 0);
        bench.Pause(2000000, true);
        bench.Queue(9000000, 1000, 1);
        Simulator::Run();
        const uint64_t lost = bench.near.GetCounters().corrupted;
        const uint64_t sent = bench.near.GetCounters().frames;
        NS_TEST_EXPECT_MSG_EQ(bench.arrivals.size(), arrivals, "arrivals with kinds " << kinds);
        NS_TEST_EXPECT_MSG_EQ(sent, arrivals + lost, "what is lost is counted");
        const bool isStopped = bench.near.IsPaused(3);
        NS_TEST_EXPECT_MSG_EQ(isStopped, (kinds < 16), "the pause arrives");
        // a frame that a pause holds is in the pool's count
        NS_TEST_EXPECT_MSG_EQ(bench.pool.GetTaken(), (isStopped ? 1 : 0), "frames in the pool");
    }
};

/** Links of a network. */
class NetworkTestCase : public TestCase
{
  public:
    NetworkTestCase()
        : TestCase("Losses are set for all links or for one direction, and are counted there")
    {
    }

  private:
    void DoRun() override
    {
        {
            SetDefaults();
            SmallNetwork net;
            net.beforeBuild = [&net]()
            {
                auto loss = CreateObject<ListedLoss>();
                loss->SetAttribute("Frames", StringValue("#5 #6"));
                net.network->SetFrameLoss(1, loss);
            };
            net.MakeStar(3, "100Gbps");
            net.Send(1, 0, 40000);
            net.Send(2, 0, 40000);
            Simulator::Run();
            // direction 1 leads from the switch to host 0
            NS_TEST_EXPECT_MSG_EQ(net.ToHost(0).GetCounters().corrupted, 2, "there");
            NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::corrupted), 2, "and nowhere else");
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2, "messages");
        }
        SetDefaults();
        Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss",
                           StringValue("ns3::llm::RandomLoss"));
        Config::SetDefault("ns3::llm::RandomLoss::Rate", DoubleValue(0.02));
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        net.Send(1, 0, 400000);
        net.Send(2, 0, 400000);
        Simulator::Run();
        for (const auto& direction : net.network->GetDirections())
        {
            const FrameTransmitter& port = direction.port->GetTransmitter();
            const bool isUsed = port.GetCounters().frames > 300;
            NS_TEST_EXPECT_MSG_EQ((port.GetCounters().corrupted > 0), isUsed, direction.name);
        }
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames in the pool");
    }

    /** Set what both runs have. */
    static void SetDefaults()
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(100)));
    }
};

/** The suite. */
class FrameLossTestSuite : public TestSuite
{
  public:
    FrameLossTestSuite()
        : TestSuite("llm-fabric-frame-loss", TestSuite::Type::UNIT)
    {
        AddTestCase(new DrawTestCase);
        AddTestCase(new BitErrorTestCase);
        AddTestCase(new BurstTestCase);
        AddTestCase(new ListTestCase);
        AddTestCase(new ErrorModelTestCase);
        AddTestCase(new KindsTestCase);
        AddTestCase(new NetworkTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_frameLossTestSuite; //!< registers the suite

} // namespace
