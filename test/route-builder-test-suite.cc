// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/leaf-spine-plan.h"
#include "ns3/route-builder.h"
#include "ns3/time-resolution.h"

#include "ns3/node.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Routes of random graphs, and joints of leaves, against the plainest ways to find them.
 */

namespace
{

constexpr uint16_t NO_ROUTE = 60000; //!< stands for it in tables
constexpr uint32_t FAR = 1000000;    //!< further than any way

/** A graph of switches at random, with a terminal at some of them. */
class RandomGraph
{
  public:
    /** @param seed of the graph */
    explicit RandomGraph(uint32_t seed)
    {
        std::mt19937 random(seed);
        const uint32_t switches = 2 + random() % 9;
        vertices.resize(switches);
        for (uint32_t v = 0; v < switches; ++v)
        {
            vertices[v].forwards = true;
        }
        // parallel links and links to nowhere are wanted; none from a switch to itself
        const uint32_t links = random() % (3 * switches);
        for (uint32_t i = 0; i < links; ++i)
        {
            const uint32_t a = random() % switches;
            const uint32_t b = random() % switches;
            if (a != b)
            {
                Link(a, b, random() % 5 != 0);
            }
        }
        const uint32_t count = 1 + random() % 6;
        for (uint32_t t = 0; t < count; ++t)
        {
            terminals.push_back(static_cast<uint32_t>(vertices.size()));
            vertices.emplace_back();
            Link(terminals.back(), random() % switches, random() % 8 != 0);
        }
    }

    /**
     * Hops between all vertices by Floyd and Warshall, ways through terminals excluded.
     * @return by pair of vertices
     */
    std::vector<std::vector<uint32_t>> FindDistances() const
    {
        const std::size_t n = vertices.size();
        std::vector<std::vector<uint32_t>> hops(n, std::vector<uint32_t>(n, FAR));
        for (std::size_t v = 0; v < n; ++v)
        {
            hops[v][v] = 0;
            for (const uint32_t next : vertices[v].neighbors)
            {
                if (next != RouteBuilder::NO_NEIGHBOR)
                {
                    hops[v][next] = 1;
                }
            }
        }
        for (std::size_t middle = 0; middle < n; ++middle)
        {
            for (std::size_t a = 0; a < n && vertices[middle].forwards; ++a)
            {
                for (std::size_t b = 0; b < n; ++b)
                {
                    hops[a][b] = std::min(hops[a][b], hops[a][middle] + hops[middle][b]);
                }
            }
        }
        return hops;
    }

    std::vector<RouteBuilder::Vertex> vertices; //!< switches, then terminals
    std::vector<uint32_t> terminals;            //!< vertices of the terminals

  private:
    /** @param a vertex @param b vertex @param isUp whether the link is up */
    void Link(uint32_t a, uint32_t b, bool isUp)
    {
        vertices[a].neighbors.push_back(isUp ? b : RouteBuilder::NO_NEIGHBOR);
        vertices[b].neighbors.push_back(isUp ? a : RouteBuilder::NO_NEIGHBOR);
    }
};

/** Tables of random graphs. */
class RandomGraphsTestCase : public TestCase
{
  public:
    RandomGraphsTestCase()
        : TestCase("Tables of random graphs hold exactly the ports that lead nearer")
    {
    }

  private:
    void DoRun() override
    {
        uint32_t unreachable = 0;
        uint32_t several = 0;
        for (uint32_t seed = 0; seed < 500; ++seed)
        {
            const RandomGraph graph(seed);
            const auto hops = graph.FindDistances();
            const auto tables = RouteBuilder::Build(graph.vertices, graph.terminals, NO_ROUTE);
            NS_TEST_ASSERT_MSG_EQ(tables.size(), graph.vertices.size(), "a table each");
            for (uint32_t v = 0; graph.vertices[v].forwards; ++v)
            {
                NS_TEST_ASSERT_MSG_EQ(tables[v].groupOf.size(), graph.terminals.size(), "all");
                for (uint32_t t = 0; t < graph.terminals.size(); ++t)
                {
                    const auto expected = FindPorts(graph, hops, v, graph.terminals[t]);
                    const uint16_t group = tables[v].groupOf[t];
                    unreachable += expected.empty();
                    several += expected.size() > 1;
                    const bool isRight = expected.empty() ? group == NO_ROUTE
                                                          : tables[v].groups.at(group) == expected;
                    NS_TEST_ASSERT_MSG_EQ(isRight, true, seed << ": " << v << " to " << t);
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(unreachable, 500, "some cannot be reached");
        NS_TEST_EXPECT_MSG_GT(several, 500, "some in several ways");
    }

    /**
     * @param graph a graph
     * @param hops its distances
     * @param from a switch
     * @param to a terminal
     * @return ports of the switch that lead nearer
     */
    static std::vector<uint16_t> FindPorts(const RandomGraph& graph,
                                           const std::vector<std::vector<uint32_t>>& hops,
                                           uint32_t from,
                                           uint32_t to)
    {
        std::vector<uint16_t> ports;
        const auto& neighbors = graph.vertices[from].neighbors;
        for (uint16_t port = 0; port < neighbors.size(); ++port)
        {
            const uint32_t next = neighbors[port];
            if (next != RouteBuilder::NO_NEIGHBOR && hops[from][to] < FAR &&
                (next == to || graph.vertices[next].forwards) &&
                hops[next][to] + 1 == hops[from][to])
            {
                ports.push_back(port);
            }
        }
        return ports;
    }
};

/** Groups. */
class SharedGroupsTestCase : public TestCase
{
  public:
    SharedGroupsTestCase()
        : TestCase("No switch keeps a set of ports twice, or one that nobody needs")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 0; seed < 500; ++seed)
        {
            const RandomGraph graph(seed);
            const auto tables = RouteBuilder::Build(graph.vertices, graph.terminals, NO_ROUTE);
            for (const RouteBuilder::Table& table : tables)
            {
                std::map<std::vector<uint16_t>, uint16_t> seen;
                for (uint16_t group = 0; group < table.groups.size(); ++group)
                {
                    const bool isNew = seen.emplace(table.groups[group], group).second;
                    NS_TEST_ASSERT_MSG_EQ(isNew, true, "kept once");
                    const auto uses = std::count(table.groupOf.begin(), table.groupOf.end(), group);
                    NS_TEST_ASSERT_MSG_GT(uses, 0, "of use to a terminal");
                }
            }
        }
    }
};

/** One tier of spines. */
class PlanTestCase : public TestCase
{
  public:
    PlanTestCase()
        : TestCase("A plan has the fewest spines that share all uplinks evenly, or none")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t leaves = 1; leaves <= 20; ++leaves)
        {
            for (uint32_t uplinks = 1; uplinks <= 16; ++uplinks)
            {
                for (uint32_t radix = 1; radix <= 20; ++radix)
                {
                    // any pair of numbers that uses all uplinks and fits the ports of a spine
                    LeafSpinePlan best;
                    for (uint32_t links = 1; links <= uplinks; ++links)
                    {
                        for (uint32_t spines = 1; spines <= uplinks; ++spines)
                        {
                            const bool fits = links * spines == uplinks && leaves * links <= radix;
                            if (fits && (best.spines == 0 || spines < best.spines))
                            {
                                best = {spines, links};
                            }
                        }
                    }
                    const LeafSpinePlan plan = LeafSpinePlan::Make(leaves, uplinks, radix);
                    NS_TEST_ASSERT_MSG_EQ(plan.spines, best.spines, leaves << " leaves");
                    NS_TEST_ASSERT_MSG_EQ(plan.linksPerPair, best.linksPerPair, "links");
                }
            }
        }
        // 4 leaves of 32 uplinks, 64 ports: 2 spines with 16 links to each; 65 leaves: too many
        NS_TEST_EXPECT_MSG_EQ(LeafSpinePlan::Make(4, 32, 64).spines, 2, "by hand");
        NS_TEST_EXPECT_MSG_EQ(LeafSpinePlan::Make(65, 32, 64).spines, 0, "by hand");
    }
};

/** What JoinLeaves() builds. */
class JointTestCase : public TestCase
{
  public:
    JointTestCase()
        : TestCase("Joined leaves use all uplinks, no switch beyond its ports, and every leaf is "
                   "reached; what cannot be joined is known before")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds();
        uint32_t oneTier = 0;
        uint32_t twoTiers = 0;
        for (uint32_t radix = 2; radix <= 8; radix += 2)
        {
            for (uint32_t leaves = 2; leaves <= radix * radix / 2 + 2; ++leaves)
            {
                const bool canJoin = CanJoinLeaves(leaves, radix / 2, radix);
                // three tiers of R ports below and above: a plane has R aggregations of R/2 leaves
                const bool fits = leaves <= radix * radix / 2 && IsPlannable(leaves, radix);
                NS_TEST_ASSERT_MSG_EQ(canJoin, fits, leaves << " leaves, radix " << radix);
                if (canJoin)
                {
                    const bool isOneTier = LeafSpinePlan::Make(leaves, radix / 2, radix).spines > 0;
                    oneTier += isOneTier;
                    twoTiers += !isOneTier;
                    CheckJoint(leaves, radix, isOneTier);
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(oneTier, 10, "by spines");
        NS_TEST_EXPECT_MSG_GT(twoTiers, 10, "by planes");
        NS_TEST_EXPECT_MSG_EQ(CanJoinLeaves(1, 0, 2), true, "one leaf needs nothing");
    }

    /** @param leaves number @param radix ports @return whether they, or the aggregations of a plane,
     * can share R/2 uplinks evenly among spines of R ports */
    static bool IsPlannable(uint32_t leaves, uint32_t radix)
    {
        const uint32_t half = radix / 2;
        const uint32_t aggregations = (leaves + half - 1) / half;
        return leaves <= radix || aggregations <= radix;
    }

    /** @param leaves number @param radix ports of a switch @param isOneTier there are only spines */
    void CheckJoint(uint32_t leaves, uint32_t radix, bool isOneTier)
    {
        auto network = CreateObject<FabricNetwork>();
        network->SetClock(Create<FrameClock>());
        std::vector<uint32_t> vertices;
        for (uint32_t i = 0; i < leaves; ++i)
        {
            vertices.push_back(network->AddSwitch(CreateObject<Node>(), 0, i, "leaf"));
        }
        std::map<uint32_t, uint32_t> ports;
        std::map<uint32_t, std::vector<uint32_t>> neighbors;
        JoinLeaves(network,
                   vertices,
                   radix / 2,
                   radix,
                   "spine",
                   [&](uint32_t a, uint32_t b)
                   {
                       ++ports[a];
                       ++ports[b];
                       neighbors[a].push_back(b);
                       neighbors[b].push_back(a);
                   });
        for (const auto& [vertex, count] : ports)
        {
            NS_TEST_ASSERT_MSG_LT(count, radix + 1, "ports of a switch");
        }
        std::map<uint32_t, uint32_t> hops{{vertices[0], 0}};
        std::vector<uint32_t> queue{vertices[0]};
        for (std::size_t head = 0; head < queue.size(); ++head)
        {
            for (const uint32_t next : neighbors[queue[head]])
            {
                if (hops.emplace(next, hops[queue[head]] + 1).second)
                {
                    queue.push_back(next);
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(network->GetSwitchCount() - leaves,
                              ports.size() - leaves,
                              "no switch without links");
        for (const uint32_t leaf : vertices)
        {
            NS_TEST_EXPECT_MSG_EQ(ports[leaf], radix / 2, "uplinks");
            NS_TEST_ASSERT_MSG_EQ(hops.count(leaf), 1, "reached");
            NS_TEST_EXPECT_MSG_LT(hops[leaf], (isOneTier ? 3u : 5u), "hops");
        }
        network->Dispose();
    }
};

/** The suite. */
class RouteBuilderTestSuite : public TestSuite
{
  public:
    RouteBuilderTestSuite()
        : TestSuite("llm-fabric-route-builder", TestSuite::Type::UNIT)
    {
        AddTestCase(new RandomGraphsTestCase);
        AddTestCase(new SharedGroupsTestCase);
        AddTestCase(new PlanTestCase);
        AddTestCase(new JointTestCase);
    }
} g_routeBuilderTestSuite; //!< registers the suite

} // namespace
