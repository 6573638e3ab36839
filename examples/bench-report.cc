// SPDX-License-Identifier: GPL-2.0-only

#include "bench-report.h"

#include "bench-plan.h"

#include "ns3/input-error.h"
#include "ns3/text-table.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace ns3::llm::bench
{

namespace
{

using Json = nlohmann::ordered_json; //!< keeps keys in the order of writing

/** @param ratios by round @return their median for the table */
std::string
FormatRatio(const std::vector<double>& ratios)
{
    return ratios.empty() ? "" : FormatNumber(GetMedian(ratios), 2);
}

/** @param bytes a size @return in MiB */
std::string
FormatMebibytes(uint64_t bytes)
{
    return FormatNumber(static_cast<double>(bytes) / (1 << 20), 1);
}

/** @param row it @return whether it is ns-3 itself, without a fabric */
bool
IsReference(const Row& row)
{
    return row.scenario.workload.empty();
}

/** @param row it @param table gets it */
void
AddRow(const Row& row, TextTable& table)
{
    const Measurement& first = row.measurements.front();
    const double ns = GetMedianNsPerHop(row);
    table.AddRow({row.name,
                  IsReference(row) ? "" : std::to_string(row.scenario.hosts),
                  row.variant,
                  FormatCount(first.hops / first.runs),
                  FormatNumber(first.GetEventsPerHop(), 2),
                  FormatNumber(1e3 / ns, 2),
                  FormatNumber(ns, 0),
                  FormatRatio(row.timesRaw),
                  FormatRatio(row.timesWindowed),
                  FormatRatio(row.timesUdp),
                  FormatRatio(row.timesReference),
                  FormatMebibytes(first.peakBytes)});
}

/** @param row it @return what a reference and a workload have in common */
Json
ToJson(const Row& row)
{
    const Measurement& first = row.measurements.front();
    Json json;
    json["name"] = row.name;
    json["variant"] = row.variant;
    json["hops"] = first.hops / first.runs;
    json["events"] = first.events / first.runs;
    json["events_per_hop"] = first.GetEventsPerHop();
    json["hops_per_cpu_second"] = 1e9 / GetMedianNsPerHop(row);
    json["ns_per_hop"] = GetMedianNsPerHop(row);
    json["peak_bytes"] = first.peakBytes;
    json["simulated_us"] = first.simulatedUs / static_cast<double>(first.runs);
    for (const Measurement& measurement : row.measurements)
    {
        json["measured_ns_per_hop"].push_back(measurement.GetNsPerHop());
    }
    auto add = [&json](const std::string& name, const std::vector<double>& ratios)
    {
        if (!ratios.empty())
        {
            json["times_" + name] = GetMedian(ratios);
            json["measured_times_" + name] = ratios;
        }
    };
    add("raw_hop", row.timesRaw);
    add("windowed_raw_hop", row.timesWindowed);
    add("udp_hop", row.timesUdp);
    add("reference_mode", row.timesReference);
    return json;
}

/** @param row of a workload @return it */
Json
WorkloadToJson(const Row& row)
{
    const Scenario& scenario = row.scenario;
    const Measurement& first = row.measurements.front();
    Json json;
    json["workload"] = scenario.workload;
    json["hosts"] = scenario.hosts;
    json["mode"] = scenario.isReferenceMode ? "reference" : "usual";
    json["gigabits"] = scenario.gigabits;
    json["queue_pairs"] = scenario.queuePairs;
    json["observed"] = scenario.isObserved;
    json["control"] = scenario.control;
    json["engine"] = scenario.engine;
    json["scheduler"] = scenario.engine == FRAME_ENGINE ? "" : scenario.scheduler;
    json.update(ToJson(row));
    json["data_frames"] = first.dataFrames / first.runs;
    json["retransmissions"] = first.retransmissions / first.runs;
    json["payload_bytes"] = first.payloadBytes / first.runs;
    json["notifications"] = first.notifications / first.runs;
    json["pauses"] = first.pauses / first.runs;
    return json;
}

/** @param use memory @return it */
Json
MemoryToJson(const MemoryUse& use)
{
    auto list = [](const std::vector<MemorySample>& samples)
    {
        Json json;
        for (const MemorySample& sample : samples)
        {
            json.push_back({{"hosts", sample.hosts},
                            {"queue_pairs", sample.queuePairs},
                            {"stride", sample.stride},
                            {"resident_bytes", sample.residentBytes},
                            {"build_seconds", sample.buildSeconds}});
        }
        return json;
    };
    Json json;
    json["bytes_per_host"] = use.GetBytesPerHost();
    json["bytes_per_queue_pair"] = use.GetBytesPerQueuePair();
    json["bytes_per_distant_queue_pair"] = use.GetBytesPerDistantPair();
    json["clusters"] = list(use.clusters);
    json["queue_pairs"] = list(use.queuePairs);
    json["distant_queue_pairs"] = list(use.distantPairs);
    for (const auto& [name, bytes] : GetSizes())
    {
        json["sizes"][name] = bytes;
    }
    return json;
}

} // namespace

void
PrintSpeed(const Results& results, std::ostream& out)
{
    TextTable table({"workload",
                     "hosts",
                     "variant",
                     "hops",
                     "events/hop",
                     "M hops/s",
                     "ns/hop",
                     "x raw hop",
                     "x windowed",
                     "x UDP hop",
                     "x ref. mode",
                     "peak MiB"});
    AddRow(results.raw, table);
    AddRow(results.windowed, table);
    AddRow(results.udp, table);
    for (const Row& row : results.rows)
    {
        AddRow(row, table);
    }
    table.Print(out, 0);
    out << "\nA hop is a frame that crosses a link. Times are CPU time; x: speed as a multiple of\n"
           "the raw hop of ns-3's PointToPointNetDevice with sources that send at line rate, of\n"
           "the same with a window that clocks the sender, of a UDP/IP hop of ns-3 over 4 links,\n"
           "and of the same workload in reference mode: medians of pairs measured one after the\n"
           "other.\n";
}

void
PrintMemory(const MemoryUse& use, std::ostream& out)
{
    TextTable clusters(
        {"fat-tree", "queue pairs/NIC", "peers apart", "resident MiB", "build CPU s"});
    for (const auto* samples : {&use.clusters, &use.queuePairs, &use.distantPairs})
    {
        for (const MemorySample& sample : *samples)
        {
            clusters.AddRow({std::to_string(sample.hosts) + " hosts",
                             std::to_string(sample.queuePairs),
                             sample.queuePairs > 0 ? std::to_string(sample.stride) : "",
                             FormatMebibytes(sample.residentBytes),
                             FormatNumber(sample.buildSeconds, 3)});
        }
    }
    clusters.Print(out, 0);
    const auto kilobytes = [](double bytes)
    {
        return FormatNumber(bytes / 1e3, 2) + " kB";
    };
    out << "\na host with its share of switches and links: " << kilobytes(use.GetBytesPerHost())
        << "; a queue pair, both ends: " << kilobytes(use.GetBytesPerQueuePair())
        << ", with distant peers " << kilobytes(use.GetBytesPerDistantPair()) << "\n\n";
    TextTable sizes({"part", "bytes"});
    for (const auto& [name, bytes] : GetSizes())
    {
        sizes.AddRow({name, std::to_string(bytes)});
    }
    sizes.Print(out, 0);
}

void
WriteJson(const std::string& path,
          const Results* results,
          const MemoryUse* use,
          const std::string& manifest)
{
    Json json;
    json["manifest"] = Json::parse(manifest);
    if (results)
    {
        json["references"] = {ToJson(results->raw),
                              ToJson(results->windowed),
                              ToJson(results->udp)};
        for (const Row& row : results->rows)
        {
            if (IsReference(row))
            {
                json["references"].push_back(ToJson(row));
            }
            else
            {
                json["rows"].push_back(WorkloadToJson(row));
            }
        }
    }
    if (use)
    {
        json["memory"] = MemoryToJson(*use);
    }
    std::ofstream file(path);
    file << json.dump(2) << std::endl;
    file.close();
    if (!file)
    {
        RefuseInput("--json=" + path + ": the file cannot be written");
    }
}

} // namespace ns3::llm::bench
