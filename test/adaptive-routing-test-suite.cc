// SPDX-License-Identifier: GPL-2.0-only

// Adaptive routing: what counts as load, how ports are drawn, what is remembered.

#include "balancer-bench.h"

#include "ns3/adaptive-routing.h"

#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr uint64_t US = 1000000; //!< a microsecond, ps

/** Frames queued at a port at one moment. */
using Queues = std::vector<std::vector<uint32_t>>;

/** @param bench the ports @param balancer it @param frames so many @return how many took each port */
std::vector<uint32_t>
Count(BalancerBench& bench, AdaptiveRouting& balancer, uint32_t frames)
{
    std::vector<uint32_t> counts(bench.ports.size());
    for (uint32_t i = 0; i < frames; ++i)
    {
        LoneFrame one(5, 300 + i);
        ++counts[balancer.Choose(one.Get(), bench.ports, 0)];
    }
    return counts;
}

/** Which port is the least loaded. */
class LoadTestCase : public TestCase
{
  public:
    LoadTestCase()
        : TestCase("The least loaded port is that with the shortest queue in time, a paused one "
                   "comes last, and equals are drawn")
    {
    }

  private:
    void DoRun() override
    {
        const std::string g = "100Gbps"; // 80 ps a byte
        // the frame being sent does not wait: queues of 2000, 1000, 3000, 1082 bytes
        Expect({g, g, g, g},
               {{1000, 1000, 1000}, {500, 1000}, {9000, 3000}, {500, 1082}},
               {1},
               "bytes that wait");
        Expect({g, g, g, g},
               {{1000}, {}, {9000}, {50, 50}},
               {0, 1, 2},
               "a frame being sent is none");
        Expect({g, g}, {{9000}, {100, 100}}, {0}, "nothing waits, though it sends for longer");
        Expect({g, "400Gbps"}, {{100, 1000}, {9000, 3999}}, {1}, "four times as fast");
        Expect({g, "400Gbps"}, {{100, 1000}, {9000, 4000}}, {0, 1}, "equal in time");
        Expect({g, "400Gbps"}, {{100, 1000}, {9000, 4001}}, {0}, "more than four times as much");
        Expect({g, g, g, g}, {{50, 900}, {80, 900}, {50, 901}, {50, 900}}, {0, 1, 3}, "equals");
        Expect({g, g, g, g}, {{}, {}, {}, {}}, {0, 1, 2, 3}, "all idle");
        Expect({g, g, g}, {{700}, {700}, {}}, {0, 1}, "equals, one paused", 2);
        Expect({g, g, g}, {{}, {9000, 9000}, {9000, 9001}}, {1}, "the idle one is paused", 0);
    }

    /**
     * @param rates of the ports
     * @param queues what is queued at each, the first of it being sent
     * @param best which are the best, equally good
     * @param what it is
     * @param paused a port that is, if there is one
     */
    void Expect(const std::vector<std::string>& rates,
                const Queues& queues,
                const std::vector<uint16_t>& best,
                const std::string& what,
                uint16_t paused = UINT16_MAX)
    {
        BalancerBench bench(rates);
        auto balancer = CreateObject<AdaptiveRouting>();
        bench.Begin(balancer);
        std::vector<uint32_t> counts;
        if (paused != UINT16_MAX)
        {
            bench.At(US, [&]() { bench.Pause(paused); });
        }
        bench.At(4 * US,
                 [&]()
                 {
                     for (std::size_t port = 0; port < queues.size(); ++port)
                     {
                         bench.Queue(static_cast<uint16_t>(port), queues[port]);
                     }
                     counts = Count(bench, *balancer, 3000);
                 });
        Simulator::Run();
        const double mean = 3000.0 / static_cast<double>(best.size());
        uint32_t sum = 0;
        for (const uint16_t port : best)
        {
            sum += counts[port];
            NS_TEST_EXPECT_MSG_EQ_TOL(counts[port],
                                      mean,
                                      4 * std::sqrt(mean),
                                      what << ", " << port);
        }
        NS_TEST_EXPECT_MSG_EQ(sum, 3000u, what);
    }
};

/** Queues drain. */
class DrainTestCase : public TestCase
{
  public:
    DrainTestCase()
        : TestCase("What has left by now does not count: the order of two ports turns at the tick")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::string> rates{"100Gbps", "100Gbps"};
        BalancerBench bench(rates);
        auto balancer = CreateObject<AdaptiveRouting>();
        bench.Begin(balancer);
        // port 0: 3000 B wait until 80 ns, then 2000, then 1000 from 160 ns on; port 1: 1500 B wait
        std::map<uint64_t, uint16_t> taken;
        bench.At(US,
                 [&]()
                 {
                     bench.Queue(0, {1000, 1000, 1000, 1000});
                     bench.Queue(1, {9000, 1500});
                 });
        for (const uint64_t tick : {0, 79999, 80000, 159999, 160000, 719999})
        {
            bench.At(US + tick,
                     [&, tick]()
                     {
                         LoneFrame one(5, 300);
                         taken[tick] = balancer->Choose(one.Get(), bench.ports, 0);
                     });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(taken[0], 1, "3000 to 1500");
        NS_TEST_EXPECT_MSG_EQ(taken[79999], 1, "3000 to 1500");
        NS_TEST_EXPECT_MSG_EQ(taken[80000], 1, "2000 to 1500");
        NS_TEST_EXPECT_MSG_EQ(taken[159999], 1, "2000 to 1500");
        NS_TEST_EXPECT_MSG_EQ(taken[160000], 0, "1000 to 1500");
        NS_TEST_EXPECT_MSG_EQ(taken[719999], 0, "idle to 1500");
    }
};

/** Ports drawn, and remembered. */
class ChoicesTestCase : public TestCase
{
  public:
    ChoicesTestCase()
        : TestCase(
              "Of d drawn ports the best is taken: for d = 2 half of the time the best of four; "
              "DRILL finds the best and keeps to it")
    {
    }

  private:
    static constexpr uint32_t FRAMES = 12000; //!< in each count

    void DoRun() override
    {
        // ports by load: 2, 0, 3, 1
        CheckShares(1, {1 / 4.0, 1 / 4.0, 1 / 4.0, 1 / 4.0});
        CheckShares(2, {1 / 3.0, 0, 1 / 2.0, 1 / 6.0});
        CheckShares(3, {1 / 4.0, 0, 3 / 4.0, 0});
        CheckShares(4, {0, 0, 1, 0});
        CheckShares(0, {0, 0, 1, 0});
        CheckMemory(1, 1);
        CheckMemory(2, 1);
        CheckMemory(1, 3);
        CheckForgetting();
    }

    /** Load the ports. @param bench the ports */
    static void Load(BalancerBench& bench)
    {
        bench.Queue(0, {100, 2000});
        bench.Queue(1, {100, 4000});
        bench.Queue(2, {100, 1000});
        bench.Queue(3, {100, 3000});
    }

    /** @param candidates drawn @param memory remembered @return a balancer */
    static Ptr<AdaptiveRouting> Make(uint32_t candidates, uint32_t memory)
    {
        auto balancer = CreateObject<AdaptiveRouting>();
        balancer->SetAttribute("Candidates", UintegerValue(candidates));
        balancer->SetAttribute("Memory", UintegerValue(memory));
        return balancer;
    }

    /** @param candidates drawn @param shares of the ports */
    void CheckShares(uint32_t candidates, const std::vector<double>& shares)
    {
        BalancerBench bench({"100Gbps", "100Gbps", "100Gbps", "100Gbps"});
        const auto balancer = Make(candidates, 0);
        bench.Begin(balancer);
        std::vector<uint32_t> counts;
        bench.At(US,
                 [&]()
                 {
                     Load(bench);
                     counts = Count(bench, *balancer, FRAMES);
                 });
        Simulator::Run();
        for (std::size_t port = 0; port < shares.size(); ++port)
        {
            const double deviation = std::sqrt(FRAMES * shares[port] * (1 - shares[port]));
            NS_TEST_EXPECT_MSG_EQ_TOL(counts[port],
                                      FRAMES * shares[port],
                                      4 * deviation,
                                      candidates << " drawn, port " << port);
        }
    }

    /** Once the best was drawn it is not left. @param candidates drawn @param memory remembered */
    void CheckMemory(uint32_t candidates, uint32_t memory)
    {
        BalancerBench bench({"100Gbps", "100Gbps", "100Gbps", "100Gbps"});
        const auto balancer = Make(candidates, memory);
        bench.Begin(balancer);
        std::vector<uint16_t> taken;
        bench.At(US,
                 [&]()
                 {
                     Load(bench);
                     for (uint32_t i = 0; i < 200; ++i)
                     {
                         LoneFrame one(5, 300 + i);
                         taken.push_back(balancer->Choose(one.Get(), bench.ports, 0));
                     }
                 });
        Simulator::Run();
        const std::vector<uint32_t> rank{1, 3, 0, 2};
        for (std::size_t i = 1; i < taken.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ((rank[taken[i]] <= rank[taken[i - 1]]), true, "never worse");
        }
        NS_TEST_EXPECT_MSG_EQ(taken.back(), 2, "the best is found");
    }

    /** A remembered port is measured anew, and groups remember apart and no longer than routes last. */
    void CheckForgetting()
    {
        BalancerBench bench({"100Gbps", "100Gbps", "100Gbps", "100Gbps"});
        const auto balancer = Make(1, 1);
        const std::vector<LoadBalancer::Ports> groups{{0, 1, 2, 3}, {0, 1, 3}};
        bench.Begin(balancer, 5, 1, groups);
        auto settle = [&](uint32_t group)
        {
            uint16_t port = 0;
            for (uint32_t i = 0; i < 100; ++i)
            {
                LoneFrame one(5, 300 + i);
                port = balancer->Choose(one.Get(), groups[group], group);
            }
            return port;
        };
        bench.At(US,
                 [&]()
                 {
                     Load(bench);
                     NS_TEST_EXPECT_MSG_EQ(settle(0), 2, "the best");
                     NS_TEST_EXPECT_MSG_EQ(settle(1), 0, "the best of the other group");
                     bench.Queue(2, {9000});
                     NS_TEST_EXPECT_MSG_EQ(settle(0), 0, "the best now");
                     balancer->GroupsChanged({{1, 3}});
                     LoneFrame one(5, 300);
                     const uint16_t port = balancer->Choose(one.Get(), {1, 3}, 0);
                     NS_TEST_EXPECT_MSG_EQ(port % 2, 1, "nothing of before is remembered");
                 });
        Simulator::Run();
    }
};

/** The suite. */
class AdaptiveRoutingTestSuite : public TestSuite
{
  public:
    AdaptiveRoutingTestSuite()
        : TestSuite("llm-fabric-adaptive-routing", TestSuite::Type::UNIT)
    {
        AddTestCase(new LoadTestCase);
        AddTestCase(new DrainTestCase);
        AddTestCase(new ChoicesTestCase);
    }
};

AdaptiveRoutingTestSuite g_adaptiveRoutingTestSuite; //!< registers the suite

} // namespace
