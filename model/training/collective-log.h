// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_LOG_H
#define LLM_FABRIC_COLLECTIVE_LOG_H

#include "ns3/nstime.h"
#include "ns3/training-graph.h"

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * What is known of all finished operations of one kind, dimension and size.
 *
 * The time of an operation runs from when all its ranks have started it (a message: from when its
 * sender has) until it is done at the last one, so late ranks do not count. The time of a rank runs
 * from its own start to its own end, so its waiting for the others does.
 */
struct CollectiveRecord
{
    ParallelDimension dimension = ParallelDimension::TENSOR; //!< along which dimension
    TrainingTask::Kind kind = TrainingTask::ALL_REDUCE;      //!< what; SEND for messages
    uint64_t bytes = 0;     //!< S of the collective, or size of the message
    uint32_t group = 0;     //!< the first group that finished one
    uint64_t count = 0;     //!< number of finished operations, over all groups
    Time total;             //!< sum of their times
    Time max;               //!< longest time
    uint64_t rankCount = 0; //!< number of (operation, rank) pairs
    Time rankTotal;         //!< sum of the times of the ranks
    Time rankMax;           //!< longest time of a rank
};

/**
 * @ingroup llm-fabric-training
 * Follows the operations of every group of a job from the first start to the last end, and sums up.
 * Memory grows with the operations under way and with the distinct sizes, not with the run.
 */
class CollectiveLog
{
  public:
    /**
     * @param dimension the dimension of the group's operations
     * @param size number of ranks in the group
     * @return the group's number, counted from 0
     */
    uint32_t AddGroup(ParallelDimension dimension, uint32_t size);

    /**
     * A rank starts the group's next operation.
     * @param group the group
     * @param place the rank's place in it
     * @param task the operation
     * @param now the time
     */
    void Started(uint32_t group, uint32_t place, const TrainingTask& task, Time now);
    /**
     * The rank's oldest unfinished operation is done at the rank.
     * @param group the group
     * @param place the rank's place in it
     * @param now the time
     */
    void Done(uint32_t group, uint32_t place, Time now);

    /**
     * @param group a group of two
     * @return when place 0 started the operation that place 1 must finish next; Time::Max() if it
     * has not
     */
    Time GetSenderStart(uint32_t group) const;

    /** @return what is known, by dimension, kind and size */
    std::vector<CollectiveRecord> GetRecords() const;
    /** @return number of operations that some rank has started and not all have finished */
    std::size_t GetOpenCount() const;

  private:
    /** An operation under way. */
    struct Operation
    {
        TrainingTask::Kind kind = TrainingTask::ALL_REDUCE; //!< what; SEND for messages
        uint64_t bytes = 0;                                 //!< its size
        uint32_t done = 0;                                  //!< how many ranks have finished
        std::vector<Time> starts; //!< by place; Time::Max() before the start
        Time rankTotal;           //!< sum of the times of the ranks that have finished
        Time rankMax;             //!< longest of them
    };

    /** A group. */
    struct Group
    {
        ParallelDimension dimension;   //!< of its operations
        uint32_t size;                 //!< number of ranks
        std::vector<uint64_t> started; //!< by place: operations started so far
        std::vector<uint64_t> done;    //!< by place: operations finished so far
        uint64_t first = 0;            //!< number of the oldest open operation
        std::deque<Operation> open;    //!< the open ones, in order
    };

    /**
     * Sum up the oldest operation of a group, which all ranks have finished.
     * @param group the group
     * @param index its number
     * @param now the time
     */
    void Close(Group& group, uint32_t index, Time now);

    std::vector<Group> m_groups; //!< by number
    std::map<std::tuple<ParallelDimension, TrainingTask::Kind, uint64_t>, CollectiveRecord>
        m_records; //!< by dimension, kind, bytes
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_LOG_H
