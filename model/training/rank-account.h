// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RANK_ACCOUNT_H
#define LLM_FABRIC_RANK_ACCOUNT_H

#include "ns3/nstime.h"
#include "ns3/training-graph.h"

#include <array>
#include <cstddef>

namespace ns3::llm
{

/**
 * @param dimension a parallel dimension
 * @return how reports call it: "TP", "PP", "DP", "CP", "EP", "EDP", "EMB", "ALL"
 */
const char* GetShortName(ParallelDimension dimension);

/**
 * @ingroup llm-fabric-training
 * @param task a task
 * @return whether it waits for a pipeline peer, as long as that one has not begun to send
 */
bool IsPipelineReceive(const TrainingTask& task);

/**
 * @ingroup llm-fabric-training
 * @param task a task
 * @return whether it is a collective: neither compute nor a message
 */
bool IsCollective(const TrainingTask& task);

/**
 * @ingroup llm-fabric-training
 * Where the time of a rank went.
 *
 * Every instant of the rank's time belongs to exactly one part, so the parts add up to it exactly:
 * the compute stream is busy (compute), or it is idle and waits for a transfer (exposed
 * communication of that dimension), or it is idle and waits for a pipeline peer that has not begun
 * to send yet, or for the other ranks at the end of the run (bubble). What a running collective adds
 * to a compute task is compute.
 */
struct RankAccount
{
    Time compute;                                    //!< a COMPUTE task runs
    std::array<Time, PARALLEL_DIMENSIONS> exposed{}; //!< by ParallelDimension: idle, waits for it
    Time bubble;                                     //!< idle, waits for peers

    /** @return the sum of all parts */
    Time GetTotal() const;
    /**
     * @param dimension a dimension
     * @return its exposed communication
     */
    Time& Exposed(ParallelDimension dimension);
    /**
     * @param dimension a dimension
     * @return its exposed communication
     */
    Time Exposed(ParallelDimension dimension) const;
    /**
     * Book an idle stretch on the task that it waits for.
     * @param blocker the task
     * @param peerStart for a RECEIVE along PIPELINE: when its sender began, or Time::Max()
     * @param from begin of the stretch
     * @param to its end
     */
    void AddIdle(const TrainingTask& blocker, Time peerStart, Time from, Time to);
    /**
     * Add the parts of another account.
     * @param other the other account
     * @return this account
     */
    RankAccount& operator+=(const RankAccount& other);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RANK_ACCOUNT_H
