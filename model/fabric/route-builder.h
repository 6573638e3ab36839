// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ROUTE_BUILDER_H
#define LLM_FABRIC_ROUTE_BUILDER_H

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Finds all shortest paths of a network in which only switches forward.
 */
class RouteBuilder
{
  public:
    static constexpr uint32_t NO_NEIGHBOR = UINT32_MAX; //!< a port whose link is down

    /** A switch or a terminal. */
    struct Vertex
    {
        bool forwards = false;           //!< is a switch
        std::vector<uint32_t> neighbors; //!< by port: vertex at the other end, or NO_NEIGHBOR
    };

    /** The table of a switch. */
    struct Table
    {
        std::vector<std::vector<uint16_t>> groups; //!< distinct sets of ports
        std::vector<uint16_t> groupOf;             //!< by terminal: its group, or noRoute
    };

    /**
     * @param vertices the network
     * @param terminals vertex of each terminal
     * @param noRoute stands in a table for a terminal that cannot be reached
     * @return the table of each vertex (empty for terminals)
     */
    static std::vector<Table> Build(const std::vector<Vertex>& vertices,
                                    const std::vector<uint32_t>& terminals,
                                    uint16_t noRoute);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ROUTE_BUILDER_H
