// SPDX-License-Identifier: GPL-2.0-only

#include "traffic-comparison.h"

#include "ns3/text-table.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

namespace ns3::llm
{

namespace
{

/** A column of the tables. */
struct Column
{
    const char* name;  //!< in files, with unit
    const char* title; //!< in tables, with unit; nullptr: in files only
    int decimals;      //!< digits after the point, in tables; -1: a count
    std::function<double(const TrafficOutcome&)> get; //!< its value
};

/** @param name of a counter @return what takes its value */
std::function<double(const TrafficOutcome&)>
Count(const std::string& name)
{
    return [name](const TrafficOutcome& o)
    {
        return static_cast<double>(o.GetCounter(name));
    };
}

/** @return all columns */
const std::vector<Column>&
GetColumns()
{
    using Out = const TrafficOutcome&;
    static const std::vector<Column> columns = {
        {"flows",
         nullptr,
         -1,
         [](Out o)
         {
             return static_cast<double>(o.flows);
         }},
        {"received_flows",
         nullptr,
         -1,
         [](Out o)
         {
             return static_cast<double>(o.received);
         }},
        {"completion_us",
         "all done [us]",
         1,
         [](Out o)
         {
             return o.completionUs;
         }},
        {"goodput_gbps",
         "goodput [Gb/s]",
         0,
         [](Out o)
         {
             return o.goodputGbps;
         }},
        {"median_slowdown_ratio",
         "slowdown: 50 %",
         2,
         [](Out o)
         {
             return o.all.median;
         }},
        {"p95_slowdown_ratio",
         "95 %",
         2,
         [](Out o)
         {
             return o.all.percentile95;
         }},
        {"p99_slowdown_ratio",
         "99 %",
         2,
         [](Out o)
         {
             return o.all.percentile99;
         }},
        {"max_slowdown_ratio",
         nullptr,
         2,
         [](Out o)
         {
             return o.all.max;
         }},
        {"queue_median_kb",
         "queue [kB]: 50 %",
         0,
         [](Out o)
         {
             return o.queueMedianKb;
         }},
        {"queue_p95_kb",
         nullptr,
         0,
         [](Out o)
         {
             return o.queuePercentile95Kb;
         }},
        {"queue_p99_kb",
         "99 %",
         0,
         [](Out o)
         {
             return o.queuePercentile99Kb;
         }},
        {"queue_max_kb",
         "max",
         0,
         [](Out o)
         {
             return o.queueMaxKb;
         }},
        {"rtt_median_us",
         nullptr,
         1,
         [](Out o)
         {
             return o.rttMedianUs;
         }},
        {"rtt_p99_us",
         "RTT 99 % [us]",
         1,
         [](Out o)
         {
             return o.rttPercentile99Us;
         }},
        {"pauses", "pauses", -1, Count("pauses")},
        {"ecn_marks", "marks", -1, Count("ECN marks")},
        {"cnps", "CNPs", -1, Count("congestion notifications")},
        {"acks", nullptr, -1, Count("acknowledgments")},
        {"marked_acks", nullptr, -1, Count("acknowledgments of marked frames")},
        {"queue_telemetry_acks", "INT", -1, Count("acknowledgments that tell of a queue")},
        {"data_frames", nullptr, -1, Count("data frames")},
        {"retransmissions", "resent", -1, Count("retransmissions")},
        {"timeouts", nullptr, -1, Count("timeouts")},
        {"drops", "drops", -1, Count("drops")},
        {"hops",
         nullptr,
         -1,
         [](Out o)
         {
             return static_cast<double>(o.hops);
         }},
        {"wall_s",
         nullptr,
         2,
         [](Out o)
         {
             return o.wallSeconds;
         }},
    };
    return columns;
}

/** @param column a column @param outcome one @return the value, exact enough for files */
std::string
Exact(const Column& column, const TrafficOutcome& outcome)
{
    return FormatNumber(column.get(outcome), column.decimals < 0 ? 0 : 6);
}

/** @param outcomes some @return those of each traffic, in order */
std::vector<std::vector<TrafficOutcome>>
SplitByTraffic(const std::vector<TrafficOutcome>& outcomes)
{
    std::vector<std::vector<TrafficOutcome>> groups;
    for (const TrafficOutcome& outcome : outcomes)
    {
        if (groups.empty() || groups.back().front().traffic != outcome.traffic)
        {
            groups.emplace_back();
        }
        groups.back().push_back(outcome);
    }
    return groups;
}

/** @param bytes a size @return it in kB, short */
std::string
ShortSize(uint64_t bytes)
{
    const double kb = static_cast<double>(bytes) / 1e3;
    return kb < 1e3 ? FormatNumber(kb, kb < 10 ? 1 : 0) + " kB" : FormatNumber(kb / 1e3, 1) + " MB";
}

/** @param out gets a table of the slowdowns of ranges of sizes @param outcomes of one traffic */
void
WriteSizesTable(std::ostream& out, const std::vector<TrafficOutcome>& outcomes)
{
    std::vector<std::string> header{"99 % slowdown, flows up to"};
    for (const SlowdownBucket& bucket : outcomes.front().bySize)
    {
        header.push_back(ShortSize(bucket.maxBytes));
    }
    TextTable table(header);
    for (const TrafficOutcome& outcome : outcomes)
    {
        std::vector<std::string> row{outcome.control};
        for (const SlowdownBucket& bucket : outcome.bySize)
        {
            row.push_back(FormatNumber(bucket.percentile99, 2));
        }
        row.resize(header.size());
        table.AddRow(row);
    }
    out << '\n';
    table.Print(out);
}

} // namespace

std::string
GetRunName(const TrafficOutcome& outcome)
{
    return outcome.traffic + "-" + outcome.control;
}

void
WriteTrafficTables(std::ostream& out, const std::vector<TrafficOutcome>& outcomes)
{
    for (const auto& group : SplitByTraffic(outcomes))
    {
        std::vector<std::string> header{"control"};
        for (const Column& column : GetColumns())
        {
            if (column.title)
            {
                header.emplace_back(column.title);
            }
        }
        TextTable table(header);
        for (const TrafficOutcome& outcome : group)
        {
            std::vector<std::string> row{outcome.control};
            for (const Column& column : GetColumns())
            {
                if (column.title)
                {
                    const double value = column.get(outcome);
                    row.push_back(column.decimals < 0 ? FormatCount(static_cast<uint64_t>(value))
                                                      : FormatNumber(value, column.decimals));
                }
            }
            table.AddRow(row);
        }
        out << group.front().traffic << ", " << FormatCount(group.front().flows)
            << " flows: " << group.front().scene << '\n';
        table.Print(out);
        if (group.front().bySize.size() > 1)
        {
            WriteSizesTable(out, group);
        }
        out << '\n';
    }
    out << "slowdown: time over the time alone; queue: the longest of the switches; INT:\n"
           "acknowledgments whose telemetry tells of a queue\n";
}

void
WriteTrafficCsv(std::ostream& out, const std::vector<TrafficOutcome>& outcomes)
{
    out << "traffic,control";
    for (const Column& column : GetColumns())
    {
        out << ',' << column.name;
    }
    out << '\n';
    for (const TrafficOutcome& outcome : outcomes)
    {
        out << outcome.traffic << ',' << outcome.control;
        for (const Column& column : GetColumns())
        {
            out << ',' << Exact(column, outcome);
        }
        out << '\n';
    }
}

void
WriteTrafficSlowdownCsv(std::ostream& out, const std::vector<TrafficOutcome>& outcomes)
{
    std::string header = "traffic,control,";
    for (const TrafficOutcome& outcome : outcomes)
    {
        std::ostringstream lines;
        WriteSlowdownCsv(lines, outcome.bySize);
        std::istringstream all(lines.str());
        std::string line;
        std::getline(all, line);
        out << (header.empty() ? "" : header + line + '\n');
        header.clear();
        while (std::getline(all, line))
        {
            out << outcome.traffic << ',' << outcome.control << ',' << line << '\n';
        }
    }
}

void
WriteTrafficSummary(std::ostream& out, const std::vector<TrafficOutcome>& outcomes)
{
    for (const TrafficOutcome& outcome : outcomes)
    {
        out << "traffic=" << outcome.traffic << " control=" << outcome.control;
        for (const Column& column : GetColumns())
        {
            out << ' ' << column.name << '=' << Exact(column, outcome);
        }
        out << '\n';
    }
}

bool
WriteTrafficComparison(const ReportFolder& folder, const std::vector<TrafficOutcome>& outcomes)
{
    const auto write = [&](const std::string& name, const auto& function)
    {
        std::ostringstream text;
        function(text, outcomes);
        folder.Write(name, text.str());
    };
    write("report.txt", WriteTrafficTables);
    write("comparison.csv", WriteTrafficCsv);
    write("slowdown.csv", WriteTrafficSlowdownCsv);
    std::string all = "[\n";
    for (const TrafficOutcome& outcome : outcomes)
    {
        all += (&outcome == &outcomes.front() ? "" : ",\n") + outcome.ToJson();
    }
    folder.Write("comparison.json", all + "\n]\n");
    bool isDrawn = true;
    for (const auto& group : SplitByTraffic(outcomes))
    {
        isDrawn = DrawTraffic(folder, group) && isDrawn;
    }
    return isDrawn;
}

} // namespace ns3::llm
