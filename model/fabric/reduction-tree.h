// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_REDUCTION_TREE_H
#define LLM_FABRIC_REDUCTION_TREE_H

#include "route-builder.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * A tree of switches over the terminals of a group, along which their frames are reduced and results
 * come back. It is fixed when the group is made.
 *
 * Its root is, of the switches that reach all members over links that are up, one with the shortest way
 * to the farthest member, and among these one with the shortest ways to all of them together. Where
 * several are equal, a number that the group has takes turns among them, so that the trees of many
 * groups are spread; and so it does among equal ways to the root. Nothing else enters.
 */
struct ReductionTree
{
    /** No parent, or no child. */
    static constexpr uint16_t NONE = UINT16_MAX;

    /** A link down to a switch or a member. */
    struct Child
    {
        uint16_t port = 0;        //!< of the switch above
        uint32_t vertex = 0;      //!< at the other end
        uint32_t memberCount = 0; //!< members that it leads to
    };

    /** A switch of the tree. */
    struct Node
    {
        uint32_t vertex = 0;           //!< which
        uint16_t parent = NONE;        //!< port that leads to the root; NONE at the root
        std::vector<Child> children;   //!< in the order of ports
        std::vector<uint16_t> childOf; //!< by member: the child that leads to it, or NONE
    };

    std::vector<Node> nodes;            //!< the root first, parents before children
    std::vector<uint32_t> memberDepths; //!< by member: links between it and the root
    uint32_t depth = 0;                 //!< the largest of these; 0: there is no tree

    /**
     * @param graph all switches and terminals
     * @param members vertices of the group's terminals
     * @param turn the group's number
     * @return the tree, without nodes if no switch reaches all members
     */
    static ReductionTree Build(const std::vector<RouteBuilder::Vertex>& graph,
                               const std::vector<uint32_t>& members,
                               uint32_t turn);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_REDUCTION_TREE_H
