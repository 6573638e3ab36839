// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_MEANING_H
#define LLM_FABRIC_COLLECTIVE_MEANING_H

#include "buffer-range.h"
#include "collective-operation.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * What an operation is, whatever algorithm does it: who has what at the beginning, and who must have
 * what at the end.
 *
 * An operation has one buffer. It is [0, S), of which part r (see GetPart()) is that of rank r in
 * all-gather, reduce-scatter, gather and scatter; in an all-to-all the blocks of a TrafficMatrix;
 * in a barrier one byte that does not travel.
 */
class CollectiveMeaning
{
  public:
    /** A stretch that a rank has to have at the end. */
    struct Holding
    {
        BufferRange range;        //!< the stretch
        bool isReduced = false;   //!< of all ranks
        uint32_t contributor = 0; //!< not reduced: of this rank
    };

    /**
     * @param request the operation
     * @param size number of ranks
     */
    CollectiveMeaning(const CollectiveRequest& request, uint32_t size);

    /** @param rank a rank @return what it contributes */
    BufferRange GetContribution(uint32_t rank) const;

    /** @param rank a rank @return what it must have at the end */
    std::vector<Holding> GetResult(uint32_t rank) const;

    /** @return whether something may be reduced with itself: a barrier only asks who was there */
    bool IsIdempotent() const
    {
        return m_request.operation == CollectiveOperation::BARRIER;
    }

    /** @return the whole buffer */
    BufferRange GetBuffer() const;

    /** @param from a rank @param to another @return the block between them, in an all-to-all */
    BufferRange GetBlock(uint32_t from, uint32_t to) const
    {
        return m_request.matrix->GetBlock(from, to);
    }

    /** @param rank a rank @return its part of the buffer, where ranks have parts */
    BufferRange GetPartOf(uint32_t rank) const
    {
        return GetPart({0, m_request.bytes}, m_size, rank);
    }

  private:
    CollectiveRequest m_request; //!< the operation
    uint32_t m_size;             //!< number of ranks
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_MEANING_H
