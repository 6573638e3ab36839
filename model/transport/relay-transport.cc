// SPDX-License-Identifier: GPL-2.0-only

#include "relay-transport.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("RelayTransportLegs");

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
    RelaySender::Way way;
    way.relay = m_map.GetRelay(message.source, message.destination);
    if (way.relay == RelayMap::DIRECT)
    {
        if (m_aggregates && !m_map.SharesDomain(message.source, message.destination))
        {
            SendOwn(message);
        }
        else
        {
            m_transport->Send(message);
        }
        return;
    }
    RelaySender& queue = m_senders[message.source].queue;
    way.most = UINT64_MAX;
    way.other = m_map.GetOtherRelay(message.source, message.destination);
    way.distance = m_map.GetDistance(message.source, message.destination);
    for (const uint32_t relay : {way.relay, way.other})
    {
        if (relay != RelayMap::DIRECT)
        {
            way.most = std::min(way.most, GetChunkLimit(relay));
            queue.AddRelay(relay, GetWindow(relay), m_map.GetDistance(message.source, relay));
        }
    }
    queue.Post(message, way);
    ScheduleServe(message.source);
}

void
RelayTransport::SendOwn(const Message& message)
{
    auto chunk = std::make_shared<RelayChunk>();
    chunk->relayed = std::make_shared<RelayedMessage>();
    chunk->relayed->message = message;
    chunk->relayed->hasLeft = true;
    chunk->relayed->undelivered = 1;
    chunk->relayed->unacknowledged = 1;
    chunk->relay = message.source;
    chunk->bytes = message.bytes;
    chunk->isLast = true;
    chunk->isOwn = true;
    chunk->partsAway = 1;
    Post(message.source, {SECOND, {chunk}, chunk->bytes, false});
}

void
RelayTransport::ScheduleServe(uint32_t sender)
{
    if (!m_senders[sender].isScheduled)
    {
        m_senders[sender].isScheduled = true;
        Simulator::Schedule(TimeStep(1), &RelayTransport::Serve, this, sender);
    }
}

void
RelayTransport::Serve(uint32_t sender)
{
    NS_LOG_FUNCTION(this << sender);
    Sending& sending = m_senders[sender];
    sending.isScheduled = false;
    std::vector<std::shared_ptr<RelayedMessage>> placed;
    sending.queue.Order(placed);
    for (const auto& relayed : placed)
    {
        if (m_keepsOrder)
        {
            m_order.Add(relayed);
        }
    }
    while (const RelayChunkPtr chunk = sending.queue.TakeNext())
    {
        const uint64_t part = m_packetBytes > 0 ? m_packetBytes : UINT64_MAX;
        const uint64_t parts = chunk->bytes / part + (chunk->bytes % part > 0 ? 1 : 0);
        chunk->partsAway = std::max<uint64_t>(parts, 1); // an empty message has one too
        chunk->relayed->undelivered += chunk->partsAway;
        uint64_t left = chunk->bytes;
        for (uint64_t i = 0; i < chunk->partsAway; ++i)
        {
            const uint64_t bytes = std::min(left, part);
            SendLeg(sender, chunk->relay, {FIRST, {chunk}, bytes, false});
            left -= bytes;
        }
    }
}

void
RelayTransport::SendLeg(uint32_t from, uint32_t to, const Leg& leg)
{
    Message message = leg.chunks[0]->relayed->message;
    message.source = from;
    message.destination = to;
    message.owner += OWNERS;
    message.flow = 2 * message.flow + (leg.kind == DONE ? 1 : 0);
    message.bytes = GetLegBytes(leg);
    m_stores[from].forwarded += leg.kind == SECOND ? 1 : 0;
    m_legs[GetLegKey(message)].push_back(leg);
    m_transport->Send(message);
}

void
RelayTransport::Post(uint32_t relay, const Leg& leg)
{
    m_stores[relay].posted.push_back(leg);
    ScheduleForward(relay);
}

void
RelayTransport::ScheduleForward(uint32_t relay)
{
    if (!m_stores[relay].isScheduled)
    {
        m_stores[relay].isScheduled = true;
        Simulator::Schedule(TimeStep(1), &RelayTransport::Forward, this, relay);
    }
}

void
RelayTransport::Forward(uint32_t relay)
{
    NS_LOG_FUNCTION(this << relay);
    m_stores[relay].isScheduled = false;
    std::vector<Leg> legs;
    legs.swap(m_stores[relay].posted);
    auto order = [](const Leg& leg)
    {
        const Message& message = leg.chunks[0]->relayed->message;
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
        const Message& message = leg.chunks[0]->relayed->message;
        if (leg.kind == SECOND && m_aggregates)
        {
            Aggregate(relay, leg);
        }
        else
        {
            SendLeg(relay, leg.kind == DONE ? message.source : message.destination, leg);
        }
    }
    if (m_aggregates)
    {
        const auto now = static_cast<uint64_t>(Simulator::Now().GetTimeStep());
        const auto wait = static_cast<uint64_t>(m_aggregateWait.GetTimeStep());
        RelayBundles& bundles = m_stores[relay].bundles;
        SendBundles(relay, bundles.TakeReady(now > wait ? now - wait : 0));
        SetTimer(relay);
    }
}

void
RelayTransport::Aggregate(uint32_t relay, const Leg& leg)
{
    const RelayChunkPtr& chunk = leg.chunks[0];
    const Message& message = chunk->relayed->message;
    RelayBundles& bundles = m_stores[relay].bundles;
    if (message.joint < 2)
    {
        SendBundles(relay, bundles.TakeBefore(message));
        SendLeg(relay, message.destination, leg);
        return;
    }
    bundles.Add(chunk, static_cast<uint64_t>(Simulator::Now().GetTimeStep()));
    const uint64_t room = GetCreditBytes(relay) - GetChunkLimit(relay);
    if (!chunk->isOwn && bundles.GetHeld(message.source) > room)
    {
        // the sender may wait for credit that is held here
        SendBundles(relay, bundles.TakeOf(message.source));
    }
}

void
RelayTransport::SendBundles(uint32_t relay, const std::vector<RelayBundles::Bundle>& bundles)
{
    for (const RelayBundles::Bundle& bundle : bundles)
    {
        Leg leg{SECOND, {}, 0, false};
        for (const RelayChunkPtr& chunk : bundle)
        {
            leg.chunks.push_back(chunk);
            leg.bytes += chunk->bytes;
        }
        SendLeg(relay, bundle[0]->relayed->message.destination, leg);
    }
}

void
RelayTransport::SetTimer(uint32_t relay)
{
    Store& store = m_stores[relay];
    const uint64_t oldest = store.bundles.GetOldest();
    const uint64_t due =
        oldest == UINT64_MAX ? 0 : oldest + static_cast<uint64_t>(m_aggregateWait.GetTimeStep());
    if (due == store.timerTick)
    {
        return;
    }
    store.timer.Cancel();
    store.timerTick = due;
    if (due > 0)
    {
        const int64_t wait = static_cast<int64_t>(due) - Simulator::Now().GetTimeStep();
        store.timer =
            Simulator::Schedule(TimeStep(wait), &RelayTransport::ScheduleForward, this, relay);
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
                         const Message& whole = leg.chunks[0]->relayed->message;
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
        for (const RelayChunkPtr& chunk : leg.chunks)
        {
            TakeDelivery(*chunk->relayed);
        }
    }
    else
    {
        const RelayChunk& chunk = *leg.chunks[0];
        if (m_senders[message.destination].queue.GiveBack(chunk.relay, chunk.bytes))
        {
            ScheduleServe(message.destination);
        }
        TakeAcknowledgment(*chunk.relayed);
    }
}

void
RelayTransport::TakeDelivery(RelayedMessage& relayed)
{
    if (--relayed.undelivered > 0 || !relayed.hasLeft)
    {
        return;
    }
    relayed.isDelivered = true;
    if (m_keepsOrder)
    {
        m_order.Deliver(relayed.message, [this](const Message& told) { NotifyDelivered(told); });
    }
    else
    {
        NotifyDelivered(relayed.message);
    }
}

void
RelayTransport::TakeAcknowledgment(RelayedMessage& relayed)
{
    if (--relayed.unacknowledged > 0 || !relayed.hasLeft)
    {
        return;
    }
    relayed.isAcknowledged = true;
    if (m_keepsOrder)
    {
        m_order.Acknowledge(relayed.message,
                            [this](const Message& told) { NotifyAcknowledged(told); });
    }
    else
    {
        NotifyAcknowledged(relayed.message);
    }
}

void
RelayTransport::OnAcknowledged(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    const auto found = FindLeg(message, true);
    const Leg leg = *found;
    m_legs[GetLegKey(message)].erase(found);
    if (leg.kind != SECOND)
    {
        return;
    }
    Store& store = m_stores[message.source];
    for (const RelayChunkPtr& chunk : leg.chunks)
    {
        const uint64_t bytes = leg.chunks.size() > 1 ? chunk->bytes : leg.bytes;
        if (chunk->isOwn)
        {
            TakeAcknowledgment(*chunk->relayed);
            continue;
        }
        store.held -= bytes;
        store.relayed += bytes;
        if (--chunk->partsAway == 0)
        {
            Post(message.source, {DONE, {chunk}, chunk->bytes, false});
        }
    }
}

} // namespace ns3::llm
