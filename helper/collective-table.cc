// SPDX-License-Identifier: GPL-2.0-only

#include "collective-table.h"

#include "report-folder.h"

#include "ns3/text-table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iomanip>
#include <map>
#include <numeric>
#include <sstream>
#include <tuple>

namespace ns3::llm
{

namespace
{

/** A property of rows that a legend may have to name. */
using Property = std::string CollectiveRow::*;

/** Those properties, in the order in which they are named. */
constexpr Property PROPERTIES[] = {&CollectiveRow::operation,
                                   &CollectiveRow::algorithm,
                                   &CollectiveRow::fabric,
                                   &CollectiveRow::control};

/** @param property one @param rows all @return whether it is the same in all */
bool
IsSame(Property property, const std::vector<CollectiveRow>& rows)
{
    return std::all_of(rows.begin(),
                       rows.end(),
                       [&](const CollectiveRow& row)
                       { return row.*property == rows.front().*property; });
}

/** @param rows all @return which properties beside the algorithm a name must tell */
std::vector<Property>
FindNamed(const std::vector<CollectiveRow>& rows)
{
    std::vector<Property> named{&CollectiveRow::algorithm};
    for (const Property property : {&CollectiveRow::fabric, &CollectiveRow::control})
    {
        if (!IsSame(property, rows))
        {
            named.push_back(property);
        }
    }
    return named;
}

/** @param row a row @param named properties @return its name in tables */
std::string
Name(const CollectiveRow& row, const std::vector<Property>& named)
{
    std::string name;
    for (const Property property : named)
    {
        name += (name.empty() ? "" : ", ") + row.*property;
    }
    return name;
}

/** @param row a row @param rows all @return its name in legends: what tells it from others */
std::string
GetLabel(const CollectiveRow& row, const std::vector<CollectiveRow>& rows)
{
    std::vector<Property> named;
    for (const Property property : PROPERTIES)
    {
        if (!IsSame(property, rows))
        {
            named.push_back(property);
        }
    }
    return named.empty() ? row.algorithm : Name(row, named);
}

/** @param time a time @return it in us */
double
ToMicroseconds(Time time)
{
    return static_cast<double>(time.GetPicoSeconds()) / 1e6;
}

/** @param value a figure @return it with as many digits as a table needs */
std::string
Shorten(double value)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(value < 10 ? 3 : value < 1000 ? 2 : 0) << value;
    return text.str();
}

/** @param value a figure @param by another @return the ratio; "-" where there is none */
std::string
Divide(double value, double by)
{
    return by > 0 ? Shorten(value / by) : "-";
}

/**
 * Append the least, the mean and the largest of some figures.
 * @param cells of a row of a table
 * @param rows whose figures
 * @param get takes one of a row
 */
void
AppendSpread(std::vector<std::string>& cells,
             const std::vector<const CollectiveRow*>& rows,
             const std::function<double(const CollectiveRow&)>& get)
{
    std::vector<double> values;
    for (const CollectiveRow* row : rows)
    {
        values.push_back(get(*row));
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    cells.push_back(Shorten(*least));
    cells.push_back(Shorten(sum / static_cast<double>(values.size())));
    cells.push_back(Shorten(*most));
}

/** @param rows the rows @param scene title @return what gnuplot does */
std::string
MakeScript(const std::vector<CollectiveRow>& rows, const std::string& scene)
{
    std::map<std::string, std::map<uint64_t, std::vector<double>>> curves; // by label and size
    for (const CollectiveRow& row : rows)
    {
        curves[GetLabel(row, rows)][row.bytes].push_back(row.busGBytesPerS);
    }
    std::map<std::string, std::string> blocks; // by label
    for (const auto& [label, points] : curves)
    {
        std::ostringstream lines;
        for (const auto& [bytes, values] : points)
        {
            lines << bytes << ' '
                  << std::accumulate(values.begin(), values.end(), 0.0) /
                         static_cast<double>(values.size())
                  << '\n';
        }
        blocks[label] = lines.str();
    }
    std::ostringstream script;
    script << "set logscale x 2\nset format x \"%.0b %BB\"\n"
           << "set xlabel \"size\"\nset ylabel \"bus bandwidth [GB/s]\"\n"
           << "set title \"" << scene << "\" noenhanced\nset grid\nset yrange [0:*]\n"
           << "set key below noenhanced\nset colorsequence podo\n"
           << "set xtics rotate by 45 right\n";
    uint32_t number = 0;
    for (const auto& [label, lines] : blocks)
    {
        script << "$data" << number++ << " << EOD\n" << lines << "EOD\n";
    }
    script << "plot ";
    number = 0;
    for (const auto& block : blocks)
    {
        script << (number == 0 ? "" : ", ") << "$data" << number
               << " using 1:2 with linespoints lw 2 "
               << "title \"" << block.first << "\"";
        ++number;
    }
    script << '\n';
    return script.str();
}

} // namespace

void
CollectiveRow::Take(const CollectiveOutcome& outcome)
{
    timeUs = ToMicroseconds(outcome.time);
    idealUs = ToMicroseconds(outcome.ideal);
    boundUs = ToMicroseconds(outcome.bound);
    algorithmGBytesPerS = static_cast<double>(outcome.algorithmBandwidth.GetBitRate()) / 8e9;
    busGBytesPerS = static_cast<double>(outcome.busBandwidth.GetBitRate()) / 8e9;
    remark = outcome.remark;
}

std::string
CollectiveRow::ToJson() const
{
    const nlohmann::ordered_json json = {{"operation", operation},
                                         {"algorithm", algorithm},
                                         {"fabric", fabric},
                                         {"congestion_control", control},
                                         {"seed", seed},
                                         {"remark", remark},
                                         {"bytes", bytes},
                                         {"ranks", ranks},
                                         {"time_us", timeUs},
                                         {"ideal_us", idealUs},
                                         {"bound_us", boundUs},
                                         {"one_switch_ideal_us", oneSwitchUs},
                                         {"algorithm_bandwidth_gbytes_per_s", algorithmGBytesPerS},
                                         {"bus_bandwidth_gbytes_per_s", busGBytesPerS},
                                         {"hops", hops},
                                         {"wall_s", wallSeconds}};
    return json.dump(2);
}

CollectiveRow
CollectiveRow::FromJson(const std::string& text)
{
    const auto json = nlohmann::json::parse(text);
    CollectiveRow row;
    row.operation = json.at("operation");
    row.algorithm = json.at("algorithm");
    row.fabric = json.at("fabric");
    row.control = json.at("congestion_control");
    row.seed = json.at("seed");
    row.remark = json.at("remark");
    row.bytes = json.at("bytes");
    row.ranks = json.at("ranks");
    row.timeUs = json.at("time_us");
    row.idealUs = json.at("ideal_us");
    row.boundUs = json.at("bound_us");
    row.oneSwitchUs = json.at("one_switch_ideal_us");
    row.algorithmGBytesPerS = json.at("algorithm_bandwidth_gbytes_per_s");
    row.busGBytesPerS = json.at("bus_bandwidth_gbytes_per_s");
    row.hops = json.at("hops");
    row.wallSeconds = json.at("wall_s");
    return row;
}

void
WriteCollectiveTable(std::ostream& out, const std::vector<CollectiveRow>& rows)
{
    constexpr uint64_t FLOAT_BYTES = 4; // as nccl-tests counts
    const std::vector<Property> named = FindNamed(rows);
    TextTable table({"algorithm",
                     "operation",
                     "size [B]",
                     "count [f32]",
                     "time [us]",
                     "algbw [GB/s]",
                     "busbw [GB/s]",
                     "ideal [us]",
                     "bound [us]",
                     "time/ideal",
                     "time/bound"});
    std::string remarks;
    for (const CollectiveRow& row : rows)
    {
        table.AddRow({Name(row, named),
                      row.operation,
                      std::to_string(row.bytes),
                      std::to_string(row.bytes / FLOAT_BYTES),
                      Shorten(row.timeUs),
                      Shorten(row.algorithmGBytesPerS),
                      Shorten(row.busGBytesPerS),
                      Shorten(row.idealUs),
                      Shorten(row.boundUs),
                      Divide(row.timeUs, row.idealUs),
                      Divide(row.timeUs, row.boundUs)});
        if (!row.remark.empty())
        {
            remarks += row.operation + " of " + std::to_string(row.bytes) + " B: " + row.remark;
            remarks += '\n';
        }
    }
    table.Print(out, 0);
    out << "algbw and busbw: GB/s (1e9 B/s) as nccl-tests defines them; ideal: the steps alone "
           "over their paths; bound: payload over line rate\n"
        << remarks;
}

void
WriteCollectiveSeeds(std::ostream& out, const std::vector<CollectiveRow>& rows)
{
    const std::vector<Property> named = FindNamed(rows);
    std::map<std::tuple<std::string, std::string, uint64_t>, std::vector<const CollectiveRow*>>
        groups;
    for (const CollectiveRow& row : rows)
    {
        groups[{Name(row, named), row.operation, row.bytes}].push_back(&row);
    }
    TextTable table({"algorithm",
                     "operation",
                     "size [B]",
                     "seeds",
                     "time [us] least",
                     "mean",
                     "most",
                     "time/one switch least",
                     "mean",
                     "most",
                     "time/ideal least",
                     "mean",
                     "most"});
    for (const auto& [key, members] : groups)
    {
        std::vector<std::string> cells{std::get<0>(key),
                                       std::get<1>(key),
                                       std::to_string(std::get<2>(key)),
                                       std::to_string(members.size())};
        AppendSpread(cells, members, [](const CollectiveRow& row) { return row.timeUs; });
        AppendSpread(cells,
                     members,
                     [](const CollectiveRow& row) { return row.timeUs / row.oneSwitchUs; });
        AppendSpread(cells,
                     members,
                     [](const CollectiveRow& row) { return row.timeUs / row.idealUs; });
        table.AddRow(cells);
    }
    table.Print(out, 0);
    out << "one switch: ideal time with all NICs on one non-blocking switch, where no flows "
           "collide; ideal: over the paths that the seed gives, links shared fairly\n";
}

bool
WriteCollectiveFiles(const ReportFolder& folder,
                     const std::vector<CollectiveRow>& rows,
                     const std::string& scene)
{
    std::ostringstream csv;
    std::string json;
    csv << "operation,algorithm,fabric,congestion_control,seed,ranks,size_bytes,time_us,ideal_us,"
           "bound_us,one_switch_ideal_us,algorithm_bandwidth_gbytes_per_s,"
           "bus_bandwidth_gbytes_per_s,hops,wall_s\n";
    csv << std::setprecision(12);
    for (const CollectiveRow& row : rows)
    {
        csv << row.operation << ",\"" << row.algorithm << "\"," << row.fabric << ',' << row.control
            << ',' << row.seed << ',' << row.ranks << ',' << row.bytes << ',' << row.timeUs << ','
            << row.idealUs << ',' << row.boundUs << ',' << row.oneSwitchUs << ','
            << row.algorithmGBytesPerS << ',' << row.busGBytesPerS << ',' << row.hops << ','
            << row.wallSeconds << '\n';
        json += (json.empty() ? "[\n" : ",\n") + row.ToJson();
    }
    folder.Write("collectives.csv", csv.str());
    folder.Write("collectives.json", json + "\n]\n");
    return folder.Plot("bandwidth", MakeScript(rows, scene));
}

} // namespace ns3::llm
