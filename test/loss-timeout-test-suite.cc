// SPDX-License-Identifier: GPL-2.0-only

// Retransmission timeouts, and each loss by its name: what is lost again, what is kept back by pacing,
// and how long a paused network may hold a frame.

#include "recovery-bench.h"

#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Losses of what is sent again. */
class RetransmissionLossTestCase : public TestCase
{
  public:
    RetransmissionLossTestCase()
        : TestCase(
              "A retransmission that is lost is sent again; attempts are counted, so that it is "
              "drawn anew")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            // at its first, second and third sending; in the middle and at the end of a message
            for (const char* frames : {"7/0 7/1", "7/0 7/1 7/2", "39/0 39/1", "39/0 39/1 39/2"})
            {
                SetRecovery(recovery);
                Delivery run;
                SetList(run.net, 0, frames, 1);
                run.net.MakeStar(2, "100Gbps");
                run.Send(0, 1, 40000);
                NS_TEST_EXPECT_MSG_EQ(run.Run(), "", recovery << ", " << frames);
                const uint64_t lost = run.net.Sum(&PortCounters::corrupted);
                const uint64_t listed = 1 + std::count(frames, frames + std::strlen(frames), ' ');
                NS_TEST_EXPECT_MSG_EQ(lost, listed, recovery << ", " << frames << ": lost");
                const NicCounters nics = run.net.transport->GetCounters();
                NS_TEST_EXPECT_MSG_GT_OR_EQ(nics.retransmissions, listed, recovery);
                NS_TEST_EXPECT_MSG_GT(nics.timeouts, 0, recovery << ": nothing else tells");
            }
            CheckDraws(recovery);
        }
    }

    /** Were a retransmission drawn as the first sending, a lost frame would be lost for ever. @param
     * recovery which */
    void CheckDraws(const std::string& recovery)
    {
        SetRecovery(recovery);
        Config::SetDefault("ns3::llm::RdmaTransport::MaxTimeouts", UintegerValue(20));
        SetLoss(0.3, 1);
        Delivery run;
        run.net.MakeStar(2, "100Gbps");
        for (uint32_t i = 0; i < 20; ++i)
        {
            run.Send(0, 1, 3000);
        }
        NS_TEST_EXPECT_MSG_EQ(run.Run(),
                              "",
                              recovery << ", three in ten data frames lost on each link");
        NS_TEST_EXPECT_MSG_GT(run.net.Sum(&PortCounters::corrupted), 30, recovery << ": lost");
    }
};

/** Losses of a single answer, by name. */
class AnswerTestCase : public TestCase
{
  public:
    AnswerTestCase()
        : TestCase("A lost ACK, NACK or CNP: every message comes once, in order, and whole")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            for (uint32_t place = 1; place <= 40; place += 3)
            {
                Check(recovery, "ACK", 2, place, false);
                Check(recovery, "CNP", 8, 1 + place / 8, false);
                Check(recovery, "NACK", 4, 1 + place % 2, true);
            }
        }
    }

    /** @param recovery which @param name of the kind @param kinds see FrameLoss @param place the
     * n-th of them is lost @param losesData data are lost too, so that there are NACKs */
    void Check(const std::string& recovery,
               const std::string& name,
               uint32_t kinds,
               uint32_t place,
               bool losesData)
    {
        SetRecovery(recovery);
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::Dcqcn"));
        Config::SetDefault("ns3::llm::RdmaTransport::CnpInterval", TimeValue(MicroSeconds(2)));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(500));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(600));
        Delivery run;
        run.net.beforeBuild = [&run, kinds, place, losesData]()
        {
            const auto list = [&run](uint32_t direction, const std::string& frames, uint32_t which)
            {
                auto loss = CreateObject<ListedLoss>();
                loss->SetAttribute("Frames", StringValue(frames));
                loss->SetAttribute("Kinds", UintegerValue(which));
                run.net.network->SetFrameLoss(direction, loss);
            };
            list(0, "#" + std::to_string(place), kinds); // from host 0, which receives
            if (losesData)
            {
                list(2, "3/0 17/0 33/0", 1);
                list(4, "5/0 19/0 39/0", 1);
            }
        };
        run.net.MakeStar(3, "100Gbps");
        for (uint32_t i = 0; i < 2; ++i)
        {
            run.Send(1, 0, 20000);
            run.Send(2, 0, 20000);
        }
        const std::string what = recovery + ", " + name + " " + std::to_string(place);
        NS_TEST_EXPECT_MSG_EQ(run.Run(), "", what);
        const uint64_t lost = run.net.Sum(&PortCounters::corrupted);
        NS_TEST_EXPECT_MSG_EQ(lost, (losesData ? 7u : 1u), what << ": lost");
    }
};

/** A sender that is slower than its timer. */
class PacedTestCase : public TestCase
{
  public:
    PacedTestCase()
        : TestCase("A timer does not run while pacing keeps back what is to be sent again")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& recovery : RECOVERIES)
        {
            SetRecovery(recovery);
            Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                               StringValue("ns3::llm::Swift"));
            // after five timeouts Swift sends a frame in 1000 round-trip times, here of 40 us: later
            // than all timeouts together, 25.5 ms, end
            SmallNetwork net;
            net.MakeStar(2, "100Gbps", MicroSeconds(10));
            net.network->SetLinkState(1, MicroSeconds(1), false);
            net.network->SetLinkState(1, MilliSeconds(4), true);
            net.Send(0, 1, 3000);
            Simulator::Run();
            const auto& failures = net.transport->GetFailures();
            NS_TEST_EXPECT_MSG_EQ(failures.size(), 0, recovery);
            NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 1, recovery);
            NS_TEST_EXPECT_MSG_GT(net.LastDelivery(), 25500000000u, recovery << ": it was slow");
        }
    }
};

/** The default timeout. */
class DefaultTestCase : public TestCase
{
  public:
    DefaultTestCase()
        : TestCase(
              "The default timeout lies above the longest drain of a full buffer behind pauses")
    {
    }

  private:
    void DoRun() override
    {
        const auto timeout = static_cast<double>(GetDefaultTimeout().GetPicoSeconds());
        // all of 32 MiB leave by one port of 25 Gb/s, the slowest in use
        const double drain = 8e12 * (32 << 20) / 25e9;
        NS_TEST_EXPECT_MSG_GT(timeout, 1.5 * drain, "timeout over drain, ps");
        std::cout << "    timeout " << timeout / 1e9 << " ms, a full buffer drains in "
                  << drain / 1e9 << " ms at 25 Gbps\n";
        CheckIncast();
    }

    /** @return RetransmissionTimeout if nobody sets it */
    static Time GetDefaultTimeout()
    {
        TimeValue value;
        CreateObject<RdmaTransport>()->GetAttribute("RetransmissionTimeout", value);
        return value.Get();
    }

    /** The longest that can be: senders that fill the buffer, and one whose frame comes last. */
    void CheckIncast()
    {
        for (const std::string& recovery : RECOVERIES)
        {
            SmallNetwork::SetPlain(4096);
            Config::SetDefault("ns3::llm::RdmaTransport::LossRecovery",
                               StringValue("ns3::llm::" + recovery));
            Config::SetDefault("ns3::llm::FabricSwitch::Alpha", DoubleValue(8));
            SmallNetwork net;
            net.AddHosts(17);
            const uint32_t hub = net.AddSwitch(0, 0);
            for (uint32_t i = 0; i <= 16; ++i)
            {
                const DataRate rate(i == 0 ? "25Gbps" : "400Gbps");
                net.network->Connect(net.hosts[i], hub, rate, MicroSeconds(1));
            }
            net.Finish();
            net.SendIncast(2 << 20); // 32 MiB in all, some 11 ms of the slow port
            Simulator::Run();
            const NicCounters nics = net.transport->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 16, recovery);
            NS_TEST_EXPECT_MSG_EQ(nics.timeouts, 0, recovery << ": timeouts");
            NS_TEST_EXPECT_MSG_EQ(nics.retransmissions, 0, recovery << ": sent again");
            NS_TEST_EXPECT_MSG_GT(net.LastDelivery(),
                                  10000000000u,
                                  recovery << ": a long drain, ps");
            std::cout << "    " << recovery << ": 16 x 2 MiB at 25 Gbps done at "
                      << static_cast<double>(net.LastDelivery()) / 1e9 << " ms, "
                      << net.Sum(&PortCounters::pausesReceived) << " pauses, no timeout\n";
        }
    }
};

/** The suite. */
class LossTimeoutTestSuite : public TestSuite
{
  public:
    LossTimeoutTestSuite()
        : TestSuite("llm-fabric-loss-timeout", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RetransmissionLossTestCase);
        AddTestCase(new AnswerTestCase);
        AddTestCase(new PacedTestCase);
        AddTestCase(new DefaultTestCase);
    }
};

LossTimeoutTestSuite g_lossTimeoutTestSuite; //!< registers the suite

} // namespace
