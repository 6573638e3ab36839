// SPDX-License-Identifier: GPL-2.0-only

// Reduction groups of a network.

#include "fabric-network.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

void
FabricNetwork::AddReductionAttributes(TypeId tid)
{
    tid.AddAttribute("InSwitchReduction",
                     "Switches reduce and multicast for groups (as SHARP does): trees of them.",
                     BooleanValue(false),
                     MakeBooleanAccessor(&FabricNetwork::m_hasReduction),
                     MakeBooleanChecker())
        .AddAttribute("ReductionLatency",
                      "What a switch takes for a frame of a reduction group beyond storing it "
                      "(SHARP: 200 to 400 ns); counted at the receiver, for the whole way.",
                      TimeValue(NanoSeconds(300)),
                      MakeTimeAccessor(&FabricNetwork::m_reductionLatency),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("ReductionWindow",
                      "Payload that a member of a reduction group sends beyond what it has got "
                      "back, bytes: the credits that keep its frames from being lost.",
                      UintegerValue(1 << 20),
                      MakeUintegerAccessor(&FabricNetwork::m_reductionWindow),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("ReductionOutstanding",
                      "Reductions and multicasts of a group that a member has under way.",
                      UintegerValue(1),
                      MakeUintegerAccessor(&FabricNetwork::m_reductionOutstanding),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("ReductionEfficiency",
                      "Part of the line rate at which members of reduction groups send. 1 is what "
                      "the links allow.",
                      DoubleValue(1),
                      MakeDoubleAccessor(&FabricNetwork::m_reductionEfficiency),
                      MakeDoubleChecker<double>(0.01, 1.0))
        .AddAttribute("ReductionTokenSize",
                      "Wire bytes of a frame by which a member that does not send or receive the "
                      "payload of a call takes part in it.",
                      UintegerValue(86),
                      MakeUintegerAccessor(&FabricNetwork::m_reductionTokenBytes),
                      MakeUintegerChecker<uint32_t>(64, 1024));
}

FabricNetwork::ReductionSettings
FabricNetwork::GetReductionSettings() const
{
    ReductionSettings settings;
    settings.latency = m_reductionLatency;
    settings.windowBytes = m_reductionWindow;
    settings.outstanding = m_reductionOutstanding;
    settings.efficiency = m_reductionEfficiency;
    settings.tokenBytes = m_reductionTokenBytes;
    settings.destination = GetTerminalCount();
    return settings;
}

ReductionTree
FabricNetwork::FindReductionTree(const std::vector<uint32_t>& terminals, uint32_t turn) const
{
    std::vector<uint32_t> members;
    for (const uint32_t terminal : terminals)
    {
        members.push_back(m_terminals.at(terminal));
    }
    return ReductionTree::Build(MakeGraph(), members, turn);
}

uint32_t
FabricNetwork::AddReductionGroup(const ReductionTree& tree,
                                 uint32_t windowFrames,
                                 uint8_t trafficClass)
{
    NS_ABORT_MSG_IF(!m_hasReduction || tree.nodes.empty(),
                    "a reduction group needs switches that reduce, and a tree");
    if (m_groupCount + 1 == 1u << Frame::NUMBER_BITS)
    {
        RefuseInput("a network has at most 2^24 - 1 reduction groups");
    }
    SwitchReducer::Framing framing;
    framing.windowFrames = windowFrames;
    framing.tokenBytes = m_reductionTokenBytes;
    framing.destination = GetTerminalCount();
    framing.trafficClass = trafficClass;
    for (const ReductionTree::Node& node : tree.nodes)
    {
        m_vertices[node.vertex].fabricSwitch->GetReducer()->AddGroup(m_groupCount, node, framing);
        for (const ReductionTree::Child& child : node.children)
        {
            m_treePorts.insert({node.vertex, child.port});
        }
    }
    return m_groupCount++;
}

std::vector<Ptr<FabricPort>>
FabricNetwork::GetWayDown(const ReductionTree& tree, uint32_t member) const
{
    std::vector<Ptr<FabricPort>> ports;
    const ReductionTree::Node* node = &tree.nodes.front();
    while (node)
    {
        const ReductionTree::Child& child = node->children[node->childOf[member]];
        ports.push_back(m_vertices[node->vertex].ports[child.port]);
        const auto next = std::find_if(tree.nodes.begin(),
                                       tree.nodes.end(),
                                       [&child](const ReductionTree::Node& one)
                                       { return one.vertex == child.vertex; });
        node = next == tree.nodes.end() ? nullptr : &*next;
    }
    return ports;
}

void
FabricNetwork::CheckTrees(const Edge& edge)
{
    for (uint32_t end = 0; end < 2; ++end)
    {
        const uint32_t vertex = end == 0 ? edge.a : edge.b;
        const auto port = DynamicCast<FabricPort>(edge.link->GetDevice(end));
        if (m_treePorts.count({vertex, port->GetTransmitter().GetIndex()}) != 0)
        {
            m_faults.StopRun("the link between " + m_vertices[edge.a].name + " and " +
                             m_vertices[edge.b].name +
                             " has gone down, which the tree of a reduction group crosses: trees "
                             "are fixed, and what was lost there is not sent again; run the group "
                             "by another algorithm");
            return;
        }
    }
}

} // namespace ns3::llm
