// SPDX-License-Identifier: GPL-2.0-only

#include "fluid-network.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/fabric-link.h"
#include "ns3/input-error.h"
#include "ns3/log.h"

#include <string>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("LlmFluidNetwork");
NS_OBJECT_ENSURE_REGISTERED(FluidNetwork);

TypeId
FluidNetwork::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FluidNetwork")
                            .SetParent<Object>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FluidNetwork>();
    return tid;
}

void
FluidNetwork::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_rdma = nullptr;
    m_transport = nullptr;
    m_domain = nullptr;
    Object::DoDispose();
}

void
FluidNetwork::Setup(Ptr<FrameClock> clock,
                    Ptr<RdmaTransport> rdma,
                    const std::vector<uint32_t>& nodeIds)
{
    NS_LOG_FUNCTION(this << clock << rdma << nodeIds.size());
    NS_ABORT_MSG_IF(m_domain, "a fluid network is set up once");
    m_rdma = rdma;
    m_count = static_cast<uint32_t>(nodeIds.size());
    const RdmaConfig& config = rdma->GetConfig();
    const double wire = config.mtuBytes + config.dataOverheadBytes;
    m_domain = CreateObject<FluidDomain>();
    m_domain->SetAttribute("WireOverhead", DoubleValue(wire / config.mtuBytes));
    m_domain->Setup(clock, nodeIds);
    m_domain->SetPathFinder([this](const FluidTransfer& transfer) { return FindPath(transfer); });
    std::vector<uint32_t> accelerators;
    for (uint32_t accelerator = 0; accelerator < m_count; ++accelerator)
    {
        AddPort(accelerator);
        accelerators.push_back(accelerator);
    }
    const auto directions = rdma->GetNetwork()->GetDirections();
    for (const FabricNetwork::Direction& direction : directions)
    {
        if (direction.betweenSwitches)
        {
            const FrameTransmitter& transmitter = direction.port->GetTransmitter();
            const uint32_t link = m_domain->AddLink(transmitter.GetRate());
            m_places[transmitter.GetObject()] = {link, false, false};
        }
    }
    m_transport = CreateObject<FluidTransport>();
    m_transport->AddDomain(m_domain, accelerators);
}

void
FluidNetwork::AddPort(uint32_t accelerator)
{
    const auto port = m_rdma->GetNetwork()->GetTerminalPort(accelerator);
    const auto link = DynamicCast<FabricLink>(port->GetChannel());
    const Ptr<NetDevice> first = link->GetDevice(0);
    const auto peer = DynamicCast<FabricPort>(first == port ? link->GetDevice(1) : first);
    const FrameTransmitter& sending = port->GetTransmitter();
    const FrameTransmitter& receiving = peer->GetTransmitter();
    m_domain->SetPortRates(accelerator, sending.GetRate(), receiving.GetRate());
    m_places[sending.GetObject()] = {accelerator, true, false};
    m_places[receiving.GetObject()] = {accelerator, true, true};
}

FluidPath
FluidNetwork::FindPath(const FluidTransfer& transfer)
{
    const PathLeg leg = DescribeLeg(transfer.source, transfer.destination, transfer.flow);
    if (leg.links.empty())
    {
        RefuseInput("no path from accelerator " + std::to_string(transfer.source) +
                    " to accelerator " + std::to_string(transfer.destination) +
                    ": no link that is up leads there");
    }
    FluidPath path;
    path.delay = leg.fluidDelay;
    for (const PathLink& link : leg.links)
    {
        const Place& place = m_places.at(link.id);
        if (!place.isPort)
        {
            path.links.push_back(place.number);
        }
    }
    return path;
}

PathLeg
FluidNetwork::DescribeLeg(uint32_t source, uint32_t destination, uint32_t flow) const
{
    PathLeg leg = m_rdma->DescribeLeg(source, destination, flow);
    const double bits = 8.0 * (leg.mtu + leg.dataOverhead);
    double delayPs = 0;
    for (std::size_t i = 0; i < leg.links.size(); ++i)
    {
        PathLink& link = leg.links[i];
        // the first link sends the whole message; each further one has to have a frame as a whole
        const double storedPs = i == 0 ? 0 : bits * 1e12 / link.rate.GetBitRate();
        delayPs += link.delay.GetPicoSeconds() + storedPs;
        link.delay = Time(0);
    }
    leg.isFluid = true;
    leg.wireOverhead = m_domain->GetWireOverhead();
    leg.fluidDelay = PicoSeconds(static_cast<uint64_t>(delayPs));
    leg.ackLinks.clear();
    return leg;
}

uint64_t
FluidNetwork::GetCarriedBytes(uint64_t link, Time now) const
{
    const auto found = m_places.find(link);
    if (found == m_places.end())
    {
        return 0;
    }
    const Place& place = found->second;
    if (!place.isPort)
    {
        return m_domain->GetCarriedBytes(place.number, now);
    }
    const FluidPortUse use = m_domain->GetPortUse(place.number, now);
    return place.isReceiving ? use.receivedWireBytes : use.sentWireBytes;
}

Ptr<MessageTransport>
FluidNetwork::GetTransport() const
{
    return m_transport;
}

Ptr<FluidDomain>
FluidNetwork::GetDomain() const
{
    return m_domain;
}

} // namespace ns3::llm
