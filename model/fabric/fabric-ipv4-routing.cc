// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-ipv4-routing.h"

#include "ns3/node.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/packet.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricIpv4Routing);

TypeId
FabricIpv4Routing::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FabricIpv4Routing")
                            .SetParent<Ipv4RoutingProtocol>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FabricIpv4Routing>();
    return tid;
}

void
FabricIpv4Routing::DoDispose()
{
    m_nic = nullptr;
    m_domain = nullptr;
    m_ipv4 = nullptr;
    Ipv4RoutingProtocol::DoDispose();
}

void
FabricIpv4Routing::Setup(const FabricAddresses& addresses,
                         uint32_t accelerator,
                         Ptr<NetDevice> nic,
                         Ptr<NetDevice> domain)
{
    m_addresses = addresses;
    m_accelerator = accelerator;
    m_nic = nic;
    m_domain = domain;
}

Ptr<Ipv4Route>
FabricIpv4Routing::FindRoute(Ipv4Address destination) const
{
    const uint32_t to = m_addresses.Find(destination);
    if (to == FabricAddresses::NONE)
    {
        return nullptr;
    }
    const FabricAddresses::Way way = m_addresses.GetWay(m_accelerator, to);
    if (way == FabricAddresses::Way::NOWHERE)
    {
        return nullptr;
    }
    auto route = Create<Ipv4Route>();
    route->SetDestination(destination);
    route->SetSource(FabricAddresses::GetAddress(m_accelerator));
    route->SetGateway(Ipv4Address::GetAny()); // the device finds the next by itself
    route->SetOutputDevice(way == FabricAddresses::Way::OVER_NIC ? m_nic : m_domain);
    return route;
}

Ptr<Ipv4Route>
FabricIpv4Routing::RouteOutput(Ptr<Packet>,
                               const Ipv4Header& header,
                               Ptr<NetDevice> oif,
                               Socket::SocketErrno& sockerr)
{
    const Ptr<Ipv4Route> route = FindRoute(header.GetDestination());
    if (!route || (oif && oif != route->GetOutputDevice()))
    {
        sockerr = Socket::ERROR_NOROUTETOHOST;
        return nullptr;
    }
    sockerr = Socket::ERROR_NOTERROR;
    return route;
}

bool
FabricIpv4Routing::RouteInput(Ptr<const Packet> p,
                              const Ipv4Header& header,
                              Ptr<const NetDevice> idev,
                              Types::Unicast ucb,
                              Types::Multicast,
                              Types::Local lcb,
                              Types::Error ecb)
{
    const int32_t interface = m_ipv4->GetInterfaceForDevice(idev);
    const auto input = static_cast<uint32_t>(interface);
    if (m_ipv4->IsDestinationAddress(header.GetDestination(), input))
    {
        if (lcb.IsNull())
        {
            return false; // another protocol of the list has delivered it
        }
        lcb(p, header, input);
        return true;
    }
    const Ptr<Ipv4Route> route = FindRoute(header.GetDestination());
    if (!route)
    {
        return false; // perhaps another protocol of the list knows the way
    }
    if (!m_ipv4->IsForwarding(input))
    {
        ecb(p, header, Socket::ERROR_NOROUTETOHOST);
        return true;
    }
    ucb(route, p, header);
    return true;
}

void
FabricIpv4Routing::NotifyInterfaceUp(uint32_t)
{
}

void
FabricIpv4Routing::NotifyInterfaceDown(uint32_t)
{
}

void
FabricIpv4Routing::NotifyAddAddress(uint32_t, Ipv4InterfaceAddress)
{
}

void
FabricIpv4Routing::NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress)
{
}

void
FabricIpv4Routing::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_ipv4 = ipv4;
}

void
FabricIpv4Routing::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit) const
{
    *stream->GetStream() << "Node " << m_ipv4->GetObject<Node>()->GetId() << ", accelerator "
                         << m_accelerator << ": " << (m_domain ? "HB domain over its device, " : "")
                         << "other accelerators over the NIC\n";
}

} // namespace ns3::llm
