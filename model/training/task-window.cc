// SPDX-License-Identifier: GPL-2.0-only

#include "task-window.h"

#include "ns3/abort.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3::llm
{

namespace
{

/**
 * @param kind a kind of task
 * @return its name in messages
 */
const char*
GetKindName(TrainingTask::Kind kind)
{
    switch (kind)
    {
    case TrainingTask::COMPUTE:
        return "compute";
    case TrainingTask::ALL_REDUCE:
        return "all-reduce";
    case TrainingTask::ALL_GATHER:
        return "all-gather";
    case TrainingTask::REDUCE_SCATTER:
        return "reduce-scatter";
    case TrainingTask::SEND:
        return "send";
    case TrainingTask::RECEIVE:
        return "receive";
    }
    return "unknown task";
}

} // namespace

TaskWindow::TaskWindow(TrainingGraph& graph, std::size_t capacity)
    : m_graph(graph),
      m_capacity(capacity)
{
    NS_ABORT_MSG_IF(capacity == 0, "a window of tasks must hold at least one task");
}

void
TaskWindow::Restart()
{
    NS_ABORT_MSG_UNLESS(IsDone(), "an iteration was begun with tasks of the last one unfinished");
    m_graph.Restart();
    m_nextId = 0;
    m_exhausted = false;
    Fill();
}

void
TaskWindow::Fill()
{
    while (!m_exhausted && m_tasks.size() < m_capacity)
    {
        Entry entry;
        if (!m_graph.Next(entry.task))
        {
            m_exhausted = true;
            return;
        }
        const uint64_t id = entry.task.id;
        NS_ABORT_MSG_UNLESS(id == m_nextId,
                            "a training graph gave task " << id << " where task " << m_nextId
                                                          << " was due: ids count from 0");
        for (const uint64_t dependency : entry.task.dependencies)
        {
            NS_ABORT_MSG_UNLESS(dependency < id,
                                "task " << id << " of a training graph depends on task "
                                        << dependency << ", which does not come before it");
        }
        ++m_nextId;
        m_streams[GetStream(entry.task)].push_back(id);
        m_tasks.emplace_hint(m_tasks.end(), id, std::move(entry));
    }
}

bool
TaskWindow::IsDone() const
{
    return m_exhausted && m_tasks.empty();
}

std::size_t
TaskWindow::GetSize() const
{
    return m_tasks.size();
}

TaskWindow::Stream
TaskWindow::GetStream(const TrainingTask& task)
{
    switch (task.kind)
    {
    case TrainingTask::COMPUTE:
        return COMPUTE;
    case TrainingTask::SEND:
        return SEND;
    case TrainingTask::RECEIVE:
        return RECEIVE;
    default:
        return static_cast<Stream>(COLLECTIVE + static_cast<uint8_t>(task.dimension));
    }
}

const TaskWindow::Entry*
TaskWindow::FindFirstObstacle(const Entry& entry) const
{
    const Entry* first = nullptr;
    const uint64_t head = m_streams[GetStream(entry.task)].front();
    if (head != entry.task.id)
    {
        first = &m_tasks.at(head);
    }
    for (const uint64_t dependency : entry.task.dependencies)
    {
        const auto found = m_tasks.find(dependency);
        if (found != m_tasks.end() && (!first || dependency < first->task.id))
        {
            first = &found->second;
        }
    }
    return first;
}

std::vector<uint64_t>
TaskWindow::FindStartable() const
{
    std::vector<uint64_t> startable;
    for (const auto& stream : m_streams)
    {
        if (stream.empty())
        {
            continue;
        }
        const Entry& head = m_tasks.at(stream.front());
        if (!head.started && !FindFirstObstacle(head))
        {
            startable.push_back(head.task.id);
        }
    }
    std::sort(startable.begin(), startable.end());
    return startable;
}

const TrainingTask&
TaskWindow::Get(uint64_t id) const
{
    return m_tasks.at(id).task;
}

const TrainingTask&
TaskWindow::Start(uint64_t id, Time now)
{
    Entry& entry = m_tasks.at(id);
    NS_ABORT_MSG_IF(entry.started || FindFirstObstacle(entry),
                    "task " << id << " was started twice or too early");
    entry.started = true;
    entry.start = now;
    return entry.task;
}

TaskWindow::Entry
TaskWindow::Finish(uint64_t id)
{
    const auto found = m_tasks.find(id);
    NS_ABORT_MSG_IF(found == m_tasks.end() || !found->second.started,
                    "task " << id << " ended without having been started");
    Entry entry = std::move(found->second);
    m_tasks.erase(found);
    // only the head of a stream can have been started
    m_streams[GetStream(entry.task)].pop_front();
    return entry;
}

const TaskWindow::Entry*
TaskWindow::FindBlocker() const
{
    if (m_tasks.empty())
    {
        return nullptr;
    }
    const auto& line = m_streams[COMPUTE];
    const Entry* waiting = line.empty() ? &m_tasks.begin()->second : &m_tasks.at(line.front());
    // every step goes to a smaller id, so this ends
    while (waiting && !waiting->started)
    {
        waiting = FindFirstObstacle(*waiting);
    }
    return waiting;
}

std::string
TaskWindow::Describe(const TrainingTask& task)
{
    std::ostringstream text;
    text << GetKindName(task.kind);
    if (task.kind == TrainingTask::COMPUTE)
    {
        text << " of " << task.duration.As(Time::US);
    }
    else
    {
        text << " of " << task.bytes << " bytes";
    }
    if (task.kind == TrainingTask::SEND)
    {
        text << " to rank " << task.peer;
    }
    else if (task.kind == TrainingTask::RECEIVE)
    {
        text << " from rank " << task.peer;
    }
    else if (task.kind != TrainingTask::COMPUTE)
    {
        text << " (" << GetShortName(task.dimension) << ")";
    }
    text << " [task " << task.id;
    if (task.label && *task.label)
    {
        text << ", " << task.label;
    }
    if (task.layer >= 0)
    {
        text << ", layer " << task.layer;
    }
    if (task.microBatch >= 0)
    {
        text << ", micro-batch " << task.microBatch;
    }
    text << "]";
    return text.str();
}

std::vector<std::string>
TaskWindow::DescribeUnfinished() const
{
    std::vector<std::string> lines;
    for (const auto& stream : m_streams)
    {
        if (stream.empty())
        {
            continue;
        }
        const Entry& head = m_tasks.at(stream.front());
        std::ostringstream text;
        text << Describe(head.task);
        if (head.started)
        {
            text << " runs since " << head.start.As(Time::US);
        }
        else if (const Entry* obstacle = FindFirstObstacle(head))
        {
            text << " waits for the " << Describe(obstacle->task);
        }
        else
        {
            text << " may start";
        }
        lines.push_back(text.str());
    }
    if (!m_exhausted && m_tasks.size() >= m_capacity)
    {
        lines.push_back(
            "its window of " + std::to_string(m_capacity) +
            " unfinished tasks is full, so later tasks were not seen (attribute Window)");
    }
    return lines;
}

} // namespace ns3::llm
