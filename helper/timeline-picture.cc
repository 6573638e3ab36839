// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-picture.h"

#include "part-colors.h"

#include "ns3/input-error.h"
#include "ns3/report-names.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

namespace ns3::llm
{

namespace
{

/** Height of a row of compute; one of communication has the height 1. */
constexpr double COMPUTE_HEIGHT = 2;
/** Height between the rows of two ranks. */
constexpr double GAP = 1;
/** Pixels of the height 1. */
constexpr double PIXELS = 11;
/** Color of a receive that waits. */
constexpr uint32_t WAIT_COLOR = 0xdddddd;

/**
 * @param stream a stream
 * @return height of its row
 */
double
GetHeight(int stream)
{
    return stream == TaskWindow::COMPUTE ? COMPUTE_HEIGHT : 1;
}

} // namespace

TimelinePicture::TimelinePicture(const ReportFolder& folder, const std::string& name)
    : m_folder(folder),
      m_name(name),
      m_data(folder.GetPath() + "/" + name + ".dat")
{
    m_data << "# start [us], end [us], rank, stream, color\n";
}

TimelinePicture::Kind
TimelinePicture::GetKind(const TrainingTask& task)
{
    if (task.kind == TrainingTask::RECEIVE)
    {
        return {99, "waits for a message", WAIT_COLOR};
    }
    if (task.kind != TrainingTask::COMPUTE)
    {
        const auto dimension = static_cast<uint32_t>(task.dimension);
        return {10 + dimension, GetShortName(task.dimension), DIMENSION_COLORS[dimension]};
    }
    const std::string label = task.label ? task.label : "";
    const auto has = [&](const char* part)
    {
        return label.find(part) != std::string::npos;
    };
    if (has("backward"))
    {
        return {1, "backward", 0x99bbdd};
    }
    if (has("optimizer"))
    {
        return {2, "optimizer", 0x223355};
    }
    return {0, has("forward") ? "forward" : "compute", COMPUTE_COLOR};
}

void
TimelinePicture::Add(uint32_t rank, const TrainingTask& task, Time start, Time end)
{
    const TaskWindow::Stream stream = TaskWindow::GetStream(task);
    const Kind kind = GetKind(task);
    m_ranks = std::max(m_ranks, rank + 1);
    m_occurs[stream] = true;
    m_kinds[kind.place] = kind;
    m_data << FormatMicroseconds(start) << " " << FormatMicroseconds(end) << " " << rank << " "
           << int(stream) << " " << kind.color << "\n";
}

double
TimelinePicture::GetRankHeight() const
{
    double height = GAP;
    for (int stream = 0; stream < TaskWindow::STREAMS; ++stream)
    {
        height += m_occurs[stream] ? GetHeight(stream) : 0;
    }
    return height;
}

std::string
TimelinePicture::MakeRows(const TimelineWriter::RankName& rankName) const
{
    std::ostringstream middle;
    std::ostringstream ranks;
    std::ostringstream streams;
    const double all = GetRankHeight();
    double top = 0;
    for (int stream = 0; stream < TaskWindow::STREAMS; ++stream)
    {
        if (!m_occurs[stream])
        {
            continue;
        }
        const double place = top + GetHeight(stream) / 2;
        top += GetHeight(stream);
        middle << "s == " << stream << " ? " << place << " : ";
        const auto name = TaskWindow::GetStreamName(static_cast<TaskWindow::Stream>(stream));
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            streams << (streams.tellp() > 0 ? ", " : "") << "\"" << name << "\" "
                    << rank * all + place;
        }
    }
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        ranks << (rank > 0 ? ", " : "") << "\"" << rankName(rank) << "\" "
              << rank * all + (all - GAP) / 2;
    }
    std::ostringstream text;
    text << "middle(s) = " << middle.str() << "0\nhalf(s) = s == " << int(TaskWindow::COMPUTE)
         << " ? " << 0.45 * COMPUTE_HEIGHT << " : 0.45\ny(r, s) = r * " << all << " + middle(s)\n"
         << "receives(s) = s == " << int(TaskWindow::RECEIVE)
         << " || s == " << int(TaskWindow::CONTEXT_RECEIVE) << "\nset yrange ["
         << m_ranks * all - GAP / 2 << ":" << -GAP / 2 << "]\nset y2range ["
         << m_ranks * all - GAP / 2 << ":" << -GAP / 2 << "]\nset ytics scale 0 (" << ranks.str()
         << ")\nset y2tics scale 0 font \",6\" (" << streams.str() << ")\n";
    for (uint32_t rank = 1; rank < m_ranks; ++rank)
    {
        const double line = rank * all - GAP / 2;
        text << "set arrow from graph 0, first " << line << " to graph 1, first " << line
             << " nohead linecolor rgb " << BUBBLE_COLOR << "\n";
    }
    return text.str();
}

std::string
TimelinePicture::MakeKey() const
{
    std::ostringstream text;
    for (const auto& [place, kind] : m_kinds)
    {
        text << ", NaN with boxes linecolor rgb " << kind.color << " title \"" << kind.name << "\"";
    }
    return text.str();
}

bool
TimelinePicture::Draw(const std::string& title, const TimelineWriter::RankName& rankName)
{
    m_data.close();
    if (!m_data)
    {
        RefuseInput("cannot write " + m_folder.GetPath() + "/" + m_name +
                    ".dat: " + std::strerror(errno));
    }
    std::ostringstream script;
    script << "set terminal pngcairo size 1600," << 140 + m_ranks * GetRankHeight() * PIXELS
           << "\nset output \"" << m_name << ".png\"\nset title \"" << title
           << "\" noenhanced\nset xlabel \"time [ms]\"\nset style fill solid 1 border\n"
           << "set key outside top center horizontal\nset autoscale xfix\nset grid xtics\n"
           << MakeRows(rankName) << "data = \"" << m_name << ".dat\"\n"
           << "plot data using ($1/1e3):(y($3,$4)):($1/1e3):($2/1e3):(y($3,$4)-half($4)):"
           << "(y($3,$4)+half($4)):5 with boxxyerror linewidth 0.5 linecolor rgb variable notitle, "
           << "data using (receives($4) ? $2/1e3 : NaN):(y($3,$4)-half($4)):(0):(2*half($4)) "
           << "with vectors nohead linewidth 1 linecolor rgb "
           << DIMENSION_COLORS[static_cast<std::size_t>(ParallelDimension::PIPELINE)] << " notitle"
           << MakeKey() << "\n";
    return m_folder.Plot(m_name, script.str());
}

} // namespace ns3::llm
