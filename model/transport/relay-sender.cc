// SPDX-License-Identifier: GPL-2.0-only

#include "relay-sender.h"

#include <algorithm>
#include <tuple>

namespace ns3::llm
{

void
RelaySender::Post(const Message& message, const Way& way)
{
    auto relayed = std::make_shared<RelayedMessage>();
    relayed->message = message;
    m_posted.push_back({relayed, way});
}

void
RelaySender::Order(std::vector<std::shared_ptr<RelayedMessage>>& placed)
{
    // from the sender on, so that not all begin with the same destination
    auto order = [](const Waiting& waiting)
    {
        const Message& message = waiting.relayed->message;
        return std::make_tuple(waiting.way.distance,
                               message.owner,
                               message.flow,
                               message.instance,
                               message.place);
    };
    std::stable_sort(m_posted.begin(),
                     m_posted.end(),
                     [&order](const auto& a, const auto& b) { return order(a) < order(b); });
    for (const Waiting& waiting : m_posted)
    {
        placed.push_back(waiting.relayed);
        for (const uint32_t relay : {waiting.way.relay, waiting.way.other})
        {
            if (relay != UINT32_MAX)
            {
                Lane& lane = m_lanes.at(relay);
                lane.waiting.push_back(waiting);
                m_ripe.insert({lane.distance, relay});
            }
        }
    }
    m_waiting += m_posted.size();
    m_posted.clear();
}

uint32_t
RelaySender::Choose(const Waiting& waiting, uint64_t bytes) const
{
    uint32_t best = UINT32_MAX;
    uint64_t least = UINT64_MAX;
    for (const uint32_t relay : {waiting.way.relay, waiting.way.other})
    {
        if (relay != UINT32_MAX)
        {
            const Lane& lane = m_lanes.at(relay);
            if (lane.credit - lane.taken >= bytes && lane.taken < least)
            {
                best = relay;
                least = lane.taken;
            }
        }
    }
    return best;
}

RelayChunkPtr
RelaySender::TakeNext()
{
    while (!m_ripe.empty())
    {
        std::deque<Waiting>& queue = m_lanes.at(m_ripe.begin()->second).waiting;
        if (queue.empty())
        {
            m_ripe.erase(m_ripe.begin());
            continue;
        }
        const Waiting& head = queue.front();
        RelayedMessage& relayed = *head.relayed;
        if (relayed.hasLeft) // over the other relay
        {
            queue.pop_front();
            continue;
        }
        const uint64_t left = relayed.message.bytes - relayed.sent;
        const uint64_t bytes = std::min(left, head.way.most);
        const uint32_t relay = Choose(head, bytes);
        if (relay == UINT32_MAX)
        {
            m_ripe.erase(m_ripe.begin());
            continue;
        }
        m_lanes.at(relay).taken += bytes;
        auto chunk = std::make_shared<RelayChunk>();
        chunk->relayed = head.relayed;
        chunk->relay = relay;
        chunk->bytes = bytes;
        chunk->isLast = bytes == left;
        relayed.sent += bytes;
        ++relayed.unacknowledged;
        if (chunk->isLast)
        {
            relayed.hasLeft = true;
            --m_waiting;
            queue.pop_front();
        }
        return chunk;
    }
    return nullptr;
}

bool
RelaySender::GiveBack(uint32_t relay, uint64_t bytes)
{
    Lane& lane = m_lanes.at(relay);
    lane.taken -= bytes;
    while (!lane.waiting.empty() && lane.waiting.front().relayed->hasLeft)
    {
        lane.waiting.pop_front();
    }
    if (!lane.waiting.empty())
    {
        m_ripe.insert({lane.distance, relay});
    }
    return !lane.waiting.empty();
}

} // namespace ns3::llm
