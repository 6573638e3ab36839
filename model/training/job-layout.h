// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_JOB_LAYOUT_H
#define LLM_FABRIC_JOB_LAYOUT_H

#include "rank-account.h"

#include "ns3/training-graph.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * Ranks that communicate along a dimension: a group for collectives, or a pair for messages from its
 * first rank to its second.
 */
struct JobGroup
{
    ParallelDimension dimension = ParallelDimension::TENSOR; //!< along which dimension
    std::string name;            //!< for reports and messages: "DP group 3"
    std::vector<uint32_t> ranks; //!< its ranks, in the group's order
    bool isPair = false;         //!< carries messages, no collectives
};

/**
 * @ingroup llm-fabric-training
 * Who is where in a job: the ranks' accelerators, speeds, and groups. What does not fit is refused
 * with an InputError.
 */
class JobLayout
{
  public:
    /** A rank's place in a group. */
    struct Seat
    {
        uint32_t group = UINT32_MAX; //!< number of the group, in the order of addition
        uint32_t place = 0;          //!< the rank's place in it
    };

    /** A job without ranks. */
    JobLayout() = default;
    /** @param accelerators accelerator of each rank; each accelerator at most once */
    explicit JobLayout(std::vector<uint32_t> accelerators);
    /**
     * @param ranks number of ranks
     * @return rank i on accelerator i
     */
    static JobLayout MakeIdentity(uint32_t ranks);

    /**
     * Add a group for collectives. A rank is in at most one group of a dimension. The order of
     * addition of groups and pairs sets the ids of their communicators.
     * @param dimension along which dimension
     * @param name for reports and messages
     * @param ranks its ranks, in the group's order
     */
    void AddGroup(ParallelDimension dimension,
                  const std::string& name,
                  const std::vector<uint32_t>& ranks);
    /**
     * Let a rank send messages to another along a dimension. Adding a pair again has no effect.
     * @param source rank that sends
     * @param destination rank that receives
     * @param dimension along which: PIPELINE or CONTEXT
     */
    void AddPair(uint32_t source,
                 uint32_t destination,
                 ParallelDimension dimension = ParallelDimension::PIPELINE);
    /**
     * Slow an accelerator down, or speed it up.
     * @param rank the rank on it
     * @param factor on the duration of its compute tasks, above 0: 2 takes twice as long
     */
    void SetSlowDown(uint32_t rank, double factor);

    /**
     * Refuse the layout if it does not fit a cluster.
     * @param accelerators how many accelerators the cluster has
     */
    void CheckFits(uint32_t accelerators) const;

    /** @return number of ranks */
    uint32_t GetRankCount() const;
    /**
     * @param rank a rank
     * @return its accelerator
     */
    uint32_t GetAccelerator(uint32_t rank) const;
    /**
     * @param rank a rank
     * @return the factor on its compute durations
     */
    double GetSlowDown(uint32_t rank) const;
    /** @return groups and pairs, in the order of addition */
    const std::vector<JobGroup>& GetGroups() const;
    /**
     * @param group number of a group
     * @return accelerators of its ranks, in order
     */
    std::vector<uint32_t> GetAccelerators(uint32_t group) const;
    /**
     * Which group does a communication task; aborts when there is none, naming rank and task.
     * @param rank the rank
     * @param task a task of any kind but COMPUTE
     * @return the rank's seat
     */
    Seat FindSeat(uint32_t rank, const TrainingTask& task) const;

  private:
    /**
     * @param what who names the rank
     * @param rank to be refused unless it is a rank of the job
     */
    void CheckRank(const std::string& what, uint32_t rank) const;

    std::vector<uint32_t> m_accelerators;   //!< by rank
    std::map<uint32_t, double> m_slowDowns; //!< by rank, where it is not 1
    std::vector<JobGroup> m_groups;         //!< in the order of addition
    std::array<std::map<uint32_t, Seat>, PARALLEL_DIMENSIONS> m_seats; //!< by dimension and rank
    std::map<std::tuple<ParallelDimension, uint32_t, uint32_t>, uint32_t>
        m_pairs; //!< group by (dimension, source, destination)
};

} // namespace ns3::llm

#endif // LLM_FABRIC_JOB_LAYOUT_H
