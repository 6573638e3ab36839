// SPDX-License-Identifier: GPL-2.0-only

#include "cluster.h"

#include "ns3/input-error.h"
#include "ns3/node.h"
#include "ns3/tiered-transport.h"

#include <map>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Cluster);

namespace
{

/** Ids of fluid links lie above those of all transmitters. */
constexpr uint64_t FLUID_LINKS = 1ull << 40;

/**
 * @param network a network, or null
 * @param add gets the counters of each port
 */
template <typename F>
void
ForEachPort(Ptr<FabricNetwork> network, F add)
{
    if (network)
    {
        for (const auto& direction : network->GetDirections())
        {
            add(direction);
        }
    }
}

} // namespace

TypeId
Cluster::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::Cluster")
                            .SetParent<Locality>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<Cluster>();
    return tid;
}

void
Cluster::DoDispose()
{
    m_transport = nullptr;
    m_relays = nullptr;
    m_parts = Parts();
    Locality::DoDispose();
}

void
Cluster::Setup(const Parts& parts)
{
    m_parts = parts;
    if (!m_parts.scaleOut)
    {
        m_parts.scaleOut = parts.rdma;
    }
    auto tiered = CreateObject<TieredTransport>();
    tiered->Setup(this, parts.scaleUp, m_parts.scaleOut);
    m_transport = tiered;
    if (!parts.joinsRails && parts.domainSize > 1)
    {
        m_relays = CreateObject<RelayTransport>();
        m_relays->Setup(this, tiered);
        m_transport = m_relays;
    }
}

std::string
Cluster::GetName() const
{
    return m_parts.name;
}

Ptr<MessageTransport>
Cluster::GetTransport() const
{
    return m_transport;
}

NodeContainer
Cluster::GetNodes() const
{
    return m_parts.nodes;
}

Ptr<FabricNetwork>
Cluster::GetNetwork() const
{
    return m_parts.network;
}

Ptr<FabricNetwork>
Cluster::GetDomainNetwork() const
{
    return m_parts.domainNetwork;
}

const std::vector<Ptr<FluidDomain>>&
Cluster::GetFluidDomains() const
{
    return m_parts.fluidDomains;
}

Ptr<RdmaTransport>
Cluster::GetRdma() const
{
    return m_parts.rdma;
}

Ptr<RdmaTransport>
Cluster::GetDomainRdma() const
{
    return m_parts.domainRdma;
}

Ptr<TcpTransport>
Cluster::GetTcp() const
{
    return m_parts.tcp;
}

Ptr<FluidNetwork>
Cluster::GetFluidNetwork() const
{
    return m_parts.fluidNetwork;
}

Ptr<RelayTransport>
Cluster::GetRelays() const
{
    return m_relays;
}

uint32_t
Cluster::GetDomainSize() const
{
    return m_parts.domainSize;
}

Ptr<FrameClock>
Cluster::GetClock() const
{
    return m_parts.clock;
}

uint32_t
Cluster::GetAcceleratorCount() const
{
    return m_parts.nodes.GetN();
}

uint32_t
Cluster::GetDomain(uint32_t accelerator) const
{
    return accelerator / m_parts.domainSize;
}

uint32_t
Cluster::GetRail(uint32_t accelerator) const
{
    return accelerator % m_parts.domainSize;
}

uint32_t
Cluster::GetNodeId(uint32_t accelerator) const
{
    return m_parts.nodes.Get(accelerator)->GetId();
}

PathLeg
Cluster::MakeFluidLeg(uint32_t source, uint32_t destination) const
{
    const FluidDomain& domain = *m_parts.fluidDomains[GetDomain(source)];
    PathLeg leg;
    leg.isFluid = true;
    leg.wireOverhead = domain.GetWireOverhead();
    leg.fluidDelay = domain.GetDelay();
    leg.links.push_back(
        {FLUID_LINKS + 2ull * source, domain.GetSendingRate(GetRail(source)), Time(0)});
    leg.links.push_back({FLUID_LINKS + 2ull * destination + 1,
                         domain.GetReceivingRate(GetRail(destination)),
                         Time(0)});
    return leg;
}

PathLeg
Cluster::MakeScaleOutLeg(uint32_t source, uint32_t destination, uint32_t flow) const
{
    if (m_parts.tcp)
    {
        return m_parts.tcp->DescribeLeg(source, destination, flow);
    }
    if (m_parts.fluidNetwork)
    {
        return m_parts.fluidNetwork->DescribeLeg(source, destination, flow);
    }
    return m_parts.rdma->DescribeLeg(source, destination, flow);
}

PathLeg
Cluster::MakeLeg(uint32_t source, uint32_t destination, uint32_t flow) const
{
    PathLeg leg;
    if (GetDomain(source) != GetDomain(destination))
    {
        leg = MakeScaleOutLeg(source, destination, flow);
    }
    else if (m_parts.domainRdma)
    {
        leg = m_parts.domainRdma->DescribeLeg(source, destination, flow);
    }
    else
    {
        leg = MakeFluidLeg(source, destination);
    }
    if (leg.links.empty())
    {
        RefuseInput("no path from accelerator " + std::to_string(source) + " to accelerator " +
                    std::to_string(destination) + ": no link that is up leads there in the " +
                    m_parts.name + " network");
    }
    return leg;
}

Path
Cluster::GetPath(uint32_t source, uint32_t destination, uint32_t, uint32_t flow) const
{
    Path path;
    const uint32_t relay =
        m_relays ? m_relays->GetRelayMap().GetRelay(source, destination) : RelayMap::DIRECT;
    if (relay == RelayMap::DIRECT)
    {
        path.legs.push_back(MakeLeg(source, destination, flow));
        return path;
    }
    path.legs.push_back(MakeLeg(source, relay, 2 * flow));
    path.legs.push_back(MakeLeg(relay, destination, 2 * flow));
    path.relays.push_back(relay);
    return path;
}

std::vector<LinkUse>
Cluster::GetLinkUses(Time duration) const
{
    std::vector<LinkUse> uses;
    const double seconds = duration.GetSeconds();
    auto add = [&](const std::string& name, uint64_t bytes, DataRate rate)
    {
        LinkUse use;
        use.name = name;
        use.bytes = bytes;
        use.rate = rate;
        const double capacity = seconds * static_cast<double>(rate.GetBitRate()) / 8;
        use.busyShare = capacity > 0 ? static_cast<double>(bytes) / capacity : 0;
        uses.push_back(use);
    };
    auto addPort = [&](const FabricNetwork::Direction& direction)
    {
        const FrameTransmitter& transmitter = direction.port->GetTransmitter();
        add(direction.name, transmitter.GetCounters().wireBytes, transmitter.GetRate());
    };
    auto addFluid = [&](const FabricNetwork::Direction& direction)
    {
        const FrameTransmitter& transmitter = direction.port->GetTransmitter();
        add(direction.name,
            m_parts.fluidNetwork->GetCarriedBytes(transmitter.GetObject(), duration),
            transmitter.GetRate());
    };
    if (m_parts.fluidNetwork)
    {
        ForEachPort(m_parts.network, addFluid);
    }
    else
    {
        ForEachPort(m_parts.network, addPort);
    }
    ForEachPort(m_parts.domainNetwork, addPort);
    for (uint32_t a = 0; a < GetAcceleratorCount() && !m_parts.fluidDomains.empty(); ++a)
    {
        const FluidDomain& domain = *m_parts.fluidDomains[GetDomain(a)];
        const FluidPortUse use = domain.GetPortUse(GetRail(a), duration);
        const std::string name = "accelerator " + std::to_string(a);
        const std::string to = "HB domain " + std::to_string(GetDomain(a));
        add(name + " -> " + to, use.sentWireBytes, domain.GetSendingRate(GetRail(a)));
        add(to + " -> " + name, use.receivedWireBytes, domain.GetReceivingRate(GetRail(a)));
    }
    return uses;
}

std::vector<NamedCounter>
Cluster::GetCounters() const
{
    PortCounters ports;
    auto addPort = [&ports](const FabricNetwork::Direction& direction)
    {
        const PortCounters& one = direction.port->GetTransmitter().GetCounters();
        ports.marks += one.marks;
        ports.pausesReceived += one.pausesReceived;
        ports.drops += one.drops;
        ports.lost += one.lost;
        ports.corrupted += one.corrupted;
    };
    NicCounters nics = m_parts.rdma->GetCounters();
    ForEachPort(m_parts.network, addPort);
    ForEachPort(m_parts.domainNetwork, addPort);
    if (m_parts.domainRdma)
    {
        nics.Add(m_parts.domainRdma->GetCounters());
    }
    std::vector<NamedCounter> counters = {{"data frames", nics.dataFrames},
                                          {"ECN marks", ports.marks},
                                          {"congestion notifications", nics.cnpsReceived},
                                          {"pauses", ports.pausesReceived},
                                          {"drops", ports.drops},
                                          {"frames lost on links that were down", ports.lost},
                                          {"frames corrupted on links", ports.corrupted},
                                          {"retransmissions", nics.retransmissions},
                                          {"timeouts", nics.timeouts}};
    if (m_parts.tcp)
    {
        const TcpCounters& tcp = m_parts.tcp->GetCounters();
        counters.push_back({"TCP connections", tcp.connections});
        counters.push_back({"TCP messages", tcp.messages});
        counters.push_back({"TCP stream bytes", tcp.streamBytes});
        counters.push_back({"drops in stacks of senders", tcp.stackDrops});
    }
    return counters;
}

uint64_t
Cluster::GetHops() const
{
    uint64_t hops = 0;
    auto addPort = [&hops](const FabricNetwork::Direction& direction)
    {
        hops += direction.port->GetTransmitter().GetCounters().frames;
    };
    ForEachPort(m_parts.network, addPort);
    ForEachPort(m_parts.domainNetwork, addPort);
    return hops;
}

std::vector<std::string>
Cluster::GetFaults() const
{
    std::vector<std::string> faults = m_parts.rdma->GetFailures();
    if (m_parts.domainRdma)
    {
        const auto& more = m_parts.domainRdma->GetFailures();
        faults.insert(faults.end(), more.begin(), more.end());
    }
    if (m_parts.tcp)
    {
        const auto& more = m_parts.tcp->GetFailures();
        faults.insert(faults.end(), more.begin(), more.end());
    }
    for (const auto& network : {m_parts.network, m_parts.domainNetwork})
    {
        if (network)
        {
            // what ended the run comes first
            const auto& more = network->GetFaults();
            faults.insert(faults.begin(), more.begin(), more.end());
        }
    }
    return faults;
}

void
Cluster::SetObserver(FrameTransmitter::Observer* observer)
{
    m_parts.network->SetObserver(observer);
    if (m_parts.domainNetwork)
    {
        m_parts.domainNetwork->SetObserver(observer);
    }
}

} // namespace ns3::llm
