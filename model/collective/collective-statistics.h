// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_STATISTICS_H
#define LLM_FABRIC_COLLECTIVE_STATISTICS_H

#include "collective-operation.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * One operation that is complete at one rank.
 */
struct OperationRecord
{
    uint32_t communicator = 0; //!< the communicator's id
    uint32_t size = 0;         //!< number of ranks
    uint32_t rank = 0;         //!< the rank's place in the group
    uint64_t instance = 0;     //!< which of the rank's operations, counted from 0
    CollectiveRequest request; //!< the operation
    uint64_t sentBytes = 0;    //!< payload that the rank sent for it
    Time start;                //!< when the rank started it
    Time end;                  //!< when it was complete at the rank
    std::string remark;        //!< why there was nothing to do, if so
};

/**
 * @ingroup llm-fabric-collective
 * What operations of one kind came to.
 */
struct OperationTotals
{
    uint64_t count = 0;     //!< operations that are complete at every rank
    uint64_t bytes = 0;     //!< sum of their S
    uint64_t sentBytes = 0; //!< payload sent for them by all ranks
    Time time;              //!< sum of their times, each from the first start to the last end
    Time firstStart;        //!< first start of any of them
    Time firstEnd;          //!< first time that one was complete at every rank
    Time lastEnd;           //!< last time that one was complete at every rank
};

/**
 * @ingroup llm-fabric-collective
 * Merges the records of ranks into totals per kind of operation. Memory grows only with operations
 * that are complete at some but not at all of their ranks.
 *
 * Connect Add() to the `OperationDone` trace source of the communicators to count together.
 */
class CollectiveStatistics
{
  public:
    /** @param record an operation that is complete at a rank */
    void Add(const OperationRecord& record);
    /**
     * @param operation a kind of operation
     * @return its totals
     */
    const OperationTotals& GetTotals(CollectiveOperation operation) const;
    /** @return number of operations complete at some but not at all of their ranks */
    size_t GetPartialCount() const;

  private:
    /** An operation that some ranks have done. */
    struct Partial
    {
        uint32_t ranks = 0;     //!< how many
        uint64_t sentBytes = 0; //!< by them
        Time start;             //!< the first start
        Time end;               //!< the last end
    };

    /** By (communicator, instance). */
    std::map<std::pair<uint32_t, uint64_t>, Partial> m_partial;
    std::array<OperationTotals, COLLECTIVE_OPERATION_COUNT> m_totals; //!< by operation
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_STATISTICS_H
