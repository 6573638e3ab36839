// SPDX-License-Identifier: GPL-2.0-only

// The same run in every way it can be run: one event per hop or one decision per frame, the module's
// engine or ns-3's, again and again.

#include "small-network.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <functional>
#include <set>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What a run leaves behind. */
struct Outcome
{
    uint64_t digest = 0;          //!< of all arrivals
    uint64_t frames = 0;          //!< arrivals
    uint64_t last = 0;            //!< tick of the last delivery
    uint64_t delivered = 0;       //!< messages
    uint64_t pauses = 0;          //!< received
    uint64_t marks = 0;           //!< frames
    uint64_t retransmissions = 0; //!< frames
    uint64_t drops = 0;           //!< frames, with those lost on links
    uint64_t cnps = 0;            //!< received

    /** @param other another @return whether they are equal */
    bool operator==(const Outcome& other) const
    {
        return std::tie(digest,
                        frames,
                        last,
                        delivered,
                        pauses,
                        marks,
                        retransmissions,
                        drops,
                        cnps) == std::tie(other.digest,
                                          other.frames,
                                          other.last,
                                          other.delivered,
                                          other.pauses,
                                          other.marks,
                                          other.retransmissions,
                                          other.drops,
                                          other.cnps);
    }
};

/** Runs a workload on 16 hosts in all ways. */
class EqualityTestCase : public TestCase
{
  public:
    /** How to run. */
    struct Way
    {
        bool isReference = false;  //!< one decision per frame
        bool isFrameEngine = true; //!< the module's engine
        uint64_t seed = 1;         //!< of the run
    };

    /**
     * @param name of the workload
     * @param setUp sets attribute defaults
     * @param send starts the messages
     * @param check looks at the outcome
     */
    EqualityTestCase(const std::string& name,
                     std::function<void()> setUp,
                     std::function<void(SmallNetwork&)> send,
                     std::function<bool(const Outcome&)> check)
        : TestCase(name + ": equal in both modes, under both engines, and twice"),
          m_setUp(std::move(setUp)),
          m_send(std::move(send)),
          m_check(std::move(check))
    {
    }

  private:
    void DoRun() override
    {
        const Outcome base = RunOne({});
        const bool isAsMeant = m_check(base);
        NS_TEST_EXPECT_MSG_EQ(isAsMeant,
                              true,
                              "the workload does what it is for: pauses "
                                  << base.pauses << ", marks " << base.marks << ", drops "
                                  << base.drops << ", CNPs " << base.cnps);
        Compare(base, {false, true, 1}, "the same again");
        Compare(base, {true, true, 1}, "reference mode");
        Compare(base, {false, false, 1}, "ns-3's engine");
        Compare(base, {true, false, 1}, "reference mode under ns-3's engine");
    }

    /** @param base the first outcome @param way another way @param name of it */
    void Compare(const Outcome& base, const Way& way, const std::string& name)
    {
        const Outcome outcome = RunOne(way);
        const bool isEqual = outcome == base;
        NS_TEST_EXPECT_MSG_EQ(isEqual,
                              true,
                              name << ": last " << outcome.last << " for " << base.last
                                   << " ps, frames " << outcome.frames << " for " << base.frames
                                   << ", pauses " << outcome.pauses << " for " << base.pauses
                                   << ", marks " << outcome.marks << " for " << base.marks);
    }

    /** @param way how to run @return what came of it */
    Outcome RunOne(const Way& way)
    {
        SmallNetwork::ChooseEngine(way.isFrameEngine);
        m_setUp();
        Config::SetDefault("ns3::llm::FabricNetwork::ReferenceMode", BooleanValue(way.isReference));
        RngSeedManager::SetSeed(static_cast<uint32_t>(way.seed));
        Outcome outcome;
        {
            SmallNetwork net;
            net.MakeFatTree(4);
            m_send(net);
            Simulator::Run();
            outcome.digest = net.digest.hash;
            outcome.frames = net.digest.frames;
            outcome.last = net.LastDelivery();
            outcome.delivered = net.delivered.size();
            outcome.pauses = net.Sum(&PortCounters::pausesReceived);
            outcome.marks = net.Sum(&PortCounters::marks);
            outcome.drops = net.Sum(&PortCounters::drops) + net.Sum(&PortCounters::corrupted);
            const NicCounters counters = net.transport->GetCounters();
            outcome.retransmissions = counters.retransmissions;
            outcome.cnps = counters.cnpsReceived;
            NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames in the pool");
            NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0, "bytes in the buffers");
        }
        return outcome;
    }

    std::function<void()> m_setUp;               //!< sets defaults
    std::function<void(SmallNetwork&)> m_send;   //!< starts messages
    std::function<bool(const Outcome&)> m_check; //!< looks at the outcome
};

/** Set a small buffer, so that pauses come early. @param bytes its size */
void
SetBuffer(uint64_t bytes)
{
    Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(bytes));
    Config::SetDefault("ns3::llm::FabricSwitch::MaxFrameSize", UintegerValue(4500));
}

/** Set marking at low thresholds. */
void
SetEarlyMarks()
{
    Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(5000));
    Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(50000));
}

/** Have all links lose frames. @param type of the loss */
void
SetLoss(const std::string& type)
{
    Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss", StringValue("ns3::llm::" + type));
    Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                       TimeValue(MicroSeconds(100)));
}

/** Have the switches choose otherwise. @param balancer how @param entropy how the senders choose */
void
SetBalancer(const std::string& balancer, const std::string& entropy = "FlowEntropy")
{
    Config::SetDefault("ns3::llm::FabricSwitch::LoadBalancer",
                       StringValue("ns3::llm::" + balancer));
    Config::SetDefault("ns3::llm::RdmaTransport::SendEntropy", StringValue("ns3::llm::" + entropy));
    Config::SetDefault("ns3::llm::RdmaTransport::LossRecovery",
                       StringValue("ns3::llm::SelectiveRepeat"));
    Config::SetDefault("ns3::llm::SelectiveRepeat::ReorderDepth", UintegerValue(64));
    Config::SetDefault("ns3::llm::Flowlet::Timeout", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                       TimeValue(MicroSeconds(200)));
}

/** Have links go down and come up. @param net the network */
void
FailLinks(SmallNetwork& net)
{
    for (uint32_t link = 0; link < net.network->GetLinkCount(); link += 5)
    {
        net.network->SetLinkState(link, MicroSeconds(20 + link), false);
        net.network->SetLinkState(link, MicroSeconds(60 + 2 * link), true);
    }
}

/** Seeds change paths and marks, and nothing else does. */
class SeedTestCase : public TestCase
{
  public:
    SeedTestCase()
        : TestCase("Another seed or run gives other paths and other marks")
    {
    }

  private:
    void DoRun() override
    {
        std::set<uint64_t> digests;
        std::set<uint64_t> paths;
        for (const uint32_t seed : {1, 2, 3})
        {
            for (const uint32_t run : {1, 2})
            {
                SetEarlyMarks();
                SmallNetwork net;
                RngSeedManager::SetSeed(seed);
                RngSeedManager::SetRun(run);
                net.MakeFatTree(4);
                uint64_t hash = 0;
                for (uint32_t entropy = 0; entropy < 64; ++entropy)
                {
                    for (const auto& port : net.network->GetPath(0, 15, entropy))
                    {
                        hash = MixHash(hash, port->GetTransmitter().GetObject());
                    }
                }
                paths.insert(hash);
                net.SendIncast(100000);
                Simulator::Run();
                digests.insert(net.digest.hash);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(paths.size(), 6, "paths");
        NS_TEST_EXPECT_MSG_EQ(digests.size(), 6, "runs");
    }
};

/** The suite. */
class FabricEqualityTestSuite : public TestSuite
{
  public:
    FabricEqualityTestSuite()
        : TestSuite("llm-fabric-fabric-equality", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new EqualityTestCase(
            "Shift",
            []() { SmallNetwork::SetComparison(); },
            [](SmallNetwork& net) { net.SendShift(8, 400000); },
            [](const Outcome& o) { return o.delivered == 16 && o.pauses == 0; }));
        AddTestCase(new EqualityTestCase(
            "Incast with pauses",
            []()
            {
                SmallNetwork::SetComparison();
                SetBuffer(400000);
            },
            [](SmallNetwork& net) { net.SendIncast(200000); },
            [](const Outcome& o) { return o.delivered == 15 && o.pauses > 20 && o.drops == 0; }));
        AddTestCase(new EqualityTestCase(
            "Ring",
            []() { SmallNetwork::SetComparison(); },
            [](SmallNetwork& net) { net.SendRing(64000); },
            [](const Outcome& o) { return o.delivered == 16 * 30; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all with pauses",
            []()
            {
                SmallNetwork::SetComparison();
                SetBuffer(400000);
            },
            [](SmallNetwork& net) { net.SendAllToAll(40000); },
            [](const Outcome& o) { return o.delivered == 240 && o.pauses > 20 && o.drops == 0; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all with DCQCN",
            []() { SetEarlyMarks(); },
            [](SmallNetwork& net) { net.SendAllToAll(100000); },
            [](const Outcome& o) { return o.delivered == 240 && o.marks > 100 && o.cnps > 100; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all with DCQCN and pauses",
            []()
            {
                SetEarlyMarks();
                SetBuffer(400000);
            },
            [](SmallNetwork& net) { net.SendAllToAll(150000); },
            [](const Outcome& o) { return o.delivered == 240 && o.marks > 20 && o.pauses > 20; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all with DCQCN and pauses, notifications and data sharing by weight",
            []()
            {
                SetEarlyMarks();
                SetBuffer(400000);
                Config::SetDefault("ns3::llm::FabricSwitch::ClassWeights", StringValue("6:1,3:3"));
            },
            [](SmallNetwork& net) { net.SendAllToAll(150000); },
            [](const Outcome& o) { return o.delivered == 240 && o.marks > 20 && o.pauses > 20; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all without PFC",
            []()
            {
                SmallNetwork::SetComparison();
                SetBuffer(300000);
                Config::SetDefault("ns3::llm::FabricSwitch::Pfc", BooleanValue(false));
                Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                                   TimeValue(MicroSeconds(100)));
            },
            [](SmallNetwork& net) { net.SendAllToAll(40000); },
            [](const Outcome& o)
            { return o.delivered == 240 && o.drops > 20 && o.retransmissions > o.drops; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all with DCQCN and failing links",
            []()
            {
                SetEarlyMarks();
                Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                                   TimeValue(MicroSeconds(100)));
            },
            [](SmallNetwork& net)
            {
                FailLinks(net);
                net.SendAllToAll(100000);
            },
            [](const Outcome& o)
            { return o.delivered == 240 && o.marks > 100 && o.retransmissions > 100; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all with DCQCN, pauses and bursts of losses",
            []()
            {
                SetEarlyMarks();
                SetBuffer(400000);
                SetLoss("BurstLoss");
                Config::SetDefault("ns3::llm::BurstLoss::GoodTime", TimeValue(MicroSeconds(50)));
            },
            [](SmallNetwork& net) { net.SendAllToAll(100000); },
            [](const Outcome& o)
            { return o.delivered == 240 && o.pauses > 20 && o.drops > 20 && o.cnps > 20; }));
        AddTestCase(new EqualityTestCase(
            "All-to-all with selective repeat, losses and failing links",
            []()
            {
                SetEarlyMarks();
                SetLoss("RandomLoss");
                Config::SetDefault("ns3::llm::RandomLoss::Rate", DoubleValue(0.005));
                Config::SetDefault("ns3::llm::RdmaTransport::LossRecovery",
                                   StringValue("ns3::llm::SelectiveRepeat"));
                Config::SetDefault("ns3::llm::SelectiveRepeat::TimeoutLow",
                                   TimeValue(MicroSeconds(40)));
            },
            [](SmallNetwork& net)
            {
                FailLinks(net);
                net.SendAllToAll(100000);
            },
            [](const Outcome& o)
            { return o.delivered == 240 && o.drops > 20 && o.retransmissions > 100; }));
        AddSpraying();
        AddTestCase(new SeedTestCase);
    }

  private:
    /** With marks, pauses and failing links, under each load balancer and entropy. */
    void AddSpraying()
    {
        const std::vector<std::pair<std::string, std::string>> choices{
            {"RandomSpray", "FlowEntropy"},
            {"RoundRobinSpray", "FlowEntropy"},
            {"Flowlet", "FlowEntropy"},
            {"AdaptiveRouting", "FlowEntropy"},
            {"FlowEcmp", "RandomEntropy"},
            {"FlowEcmp", "RecycledEntropy"}};
        for (const auto& [balancer, entropy] : choices)
        {
            const std::string balancerName = balancer;
            const std::string entropyName = entropy;
            AddTestCase(new EqualityTestCase(
                "All-to-all with " + balancer + " and " + entropy,
                [balancerName, entropyName]()
                {
                    SetEarlyMarks();
                    SetBuffer(400000);
                    SetBalancer(balancerName, entropyName);
                },
                [](SmallNetwork& net)
                {
                    FailLinks(net);
                    net.SendAllToAll(100000);
                },
                [](const Outcome& o)
                { return o.delivered == 240 && o.marks > 50 && o.pauses > 20; }));
        }
    }
};

FabricEqualityTestSuite g_fabricEqualityTestSuite; //!< registers the suite

} // namespace
