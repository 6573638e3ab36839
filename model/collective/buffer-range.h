// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BUFFER_RANGE_H
#define LLM_FABRIC_BUFFER_RANGE_H

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * A stretch of an operation's buffer. What the buffer is, says CollectiveMeaning.
 */
struct BufferRange
{
    uint64_t begin = 0; //!< its first byte
    uint64_t bytes = 0; //!< how long it is

    /** @return the byte after the last */
    uint64_t GetEnd() const
    {
        return begin + bytes;
    }
};

/**
 * @ingroup llm-fabric-collective
 * Stretches that travel in one message.
 */
using BufferRanges = std::vector<BufferRange>;

/**
 * @ingroup llm-fabric-collective
 * Cut a stretch into parts whose sizes differ by one byte at most, the larger ones first.
 * @param whole what is cut
 * @param count number of parts, above 0
 * @param index which part, or `count` for the empty one at the end
 * @return the part
 */
inline BufferRange
GetPart(const BufferRange& whole, uint64_t count, uint64_t index)
{
    const uint64_t even = whole.bytes / count;
    const uint64_t longer = whole.bytes % count;
    const uint64_t begin = whole.begin + index * even + (index < longer ? index : longer);
    return {begin, index < count ? even + (index < longer ? 1 : 0) : 0};
}

/**
 * @ingroup llm-fabric-collective
 * @param whole what is cut as by GetPart()
 * @param count number of parts
 * @param first the first of some consecutive parts
 * @param end the one after the last of these
 * @return their stretch
 */
inline BufferRange
GetParts(const BufferRange& whole, uint64_t count, uint64_t first, uint64_t end)
{
    const uint64_t begin = GetPart(whole, count, first).begin;
    return {begin, GetPart(whole, count, end).begin - begin};
}

/**
 * @ingroup llm-fabric-collective
 * @param ranges some stretches
 * @return how long they are together
 */
inline uint64_t
GetTotalBytes(const BufferRanges& ranges)
{
    uint64_t bytes = 0;
    for (const BufferRange& range : ranges)
    {
        bytes += range.bytes;
    }
    return bytes;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_BUFFER_RANGE_H
