// SPDX-License-Identifier: GPL-2.0-only

#include "relay-transport.h"

#include "ns3/abort.h"
#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("RelayTransport");
NS_OBJECT_ENSURE_REGISTERED(RelayTransport);

TypeId
RelayTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RelayTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RelayTransport>()
            .AddAttribute("Forwarding",
                          "Where the relay stands: \"source\" (in the source's HB domain, on the "
                          "destination's rail) or \"destination\" (in the destination's HB domain, "
                          "on the source's rail).",
                          StringValue("source"),
                          MakeStringAccessor(&RelayTransport::m_forwarding),
                          MakeStringChecker())
            .AddAttribute(
                "RelayBuffer",
                "Memory of an accelerator for what it relays, bytes; divided evenly among "
                "all accelerators that may send over it.",
                UintegerValue(64u << 20),
                MakeUintegerAccessor(&RelayTransport::m_buffer),
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
    m_lanes.clear();
    m_legs.clear();
    MessageTransport::DoDispose();
}

void
RelayTransport::Setup(Ptr<const Locality> locality, Ptr<MessageTransport> transport)
{
    NS_LOG_FUNCTION(this << locality << transport);
    NS_ABORT_MSG_IF(m_transport, "a relay transport is set up once");
    NS_ABORT_MSG_UNLESS(locality && transport,
                        "a relay transport needs a locality and a transport");
    m_transport = transport;
    m_map = RelayMap(*locality, RelayMap::ParseSide(m_forwarding));
    m_stores.resize(locality->GetAcceleratorCount());
    for (uint32_t relay = 0; relay < m_stores.size(); ++relay)
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

uint32_t
RelayTransport::MakeGroup(uint32_t owner, const std::vector<uint32_t>& members)
{
    return m_transport->MakeGroup(owner, members);
}

void
RelayTransport::Reduce(uint32_t group, const Message& call)
{
    m_transport->Reduce(group, call);
}

void
RelayTransport::Multicast(uint32_t group, const Message& call)
{
    m_transport->Multicast(group, call);
}

void
RelayTransport::Send(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    const uint32_t relay = m_map.GetRelay(message.source, message.destination);
    if (relay == RelayMap::DIRECT)
    {
        m_transport->Send(message);
        return;
    }
    const LaneKey key{message.source, relay};
    const auto [lane, isNew] = m_lanes.try_emplace(key);
    if (isNew)
    {
        lane->second.credit = GetCreditBytes(relay);
    }
    lane->second.posted.push_back(message);
    ScheduleServe(key, lane->second);
}

void
RelayTransport::ScheduleServe(const LaneKey& key, Lane& lane)
{
    if (!lane.isScheduled)
    {
        lane.isScheduled = true;
        Simulator::Schedule(TimeStep(1), &RelayTransport::Serve, this, key.first, key.second);
    }
}

void
RelayTransport::Serve(uint32_t sender, uint32_t relay)
{
    NS_LOG_FUNCTION(this << sender << relay);
    Lane& lane = m_lanes.at({sender, relay});
    lane.isScheduled = false;
    std::stable_sort(lane.posted.begin(),
                     lane.posted.end(),
                     [](const auto& a, const auto& b) {
                         return std::tie(a.destination, a.owner, a.flow) <
                                std::tie(b.destination, b.owner, b.flow);
                     });
    // no part is larger than the whole credit, so each can leave some day
    const uint64_t limit = std::min(m_chunk > 0 ? m_chunk : UINT64_MAX, GetCreditBytes(relay));
    for (const Message& message : lane.posted)
    {
        const uint64_t parts = message.bytes / limit + (message.bytes % limit > 0 ? 1 : 0);
        const uint64_t count = std::max<uint64_t>(parts, 1);
        lane.waiting.push_back({std::make_shared<Relayed>(Relayed{message, count, count}), 0});
    }
    lane.posted.clear();
    while (!lane.waiting.empty())
    {
        Waiting& head = lane.waiting.front();
        const uint64_t left = head.relayed->message.bytes - head.sent;
        const Leg leg{FIRST, head.relayed, std::min(left, limit), false};
        if (leg.bytes > lane.credit)
        {
            return;
        }
        lane.credit -= leg.bytes;
        head.sent += leg.bytes;
        if (leg.bytes == left)
        {
            lane.waiting.pop_front();
        }
        SendLeg(sender, relay, leg);
    }
}

void
RelayTransport::SendLeg(uint32_t from, uint32_t to, const Leg& leg)
{
    Message message = leg.relayed->message;
    message.source = from;
    message.destination = to;
    message.owner += OWNERS;
    message.flow = 2 * message.flow + (leg.kind == DONE ? 1 : 0);
    message.bytes = GetLegBytes(leg);
    m_legs[GetLegKey(message)].push_back(leg);
    m_transport->Send(message);
}

void
RelayTransport::Post(uint32_t relay, const Leg& leg)
{
    auto& posted = m_stores[relay].posted;
    if (posted.empty())
    {
        Simulator::Schedule(TimeStep(1), &RelayTransport::Forward, this, relay);
    }
    posted.push_back(leg);
}

void
RelayTransport::Forward(uint32_t relay)
{
    NS_LOG_FUNCTION(this << relay);
    std::vector<Leg> legs;
    legs.swap(m_stores[relay].posted);
    auto order = [](const Leg& leg)
    {
        const Message& message = leg.relayed->message;
        return std::make_tuple(leg.kind,
                               message.source,
                               message.destination,
                               message.owner,
                               message.flow,
                               message.instance,
                               message.place);
    };
    std::stable_sort(legs.begin(),
                     legs.end(),
                     [&order](const Leg& a, const Leg& b) { return order(a) < order(b); });
    for (const Leg& leg : legs)
    {
        const Message& message = leg.relayed->message;
        SendLeg(relay, leg.kind == DONE ? message.source : message.destination, leg);
    }
}

RelayTransport::LegKey
RelayTransport::GetLegKey(const Message& message)
{
    return {message.source, message.destination, message.owner};
}

uint64_t
RelayTransport::GetLegBytes(const Leg& leg)
{
    return leg.kind == DONE ? 0 : leg.bytes;
}

RelayTransport::LegQueue::iterator
RelayTransport::FindLeg(const Message& message, bool isDelivered)
{
    LegQueue& legs = m_legs[GetLegKey(message)];
    const auto found =
        std::find_if(legs.begin(),
                     legs.end(),
                     [&](const Leg& leg)
                     {
                         const Message& whole = leg.relayed->message;
                         return leg.isDelivered == isDelivered && whole.place == message.place &&
                                whole.instance % INSTANCES == message.instance % INSTANCES &&
                                GetLegBytes(leg) == message.bytes;
                     });
    NS_ABORT_MSG_IF(found == legs.end(),
                    "accelerator " << message.source << " sent no leg of " << message.bytes
                                   << " bytes to accelerator " << message.destination
                                   << " that can be "
                                   << (isDelivered ? "acknowledged" : "delivered"));
    return found;
}

void
RelayTransport::OnDelivered(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    const auto found = FindLeg(message, false);
    found->isDelivered = true;
    Leg leg = *found;
    if (leg.kind == FIRST)
    {
        Store& store = m_stores[message.destination];
        store.held += leg.bytes;
        store.peak = std::max(store.peak, store.held);
        leg.kind = SECOND;
        leg.isDelivered = false;
        Post(message.destination, leg);
    }
    else if (leg.kind == SECOND)
    {
        if (--leg.relayed->undelivered == 0)
        {
            NotifyDelivered(leg.relayed->message);
        }
    }
    else
    {
        const LaneKey key{message.destination, message.source};
        Lane& lane = m_lanes.at(key);
        lane.credit += leg.bytes;
        if (!lane.waiting.empty())
        {
            ScheduleServe(key, lane);
        }
        if (--leg.relayed->unacknowledged == 0)
        {
            NotifyAcknowledged(leg.relayed->message);
        }
    }
}

void
RelayTransport::OnAcknowledged(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    const auto found = FindLeg(message, true);
    Leg leg = *found;
    m_legs[GetLegKey(message)].erase(found);
    if (leg.kind == SECOND)
    {
        Store& store = m_stores[message.source];
        store.held -= leg.bytes;
        store.relayed += leg.bytes;
        leg.kind = DONE;
        leg.isDelivered = false;
        Post(message.source, leg);
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
RelayTransport::GetWaitingCount() const
{
    uint64_t count = 0;
    for (const auto& [key, lane] : m_lanes)
    {
        count += lane.posted.size() + lane.waiting.size();
    }
    return count;
}

} // namespace ns3::llm
