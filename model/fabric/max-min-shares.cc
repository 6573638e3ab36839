// SPDX-License-Identifier: GPL-2.0-only

#include "max-min-shares.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3::llm
{

MaxMinShares::MaxMinShares(uint32_t resources)
    : m_resources(resources)
{
}

void
MaxMinShares::SetCapacity(uint32_t resource, uint64_t capacity)
{
    m_resources.at(resource).capacity = capacity;
    Touch(resource);
}

uint32_t
MaxMinShares::AddResource()
{
    m_resources.emplace_back();
    return static_cast<uint32_t>(m_resources.size() - 1);
}

uint32_t
MaxMinShares::AddFlow(uint32_t first, uint32_t second)
{
    NS_ASSERT_MSG(first != second, "a flow uses two resources");
    const uint32_t number = TakeFlow();
    AddUse(number, first);
    AddUse(number, second);
    return number;
}

uint32_t
MaxMinShares::AddFlow(const std::vector<uint32_t>& uses)
{
    const uint32_t number = TakeFlow();
    uint32_t place = number;
    for (uint32_t resource : uses)
    {
        if (m_flows[place].count == MAX_USES)
        {
            const uint32_t next = TakeFlow();
            m_flows[next].first = number;
            m_flows[place].next = next;
            place = next;
        }
        AddUse(place, resource);
    }
    return number;
}

uint32_t
MaxMinShares::TakeFlow()
{
    uint32_t number;
    if (m_freeFlows.empty())
    {
        number = static_cast<uint32_t>(m_flows.size());
        m_flows.emplace_back();
    }
    else
    {
        number = m_freeFlows.back();
        m_freeFlows.pop_back();
    }
    Flow& flow = m_flows[number];
    flow.bottleneck = NONE;
    flow.rate = 0;
    flow.count = 0;
    flow.first = number;
    flow.next = NONE;
    return number;
}

void
MaxMinShares::AddUse(uint32_t number, uint32_t resource)
{
    Flow& flow = m_flows[number];
    auto& list = m_resources[resource].flows;
    flow.uses[flow.count] = {resource, static_cast<uint32_t>(list.size())};
    list.push_back(MAX_USES * number + flow.count);
    ++flow.count;
    Touch(resource);
}

void
MaxMinShares::RemoveFlow(uint32_t number)
{
    const uint64_t rate = m_flows[number].rate;
    for (uint32_t place = number; place != NONE; place = m_flows[place].next)
    {
        Flow& flow = m_flows[place];
        for (uint32_t i = 0; i < flow.count; ++i)
        {
            const Use use = flow.uses[i];
            Resource& resource = m_resources[use.resource];
            const uint32_t moved = resource.flows.back();
            resource.flows[use.position] = moved;
            m_flows[moved / MAX_USES].uses[moved % MAX_USES].position = use.position;
            resource.flows.pop_back();
            resource.load -= rate;
            Touch(use.resource);
        }
        flow.rate = 0;
        m_freeFlows.push_back(place);
    }
}

void
MaxMinShares::Touch(uint32_t resource)
{
    if (!m_resources[resource].touched)
    {
        m_resources[resource].touched = true;
        m_touched.push_back(resource);
    }
}

void
MaxMinShares::FindConnected()
{
    m_reached.clear();
    auto reach = [this](uint32_t number)
    {
        Resource& resource = m_resources[number];
        if (resource.found != m_round)
        {
            resource.found = m_round;
            resource.left = resource.capacity;
            resource.open = static_cast<uint32_t>(resource.flows.size());
            m_reached.push_back(number);
        }
    };
    for (uint32_t number : m_touched)
    {
        m_resources[number].touched = false;
        reach(number);
    }
    m_touched.clear();
    for (std::size_t next = 0; next < m_reached.size(); ++next)
    {
        for (uint32_t entry : m_resources[m_reached[next]].flows)
        {
            const Flow& flow = m_flows[entry / MAX_USES];
            for (uint32_t i = 0; i < flow.count; ++i)
            {
                reach(flow.uses[i].resource);
            }
            if (flow.first != entry / MAX_USES || flow.next != NONE)
            {
                for (uint32_t place = flow.first; place != NONE; place = m_flows[place].next)
                {
                    for (uint32_t i = 0; i < m_flows[place].count; ++i)
                    {
                        reach(m_flows[place].uses[i].resource);
                    }
                }
            }
        }
    }
}

uint64_t
MaxMinShares::FindLevel()
{
    uint64_t level = UINT64_MAX;
    std::size_t kept = 0;
    for (uint32_t number : m_open)
    {
        Resource& resource = m_resources[number];
        if (resource.open == 0)
        {
            resource.load = resource.capacity - resource.left;
            continue;
        }
        m_open[kept++] = number;
        resource.share = resource.left / resource.open;
        level = std::min(level, resource.share);
    }
    m_open.resize(kept);
    return level;
}

void
MaxMinShares::Freeze(uint32_t number, uint32_t by)
{
    Flow& flow = m_flows[number];
    if (flow.frozen == m_round)
    {
        return;
    }
    flow.frozen = m_round;
    flow.rate = m_resources[by].level;
    for (uint32_t place = number; place != NONE; place = m_flows[place].next)
    {
        for (uint32_t i = 0; i < m_flows[place].count; ++i)
        {
            Resource& used = m_resources[m_flows[place].uses[i].resource];
            used.left -= flow.rate;
            --used.open;
        }
    }
    if (flow.bottleneck == NONE || m_resources[flow.bottleneck].tight != m_step)
    {
        flow.bottleneck = by;
        m_moved.push_back(number);
    }
}

void
MaxMinShares::Update()
{
    ++m_round;
    m_moved.clear();
    FindConnected();
    m_open = m_reached;
    for (uint64_t level = FindLevel(); !m_open.empty(); level = FindLevel())
    {
        // decide who is tight before anything is given, so that those who tie are treated alike
        ++m_step;
        m_tight.clear();
        for (uint32_t number : m_open)
        {
            Resource& resource = m_resources[number];
            if (resource.share == level)
            {
                resource.level = level;
                resource.tight = m_step;
                m_tight.push_back(number);
            }
        }
        for (uint32_t number : m_tight)
        {
            for (uint32_t entry : m_resources[number].flows)
            {
                Freeze(m_flows[entry / MAX_USES].first, number);
            }
        }
    }
}

const std::vector<uint32_t>&
MaxMinShares::GetReached() const
{
    return m_reached;
}

const std::vector<uint32_t>&
MaxMinShares::GetMoved() const
{
    return m_moved;
}

uint32_t
MaxMinShares::GetBottleneck(uint32_t flow) const
{
    return m_flows.at(flow).bottleneck;
}

uint64_t
MaxMinShares::GetLevel(uint32_t resource) const
{
    return m_resources.at(resource).level;
}

uint64_t
MaxMinShares::GetRate(uint32_t flow) const
{
    return m_flows.at(flow).rate;
}

uint64_t
MaxMinShares::GetLoad(uint32_t resource) const
{
    return m_resources.at(resource).load;
}

uint32_t
MaxMinShares::GetFlowCount(uint32_t resource) const
{
    return static_cast<uint32_t>(m_resources.at(resource).flows.size());
}

} // namespace ns3::llm
