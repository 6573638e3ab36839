// SPDX-License-Identifier: GPL-2.0-only

// What a relay transport can be told, and what it tells.

#include "relay-transport.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("RelayTransport");
NS_OBJECT_ENSURE_REGISTERED(RelayTransport);

namespace
{

/**
 * @param locality tells paths
 * @param inside whether both accelerators are in one domain, else on one rail
 * @return the leg between the first two such accelerators; one without links if there are none
 */
PathLeg
FindLegOf(const Locality& locality, bool inside)
{
    for (uint32_t b = 1; b < locality.GetAcceleratorCount(); ++b)
    {
        const bool sharesDomain = locality.GetDomain(0) == locality.GetDomain(b);
        const bool sharesRail = locality.GetRail(0) == locality.GetRail(b);
        if (inside ? sharesDomain : sharesRail)
        {
            const Path path = locality.GetPath(0, b);
            return path.legs.empty() ? PathLeg() : path.legs[0];
        }
    }
    return PathLeg();
}

} // namespace

TypeId
RelayTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RelayTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RelayTransport>()
            .AddAttribute(
                "Forwarding",
                "Where the relay stands: \"source\" (in the source's HB domain, on the "
                "destination's rail), \"destination\" (in the destination's HB domain, "
                "on the source's rail) or \"load\" (each chunk takes the one of both over "
                "which its sender has less under way).",
                StringValue("source"),
                MakeStringAccessor(&RelayTransport::m_forwarding),
                MakeStringChecker())
            .AddAttribute("ForwardBy",
                          "When a relay sends on: \"chunk\" (all of a chunk has come) or "
                          "\"packet\" (a packet has come; refused where HB domains are fluid).",
                          StringValue("chunk"),
                          MakeStringAccessor(&RelayTransport::m_forwardBy),
                          MakeStringChecker())
            .AddAttribute("Aggregate",
                          "In an all-to-all, a relay waits for what all accelerators of its HB "
                          "domain have for a destination and sends it on as one message (PXN).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RelayTransport::m_aggregates),
                          MakeBooleanChecker())
            .AddAttribute("AggregateWait",
                          "How long a relay waits at most for the rest of an aggregate.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&RelayTransport::m_aggregateWait),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute(
                "RelayBuffer",
                "Memory of an accelerator for what it relays, bytes; divided evenly among "
                "all accelerators that may send over it.",
                UintegerValue(64u << 20),
                MakeUintegerAccessor(&RelayTransport::m_buffer),
                MakeUintegerChecker<uint64_t>(MIN_CREDIT_BYTES))
            .AddAttribute("LoadWindow",
                          "With Forwarding \"load\": what a sender has under way over a relay at "
                          "most, bytes, and twice the largest chunk. The smaller, the sooner the "
                          "choice follows what relays do; where a credit is smaller, that counts.",
                          UintegerValue(128u << 10),
                          MakeUintegerAccessor(&RelayTransport::m_loadWindow),
                          MakeUintegerChecker<uint64_t>(MIN_CREDIT_BYTES))
            .AddAttribute("ChunkBytes",
                          "Messages are stored and forwarded in parts of at most this size; 0: as "
                          "a whole, where a sender's credit is large enough.",
                          UintegerValue(512u << 10),
                          MakeUintegerAccessor(&RelayTransport::m_chunk),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RelayTransport::RelayTransport()
{
    NS_LOG_FUNCTION(this);
}

RelayTransport::~RelayTransport()
{
    NS_LOG_FUNCTION(this);
}

void
RelayTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_transport = nullptr;
    m_senders.clear();
    m_legs.clear();
    m_order = RelayOrder();
    MessageTransport::DoDispose();
}

void
RelayTransport::SetOwner(uint32_t owner, MessageCallback delivered, MessageCallback acknowledged)
{
    NS_LOG_FUNCTION(this << owner);
    NS_ABORT_MSG_UNLESS(m_transport, "a relay transport is set up before owners are");
    NS_ABORT_MSG_IF(owner >= OWNERS,
                    "owner " << owner << " of messages is not below " << OWNERS
                             << ": the rest belongs to relays");
    MessageTransport::SetOwner(owner, delivered, acknowledged);
    m_transport->SetOwner(owner, delivered, acknowledged);
    m_transport->SetOwner(owner + OWNERS,
                          MakeCallback(&RelayTransport::OnDelivered, this),
                          MakeCallback(&RelayTransport::OnAcknowledged, this));
}

void
RelayTransport::CheckForwarding(const Locality& locality)
{
    if (m_forwardBy != "chunk" && m_forwardBy != "packet")
    {
        RefuseInput("ForwardBy is \"" + m_forwardBy +
                    "\"; allowed are \"chunk\" (a relay stores a chunk as a whole) and \"packet\" "
                    "(it sends on each packet that comes)");
    }
    const bool byPacket = m_forwardBy == "packet";
    if (m_aggregates && (byPacket || m_forwarding != "source"))
    {
        RefuseInput("Aggregate with Forwarding \"" + m_forwarding + "\" and ForwardBy \"" +
                    m_forwardBy +
                    "\": what a domain has for a destination comes together only with Forwarding "
                    "\"source\" and ForwardBy \"chunk\"");
    }
    if (!byPacket)
    {
        return;
    }
    const PathLeg inside = FindLegOf(locality, true);
    if (inside.isFluid)
    {
        RefuseInput("ForwardBy is \"packet\", but the HB domains are fluid and have no packets; "
                    "did you mean DomainFidelity \"packet\" of the topology, or ForwardBy "
                    "\"chunk\"?");
    }
    m_packetBytes = std::min(inside.mtu, FindLegOf(locality, false).mtu);
}

void
RelayTransport::Setup(Ptr<const Locality> locality, Ptr<MessageTransport> transport)
{
    NS_LOG_FUNCTION(this << locality << transport);
    NS_ABORT_MSG_IF(m_transport, "a relay transport is set up once");
    NS_ABORT_MSG_UNLESS(locality && transport,
                        "a relay transport needs a locality and a transport");
    const RelayMap::Side side = RelayMap::ParseSide(m_forwarding);
    m_transport = transport;
    m_map = RelayMap(*locality, side);
    m_keepsOrder = side == RelayMap::EITHER;
    CheckForwarding(*locality);
    const uint32_t count = locality->GetAcceleratorCount();
    m_stores.resize(count);
    m_senders.resize(count);
    for (uint32_t relay = 0; relay < count; ++relay)
    {
        const uint64_t senders = m_map.GetSenderCount(relay);
        if (senders > 0 && m_buffer / senders < MIN_CREDIT_BYTES)
        {
            RefuseInput("RelayBuffer is " + std::to_string(m_buffer) + " bytes, which leaves " +
                        std::to_string(m_buffer / senders) + " bytes to each of the " +
                        std::to_string(senders) + " accelerators that may send over accelerator " +
                        std::to_string(relay) + "; at least " +
                        std::to_string(senders * MIN_CREDIT_BYTES) + " bytes are needed");
        }
    }
}

const RelayMap&
RelayTransport::GetRelayMap() const
{
    return m_map;
}

Ptr<MessageTransport>
RelayTransport::GetTransport() const
{
    return m_transport;
}

uint64_t
RelayTransport::GetCreditBytes(uint32_t relay) const
{
    return m_buffer / std::max(m_map.GetSenderCount(relay), 1u);
}

uint64_t
RelayTransport::GetWindow(uint32_t relay) const
{
    return std::min(m_keepsOrder ? m_loadWindow : UINT64_MAX, GetCreditBytes(relay));
}

uint64_t
RelayTransport::GetChunkLimit(uint32_t relay) const
{
    // no chunk is larger than the whole credit, so each can leave some day; where an aggregate may hold
    // one, or two relays compete, there is to be room for another
    const uint64_t room = GetWindow(relay) / (m_aggregates || m_keepsOrder ? 2 : 1);
    const uint64_t limit = std::min(m_chunk > 0 ? m_chunk : UINT64_MAX, room);
    const bool hasFullPackets = m_packetBytes > 0 && limit > m_packetBytes;
    return hasFullPackets ? limit - limit % m_packetBytes : limit;
}

uint64_t
RelayTransport::GetRelayedBytes(uint32_t relay) const
{
    return m_stores.at(relay).relayed;
}

uint64_t
RelayTransport::GetPeakStoredBytes(uint32_t relay) const
{
    return m_stores.at(relay).peak;
}

uint64_t
RelayTransport::GetForwardedCount(uint32_t relay) const
{
    return m_stores.at(relay).forwarded;
}

uint64_t
RelayTransport::GetWaitingCount() const
{
    uint64_t count = 0;
    for (const Sending& sending : m_senders)
    {
        count += sending.queue.GetWaitingCount();
    }
    return count;
}

} // namespace ns3::llm
