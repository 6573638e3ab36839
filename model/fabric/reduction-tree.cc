// SPDX-License-Identifier: GPL-2.0-only

#include "reduction-tree.h"

#include "identity-hash.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ns3::llm
{

namespace
{

using Graph = std::vector<RouteBuilder::Vertex>; //!< all switches and terminals

constexpr uint32_t FAR = UINT32_MAX; //!< not reached

/** @param graph the network @param from a switch @return links from it to each switch, or FAR */
std::vector<uint32_t>
GetDistances(const Graph& graph, uint32_t from)
{
    std::vector<uint32_t> distance(graph.size(), FAR);
    std::vector<uint32_t> queue{from};
    distance[from] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
    {
        for (const uint32_t next : graph[queue[head]].neighbors)
        {
            if (next != RouteBuilder::NO_NEIGHBOR && graph[next].forwards && distance[next] == FAR)
            {
                distance[next] = distance[queue[head]] + 1;
                queue.push_back(next);
            }
        }
    }
    return distance;
}

/** @param graph the network @param terminal a terminal @return its switch, or FAR */
uint32_t
GetLeaf(const Graph& graph, uint32_t terminal)
{
    for (const uint32_t next : graph[terminal].neighbors)
    {
        if (next != RouteBuilder::NO_NEIGHBOR && graph[next].forwards)
        {
            return next;
        }
    }
    return FAR;
}

/**
 * @param graph the network
 * @param leaves switches of the members, and how many members are there
 * @param turn the group's number
 * @return the root, or FAR
 */
uint32_t
ChooseRoot(const Graph& graph, const std::map<uint32_t, uint32_t>& leaves, uint32_t turn)
{
    std::vector<uint64_t> farthest(graph.size(), 0);
    std::vector<uint64_t> sum(graph.size(), 0);
    for (const auto& [leaf, count] : leaves)
    {
        const std::vector<uint32_t> distance = GetDistances(graph, leaf);
        for (std::size_t v = 0; v < graph.size(); ++v)
        {
            farthest[v] = std::max<uint64_t>(farthest[v], distance[v]);
            sum[v] += uint64_t{count} * distance[v];
        }
    }
    std::vector<uint32_t> best;
    for (uint32_t v = 0; v < graph.size(); ++v)
    {
        if (!graph[v].forwards || farthest[v] == FAR)
        {
            continue;
        }
        const auto rank = [&](uint32_t one)
        {
            return std::tie(farthest[one], sum[one]);
        };
        if (!best.empty() && rank(v) < rank(best.front()))
        {
            best.clear();
        }
        if (best.empty() || rank(v) == rank(best.front()))
        {
            best.push_back(v);
        }
    }
    return best.empty() ? FAR : best[turn % best.size()];
}

/** Finds the nodes of a tree, from the members up to the root. */
class TreeBuilder
{
  public:
    /** @param graph the network @param root the root @param turn the group's number */
    TreeBuilder(const Graph& graph, uint32_t root, uint32_t turn)
        : m_graph(graph),
          m_distance(GetDistances(graph, root)),
          m_turn(turn)
    {
    }

    /** @param leaf its switch @param member vertex of a terminal @return links to the root */
    uint32_t Add(uint32_t leaf, uint32_t member)
    {
        uint32_t links = 1;
        uint32_t below = member;
        for (uint32_t at = leaf;; ++links)
        {
            m_children[at].insert(below);
            if (m_distance[at] == 0)
            {
                return links;
            }
            below = at;
            at = m_graph[at].neighbors[GetParentPort(at)];
        }
    }

    /** @param vertex a switch of the tree @return port to its parent */
    uint16_t GetParentPort(uint32_t vertex) const
    {
        std::vector<uint16_t> ports;
        const auto& neighbors = m_graph[vertex].neighbors;
        for (std::size_t port = 0; port < neighbors.size(); ++port)
        {
            if (neighbors[port] != RouteBuilder::NO_NEIGHBOR && m_graph[neighbors[port]].forwards &&
                m_distance[neighbors[port]] + 1 == m_distance[vertex])
            {
                ports.push_back(static_cast<uint16_t>(port));
            }
        }
        return ports[MixHash(m_turn, 1) % ports.size()]; // not in step with the root
    }

    /** @param vertex a switch @return whether it is of the tree */
    bool Has(uint32_t vertex) const
    {
        return m_children.count(vertex) != 0;
    }

    /** @param vertex a switch of the tree @return it, but for members */
    ReductionTree::Node MakeNode(uint32_t vertex) const
    {
        ReductionTree::Node node;
        node.vertex = vertex;
        node.parent = m_distance[vertex] == 0 ? ReductionTree::NONE : GetParentPort(vertex);
        const auto& below = m_children.at(vertex);
        const auto& neighbors = m_graph[vertex].neighbors;
        for (std::size_t port = 0; port < neighbors.size(); ++port)
        {
            // of links side by side, the one that the child takes up is the one that leads down
            const uint32_t child = neighbors[port];
            const bool isUsed = child != RouteBuilder::NO_NEIGHBOR && below.count(child) != 0 &&
                                (!m_graph[child].forwards || GetPortDown(vertex, child) == port);
            if (isUsed)
            {
                node.children.push_back({static_cast<uint16_t>(port), child, 0});
            }
        }
        return node;
    }

  private:
    /** @param vertex a switch @param child one below it @return port of the link that child takes */
    std::size_t GetPortDown(uint32_t vertex, uint32_t child) const
    {
        // links between two switches have the same order at both ends
        const auto count = [&](uint32_t at, uint32_t other, std::size_t end)
        {
            const auto& list = m_graph[at].neighbors;
            return std::count(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(end), other);
        };
        const auto place = count(child, vertex, GetParentPort(child));
        std::size_t port = 0;
        while (m_graph[vertex].neighbors[port] != child || count(vertex, child, port) != place)
        {
            ++port;
        }
        return port;
    }

    const Graph& m_graph;                              //!< the network
    std::vector<uint32_t> m_distance;                  //!< of each switch from the root
    uint32_t m_turn;                                   //!< the group's number
    std::map<uint32_t, std::set<uint32_t>> m_children; //!< by switch: what hangs on it
};

} // namespace

ReductionTree
ReductionTree::Build(const Graph& graph, const std::vector<uint32_t>& members, uint32_t turn)
{
    ReductionTree tree;
    std::map<uint32_t, uint32_t> leaves;
    for (const uint32_t member : members)
    {
        const uint32_t leaf = GetLeaf(graph, member);
        if (leaf == FAR)
        {
            return tree;
        }
        ++leaves[leaf];
    }
    const uint32_t root = ChooseRoot(graph, leaves, turn);
    if (root == FAR)
    {
        return tree;
    }
    TreeBuilder builder(graph, root, turn);
    std::map<uint32_t, uint16_t> memberAt; // by vertex
    for (std::size_t m = 0; m < members.size(); ++m)
    {
        memberAt[members[m]] = static_cast<uint16_t>(m);
        tree.memberDepths.push_back(builder.Add(GetLeaf(graph, members[m]), members[m]));
        tree.depth = std::max(tree.depth, tree.memberDepths.back());
    }
    tree.nodes.push_back(builder.MakeNode(root));
    for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    {
        const std::vector<Child> children = tree.nodes[n].children; // the nodes move
        for (const Child& child : children)
        {
            if (builder.Has(child.vertex))
            {
                tree.nodes.push_back(builder.MakeNode(child.vertex));
            }
        }
    }
    std::map<uint32_t, const Node*> below;
    for (std::size_t n = tree.nodes.size(); n-- > 0;)
    {
        Node& node = tree.nodes[n];
        node.childOf.assign(members.size(), NONE);
        for (std::size_t c = 0; c < node.children.size(); ++c)
        {
            Child& child = node.children[c];
            const auto at = memberAt.find(child.vertex);
            for (std::size_t m = 0; m < members.size(); ++m)
            {
                const bool isBelow = at != memberAt.end()
                                         ? at->second == m
                                         : below.at(child.vertex)->childOf[m] != NONE;
                if (isBelow)
                {
                    node.childOf[m] = static_cast<uint16_t>(c);
                    ++child.memberCount;
                }
            }
        }
        below[node.vertex] = &node;
    }
    return tree;
}

} // namespace ns3::llm
