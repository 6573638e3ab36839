// SPDX-License-Identifier: GPL-2.0-only

#include "route-table.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

/** @param routes by destination @param size destinations in a block @return blocks have one route */
bool
AreUniform(const std::vector<uint16_t>& routes, std::size_t size)
{
    for (std::size_t i = 0; i < routes.size(); ++i)
    {
        if (routes[i] != routes[i / size * size])
        {
            return false;
        }
    }
    return true;
}

} // namespace

void
RouteTable::Assign(const std::vector<uint16_t>& routes)
{
    m_shift = 0;
    while (std::size_t{2} << m_shift <= routes.size() &&
           AreUniform(routes, std::size_t{2} << m_shift))
    {
        ++m_shift;
    }
    std::vector<uint16_t> blocks;
    for (std::size_t i = 0; i < routes.size(); i += std::size_t{1} << m_shift)
    {
        blocks.push_back(routes[i]);
    }
    m_first = 0;
    m_count = static_cast<uint32_t>(blocks.size());
    uint16_t others = 0;
    // the route of either end may be that of all outside the range
    for (const uint16_t route : {blocks.empty() ? uint16_t{0} : blocks.front(),
                                 blocks.empty() ? uint16_t{0} : blocks.back()})
    {
        const auto isOther = [route](uint16_t other)
        {
            return other != route;
        };
        const auto begin = std::find_if(blocks.begin(), blocks.end(), isOther);
        const auto end = std::find_if(blocks.rbegin(), blocks.rend(), isOther).base();
        const auto count = static_cast<uint32_t>(begin < end ? end - begin : 0);
        if (count <= m_count)
        {
            m_first = static_cast<uint32_t>(begin - blocks.begin());
            m_count = count;
            others = route;
        }
    }
    m_large.clear();
    uint16_t* entries = m_small.data();
    if (m_count > SMALL)
    {
        m_large.resize(m_count + 1);
        entries = m_large.data();
    }
    std::copy_n(blocks.begin() + m_first, m_count, entries);
    entries[m_count] = others;
    m_entries = entries;
}

} // namespace ns3::llm
