// SPDX-License-Identifier: GPL-2.0-only

// How evenly load balancers use the core of a fat-tree.

#include "recovery-bench.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A flow from one host to another. */
struct Pair
{
    uint32_t source;      //!< host
    uint32_t destination; //!< host
};

/**
 * Flows between the pods of a fat-tree, as many out of and into each, between hosts drawn by a hash.
 * @param k ports of a switch
 * @param perPod flows out of each pod
 * @param seed of the draws
 * @return the flows
 */
std::vector<Pair>
MakeInterPodFlows(uint32_t k, uint32_t perPod, uint64_t seed)
{
    const uint32_t hosts = k * k / 4; // of a pod
    std::vector<Pair> flows;
    for (uint32_t i = 0; i < perPod; ++i)
    {
        for (uint32_t pod = 0; pod < k; ++pod)
        {
            const uint64_t hash = MixHash(MixHash(seed, i), pod);
            const uint32_t other = (pod + 1 + i % (k - 1)) % k;
            flows.push_back({pod * hosts + static_cast<uint32_t>(hash % hosts),
                             other * hosts + static_cast<uint32_t>((hash >> 32) % hosts)});
        }
    }
    return flows;
}

/** Use of links or switches, by any key. */
template <typename Key>
class UseOf
{
  public:
    /** @param key is used @param amount so much */
    void Add(Key key, double amount = 1)
    {
        m_amounts[key] += amount;
    }

    /** @return how many are used */
    std::size_t GetCount() const
    {
        return m_amounts.size();
    }

    /** @return largest over mean of those that are used */
    double GetMaxOverMean() const
    {
        double most = 0;
        double sum = 0;
        for (const auto& [key, amount] : m_amounts)
        {
            most = std::max(most, amount);
            sum += amount;
        }
        return most / (sum / static_cast<double>(m_amounts.size()));
    }

  private:
    std::map<Key, double> m_amounts; //!< by key
};

/** Load of the core, by routing alone: 1000 flows of 4 MB, 125 out of and into each pod, k = 8. */
class CoreLoadTestCase : public TestCase
{
  public:
    CoreLoadTestCase()
        : TestCase("Bytes over core switches are 1.23 at most for 1 in the mean under ECMP, over "
                   "core links below "
                   "1.05 when sprayed")
    {
    }

  private:
    static constexpr uint32_t FRAMES = 1000; //!< of a flow: 4 MB in payloads of 4000 B

    void DoRun() override
    {
        CheckFlows();
        double sum = 0;
        const uint32_t seeds = 20;
        for (uint32_t seed = 1; seed <= seeds; ++seed)
        {
            sum += RouteFlows(seed);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / seeds, 1.23, 0.05, "core switches under ECMP");
        const double sprayed = RouteFrames();
        NS_TEST_EXPECT_MSG_LT(sprayed, 1.05, "core links under spraying");
        NS_TEST_EXPECT_MSG_GT(sprayed, 1.02, "drawn, not dealt: 2.8 deviations of 1.1 %");
        RngSeedManager::SetRun(1);
    }

    /** The flows are what they are said to be. */
    void CheckFlows()
    {
        std::array<uint32_t, 8> out{};
        std::array<uint32_t, 8> in{};
        for (const Pair& flow : MakeInterPodFlows(8, 125, 1))
        {
            ++out[flow.source / 16];
            ++in[flow.destination / 16];
            NS_TEST_EXPECT_MSG_NE(flow.source / 16, flow.destination / 16, "another pod");
        }
        for (uint32_t pod = 0; pod < 8; ++pod)
        {
            NS_TEST_EXPECT_MSG_EQ(out[pod], 125u, "out");
            NS_TEST_EXPECT_MSG_EQ(in[pod], 125u, "in");
        }
    }

    /** @param seed of the run and of the flows @return max/mean of the core switches */
    double RouteFlows(uint32_t seed)
    {
        RngSeedManager::SetRun(seed);
        SmallNetwork net;
        net.MakeFatTree(8);
        UseOf<const FrameSink*> use;
        uint32_t number = 0;
        for (const Pair& flow : MakeInterPodFlows(8, 125, seed))
        {
            const uint64_t identity =
                net.transport->GetIdentity(flow.source, flow.destination, number++);
            const auto path = net.network->GetPath(flow.source,
                                                   flow.destination,
                                                   RdmaTransport::GetEntropy(identity));
            use.Add(path[3]->GetTransmitter().GetOwner(), FRAMES * 4000.0);
        }
        NS_TEST_EXPECT_MSG_EQ(use.GetCount(), 16u, "core switches");
        return use.GetMaxOverMean();
    }

    /** Route each frame. @return max/mean of the core links, both directions */
    double RouteFrames()
    {
        RngSeedManager::SetRun(1);
        Config::SetDefault("ns3::llm::FabricSwitch::LoadBalancer",
                           StringValue("ns3::llm::RandomSpray"));
        SmallNetwork net;
        net.MakeFatTree(8);
        UseOf<uint32_t> use;
        uint32_t number = 0;
        for (const Pair& flow : MakeInterPodFlows(8, 125, 1))
        {
            Frame frame{};
            frame.source = flow.source;
            frame.destination = flow.destination;
            const uint64_t identity =
                net.transport->GetIdentity(flow.source, flow.destination, number++);
            for (uint32_t i = 0; i < FRAMES; ++i)
            {
                frame.identity = static_cast<uint32_t>(MixHash(identity, 0)) + i;
                const auto at = &net.network->GetTerminalPort(flow.source)->GetTransmitter();
                RouteFrame(TransitFrame(&frame), *at, use);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(use.GetCount(), 256u, "directions of core links");
        return use.GetMaxOverMean();
    }

    /** @param frame of data @param nic where it starts @param use gets the core links */
    static void
    RouteFrame(const TransitFrame& frame, const FrameTransmitter& nic, UseOf<uint32_t>& use)
    {
        const FrameTransmitter* at = &nic;
        for (uint32_t hop = 0; hop < 5; ++hop)
        {
            const auto next = static_cast<const FabricSwitch*>(at->GetPeer()->GetOwner());
            at = &next->GetPort(next->GetRoute(frame))->GetTransmitter();
            if (hop == 1 || hop == 2)
            {
                use.Add(at->GetObject(), 4000);
            }
        }
    }
};

/** Counts data frames over core links. */
class CoreObserver : public FrameTransmitter::Observer
{
  public:
    void FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t) override
    {
        if (frame.kind == FrameKind::DATA && isCore[transmitter.GetObject()])
        {
            use.Add(transmitter.GetObject(), frame.payloadBytes);
        }
    }

    std::map<uint32_t, bool> isCore; //!< by transmitter
    UseOf<uint32_t> use;             //!< payload by transmitter
};

/** Load of the core in runs: 48 flows of 4 MB, 12 out of and into each pod, k = 4. */
class CoreLoadRunTestCase : public TestCase
{
  public:
    CoreLoadRunTestCase()
        : TestCase("In runs core links carry the same when frames are sprayed, and not under ECMP")
    {
    }

  private:
    void DoRun() override
    {
        const double flows = Run("FlowEcmp", "FlowEntropy");
        const double random = Run("RandomSpray", "FlowEntropy");
        const double dealt = Run("RoundRobinSpray", "FlowEntropy");
        const double adaptive = Run("AdaptiveRouting", "FlowEntropy");
        const double sender = Run("FlowEcmp", "RandomEntropy");
        NS_TEST_EXPECT_MSG_GT(flows, 1.4, "3 flows a link in the mean, some have 5 and more");
        NS_TEST_EXPECT_MSG_LT(random, 1.05, "3000 frames a link in the mean, by switches");
        NS_TEST_EXPECT_MSG_LT(sender, 1.05, "as many, by senders");
        NS_TEST_EXPECT_MSG_LT(dealt, 1.02, "in turn");
        NS_TEST_EXPECT_MSG_LT(adaptive, 1.05, "by load");
    }

    /** @param balancer of switches @param entropy of senders @return max/mean of the core links */
    double Run(const std::string& balancer, const std::string& entropy)
    {
        SetRecovery("SelectiveRepeat", MilliSeconds(20));
        SmallNetwork::SetPlain(4000);
        Config::SetDefault("ns3::llm::SelectiveRepeat::ReorderDepth", UintegerValue(500));
        Config::SetDefault("ns3::llm::FabricSwitch::LoadBalancer",
                           StringValue("ns3::llm::" + balancer));
        Config::SetDefault("ns3::llm::RdmaTransport::SendEntropy",
                           StringValue("ns3::llm::" + entropy));
        Delivery run;
        run.net.MakeFatTree(4);
        CoreObserver observer;
        run.net.network->SetObserver(&observer);
        for (uint32_t source = 0; source < 16; ++source)
        {
            for (uint32_t pod = 1; pod < 4; ++pod)
            {
                run.Send(source, (source + 4 * pod) % 16, 4000000);
            }
        }
        for (const auto& direction : run.net.network->GetDirections())
        {
            const bool isCore = direction.betweenSwitches &&
                                (IsCore(direction.port->GetTransmitter().GetOwner()) ||
                                 IsCore(direction.port->GetTransmitter().GetPeer()->GetOwner()));
            observer.isCore[direction.port->GetTransmitter().GetObject()] = isCore;
        }
        NS_TEST_EXPECT_MSG_EQ(run.Run(), "", balancer << ": each message once and in order");
        NS_TEST_EXPECT_MSG_EQ(run.net.transport->GetCounters().retransmissions,
                              0u,
                              balancer << ": nothing is sent again");
        return observer.use.GetMaxOverMean();
    }

    /** @param owner of a port between switches @return whether it is a core switch */
    static bool IsCore(const FrameSink* owner)
    {
        return static_cast<const FabricSwitch*>(owner)->GetTier() == 2;
    }
};

/** The suite. */
class CoreLoadTestSuite : public TestSuite
{
  public:
    CoreLoadTestSuite()
        : TestSuite("llm-fabric-core-load", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new CoreLoadTestCase);
        AddTestCase(new CoreLoadRunTestCase);
    }
};

CoreLoadTestSuite g_coreLoadTestSuite; //!< registers the suite

} // namespace
