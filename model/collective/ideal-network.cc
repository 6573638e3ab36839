// SPDX-License-Identifier: GPL-2.0-only

#include "ideal-network.h"

#include "frame-train.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ns3::llm
{

namespace
{

constexpr double PICOSECONDS = 1e12; //!< in a second

constexpr double ROUNDING = 1e-9; //!< a smaller change of a rate, as a part of it, is none

/**
 * @param link a link
 * @return its rate in bits per ps
 */
double
GetRate(const PathLink& link)
{
    return static_cast<double>(link.rate.GetBitRate()) / PICOSECONDS;
}

/**
 * @param links a way
 * @param bits wire bits of a frame
 * @return time that the frame takes on each link, ps
 */
std::vector<double>
GetFrameTimes(const std::vector<PathLink>& links, double bits)
{
    std::vector<double> times;
    for (const PathLink& link : links)
    {
        times.push_back(bits / GetRate(link));
    }
    return times;
}

} // namespace

uint32_t
IdealNetwork::AddQueue(const PathLeg& leg)
{
    NS_ABORT_MSG_IF(leg.links.empty(), "a path without links has no ideal time");
    Queue queue;
    queue.leg = leg;
    queue.links = AddLinks(leg.links, leg.parallel);
    queue.held = queue.links;
    if (!leg.isFluid)
    {
        queue.held.resize(1);
    }
    queue.ackLinks = AddLinks(leg.ackLinks, leg.parallel);
    m_queues.push_back(std::move(queue));
    return static_cast<uint32_t>(m_queues.size() - 1);
}

std::vector<uint32_t>
IdealNetwork::AddLinks(const std::vector<PathLink>& links, uint32_t parallel)
{
    std::vector<uint32_t> numbers;
    for (const PathLink& link : links)
    {
        const auto [place, isNew] =
            m_linkNumbers.emplace(link.id, static_cast<uint32_t>(m_links.size()));
        if (isNew)
        {
            m_links.emplace_back();
            m_links.back().capacity = GetRate(link) * parallel;
            m_links.back().behind.SetCapacity(m_now, m_links.back().capacity);
        }
        numbers.push_back(place->second);
    }
    return numbers;
}

void
IdealNetwork::Schedule(double delay, Action action)
{
    m_events.push_back({m_now + std::max(delay, 0.0), m_sequence++, std::move(action)});
    std::push_heap(m_events.begin(), m_events.end());
}

void
IdealNetwork::Run()
{
    while (!m_events.empty())
    {
        std::pop_heap(m_events.begin(), m_events.end());
        const Event event = std::move(m_events.back());
        m_events.pop_back();
        m_now = event.time;
        event.action();
    }
}

double
IdealNetwork::GetNow() const
{
    return m_now;
}

void
IdealNetwork::Send(uint32_t queue, uint64_t bytes, Action delivered)
{
    m_queues[queue].transfers.push_back({bytes, std::move(delivered)});
    if (m_queues[queue].flow == 0)
    {
        Begin(queue);
    }
}

IdealNetwork::Flow
IdealNetwork::FrameMessage(const PathLeg& leg, uint64_t bytes)
{
    const uint64_t whole = bytes / leg.mtu;
    const uint64_t frames = std::max<uint64_t>(1, whole + (bytes % leg.mtu != 0 ? 1 : 0));
    const uint64_t writes = (frames - 1) / leg.framesPerWrite + 1;
    const double fullBits = 8.0 * (std::min<uint64_t>(bytes, leg.mtu) + leg.dataOverhead);
    const double lastBits = 8.0 * (bytes - (frames - 1) * leg.mtu + leg.dataOverhead);
    const double moreBits = 8.0 * leg.firstOverhead;
    Flow flow;
    flow.wireBits = 8.0 * static_cast<double>(bytes) +
                    8.0 * static_cast<double>(frames) * leg.dataOverhead +
                    static_cast<double>(writes) * moreBits;
    const FrameTrain<double> train{GetFrameTimes(leg.links, fullBits + moreBits),
                                   GetFrameTimes(leg.links, fullBits),
                                   GetFrameTimes(leg.links, lastBits)};
    double slowest = std::numeric_limits<double>::infinity();
    double delay = 0;
    double first = 0;  // until the first frame is there
    double before = 0; // until the last link
    for (std::size_t i = 0; i < leg.links.size(); ++i)
    {
        const double propagation = static_cast<double>(leg.links[i].delay.GetPicoSeconds());
        slowest = std::min(slowest, GetRate(leg.links[i]));
        delay += propagation;
        first += train.first[i];
        if (i + 1 < leg.links.size())
        {
            // a frame is stored for its time on the faster link: at the slower one it waits anyway
            flow.delays.push_back(propagation + std::min(train.first[i], train.first[i + 1]));
            before += flow.delays.back();
        }
    }
    // the first frames of further writes are longer where all frames wait for each other
    const double further = static_cast<double>(writes - 1) * moreBits / slowest;
    const double carried = frames == 1 ? first : GetTrainTime(train, frames);
    flow.tail = delay + carried + further - flow.wireBits / slowest - before;
    const uint64_t acks = (frames + leg.framesPerAck - 1) / leg.framesPerAck;
    flow.ackBits = 8.0 * leg.ackSize;
    flow.ackPerBit = static_cast<double>(acks) * flow.ackBits / flow.wireBits;
    const double waited = std::min<double>(leg.framesPerAck, frames) - 1;
    flow.ackLag = delay + first + waited * fullBits / slowest - before;
    return flow;
}

void
IdealNetwork::Begin(uint32_t number)
{
    Queue& queue = m_queues[number];
    const uint64_t bytes = queue.transfers.front().bytes;
    Flow flow;
    if (queue.leg.isFluid)
    {
        flow.wireBits = 8 * std::ceil(static_cast<double>(bytes) * queue.leg.wireOverhead);
        flow.tail = static_cast<double>(queue.leg.fluidDelay.GetPicoSeconds());
    }
    else
    {
        flow = FrameMessage(queue.leg, bytes);
    }
    flow.queue = number;
    flow.delivered = std::move(queue.transfers.front().delivered);
    queue.transfers.pop_front();
    queue.flow = ++m_lastFlow;
    queue.remainingBits = flow.wireBits;
    queue.settled = m_now;
    queue.rate = 0;
    m_flows.emplace(queue.flow, std::move(flow));
    for (const uint32_t link : queue.held)
    {
        m_links[link].flows.push_back(number);
    }
    for (std::size_t i = queue.held.size(); i < queue.links.size(); ++i)
    {
        m_links[queue.links[i]].later.push_back(number);
    }
    queue.ackCredit = GetOpenAck(number, true);
    ShareSoon(queue.held);
}

void
IdealNetwork::SetRate(uint32_t number, double rate)
{
    Queue& queue = m_queues[number];
    if (std::abs(rate - queue.rate) <= ROUNDING * rate)
    {
        return;
    }
    queue.remainingBits -= queue.rate * (m_now - queue.settled);
    queue.settled = m_now;
    queue.rate = rate;
    const uint64_t version = ++queue.version;
    Schedule(queue.remainingBits / rate, [this, number, version]() { Finish(number, version); });
    Pass(queue.flow, 0, rate);
}

void
IdealNetwork::Finish(uint32_t number, uint64_t version)
{
    Queue& queue = m_queues[number];
    if (version != queue.version)
    {
        return;
    }
    ++queue.version;
    queue.rate = 0;
    const double credit = queue.ackCredit + GetOpenAck(number, false);
    m_flows.at(queue.flow).tail -= credit / m_links[queue.links.front()].capacity;
    PassEnd(queue.flow, 0);
    queue.flow = 0;
    for (const uint32_t link : queue.held)
    {
        auto& flows = m_links[link].flows;
        flows.erase(std::find(flows.begin(), flows.end(), number));
    }
    for (std::size_t i = queue.held.size(); i < queue.links.size(); ++i)
    {
        auto& later = m_links[queue.links[i]].later;
        later.erase(std::find(later.begin(), later.end(), number));
    }
    if (queue.transfers.empty())
    {
        ShareSoon(queue.held);
    }
    else
    {
        Begin(number);
    }
}

void
IdealNetwork::Pass(uint64_t message, std::size_t hop, double rate)
{
    const Flow& flow = m_flows.at(message);
    if (hop == flow.delays.size())
    {
        AnnounceAcks(message, rate);
        return;
    }
    const uint32_t link = m_queues[flow.queue].links[hop + 1];
    Schedule(flow.delays[hop],
             [this, message, link, rate]()
             {
                 m_links[link].behind.SetInput(m_now, message, rate);
                 ServeSoon(link);
             });
}

void
IdealNetwork::PassEnd(uint64_t message, std::size_t hop)
{
    Flow& flow = m_flows.at(message);
    if (hop == flow.delays.size())
    {
        AnnounceAcks(message, 0);
        Schedule(flow.tail, std::move(flow.delivered));
        m_flows.erase(message);
        return;
    }
    const uint32_t link = m_queues[flow.queue].links[hop + 1];
    Schedule(flow.delays[hop],
             [this, message, link]()
             {
                 m_links[link].behind.EndInput(m_now, message);
                 ServeSoon(link);
             });
}

void
IdealNetwork::ServeSoon(uint32_t link)
{
    if (m_toServe.empty())
    {
        Schedule(0,
                 [this]()
                 {
                     for (const uint32_t one : std::exchange(m_toServe, {}))
                     {
                         Serve(one);
                     }
                 });
    }
    m_toServe.insert(link);
}

void
IdealNetwork::Serve(uint32_t number)
{
    Link& link = m_links[number];
    link.behind.Settle(m_now);
    // what has the link for itself was sent at the rate that acknowledgments leave there
    link.behind.SetCapacity(m_now, link.behind.IsShared() ? GetFreeRate(link) : link.capacity);
    for (const uint64_t message : link.behind.TakeEnded())
    {
        PassEnd(message, FindHop(message, number));
    }
    for (const auto& [message, rate] : link.behind.TakeChanges())
    {
        Pass(message, FindHop(message, number), rate);
    }
    const uint64_t version = ++link.version;
    const double next = link.behind.GetNextChange();
    if (std::isfinite(next))
    {
        Schedule(next - m_now,
                 [this, number, version]()
                 {
                     if (m_links[number].version == version)
                     {
                         Serve(number);
                     }
                 });
    }
}

std::size_t
IdealNetwork::FindHop(uint64_t message, uint32_t link) const
{
    const std::vector<uint32_t>& links = m_queues[m_flows.at(message).queue].links;
    return static_cast<std::size_t>(std::find(links.begin() + 1, links.end(), link) -
                                    links.begin());
}

} // namespace ns3::llm
