// SPDX-License-Identifier: GPL-2.0-only

#include "nccl-bus-bandwidth-rows.h"

#include "ns3/input-error.h"

#include <nlohmann/json.hpp>

#include <boost/tokenizer.hpp>

#include <fstream>

namespace ns3::llm
{

namespace
{

/** A line of a CSV file, by name of the column. */
using CsvLine = std::map<std::string, std::string>;

/** @param text a line @return its fields; commas inside of double quotes do not separate */
std::vector<std::string>
SplitFields(const std::string& text)
{
    boost::tokenizer<boost::escaped_list_separator<char>> fields(text);
    return {fields.begin(), fields.end()};
}

/** @param place file and line @param line of the file @param column its name @return 0 if empty */
double
GetNumber(const std::string& place, const CsvLine& line, const std::string& column)
{
    const auto field = line.find(column);
    if (field == line.end())
    {
        RefuseInput(place + ": there is no column '" + column + "'");
    }
    if (field->second.empty())
    {
        return 0;
    }
    std::size_t end = 0;
    double value = -1;
    try
    {
        value = std::stod(field->second, &end);
    }
    catch (const std::logic_error&)
    {
        end = 0; // refused below
    }
    if (end != field->second.size() || value < 0)
    {
        RefuseInput(place + ": " + column + " '" + field->second + "' is no number of 0 or more");
    }
    return value;
}

/** @param collective the library's name of an operation @return the module's */
std::string
TranslateOperation(const std::string& collective)
{
    static const std::map<std::string, std::string> NAMES{{"all_reduce", "all-reduce"},
                                                          {"all_gather", "all-gather"},
                                                          {"reduce_scatter", "reduce-scatter"},
                                                          {"alltoall", "all-to-all"}};
    const auto name = NAMES.find(collective);
    return name == NAMES.end() ? collective : name->second;
}

/** @param operation the module's name @param ranks N @return bus over algorithm bandwidth */
double
GetBusFactor(const std::string& operation, double ranks)
{
    const double once = (ranks - 1) / ranks;
    return operation == "all-reduce" ? 2 * once : once;
}

/** @param place file and line @param line of the file @return the measurement */
Measurement
MakeMeasurement(const std::string& place, const CsvLine& line)
{
    Measurement row;
    row.operation = TranslateOperation(line.at("collective"));
    row.system = line.at("system");
    row.algorithm = line.at("algorithm");
    row.ranks = static_cast<uint32_t>(GetNumber(place, line, "gpus"));
    row.nodes = static_cast<uint32_t>(GetNumber(place, line, "nodes"));
    row.nicGbps = GetNumber(place, line, "nic_gbps_per_gpu");
    row.bytes = static_cast<uint64_t>(GetNumber(place, line, "message_bytes"));
    row.busGBytesPerS = GetNumber(place, line, "busbw_gb_per_s");
    const double us = GetNumber(place, line, "time_us");
    if (row.ranks == 0 || row.nodes == 0)
    {
        RefuseInput(place + ": gpus and nodes must be 1 or more");
    }
    if (us > 0 && row.bytes > 0)
    {
        row.busGBytesPerS =
            static_cast<double>(row.bytes) / us / 1e3 * GetBusFactor(row.operation, row.ranks);
    }
    return row;
}

} // namespace

std::vector<Measurement>
ReadMeasurements(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        RefuseInput("cannot read the measurements " + path);
    }
    std::vector<std::string> header;
    std::vector<Measurement> rows;
    uint32_t number = 0;
    for (std::string text; std::getline(file, text);)
    {
        ++number;
        if (text.empty() || text[0] == '#')
        {
            continue;
        }
        const auto fields = SplitFields(text);
        if (header.empty())
        {
            header = fields;
            continue;
        }
        const std::string place = path + " line " + std::to_string(number);
        if (fields.size() != header.size())
        {
            RefuseInput(place + ": " + std::to_string(fields.size()) + " fields, but " +
                        std::to_string(header.size()) + " columns");
        }
        CsvLine line;
        for (std::size_t i = 0; i < header.size(); ++i)
        {
            line[header[i]] = fields[i];
        }
        rows.push_back(MakeMeasurement(place, line));
        rows.back().line = number;
    }
    return rows;
}

SystemTable
ReadSystems(const std::string& path)
{
    std::ifstream file(path);
    SystemTable table;
    try
    {
        const auto json = nlohmann::json::parse(file);
        for (const auto& [name, item] : json.at("classes").items())
        {
            SystemClass& constants = table.classes[name];
            constants.domainGbps = item.at("domain_gbps");
            constants.domainEfficiency = item.at("domain_efficiency");
            constants.switchEfficiency = item.value("switch_efficiency", 0.0);
            constants.switchUs = item.value("switch_us", 0.0);
            constants.switchRanks = item.value("switch_ranks", 0u);
            constants.nicEfficiency = item.at("nic_efficiency");
            constants.nicUs = item.at("nic_us");
            constants.launchUs = item.at("launch_us");
            constants.reductionGBytesPerS = item.at("reduction_gbytes_per_s");
            constants.chunkBytes = item.at("chunk_bytes");
            for (const auto& protocol : item.at("protocols"))
            {
                constants.protocols.push_back(
                    {protocol.at("name"), protocol.at("share"), protocol.at("step_us")});
            }
        }
        for (const auto& [name, item] : json.at("systems").items())
        {
            System& system = table.systems[name];
            system.className = item.value("class", "");
            system.domain = item.value("gpus_per_domain", 0u);
            system.meshGpus = item.value("mesh_gpus", 0u);
            system.acrossNodes = item.value("across_nodes", "ring");
            system.leftOut = item.value("left_out", "");
            if (system.leftOut.empty() && table.classes.count(system.className) == 0)
            {
                RefuseInput(path + ": system \"" + name + "\" has class \"" + system.className +
                            "\", which is not among the classes");
            }
        }
    }
    catch (const nlohmann::json::exception& error)
    {
        RefuseInput("the systems " + path + " cannot be read: " + error.what());
    }
    return table;
}

} // namespace ns3::llm
