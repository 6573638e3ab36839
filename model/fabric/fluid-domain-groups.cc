// SPDX-License-Identifier: GPL-2.0-only

// What the switch of a fluid HB domain does for groups of ports: it reduces and multicasts.

#include "fluid-domain.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <iterator>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FluidDomainGroups");

void
FluidDomain::SetGroupCallback(GroupCallback delivered)
{
    NS_LOG_FUNCTION(this);
    m_groupDelivered = delivered;
}

uint32_t
FluidDomain::AddGroup(const std::vector<uint32_t>& ports)
{
    NS_LOG_FUNCTION(this << ports.size());
    std::vector<uint32_t> sorted = ports;
    std::sort(sorted.begin(), sorted.end());
    const bool isTwice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    NS_ABORT_MSG_IF(sorted.empty() || isTwice || sorted.back() >= GetPortCount(),
                    "a group of a fluid domain has one or more of its " << GetPortCount()
                                                                        << " ports, each once");
    m_groups.push_back(std::move(sorted));
    return static_cast<uint32_t>(m_groups.size() - 1);
}

void
FluidDomain::Reduce(uint32_t group, const FluidTransfer& call)
{
    NS_LOG_FUNCTION(this << group << call.source << call.destination << call.bytes);
    m_inbox.push_back({m_clock->Request(FrameEventKind::FLUID_REQUEST, m_object), call, 0});
    m_inbox.back().transfer.group = group;
    m_inbox.back().transfer.isReduction = true;
}

void
FluidDomain::Multicast(uint32_t group, const FluidTransfer& call)
{
    NS_LOG_FUNCTION(this << group << call.source << call.bytes);
    m_inbox.push_back({m_clock->Request(FrameEventKind::FLUID_REQUEST, m_object), call, 0});
    m_inbox.back().transfer.group = group;
    m_inbox.back().transfer.isReduction = false;
    m_inbox.back().transfer.destination = FluidTransfer::ALL_PORTS;
}

bool
FluidDomain::Gather(FluidTransfer& transfer)
{
    // the group is part of the queue's identity; a queue of a group has no port at one end
    transfer.flow = transfer.group;
    if (transfer.isReduction)
    {
        const std::pair<uint32_t, uint64_t> key(transfer.group, transfer.handle);
        const auto calls = m_calls.try_emplace(key, 0).first;
        if (++calls->second < m_groups.at(transfer.group).size())
        {
            return false;
        }
        m_calls.erase(calls);
        transfer.source = FluidTransfer::ALL_PORTS;
    }
    ++m_unfinished;
    return true;
}

std::vector<uint32_t>
FluidDomain::GetGroupUses(const FluidTransfer& transfer) const
{
    std::vector<uint32_t> uses;
    for (const uint32_t port : m_groups.at(transfer.group))
    {
        if (transfer.source == FluidTransfer::ALL_PORTS || transfer.source == port)
        {
            uses.push_back(GetResource(port, false));
        }
        if (transfer.destination == FluidTransfer::ALL_PORTS || transfer.destination == port)
        {
            uses.push_back(GetResource(port, true));
        }
    }
    return uses;
}

std::vector<uint32_t>
FluidDomain::GetReceivers(const FluidTransfer& transfer) const
{
    if (transfer.destination != FluidTransfer::ALL_PORTS)
    {
        return {transfer.destination};
    }
    // what a port has multicast comes back to it, too, but that is no news
    std::vector<uint32_t> ports;
    std::copy_if(m_groups.at(transfer.group).begin(),
                 m_groups.at(transfer.group).end(),
                 std::back_inserter(ports),
                 [&transfer](uint32_t port) { return port != transfer.source; });
    return ports;
}

void
FluidDomain::DeliverToMember(const FluidTransfer& transfer, uint32_t port)
{
    m_groupDelivered(this, transfer, port);
}

double
FluidDomain::GetReductionEfficiency() const
{
    return m_groupEfficiency;
}

} // namespace ns3::llm
