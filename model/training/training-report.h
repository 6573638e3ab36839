// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_REPORT_H
#define LLM_FABRIC_TRAINING_REPORT_H

#include "collective-log.h"
#include "iteration-log.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

class TrainingJob;

/**
 * @ingroup llm-fabric-training
 * What one direction of a link carried.
 */
struct LinkUse
{
    std::string name;     //!< which: "accelerator 3 to rail switch 1"
    uint64_t bytes = 0;   //!< wire bytes carried
    DataRate rate;        //!< line rate
    double busyShare = 0; //!< share of the simulated time in which it carried something, 0 to 1
};

/**
 * @ingroup llm-fabric-training
 * A counter of the fabric: "pauses", "marks", "drops", "retransmissions", ...
 */
struct NamedCounter
{
    std::string name;   //!< what is counted
    uint64_t value = 0; //!< how many
};

/**
 * @ingroup llm-fabric-training
 * Collectives or messages of one kind, dimension and size beside what theory says of the first group
 * that finished one.
 */
struct CollectiveReport
{
    CollectiveRecord record;   //!< what was measured
    uint32_t groupSize = 0;    //!< ranks of the group
    std::optional<Time> ideal; //!< an independent evaluation of an undisturbed operation
    std::optional<Time> bound; //!< payload over line rate, which nothing can beat
};

/**
 * @ingroup llm-fabric-training
 * The means of a job over its ranks and iterations. The parts add up to the iteration time, but for
 * rounding to doubles.
 */
struct TrainingSummary
{
    double iterationUs = 0; //!< time of an iteration, microseconds, as are all below
    double computeUs = 0;   //!< compute
    std::array<double, PARALLEL_DIMENSIONS> exposedUs{}; //!< exposed communication, by dimension
    double bubbleUs = 0;                                 //!< bubble
};

/**
 * @ingroup llm-fabric-training
 * All that a run came to. Plain data: fill it by MakeTrainingReport(), add what the cluster knows,
 * hand it to a writer.
 */
struct TrainingReport
{
    /** What the user should know beside the figures: name and text, in order. */
    using Facts = std::vector<std::pair<std::string, std::string>>;

    std::string name;                          //!< what the run is called: "rail-only"
    Facts facts;                               //!< model, accelerator, strategy, padding, ...
    std::vector<IterationRecord> iterations;   //!< by iteration
    std::vector<RankAccount> ranks;            //!< by rank, over all iterations
    std::vector<uint32_t> accelerators;        //!< by rank
    std::vector<CollectiveReport> collectives; //!< by dimension, kind and size
    std::vector<LinkUse> links;                //!< busiest first
    std::vector<NamedCounter> counters;        //!< of the fabric
    Time simulated;                            //!< simulated time of the job
    double wallSeconds = 0;                    //!< wall time of the run
    uint64_t hops = 0;                         //!< frames x links

    /** @return the means over ranks and iterations */
    TrainingSummary GetSummary() const;
};

/**
 * @ingroup llm-fabric-training
 * @param reports runs
 * @return the dimensions along which some run communicated; texts and pictures show these alone
 */
std::vector<ParallelDimension> FindDimensions(const std::vector<TrainingReport>& reports);

/**
 * @ingroup llm-fabric-training
 * @param job a finished job
 * @param name what to call the run
 * @return its times and collectives, each with its ideal time and bound; links, counters, hops, wall
 * time and facts are left for the caller
 */
TrainingReport MakeTrainingReport(const TrainingJob& job, const std::string& name);

/**
 * @ingroup llm-fabric-training
 * Sort links by busy share, then bytes, then name, and keep the first.
 * @param links all links
 * @param count how many to keep
 * @return the busiest
 */
std::vector<LinkUse> FindBusiest(std::vector<LinkUse> links, std::size_t count);

/**
 * @ingroup llm-fabric-training
 * Write a report for people.
 * @param out where to
 * @param report what
 */
void WriteReportText(std::ostream& out, const TrainingReport& report);

/**
 * @ingroup llm-fabric-training
 * Write a table that compares runs.
 * @param out where to
 * @param reports the runs, one column each
 */
void WriteComparisonText(std::ostream& out, const std::vector<TrainingReport>& reports);

/**
 * @ingroup llm-fabric-training
 * @param report a report
 * @return it as JSON with units in the names of the keys; times keep every picosecond
 */
std::string ReportToJson(const TrainingReport& report);

/**
 * @ingroup llm-fabric-training
 * @param text what ReportToJson() made; anything else is refused
 * @return the report
 */
TrainingReport ReportFromJson(const std::string& text);

/**
 * @ingroup llm-fabric-training
 * Write the tables of a report as CSV with units in the names of the columns: iterations, ranks,
 * collectives, links, counters.
 * @param folder where to; made if need be
 * @param prefix what the names of the files begin with
 * @param report what
 * @return the files written
 */
std::vector<std::string>
WriteReportCsv(const std::string& folder, const std::string& prefix, const TrainingReport& report);

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_REPORT_H
