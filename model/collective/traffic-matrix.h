// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAFFIC_MATRIX_H
#define LLM_FABRIC_TRAFFIC_MATRIX_H

#include "buffer-range.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * How much each rank of a group has for each other: an uneven all-to-all, as expert routing makes it.
 *
 * The buffer of the operation is the rows, one after the other: what rank 0 has for ranks 0, 1, ...,
 * then what rank 1 has. The diagonal stays where it is.
 */
class TrafficMatrix
{
  public:
    /**
     * @param size number of ranks N
     * @param bytes N x N sizes, by sender and then by receiver
     */
    TrafficMatrix(uint32_t size, const std::vector<uint64_t>& bytes);

    /**
     * @param size number of ranks N
     * @param bytes what each rank has in all, cut into N parts
     * @return the even matrix
     */
    static TrafficMatrix MakeEven(uint32_t size, uint64_t bytes);

    /** @return number of ranks */
    uint32_t GetSize() const
    {
        return m_size;
    }

    /**
     * @param sender a rank
     * @param receiver a rank
     * @return where the block from the one to the other lies in the buffer
     */
    BufferRange GetBlock(uint32_t sender, uint32_t receiver) const
    {
        const uint64_t index = uint64_t{sender} * m_size + receiver;
        return {m_begin[index], m_begin[index + 1] - m_begin[index]};
    }

    /** @param sender a rank @return all that it has */
    BufferRange GetRow(uint32_t sender) const
    {
        const uint64_t index = uint64_t{sender} * m_size;
        return {m_begin[index], m_begin[index + m_size] - m_begin[index]};
    }

    /** @param other a matrix @return whether all its sizes are the same */
    bool operator==(const TrafficMatrix& other) const
    {
        return m_begin == other.m_begin;
    }

    /** @return bytes of all blocks, the diagonal included */
    uint64_t GetTotal() const
    {
        return m_begin.back();
    }

  private:
    uint32_t m_size;               //!< number of ranks
    std::vector<uint64_t> m_begin; //!< where each block begins, and the end of the last
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAFFIC_MATRIX_H
