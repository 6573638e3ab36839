// SPDX-License-Identifier: GPL-2.0-only

#include "relay-bundles.h"

#include <algorithm>

namespace ns3::llm
{

RelayBundles::Stream
RelayBundles::GetStream(const Message& message)
{
    return {message.destination, message.owner, message.flow, message.priority};
}

void
RelayBundles::Add(const RelayChunkPtr& chunk, uint64_t now)
{
    const Message& message = chunk->relayed->message;
    Open& open = m_open[{GetStream(message), message.instance}];
    if (open.chunks.empty())
    {
        open.since = now;
    }
    open.chunks.push_back(chunk);
    open.complete += chunk->isLast ? 1 : 0;
    m_held[message.source] += chunk->bytes;
}

void
RelayBundles::Take(Open& open, std::vector<Bundle>& taken)
{
    if (open.chunks.empty())
    {
        return;
    }
    std::stable_sort(open.chunks.begin(),
                     open.chunks.end(),
                     [](const RelayChunkPtr& a, const RelayChunkPtr& b)
                     { return a->relayed->message.source < b->relayed->message.source; });
    for (const RelayChunkPtr& chunk : open.chunks)
    {
        m_held[chunk->relayed->message.source] -= chunk->bytes;
    }
    taken.emplace_back();
    taken.back().swap(open.chunks);
}

std::vector<RelayBundles::Bundle>
RelayBundles::TakeReady(uint64_t end)
{
    std::vector<Bundle> taken;
    for (auto at = m_open.begin(); at != m_open.end();)
    {
        Open& open = at->second;
        const bool isComplete =
            !open.chunks.empty() && open.complete >= open.chunks[0]->relayed->message.joint;
        if (isComplete || (!open.chunks.empty() && open.since <= end))
        {
            Take(open, taken);
        }
        at = isComplete ? m_open.erase(at) : std::next(at);
    }
    return taken;
}

std::vector<RelayBundles::Bundle>
RelayBundles::TakeOf(uint32_t source)
{
    std::vector<Bundle> taken;
    for (auto& [key, open] : m_open)
    {
        const bool hasPart = std::any_of(open.chunks.begin(),
                                         open.chunks.end(),
                                         [source](const RelayChunkPtr& chunk)
                                         { return chunk->relayed->message.source == source; });
        if (hasPart)
        {
            Take(open, taken);
        }
    }
    return taken;
}

std::vector<RelayBundles::Bundle>
RelayBundles::TakeBefore(const Message& message)
{
    std::vector<Bundle> taken;
    const Stream stream = GetStream(message);
    for (auto at = m_open.lower_bound({stream, 0}); at != m_open.end() && at->first.first == stream;
         ++at)
    {
        Take(at->second, taken);
    }
    return taken;
}

uint64_t
RelayBundles::GetOldest() const
{
    uint64_t oldest = UINT64_MAX;
    for (const auto& [key, open] : m_open)
    {
        if (!open.chunks.empty())
        {
            oldest = std::min(oldest, open.since);
        }
    }
    return oldest;
}

} // namespace ns3::llm
