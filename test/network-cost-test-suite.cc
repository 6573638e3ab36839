// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/cluster.h"
#include "ns3/fabric-network.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/network-cost-validation.h"
#include "ns3/network-cost.h"
#include "ns3/network-prices.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Parts, price and power of networks: by hand, as printed, and as the topology helpers build them.
 */

namespace
{

/** Parts by hand. */
class PartsCase : public TestCase
{
  public:
    PartsCase()
        : TestCase("tiers, switches and links are as counted by hand")
    {
    }

  private:
    /**
     * @param kind of network
     * @param accelerators N
     * @param domainSize K
     * @param radix of switches
     * @param tiers expected
     * @param switches expected
     * @param links expected
     */
    void Check(NetworkPlan::Kind kind,
               uint32_t accelerators,
               uint32_t domainSize,
               uint32_t radix,
               uint32_t tiers,
               double switches,
               uint64_t links)
    {
        const NetworkPlan plan = NetworkPlan::Make(kind, accelerators, domainSize, radix);
        const std::string what = NetworkPlan::GetName(kind) + " " + std::to_string(accelerators);
        NS_TEST_EXPECT_MSG_EQ(plan.tiers, tiers, what);
        NS_TEST_EXPECT_MSG_EQ_TOL(plan.switches, switches, 1e-12, what);
        NS_TEST_EXPECT_MSG_EQ(plan.GetLinks(), links, what);
        NS_TEST_EXPECT_MSG_EQ(plan.transceivers, 2 * links, what);
    }

    void DoRun() override
    {
        // 8 rails of 8 NICs: a switch each; of 16: leaves and spines, 2 x 2 of 8 ports and 2
        Check(NetworkPlan::RAIL_ONLY, 64, 8, 8, 1, 8, 64);
        Check(NetworkPlan::RAIL_ONLY, 128, 8, 8, 2, 8 * 6, 2 * 128);
        // of 4 NICs: two rails share a switch
        Check(NetworkPlan::RAIL_ONLY, 32, 8, 8, 1, 4, 32);
        Check(NetworkPlan::RAIL_OPTIMIZED, 8, 8, 8, 1, 1, 8);
        Check(NetworkPlan::RAIL_OPTIMIZED, 32, 8, 8, 2, 12, 64);
        // k-ary fat-tree: k^3/4 hosts, 5 k^2/4 switches
        Check(NetworkPlan::RAIL_OPTIMIZED, 128, 8, 8, 3, 80, 384);
        Check(NetworkPlan::FAT_TREE, 128, 8, 8, 3, 80, 384);
        Check(NetworkPlan::FAT_TREE, 32, 8, 8, 3, 20, 96);
        // one NIC more than three tiers reach
        Check(NetworkPlan::FAT_TREE, 129, 1, 8, 4, 7 * 129 / 8.0, 4 * 129);
        CheckOrder();
    }

    /** Rail-only is never the dearest, and the fat-tree never the cheapest. */
    void CheckOrder()
    {
        const NetworkPrices prices = NetworkPrices::FromName("rail-only-v5");
        for (const uint32_t radix : {32, 64, 128, 256})
        {
            for (uint32_t accelerators = 1024; accelerators <= 262144; accelerators *= 2)
            {
                double before = 0;
                for (const NetworkPlan::Kind kind : NetworkPlan::GetKinds())
                {
                    const auto plan = NetworkPlan::Make(kind, accelerators, 256, radix);
                    NS_TEST_EXPECT_MSG_EQ((plan.GetUsd(prices) >= before), true, accelerators);
                    before = plan.GetUsd(prices);
                }
            }
        }
    }
};

/** Price and power. */
class PriceCase : public TestCase
{
  public:
    PriceCase()
        : TestCase("price and power are sums over ports and transceivers")
    {
    }

  private:
    void DoRun() override
    {
        NetworkPrices prices;
        prices.switchPortUsd = 100;
        prices.transceiverUsd = 10;
        const auto plan = NetworkPlan::Make(NetworkPlan::RAIL_OPTIMIZED, 32, 8, 8);
        NS_TEST_EXPECT_MSG_EQ_TOL(plan.GetUsd(prices), 9600 + 1280, 1e-9, "96 ports, 128 ends");
        NS_TEST_EXPECT_MSG_EQ(plan.GetWatts(prices), 0, "unknown");
        prices.switchPortWatts = 2;
        NS_TEST_EXPECT_MSG_EQ(plan.GetWatts(prices), 0, "half of it is unknown");
        prices.transceiverWatts = 1;
        NS_TEST_EXPECT_MSG_EQ_TOL(plan.GetWatts(prices), 192 + 128, 1e-9, "96 ports, 128 ends");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetSavingPercent(1, 4), 75, 1e-12, "three of four");

        const NetworkPrices v1 = NetworkPrices::FromName("rail-only-v1");
        NS_TEST_EXPECT_MSG_EQ(v1.switchPortUsd, 748, "v1");
        NS_TEST_EXPECT_MSG_EQ(v1.transceiverUsd, 374, "v1");
        NS_TEST_EXPECT_MSG_EQ(v1.HasPower(), false, "v1");
        const NetworkPrices v5 = NetworkPrices::FromName("rail-only-v5");
        NS_TEST_EXPECT_MSG_EQ(v5.switchPortUsd, 694, "v5");
        NS_TEST_EXPECT_MSG_EQ(v5.transceiverUsd, 199, "v5");
        NS_TEST_EXPECT_MSG_EQ(v5.switchPortWatts, 17.5, "v5");
        NS_TEST_EXPECT_MSG_EQ(v5.transceiverWatts, 9.25, "v5");
        const NetworkPrices merchant = NetworkPrices::FromName("merchant-400g");
        NS_TEST_EXPECT_MSG_EQ_TOL(merchant.switchPortUsd * 64, 25000, 1e-9, "QM9700");
        NS_TEST_EXPECT_MSG_EQ_TOL(merchant.switchPortWatts * 64, 747, 1e-9, "QM9700");
        for (const auto& set : NetworkPrices::ReadFile(FindDataFile("network-prices.json")))
        {
            NS_TEST_EXPECT_MSG_EQ((set.what.empty() || set.source.empty()), false, set.name);
        }
    }
};

/** As printed. */
class PublishedCostCase : public TestCase
{
  public:
    PublishedCostCase()
        : TestCase("the paper's table comes out: parts exactly, savings within a point")
    {
    }

  private:
    void DoRun() override
    {
        const auto parts = CompareNetworkParts();
        NS_TEST_EXPECT_MSG_EQ(parts.size(), 28, "four figures of seven rows");
        for (const ValidationRow& row : parts)
        {
            NS_TEST_EXPECT_MSG_EQ(row.computed, row.published, row.what);
        }
        uint32_t power = 0;
        const auto savings = CompareNetworkSavings();
        for (const ValidationRow& row : savings)
        {
            NS_TEST_EXPECT_MSG_LT(std::abs(row.GetErrorPercent()), 1, row.what);
            power += row.what.find("power") != std::string::npos ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(savings.size(), 7 + 5 + 3, "v1, v5 and power");
        NS_TEST_EXPECT_MSG_EQ(power, 3, "at radix 64, 128 and 256");
        // with domains of 8 only radix 128 saves anything: 3 tiers become 2
        for (const uint32_t radix : {64, 128, 256})
        {
            const auto rails = NetworkPlan::Make(NetworkPlan::RAIL_ONLY, 32768, 8, radix);
            const auto clos = NetworkPlan::Make(NetworkPlan::RAIL_OPTIMIZED, 32768, 8, radix);
            const NetworkPrices prices = NetworkPrices::FromName("rail-only-v5");
            const double saving = GetSavingPercent(rails.GetUsd(prices), clos.GetUsd(prices));
            NS_TEST_EXPECT_MSG_EQ_TOL(saving, (radix == 128 ? 38.3 : 0), 0.05, radix);
        }
    }
};

/** The topology helpers. */
class HelperCase : public TestCase
{
  public:
    HelperCase()
        : TestCase("the topology helpers build as many switches and links as the plan has")
    {
    }

  private:
    /**
     * Build a network whose switches are all full, so that helper and plan mean the same.
     * @param kind of network
     * @param accelerators N
     * @param domainSize K
     * @param radix of switches
     */
    void Check(NetworkPlan::Kind kind, uint32_t accelerators, uint32_t domainSize, uint32_t radix)
    {
        const std::vector<std::string> helpers{"RailOnly", "RailOptimized", "FatTree"};
        ObjectFactory factory("ns3::llm::" + helpers[kind] + "Helper");
        factory.Set("Accelerators", UintegerValue(accelerators));
        factory.Set("DomainSize", UintegerValue(domainSize));
        factory.Set(kind == NetworkPlan::FAT_TREE ? "K" : "SwitchRadix", UintegerValue(radix));
        const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
        const NetworkPlan plan = NetworkPlan::Make(kind, accelerators, domainSize, radix);
        const std::string what = cluster->GetName() + " " + std::to_string(accelerators) +
                                 " radix " + std::to_string(radix);
        NS_TEST_EXPECT_MSG_EQ(cluster->GetNetwork()->GetSwitchCount(), plan.switches, what);
        NS_TEST_EXPECT_MSG_EQ(cluster->GetNetwork()->GetLinkCount(), plan.GetLinks(), what);
        NS_TEST_EXPECT_MSG_EQ(cluster->GetName(), NetworkPlan::GetName(kind), "names");
        Simulator::Destroy();
        cluster->Dispose();
    }

    void DoRun() override
    {
        UsePicosecondTicks();
        Check(NetworkPlan::RAIL_ONLY, 64, 8, 8);  // a switch for each rail
        Check(NetworkPlan::RAIL_ONLY, 64, 4, 8);  // leaves and spines
        Check(NetworkPlan::RAIL_ONLY, 128, 4, 8); // two tiers, full
        Check(NetworkPlan::RAIL_ONLY, 32, 2, 4);  // three tiers
        Check(NetworkPlan::RAIL_OPTIMIZED, 32, 4, 8);
        Check(NetworkPlan::RAIL_OPTIMIZED, 128, 8, 8); // three tiers
        Check(NetworkPlan::RAIL_OPTIMIZED, 16, 4, 4);
        Check(NetworkPlan::FAT_TREE, 16, 4, 4);
        Check(NetworkPlan::FAT_TREE, 128, 8, 8);
    }
};

/** Wrong input. */
class CostRefusalCase : public TestCase
{
  public:
    CostRefusalCase()
        : TestCase("networks and prices that cannot be are refused")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t radix : {0, 2, 63})
        {
            const auto make = [radix]
            {
                NetworkPlan::Make(NetworkPlan::RAIL_ONLY, 64, 8, radix);
            };
            NS_TEST_EXPECT_MSG_EQ(
                CheckRefused(make, {std::to_string(radix) + " ports", "even number of at least 4"}),
                "",
                radix);
        }
        for (const auto& [accelerators, domainSize] :
             std::vector<std::pair<uint32_t, uint32_t>>{{65, 8}, {0, 8}, {64, 0}})
        {
            const auto make = [n = accelerators, k = domainSize]
            {
                NetworkPlan::Make(NetworkPlan::FAT_TREE, n, k, 8);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(make,
                                               {std::to_string(accelerators) + " accelerators",
                                                "domains of " + std::to_string(domainSize)}),
                                  "",
                                  accelerators);
        }
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([] { NetworkPrices::FromName("rail-only-v2"); },
                                           {"'rail-only-v2'", "did you mean rail-only-v"}),
                              "",
                              "unknown set");
        CheckFiles();
    }

    /** Wrong files. */
    void CheckFiles()
    {
        const std::string path = CreateTempDirFilename("prices.json");
        const auto check = [&](const std::string& text, const std::vector<std::string>& parts)
        {
            std::ofstream(path) << text;
            const auto read = [&path]
            {
                NetworkPrices::ReadFile(path);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(read, parts), "", text);
        };
        check("{", {"cannot be read"});
        check("{}", {"cannot be read", "sets"});
        const std::string begin = "{\"sets\": {\"a\": {\"switch_port_usd\": ";
        check(begin + "1}}}", {"set a", "transceiver_usd = null"});
        check(begin + "0, \"transceiver_usd\": 1}}}", {"set a", "switch_port_usd = 0"});
        check(begin + "1, \"transceiver_usd\": 1, \"switch_port_w\": \"x\"}}}",
              {"set a", "switch_port_w = \"x\"", "above 0"});
        NS_TEST_EXPECT_MSG_EQ(
            CheckRefused([] { NetworkPrices::ReadFile("no.json"); }, {"cannot read", "no.json"}),
            "",
            "absent");
    }
};

/** The suite. */
class NetworkCostTestSuite : public TestSuite
{
  public:
    NetworkCostTestSuite()
        : TestSuite("llm-fabric-network-cost", TestSuite::Type::UNIT)
    {
        AddTestCase(new PartsCase);
        AddTestCase(new PriceCase);
        AddTestCase(new PublishedCostCase);
        AddTestCase(new HelperCase);
        AddTestCase(new CostRefusalCase);
    }
};

NetworkCostTestSuite g_networkCostTestSuite; //!< registers itself

} // namespace
