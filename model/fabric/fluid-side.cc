// SPDX-License-Identifier: GPL-2.0-only

#include "fluid-side.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3::llm
{

void
FluidSide::Settle(uint64_t now)
{
    m_served += FluidWork{m_rate} * (now - m_since);
    m_carried += FluidWork{m_load} * (now - m_since);
    m_since = now;
}

void
FluidSide::SetRates(uint64_t rate, uint64_t load)
{
    m_rate = rate;
    m_load = load;
}

void
FluidSide::Join()
{
    ++m_limited;
}

void
FluidSide::Leave()
{
    --m_limited;
}

void
FluidSide::Push(FluidWork end, uint32_t queue, uint64_t version)
{
    m_endings.push_back({end, queue, version});
    std::push_heap(m_endings.begin(), m_endings.end());
}

void
FluidSide::FindNext(const std::vector<uint64_t>& versions)
{
    auto isOld = [&versions](const Ending& ending)
    {
        return versions[ending.queue] != ending.version;
    };
    if (m_endings.size() > 2 * m_limited + 64)
    {
        m_endings.erase(std::remove_if(m_endings.begin(), m_endings.end(), isOld), m_endings.end());
        std::make_heap(m_endings.begin(), m_endings.end());
    }
    while (!m_endings.empty() && isOld(m_endings.front()))
    {
        std::pop_heap(m_endings.begin(), m_endings.end());
        m_endings.pop_back();
    }
    m_next = NEVER;
    if (m_endings.empty() || m_rate == 0)
    {
        return;
    }
    const FluidWork end = m_endings.front().end;
    const FluidWork left = end > m_served ? end - m_served : 0;
    const FluidWork ticks = (left + m_rate - 1) / m_rate;
    if (ticks < NEVER - m_since)
    {
        m_next = m_since + static_cast<uint64_t>(ticks);
    }
}

void
FluidSide::TakeBack(FluidWork excess)
{
    m_carried -= excess;
}

uint32_t
FluidSide::GetFirst() const
{
    return m_endings.front().queue;
}

FluidWork
FluidSide::GetServed() const
{
    return m_served;
}

FluidWork
FluidSide::GetCarried(uint64_t now) const
{
    NS_ABORT_MSG_IF(now < m_since, "a fluid domain does not know its past");
    return m_carried + FluidWork{m_load} * (now - m_since);
}

uint64_t
FluidSide::GetLoad() const
{
    return m_load;
}

} // namespace ns3::llm
