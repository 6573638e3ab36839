// SPDX-License-Identifier: GPL-2.0-only

#include "training-report.h"

#include "training-job.h"

#include "ns3/collective-bound.h"
#include "ns3/communicator.h"
#include "ns3/ideal-time.h"
#include "ns3/locality.h"

#include <algorithm>
#include <tuple>

namespace ns3::llm
{

namespace
{

/**
 * @param record an operation
 * @return the request for its communicator
 */
CollectiveRequest
MakeRequest(const CollectiveRecord& record)
{
    TrainingTask task;
    task.kind = record.kind;
    task.bytes = record.bytes;
    return TrainingJob::MakeRequest(task);
}

} // namespace

TrainingSummary
TrainingReport::GetSummary() const
{
    TrainingSummary summary;
    RankAccount sum;
    for (const RankAccount& rank : ranks)
    {
        sum += rank;
    }
    const double parts = static_cast<double>(ranks.size() * iterations.size());
    if (parts == 0)
    {
        return summary;
    }
    const auto mean = [parts](Time time)
    {
        return static_cast<double>(time.GetPicoSeconds()) / 1e6 / parts;
    };
    summary.computeUs = mean(sum.compute);
    summary.bubbleUs = mean(sum.bubble);
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        summary.exposedUs[i] = mean(sum.exposed[i]);
    }
    const Time total = iterations.back().end - iterations.front().start;
    summary.iterationUs =
        static_cast<double>(total.GetPicoSeconds()) / 1e6 / static_cast<double>(iterations.size());
    return summary;
}

std::vector<ParallelDimension>
FindDimensions(const std::vector<TrainingReport>& reports)
{
    std::array<bool, PARALLEL_DIMENSIONS> occurs{};
    for (const TrainingReport& report : reports)
    {
        for (const CollectiveReport& collective : report.collectives)
        {
            occurs[static_cast<std::size_t>(collective.record.dimension)] = true;
        }
        const TrainingSummary summary = report.GetSummary();
        for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
        {
            occurs[i] = occurs[i] || summary.exposedUs[i] > 0;
        }
    }
    std::vector<ParallelDimension> dimensions;
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        if (occurs[i])
        {
            dimensions.push_back(static_cast<ParallelDimension>(i));
        }
    }
    return dimensions;
}

TrainingReport
MakeTrainingReport(const TrainingJob& job, const std::string& name)
{
    TrainingReport report;
    report.name = name;
    report.iterations = job.GetIterations().GetIterations();
    report.ranks = job.GetIterations().GetRanks();
    const JobLayout& layout = job.GetLayout();
    for (uint32_t rank = 0; rank < layout.GetRankCount(); ++rank)
    {
        report.accelerators.push_back(layout.GetAccelerator(rank));
    }
    for (const CollectiveRecord& record : job.GetCollectives().GetRecords())
    {
        CollectiveReport entry;
        entry.record = record;
        const auto accelerators = layout.GetAccelerators(record.group);
        entry.groupSize = static_cast<uint32_t>(accelerators.size());
        if (const auto communicator = job.GetCommunicator(record.group))
        {
            const auto program = communicator->MakeProgram(MakeRequest(record));
            const auto locality = job.GetLocality();
            const uint32_t owner = communicator->GetId();
            entry.ideal = EvaluateIdealTime(*program,
                                            accelerators,
                                            locality,
                                            communicator->GetStepCosts(),
                                            owner);
            entry.bound = GetBandwidthBound(*program, accelerators, locality, owner);
        }
        report.collectives.push_back(entry);
    }
    report.simulated = report.iterations.back().end - report.iterations.front().start;
    return report;
}

std::vector<LinkUse>
FindBusiest(std::vector<LinkUse> links, std::size_t count)
{
    std::sort(links.begin(),
              links.end(),
              [](const LinkUse& a, const LinkUse& b) {
                  return std::tie(b.busyShare, b.bytes, a.name) <
                         std::tie(a.busyShare, a.bytes, b.name);
              });
    links.resize(std::min(links.size(), count));
    return links;
}

} // namespace ns3::llm
