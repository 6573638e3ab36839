// SPDX-License-Identifier: GPL-2.0-only

#include "ideal-link.h"

#include <cmath>
#include <limits>
#include <utility>

namespace ns3::llm
{

namespace
{

constexpr double NOTHING = 1e-3; //!< bits: less does not count

constexpr double NEGLIGIBLE = 1e-5; //!< smaller changes of a rate are not told, as a part of it

} // namespace

void
IdealLink::SetCapacity(double now, double capacity)
{
    Settle(now);
    m_capacity = capacity;
    WaitIfFull();
}

void
IdealLink::SetInput(double now, uint64_t message, double rate)
{
    Settle(now);
    double& input = m_inputs[message];
    m_total += rate - input;
    input = rate;
    BeginPart();
}

void
IdealLink::EndInput(double now, uint64_t message)
{
    Settle(now);
    const auto place = m_inputs.find(message);
    m_total = m_inputs.size() == 1 ? 0 : m_total - place->second;
    m_inputs.erase(place);
    if (m_parts.empty())
    {
        m_ended.push_back(message);
        return;
    }
    m_parts.back().ended.push_back(message);
    BeginPart();
}

void
IdealLink::Settle(double now)
{
    if (!m_parts.empty())
    {
        m_parts.back().bits += m_total * (now - m_settled);
        m_parts.front().bits -= m_capacity * (now - m_settled);
    }
    m_settled = now;
    while (!m_parts.empty() && m_parts.front().bits <= NOTHING)
    {
        if (m_parts.size() == 1 && m_total > m_capacity)
        {
            return; // nothing waits yet
        }
        const std::vector<uint64_t>& ended = m_parts.front().ended;
        m_ended.insert(m_ended.end(), ended.begin(), ended.end());
        m_parts.pop_front();
    }
}

double
IdealLink::GetNextChange() const
{
    if (m_parts.empty())
    {
        return std::numeric_limits<double>::infinity();
    }
    const double loss = m_parts.size() == 1 ? m_capacity - m_total : m_capacity;
    return loss > 0 ? m_settled + m_parts.front().bits / loss
                    : std::numeric_limits<double>::infinity();
}

void
IdealLink::BeginPart()
{
    if (!m_parts.empty())
    {
        m_parts.push_back({m_inputs, m_total, 0, {}});
        Settle(m_settled); // a part that has lasted for no time is none
    }
    WaitIfFull();
}

void
IdealLink::WaitIfFull()
{
    if (m_parts.empty() && m_total > m_capacity)
    {
        m_parts.push_back({m_inputs, m_total, 0, {}});
    }
}

bool
IdealLink::IsIdle() const
{
    return m_inputs.empty() && m_parts.empty();
}

bool
IdealLink::IsShared() const
{
    return m_inputs.size() > 1 || !m_parts.empty();
}

std::vector<IdealLink::Rate>
IdealLink::TakeChanges()
{
    std::map<uint64_t, double> outputs = m_parts.empty() ? m_inputs : m_parts.front().rates;
    const double share = m_parts.empty() ? 1 : m_capacity / m_parts.front().total;
    std::vector<Rate> changes;
    for (auto& [message, rate] : outputs)
    {
        rate *= share;
        const auto before = m_outputs.find(message);
        const double old = before == m_outputs.end() ? 0 : before->second;
        if (std::abs(rate - old) > NEGLIGIBLE * (rate + old))
        {
            changes.emplace_back(message, rate);
        }
        else
        {
            rate = old;
        }
    }
    for (const auto& [message, rate] : m_outputs)
    {
        if (rate > 0 && outputs.count(message) == 0)
        {
            changes.emplace_back(message, 0);
        }
    }
    m_outputs = std::move(outputs);
    return changes;
}

std::vector<uint64_t>
IdealLink::TakeEnded()
{
    for (const uint64_t message : m_ended)
    {
        m_outputs.erase(message);
    }
    return std::exchange(m_ended, {});
}

} // namespace ns3::llm
