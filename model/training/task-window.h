// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TASK_WINDOW_H
#define LLM_FABRIC_TASK_WINDOW_H

#include "rank-account.h"

#include "ns3/training-graph.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * The unfinished tasks of one rank that have been taken from its graph so far, and the streams that
 * they wait in. Knows which tasks may start and what an idle compute stream waits for; knows no
 * simulator and no network.
 *
 * Tasks are taken lazily, up to a capacity of unfinished ones, so memory does not grow with the
 * graph. The capacity must cover what a rank can have under way at once: a rank that is blocked with
 * a full window is described as such (see Describe()).
 */
class TaskWindow
{
  public:
    /** The streams of a rank. The tasks of a stream run one after the other, in the graph's order. */
    enum Stream : uint8_t
    {
        COMPUTE,    //!< computation
        COLLECTIVE, //!< collectives of ParallelDimension 0; those of the others follow
        SEND = COLLECTIVE + PARALLEL_DIMENSIONS, //!< messages to pipeline peers
        RECEIVE,                                 //!< messages from pipeline peers
        CONTEXT_SEND,                            //!< messages to peers of the context group
        CONTEXT_RECEIVE,                         //!< messages from peers of the context group
        STREAMS,                                 //!< number of streams
    };

    /** A task of the window. */
    struct Entry
    {
        TrainingTask task;    //!< what to do
        bool started = false; //!< whether it runs
        Time start;           //!< when it started
    };

    /**
     * @param graph the rank's tasks; must outlive the window
     * @param capacity most unfinished tasks to hold, at least 1
     */
    TaskWindow(TrainingGraph& graph, std::size_t capacity);

    /** Begin an iteration: restart the graph. All tasks must be done. */
    void Restart();
    /** Take tasks from the graph until the window is full or the iteration has no more. */
    void Fill();
    /** @return whether every task of the iteration is done */
    bool IsDone() const;
    /** @return number of unfinished tasks held */
    std::size_t GetSize() const;

    /** @return ids of the tasks that may start now and have not, ascending */
    std::vector<uint64_t> FindStartable() const;
    /**
     * @param id a task of the window
     * @return it
     */
    const TrainingTask& Get(uint64_t id) const;
    /**
     * @param id a task of the window that may start
     * @param now its start time
     * @return the task
     */
    const TrainingTask& Start(uint64_t id, Time now);
    /**
     * Take a task out.
     * @param id a task that has started
     * @return it
     */
    Entry Finish(uint64_t id);

    /**
     * What keeps the compute stream idle: of the unfinished tasks that the next one in line waits
     * for, the earliest in the graph's order, and so on from that one, down to one that runs. When
     * the compute stream has no more tasks, the earliest unfinished task takes the line's head.
     * @return a running task, or null when none runs or the head itself can start
     */
    const Entry* FindBlocker() const;

    /**
     * @param task a task
     * @return what it is, for messages: "send of 1024 bytes to rank 3 (forward, layer 2)"
     */
    static std::string Describe(const TrainingTask& task);
    /** @return one text per head of a stream: what it is and whether it runs or waits for what */
    std::vector<std::string> DescribeUnfinished() const;

    /**
     * @param task a task
     * @return its stream
     */
    static Stream GetStream(const TrainingTask& task);
    /**
     * @param stream a stream
     * @return its name: "compute", "TP", ..., "PP send", "PP receive", "CP send", "CP receive"
     */
    static std::string GetStreamName(Stream stream);

  private:
    /** No place among the entries. */
    static constexpr uint32_t NONE = UINT32_MAX;

    /** An unfinished task and its place in its stream. */
    struct Held : Entry
    {
        uint32_t next = NONE; //!< place of the next one of the stream
    };

    /** The unfinished tasks of a stream, in order. */
    struct Line
    {
        uint32_t head = NONE; //!< place of the first
        uint32_t tail = NONE; //!< place of the last
    };

    /**
     * @param id a task
     * @return its place, or NONE when the window does not hold it
     */
    uint32_t FindPlace(uint64_t id) const;
    /**
     * Put a task at the end of its stream.
     * @param task the task
     */
    void Add(TrainingTask&& task);
    /**
     * @param entry an unstarted task
     * @return the earliest unfinished task that it waits for, or null if it may start
     */
    const Entry* FindFirstObstacle(const Entry& entry) const;

    TrainingGraph& m_graph;            //!< where tasks come from
    std::size_t m_capacity;            //!< most unfinished tasks
    uint64_t m_nextId = 0;             //!< id that the graph's next task must have
    bool m_exhausted = true;           //!< the graph has no more tasks in this iteration
    std::size_t m_size = 0;            //!< number of unfinished tasks
    std::deque<Held> m_held;           //!< the unfinished tasks, by place; a deque moves none
    std::vector<uint32_t> m_free;      //!< places that hold none
    uint64_t m_firstId = 0;            //!< the earliest unfinished task, when there is one
    std::deque<uint32_t> m_places;     //!< by id from m_firstId on: its place; NONE: it is done
    std::array<Line, STREAMS> m_lines; //!< by stream
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TASK_WINDOW_H
