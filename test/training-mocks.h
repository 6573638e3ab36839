// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_MOCKS_H
#define LLM_FABRIC_TRAINING_MOCKS_H

#include "ns3/simulator.h"
#include "ns3/training-graph.h"
#include "ns3/training-runtime.h"

#include <map>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Hand-written graphs and a runtime with fixed times, shared by the suites of the training room.
 */

namespace ns3::llm
{

/** A graph from a list of tasks; gives each its id. */
class ListGraph : public TrainingGraph
{
  public:
    /** @param tasks the tasks in order; ids are set here */
    explicit ListGraph(std::vector<TrainingTask> tasks)
        : m_tasks(std::move(tasks))
    {
        for (std::size_t i = 0; i < m_tasks.size(); ++i)
        {
            m_tasks[i].id = i;
        }
    }

    bool
    Next(TrainingTask& task) override
    {
        if (m_next == m_tasks.size())
        {
            return false;
        }
        task = m_tasks[m_next++];
        return true;
    }

    void
    Restart() override
    {
        m_next = 0;
    }

    /** @return how many tasks have been taken since the last Restart() */
    std::size_t
    GetTaken() const
    {
        return m_next;
    }

  private:
    std::vector<TrainingTask> m_tasks; //!< the tasks
    std::size_t m_next = 0;            //!< the next one
};

/**
 * @param duration how long
 * @param dependencies what must be done before
 * @return a compute task
 */
inline TrainingTask
Compute(Time duration, std::vector<uint64_t> dependencies = {})
{
    TrainingTask task;
    task.duration = duration;
    task.dependencies = std::move(dependencies);
    return task;
}

/**
 * @param kind what kind of collective
 * @param dimension along which dimension
 * @param bytes its size
 * @param dependencies what must be done before
 * @return a collective
 */
inline TrainingTask
Collective(TrainingTask::Kind kind,
           ParallelDimension dimension,
           uint64_t bytes,
           std::vector<uint64_t> dependencies = {})
{
    TrainingTask task;
    task.kind = kind;
    task.dimension = dimension;
    task.bytes = bytes;
    task.dependencies = std::move(dependencies);
    return task;
}

/**
 * @param kind SEND or RECEIVE
 * @param peer the other rank
 * @param bytes size of the message
 * @param dependencies what must be done before
 * @return the task
 */
inline TrainingTask
PointToPoint(TrainingTask::Kind kind,
             uint32_t peer,
             uint64_t bytes,
             std::vector<uint64_t> dependencies = {})
{
    TrainingTask task =
        Collective(kind, ParallelDimension::PIPELINE, bytes, std::move(dependencies));
    task.peer = peer;
    return task;
}

/** Communication takes a picosecond per byte and waits for nobody; records what it is told. */
class FixedRuntime : public TrainingRuntime
{
  public:
    /** A task as reported. */
    struct Record
    {
        uint32_t rank;     //!< of which rank
        TrainingTask task; //!< the task
        Time start;        //!< when it started
        Time end;          //!< when it was reported
    };

    /** An iteration as reported. */
    struct Iteration
    {
        uint32_t rank;       //!< of which rank
        uint32_t iteration;  //!< which
        RankAccount account; //!< where the time went
        Time end;            //!< when it was reported
    };

    void
    Launch(uint32_t rank, const TrainingTask& task, Callback<void> done) override
    {
        launched.push_back({rank, task, Simulator::Now(), Simulator::Now()});
        if (task.bytes == 0)
        {
            done();
            return;
        }
        Simulator::Schedule(PicoSeconds(task.bytes), [done]() { done(); });
    }

    Time
    GetPeerStart(uint32_t, const TrainingTask&) const override
    {
        return peerStart <= Simulator::Now() ? peerStart : Time::Max();
    }

    void
    TaskDone(uint32_t rank, const TrainingTask& task, Time start) override
    {
        done.push_back({rank, task, start, Simulator::Now()});
    }

    void
    IterationDone(uint32_t rank, uint32_t iteration, const RankAccount& account) override
    {
        iterations.push_back({rank, iteration, account, Simulator::Now()});
    }

    void
    RankDone(uint32_t rank) override
    {
        ranksDone[rank] = Simulator::Now();
    }

    Time peerStart = Time::Max();       //!< when the peer of every RECEIVE begins to send
    std::vector<Record> launched;       //!< Launch() calls
    std::vector<Record> done;           //!< TaskDone() calls
    std::vector<Iteration> iterations;  //!< IterationDone() calls
    std::map<uint32_t, Time> ranksDone; //!< RankDone() calls
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_MOCKS_H
