// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PARALLEL_RUNS_H
#define LLM_FABRIC_PARALLEL_RUNS_H

#include "ns3/progress-meter.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Does runs in processes of their own, some at a time, and shows their progress together. ns-3 has
 * one simulator per process, so this is how one program does several runs side by side. To be used
 * before the simulator is started in the calling process.
 */
class ParallelRuns
{
  public:
    /**
     * A run, in its own process.
     * @param index which run
     * @param report to be given snapshots of progress
     * @return exit status
     */
    using Body = std::function<int(uint32_t index, const ProgressMeter::Sink& report)>;

    /**
     * @param names what the runs are called
     * @param atMost most processes at a time; 0: as many as there are cores
     */
    ParallelRuns(std::vector<std::string> names, uint32_t atMost = 0);

    /**
     * Do all runs. Their standard error is the caller's.
     * @param body does a run
     * @param printer shows progress
     * @param intervalSeconds wall time between two lines of progress
     * @return exit status of each run; 128 and a signal's number if it was killed
     */
    std::vector<int> Run(const Body& body, ProgressPrinter& printer, double intervalSeconds) const;

  private:
    std::vector<std::string> m_names; //!< of the runs
    uint32_t m_atMost;                //!< most processes at a time
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PARALLEL_RUNS_H
