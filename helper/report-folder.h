// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_REPORT_FOLDER_H
#define LLM_FABRIC_REPORT_FOLDER_H

#include "ns3/run-manifest.h"
#include "ns3/training-report.h"

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A folder with the reports of one run or of several that are compared.
 *
 * Each training run, in whatever process, writes RUN.json and RUN-*.csv. Finish() gathers them into report.txt,
 * report.json (an array of the runs), manifest.json (by run), and, if gnuplot is installed,
 * iteration.png from iteration.gp and iteration.dat. Files of these names are overwritten.
 */
class ReportFolder
{
  public:
    /** @param path the folder */
    explicit ReportFolder(std::string path);

    /** @return its path */
    const std::string& GetPath() const;
    /** Make the folder; refused if it cannot be made or written. */
    void Prepare() const;
    /**
     * Write the files of a run.
     * @param report the run
     * @param manifest how to repeat it
     */
    void WriteRun(const TrainingReport& report, const RunManifest& manifest) const;
    /**
     * Gather the runs.
     * @param runs names of the runs, all written
     * @return the runs
     */
    std::vector<TrainingReport> Finish(const std::vector<std::string>& runs) const;

    /**
     * Write a file, or refuse.
     * @param name its name in the folder
     * @param text its content
     */
    void Write(const std::string& name, const std::string& text) const;
    /**
     * Read a file that a run has written, or refuse, and remove it.
     * @param name its name in the folder
     * @return its content
     */
    std::string Take(const std::string& name) const;
    /**
     * Gather RUN-manifest.json of each run in manifest.json.
     * @param runs names of the runs
     */
    void MergeManifests(const std::vector<std::string>& runs) const;
    /** @return path of a new folder, for runs that keep nothing */
    static std::string MakeTemporary();
    /**
     * Write NAME.gp and, if gnuplot is installed, have it make NAME.png.
     * @param name of the picture
     * @param script what gnuplot is to do, in the folder, before it plots into that file
     * @return whether there is a picture
     */
    bool Plot(const std::string& name, const std::string& script) const;

  private:
    /** Draw the bars of the runs, if gnuplot is there. @param reports the runs */
    void Draw(const std::vector<TrainingReport>& reports) const;

    std::string m_path; //!< the folder
};

} // namespace ns3::llm

#endif // LLM_FABRIC_REPORT_FOLDER_H
