// SPDX-License-Identifier: GPL-2.0-only

#include "measured-runs.h"

#include "program-options.h"

#include "ns3/run-outcome.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace ns3::llm
{

namespace
{

/** @param options a user's @return these, with a folder of their own if nothing is kept */
MeasuredRuns::Options
ChooseFolder(MeasuredRuns::Options options)
{
    options.output = options.summary ? ReportFolder::MakeTemporary() : options.output;
    return options;
}

} // namespace

void
MeasuredRuns::Options::Add(ProgramOptions& program, const std::string& prints)
{
    program.Add("jobs", "runs at a time; 0: one for each core", jobs);
    program.Add("output", "folder for the results", output);
    program.Add("quiet", "show no progress", quiet);
    program.Add("summary", prints + ", keep no files", summary);
}

MeasuredRuns::MeasuredRuns(std::vector<std::string> names,
                           const Options& options,
                           RunManifest manifest)
    : m_names(std::move(names)),
      m_options(ChooseFolder(options)),
      m_manifest(std::move(manifest)),
      m_folder(m_options.output)
{
    m_folder.Prepare();
}

int
MeasuredRuns::Do(const Body& body)
{
    const auto mode = ProgressPrinter::ChooseMode(m_options.quiet, STDERR_FILENO);
    ProgressPrinter printer(std::cerr, mode);
    const auto doRun = [&](uint32_t index, const ProgressMeter::Sink& report)
    {
        Run run{index, report, m_manifest, &m_folder, ""};
        const int status = body(run);
        m_folder.Write(m_names[index] + ".json", run.result);
        m_folder.Write(m_names[index] + "-manifest.json", run.manifest.ToJson());
        return status;
    };
    const auto statuses = ParallelRuns(m_names, m_options.jobs)
                              .Run(doRun, printer, ProgressPrinter::GetInterval(mode));
    for (std::size_t i = 0; i < statuses.size(); ++i)
    {
        if (statuses[i] == EXIT_DONE)
        {
            m_results.emplace_back(i, m_folder.Take(m_names[i] + ".json"));
        }
    }
    return *std::max_element(statuses.begin(), statuses.end());
}

const std::vector<std::pair<std::size_t, std::string>>&
MeasuredRuns::GetResults() const
{
    return m_results;
}

void
MeasuredRuns::Finish(std::ostream& out, const std::function<bool(const ReportFolder&)>& write) const
{
    if (m_options.summary)
    {
        std::filesystem::remove_all(m_options.output);
    }
    else if (!m_results.empty())
    {
        std::vector<std::string> names;
        for (const auto& result : m_results)
        {
            names.push_back(m_names[result.first]);
        }
        m_folder.MergeManifests(names);
        const bool isDrawn = write(m_folder);
        out << "results" << (isDrawn ? " and pictures" : "") << " in " << m_options.output
            << std::endl;
    }
}

} // namespace ns3::llm
