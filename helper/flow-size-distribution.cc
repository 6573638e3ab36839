// SPDX-License-Identifier: GPL-2.0-only

#include "flow-size-distribution.h"

#include "line-fields.h"

#include "ns3/input-error.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

namespace
{

/** Largest size that is taken. */
constexpr uint64_t MAX_BYTES = 1ull << 50;

/**
 * @param point a point
 * @return its text
 */
std::string
Describe(const FlowSizeDistribution::Point& point)
{
    return std::to_string(point.bytes) + " B at " + FormatNumber(point.percent, 3) + " %";
}

} // namespace

FlowSizeDistribution::FlowSizeDistribution(std::vector<Point> points, const std::string& name)
    : m_points(std::move(points))
{
    const std::string title = "flow sizes of " + name + ": ";
    if (m_points.empty())
    {
        RefuseInput(title + "no point; at least one is needed");
    }
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        const Point& before = m_points[i - 1];
        if (m_points[i].bytes < before.bytes || m_points[i].percent < before.percent)
        {
            RefuseInput(title + Describe(m_points[i]) + " after " + Describe(before) +
                        ": neither sizes nor percentages may fall");
        }
    }
    if (m_points.front().percent < 0 || m_points.back().percent != 100)
    {
        const bool isShare = m_points.back().percent == 1;
        RefuseInput(title + "they go from " + Describe(m_points.front()) + " to " +
                    Describe(m_points.back()) + "; they must go from at least 0 % to 100 %" +
                    (isShare ? "; are these shares instead of percentages?" : ""));
    }
}

FlowSizeDistribution
FlowSizeDistribution::ReadFile(const std::string& file)
{
    const bool isName = file.find_first_of("./") == std::string::npos;
    const std::string path = isName ? FindDataFile("flow-sizes/" + file + ".txt") : file;
    LineFields lines("flow-size file", path);
    std::vector<Point> points;
    while (lines.Next())
    {
        lines.Expect({"size [B]", "percent"});
        points.push_back({lines.GetWhole(0, 0, MAX_BYTES), lines.GetNumber(1, 0, 100)});
    }
    return FlowSizeDistribution(std::move(points), "'" + path + "'");
}

uint64_t
FlowSizeDistribution::GetQuantile(double share) const
{
    const double percent = 100 * share;
    const auto above =
        std::lower_bound(m_points.begin(),
                         m_points.end(),
                         percent,
                         [](const Point& point, double limit) { return point.percent < limit; });
    double bytes = 0;
    if (above == m_points.begin())
    {
        bytes = static_cast<double>(above->bytes);
    }
    else if (above == m_points.end())
    {
        bytes = static_cast<double>(m_points.back().bytes);
    }
    else
    {
        const Point& below = *(above - 1);
        const double part = (percent - below.percent) / (above->percent - below.percent);
        bytes = static_cast<double>(below.bytes) +
                part * static_cast<double>(above->bytes - below.bytes);
    }
    return static_cast<uint64_t>(std::max<int64_t>(1, std::llround(bytes)));
}

double
FlowSizeDistribution::GetMean() const
{
    const Point& first = m_points.front();
    double mean = static_cast<double>(first.bytes) * first.percent / 100;
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        const double share = (m_points[i].percent - m_points[i - 1].percent) / 100;
        mean += share * static_cast<double>(m_points[i].bytes + m_points[i - 1].bytes) / 2;
    }
    return mean;
}

const std::vector<FlowSizeDistribution::Point>&
FlowSizeDistribution::GetPoints() const
{
    return m_points;
}

} // namespace ns3::llm
