// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TIMELINE_PICTURE_H
#define LLM_FABRIC_TIMELINE_PICTURE_H

#include "report-folder.h"

#include "ns3/nstime.h"
#include "ns3/task-window.h"
#include "ns3/timeline-writer.h"
#include "ns3/training-graph.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Draws the tasks of ranks as bars over time, a row for each rank and stream, by gnuplot.
 *
 * Each task is written to NAME.dat when it is told, so memory does not grow with the run. A send takes
 * no time of its own and is a stroke. A receive is a pale bar while it waits and a stroke when it is
 * done.
 */
class TimelinePicture
{
  public:
    /**
     * @param folder where to, prepared
     * @param name what its files are called: NAME.dat, NAME.gp and NAME.png
     */
    TimelinePicture(const ReportFolder& folder, const std::string& name);

    /**
     * Write a task.
     * @param rank the rank that did it
     * @param task the task
     * @param start when it started
     * @param end when it was done
     */
    void Add(uint32_t rank, const TrainingTask& task, Time start, Time end);
    /**
     * Draw what has been added.
     * @param title what stands above
     * @param rankName names ranks
     * @return whether there is a picture: gnuplot is installed
     */
    bool Draw(const std::string& title, const TimelineWriter::RankName& rankName);

  private:
    /** What tasks of a kind look like. */
    struct Kind
    {
        uint32_t place;   //!< in the key
        std::string name; //!< in the key
        uint32_t color;   //!< 0xRRGGBB
    };

    /**
     * @param task a task
     * @return its kind
     */
    static Kind GetKind(const TrainingTask& task);
    /**
     * @param rankName names ranks
     * @return commands of gnuplot that place the rows and name them
     */
    std::string MakeRows(const TimelineWriter::RankName& rankName) const;
    /** @return the key's entries, as plots of nothing */
    std::string MakeKey() const;
    /** @return height of a rank's rows together */
    double GetRankHeight() const;

    const ReportFolder& m_folder;                     //!< where to
    std::string m_name;                               //!< of the files
    std::ofstream m_data;                             //!< the tasks
    uint32_t m_ranks = 0;                             //!< one more than the highest rank
    std::array<bool, TaskWindow::STREAMS> m_occurs{}; //!< streams that have come
    std::map<uint32_t, Kind> m_kinds;                 //!< that have come, by their place in the key
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TIMELINE_PICTURE_H
