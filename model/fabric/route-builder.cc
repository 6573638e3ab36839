// SPDX-License-Identifier: GPL-2.0-only

#include "route-builder.h"

#include <algorithm>
#include <map>

namespace ns3::llm
{

namespace
{

constexpr uint32_t FAR = UINT32_MAX; //!< not reached

/**
 * Hops from every switch to a root, over switches only.
 * @param vertices the network
 * @param root a switch
 * @return by vertex, or FAR
 */
std::vector<uint32_t>
Distances(const std::vector<RouteBuilder::Vertex>& vertices, uint32_t root)
{
    std::vector<uint32_t> distance(vertices.size(), FAR);
    std::vector<uint32_t> queue{root};
    distance[root] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
    {
        const uint32_t v = queue[head];
        for (const uint32_t next : vertices[v].neighbors)
        {
            if (next != RouteBuilder::NO_NEIGHBOR && vertices[next].forwards &&
                distance[next] == FAR)
            {
                distance[next] = distance[v] + 1;
                queue.push_back(next);
            }
        }
    }
    return distance;
}

/** Numbers the distinct port sets of a switch. */
class GroupNumbers
{
  public:
    /**
     * @param ports a set of ports
     * @param table gets the set if it is new
     * @return its number
     */
    uint16_t Get(const std::vector<uint16_t>& ports, RouteBuilder::Table& table)
    {
        const auto [it, isNew] =
            m_numbers.emplace(ports, static_cast<uint16_t>(table.groups.size()));
        if (isNew)
        {
            table.groups.push_back(ports);
        }
        return it->second;
    }

  private:
    std::map<std::vector<uint16_t>, uint16_t> m_numbers; //!< by ports
};

/**
 * @param vertex a switch
 * @param wanted which neighbors count
 * @return ports to those neighbors
 */
template <typename F>
std::vector<uint16_t>
PortsTo(const RouteBuilder::Vertex& vertex, F wanted)
{
    std::vector<uint16_t> ports;
    for (std::size_t p = 0; p < vertex.neighbors.size(); ++p)
    {
        if (vertex.neighbors[p] != RouteBuilder::NO_NEIGHBOR && wanted(vertex.neighbors[p]))
        {
            ports.push_back(static_cast<uint16_t>(p));
        }
    }
    return ports;
}

} // namespace

std::vector<RouteBuilder::Table>
RouteBuilder::Build(const std::vector<Vertex>& vertices,
                    const std::vector<uint32_t>& terminals,
                    uint16_t noRoute)
{
    std::vector<Table> tables(vertices.size());
    std::vector<GroupNumbers> numbers(vertices.size());
    std::map<uint32_t, std::vector<uint32_t>> terminalsAt; // by the switch that they hang on
    for (uint32_t t = 0; t < terminals.size(); ++t)
    {
        for (const uint32_t at : vertices[terminals[t]].neighbors)
        {
            if (at != NO_NEIGHBOR && vertices[at].forwards)
            {
                terminalsAt[at].push_back(t);
            }
        }
    }
    for (std::size_t v = 0; v < vertices.size(); ++v)
    {
        if (vertices[v].forwards)
        {
            tables[v].groupOf.assign(terminals.size(), noRoute);
        }
    }
    for (const auto& [root, hanging] : terminalsAt)
    {
        const std::vector<uint32_t> distance = Distances(vertices, root);
        for (uint32_t v = 0; v < vertices.size(); ++v)
        {
            if (!vertices[v].forwards || distance[v] == FAR)
            {
                continue;
            }
            uint16_t group = noRoute;
            if (v != root)
            {
                group = numbers[v].Get(PortsTo(vertices[v],
                                               [&](uint32_t next) {
                                                   return vertices[next].forwards &&
                                                          distance[next] + 1 == distance[v];
                                               }),
                                       tables[v]);
            }
            for (const uint32_t t : hanging)
            {
                tables[v].groupOf[t] =
                    v != root ? group
                              : numbers[v].Get(PortsTo(vertices[v],
                                                       [&](uint32_t next)
                                                       { return next == terminals[t]; }),
                                               tables[v]);
            }
        }
    }
    return tables;
}

} // namespace ns3::llm
