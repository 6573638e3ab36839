// SPDX-License-Identifier: GPL-2.0-only

#include "bench-rounds.h"

#include "bench-child.h"
#include "bench-plan.h"
#include "bench-workloads.h"

#include <algorithm>

namespace ns3::llm::bench
{

namespace
{

/** CPU time of a hop in the references, ns. */
struct ReferenceTimes
{
    double raw = 0;      //!< raw hop
    double windowed = 0; //!< windowed raw hop
    double udp = 0;      //!< UDP/IP hop
};

/** @param load of the raw hop @return its row */
Row
MakeRawRow(const ReferenceLoad& load)
{
    Row row;
    row.name = load.window == 0 ? "raw hop" : "raw hop, windowed";
    row.variant = std::to_string(load.paths) + " links, " +
                  (load.window == 0 ? "line rate" : "window " + std::to_string(load.window));
    row.body = [load]()
    {
        return MeasureRawHop(load);
    };
    return row;
}

/** @param load of UDP/IP @return its row */
Row
MakeUdpRow(const ReferenceLoad& load)
{
    Row row;
    row.name = "UDP/IP over 4 links";
    row.variant = std::to_string(load.paths) + (load.paths == 1 ? " path" : " paths") +
                  ", window " + std::to_string(load.window);
    row.body = [load]()
    {
        return MeasureUdpHop(load);
    };
    return row;
}

/** @param scenario a workload @param leastSeconds CPU time of a measurement @return its row */
Row
MakeRow(const Scenario& scenario, double leastSeconds)
{
    Row row;
    row.name = scenario.workload;
    row.variant = DescribeVariant(scenario);
    row.scenario = scenario;
    row.body = [scenario, leastSeconds]()
    {
        return MeasureScenario(scenario, leastSeconds);
    };
    return row;
}

/** @param row it @return for messages */
std::string
Describe(const Row& row)
{
    return row.name +
           (row.scenario.workload.empty() ? "" : " " + std::to_string(row.scenario.hosts)) +
           (row.variant.empty() ? "" : " (" + row.variant + ")");
}

/** @param row it @return CPU time that it has taken in all, s */
double
GetTotalSeconds(const Row& row)
{
    double seconds = 0;
    for (const Measurement& measurement : row.measurements)
    {
        seconds += measurement.cpuSeconds;
    }
    return seconds;
}

/** Measure once more, in a child process. @param row what @return CPU time of a hop, ns */
double
Measure(Row& row)
{
    row.measurements.push_back(MeasureInChild<Measurement>(Describe(row), row.body));
    return row.measurements.back().GetNsPerHop();
}

/** Measure the references. @param results gets them @return their times */
ReferenceTimes
MeasureReferences(Results& results)
{
    ReferenceTimes times;
    times.raw = Measure(results.raw);
    times.windowed = Measure(results.windowed);
    times.udp = Measure(results.udp);
    results.windowed.timesRaw.push_back(times.raw / times.windowed);
    results.udp.timesRaw.push_back(times.raw / times.udp);
    results.udp.timesWindowed.push_back(times.windowed / times.udp);
    return times;
}

/** If a row is the reference mode of the one before, compare the two of this round. @param rows all
 * @param i the row, just measured */
void
PairWithReferenceMode(std::vector<Row>& rows, std::size_t i)
{
    if (!rows[i].scenario.isReferenceMode || i == 0 ||
        rows[i - 1].measurements.size() != rows[i].measurements.size())
    {
        return;
    }
    rows[i - 1].timesReference.push_back(rows[i].measurements.back().GetNsPerHop() /
                                         rows[i - 1].measurements.back().GetNsPerHop());
}

/** Measure all rows once, with the references before, between and after. @param results all
 * @param mostSeconds see RoundSettings @param progress told what comes next */
void
MeasureRound(Results& results,
             double mostSeconds,
             const std::function<void(const std::string&)>& progress)
{
    ReferenceTimes before = MeasureReferences(results);
    for (std::size_t i = 0; i < results.rows.size(); ++i)
    {
        Row& row = results.rows[i];
        if (GetTotalSeconds(row) > mostSeconds)
        {
            continue;
        }
        progress(Describe(row));
        const double ns = Measure(row);
        const ReferenceTimes after = MeasureReferences(results);
        row.timesRaw.push_back((before.raw + after.raw) / 2 / ns);
        row.timesWindowed.push_back((before.windowed + after.windowed) / 2 / ns);
        row.timesUdp.push_back((before.udp + after.udp) / 2 / ns);
        before = after;
        PairWithReferenceMode(results.rows, i);
    }
}

} // namespace

Results
MeasureAll(const std::vector<Scenario>& plan,
           const RoundSettings& settings,
           const std::function<void(const std::string&)>& progress)
{
    Results results;
    results.raw = MakeRawRow(settings.raw);
    results.windowed = MakeRawRow(settings.windowed);
    results.udp = MakeUdpRow(settings.udp);
    for (const ReferenceLoad& load : settings.moreRaw)
    {
        results.rows.push_back(MakeRawRow(load));
    }
    for (const ReferenceLoad& load : settings.moreUdp)
    {
        results.rows.push_back(MakeUdpRow(load));
    }
    for (const Scenario& scenario : plan)
    {
        results.rows.push_back(MakeRow(scenario, settings.leastSeconds));
    }
    for (uint32_t round = 1; round <= settings.rounds; ++round)
    {
        const std::string where =
            "round " + std::to_string(round) + " of " + std::to_string(settings.rounds) + ": ";
        MeasureRound(results,
                     settings.mostSeconds,
                     [&where, &progress](const std::string& what) { progress(where + what); });
    }
    return results;
}

double
GetMedian(std::vector<double> values)
{
    if (values.empty())
    {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double
GetMedianNsPerHop(const Row& row)
{
    std::vector<double> values;
    for (const Measurement& measurement : row.measurements)
    {
        values.push_back(measurement.GetNsPerHop());
    }
    return GetMedian(values);
}

} // namespace ns3::llm::bench
