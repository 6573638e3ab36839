// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-transport.h"

#include "ns3/class-choice.h"
#include "ns3/identity-hash.h"
#include "ns3/input-error.h"
#include "ns3/make-event.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTransport);

TypeId
RdmaTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RdmaTransport>()
            .AddAttribute("CongestionControl",
                          "TypeId of the congestion control of all queue pairs.",
                          StringValue("ns3::llm::Dcqcn"),
                          MakeStringAccessor(&RdmaTransport::m_controlType),
                          MakeStringChecker())
            .AddAttribute("LossRecovery",
                          "TypeId of the loss recovery of all queue pairs.",
                          StringValue("ns3::llm::GoBackN"),
                          MakeStringAccessor(&RdmaTransport::m_recoveryType),
                          MakeStringChecker())
            .AddAttribute("SendEntropy",
                          "TypeId of what chooses the entropy of data frames.",
                          StringValue("ns3::llm::FlowEntropy"),
                          MakeStringAccessor(&RdmaTransport::m_entropyType),
                          MakeStringChecker())
            .AddAttribute("Mtu",
                          "Payload of a full data frame, bytes (RoCEv2: a power of two up "
                          "to 4096).",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaTransport::m_mtuBytes),
                          MakeUintegerChecker<uint32_t>(1, 9000))
            .AddAttribute("DataOverhead",
                          "Wire bytes of a data frame beyond its payload (RoCEv2: "
                          "preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS "
                          "4, gap 12).",
                          UintegerValue(82),
                          MakeUintegerAccessor(&RdmaTransport::m_dataOverheadBytes),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("FirstOverhead",
                          "Further wire bytes of the first frame of a message (RoCEv2: "
                          "RETH 16).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaTransport::m_firstOverheadBytes),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("AckSize",
                          "Wire bytes of an ACK or NACK (RoCEv2: as a data frame without "
                          "payload, and AETH 4).",
                          UintegerValue(86),
                          MakeUintegerAccessor(&RdmaTransport::m_ackBytes),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("CnpSize",
                          "Wire bytes of a CNP (RoCEv2: as a data frame without payload, "
                          "and 16 reserved).",
                          UintegerValue(98),
                          MakeUintegerAccessor(&RdmaTransport::m_cnpBytes),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("FramesPerAck",
                          "In-order data frames per ACK; the last frame of a message "
                          "always has one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaTransport::m_framesPerAck),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("BytesPerAck",
                          "An ACK also when so many payload bytes have come since the last; 0: "
                          "FramesPerAck alone decides.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaTransport::m_bytesPerAck),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("DataClass",
                          "Traffic class of data frames and ACKs.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaTransport::m_dataClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("ControlClass",
                          "Traffic class of CNPs.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RdmaTransport::m_controlClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("MaxTimeouts",
                          "Retransmission timeouts in a row before a queue pair gives up "
                          "(NCCL: 7).",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaTransport::m_maxTimeouts),
                          MakeUintegerChecker<uint32_t>(0, 30))
            .AddAttribute("CnpInterval",
                          "At most one CNP per queue pair in this time (DCQCN paper: 50 us).",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTransport::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RetransmissionTimeout",
                          "Without progress for so long, everything unacknowledged is sent again; "
                          "doubles with each timeout in a row (InfiniBand's timer at setting 12: "
                          "16.8 ms; a full buffer of 32 MiB drains at 25 Gb/s in 10.7 ms).",
                          TimeValue(MicroSeconds(16777)),
                          MakeTimeAccessor(&RdmaTransport::m_timeout),
                          MakeTimeChecker(PicoSeconds(1)));
    return tid;
}

void
RdmaTransport::DoDispose()
{
    m_config.oracle = nullptr;
    m_oracle.reset();
    m_nics.clear();
    m_network = nullptr;
    m_control = nullptr;
    m_recovery = nullptr;
    m_entropy = nullptr;
    MessageTransport::DoDispose();
}

void
RdmaTransport::MakeConfig()
{
    ObjectFactory factory;
    factory.SetTypeId(
        ChooseClass("CongestionControl", m_controlType, RdmaCongestionControl::GetTypeId()));
    m_control = factory.Create<RdmaCongestionControl>();
    m_config.mtuBytes = m_mtuBytes;
    m_config.hasTelemetry = m_control->NeedsTelemetry();
    const uint32_t telemetryBytes = m_config.hasTelemetry ? m_control->GetTelemetryBytes() : 0;
    m_config.dataOverheadBytes = m_dataOverheadBytes + telemetryBytes;
    m_config.firstOverheadBytes = m_firstOverheadBytes;
    m_config.ackBytes = m_ackBytes + telemetryBytes;
    m_config.cnpBytes = m_cnpBytes;
    m_config.framesPerAck = m_framesPerAck;
    if (m_bytesPerAck != 0)
    {
        // frames between ACKs are full ones, as the last of a message always has an ACK
        const uint64_t frames = (m_bytesPerAck + m_mtuBytes - 1) / m_mtuBytes;
        m_config.framesPerAck =
            static_cast<uint32_t>(std::min<uint64_t>(m_config.framesPerAck, frames));
    }
    m_config.dataClass = m_dataClass;
    m_config.controlClass = m_controlClass;
    m_config.maxTimeouts = m_maxTimeouts;
    m_config.cnpIntervalTicks = static_cast<uint64_t>(m_cnpInterval.GetPicoSeconds());
    m_config.control = PeekPointer(m_control);
    factory.SetTypeId(ChooseClass("SendEntropy", m_entropyType, SendEntropy::GetTypeId()));
    m_entropy = factory.Create<SendEntropy>();
    m_config.entropy = m_entropy->IsPerFlow() ? nullptr : PeekPointer(m_entropy);
    MakeRecovery();
}

void
RdmaTransport::MakeRecovery()
{
    ObjectFactory factory;
    factory.SetTypeId(ChooseClass("LossRecovery", m_recoveryType, RdmaLossRecovery::GetTypeId()));
    m_recovery = factory.Create<RdmaLossRecovery>();
    m_config.recovery = PeekPointer(m_recovery);
    m_config.timeoutTicks = static_cast<uint64_t>(m_timeout.GetPicoSeconds());
    m_recovery->Configure(m_config);
    const uint64_t longest = std::max(m_config.timeoutTicks, m_config.shortTimeoutTicks);
    if (longest > uint64_t{1} << (62 - m_maxTimeouts))
    {
        std::ostringstream text;
        text << "RetransmissionTimeout " << PicoSeconds(longest).As(Time::US)
             << " (or TimeoutLow or TimeoutHigh of the loss recovery) doubled MaxTimeouts "
             << m_maxTimeouts << " times is beyond the simulator's 53 days";
        RefuseInput(text.str());
    }
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
        m_terminals[accelerators[terminal]] = terminal;
        m_nics.push_back(std::make_unique<RdmaNic>(this,
                                                   PeekPointer(network),
                                                   terminal,
                                                   accelerators[terminal],
                                                   network->GetTerminalNodeId(terminal),
                                                   m_config));
        network->SetTerminalOwner(terminal, m_nics.back().get());
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
}

uint32_t
RdmaTransport::GetTerminal(uint32_t accelerator) const
{
    const auto it = m_terminals.find(accelerator);
    if (it == m_terminals.end())
    {
        RefuseInput("accelerator " + std::to_string(accelerator) + " has no NIC on this network");
    }
    return it->second;
}

void
RdmaTransport::Send(const Message& message)
{
    if (message.source == message.destination)
    {
        RefuseInput("message from accelerator " + std::to_string(message.source) + " to itself");
    }
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
    const uint32_t from = GetTerminal(source);
    const uint32_t to = GetTerminal(destination);
    const uint32_t entropy = GetEntropy(GetIdentity(from, to, flow));
    PathLeg leg;
    leg.mtu = m_config.mtuBytes;
    leg.dataOverhead = m_config.dataOverheadBytes;
    leg.firstOverhead = m_config.firstOverheadBytes;
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
    const PathLeg leg = DescribeLeg(m_accelerators[source], m_accelerators[destination], flow);
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
    m_network->GetClock()->CallOut(nodeId,
                                   MakeEvent(&RdmaTransport::NotifyDelivered, this, message));
}

void
RdmaTransport::CallOutAcknowledged(uint32_t nodeId, const Message& message)
{
    m_network->GetClock()->CallOut(nodeId,
                                   MakeEvent(&RdmaTransport::NotifyAcknowledged, this, message));
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
RdmaTransport::GetNic(uint32_t accelerator) const
{
    return *m_nics[GetTerminal(accelerator)];
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
