// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-writer.h"

#include "report-names.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3::llm
{

namespace
{

/**
 * @param text a text
 * @return it as a string of JSON
 */
std::string
Quote(const std::string& text)
{
    return nlohmann::json(text).dump();
}

} // namespace

TimelineWriter::TimelineWriter(std::ostream& out, RankName rankName)
    : m_out(out),
      m_rankName(std::move(rankName))
{
    m_out << "[";
}

void
TimelineWriter::Write(const std::string& json)
{
    m_out << (m_isFirst ? "\n" : ",\n") << json;
    m_isFirst = false;
}

void
TimelineWriter::Close()
{
    m_out << "\n]\n";
}

std::string
TimelineWriter::GetName(const TrainingTask& task)
{
    std::string name = TaskWindow::GetStreamName(TaskWindow::GetStream(task));
    if (task.kind == TrainingTask::COMPUTE)
    {
        name = task.label && *task.label ? task.label : "compute";
    }
    else if (IsCollective(task))
    {
        name += " " + GetOperationName(task.kind);
    }
    return task.microBatch < 0 ? name : name + " " + std::to_string(task.microBatch);
}

void
TimelineWriter::Introduce(uint32_t rank, TaskWindow::Stream stream)
{
    const auto describe = [&](const std::string& what, const std::string& arguments)
    {
        std::ostringstream text;
        text << R"({"ph": "M", "name": ")" << what << R"(", "pid": )" << rank << R"(, "tid": )"
             << int(stream) << R"(, "args": {)" << arguments << "}}";
        Write(text.str());
    };
    if (m_ranks.insert(rank).second)
    {
        const std::string name = m_rankName ? m_rankName(rank) : "rank " + std::to_string(rank);
        describe("process_name", R"("name": )" + Quote(name));
        describe("process_sort_index", R"("sort_index": )" + std::to_string(rank));
    }
    if (m_streams.emplace(rank, stream).second)
    {
        describe("thread_name", R"("name": )" + Quote(TaskWindow::GetStreamName(stream)));
        describe("thread_sort_index", R"("sort_index": )" + std::to_string(stream));
    }
}

void
TimelineWriter::Add(uint32_t rank, const TrainingTask& task, Time start, Time end)
{
    const TaskWindow::Stream stream = TaskWindow::GetStream(task);
    Introduce(rank, stream);
    std::ostringstream text;
    text << R"({"ph": "X", "name": )" << Quote(GetName(task)) << R"(, "cat": )"
         << Quote(task.kind == TrainingTask::COMPUTE ? "compute" : GetShortName(task.dimension))
         << R"(, "pid": )" << rank << R"(, "tid": )" << int(stream) << R"(, "ts": )"
         << FormatMicroseconds(start) << R"(, "dur": )" << FormatMicroseconds(end - start)
         << R"(, "args": {"task": )" << task.id;
    if (task.kind != TrainingTask::COMPUTE)
    {
        text << R"(, "size_bytes": )" << task.bytes;
    }
    if (task.kind == TrainingTask::SEND || task.kind == TrainingTask::RECEIVE)
    {
        text << R"(, "peer": )" << task.peer;
    }
    if (task.label && *task.label)
    {
        text << R"(, "part": )" << Quote(task.label);
    }
    if (task.layer >= 0)
    {
        text << R"(, "layer": )" << task.layer;
    }
    if (task.microBatch >= 0)
    {
        text << R"(, "micro_batch": )" << task.microBatch;
    }
    text << "}}";
    Write(text.str());
}

} // namespace ns3::llm
