// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_RUNTIME_H
#define LLM_FABRIC_TRAINING_RUNTIME_H

#include "rank-account.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/training-graph.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * What a TrainingApplication needs of whoever runs it (a TrainingJob, or a test): somebody who
 * carries out its communication, and who listens.
 *
 * All calls are made in ns-3 events in the context of the rank's node.
 */
class TrainingRuntime
{
  public:
    virtual ~TrainingRuntime() = default;

    /**
     * Carry out a communication task.
     * @param rank the rank
     * @param task a task of any kind but COMPUTE
     * @param done to be called once, when the task is done at this rank; may be called at once
     */
    virtual void Launch(uint32_t rank, const TrainingTask& task, Callback<void> done) = 0;

    /**
     * When the peer of a running RECEIVE began to send what the rank waits for.
     * @param rank the receiving rank
     * @param task the RECEIVE
     * @return the time; Time::Max() if the peer has not begun yet
     */
    virtual Time GetPeerStart(uint32_t rank, const TrainingTask& task) const = 0;

    /**
     * A task of a rank is done.
     * @param rank the rank
     * @param task the task
     * @param start when it started: when its stream had reached it and its dependencies were done
     */
    virtual void TaskDone(uint32_t rank, const TrainingTask& task, Time start) = 0;

    /**
     * A rank has finished an iteration.
     * @param rank the rank
     * @param iteration counted from 0
     * @param account where its time went since it finished the iteration before
     */
    virtual void IterationDone(uint32_t rank, uint32_t iteration, const RankAccount& account) = 0;

    /**
     * A rank has finished its last iteration.
     * @param rank the rank
     */
    virtual void RankDone(uint32_t rank) = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_RUNTIME_H
