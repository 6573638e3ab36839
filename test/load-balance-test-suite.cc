// SPDX-License-Identifier: GPL-2.0-only

// How flows fall on equal paths: balls in bins, and polarization of tiers.

#include "small-network.h"

#include "ns3/flow-ecmp.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Balls in bins. */
class BinsTestCase : public TestCase
{
  public:
    BinsTestCase()
        : TestCase("FlowEcmp: mean load of the fullest of k paths, paths in use, and flows without "
                   "collision are those of balls in bins")
    {
    }

  private:
    void DoRun() override
    {
        ExpectFullest(2, 2, 1.50);
        ExpectFullest(4, 4, 2.12);
        ExpectFullest(8, 8, 2.59);
        ExpectFullest(16, 16, 3.08);
        ExpectFullest(32, 32, 3.54);
        ExpectFullest(16, 4, 6.14);
        ExpectFullest(64, 8, 12.24);
        ExpectInUse(8, 5.251);
        ExpectInUse(16, 10.30);
        // 8 flows on 8 paths: 4 million seeds give it to 1 %; 24 of 256 and 40320 of 16777216
        ExpectNoCollision(4, 100000, 24.0 / 256, 0.03);
        ExpectNoCollision(8, 4000000, 40320.0 / 16777216, 0.03);
    }

    /** @param flows so many @param paths so many @param seed of the switch @return flows by path */
    static std::vector<uint32_t> Throw(uint32_t flows, uint32_t paths, uint64_t seed)
    {
        static std::map<uint32_t, LoadBalancer::Ports> portsOf;
        LoadBalancer::Ports& ports = portsOf[paths];
        if (ports.empty())
        {
            ports.resize(paths);
            std::iota(ports.begin(), ports.end(), static_cast<uint16_t>(0));
        }
        std::vector<uint32_t> counts(paths);
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            const auto entropy = static_cast<uint32_t>(MixHash(flow, 1) >> 32);
            ++counts[FlowEcmp::Pick(entropy, ports, MixHash(seed, 5))];
        }
        return counts;
    }

    /** @param flows so many @param paths so many @param mean load of the fullest path */
    void ExpectFullest(uint32_t flows, uint32_t paths, double mean)
    {
        const uint32_t seeds = 20000;
        double sum = 0;
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const auto counts = Throw(flows, paths, seed);
            sum += *std::max_element(counts.begin(), counts.end());
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / seeds, mean, 0.01 * mean, flows << " on " << paths);
    }

    /** @param count flows and paths @param mean paths in use */
    void ExpectInUse(uint32_t count, double mean)
    {
        const uint32_t seeds = 20000;
        double sum = 0;
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const auto counts = Throw(count, count, seed);
            sum += count - static_cast<double>(std::count(counts.begin(), counts.end(), 0u));
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / seeds, mean, 0.01 * mean, count << " in use");
    }

    /** @param count flows and paths @param seeds so many @param share of seeds without a collision
     * @param tolerance relative */
    void ExpectNoCollision(uint32_t count, uint32_t seeds, double share, double tolerance)
    {
        uint32_t without = 0;
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const auto counts = Throw(count, count, seed);
            without += *std::max_element(counts.begin(), counts.end()) == 1;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(without / static_cast<double>(seeds),
                                  share,
                                  tolerance * share,
                                  count << " without collision");
    }
};

/** Equal seeds at all tiers. */
class PolarizationTestCase : public TestCase
{
  public:
    PolarizationTestCase()
        : TestCase("With one seed for all switches each switch of the second tier uses 1 of 4 "
                   "uplinks, with a seed of its own all 4")
    {
    }

  private:
    void DoRun() override
    {
        Expect(false, 7, 1);
        Expect(true, 7, 4);
        // salts alone, on what all queue pairs of a pair share
        Expect(false, 3, 1);
        Expect(true, 3, 4);
        Expect(false, 4, 1);
        Expect(true, 4, 4);
    }

    /** @param isPerSwitch seeds @param fields that are hashed @param uplinks used by each switch of
     * the second tier */
    void Expect(bool isPerSwitch, uint32_t fields, uint32_t uplinks)
    {
        Config::SetDefault("ns3::llm::FlowEcmp::SeedPerSwitch", BooleanValue(isPerSwitch));
        Config::SetDefault("ns3::llm::FlowEcmp::HashFields", UintegerValue(fields));
        SmallNetwork net;
        net.MakeFatTree(8);
        std::map<const FrameSink*, std::set<uint16_t>> used; // ports, by switch of the second tier
        std::set<uint32_t> firstTier;                        // uplinks, of all pods
        for (uint32_t source = 0; source < 128; ++source)
        {
            for (uint32_t by = 1; by < 128; ++by)
            {
                const uint32_t destination = (source + by) % 128;
                if (source / 16 == destination / 16)
                {
                    continue;
                }
                const auto path = net.network->GetPath(
                    source,
                    destination,
                    RdmaTransport::GetEntropy(net.transport->GetIdentity(source, destination, 0)));
                NS_TEST_ASSERT_MSG_EQ(path.size(), 6u, "over a core switch");
                const FrameTransmitter& up = path[2]->GetTransmitter();
                firstTier.insert(path[1]->GetTransmitter().GetObject());
                used[up.GetOwner()].insert(up.GetIndex());
            }
        }
        NS_TEST_EXPECT_MSG_EQ(firstTier.size(), 128u, "the first tier uses all of its uplinks");
        NS_TEST_EXPECT_MSG_EQ(used.size(), 32u, "switches of the second tier");
        for (const auto& [owner, ports] : used)
        {
            NS_TEST_EXPECT_MSG_EQ(ports.size(), uplinks, "fields " << fields);
        }
    }
};

/** The suite. */
class LoadBalanceTestSuite : public TestSuite
{
  public:
    LoadBalanceTestSuite()
        : TestSuite("llm-fabric-load-balance", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new BinsTestCase);
        AddTestCase(new PolarizationTestCase);
    }
};

LoadBalanceTestSuite g_loadBalanceTestSuite; //!< registers the suite

} // namespace
