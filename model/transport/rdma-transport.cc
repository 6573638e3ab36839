// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-transport.h"

#include "ns3/identity-hash.h"
#include "ns3/input-error.h"
#include "ns3/make-event.h"

#include <algorithm>
#include <sstream>

namespace ns3::llm
{

void
RdmaTransport::DoDispose()
{
    m_config.oracle = nullptr;
    m_oracle.reset();
    m_nics.clear();
    m_reductions.clear();
    m_network = nullptr;
    m_control = nullptr;
    m_recovery = nullptr;
    m_entropy = nullptr;
    MessageTransport::DoDispose();
}

void
RdmaTransport::Install(Ptr<FabricNetwork> network, const std::vector<uint32_t>& accelerators)
{
    MakeConfig();
    m_network = network;
    m_accelerators = accelerators;
    if (m_config.hasTelemetry)
    {
        network->GetPool().MakeRoomForTelemetry();
    }
    for (uint32_t terminal = 0; terminal < accelerators.size(); ++terminal)
    {
        std::vector<uint32_t>& own = m_terminals[accelerators[terminal]];
        m_nicNumbers.push_back(static_cast<uint32_t>(own.size()));
        own.push_back(terminal);
        m_nics.push_back(std::make_unique<RdmaNic>(this,
                                                   PeekPointer(network),
                                                   terminal,
                                                   accelerators[terminal],
                                                   network->GetTerminalNodeId(terminal),
                                                   m_config));
        network->SetTerminalOwner(terminal, m_nics.back().get());
        if (network->HasReduction())
        {
            m_reductions.push_back(
                std::make_unique<NicReductions>(this,
                                                PeekPointer(network),
                                                terminal,
                                                network->GetTerminalNodeId(terminal),
                                                m_config));
            m_nics.back()->SetReductions(m_reductions.back().get());
        }
    }
    JoinNics();
}

void
RdmaTransport::JoinNics()
{
    const std::size_t count = m_terminals.empty() ? 0 : m_terminals.begin()->second.size();
    for (const auto& [accelerator, terminals] : m_terminals)
    {
        if (terminals.size() != count)
        {
            RefuseInput("accelerator " + std::to_string(accelerator) + " has " +
                        std::to_string(terminals.size()) + " NICs, accelerator " +
                        std::to_string(m_terminals.begin()->first) + " has " +
                        std::to_string(count) +
                        ": all must have as many, as NIC i of one sends to NIC i of another");
        }
        if (count > 1)
        {
            std::vector<RdmaNic*> nics;
            for (const uint32_t terminal : terminals)
            {
                nics.push_back(m_nics[terminal].get());
            }
            m_nics[terminals[0]]->SetSelector(
                std::make_unique<NicSelector>(m_config.nicSpread, nics));
        }
    }
}

void
RdmaTransport::Start()
{
    const uint32_t largest =
        std::max({m_config.mtuBytes + m_config.dataOverheadBytes + m_config.firstOverheadBytes,
                  m_config.ackBytes,
                  m_config.cnpBytes});
    for (uint32_t s = 0; s < m_network->GetSwitchCount(); ++s)
    {
        const uint32_t limit = m_network->GetSwitch(s)->GetMaxFrameBytes();
        if (largest > limit)
        {
            RefuseInput("the largest frame has " + std::to_string(largest) +
                        " wire bytes (Mtu, DataOverhead and FirstOverhead, or AckSize or CnpSize), "
                        "but the headroom of the switches is made for MaxFrameSize " +
                        std::to_string(limit) +
                        "; set ns3::llm::FabricSwitch::MaxFrameSize to the former");
        }
    }
    if (m_control->NeedsShares())
    {
        m_oracle = std::make_unique<RdmaShareOracle>(m_network, m_nics, m_config);
        m_config.oracle = m_oracle.get();
    }
    for (const auto& nic : m_nics)
    {
        nic->Start();
    }
    for (const auto& reductions : m_reductions)
    {
        reductions->Start();
    }
}

uint32_t
RdmaTransport::GetTerminal(uint32_t accelerator, std::size_t nic) const
{
    const auto it = m_terminals.find(accelerator);
    if (it == m_terminals.end())
    {
        RefuseInput("accelerator " + std::to_string(accelerator) + " has no NIC on this network");
    }
    return it->second.at(nic);
}

uint32_t
RdmaTransport::GetNicCount() const
{
    return m_terminals.empty() ? 0 : static_cast<uint32_t>(m_terminals.begin()->second.size());
}

void
RdmaTransport::Send(const Message& message)
{
    if (message.source == message.destination)
    {
        RefuseInput("message from accelerator " + std::to_string(message.source) + " to itself");
    }
    if (message.priority >= MESSAGE_PRIORITIES)
    {
        RefuseInput("message from accelerator " + std::to_string(message.source) +
                    " with priority " + std::to_string(message.priority) +
                    ": priorities are 0 to " + std::to_string(MESSAGE_PRIORITIES - 1));
    }
    m_messageSentTrace(message);
    m_nics[GetTerminal(message.source)]->Post(message, GetTerminal(message.destination));
}

uint64_t
RdmaTransport::GetIdentity(uint32_t source, uint32_t destination, uint32_t flow) const
{
    const uint64_t from = m_network->GetTerminalPlace(source);
    const uint64_t to = m_network->GetTerminalPlace(destination);
    return MixHash(MixHash(from, to), flow);
}

uint32_t
RdmaTransport::GetEntropy(uint64_t identity)
{
    return static_cast<uint32_t>(identity >> 32);
}

PathLeg
RdmaTransport::DescribeLeg(uint32_t source, uint32_t destination, uint32_t flow) const
{
    const uint32_t nics = GetNicCount();
    const bool isFixed = m_config.nicSpread == MessageSpread::AFFINITY;
    const uint32_t nic = isFixed ? flow % nics : 0;
    PathLeg leg = DescribeWay(GetTerminal(source, nic), GetTerminal(destination, nic), flow);
    leg.parallel = isFixed ? 1 : nics;
    return leg;
}

PathLeg
RdmaTransport::DescribeWay(uint32_t from, uint32_t to, uint32_t flow) const
{
    const uint32_t entropy = GetEntropy(GetIdentity(from, to, flow));
    PathLeg leg;
    leg.mtu = m_config.mtuBytes;
    leg.dataOverhead = m_config.dataOverheadBytes;
    leg.firstOverhead = m_config.firstOverheadBytes;
    leg.framesPerWrite = m_config.framesPerWrite;
    leg.ackSize = m_config.ackBytes;
    leg.framesPerAck = m_config.framesPerAck;
    auto describe = [](const std::vector<Ptr<FabricPort>>& ports, std::vector<PathLink>& links)
    {
        for (const auto& port : ports)
        {
            const FrameTransmitter& transmitter = port->GetTransmitter();
            links.push_back({transmitter.GetObject(),
                             transmitter.GetRate(),
                             PicoSeconds(transmitter.GetDelayTicks())});
        }
    };
    describe(m_network->GetPath(from, to, entropy), leg.links);
    describe(m_network->GetPath(to, from, RdmaReceiver::AnswerEntropy(entropy)), leg.ackLinks);
    return leg;
}

QueuePairInfo
RdmaTransport::MakeInfo(uint32_t source, uint32_t destination, uint32_t flow) const
{
    const PathLeg leg = DescribeWay(source, destination, flow);
    QueuePairInfo info;
    const auto port = m_network->GetTerminalPort(source);
    info.lineRateBps = static_cast<double>(port->GetTransmitter().GetRate().GetBitRate());
    info.mtuBytes = m_config.mtuBytes;
    info.frameOverheadBytes = m_config.dataOverheadBytes;
    double ticks = 0;
    auto add = [&ticks](const std::vector<PathLink>& links, uint32_t bytes)
    {
        for (const PathLink& link : links)
        {
            ticks += static_cast<double>(link.delay.GetPicoSeconds()) +
                     8e12 * bytes / static_cast<double>(link.rate.GetBitRate());
        }
    };
    add(leg.links, leg.mtu + leg.dataOverhead);
    add(leg.ackLinks, leg.ackSize);
    info.baseRttTicks = static_cast<uint64_t>(ticks);
    info.forwardHops = leg.links.empty() ? 0 : static_cast<uint32_t>(leg.links.size() - 1);
    return info;
}

void
RdmaTransport::CallOutDelivered(uint32_t nodeId, const Message& message)
{
    m_network->GetClock()->CallOut(nodeId, MakeEvent(&RdmaTransport::Deliver, this, message));
}

void
RdmaTransport::CallOutAcknowledged(uint32_t nodeId, const Message& message)
{
    m_network->GetClock()->CallOut(nodeId, MakeEvent(&RdmaTransport::Acknowledge, this, message));
}

void
RdmaTransport::Deliver(const Message& message)
{
    m_messageDeliveredTrace(message);
    NotifyDelivered(message);
}

void
RdmaTransport::Acknowledge(const Message& message)
{
    m_messageAcknowledgedTrace(message);
    NotifyAcknowledged(message);
}

void
RdmaTransport::ReportFailure(uint32_t source, uint32_t destination, uint32_t timeouts)
{
    std::ostringstream text;
    text << "queue pair from accelerator " << source << " to accelerator " << destination
         << " gave up after " << timeouts << " retransmission timeouts of "
         << m_timeout.As(Time::US) << " and more";
    m_failures.push_back(text.str());
}

bool
RdmaTransport::Serves(uint32_t accelerator) const
{
    return m_terminals.count(accelerator) != 0;
}

const RdmaNic&
RdmaTransport::GetNic(uint32_t accelerator, std::size_t number) const
{
    return *m_nics[GetTerminal(accelerator, number)];
}

NicCounters
RdmaTransport::GetCounters() const
{
    NicCounters sum;
    for (const auto& nic : m_nics)
    {
        sum.Add(nic->GetCounters());
    }
    return sum;
}

const std::vector<std::string>&
RdmaTransport::GetFailures() const
{
    return m_failures;
}

Ptr<FabricNetwork>
RdmaTransport::GetNetwork() const
{
    return m_network;
}

} // namespace ns3::llm
