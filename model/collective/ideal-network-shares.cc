// SPDX-License-Identifier: GPL-2.0-only

// Who gets how much of the links that messages share at the same time.

#include "ideal-network.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace ns3::llm
{

void
IdealNetwork::ShareSoon(const std::vector<uint32_t>& links)
{
    if (m_toShare.empty())
    {
        Schedule(0, [this]() { Share(); });
    }
    m_toShare.insert(links.begin(), links.end());
}

std::vector<uint32_t>
IdealNetwork::GetSenders(uint32_t link) const
{
    std::vector<uint32_t> senders = m_links[link].flows;
    senders.insert(senders.end(), m_links[link].later.begin(), m_links[link].later.end());
    return senders;
}

void
IdealNetwork::Share()
{
    const std::set<uint32_t> links = std::move(m_toShare);
    m_toShare.clear();
    std::vector<uint32_t> flows;
    for (const uint32_t link : links)
    {
        for (const uint32_t flow : GetSenders(link))
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
                for (const uint32_t own : m_queues[flow].links)
                {
                    const bool isShared =
                        m_links[own].later.size() > 1 || m_links[own].behind.IsShared();
                    rate = isShared ? rate : std::min(rate, GetFreeRate(m_links[own]));
                }
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

} // namespace ns3::llm
