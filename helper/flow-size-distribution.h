// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_SIZE_DISTRIBUTION_H
#define LLM_FABRIC_FLOW_SIZE_DISTRIBUTION_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A cumulative distribution of flow sizes, given by points and linear between them. Where the first
 * point has more than 0 %, that share of the flows has its size; so have the flows between two points
 * of equal size.
 */
class FlowSizeDistribution
{
  public:
    /** A point of the distribution. */
    struct Point
    {
        uint64_t bytes = 0; //!< a size
        double percent = 0; //!< of the flows that are not larger
    };

    /**
     * @param points at least one; neither sizes nor percentages fall, the last one has 100 %
     * @param name for messages: the file
     */
    explicit FlowSizeDistribution(std::vector<Point> points, const std::string& name = "points");

    /**
     * Read a file with a point a line, size in bytes and percent, as public flow generators have them;
     * "#" begins a comment.
     * @param file its path, or the name of one of data/flow-sizes: "web-search"
     * @return the distribution
     */
    static FlowSizeDistribution ReadFile(const std::string& file);

    /**
     * The inverse of the distribution.
     * @param share of the flows, 0 to 1
     * @return the size in bytes that so many are not larger than, at least 1
     */
    uint64_t GetQuantile(double share) const;
    /** @return mean of the sizes in bytes, before they are rounded */
    double GetMean() const;
    /** @return the points */
    const std::vector<Point>& GetPoints() const;

  private:
    std::vector<Point> m_points; //!< in order
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_SIZE_DISTRIBUTION_H
