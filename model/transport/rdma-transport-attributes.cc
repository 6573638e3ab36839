// SPDX-License-Identifier: GPL-2.0-only

// What an RDMA transport can be told, and what follows from it.

#include "rdma-transport.h"

#include "ns3/boolean.h"
#include "ns3/class-choice.h"
#include "ns3/input-error.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTransport);

namespace
{

/**
 * Find what a user has named in an attribute; refused if it is none of what there is.
 * @tparam T what is named
 * @param attribute the attribute
 * @param name its value
 * @param all what there is
 * @return what is named
 */
template <typename T>
T
ChooseNamed(const std::string& attribute,
            const std::string& name,
            const std::map<std::string, T>& all)
{
    const auto found = all.find(name);
    if (found != all.end())
    {
        return found->second;
    }
    std::string text = attribute + " '" + name + "': it is one of";
    for (const auto& [known, value] : all)
    {
        text += ' ' + known;
    }
    RefuseInput(text);
}

} // namespace

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
            .AddAttribute("Mtu",
                          "Payload of a full data frame, bytes (RoCEv2: a power of two up "
                          "to 4096).",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaTransport::m_mtuBytes),
                          MakeUintegerChecker<uint32_t>(1, 9000))
            .AddAttribute(
                "MaxWriteSize",
                "Payload of an RDMA write, bytes: a larger message is several writes, each of "
                "as many full frames as fit (RETH has 32 bits for it).",
                UintegerValue(uint64_t{1} << 30),
                MakeUintegerAccessor(&RdmaTransport::m_maxWriteBytes),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("DataOverhead",
                          "Wire bytes of a data frame beyond its payload (RoCEv2: "
                          "preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS "
                          "4, gap 12).",
                          UintegerValue(82),
                          MakeUintegerAccessor(&RdmaTransport::m_dataOverheadBytes),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("FirstOverhead",
                          "Further wire bytes of the first frame of a write (RoCEv2: "
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
                          "In-order data frames per ACK; the last frame of a write "
                          "always has one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaTransport::m_framesPerAck),
                          MakeUintegerChecker<uint32_t>(1, 16383))
            .AddAttribute("BytesPerAck",
                          "An ACK also when so many payload bytes have come since the last; 0: "
                          "FramesPerAck alone decides.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaTransport::m_bytesPerAck),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "AckOnMarkChange",
                "An ACK at once when the first marked frame comes after one that was not, "
                "and the other way around (RFC 8257, section 3.2).",
                BooleanValue(false),
                MakeBooleanAccessor(&RdmaTransport::m_acksMarkChange),
                MakeBooleanChecker())
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
    static const TypeId complete = AddTraceSources(AddSharingAttributes(tid));
    return complete;
}

TypeId
RdmaTransport::AddSharingAttributes(TypeId tid)
{
    return tid
        .AddAttribute("QueuePairSetupTime",
                      "How long the first message of a queue pair waits for it to be connected.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaTransport::m_setupTime),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("MaxOutstanding",
                      "Most payload of a queue pair that is not acknowledged, bytes, whatever its "
                      "congestion control allows; a frame may always go. 0: no limit.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaTransport::m_maxOutstandingBytes),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute(
            "MaxOutstandingPerNic",
            "Most payload of a NIC that is not acknowledged, bytes; a frame may always go. "
            "0: no limit.",
            UintegerValue(0),
            MakeUintegerAccessor(&RdmaTransport::m_nicOutstandingBytes),
            MakeUintegerChecker<uint64_t>())
        .AddAttribute(
            "QueuePairs",
            "Queue pairs per (source, destination, owner, flow, priority). With more than "
            "one, messages may overtake each other.",
            UintegerValue(1),
            MakeUintegerAccessor(&RdmaTransport::m_queuePairs),
            MakeUintegerChecker<uint32_t>(1, 1u << 16))
        .AddAttribute(
            "QueuePairSelection",
            "Which of the QueuePairs takes a message: RoundRobin, or Hash (of the message's "
            "place in its phase).",
            StringValue("RoundRobin"),
            MakeStringAccessor(&RdmaTransport::m_queuePairSelection),
            MakeStringChecker())
        .AddAttribute("NicSelection",
                      "Which NIC of an accelerator with several takes a message: Affinity (flow "
                      "modulo NICs), RoundRobin, Hash (of the message's place in its phase), or "
                      "LeastQueued (least payload not acknowledged).",
                      StringValue("Affinity"),
                      MakeStringAccessor(&RdmaTransport::m_nicSelection),
                      MakeStringChecker())
        .AddAttribute(
            "Scheduler",
            "How the queue pairs of a NIC share its port: RoundRobin, a frame each in turn; "
            "Weighted, priorities of messages by PriorityWeights; Strict, the highest "
            "priority first. Within a priority it is a frame each in turn.",
            StringValue("RoundRobin"),
            MakeStringAccessor(&RdmaTransport::m_schedulerName),
            MakeStringChecker())
        .AddAttribute(
            "PriorityWeights",
            "Shares of the priorities 0, 1 and so on, up to 7, with commas between; those "
            "not named have 1.",
            StringValue("1"),
            MakeStringAccessor(&RdmaTransport::m_priorityWeights),
            MakeStringChecker());
}

void
RdmaTransport::MakeConfig()
{
    ObjectFactory factory;
    factory.SetTypeId(
        ChooseClass("CongestionControl", m_controlType, RdmaCongestionControl::GetTypeId()));
    m_control = factory.Create<RdmaCongestionControl>();
    m_config.mtuBytes = m_mtuBytes;
    if (m_maxWriteBytes < m_mtuBytes)
    {
        RefuseInput("MaxWriteSize " + std::to_string(m_maxWriteBytes) +
                    ": a write has at least one full frame, and Mtu is " +
                    std::to_string(m_mtuBytes));
    }
    m_config.framesPerWrite = m_maxWriteBytes / m_mtuBytes;
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
    // an ACK counts marked bytes modulo 2^24
    const uint64_t ackedAtOnce = uint64_t{m_config.framesPerAck} * m_mtuBytes;
    if (m_config.framesPerAck > 1 && ackedAtOnce >= 1u << (Frame::NUMBER_BITS - 1))
    {
        RefuseInput(
            "FramesPerAck " + std::to_string(m_config.framesPerAck) + " with Mtu " +
            std::to_string(m_mtuBytes) + ": an ACK stands for less than 8 MiB, so at most " +
            std::to_string(((1u << (Frame::NUMBER_BITS - 1)) - 1) / m_mtuBytes) + " frames");
    }
    m_config.acksMarkChange = m_acksMarkChange;
    m_config.dataClass = m_dataClass;
    m_config.controlClass = m_controlClass;
    m_config.maxTimeouts = m_maxTimeouts;
    m_config.cnpIntervalTicks = static_cast<uint64_t>(m_cnpInterval.GetPicoSeconds());
    m_config.control = PeekPointer(m_control);
    MakeSharing();
    MakeRecovery();
}

void
RdmaTransport::MakeSharing()
{
    m_config.setupTicks = static_cast<uint64_t>(m_setupTime.GetPicoSeconds());
    m_config.maxOutstandingBytes = m_maxOutstandingBytes != 0 ? m_maxOutstandingBytes : UINT64_MAX;
    m_config.nicOutstandingBytes = m_nicOutstandingBytes != 0 ? m_nicOutstandingBytes : UINT64_MAX;
    m_config.queuePairs = m_queuePairs;
    using Spread = MessageSpread;
    m_config.queuePairSpread =
        ChooseNamed<Spread>("QueuePairSelection",
                            m_queuePairSelection,
                            {{"RoundRobin", Spread::ROUND_ROBIN}, {"Hash", Spread::HASH}});
    m_config.nicSpread = ChooseNamed<Spread>("NicSelection",
                                             m_nicSelection,
                                             {{"Affinity", Spread::AFFINITY},
                                              {"RoundRobin", Spread::ROUND_ROBIN},
                                              {"Hash", Spread::HASH},
                                              {"LeastQueued", Spread::LEAST_QUEUED}});
    m_config.scheduling = ChooseNamed<RdmaScheduling>("Scheduler",
                                                      m_schedulerName,
                                                      {{"RoundRobin", RdmaScheduling::ROUND_ROBIN},
                                                       {"Weighted", RdmaScheduling::WEIGHTED},
                                                       {"Strict", RdmaScheduling::STRICT}});
    m_config.weights = QueuePairScheduler::ReadWeights(m_priorityWeights);
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

} // namespace ns3::llm
