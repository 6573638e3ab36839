// SPDX-License-Identifier: GPL-2.0-only

#include "report-folder.h"

#include "part-colors.h"

#include "ns3/input-error.h"
#include "ns3/text-table.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ns3::llm
{

namespace
{

/** What draws iteration.dat; run in the folder. */
constexpr const char* GNUPLOT_SCRIPT =
    R"(set style data histograms
set style histogram rowstacked
set style fill solid 1 border rgb "white"
set boxwidth 0.6
set ylabel "time of an iteration [ms]"
set yrange [0:*]
set key outside right invert
set grid ytics
plot for [i=2:columns] "iteration.dat" using i:xtic(1) title columnheader(i)
)";

} // namespace

ReportFolder::ReportFolder(std::string path)
    : m_path(std::move(path))
{
}

const std::string&
ReportFolder::GetPath() const
{
    return m_path;
}

void
ReportFolder::Prepare() const
{
    std::error_code error;
    std::filesystem::create_directories(m_path, error);
    if (error)
    {
        RefuseInput("report folder '" + m_path + "' cannot be made: " + error.message());
    }
    // better now than after the run
    const std::string probe = m_path + "/.probe";
    if (!std::ofstream(probe))
    {
        RefuseInput("report folder '" + m_path + "' cannot be written: " + std::strerror(errno));
    }
    std::filesystem::remove(probe, error);
}

void
ReportFolder::Write(const std::string& name, const std::string& text) const
{
    std::ofstream file(m_path + "/" + name);
    file << text;
    file.close();
    if (!file)
    {
        RefuseInput("cannot write " + m_path + "/" + name + ": " + std::strerror(errno));
    }
}

std::string
ReportFolder::Take(const std::string& name) const
{
    std::ifstream file(m_path + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
    {
        RefuseInput("cannot read " + m_path + "/" + name + ": " + std::strerror(errno));
    }
    file.close();
    std::filesystem::remove(m_path + "/" + name);
    return text.str();
}

void
ReportFolder::MergeManifests(const std::vector<std::string>& runs) const
{
    std::string manifests = "{\n";
    for (const std::string& run : runs)
    {
        manifests += "\"" + run + "\": " + Take(run + "-manifest.json") +
                     (run == runs.back() ? "\n}\n" : ",\n");
    }
    Write("manifest.json", manifests);
}

std::string
ReportFolder::MakeTemporary()
{
    std::string path = std::filesystem::temp_directory_path() / "llm-fabric-XXXXXX";
    if (!mkdtemp(path.data()))
    {
        RefuseInput("no folder can be made at " + path + ": " + std::strerror(errno));
    }
    return path;
}

void
ReportFolder::WriteRun(const TrainingReport& report, const RunManifest& manifest) const
{
    Write(report.name + ".json", ReportToJson(report) + "\n");
    Write(report.name + "-manifest.json", manifest.ToJson());
    WriteReportCsv(m_path, report.name + "-", report);
}

std::vector<TrainingReport>
ReportFolder::Finish(const std::vector<std::string>& runs) const
{
    std::vector<TrainingReport> reports;
    std::string all = "[\n";
    for (const std::string& run : runs)
    {
        const std::string text = Take(run + ".json");
        reports.push_back(ReportFromJson(text));
        all += text + (run == runs.back() ? "]\n" : ",\n");
    }
    Write("report.json", all);
    MergeManifests(runs);
    std::ostringstream text;
    if (reports.size() > 1)
    {
        WriteComparisonText(text, reports);
    }
    for (const TrainingReport& report : reports)
    {
        text << (text.str().empty() ? "" : "\n\n");
        WriteReportText(text, report);
    }
    Write("report.txt", text.str());
    Draw(reports);
    return reports;
}

void
ReportFolder::Draw(const std::vector<TrainingReport>& reports) const
{
    const std::vector<ParallelDimension> dimensions = FindDimensions(reports);
    std::ostringstream data;
    std::ostringstream settings;
    std::size_t parts = 0;
    const auto addPart = [&](const std::string& name, uint32_t color)
    {
        data << " " << name;
        settings << "set linetype " << ++parts << " linecolor rgb " << color << "\n";
    };
    data << "fabric";
    addPart("compute", COMPUTE_COLOR);
    for (const ParallelDimension dimension : dimensions)
    {
        addPart(std::string("\"exposed ") + GetShortName(dimension) + "\"",
                DIMENSION_COLORS[static_cast<std::size_t>(dimension)]);
    }
    addPart("\"bubble, peers late\"", BUBBLE_COLOR);
    data << "\n";
    settings << "columns = " << parts + 1 << "\n";
    for (const TrainingReport& report : reports)
    {
        const TrainingSummary summary = report.GetSummary();
        data << report.name << " " << FormatNumber(summary.computeUs / 1e3, 6);
        for (const ParallelDimension dimension : dimensions)
        {
            const double us = summary.exposedUs[static_cast<std::size_t>(dimension)];
            data << " " << FormatNumber(us / 1e3, 6);
        }
        data << " " << FormatNumber(summary.bubbleUs / 1e3, 6) << "\n";
    }
    std::string title;
    for (const auto& [name, text] : reports.front().facts)
    {
        if (name == "model" || name == "strategy" || name == "accelerator")
        {
            title += (title.empty() ? "" : "; ") + text;
        }
    }
    Write("iteration.dat", data.str());
    Plot("iteration", "set title \"" + title + "\" noenhanced\n" + settings.str() + GNUPLOT_SCRIPT);
}

bool
ReportFolder::Plot(const std::string& name, const std::string& script) const
{
    Write(name + ".gp",
          "# draws " + name + ".png: gnuplot " + name +
              ".gp\nset terminal pngcairo size 900,600\n" + "set output \"" + name + ".png\"\n" +
              script);
    if (std::system("command -v gnuplot > /dev/null 2>&1") != 0)
    {
        return false;
    }
    // the path as a quoted word of the shell
    std::string quoted = "'";
    for (const char c : m_path)
    {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    const std::string command = "cd " + quoted + "' && gnuplot " + name + ".gp > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0)
    {
        std::filesystem::remove(m_path + "/" + name + ".png");
        return false;
    }
    return true;
}

} // namespace ns3::llm
