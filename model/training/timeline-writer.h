// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TIMELINE_WRITER_H
#define LLM_FABRIC_TIMELINE_WRITER_H

#include "task-window.h"

#include "ns3/nstime.h"
#include "ns3/training-graph.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <utility>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * Writes the tasks of ranks as a trace in the Trace Event format, which Perfetto
 * (ui.perfetto.dev) and chrome://tracing open: a JSON array with a complete event (`X`) for each
 * task, a process for each rank and a thread for each stream of it. Times are microseconds with six
 * decimals, so they keep every picosecond.
 *
 * Each task is written when it is told, so memory does not grow with the run; an array that was not
 * closed is opened by both viewers too. Connect Add() to the trace source `Task` of a TrainingJob, or
 * call it from the listener of an IterationReplay.
 */
class TimelineWriter
{
  public:
    /** Names a rank, which viewers show. */
    using RankName = std::function<std::string(uint32_t rank)>;

    /**
     * @param out where to; must outlive the writer
     * @param rankName names ranks; none: "rank 3"
     */
    explicit TimelineWriter(std::ostream& out, RankName rankName = nullptr);

    /**
     * Write a task.
     * @param rank the rank that did it
     * @param task the task
     * @param start when it started
     * @param end when it was done
     */
    void Add(uint32_t rank, const TrainingTask& task, Time start, Time end);
    /** End the array. Nothing may be added after it. */
    void Close();

    /**
     * @param task a task
     * @return what viewers call it: "forward 3" in micro-batch 3, "TP all-reduce", "PP send"
     */
    static std::string GetName(const TrainingTask& task);

  private:
    /**
     * Name a rank or stream that has not come before.
     * @param rank the rank
     * @param stream its stream
     */
    void Introduce(uint32_t rank, TaskWindow::Stream stream);
    /**
     * Write an event.
     * @param json it
     */
    void Write(const std::string& json);

    std::ostream& m_out;                          //!< where to
    RankName m_rankName;                          //!< names ranks
    bool m_isFirst = true;                        //!< nothing has been written
    std::set<uint32_t> m_ranks;                   //!< ranks that have come
    std::set<std::pair<uint32_t, int>> m_streams; //!< streams that have come, with their ranks
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TIMELINE_WRITER_H
