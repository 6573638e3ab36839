// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-addresses.h"

#include "frame-to-roce.h"

namespace ns3::llm
{

FabricAddresses::FabricAddresses(uint32_t count,
                                 uint32_t domainSize,
                                 bool joinsRails,
                                 bool hasDevices)
    : m_count(count),
      m_domainSize(domainSize),
      m_joinsRails(joinsRails),
      m_hasDevices(hasDevices)
{
}

Ipv4Address
FabricAddresses::GetAddress(uint32_t accelerator)
{
    return GetTerminalAddress(accelerator);
}

uint32_t
FabricAddresses::Find(Ipv4Address address) const
{
    const uint32_t accelerator = address.Get() - GetTerminalAddress(0).Get();
    return accelerator < m_count ? accelerator : NONE;
}

FabricAddresses::Way
FabricAddresses::GetWay(uint32_t from, uint32_t to) const
{
    const bool isSameDomain = from / m_domainSize == to / m_domainSize;
    if (m_hasDevices && isSameDomain && from != to)
    {
        return Way::IN_HB_DOMAIN;
    }
    if (m_joinsRails || from % m_domainSize == to % m_domainSize)
    {
        return Way::OVER_NIC;
    }
    return m_hasDevices ? Way::IN_HB_DOMAIN : Way::NOWHERE;
}

uint32_t
FabricAddresses::GetNextOverNic(uint32_t from, uint32_t to) const
{
    const bool isReached = m_joinsRails || from % m_domainSize == to % m_domainSize;
    return from != to && isReached ? to : NONE;
}

uint32_t
FabricAddresses::GetNextInDomain(uint32_t from, uint32_t to) const
{
    const uint32_t next = from / m_domainSize * m_domainSize + to % m_domainSize;
    return next == from ? NONE : next;
}

} // namespace ns3::llm
