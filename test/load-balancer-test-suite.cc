// SPDX-License-Identifier: GPL-2.0-only

// Each load balancer alone: what it hashes, draws, counts and remembers.

#include "balancer-bench.h"

#include "ns3/flow-ecmp.h"
#include "ns3/flowlet-balancer.h"
#include "ns3/frame-spray.h"

#include "ns3/boolean.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace ns3;
using namespace ns3::llm;

namespace
{

const std::vector<std::string> FOUR = {"100Gbps",
                                       "100Gbps",
                                       "100Gbps",
                                       "100Gbps"}; //!< rates of ports

/** @param counts of equally likely outcomes @return chi-square */
double
ChiSquare(const std::vector<uint32_t>& counts)
{
    double sum = 0;
    for (const uint32_t count : counts)
    {
        sum += count;
    }
    const double mean = sum / static_cast<double>(counts.size());
    double chiSquare = 0;
    for (const uint32_t count : counts)
    {
        chiSquare += (count - mean) * (count - mean) / mean;
    }
    return chiSquare;
}

/** What FlowEcmp hashes. */
class HashFieldsTestCase : public TestCase
{
  public:
    HashFieldsTestCase()
        : TestCase("FlowEcmp hashes the fields that it is told to, terminals by their place")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t fields = 1; fields <= 7; ++fields)
        {
            BalancerBench bench(FOUR);
            auto ecmp = CreateObject<FlowEcmp>();
            ecmp->SetAttribute("HashFields", UintegerValue(fields));
            bench.Begin(ecmp);
            NS_TEST_EXPECT_MSG_EQ(ecmp->IsPlain(), (fields == FlowEcmp::ENTROPY), fields);
            const bool bySource =
                Changes(bench, *ecmp, [](Frame& f, uint32_t i) { f.source = i % 3; });
            const bool byDestination =
                Changes(bench, *ecmp, [](Frame& f, uint32_t i) { f.destination = i % 3; });
            const bool byEntropy =
                Changes(bench, *ecmp, [](Frame& f, uint32_t i) { f.entropy = i; });
            const bool byOther = Changes(bench,
                                         *ecmp,
                                         [](Frame& f, uint32_t i)
                                         {
                                             f.identity = i;
                                             f.attempt = static_cast<uint8_t>(i);
                                             f.psn = i;
                                             f.queuePair = i;
                                             f.source = i % 2 * 3; // at places 10 and 10
                                         });
            NS_TEST_EXPECT_MSG_EQ(bySource, ((fields & 1) != 0), "source, " << fields);
            NS_TEST_EXPECT_MSG_EQ(byDestination, ((fields & 2) != 0), "destination, " << fields);
            NS_TEST_EXPECT_MSG_EQ(byEntropy, ((fields & 4) != 0), "entropy, " << fields);
            NS_TEST_EXPECT_MSG_EQ(byOther, false, "others, " << fields);
        }
        CheckSeeds();
    }

    /** @param bench the ports @param ecmp the balancer @param change makes the i-th of a series of
     * frames @return whether the ports of the frames differ, in any of some switches */
    template <typename F>
    static bool Changes(BalancerBench& bench, FlowEcmp& ecmp, F change)
    {
        for (uint64_t seed = 0; seed < 20; ++seed)
        {
            bench.Begin(&ecmp, seed);
            std::set<uint16_t> taken;
            for (uint32_t i = 0; i < 12; ++i)
            {
                LoneFrame one(77);
                change(one.frame, i);
                taken.insert(ecmp.Choose(one.Get(), bench.ports, 0));
            }
            if (taken.size() > 1)
            {
                return true;
            }
        }
        return false;
    }

    /** Seeds of switches count with SeedPerSwitch only, that of the run without. */
    void CheckSeeds()
    {
        BalancerBench bench(FOUR);
        for (const bool isPerSwitch : {false, true})
        {
            auto ecmp = CreateObject<FlowEcmp>();
            ecmp->SetAttribute("SeedPerSwitch", BooleanValue(isPerSwitch));
            uint32_t equalBySwitch = 0;
            uint32_t equalByRun = 0;
            for (uint32_t entropy = 0; entropy < 4000; ++entropy)
            {
                LoneFrame one(entropy);
                bench.Begin(ecmp, 5, 1);
                const uint16_t port = ecmp->Choose(one.Get(), bench.ports, 0);
                const uint64_t seed = isPerSwitch ? 5 : 1;
                NS_TEST_ASSERT_MSG_EQ(port,
                                      FlowEcmp::Pick(entropy, bench.ports, seed),
                                      "the quick way is the same");
                bench.Begin(ecmp, 6, 1);
                equalBySwitch += ecmp->Choose(one.Get(), bench.ports, 0) == port;
                bench.Begin(ecmp, 5, 2);
                equalByRun += ecmp->Choose(one.Get(), bench.ports, 0) == port;
            }
            // standard deviation 27
            NS_TEST_EXPECT_MSG_EQ_TOL(equalBySwitch, (isPerSwitch ? 1000u : 4000u), 110u, "switch");
            NS_TEST_EXPECT_MSG_EQ_TOL(equalByRun, (isPerSwitch ? 4000u : 1000u), 110u, "run");
        }
    }
};

/** RandomSpray. */
class RandomSprayTestCase : public TestCase
{
  public:
    RandomSprayTestCase()
        : TestCase("RandomSpray draws by the identity of the frame, evenly, at each switch anew")
    {
    }

  private:
    void DoRun() override
    {
        BalancerBench bench(FOUR);
        auto spray = CreateObject<RandomSpray>();
        auto next = CreateObject<RandomSpray>();
        bench.Begin(spray, 5);
        bench.Begin(next, 6);
        std::vector<uint32_t> joint(16);
        std::vector<uint32_t> again(16);
        std::vector<uint32_t> answers(16);
        for (uint32_t i = 0; i < 16000; ++i)
        {
            LoneFrame one(9, 1000 + i); // frames of a message have identities in a row
            const uint16_t port = spray->Choose(one.Get(), bench.ports, 0);
            NS_TEST_ASSERT_MSG_EQ(spray->Choose(one.Get(), bench.ports, 0), port, "no stream");
            NS_TEST_ASSERT_MSG_EQ(spray->Foretell(one.Get(), bench.ports, 0), port, "foretold");
            LoneFrame other(10, 1000 + i);
            other.frame.psn = 5;
            NS_TEST_ASSERT_MSG_EQ(spray->Choose(other.Get(), bench.ports, 0),
                                  port,
                                  "neither the flow nor the PSN counts by itself");
            ++joint[port * 4u + next->Choose(one.Get(), bench.ports, 0)];
            one.frame.attempt = 1;
            ++again[port * 4u + spray->Choose(one.Get(), bench.ports, 0)];
            one.frame.attempt = 0;
            one.frame.kind = FrameKind::ACK;
            ++answers[port * 4u + spray->Choose(one.Get(), bench.ports, 0)];
        }
        // 15 degrees of freedom: above 37.7 with probability 0.001
        NS_TEST_EXPECT_MSG_LT(ChiSquare(joint), 37.7, "two switches");
        NS_TEST_EXPECT_MSG_LT(ChiSquare(again), 37.7, "two attempts");
        NS_TEST_EXPECT_MSG_LT(ChiSquare(answers), 37.7, "a frame and its ACK");
    }
};

/** RoundRobinSpray. */
class RoundRobinTestCase : public TestCase
{
  public:
    RoundRobinTestCase()
        : TestCase("RoundRobinSpray takes the ports of a group in turn, for data and others apart")
    {
    }

  private:
    void DoRun() override
    {
        BalancerBench bench(FOUR);
        auto spray = CreateObject<RoundRobinSpray>();
        const std::vector<LoadBalancer::Ports> groups{{0, 1, 2, 3}, {1, 3}};
        bench.Begin(spray, 5, 1, groups);
        LoneFrame data(1);
        LoneFrame ack(2);
        ack.frame.kind = FrameKind::ACK;
        LoneFrame cnp(3);
        cnp.frame.kind = FrameKind::CNP;
        const uint16_t first = spray->Foretell(data.Get(), groups[0], 0);
        const uint16_t firstAck = spray->Foretell(ack.Get(), groups[0], 0);
        const uint16_t firstOfTwo = spray->Foretell(data.Get(), groups[1], 1);
        for (uint32_t i = 0; i < 9; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(spray->Foretell(data.Get(), groups[0], 0),
                                  (first + i) % 4,
                                  "foretold");
            NS_TEST_EXPECT_MSG_EQ(spray->Choose(data.Get(), groups[0], 0), (first + i) % 4, "data");
            LoneFrame& other = i % 2 == 0 ? ack : cnp;
            NS_TEST_EXPECT_MSG_EQ(spray->Choose(other.Get(), groups[0], 0),
                                  (firstAck + i) % 4,
                                  "others, as if no data were there");
            NS_TEST_EXPECT_MSG_EQ(spray->Choose(data.Get(), groups[1], 1),
                                  (i % 2 == 0 ? firstOfTwo : 4 - firstOfTwo),
                                  "a group of two");
        }
        bench.Begin(spray, 5, 1, {{0, 2}});
        const LoadBalancer::Ports left{0, 2};
        const uint16_t one = spray->Choose(data.Get(), left, 0);
        NS_TEST_EXPECT_MSG_EQ(spray->Choose(data.Get(), left, 0), 2 - one, "after a failure");
        std::vector<uint32_t> starts(4);
        for (uint64_t seed = 0; seed < 1000; ++seed)
        {
            bench.Begin(spray, seed, 1, groups);
            ++starts[spray->Choose(data.Get(), groups[0], 0)];
        }
        // 3 degrees of freedom: above 16.3 with probability 0.001
        NS_TEST_EXPECT_MSG_LT(ChiSquare(starts), 16.3, "switches begin anywhere");
    }
};

/** Flowlet. */
class FlowletTestCase : public TestCase
{
  public:
    FlowletTestCase()
        : TestCase(
              "A flowlet ends with a gap above the timeout: 99 and 100 us keep the port, 101 us "
              "draw it anew, by the frame that comes then")
    {
    }

  private:
    static constexpr uint64_t US = 1000000;     //!< a microsecond, ps
    static constexpr uint32_t FLOWS = 2000;     //!< few of them share an entry
    std::vector<std::vector<uint16_t>> m_taken; //!< ports by moment and flow

    void DoRun() override
    {
        auto flowlet = CreateObject<Flowlet>();
        flowlet->SetAttribute("TableSize", UintegerValue(1 << 18));
        {
            BalancerBench bench(FOUR);
            bench.Begin(flowlet);
            uint64_t tick = US;
            for (const uint64_t gap : {0, 99, 100, 101, 3})
            {
                tick += gap * US;
                bench.At(tick, [&]() { TakeAll(bench, *flowlet); });
            }
            bench.At(tick + US, [&]() { CheckNewGroups(bench, *flowlet); });
            Simulator::Run();
        }
        const bool isKept = m_taken[1] == m_taken[0] && m_taken[2] == m_taken[0];
        NS_TEST_EXPECT_MSG_EQ(isKept, true, "gaps of 99 and 100 us");
        const bool isKeptAfter = m_taken[4] == m_taken[3];
        NS_TEST_EXPECT_MSG_EQ(isKeptAfter, true, "the next one has its port");
        std::vector<uint32_t> joint(16);
        for (uint32_t flow = 0; flow < FLOWS; ++flow)
        {
            ++joint[m_taken[0][flow] * 4u + m_taken[3][flow]];
        }
        // 15 degrees of freedom: above 37.7 with probability 0.001
        NS_TEST_EXPECT_MSG_LT(ChiSquare(joint), 37.7, "after 101 us any port, as before");
        CheckIdentity();
        CheckSharing();
    }

    /** A frame of each flow comes. @param bench the ports @param flowlet the balancer */
    void TakeAll(BalancerBench& bench, Flowlet& flowlet)
    {
        m_taken.emplace_back();
        for (uint32_t flow = 0; flow < FLOWS; ++flow)
        {
            // every frame has another identity
            LoneFrame one(flow * 7919, static_cast<uint32_t>(m_taken.size()) * 100000 + flow);
            const uint16_t foretold = flowlet.Foretell(one.Get(), bench.ports, 0);
            m_taken.back().push_back(flowlet.Choose(one.Get(), bench.ports, 0));
            NS_TEST_ASSERT_MSG_EQ(m_taken.back().back(), foretold, "foretold");
        }
    }

    /** Routes have changed: no port of before is taken. @param bench the ports @param flowlet the
     * balancer */
    void CheckNewGroups(BalancerBench& bench, Flowlet& flowlet)
    {
        const LoadBalancer::Ports left{0, 2};
        flowlet.GroupsChanged({left});
        for (uint32_t flow = 0; flow < FLOWS; ++flow)
        {
            LoneFrame one(flow * 7919, flow);
            NS_TEST_ASSERT_MSG_EQ(flowlet.Choose(one.Get(), left, 0) % 2, 0, "one that is left");
        }
        NS_TEST_EXPECT_MSG_EQ(bench.clock->NowTicks(), 305 * US, "was here");
    }

    /** The draw is of the flow and the frame: at another time, alone, it is the same. */
    void CheckIdentity()
    {
        BalancerBench bench(FOUR);
        auto flowlet = CreateObject<Flowlet>();
        bench.Begin(flowlet);
        bench.At(777 * US,
                 [&]()
                 {
                     LoneFrame one(1234 * 7919, 4 * 100000 + 1234);
                     NS_TEST_EXPECT_MSG_EQ(flowlet->Choose(one.Get(), bench.ports, 0),
                                           m_taken[3][1234],
                                           "the draw");
                 });
        Simulator::Run();
    }

    /** In a table of one entry all flows are one; groups never mix. */
    void CheckSharing()
    {
        BalancerBench bench(FOUR);
        auto flowlet = CreateObject<Flowlet>();
        flowlet->SetAttribute("TableSize", UintegerValue(1));
        const std::vector<LoadBalancer::Ports> groups{{0, 1}, {2, 3}};
        bench.Begin(flowlet, 5, 1, groups);
        auto take = [&]()
        {
            std::set<uint16_t> taken;
            for (uint32_t flow = 0; flow < 100; ++flow)
            {
                LoneFrame one(flow, flow);
                taken.insert(flowlet->Choose(one.Get(), groups[0], 0));
            }
            NS_TEST_EXPECT_MSG_EQ(taken.size(), 1u, "one flowlet");
            LoneFrame other(5, 5);
            NS_TEST_EXPECT_MSG_GT(flowlet->Choose(other.Get(), groups[1], 1), 1, "its own group");
        };
        bench.At(US, take);
        Simulator::Run();
    }
};

/** The suite. */
class LoadBalancerTestSuite : public TestSuite
{
  public:
    LoadBalancerTestSuite()
        : TestSuite("llm-fabric-load-balancer", TestSuite::Type::UNIT)
    {
        AddTestCase(new HashFieldsTestCase);
        AddTestCase(new RandomSprayTestCase);
        AddTestCase(new RoundRobinTestCase);
        AddTestCase(new FlowletTestCase);
    }
};

LoadBalancerTestSuite g_loadBalancerTestSuite; //!< registers the suite

} // namespace
