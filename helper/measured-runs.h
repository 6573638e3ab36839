// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MEASURED_RUNS_H
#define LLM_FABRIC_MEASURED_RUNS_H

#include "parallel-runs.h"
#include "report-folder.h"

#include "ns3/run-manifest.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

class ProgramOptions;

/**
 * @ingroup llm-fabric-helper
 * Runs of a comparison, each in a process of its own, whose results come together in a folder.
 *
 * A run leaves its result as text. Those of the runs that end well are gathered, with their manifests
 * merged in manifest.json. With `summary` the folder is a temporary one and goes away.
 */
class MeasuredRuns
{
  public:
    /** What a program's user says of it. */
    struct Options
    {
        std::string output;   //!< folder for the results
        uint32_t jobs = 0;    //!< runs at a time; 0: one for each core
        bool quiet = false;   //!< show no progress
        bool summary = false; //!< keep no files

        /** @param program gets these as options; `summary` prints @param prints in words */
        void Add(ProgramOptions& program, const std::string& prints);
    };

    /** What a run is given in its own process. */
    struct Run
    {
        uint32_t index = 0;         //!< which run
        ProgressMeter::Sink report; //!< to be given snapshots of progress
        RunManifest manifest;       //!< how to repeat it; to be completed and given back
        const ReportFolder* folder; //!< for further files
        std::string result;         //!< to be set: what came of it, as text
    };

    /** A run. @param run what it is given, and gives back @return exit status */
    using Body = std::function<int(Run& run)>;

    /**
     * @param names of the runs
     * @param options what the user says
     * @param manifest with the command line
     */
    MeasuredRuns(std::vector<std::string> names, const Options& options, RunManifest manifest);

    /** Do all runs. @param body does one @return the worst exit status */
    int Do(const Body& body);

    /** @return which runs ended well, in their order, and the result of each */
    const std::vector<std::pair<std::size_t, std::string>>& GetResults() const;

    /**
     * Write what all runs give together, or remove the folder of a summary.
     * @param out gets a line that says where the results are
     * @param write writes the files; returns whether there is a picture. Not called in a summary, nor if
     *        no run ended well
     */
    void Finish(std::ostream& out, const std::function<bool(const ReportFolder&)>& write) const;

  private:
    std::vector<std::string> m_names;                           //!< of the runs
    Options m_options;                                          //!< what the user says
    RunManifest m_manifest;                                     //!< with the command line
    ReportFolder m_folder;                                      //!< where results are
    std::vector<std::pair<std::size_t, std::string>> m_results; //!< see GetResults()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_MEASURED_RUNS_H
