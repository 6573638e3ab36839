// SPDX-License-Identifier: GPL-2.0-only

// The attributes of TcpTransport and what is allowed of them.

#include "tcp-transport.h"

#include "ns3/input-error.h"

#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(TcpTransport);

namespace
{

/** @param type a class @return whether it is a TcpCongestionOps that can be made */
bool
IsCongestionOps(TypeId type)
{
    const TypeId cubic = TcpCubic::GetTypeId(); // which has the parent of a socket up to ns-3.37
    return type.HasConstructor() && (type.IsChildOf(TcpCongestionOps::GetTypeId()) ||
                                     type == cubic || type.IsChildOf(cubic));
}

/** @return the classes of TcpCongestionOps, in words */
std::string
ListCongestionOps()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (IsCongestionOps(type))
        {
            names.push_back(type.GetName());
        }
    }
    std::sort(names.begin(), names.end()); // the registry has the order of linking
    std::string text;
    for (const std::string& name : names)
    {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

} // namespace

TypeId
TcpTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::TcpTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmFabric")
            .AddConstructor<TcpTransport>()
            .AddAttribute("CongestionOps",
                          "TypeId of the ns3::TcpCongestionOps of all connections.",
                          StringValue("ns3::TcpCubic"),
                          MakeStringAccessor(&TcpTransport::m_congestionOps),
                          MakeStringChecker())
            .AddAttribute("QueueDisc",
                          "TypeId of the ns3::QueueDisc that each NIC gets above its port's queue; "
                          "empty: none, and the stack drops what the port has no room for.",
                          StringValue("ns3::FqCoDelQueueDisc"),
                          MakeStringAccessor(&TcpTransport::m_queueDisc),
                          MakeStringChecker())
            .AddAttribute("Connections",
                          "Connections in the pool of each (source, destination).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TcpTransport::m_connections),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("StripeBytes",
                          "In a pool of several connections, largest part of a message that goes "
                          "over one of them; 0: messages are not divided.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&TcpTransport::m_stripeBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeaderBytes",
                          "What precedes each part of a message in the stream, bytes: its tag and "
                          "its length.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&TcpTransport::m_headerBytes),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("SegmentSize",
                          "Payload of a full segment, bytes; 0: what fits into the Mtu of the NICs "
                          "(less 52).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&TcpTransport::m_segmentBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SendBuffer",
                          "Buffer of a sending socket, bytes; a window is not larger.",
                          UintegerValue(2 << 20),
                          MakeUintegerAccessor(&TcpTransport::m_sendBuffer),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ReceiveBuffer",
                          "Buffer of a receiving socket, bytes; a window is not larger.",
                          UintegerValue(2 << 20),
                          MakeUintegerAccessor(&TcpTransport::m_receiveBuffer),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("InitialWindow",
                          "Congestion window to begin with, segments.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&TcpTransport::m_initialWindow),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SegmentsPerAck",
                          "A receiver acknowledges every so many segments.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&TcpTransport::m_segmentsPerAck),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("DelayedAckTimeout",
                          "Until then a receiver waits for further segments to acknowledge.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&TcpTransport::m_delayedAckTimeout),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("MinRto",
                          "Least retransmission timeout.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&TcpTransport::m_minRto),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("ConnectTimeout",
                          "After this a handshake is tried again; doubled each time.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&TcpTransport::m_connectTimeout),
                          MakeTimeChecker(PicoSeconds(1)));
    return tid;
}

void
TcpTransport::Check() const
{
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(m_congestionOps, &type) || !IsCongestionOps(type))
    {
        RefuseInput("ns3::llm::TcpTransport::CongestionOps '" + m_congestionOps +
                    "': no ns3::TcpCongestionOps has this name; there are " + ListCongestionOps());
    }
    const uint32_t largest = m_network->GetTerminalPort(0)->GetMtu() - HEADER_BYTES;
    if (m_segmentBytes > largest)
    {
        RefuseInput("ns3::llm::TcpTransport::SegmentSize " + std::to_string(m_segmentBytes) +
                    ": with " + std::to_string(HEADER_BYTES) +
                    " bytes of headers it does not fit ns3::llm::FabricPort::Mtu " +
                    std::to_string(largest + HEADER_BYTES) + "; " + std::to_string(largest) +
                    " would, as does 0");
    }
    const uint64_t ports = uint64_t{m_nodes.GetN()} * m_connections;
    if (ports > UINT16_MAX - FIRST_PORT)
    {
        RefuseInput("ns3::llm::TcpTransport::Connections " + std::to_string(m_connections) +
                    ": an accelerator has ports for " + std::to_string(UINT16_MAX - FIRST_PORT) +
                    " connections, not for those to " + std::to_string(m_nodes.GetN()) +
                    " accelerators; " + std::to_string((UINT16_MAX - FIRST_PORT) / m_nodes.GetN()) +
                    " connections or fewer would fit");
    }
}

} // namespace ns3::llm
