// SPDX-License-Identifier: GPL-2.0-only

// Transports over switches and senders that spray: reordering, losses, failures, congestion controls.

#include "recovery-bench.h"

#include "ns3/test.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A load balancer and what the senders do. */
struct Choice
{
    std::string balancer; //!< of the switches
    std::string entropy;  //!< of the senders
};

/** All that choose per frame. */
const std::vector<Choice> PER_FRAME{{"RandomSpray", "FlowEntropy"},
                                    {"RoundRobinSpray", "FlowEntropy"},
                                    {"AdaptiveRouting", "FlowEntropy"},
                                    {"FlowEcmp", "RandomEntropy"},
                                    {"FlowEcmp", "RecycledEntropy"},
                                    {"AdaptiveRouting", "RecycledEntropy"}};

/** Choose how. @param choice it @param recovery of losses @param depth see SelectiveRepeat */
void
Set(const Choice& choice, const std::string& recovery = "SelectiveRepeat", uint32_t depth = 64)
{
    SetRecovery(recovery, MicroSeconds(500));
    Config::SetDefault("ns3::llm::FabricSwitch::LoadBalancer",
                       StringValue("ns3::llm::" + choice.balancer));
    Config::SetDefault("ns3::llm::RdmaTransport::SendEntropy",
                       StringValue("ns3::llm::" + choice.entropy));
    Config::SetDefault("ns3::llm::SelectiveRepeat::ReorderDepth", UintegerValue(depth));
}

/** Each host sends three messages to another pod. @param run of a fat-tree of k = 4 @param most bytes of
 * the largest */
void
SendAcross(Delivery& run, uint64_t most)
{
    for (uint32_t source = 0; source < 16; ++source)
    {
        for (const uint64_t bytes : {most, uint64_t{1}, most / 4})
        {
            run.Send(source, (source + 5) % 16, bytes);
        }
    }
}

/** Without losses. */
class ReorderingTestCase : public TestCase
{
  public:
    ReorderingTestCase()
        : TestCase(
              "Without losses nothing is sent again where receivers tolerate reordering; without "
              "tolerance, and going back, much is; all arrives once and in order anyway")
    {
    }

  private:
    void DoRun() override
    {
        const Choice flows{"FlowEcmp", "FlowEntropy"};
        const uint64_t ecmpTicks = Run(flows, "GoBackN", 0).second;
        for (const Choice& choice : PER_FRAME)
        {
            const std::string name = choice.balancer + " with " + choice.entropy + ": ";
            NS_TEST_EXPECT_MSG_EQ(Run(choice, "SelectiveRepeat", 128).first,
                                  0u,
                                  name << "tolerant");
            const uint64_t again = Run(choice, "SelectiveRepeat", 0).first;
            NS_TEST_EXPECT_MSG_GT(again, 100u, name << "frames overtake each other");
            if (choice.balancer == "AdaptiveRouting")
            {
                continue; // takes long, and differs little from RandomSpray
            }
            const auto [back, backTicks] = Run(choice, "GoBackN", 0);
            NS_TEST_EXPECT_MSG_GT(back, 5 * again, name << "a round trip for each");
            NS_TEST_EXPECT_MSG_GT(backTicks, 2 * ecmpTicks, name << "collapse");
        }
        const Choice flowlet{"Flowlet", "FlowEntropy"};
        NS_TEST_EXPECT_MSG_EQ(Run(flowlet, "GoBackN", 0).first, 0u, "flowlets keep the order");
    }

    /** @param choice how @param recovery of losses @param depth see SelectiveRepeat @return frames sent
     * again, and when the last message was there */
    std::pair<uint64_t, uint64_t>
    Run(const Choice& choice, const std::string& recovery, uint32_t depth)
    {
        Set(choice, recovery, depth);
        Delivery run;
        run.net.MakeFatTree(4);
        SendAcross(run, 300000);
        NS_TEST_EXPECT_MSG_EQ(run.Run(), "", choice.balancer << ", " << recovery);
        NS_TEST_EXPECT_MSG_EQ(run.net.LosslessDrops(), 0u, "no losses");
        return {run.net.transport->GetCounters().retransmissions, run.net.LastDelivery()};
    }
};

/** With losses. */
class LossTestCase : public TestCase
{
  public:
    LossTestCase()
        : TestCase("With losses, links that fail and small buffers, each message comes once and in "
                   "order under every choice of paths and either recovery")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<Choice> choices = PER_FRAME;
        choices.push_back({"Flowlet", "FlowEntropy"});
        choices.push_back({"Flowlet", "RecycledEntropy"});
        for (const Choice& choice : choices)
        {
            for (const std::string& recovery : RECOVERIES)
            {
                Run(choice, recovery, false);
                Run(choice, recovery, true);
            }
        }
    }

    /** @param choice how @param recovery of losses @param areLinksFailing whether links fail too */
    void Run(const Choice& choice, const std::string& recovery, bool areLinksFailing)
    {
        Set(choice, recovery, 16);
        SetLoss(0.003);
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(100)));
        Config::SetDefault("ns3::llm::RdmaTransport::MaxTimeouts", UintegerValue(12));
        Delivery run;
        run.net.MakeFatTree(4);
        for (uint32_t link = 16; areLinksFailing && link < run.net.network->GetLinkCount();
             link += 5)
        {
            run.net.network->SetLinkState(link, MicroSeconds(10 + link), false);
            run.net.network->SetLinkState(link, MicroSeconds(100 + link), true);
        }
        SendAcross(run, 80000);
        NS_TEST_EXPECT_MSG_EQ(run.Run(),
                              "",
                              choice.balancer << ", " << choice.entropy << ", " << recovery);
        NS_TEST_EXPECT_MSG_GT(run.net.Sum(&PortCounters::corrupted), 20u, "losses");
    }
};

/** Controls that want to know the path. */
class ControlTestCase : public TestCase
{
  public:
    ControlTestCase()
        : TestCase("Every congestion control carries an incast and a permutation to its end when "
                   "frames are sprayed")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string control :
             {"Dcqcn", "DcqcnDevice", "Hpcc", "PowerTcp", "Swift", "Timely", "DctcpWindow", "Nscc"})
        {
            for (const Choice& choice : PER_FRAME)
            {
                Run(control, choice);
            }
        }
    }

    /** @param control of congestion @param choice how */
    void Run(const std::string& control, const Choice& choice)
    {
        Set(choice, "SelectiveRepeat", 200);
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::" + control));
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MilliSeconds(17)));
        Delivery run;
        run.net.MakeFatTree(4);
        for (uint32_t source = 1; source < 16; ++source)
        {
            run.Send(source, 0, 50000);
            run.Send(source, (source + 6) % 16, 100000);
        }
        NS_TEST_EXPECT_MSG_EQ(run.Run(), "", control << " over " << choice.balancer);
        const NicCounters counters = run.net.transport->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.retransmissions, 0u, control << " over " << choice.balancer);
        NS_TEST_EXPECT_MSG_EQ(counters.timeouts, 0u, control << " over " << choice.balancer);
    }
};

/** Notes the links that data frames cross. */
class LinkObserver : public FrameTransmitter::Observer
{
  public:
    void FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t) override
    {
        if (frame.kind == FrameKind::DATA)
        {
            ++frames[transmitter.GetObject()];
        }
    }

    std::map<uint32_t, uint32_t> frames; //!< by transmitter
};

/** REPS leaves what is congested. */
class RecyclingTestCase : public TestCase
{
  public:
    RecyclingTestCase()
        : TestCase("Recycled entropies leave a slow path to others; random ones do not")
    {
    }

  private:
    void DoRun() override
    {
        // a quarter of the core's rate is missing on one of four paths
        const auto [random, randomTicks] = Run("RandomEntropy");
        const auto [recycled, recycledTicks] = Run("RecycledEntropy");
        NS_TEST_EXPECT_MSG_EQ_TOL(random, 0.25, 0.02, "share of the slow path");
        NS_TEST_EXPECT_MSG_LT(recycled, 0.15, "share of the slow path");
        NS_TEST_EXPECT_MSG_LT(recycledTicks, 0.8 * static_cast<double>(randomTicks), "time");
    }

    /** @param entropy of the sender @return share of frames on the slow path, and the time */
    std::pair<double, uint64_t> Run(const std::string& entropy)
    {
        Set({"FlowEcmp", entropy}, "SelectiveRepeat", 400);
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(5000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(20000));
        Config::SetDefault("ns3::llm::SelectiveRepeat::InFlightFrames", UintegerValue(400));
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MilliSeconds(17)));
        Delivery run;
        SmallNetwork& net = run.net;
        net.AddHosts(2);
        const uint32_t left = net.AddSwitch(0, 0);
        const uint32_t right = net.AddSwitch(0, 1);
        net.network->Connect(net.hosts[0], left, DataRate("100Gbps"), MicroSeconds(1));
        net.network->Connect(net.hosts[1], right, DataRate("100Gbps"), MicroSeconds(1));
        uint32_t slow = 0;
        for (uint32_t path = 0; path < 4; ++path)
        {
            const uint32_t core = net.AddSwitch(1, path);
            const DataRate rate(path == 0 ? "10Gbps" : "40Gbps");
            const uint32_t link = net.network->Connect(left, core, rate, MicroSeconds(1));
            net.network->Connect(core, right, rate, MicroSeconds(1));
            slow = path == 0 ? link : slow;
        }
        net.Finish();
        LinkObserver observer;
        net.network->SetObserver(&observer);
        run.Send(0, 1, 4000000);
        NS_TEST_EXPECT_MSG_EQ(run.Run(), "", entropy);
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().retransmissions, 0u, entropy);
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::marks), 20u, entropy << ": marks");
        const auto& port = net.network->GetDirections()[2 * slow].port->GetTransmitter();
        return {observer.frames[port.GetObject()] / 4000.0, net.LastDelivery()};
    }
};

/** The suite. */
class SprayingTestSuite : public TestSuite
{
  public:
    SprayingTestSuite()
        : TestSuite("llm-fabric-spraying", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new ReorderingTestCase);
        AddTestCase(new LossTestCase);
        AddTestCase(new ControlTestCase);
        AddTestCase(new RecyclingTestCase);
    }
};

SprayingTestSuite g_sprayingTestSuite; //!< registers the suite

} // namespace
