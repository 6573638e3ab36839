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
    case TrainingTask::ALL_TO_ALL:
        return "all-to-all";
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
    m_firstId = 0;
    m_places.clear();
    m_exhausted = false;
    Fill();
}

void
TaskWindow::Fill()
{
    while (!m_exhausted && m_size < m_capacity)
    {
        TrainingTask task;
        if (!m_graph.Next(task))
        {
            m_exhausted = true;
            return;
        }
        NS_ABORT_MSG_UNLESS(task.id == m_nextId,
                            "a training graph gave task " << task.id << " where task " << m_nextId
                                                          << " was due: ids count from 0");
        for (const uint64_t dependency : task.dependencies)
        {
            NS_ABORT_MSG_UNLESS(dependency < task.id,
                                "task " << task.id << " of a training graph depends on task "
                                        << dependency << ", which does not come before it");
        }
        ++m_nextId;
        Add(std::move(task));
    }
}

void
TaskWindow::Add(TrainingTask&& task)
{
    uint32_t place = static_cast<uint32_t>(m_held.size());
    if (m_free.empty())
    {
        m_held.emplace_back();
    }
    else
    {
        place = m_free.back();
        m_free.pop_back();
    }
    Line& line = m_lines[GetStream(task)];
    (line.head == NONE ? line.head : m_held[line.tail].next) = place;
    line.tail = place;
    m_places.push_back(place);
    ++m_size;
    Held& held = m_held[place];
    held.task = std::move(task);
    held.started = false;
    held.next = NONE;
}

uint32_t
TaskWindow::FindPlace(uint64_t id) const
{
    return id < m_firstId || id - m_firstId >= m_places.size() ? NONE : m_places[id - m_firstId];
}

bool
TaskWindow::IsDone() const
{
    return m_exhausted && m_size == 0;
}

std::size_t
TaskWindow::GetSize() const
{
    return m_size;
}

TaskWindow::Stream
TaskWindow::GetStream(const TrainingTask& task)
{
    const bool context = task.dimension == ParallelDimension::CONTEXT;
    switch (task.kind)
    {
    case TrainingTask::COMPUTE:
        return COMPUTE;
    case TrainingTask::SEND:
        return context ? CONTEXT_SEND : SEND;
    case TrainingTask::RECEIVE:
        return context ? CONTEXT_RECEIVE : RECEIVE;
    default:
        return static_cast<Stream>(COLLECTIVE + static_cast<uint8_t>(task.dimension));
    }
}

std::string
TaskWindow::GetStreamName(Stream stream)
{
    switch (stream)
    {
    case COMPUTE:
        return "compute";
    case SEND:
        return "PP send";
    case RECEIVE:
        return "PP receive";
    case CONTEXT_SEND:
        return "CP send";
    case CONTEXT_RECEIVE:
        return "CP receive";
    default:
        return GetShortName(static_cast<ParallelDimension>(stream - COLLECTIVE));
    }
}

const TaskWindow::Entry*
TaskWindow::FindFirstObstacle(const Entry& entry) const
{
    const Entry* first = nullptr;
    const Entry& head = m_held[m_lines[GetStream(entry.task)].head];
    if (head.task.id != entry.task.id)
    {
        first = &head;
    }
    for (const uint64_t dependency : entry.task.dependencies)
    {
        const uint32_t place = FindPlace(dependency);
        if (place != NONE && (!first || dependency < first->task.id))
        {
            first = &m_held[place];
        }
    }
    return first;
}

std::vector<uint64_t>
TaskWindow::FindStartable() const
{
    std::vector<uint64_t> startable;
    for (const Line& line : m_lines)
    {
        if (line.head == NONE)
        {
            continue;
        }
        const Entry& head = m_held[line.head];
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
    const uint32_t place = FindPlace(id);
    NS_ABORT_MSG_IF(place == NONE, "task " << id << " is not in the window");
    return m_held[place].task;
}

const TrainingTask&
TaskWindow::Start(uint64_t id, Time now)
{
    const uint32_t place = FindPlace(id);
    NS_ABORT_MSG_IF(place == NONE || m_held[place].started || FindFirstObstacle(m_held[place]),
                    "task " << id << " was started twice or too early");
    Entry& entry = m_held[place];
    entry.started = true;
    entry.start = now;
    return entry.task;
}

TaskWindow::Entry
TaskWindow::Finish(uint64_t id)
{
    const uint32_t place = FindPlace(id);
    NS_ABORT_MSG_IF(place == NONE || !m_held[place].started,
                    "task " << id << " ended without having been started");
    Held& held = m_held[place];
    // only the head of a stream can have been started
    m_lines[GetStream(held.task)].head = held.next;
    m_free.push_back(place);
    --m_size;
    m_places[id - m_firstId] = NONE;
    while (!m_places.empty() && m_places.front() == NONE)
    {
        m_places.pop_front();
        ++m_firstId;
    }
    return std::move(held);
}

const TaskWindow::Entry*
TaskWindow::FindBlocker() const
{
    if (m_size == 0)
    {
        return nullptr;
    }
    const uint32_t line = m_lines[COMPUTE].head;
    const Entry* waiting = &m_held[line == NONE ? m_places.front() : line];
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
    const bool message = task.kind == TrainingTask::SEND || task.kind == TrainingTask::RECEIVE;
    if (task.kind != TrainingTask::COMPUTE &&
        !(message && task.dimension == ParallelDimension::PIPELINE))
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
    for (const Line& line : m_lines)
    {
        if (line.head == NONE)
        {
            continue;
        }
        const Entry& head = m_held[line.head];
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
    if (!m_exhausted && m_size >= m_capacity)
    {
        lines.push_back(
            "its window of " + std::to_string(m_capacity) +
            " unfinished tasks is full, so later tasks were not seen (attribute Window)");
    }
    return lines;
}

} // namespace ns3::llm
