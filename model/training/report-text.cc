// SPDX-License-Identifier: GPL-2.0-only

#include "report-names.h"
#include "text-table.h"
#include "training-report.h"

#include <algorithm>
#include <map>

namespace ns3::llm
{

namespace
{

/** Most iterations and links shown; the CSV files have all. */
constexpr std::size_t MAX_ROWS = 10;

/**
 * @param us microseconds
 * @return milliseconds as text
 */
std::string
Milliseconds(double us)
{
    return FormatNumber(us / 1e3, 3);
}

/**
 * @param part a time
 * @param whole what it is a part of
 * @return the share in percent as text
 */
std::string
Percent(double part, double whole)
{
    return whole > 0 ? FormatNumber(100 * part / whole, 1) + " %" : "-";
}

/**
 * @param time a time, or nothing
 * @return microseconds as text, "-" for nothing
 */
std::string
Optional(const std::optional<Time>& time)
{
    return time ? FormatNumber(ToMicroseconds(*time), 2) : "-";
}

/**
 * The parts of an iteration in the order of the report: name and microseconds.
 * @param summary the means
 * @param dimensions those to show
 * @return the parts
 */
std::vector<std::pair<std::string, double>>
GetParts(const TrainingSummary& summary, const std::vector<ParallelDimension>& dimensions)
{
    std::vector<std::pair<std::string, double>> parts{{"compute", summary.computeUs}};
    for (const ParallelDimension dimension : dimensions)
    {
        parts.emplace_back(std::string("exposed ") + GetShortName(dimension),
                           summary.exposedUs[static_cast<std::size_t>(dimension)]);
    }
    parts.emplace_back("bubble", summary.bubbleUs);
    return parts;
}

/**
 * @param out where to
 * @param report its breakdown
 */
void
WriteBreakdown(std::ostream& out, const TrainingReport& report)
{
    const TrainingSummary summary = report.GetSummary();
    out << "\nWhere the time of an iteration goes (mean over ranks and iterations)\n";
    TextTable table({"part", "time [ms]", "share"});
    for (const auto& part : GetParts(summary, FindDimensions({report})))
    {
        table.AddRow(
            {part.first, Milliseconds(part.second), Percent(part.second, summary.iterationUs)});
    }
    table.AddRow({"iteration", Milliseconds(summary.iterationUs), "100.0 %"});
    table.Print(out);
    if (report.iterations.size() < 2)
    {
        return;
    }
    out << "\nIterations\n";
    TextTable iterations({"iteration", "time [ms]", "last rank"});
    const std::size_t shown = std::min(report.iterations.size(), MAX_ROWS);
    for (std::size_t i = 0; i < shown; ++i)
    {
        const IterationRecord& iteration = report.iterations[i];
        iterations.AddRow({std::to_string(i),
                           Milliseconds(ToMicroseconds(iteration.end - iteration.start)),
                           std::to_string(iteration.lastRank)});
    }
    iterations.Print(out);
    if (shown < report.iterations.size())
    {
        out << "  ... and " << report.iterations.size() - shown << " more\n";
    }
}

/**
 * @param out where to
 * @param report its collectives
 */
void
WriteCollectives(std::ostream& out, const TrainingReport& report)
{
    TextTable table({"collective",
                     "ranks",
                     "size",
                     "count",
                     "mean [us]",
                     "max [us]",
                     "ideal [us]",
                     "bound [us]",
                     "mean of a rank [us]"});
    for (const CollectiveReport& collective : report.collectives)
    {
        const CollectiveRecord& record = collective.record;
        const double mean = ToMicroseconds(record.total) / static_cast<double>(record.count);
        const double rankMean =
            ToMicroseconds(record.rankTotal) / static_cast<double>(record.rankCount);
        table.AddRow(
            {GetShortName(record.dimension) + std::string(" ") + GetOperationName(record.kind),
             std::to_string(collective.groupSize),
             FormatBytes(record.bytes),
             FormatCount(record.count),
             FormatNumber(mean, 2),
             FormatNumber(ToMicroseconds(record.max), 2),
             Optional(collective.ideal),
             Optional(collective.bound),
             FormatNumber(rankMean, 2)});
    }
    if (!table.IsEmpty())
    {
        out << "\nCollectives and messages (mean and max: from when all ranks have started; ideal: "
               "alone and undisturbed;\nbound: payload over line rate; mean of a rank: its wait "
               "for "
               "the others included)\n";
        table.Print(out);
    }
}

/**
 * @param out where to
 * @param report its links and counters
 */
void
WriteFabric(std::ostream& out, const TrainingReport& report)
{
    TextTable links({"busiest link", "rate [Gbps]", "carried [MB]", "busy"});
    for (std::size_t i = 0; i < std::min(report.links.size(), MAX_ROWS); ++i)
    {
        const LinkUse& link = report.links[i];
        links.AddRow({link.name,
                      FormatNumber(static_cast<double>(link.rate.GetBitRate()) / 1e9, 0),
                      FormatNumber(static_cast<double>(link.bytes) / 1e6, 2),
                      FormatNumber(100 * link.busyShare, 1) + " %"});
    }
    if (!links.IsEmpty())
    {
        out << "\n";
        links.Print(out);
    }
    out << "\nRun\n";
    TextTable table({"counter", "value"});
    table.AddRow({"hops", FormatCount(report.hops)});
    for (const NamedCounter& counter : report.counters)
    {
        table.AddRow({counter.name, FormatCount(counter.value)});
    }
    table.AddRow({"simulated time [ms]", Milliseconds(ToMicroseconds(report.simulated))});
    table.AddRow({"wall time [s]", FormatNumber(report.wallSeconds, 2)});
    if (report.wallSeconds > 0)
    {
        table.AddRow({"hops per second of wall time",
                      FormatCount(static_cast<uint64_t>(static_cast<double>(report.hops) /
                                                        report.wallSeconds))});
    }
    table.Print(out);
}

/**
 * Sum of the mean times of one dimension's collectives, and of their ideal times, each for the mean
 * rank and iteration.
 */
struct DimensionTimes
{
    double measuredUs = 0; //!< microseconds
    double idealUs = 0;    //!< microseconds; negative when unknown
};

/**
 * @param report a run
 * @param dimension a dimension
 * @return its times
 */
DimensionTimes
GetDimensionTimes(const TrainingReport& report, ParallelDimension dimension)
{
    DimensionTimes times;
    const double parts = static_cast<double>(report.ranks.size() * report.iterations.size());
    for (const CollectiveReport& collective : report.collectives)
    {
        const CollectiveRecord& record = collective.record;
        if (record.dimension != dimension)
        {
            continue;
        }
        const double share = static_cast<double>(record.rankCount) / parts;
        times.measuredUs +=
            share * ToMicroseconds(record.total) / static_cast<double>(record.count);
        if (!collective.ideal)
        {
            times.idealUs = -1;
        }
        else if (times.idealUs >= 0)
        {
            times.idealUs += share * ToMicroseconds(*collective.ideal);
        }
    }
    return times;
}

} // namespace

void
WriteReportText(std::ostream& out, const TrainingReport& report)
{
    out << report.name << "\n";
    std::size_t width = 0;
    for (const auto& fact : report.facts)
    {
        width = std::max(width, fact.first.size());
    }
    for (const auto& fact : report.facts)
    {
        out << "  " << fact.first << std::string(width - fact.first.size() + 2, ' ') << fact.second
            << "\n";
    }
    WriteBreakdown(out, report);
    WriteCollectives(out, report);
    WriteFabric(out, report);
}

void
WriteComparisonText(std::ostream& out, const std::vector<TrainingReport>& reports)
{
    std::vector<std::string> header{"mean of an iteration"};
    for (const TrainingReport& report : reports)
    {
        header.push_back(report.name);
    }
    TextTable table(header);
    const auto add = [&](const std::string& name, const auto& format)
    {
        std::vector<std::string> row{name};
        for (const TrainingReport& report : reports)
        {
            row.push_back(format(report));
        }
        table.AddRow(row);
    };
    add("iteration time [ms]",
        [](const TrainingReport& r) { return Milliseconds(r.GetSummary().iterationUs); });
    const std::vector<ParallelDimension> dimensions = FindDimensions(reports);
    const auto parts = GetParts(TrainingSummary(), dimensions);
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        add("  " + parts[i].first + " [ms]",
            [&](const TrainingReport& r)
            { return Milliseconds(GetParts(r.GetSummary(), dimensions).at(i).second); });
    }
    for (const ParallelDimension dimension : dimensions)
    {
        const std::string name = GetShortName(dimension) + std::string(" communication");
        add(name + " [ms]",
            [&](const TrainingReport& r)
            { return Milliseconds(GetDimensionTimes(r, dimension).measuredUs); });
        add("  ideal, each alone [ms]",
            [&](const TrainingReport& r)
            {
                const double ideal = GetDimensionTimes(r, dimension).idealUs;
                return ideal < 0 ? std::string("-") : Milliseconds(ideal);
            });
    }
    add("hops", [](const TrainingReport& r) { return FormatCount(r.hops); });
    std::vector<std::string> counters;
    for (const TrainingReport& report : reports)
    {
        for (const NamedCounter& counter : report.counters)
        {
            if (std::find(counters.begin(), counters.end(), counter.name) == counters.end())
            {
                counters.push_back(counter.name);
            }
        }
    }
    for (const std::string& name : counters)
    {
        add(name,
            [&](const TrainingReport& r)
            {
                const auto found = std::find_if(r.counters.begin(),
                                                r.counters.end(),
                                                [&](const auto& c) { return c.name == name; });
                return found == r.counters.end() ? std::string("-") : FormatCount(found->value);
            });
    }
    add("busiest link",
        [](const TrainingReport& r)
        {
            return r.links.empty() ? std::string("-")
                                   : FormatNumber(100 * r.links.front().busyShare, 1) + " % busy";
        });
    add("wall time [s]", [](const TrainingReport& r) { return FormatNumber(r.wallSeconds, 1); });
    add("hops per second",
        [](const TrainingReport& r)
        {
            return r.wallSeconds > 0
                       ? FormatNumber(static_cast<double>(r.hops) / r.wallSeconds / 1e6, 2) + " M"
                       : std::string("-");
        });
    table.Print(out, 0);
}

} // namespace ns3::llm
