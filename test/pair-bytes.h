// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_PAIR_BYTES_H
#define LLM_FABRIC_TEST_PAIR_BYTES_H

#include "ns3/buffer-range.h"
#include "ns3/collective-operation.h"
#include "ns3/step-program.h"

#include <algorithm>
#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * What each rank sends to each other: by the steps of a program, and by closed forms that share nothing
 * with the programs but how a buffer is cut into parts.
 */

namespace ns3::llm
{

/** Bytes from each rank to each other. */
class PairBytes
{
  public:
    /** @param size number of ranks */
    explicit PairBytes(uint64_t size)
        : m_size(size),
          m_bytes(size * size)
    {
    }

    /** @param program steps, whose sends are counted */
    explicit PairBytes(const StepProgram& program)
        : PairBytes(program.GetSize())
    {
        for (uint32_t rank = 0; rank < m_size; ++rank)
        {
            for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
            {
                const uint32_t length = program.GetLaneLength(rank, lane);
                for (uint32_t i = 0; i < length; ++i)
                {
                    const Step step = program.GetStep(rank, lane, i);
                    if (step.kind == Step::SEND)
                    {
                        Add(rank, step.peer, step.bytes);
                    }
                }
            }
        }
    }

    /** @param from a rank @param to another, or the same, which costs nothing @param bytes more */
    void Add(uint64_t from, uint64_t to, uint64_t bytes)
    {
        if (from != to)
        {
            m_bytes[from * m_size + to] += bytes;
        }
    }

    /** @return number of ranks */
    uint64_t GetSize() const
    {
        return m_size;
    }

    /** @param from a rank @param to another @return bytes */
    uint64_t Get(uint64_t from, uint64_t to) const
    {
        return m_bytes[from * m_size + to];
    }

    /** @param rank a rank @param rails ranks in a domain @param crosses which tier
     * @return what it sends inside its domain or across */
    uint64_t GetSent(uint64_t rank, uint64_t rails, bool crosses) const
    {
        uint64_t bytes = 0;
        for (uint64_t to = 0; to < m_size; ++to)
        {
            bytes += (rank / rails != to / rails) == crosses ? Get(rank, to) : 0;
        }
        return bytes;
    }

    /** @param rank a rank @return what it receives */
    uint64_t GetReceived(uint64_t rank) const
    {
        uint64_t bytes = 0;
        for (uint64_t from = 0; from < m_size; ++from)
        {
            bytes += Get(from, rank);
        }
        return bytes;
    }

    /** @return all of it */
    uint64_t GetTotal() const
    {
        uint64_t bytes = 0;
        for (const uint64_t some : m_bytes)
        {
            bytes += some;
        }
        return bytes;
    }

    /** @param other of as many ranks @return whether it is the same */
    bool operator==(const PairBytes& other) const
    {
        return m_bytes == other.m_bytes;
    }

  private:
    uint64_t m_size;               //!< number of ranks
    std::vector<uint64_t> m_bytes; //!< by sender and receiver
};

/** An operation whose bytes closed forms tell. */
struct CountedOperation
{
    CollectiveRequest request; //!< the operation
    uint64_t size = 1;         //!< N
    uint64_t rails = 1;        //!< ranks in a domain

    /** @param rank a rank @return bytes of its part */
    uint64_t Part(uint64_t rank) const
    {
        return GetPart({0, request.bytes}, size, rank % size).bytes;
    }

    /** @param from a rank @param to another @return what the one has for the other */
    uint64_t Block(uint64_t from, uint64_t to) const
    {
        return GetBlock(request,
                        static_cast<uint32_t>(size),
                        static_cast<uint32_t>(from),
                        static_cast<uint32_t>(to))
            .bytes;
    }

    /** @return whether the operation has the step of a reduce-scatter */
    bool Scatters() const
    {
        return request.operation == CollectiveOperation::ALL_REDUCE ||
               request.operation == CollectiveOperation::REDUCE_SCATTER;
    }

    /** @return whether it has the step of an all-gather */
    bool Gathers() const
    {
        return request.operation == CollectiveOperation::ALL_REDUCE ||
               request.operation == CollectiveOperation::ALL_GATHER;
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_PAIR_BYTES_H
