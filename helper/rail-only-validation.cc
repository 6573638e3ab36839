// SPDX-License-Identifier: GPL-2.0-only

#include "rail-only-validation.h"

#include "ns3/csv-row.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/text-table.h"

namespace ns3::llm
{

namespace
{

/**
 * @param file name of a file in data/validation
 * @return its rows
 */
std::vector<CsvRow>
ReadPublished(const std::string& file)
{
    return CsvRow::ReadFile("validation file", FindDataFile("validation/" + file));
}

/**
 * @param row with columns model and batch_tokens
 * @return the job
 */
RailOnlyJob
MakeJob(const CsvRow& row)
{
    return RailOnlyJob::FromName(row.GetText("model"), row.GetNumber("batch_tokens", true));
}

/**
 * @param row with a column gpus
 * @param domainColumn the column that has K
 * @return the machine
 */
RailOnlyMachine
MakeMachine(const CsvRow& row, const std::string& domainColumn)
{
    RailOnlyMachine machine;
    machine.accelerators = row.GetNumber("gpus", true);
    machine.domainSize = row.GetNumber(domainColumn, true);
    return machine;
}

/**
 * @param job what
 * @param machine on what
 * @return e.g. "GPT3 32e6 tokens, N = 16384, K = 32"
 */
std::string
DescribePoint(const RailOnlyJob& job, const RailOnlyMachine& machine)
{
    return job.name + ", " + FormatNumber(job.batchTokens / 1e6, 2) +
           "e6 tokens, N = " + FormatNumber(machine.accelerators, 0) +
           ", K = " + FormatNumber(machine.domainSize, 0);
}

} // namespace

double
RailOnlyPoint::GetComputedSeconds() const
{
    return EstimateRailOnly(job, machine, FindBestModelParallel(job, machine)).GetSeconds();
}

bool
RailOnlyPoint::IsIdeal() const
{
    return machine.domainSize == machine.accelerators;
}

std::vector<RailOnlyPoint>
ReadRailOnlyPoints()
{
    std::vector<RailOnlyPoint> points;
    for (const CsvRow& row : ReadPublished("rail-only-iteration-time.csv"))
    {
        RailOnlyPoint point;
        point.figure = static_cast<int>(row.GetNumber("figure", true));
        point.job = MakeJob(row);
        point.machine = MakeMachine(row, "hb_domain");
        point.seconds = row.GetNumber("seconds", true);
        points.push_back(point);
    }
    return points;
}

std::vector<ValidationRow>
CompareRailOnlyTimes()
{
    std::vector<ValidationRow> rows;
    for (const RailOnlyPoint& point : ReadRailOnlyPoints())
    {
        rows.push_back({"rail-only figure " + std::to_string(point.figure) + ", " +
                            DescribePoint(point.job, point.machine) +
                            (point.IsIdeal() ? " (ideal)" : ""),
                        point.seconds,
                        point.GetComputedSeconds(),
                        "s"});
    }
    return rows;
}

std::vector<ValidationRow>
CompareRailOnlyShares()
{
    std::vector<ValidationRow> rows;
    for (const CsvRow& row : ReadPublished("rail-only-byte-shares.csv"))
    {
        const RailOnlyJob job = MakeJob(row);
        const RailOnlyMachine machine = MakeMachine(row, "hb_domain");
        const double group = RoundModelParallel(FindBestModelParallel(job, machine));
        const RailOnlyEstimate estimate = EstimateRailOnly(job, machine, group);
        const auto add = [&](const std::string& part, const std::string& column, double bytes)
        {
            rows.push_back({"rail-only bytes, " + DescribePoint(job, machine) + ", " + part,
                            row.GetNumber(column, true),
                            100 * bytes / estimate.GetBytes(),
                            "%"});
        };
        add("model parallel", "model_parallel_percent", estimate.modelBytes);
        add("data across domains", "data_across_percent", estimate.acrossBytes);
        add("data inside domains", "data_inside_percent", estimate.insideBytes);
    }
    return rows;
}

std::vector<ValidationRow>
CompareRailOnlyLargerDomains()
{
    std::vector<ValidationRow> rows;
    for (const CsvRow& row : ReadPublished("rail-only-larger-domain.csv"))
    {
        RailOnlyPoint smaller;
        smaller.job = MakeJob(row);
        smaller.machine = MakeMachine(row, "smaller_domain");
        RailOnlyPoint larger = smaller;
        larger.machine = MakeMachine(row, "larger_domain");
        rows.push_back({"rail-only time saved, " + DescribePoint(smaller.job, smaller.machine) +
                            " to " + FormatNumber(larger.machine.domainSize, 0),
                        row.GetNumber("saving_percent", true),
                        100 * (1 - larger.GetComputedSeconds() / smaller.GetComputedSeconds()),
                        "%"});
    }
    return rows;
}

} // namespace ns3::llm
