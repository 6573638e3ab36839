// SPDX-License-Identifier: GPL-2.0-only

// What switches of a cluster do for groups.

#include "cluster.h"

#include "ns3/input-error.h"

#include <algorithm>

namespace ns3::llm
{

bool
Cluster::IsInDomain(const std::vector<uint32_t>& members) const
{
    return m_parts.scaleUp &&
           std::all_of(members.begin(),
                       members.end(),
                       [&](uint32_t member) { return GetDomain(member) == GetDomain(members[0]); });
}

InSwitchReduction
Cluster::GetInSwitchReduction(const std::vector<uint32_t>& members) const
{
    if (!IsInDomain(members))
    {
        return m_parts.rdma->GetInSwitchReduction(members);
    }
    if (m_parts.domainRdma)
    {
        return m_parts.domainRdma->GetInSwitchReduction(members);
    }
    if (!m_parts.domainsReduce)
    {
        return {InSwitchReduction::NONE,
                "the switches of the HB domains do not reduce (attribute DomainReduction of the "
                "topology)"};
    }
    return {InSwitchReduction::MEMBERS, ""};
}

GroupPath
Cluster::GetGroupPath(const std::vector<uint32_t>& members,
                      uint32_t source,
                      uint32_t destination,
                      uint32_t owner) const
{
    const InSwitchReduction can = GetInSwitchReduction(members);
    if (can.style == InSwitchReduction::NONE)
    {
        RefuseInput("there is no way of a reduction in switches, because " + can.reason);
    }
    if (can.style == InSwitchReduction::TREE)
    {
        const auto& rdma = IsInDomain(members) ? m_parts.domainRdma : m_parts.rdma;
        return rdma->DescribeGroup(members, source, destination, owner);
    }
    const FluidDomain& domain = *m_parts.fluidDomains[GetDomain(members[0])];
    GroupPath path;
    for (const uint32_t member : members)
    {
        // a leg to itself is that of its port, both ways
        const PathLeg own = MakeFluidLeg(member, member);
        if (source == EVERY_MEMBER || source == member)
        {
            path.links.push_back(own.links.front());
        }
        if (destination == EVERY_MEMBER || destination == member)
        {
            path.links.push_back(own.links.back());
        }
        path.leg.fluidDelay = own.fluidDelay;
        path.leg.wireOverhead = own.wireOverhead / domain.GetReductionEfficiency();
    }
    path.leg.isFluid = true;
    path.leg.links = path.links;
    return path;
}

} // namespace ns3::llm
