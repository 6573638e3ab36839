// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_VALUE_HISTOGRAM_H
#define LLM_FABRIC_VALUE_HISTOGRAM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * How often which value was seen, in bins of equal width; a value counts as the lower end of its bin.
 */
class ValueHistogram
{
  public:
    /** Values at and above so many bins count as that many. */
    static constexpr std::size_t MAX_BINS = 1 << 20;

    /** @param width of a bin, at least 1 */
    explicit ValueHistogram(uint64_t width);

    /** @param value was seen */
    void Add(uint64_t value)
    {
        std::size_t bin = value / m_width;
        bin = bin < MAX_BINS ? bin : MAX_BINS;
        if (bin >= m_counts.size())
        {
            m_counts.resize(bin + 1);
        }
        ++m_counts[bin];
        ++m_total;
        m_max = value > m_max ? value : m_max;
    }

    /** @return how many values were seen */
    uint64_t GetTotal() const;
    /** @return the largest value, exactly; 0 without any */
    uint64_t GetMax() const;
    /**
     * By nearest rank, as GetPercentile() has it.
     * @param percent 0 to 100
     * @return the least value that so many of all are not larger than; 0 without any
     */
    uint64_t GetPercentile(double percent) const;

    /** A step of the distribution. */
    struct Step
    {
        uint64_t value = 0; //!< a value that was seen
        double percent = 0; //!< of all that are not larger
    };

    /** @param most at most so many steps, at least 2 @return steps from the least value to the largest */
    std::vector<Step> GetDistribution(std::size_t most) const;

  private:
    uint64_t m_width;               //!< of a bin
    uint64_t m_total = 0;           //!< values seen
    uint64_t m_max = 0;             //!< the largest
    std::vector<uint64_t> m_counts; //!< by bin
};

} // namespace ns3::llm

#endif // LLM_FABRIC_VALUE_HISTOGRAM_H
