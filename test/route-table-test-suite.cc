// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/route-table.h"
#include "ns3/test.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * @ingroup llm-fabric-test
 * A table gives what was assigned, in as few entries as expected.
 */
class RouteTableTestCase : public TestCase
{
  public:
    /**
     * @param name what kind of routes
     * @param routes the routes
     * @param most entries that suffice
     */
    RouteTableTestCase(const std::string& name, std::vector<uint16_t> routes, uint32_t most)
        : TestCase(name),
          m_routes(std::move(routes)),
          m_most(most)
    {
    }

  private:
    void DoRun() override
    {
        RouteTable table;
        table.Assign({7, 8, 9}); // what was assigned before does not matter
        table.Assign(m_routes);
        for (uint32_t i = 0; i < m_routes.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(table.Get(i), m_routes[i], "route to " << i);
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(table.GetSize(), m_most, "entries");
    }

    std::vector<uint16_t> m_routes; //!< the routes
    uint32_t m_most;                //!< entries that suffice
};

/**
 * @param hosts number of hosts
 * @param first first own one
 * @param own number of own ones
 * @param block own ones that share a port
 * @param up route to all others
 * @return routes of a switch of a fat-tree
 */
std::vector<uint16_t>
FatTreeRoutes(uint32_t hosts, uint32_t first, uint32_t own, uint32_t block, uint16_t up)
{
    std::vector<uint16_t> routes(hosts, up);
    for (uint32_t i = 0; i < own; ++i)
    {
        routes[first + i] = static_cast<uint16_t>(i / block);
    }
    return routes;
}

/**
 * @ingroup llm-fabric-test
 * Random tables with runs of equal routes.
 */
class RandomRouteTableTestCase : public TestCase
{
  public:
    RandomRouteTableTestCase()
        : TestCase("random routes with runs of equal ones")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(3);
        for (uint32_t round = 0; round < 2000; ++round)
        {
            std::vector<uint16_t> routes(1 + random() % 300);
            const uint32_t kinds = 1 + random() % 5;
            const uint32_t run = 1u << random() % 6;
            for (std::size_t i = 0; i < routes.size(); ++i)
            {
                const bool isSame = i % run != 0;
                routes[i] = isSame ? routes[i - 1] : static_cast<uint16_t>(random() % kinds);
            }
            m_table.Assign(routes);
            for (uint32_t i = 0; i < routes.size(); ++i)
            {
                NS_TEST_ASSERT_MSG_EQ(m_table.Get(i), routes[i], "round " << round);
            }
            NS_TEST_ASSERT_MSG_LT_OR_EQ(m_table.GetSize(),
                                        (routes.size() + run - 1) / run,
                                        "entries");
        }
    }

    RouteTable m_table; //!< one for all, so that what is left over would show
};

/**
 * @ingroup llm-fabric-test
 * The suite.
 */
class RouteTableTestSuite : public TestSuite
{
  public:
    RouteTableTestSuite()
        : TestSuite("llm-fabric-route-table", TestSuite::Type::UNIT)
    {
        constexpr uint16_t NO_ROUTE = UINT16_MAX;
        auto add = [this](const std::string& name, std::vector<uint16_t> routes, uint32_t most)
        {
            AddTestCase(new RouteTableTestCase(name, std::move(routes), most));
        };
        add("one destination", {5}, 0);
        add("nowhere", std::vector<uint16_t>(100, NO_ROUTE), 0);
        add("all different", {0, 1, 2, 3, 4, 5, 6}, 6);
        add("not a power of two", {1, 1, 1, 1, 2, 2, 2, 2, 3, 3}, 2);
        // k = 16: the leaf has 8 hosts, the second tier 8 leaves, the core 16 pods of 64 hosts
        add("leaf", FatTreeRoutes(1024, 128, 8, 1, 16), 8);
        add("last leaf", FatTreeRoutes(1024, 1016, 8, 1, 16), 8);
        add("second tier", FatTreeRoutes(1024, 64, 64, 8, 16), 8);
        add("core", FatTreeRoutes(1024, 0, 1024, 64, 16), 15);
        add("core without way to a pod", FatTreeRoutes(1024, 0, 960, 64, NO_ROUTE), 15);
        AddTestCase(new RandomRouteTableTestCase);
    }
};

RouteTableTestSuite g_routeTableTestSuite; //!< the suite

} // namespace
