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

/** A change of acknowledgments smaller than this part of the data's rate is not passed on. */
constexpr double NEGLIGIBLE = 5e-5;

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
    queue.ackCredit = GetOpenAck(number, true);
    ShareSoon(queue.held);
}

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
IdealNetwork::ShareSoon(const std::vector<uint32_t>& links)
{
    if (m_toShare.empty())
    {
        Schedule(0, [this]() { Share(); });
    }
    m_toShare.insert(links.begin(), links.end());
}

void
IdealNetwork::Share()
{
    const std::set<uint32_t> links = std::move(m_toShare);
    m_toShare.clear();
    std::vector<uint32_t> flows;
    for (const uint32_t link : links)
    {
        for (const uint32_t flow : m_links[link].flows)
        {
            double rate = std::numeric_limits<double>::infinity();
            bool isAlone = true;
            for (const uint32_t own : m_queues[flow].held)
            {
                rate = std::min(rate, GetFreeRate(m_links[own]));
                isAlone = isAlone && m_links[own].flows.size() == 1;
            }
            if (isAlone)
            {
                SetRate(flow, rate); // nearly always, and much quicker than the general way
            }
            else
            {
                flows.push_back(flow);
            }
        }
    }
    if (!flows.empty())
    {
        ShareAmong(std::move(flows));
    }
}

void
IdealNetwork::ShareAmong(std::vector<uint32_t> flows)
{
    // All flows that share a link with one of them, or with one that does, and so on.
    std::set<uint32_t> all(flows.begin(), flows.end());
    std::set<uint32_t> seen;
    while (!flows.empty())
    {
        const uint32_t flow = flows.back();
        flows.pop_back();
        for (const uint32_t link : m_queues[flow].held)
        {
            if (seen.insert(link).second)
            {
                for (const uint32_t other : m_links[link].flows)
                {
                    if (all.insert(other).second)
                    {
                        flows.push_back(other);
                    }
                }
            }
        }
    }
    const std::vector<uint32_t> list(all.begin(), all.end());
    const std::vector<double> rates = GetFairRates(list);
    for (size_t i = 0; i < list.size(); ++i)
    {
        SetRate(list[i], rates[i]);
    }
}

std::vector<double>
IdealNetwork::GetFairRates(const std::vector<uint32_t>& flows) const
{
    std::map<uint32_t, double> free;      // by link: rate not yet given away
    std::map<uint32_t, uint32_t> waiting; // by link: flows without a rate
    for (const uint32_t flow : flows)
    {
        for (const uint32_t link : m_queues[flow].held)
        {
            free[link] = GetFreeRate(m_links[link]);
            ++waiting[link];
        }
    }
    std::vector<double> rates(flows.size(), 0);
    std::vector<bool> given(flows.size(), false);
    for (size_t left = flows.size(); left > 0;)
    {
        double share = std::numeric_limits<double>::infinity();
        for (const auto& [link, rate] : free)
        {
            share = waiting[link] > 0 ? std::min(share, rate / waiting[link]) : share;
        }
        const double limit = share * (1 + 1e-12);
        std::vector<size_t> limited;
        for (size_t i = 0; i < flows.size(); ++i)
        {
            const auto& own = m_queues[flows[i]].held;
            if (!given[i] &&
                std::any_of(own.begin(),
                            own.end(),
                            [&](uint32_t link) { return free[link] / waiting[link] <= limit; }))
            {
                limited.push_back(i);
            }
        }
        for (const size_t i : limited)
        {
            given[i] = true;
            rates[i] = share;
            --left;
            for (const uint32_t link : m_queues[flows[i]].held)
            {
                free[link] = std::max(0.0, free[link] - share);
                --waiting[link];
            }
        }
    }
    return rates;
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
    double lag = flow.ackLag;
    for (std::size_t i = 0; i < queue.ackLinks.size(); ++i)
    {
        const uint32_t link = queue.ackLinks[i];
        Schedule(lag, [this, link, change, streams]() { ChangeAcks(link, change, streams); });
        lag += static_cast<double>(queue.leg.ackLinks[i].delay.GetPicoSeconds()) +
               flow.ackBits / GetRate(queue.leg.ackLinks[i]);
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
    link.behind.SetCapacity(m_now, GetFreeRate(link));
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
