// SPDX-License-Identifier: GPL-2.0-only

// Acknowledgments of an ideal network: what they take of the links on their way.

#include "ideal-network.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

namespace
{

/** A change of acknowledgments smaller than this part of the data's rate is not passed on. */
constexpr double NEGLIGIBLE = 5e-5;

} // namespace

double
IdealNetwork::GetOpenAck(uint32_t queue, bool begins)
{
    const Flow& flow = m_flows.at(m_queues[queue].flow);
    Link& link = m_links[m_queues[queue].links.front()];
    if (flow.ackBits == 0 || link.flows.size() != 1 || link.ackStreams != 1)
    {
        return 0;
    }
    SettleAcks(link);
    const double done = std::fmod(link.ackBits, flow.ackBits);
    if (!begins)
    {
        return done > 0.999 * flow.ackBits ? 0 : done;
    }
    const double sent = std::min(done * link.capacity / link.ackRate, flow.ackBits);
    return sent - done;
}

double
IdealNetwork::GetFreeRate(const Link& link)
{
    return std::max(link.capacity - link.ackRate, 1e-3 * link.capacity);
}

void
IdealNetwork::AnnounceAcks(uint64_t message, double rate)
{
    Flow& flow = m_flows.at(message);
    const double ackRate = rate * flow.ackPerBit;
    const bool isEnd = rate == 0;
    if (flow.ackBits == 0 || (!isEnd && std::abs(ackRate - flow.ackRate) <= NEGLIGIBLE * rate))
    {
        return;
    }
    const double change = ackRate - flow.ackRate;
    const int streams = isEnd ? (flow.ackRate == 0 ? 0 : -1) : flow.ackRate == 0 ? 1 : 0;
    flow.ackRate = ackRate;
    const Queue& queue = m_queues[flow.queue];
    for (const uint32_t link : queue.ackLinks)
    {
        Schedule(flow.ackLag,
                 [this, link, change, streams]() { ChangeAcks(link, change, streams); });
    }
}

void
IdealNetwork::ChangeAcks(uint32_t number, double change, int streams)
{
    Link& link = m_links[number];
    SettleAcks(link);
    link.ackRate += change;
    link.ackStreams += streams;
    if (link.ackStreams == 0)
    {
        link.ackRate = 0;
        link.ackBits = 0;
    }
    if (!link.behind.IsIdle())
    {
        ServeSoon(number);
    }
    ShareSoon({number});
}

void
IdealNetwork::SettleAcks(Link& link) const
{
    link.ackBits += link.ackRate * (m_now - link.ackSettled);
    link.ackSettled = m_now;
}

} // namespace ns3::llm
