// SPDX-License-Identifier: GPL-2.0-only

// Reduction groups over the network's switches.

#include "rdma-transport.h"

#include "ns3/abort.h"
#include "ns3/input-error.h"
#include "ns3/reduction-frame.h"

#include <algorithm>
#include <set>

namespace ns3::llm
{

namespace
{

/** @param transmitter one way of a link @return it */
PathLink
DescribeLink(const FrameTransmitter& transmitter)
{
    return {transmitter.GetObject(),
            transmitter.GetRate(),
            PicoSeconds(transmitter.GetDelayTicks())};
}

/**
 * @param tree a tree
 * @param except no member but this one, unless all
 * @return the member farthest from the root
 */
uint32_t
FindFarthest(const ReductionTree& tree, uint32_t except)
{
    uint32_t farthest = except == 0 && tree.memberDepths.size() > 1 ? 1 : 0;
    for (uint32_t member = 0; member < tree.memberDepths.size(); ++member)
    {
        if (member != except && tree.memberDepths[member] > tree.memberDepths[farthest])
        {
            farthest = member;
        }
    }
    return farthest;
}

} // namespace

std::vector<uint32_t>
RdmaTransport::GetTerminals(const std::vector<uint32_t>& members) const
{
    std::vector<uint32_t> terminals;
    for (const uint32_t member : members)
    {
        terminals.push_back(GetTerminal(member));
    }
    return terminals;
}

InSwitchReduction
RdmaTransport::GetInSwitchReduction(const std::vector<uint32_t>& members) const
{
    const auto refuse = [](const std::string& reason)
    {
        return InSwitchReduction{InSwitchReduction::NONE, reason};
    };
    if (!m_network->HasReduction())
    {
        return refuse(
            "the switches of the network do not reduce (attribute "
            "ns3::llm::FabricNetwork::InSwitchReduction, which NetworkReduction of a topology "
            "sets)");
    }
    if (GetNicCount() != 1)
    {
        return refuse("each accelerator has " + std::to_string(GetNicCount()) +
                      " NICs, and a tree leads to one");
    }
    if (members.size() > ReductionFrame::MAX_MEMBERS)
    {
        return refuse("a tree has at most " + std::to_string(ReductionFrame::MAX_MEMBERS) +
                      " members");
    }
    const uint32_t least = 2 * ReductionFrame::TOKEN_FRAMES * m_config.mtuBytes;
    if (m_network->GetReductionSettings().windowBytes < least)
    {
        return refuse("ns3::llm::FabricNetwork::ReductionWindow is " +
                      std::to_string(m_network->GetReductionSettings().windowBytes) +
                      " bytes, which has to be " + std::to_string(least) + " or more");
    }
    if (m_network->FindReductionTree(GetTerminals(members), 0).nodes.empty())
    {
        return refuse("no switch reaches all members over links that are up");
    }
    return {InSwitchReduction::TREE, ""};
}

uint32_t
RdmaTransport::MakeGroup(uint32_t owner, const std::vector<uint32_t>& members)
{
    const InSwitchReduction can = GetInSwitchReduction(members);
    if (can.style == InSwitchReduction::NONE)
    {
        RefuseInput("switches cannot reduce for a group of " + std::to_string(members.size()) +
                    " accelerators, because " + can.reason);
    }
    const std::vector<uint32_t> terminals = GetTerminals(members);
    const ReductionTree tree = m_network->FindReductionTree(terminals, owner);
    const auto settings = m_network->GetReductionSettings();
    Group group;
    group.members = members;
    group.number = m_network->AddReductionGroup(tree,
                                                settings.windowBytes / m_config.mtuBytes,
                                                m_config.dataClass);
    for (uint32_t member = 0; member < members.size(); ++member)
    {
        group.memberOf[members[member]] = member;
        // up from the farthest member to the root, and down from there
        const uint32_t switches = tree.depth + tree.memberDepths[member] - 1;
        const uint64_t latency = settings.latency.GetPicoSeconds();
        m_reductions[terminals[member]]->Join({group.number, owner, switches * latency});
    }
    m_groups.push_back(std::move(group));
    return static_cast<uint32_t>(m_groups.size() - 1);
}

void
RdmaTransport::Reduce(uint32_t group, const Message& call)
{
    PostToGroup(group, true, call);
}

void
RdmaTransport::Multicast(uint32_t group, const Message& call)
{
    PostToGroup(group, false, call);
}

void
RdmaTransport::PostToGroup(uint32_t group, bool isReduction, const Message& call)
{
    const Group& members = m_groups.at(group);
    const auto find = [&members](uint32_t accelerator)
    {
        const auto at = members.memberOf.find(accelerator);
        NS_ABORT_MSG_IF(at == members.memberOf.end(),
                        "accelerator " << accelerator << " is no member of reduction group "
                                       << members.number);
        return at->second;
    };
    const uint32_t caller = isReduction ? call.source : call.destination;
    const bool isToAll = !isReduction || call.destination == EVERY_MEMBER;
    const uint32_t source = isReduction ? ReductionFrame::EVERY : find(call.source);
    const uint32_t destination = isToAll ? ReductionFrame::EVERY : find(call.destination);
    NicReductions::Call out;
    out.group = members.number;
    out.isSender = isReduction || call.source == caller;
    out.isGetter = isReduction ? isToAll || call.destination == caller : call.source != caller;
    out.ends = ReductionFrame::PackEnds(source, destination);
    out.bytes = call.bytes;
    out.result = call;
    out.result.source = isReduction ? EVERY_MEMBER : call.source;
    out.result.destination = caller;
    find(caller);
    m_reductions[GetTerminal(caller)]->Post(out);
}

GroupPath
RdmaTransport::DescribeGroup(const std::vector<uint32_t>& members,
                             uint32_t source,
                             uint32_t destination,
                             uint32_t owner) const
{
    const ReductionTree tree = m_network->FindReductionTree(GetTerminals(members), owner);
    const auto settings = m_network->GetReductionSettings();
    const auto find = [&members](uint32_t accelerator)
    {
        return static_cast<uint32_t>(std::find(members.begin(), members.end(), accelerator) -
                                     members.begin());
    };
    const uint32_t none = UINT32_MAX;
    const uint32_t from = source == EVERY_MEMBER ? FindFarthest(tree, none) : find(source);
    const uint32_t to = destination == EVERY_MEMBER
                            ? FindFarthest(tree, source == EVERY_MEMBER ? none : from)
                            : find(destination);
    GroupPath path;
    path.outstanding = settings.outstanding;
    path.leg.mtu = m_config.mtuBytes;
    path.leg.dataOverhead = m_config.dataOverheadBytes;
    path.leg.firstOverhead = 0;
    path.leg.ackSize = 0;
    auto up = m_network->GetWayDown(tree, from);
    std::reverse(up.begin(), up.end());
    for (const auto& port : up)
    {
        path.leg.links.push_back(DescribeLink(*port->GetTransmitter().GetPeer()));
    }
    for (const auto& port : m_network->GetWayDown(tree, to))
    {
        path.leg.links.push_back(DescribeLink(port->GetTransmitter()));
    }
    path.leg.links.back().delay += (path.leg.links.size() - 1) * settings.latency;
    DataRate& first = path.leg.links.front().rate;
    first = DataRate(
        static_cast<uint64_t>(static_cast<double>(first.GetBitRate()) * settings.efficiency));
    std::set<uint64_t> known;
    for (uint32_t member = 0; member < members.size(); ++member)
    {
        for (const auto& port : m_network->GetWayDown(tree, member))
        {
            const FrameTransmitter& down = port->GetTransmitter();
            const FrameTransmitter& back = *down.GetPeer();
            const bool isUp = source == EVERY_MEMBER || member == from;
            const bool isDown = destination == EVERY_MEMBER
                                    ? source == EVERY_MEMBER || member != from
                                    : member == to;
            if (isUp && known.insert(back.GetObject()).second)
            {
                path.links.push_back(DescribeLink(back));
            }
            if (isDown && known.insert(down.GetObject()).second)
            {
                path.links.push_back(DescribeLink(down));
            }
        }
    }
    return path;
}

} // namespace ns3::llm
