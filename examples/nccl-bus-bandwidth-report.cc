// SPDX-License-Identifier: GPL-2.0-only

#include "nccl-bus-bandwidth-report.h"

#include "ns3/collective-bound.h"
#include "ns3/report-folder.h"
#include "ns3/text-table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace ns3::llm
{

namespace
{

/** @param name of a class with namespaces @return without them */
std::string
ShortenName(const std::string& name)
{
    return name.substr(name.rfind(':') + 1);
}

/** @param share a part of one @return it with a sign, in % */
std::string
ToPercent(double share)
{
    return (share < 0 ? "-" : "+") + FormatNumber(std::abs(share) * 100, 1) + " %";
}

/** @param row a row @return its cells in tables */
std::vector<std::string>
MakeCells(const ComparedMeasurement& row)
{
    const std::string times =
        row.simulated.scale > 1 ? " /" + std::to_string(row.simulated.scale) : "";
    return {row.row.system,
            row.row.operation,
            std::to_string(row.row.ranks),
            FormatBytes(row.row.bytes),
            row.row.algorithm.empty() ? "-" : row.row.algorithm,
            ShortenName(row.simulated.algorithm) + ", " + row.simulated.protocol + times,
            FormatNumber(row.row.busGBytesPerS, 3),
            FormatNumber(row.busGBytesPerS, 3),
            ToPercent(row.GetError()),
            std::to_string(row.row.line)};
}

/** @return the columns of MakeCells() */
std::vector<std::string>
GetHeader()
{
    return {"system",
            "operation",
            "GPUs",
            "size",
            "measured with",
            "simulated with",
            "measured [GB/s]",
            "simulated [GB/s]",
            "error",
            "line"};
}

/** @param errors some, not none @param share below one @return that percentile of their sizes */
double
GetPercentile(std::vector<double> errors, double share)
{
    std::sort(errors.begin(), errors.end());
    const auto place = static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1));
    return errors[place];
}

/** @param bytes a size @return the range that it is in */
std::string
GetSizeRange(uint64_t bytes)
{
    return bytes < (1 << 20)     ? "below 1 MiB"
           : bytes < (256 << 20) ? "from 1 MiB to below 256 MiB"
                                 : "from 256 MiB";
}

} // namespace

std::string
SimulatedToJson(const SimulatedMeasurement& simulated)
{
    const nlohmann::json json = {{"time_us", simulated.us},
                                 {"algorithm", simulated.algorithm},
                                 {"protocol", simulated.protocol},
                                 {"scale", simulated.scale}};
    return json.dump();
}

SimulatedMeasurement
SimulatedFromJson(const std::string& text)
{
    const auto json = nlohmann::json::parse(text);
    SimulatedMeasurement result;
    result.us = json.at("time_us");
    result.algorithm = json.at("algorithm");
    result.protocol = json.at("protocol");
    result.scale = json.at("scale");
    return result;
}

ComparedMeasurement
Compare(const Measurement& row, const std::string& className, const SimulatedMeasurement& simulated)
{
    CollectiveRequest request;
    request.operation = ParseCollectiveOperation(row.operation);
    request.bytes = row.bytes;
    ComparedMeasurement result{row, className, simulated, 0};
    const Time time = PicoSeconds(static_cast<int64_t>(std::llround(simulated.us * 1e6)));
    result.busGBytesPerS =
        static_cast<double>(GetBusBandwidth(request, row.ranks, time).GetBitRate()) / 8e9;
    return result;
}

void
PrintRows(std::ostream& out, const std::vector<ComparedMeasurement>& rows)
{
    TextTable table(GetHeader());
    for (const ComparedMeasurement& row : rows)
    {
        table.AddRow(MakeCells(row));
    }
    table.Print(out, 0);
    out << "line: in the file of measurements; /n: simulated with 1/n of the bytes, the time "
           "beyond "
           "the launch times n\n";
}

void
PrintErrors(std::ostream& out, const std::vector<ComparedMeasurement>& rows)
{
    std::vector<std::pair<std::string, std::vector<double>>> groups;
    const auto add = [&groups](const std::string& name, double error)
    {
        const auto place = std::find_if(groups.begin(),
                                        groups.end(),
                                        [&](const auto& group) { return group.first == name; });
        if (place == groups.end())
        {
            groups.push_back({name, {error}});
        }
        else
        {
            place->second.push_back(error);
        }
    };
    for (const ComparedMeasurement& row : rows)
    {
        add("all", row.GetError());
    }
    for (const ComparedMeasurement& row : rows)
    {
        add("size " + GetSizeRange(row.row.bytes), row.GetError());
    }
    for (const ComparedMeasurement& row : rows)
    {
        add("class " + row.className, row.GetError());
    }
    TextTable table({"rows", "how many", "median error", "90th percentile", "mean, with sign"});
    for (const auto& [name, errors] : groups)
    {
        std::vector<double> sizes;
        double sum = 0;
        for (const double error : errors)
        {
            sizes.push_back(std::abs(error));
            sum += error;
        }
        table.AddRow({name,
                      std::to_string(errors.size()),
                      FormatNumber(GetPercentile(sizes, 0.5) * 100, 1) + " %",
                      FormatNumber(GetPercentile(sizes, 0.9) * 100, 1) + " %",
                      ToPercent(sum / static_cast<double>(errors.size()))});
    }
    table.Print(out, 0);
}

void
PrintWorst(std::ostream& out, std::vector<ComparedMeasurement> rows, std::size_t count)
{
    std::stable_sort(rows.begin(),
                     rows.end(),
                     [](const ComparedMeasurement& a, const ComparedMeasurement& b)
                     { return std::abs(a.GetError()) > std::abs(b.GetError()); });
    rows.resize(std::min(rows.size(), count));
    out << "largest errors:\n";
    TextTable table(GetHeader());
    for (const ComparedMeasurement& row : rows)
    {
        table.AddRow(MakeCells(row));
    }
    table.Print(out, 0);
}

void
PrintLeftOut(std::ostream& out,
             const std::vector<Measurement>& rows,
             const std::vector<MeasurementPlan>& plans)
{
    std::map<std::string, std::map<std::string, uint32_t>> reasons; // by reason and system
    std::map<std::string, uint32_t> counts;
    uint32_t all = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        if (!plans[i].leftOut.empty())
        {
            ++reasons[plans[i].leftOut][rows[i].system];
            ++counts[plans[i].leftOut];
            ++all;
        }
    }
    out << all << " of " << rows.size() << " rows are left out:\n";
    for (const auto& [reason, systems] : reasons)
    {
        out << "  " << counts[reason] << ": " << reason << " (";
        const char* link = "";
        for (const auto& [system, count] : systems)
        {
            out << link << system << " " << count;
            link = ", ";
        }
        out << ")\n";
    }
}

bool
WriteComparison(const ReportFolder& folder, const std::vector<ComparedMeasurement>& rows)
{
    std::ostringstream csv;
    std::map<std::string, std::string> blocks; // points of the picture, by class
    csv << "line,system,class,operation,gpus,size_bytes,measured_bus_bandwidth_gbytes_per_s,"
           "simulated_bus_bandwidth_gbytes_per_s,error,algorithm,protocol,scale\n";
    for (const ComparedMeasurement& row : rows)
    {
        csv << row.row.line << ",\"" << row.row.system << "\"," << row.className << ','
            << row.row.operation << ',' << row.row.ranks << ',' << row.row.bytes << ','
            << row.row.busGBytesPerS << ',' << row.busGBytesPerS << ',' << row.GetError() << ','
            << row.simulated.algorithm << ',' << row.simulated.protocol << ','
            << row.simulated.scale << '\n';
        blocks[row.className] +=
            std::to_string(row.row.busGBytesPerS) + " " + std::to_string(row.busGBytesPerS) + "\n";
    }
    folder.Write("comparison.csv", csv.str());
    std::ostringstream script;
    script << "set logscale xy\nset xlabel \"measured bus bandwidth [GB/s]\"\n"
           << "set ylabel \"simulated bus bandwidth [GB/s]\"\nset grid\nset xrange [0.01:1200]\n"
           << "set yrange [0.01:1200]\nset key outside right top vertical noenhanced\n";
    std::string plots = "plot x title \"equal\" with lines lc rgb \"gray\"";
    uint32_t number = 0;
    for (const auto& [name, lines] : blocks)
    {
        script << "$data" << number << " << EOD\n" << lines << "EOD\n";
        plots +=
            ", $data" + std::to_string(number++) + " using 1:2 with points title \"" + name + "\"";
    }
    script << plots << '\n';
    return folder.Plot("comparison", script.str());
}

} // namespace ns3::llm
