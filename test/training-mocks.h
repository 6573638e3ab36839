// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_MOCKS_H
#define LLM_FABRIC_TRAINING_MOCKS_H

#include "ns3/locality.h"
#include "ns3/message-transport.h"
#include "ns3/training-graph.h"
#include "ns3/training-runtime.h"
#include "ns3/transfer-time.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <set>
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

    bool Next(TrainingTask& task) override
    {
        if (m_next == m_tasks.size())
        {
            return false;
        }
        task = m_tasks[m_next++];
        return true;
    }

    void Restart() override
    {
        m_next = 0;
    }

    /** @return how many tasks have been taken since the last Restart() */
    std::size_t GetTaken() const
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

    void Launch(uint32_t rank, const TrainingTask& task, Callback<void> done) override
    {
        launched.push_back({rank, task, Simulator::Now(), Simulator::Now()});
        if (task.bytes == 0)
        {
            done();
            return;
        }
        Simulator::Schedule(PicoSeconds(task.bytes), [done]() { done(); });
    }

    Time GetPeerStart(uint32_t, const TrainingTask&) const override
    {
        return peerStart <= Simulator::Now() ? peerStart : Time::Max();
    }

    void TaskDone(uint32_t rank, const TrainingTask& task, Time start) override
    {
        done.push_back({rank, task, start, Simulator::Now()});
    }

    void IterationDone(uint32_t rank, uint32_t iteration, const RankAccount& account) override
    {
        iterations.push_back({rank, iteration, account, Simulator::Now()});
    }

    void RankDone(uint32_t rank) override
    {
        ranksDone[rank] = Simulator::Now();
    }

    Time peerStart = Time::Max();       //!< when the peer of every RECEIVE begins to send
    std::vector<Record> launched;       //!< Launch() calls
    std::vector<Record> done;           //!< TaskDone() calls
    std::vector<Iteration> iterations;  //!< IterationDone() calls
    std::map<uint32_t, Time> ranksDone; //!< RankDone() calls
};

/** Every accelerator on a node of its own, all in one domain; knows no paths. */
class FlatLocality : public Locality
{
  public:
    /** @param accelerators how many */
    explicit FlatLocality(uint32_t accelerators)
    {
        for (uint32_t i = 0; i < accelerators; ++i)
        {
            m_nodes.push_back(CreateObject<Node>());
        }
    }

    uint32_t GetAcceleratorCount() const override
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    uint32_t GetDomain(uint32_t) const override
    {
        return 0;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return accelerator;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return m_nodes.at(accelerator)->GetId();
    }

    Path GetPath(uint32_t, uint32_t, uint32_t, uint32_t) const override
    {
        return Path();
    }

  private:
    std::vector<Ptr<Node>> m_nodes; //!< by accelerator
};

/** Every accelerator sends one message after the other at a rate; each arrives a delay later. */
class SerialTransport : public MessageTransport
{
  public:
    /**
     * @param rate of each accelerator
     * @param delay of each message
     * @param locality knows the nodes
     */
    SerialTransport(DataRate rate, Time delay, Ptr<const Locality> locality)
        : m_rate(rate),
          m_delay(delay),
          m_locality(locality)
    {
    }

    void Send(const Message& message) override
    {
        if (m_deaf.count(message.destination))
        {
            return;
        }
        Time& free = m_free[message.source];
        free = std::max(free, Simulator::Now()) + GetTransferTime(message.bytes, m_rate);
        const Time arrival = free + m_delay - Simulator::Now();
        Simulator::ScheduleWithContext(m_locality->GetNodeId(message.destination),
                                       arrival,
                                       &SerialTransport::Deliver,
                                       this,
                                       message);
        Simulator::ScheduleWithContext(m_locality->GetNodeId(message.source),
                                       arrival + m_delay,
                                       &SerialTransport::Acknowledge,
                                       this,
                                       message);
    }

    std::set<uint32_t> m_deaf; //!< accelerators that nothing reaches

  private:
    /** @param message has come */
    void Deliver(const Message& message)
    {
        NotifyDelivered(message);
    }

    /** @param message is known to have come */
    void Acknowledge(const Message& message)
    {
        NotifyAcknowledged(message);
    }

    DataRate m_rate;                 //!< of each accelerator
    Time m_delay;                    //!< of each message
    Ptr<const Locality> m_locality;  //!< knows the nodes
    std::map<uint32_t, Time> m_free; //!< by accelerator: when it can send the next message
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_MOCKS_H
