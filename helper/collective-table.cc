// SPDX-License-Identifier: GPL-2.0-only

#include "collective-table.h"

#include "report-folder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

namespace ns3::llm
{

namespace
{

/** @param row a row @param rows all @return its name in legends */
std::string
GetLabel(const CollectiveRow& row, const std::vector<CollectiveRow>& rows)
{
    const bool isSame =
        std::all_of(rows.begin(),
                    rows.end(),
                    [&](const CollectiveRow& other) { return other.operation == row.operation; });
    return isSame ? row.algorithm : row.operation + ", " + row.algorithm;
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

/** @param rows the rows @param scene title @return what gnuplot does */
std::string
MakeScript(const std::vector<CollectiveRow>& rows, const std::string& scene)
{
    std::map<std::string, std::string> blocks; // by label
    for (const CollectiveRow& row : rows)
    {
        std::ostringstream line;
        line << row.bytes << ' ' << row.busGBytesPerS << '\n';
        blocks[GetLabel(row, rows)] += line.str();
    }
    std::ostringstream script;
    script << "set logscale x 2\nset format x \"%.0b %BB\"\n"
           << "set xlabel \"size\"\nset ylabel \"bus bandwidth [GB/s]\"\n"
           << "set title \"" << scene << "\" noenhanced\nset grid\nset yrange [0:*]\n"
           << "set key outside right top vertical noenhanced\nset colorsequence podo\n";
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
}

std::string
CollectiveRow::ToJson() const
{
    const nlohmann::ordered_json json = {{"operation", operation},
                                         {"algorithm", algorithm},
                                         {"bytes", bytes},
                                         {"ranks", ranks},
                                         {"time_us", timeUs},
                                         {"ideal_us", idealUs},
                                         {"bound_us", boundUs},
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
    row.bytes = json.at("bytes");
    row.ranks = json.at("ranks");
    row.timeUs = json.at("time_us");
    row.idealUs = json.at("ideal_us");
    row.boundUs = json.at("bound_us");
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
    out << std::setw(14) << "operation" << std::setw(13) << "size B" << std::setw(12) << "count f32"
        << "  " << std::left << std::setw(28) << "algorithm" << std::right << std::setw(11)
        << "time us" << std::setw(9) << "algbw" << std::setw(9) << "busbw" << std::setw(11)
        << "ideal us" << std::setw(11) << "bound us" << std::setw(9) << "t/ideal" << std::setw(9)
        << "t/bound" << '\n';
    for (const CollectiveRow& row : rows)
    {
        out << std::setw(14) << row.operation << std::setw(13) << row.bytes << std::setw(12)
            << row.bytes / FLOAT_BYTES << "  " << std::left << std::setw(28) << row.algorithm
            << std::right;
        out << std::setw(11) << Shorten(row.timeUs) << std::setw(9)
            << Shorten(row.algorithmGBytesPerS) << std::setw(9) << Shorten(row.busGBytesPerS)
            << std::setw(11) << Shorten(row.idealUs) << std::setw(11) << Shorten(row.boundUs)
            << std::setw(9) << Shorten(row.timeUs / row.idealUs) << std::setw(9)
            << (row.boundUs > 0 ? Shorten(row.timeUs / row.boundUs) : "-") << '\n';
    }
    out << "algbw and busbw: GB/s (1e9 B/s) as nccl-tests defines them; ideal: the steps alone "
           "over "
           "their paths; bound: payload over line rate\n";
}

bool
WriteCollectiveFiles(const ReportFolder& folder,
                     const std::vector<CollectiveRow>& rows,
                     const std::string& scene)
{
    std::ostringstream csv;
    std::string json;
    csv << "operation,algorithm,ranks,size_bytes,time_us,ideal_us,bound_us,"
           "algorithm_bandwidth_gbytes_per_s,bus_bandwidth_gbytes_per_s,hops,wall_s\n";
    csv << std::setprecision(12);
    for (const CollectiveRow& row : rows)
    {
        csv << row.operation << ",\"" << row.algorithm << "\"," << row.ranks << ',' << row.bytes
            << ',' << row.timeUs << ',' << row.idealUs << ',' << row.boundUs << ','
            << row.algorithmGBytesPerS << ',' << row.busGBytesPerS << ',' << row.hops << ','
            << row.wallSeconds << '\n';
        json += (json.empty() ? "[\n" : ",\n") + row.ToJson();
    }
    folder.Write("collectives.csv", csv.str());
    folder.Write("collectives.json", json + "\n]\n");
    return folder.Plot("bandwidth", MakeScript(rows, scene));
}

} // namespace ns3::llm
