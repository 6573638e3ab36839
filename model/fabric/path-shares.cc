// SPDX-License-Identifier: GPL-2.0-only

#include "path-shares.h"

#include <algorithm>
#include <utility>

namespace ns3::llm
{

uint32_t
PathShares::AddLink(uint64_t capacity)
{
    m_links.emplace_back();
    m_links.back().capacity = capacity;
    return static_cast<uint32_t>(m_links.size() - 1);
}

uint32_t
PathShares::AddFlow(std::vector<Use> uses)
{
    m_flows.emplace_back();
    m_flows.back().uses = std::move(uses);
    return static_cast<uint32_t>(m_flows.size() - 1);
}

void
PathShares::SetActive(uint32_t number, bool isActive)
{
    Flow& flow = m_flows.at(number);
    if (isActive && flow.position == NOWHERE)
    {
        flow.position = static_cast<uint32_t>(m_active.size());
        m_active.push_back(number);
    }
    else if (!isActive && flow.position != NOWHERE)
    {
        const uint32_t moved = m_active.back();
        m_active[flow.position] = moved;
        m_flows[moved].position = flow.position;
        m_active.pop_back();
        flow.position = NOWHERE;
    }
}

void
PathShares::FindLinks()
{
    m_open.clear();
    for (const uint32_t number : m_active)
    {
        m_flows[number].rate = UNLIMITED;
        for (const Use& use : m_flows[number].uses)
        {
            Link& link = m_links[use.link];
            if (link.found != m_round)
            {
                link.found = m_round;
                link.left = link.capacity * UNIT;
                link.weight = 0;
                link.flows.clear();
                m_open.push_back(use.link);
            }
            link.weight += use.weight;
            link.flows.push_back(number);
        }
    }
}

void
PathShares::Freeze(uint32_t number, uint64_t rate)
{
    Flow& flow = m_flows[number];
    if (flow.frozen == m_round)
    {
        return;
    }
    flow.frozen = m_round;
    flow.rate = rate;
    for (const Use& use : flow.uses)
    {
        m_links[use.link].left -= rate * use.weight;
        m_links[use.link].weight -= use.weight;
    }
}

void
PathShares::Update()
{
    ++m_round;
    FindLinks();
    while (true)
    {
        m_open.erase(std::remove_if(m_open.begin(),
                                    m_open.end(),
                                    [this](uint32_t l) { return m_links[l].weight == 0; }),
                     m_open.end());
        if (m_open.empty())
        {
            return;
        }
        // decide who is tight before anything is given, so that those who tie are treated alike
        uint64_t level = UNLIMITED;
        for (const uint32_t number : m_open)
        {
            const uint64_t share = m_links[number].left / m_links[number].weight;
            if (share < level)
            {
                level = share;
                m_tight.clear();
            }
            if (share == level)
            {
                m_tight.push_back(number);
            }
        }
        for (const uint32_t number : m_tight)
        {
            for (const uint32_t flow : m_links[number].flows)
            {
                Freeze(flow, level);
            }
        }
        m_tight.clear();
    }
}

uint64_t
PathShares::GetRate(uint32_t flow) const
{
    return m_flows.at(flow).rate;
}

const std::vector<uint32_t>&
PathShares::GetActive() const
{
    return m_active;
}

} // namespace ns3::llm
