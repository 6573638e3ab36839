// SPDX-License-Identifier: GPL-2.0-only

#include "rail-forwarding-report.h"

#include "ns3/input-error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <tuple>

using namespace ns3::llm;

namespace
{

/** Platform, accelerators, routing. */
using Scene = std::tuple<std::string, uint32_t, std::string>;

/** @param row a row @return what it has in common with its BASELINE */
Scene
GetScene(const ForwardingRow& row)
{
    return {row.platform, row.accelerators, row.routing};
}

/** @param rows the rows @return time of BASELINE by scene, us */
std::map<Scene, double>
GetBaselines(const std::vector<ForwardingRow>& rows)
{
    std::map<Scene, double> result;
    for (const ForwardingRow& row : rows)
    {
        if (row.way == BASELINE)
        {
            result[GetScene(row)] = row.timeUs;
        }
    }
    return result;
}

/** @param row a row @param baselines see GetBaselines() @return overhead in percent; NAN: unknown */
double
GetOverhead(const ForwardingRow& row, const std::map<Scene, double>& baselines)
{
    const auto found = baselines.find(GetScene(row));
    return found == baselines.end() ? NAN : 100 * (row.timeUs / found->second - 1);
}

/** @param value a figure @param digits after the point @return as text; "-" for NAN */
std::string
Format(double value, int digits)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return value != value ? "-" : text.str();
}

/** @param row a row @return (K-1)/K C_S/C_F in percent */
double
GetClosedForm(const ForwardingRow& row)
{
    const Platform& platform = FindPlatform(row.platform);
    return 100.0 * (row.domainSize - 1) / row.domainSize * platform.nicGbps / platform.domainGbps;
}

/** @param row a row @return the same over the share of an all-to-all that leaves the domain */
double
GetExactForm(const ForwardingRow& row)
{
    return GetClosedForm(row) * row.accelerators / (row.accelerators - row.domainSize);
}

/** @param rows all @return what gnuplot is to draw: overheads of uniform routing, by way */
std::string
MakeScript(const std::vector<ForwardingRow>& rows)
{
    const auto baselines = GetBaselines(rows);
    std::vector<std::string> ways;
    std::map<std::pair<std::string, uint32_t>, std::map<std::string, double>> groups;
    for (const ForwardingRow& row : rows)
    {
        if (row.routing != "uniform" || row.way == BASELINE || baselines.count(GetScene(row)) == 0)
        {
            continue;
        }
        if (std::find(ways.begin(), ways.end(), row.way) == ways.end())
        {
            ways.push_back(row.way);
        }
        groups[{row.platform, row.accelerators}][row.way] = GetOverhead(row, baselines);
        groups[{row.platform, row.accelerators}]["paper"] = FindPlatform(row.platform).paperPercent;
    }
    ways.emplace_back("paper");
    std::ostringstream script;
    script << "set ylabel \"time over rail-optimized [%]\"\nset grid ytics\n"
           << "set title \"Uniform all-to-all, by forwarding\"\n"
           << "set style data histograms\nset style fill solid 0.8 border lt -1\n"
           << "set key outside right top vertical noenhanced\nset colorsequence podo\n"
           << "set xtics rotate by -30\n$data << EOD\n";
    for (const auto& [group, values] : groups)
    {
        script << '"' << group.first << " N=" << group.second << '"';
        for (const std::string& way : ways)
        {
            const auto found = values.find(way);
            script << ' ' << (found == values.end() ? "NaN" : Format(found->second, 3));
        }
        script << '\n';
    }
    script << "EOD\nplot ";
    for (std::size_t i = 0; i < ways.size(); ++i)
    {
        script << (i == 0 ? "" : ", ") << "$data using " << i + 2 << ":xtic(1) title \"" << ways[i]
               << '"';
    }
    script << '\n';
    return script.str();
}

} // namespace

const std::vector<Platform>&
ListPlatforms()
{
    // version 4 takes the HB rates of both directions together
    static const std::vector<Platform> platforms{{"A100", 200, 2400, 8.2, "v5"},
                                                 {"H100", 400, 3600, 11.2, "v5"},
                                                 {"A100-v4", 200, 4800, 4.1, "v4"},
                                                 {"H100-v4", 400, 7200, 5.6, "v4"}};
    return platforms;
}

const Platform&
FindPlatform(const std::string& name)
{
    std::string known;
    for (const Platform& platform : ListPlatforms())
    {
        if (platform.name == name)
        {
            return platform;
        }
        known += " " + platform.name;
    }
    RefuseInput("there is no platform '" + name + "'; there are:" + known);
}

std::string
ForwardingRow::ToJson() const
{
    const nlohmann::ordered_json json = {{"platform", platform},
                                         {"accelerators", accelerators},
                                         {"domain_size", domainSize},
                                         {"routing", routing},
                                         {"way", way},
                                         {"bytes", bytes},
                                         {"time_us", timeUs},
                                         {"bound_us", boundUs},
                                         {"nic_payload_bytes", nicPayload},
                                         {"relayed_bytes", relayed},
                                         {"forwarded_messages", forwarded},
                                         {"peak_stored_bytes", peakStored},
                                         {"wall_s", wallSeconds}};
    return json.dump(2);
}

ForwardingRow
ForwardingRow::FromJson(const std::string& text)
{
    const auto json = nlohmann::json::parse(text);
    ForwardingRow row;
    row.platform = json.at("platform");
    row.accelerators = json.at("accelerators");
    row.domainSize = json.at("domain_size");
    row.routing = json.at("routing");
    row.way = json.at("way");
    row.bytes = json.at("bytes");
    row.timeUs = json.at("time_us");
    row.boundUs = json.at("bound_us");
    row.nicPayload = json.at("nic_payload_bytes");
    row.relayed = json.at("relayed_bytes");
    row.forwarded = json.at("forwarded_messages");
    row.peakStored = json.at("peak_stored_bytes");
    row.wallSeconds = json.at("wall_s");
    return row;
}

void
WriteForwardingTable(std::ostream& out, const std::vector<ForwardingRow>& rows)
{
    const auto baselines = GetBaselines(rows);
    Scene scene;
    for (const ForwardingRow& row : rows)
    {
        if (GetScene(row) != scene)
        {
            scene = GetScene(row);
            const Platform& platform = FindPlatform(row.platform);
            out << '\n'
                << row.platform << ", N = " << row.accelerators << ", K = " << row.domainSize
                << ", " << row.routing << ", " << static_cast<double>(row.bytes) / 1e6
                << " MB each: paper " << Format(platform.paperPercent, 1) << " % ("
                << platform.version << "); (K-1)/K C_S/C_F = " << Format(GetClosedForm(row), 2)
                << " %, of what leaves a domain " << Format(GetExactForm(row), 2) << " %\n"
                << "  " << std::left << std::setw(22) << "way" << std::right << std::setw(10)
                << "time us" << std::setw(11) << "overhead %" << std::setw(9) << "t/bound"
                << std::setw(12) << "relayed MB" << std::setw(10) << "messages" << std::setw(10)
                << "peak MB" << '\n';
        }
        out << "  " << std::left << std::setw(22) << row.way << std::right << std::setw(10)
            << Format(row.timeUs, 1) << std::setw(11) << Format(GetOverhead(row, baselines), 2)
            << std::setw(9) << Format(row.timeUs / row.boundUs, 3) << std::setw(12)
            << Format(static_cast<double>(row.relayed) / 1e6, 1) << std::setw(10) << row.forwarded
            << std::setw(10) << Format(static_cast<double>(row.peakStored) / 1e6, 2) << '\n';
    }
}

bool
WriteForwardingFiles(const ReportFolder& folder, const std::vector<ForwardingRow>& rows)
{
    const auto baselines = GetBaselines(rows);
    std::ostringstream csv;
    std::string json;
    csv << "platform,accelerators,domain_size,routing,way,bytes,time_us,overhead_percent,bound_us,"
           "closed_form_percent,paper_percent,nic_payload_bytes,relayed_bytes,"
           "forwarded_messages,peak_stored_bytes,wall_s\n";
    for (const ForwardingRow& row : rows)
    {
        const Platform& platform = FindPlatform(row.platform);
        csv << row.platform << ',' << row.accelerators << ',' << row.domainSize << ','
            << row.routing << ',' << row.way << ',' << row.bytes << ',' << Format(row.timeUs, 6)
            << ',' << Format(GetOverhead(row, baselines), 4) << ',' << Format(row.boundUs, 6) << ','
            << Format(GetClosedForm(row), 4) << ',' << platform.paperPercent << ','
            << row.nicPayload << ',' << row.relayed << ',' << row.forwarded << ',' << row.peakStored
            << ',' << Format(row.wallSeconds, 3) << '\n';
        json += (json.empty() ? "[\n" : ",\n") + row.ToJson();
    }
    folder.Write("rail-forwarding.csv", csv.str());
    folder.Write("rail-forwarding.json", json + "\n]\n");
    return folder.Plot("rail-forwarding", MakeScript(rows));
}
