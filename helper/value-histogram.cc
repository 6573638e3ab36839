// SPDX-License-Identifier: GPL-2.0-only

#include "value-histogram.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

ValueHistogram::ValueHistogram(uint64_t width)
    : m_width(width)
{
    NS_ABORT_MSG_IF(width == 0, "bins need a width");
}

uint64_t
ValueHistogram::GetTotal() const
{
    return m_total;
}

uint64_t
ValueHistogram::GetMax() const
{
    return m_max;
}

uint64_t
ValueHistogram::GetPercentile(double percent) const
{
    const double wanted = std::ceil(percent / 100 * static_cast<double>(m_total));
    const auto rank = std::max<uint64_t>(1, static_cast<uint64_t>(wanted));
    uint64_t seen = 0;
    for (std::size_t bin = 0; bin < m_counts.size(); ++bin)
    {
        seen += m_counts[bin];
        if (seen >= rank)
        {
            return bin * m_width;
        }
    }
    return 0;
}

std::vector<ValueHistogram::Step>
ValueHistogram::GetDistribution(std::size_t most) const
{
    std::vector<Step> steps;
    uint64_t seen = 0;
    double shown = -1;
    const double least = 100.0 / static_cast<double>(most - 1);
    for (std::size_t bin = 0; bin < m_counts.size(); ++bin)
    {
        seen += m_counts[bin];
        const double percent = 100.0 * static_cast<double>(seen) / static_cast<double>(m_total);
        const bool isEnd = steps.empty() || seen == m_total;
        if (m_counts[bin] != 0 && (isEnd || percent - shown >= least))
        {
            steps.push_back({bin * m_width, percent});
            shown = percent;
        }
    }
    return steps;
}

} // namespace ns3::llm
