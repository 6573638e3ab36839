// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-internet-helper.h"

#include "ns3/fabric-ipv4-routing.h"
#include "ns3/input-error.h"
#include "ns3/port-packet-queue.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-list-routing-helper.h"
#include "ns3/ipv4-list-routing.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/node.h"

#include <string>
#include <utility>

namespace ns3::llm
{

namespace
{

/** Ahead of static routes, as what is not the fabric's is left to those. */
constexpr int16_t ROUTING_PRIORITY = 10;

/** Refuse packets for which the headroom of a switch is not made. @param network a network */
void
CheckFrameSize(const FabricNetwork& network)
{
    const uint32_t mtu = network.GetTerminalPort(0)->GetMtu();
    const uint32_t largest = GetPacketWireBytes(mtu);
    for (uint32_t s = 0; s < network.GetSwitchCount(); ++s)
    {
        const uint32_t limit = network.GetSwitch(s)->GetMaxFrameBytes();
        if (largest > limit)
        {
            RefuseInput("ns3::llm::FabricPort::Mtu " + std::to_string(mtu) + ": its frames have " +
                        std::to_string(largest) +
                        " wire bytes, but the headroom of the switches is made for "
                        "ns3::llm::FabricSwitch::MaxFrameSize " +
                        std::to_string(limit) + "; Mtu " +
                        std::to_string(limit - PACKET_OVERHEAD_BYTES) + " would fit");
        }
    }
}

/** Have an interface for a port. @param ipv4 the stack @param port the port @param address its
 * @return the interface */
uint32_t
AddInterface(Ptr<Ipv4> ipv4, Ptr<NetDevice> port, Ipv4Address address)
{
    const uint32_t interface = ipv4->AddInterface(port);
    Ipv4InterfaceAddress own(address, Ipv4Mask::GetOnes());
    own.SetBroadcast(Ipv4Address::GetBroadcast()); // else it would be the address itself
    ipv4->AddAddress(interface, own);
    ipv4->SetUp(interface);
    return interface;
}

} // namespace

void
FabricInternetHelper::CarryPackets(Ptr<RdmaTransport> transport,
                                   const FabricAddresses& addresses,
                                   bool isDomain)
{
    const Ptr<FabricNetwork> network = transport->GetNetwork();
    CheckFrameSize(*network);
    for (uint32_t terminal = 0; terminal < network->GetTerminalCount(); ++terminal)
    {
        PacketSetup setup;
        setup.clock = network->GetClock();
        setup.pool = &network->GetPool();
        setup.terminal = terminal;
        setup.nicClass = transport->GetConfig().dataClass;
        setup.findTerminal = [addresses, terminal, isDomain](Ipv4Address address)
        {
            const uint32_t to = addresses.Find(address);
            if (to == FabricAddresses::NONE)
            {
                return PacketSetup::NO_TERMINAL;
            }
            return isDomain ? addresses.GetNextInDomain(terminal, to)
                            : addresses.GetNextOverNic(terminal, to);
        };
        network->GetTerminalPort(terminal)->CarryPackets(setup);
    }
}

std::pair<Ptr<Ipv4>, uint32_t>
FabricInternetHelper::InstallStack(const FabricAddresses& addresses,
                                   uint32_t accelerator,
                                   Ptr<NetDevice> nic,
                                   Ptr<NetDevice> domain)
{
    const Ptr<Node> node = nic->GetNode();
    if (!node->GetObject<Ipv4>())
    {
        Ipv4ListRoutingHelper list;
        list.Add(Ipv4StaticRoutingHelper(), 0);
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(list);
        stack.Install(node);
    }
    const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    const auto list = DynamicCast<Ipv4ListRouting>(ipv4->GetRoutingProtocol());
    if (!list)
    {
        RefuseInput("accelerator " + std::to_string(accelerator) +
                    " has an IP stack whose routing is no ns3::Ipv4ListRouting, so the fabric's "
                    "routes cannot be added");
    }
    const Ipv4Address address = FabricAddresses::GetAddress(accelerator);
    const uint32_t interface = AddInterface(ipv4, nic, address);
    if (domain)
    {
        AddInterface(ipv4, domain, address);
    }
    auto routing = CreateObject<FabricIpv4Routing>();
    routing->Setup(addresses, accelerator, nic, domain);
    list->AddRoutingProtocol(routing, ROUTING_PRIORITY);
    return {ipv4, interface};
}

Ipv4InterfaceContainer
FabricInternetHelper::Install(Ptr<Cluster> cluster)
{
    const Ptr<FabricNetwork> domains = cluster->GetDomainNetwork();
    const uint32_t count = cluster->GetAcceleratorCount();
    const bool joinsRails = !cluster->GetRelays();
    const FabricAddresses addresses(count,
                                    cluster->GetDomainSize(),
                                    joinsRails,
                                    static_cast<bool>(domains));
    CarryPackets(cluster->GetRdma(), addresses, false);
    if (domains)
    {
        CarryPackets(cluster->GetDomainRdma(), addresses, true);
    }
    Ipv4InterfaceContainer interfaces;
    for (uint32_t a = 0; a < count; ++a)
    {
        const Ptr<NetDevice> domain = domains ? domains->GetTerminalPort(a) : nullptr;
        interfaces.Add(
            InstallStack(addresses, a, cluster->GetNetwork()->GetTerminalPort(a), domain));
    }
    return interfaces;
}

Ipv4InterfaceContainer
FabricInternetHelper::Install(Ptr<RdmaTransport> transport)
{
    const Ptr<FabricNetwork> network = transport->GetNetwork();
    const FabricAddresses addresses(network->GetTerminalCount(), 1, true, false);
    CarryPackets(transport, addresses, false);
    Ipv4InterfaceContainer interfaces;
    for (uint32_t t = 0; t < network->GetTerminalCount(); ++t)
    {
        interfaces.Add(InstallStack(addresses, t, network->GetTerminalPort(t), nullptr));
    }
    return interfaces;
}

NetDeviceContainer
FabricInternetHelper::GetDevices(Ptr<FabricNetwork> network)
{
    NetDeviceContainer devices;
    for (uint32_t t = 0; t < network->GetTerminalCount(); ++t)
    {
        devices.Add(network->GetTerminalPort(t));
    }
    return devices;
}

} // namespace ns3::llm
