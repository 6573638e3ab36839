// SPDX-License-Identifier: GPL-2.0-only

// What it costs an all-to-all of experts that rails are joined by HB domains alone: rail-only, with each
// way of forwarding between rails, beside rail-optimized, the figures of the rail-only paper
// (arXiv 2307.12169) and the closed form (K-1)/K C_S/C_F.
//
//   ./llm-fabric run rail-forwarding
//   ./llm-fabric run rail-forwarding -- --full --routings=uniform
//   ./llm-fabric run rail-forwarding -- --platforms=H100 --accelerators=64 --ways=staged,chunk,packet
//
// The ways are
//   rail-optimized  spines join the rails, and switches spread frames over them by their queues; each
//                   rank sends to each other one (the baseline)
//   ecmp            the same, each flow over one spine
//   staged          rail-only; the exchange inside the domains ends before that between them begins
//   aggregate       rail-only; a relay at the source waits for all that its domain has for a
//                   destination and sends it as one message (PXN)
//   chunk, packet   rail-only; a relay at the source sends on each chunk, or each packet
//   destination     rail-only; a relay in the destination's domain sends on each chunk
//   load            rail-only; each chunk takes the one of both with less under way
//
// HB domains are switches and all links carry packets; links are lossless, and there is no congestion
// control unless --ns3::llm::RdmaTransport::CongestionControl names one. The traffic matrix of each
// routing is drawn, by HB domain. The folder --output gets rail-forwarding.csv, .json,
// matrix-ROUTING-N.csv, manifest.json and, with gnuplot, rail-forwarding.png.

#include "rail-forwarding-plan.h"
#include "rail-forwarding-report.h"
#include "rail-forwarding-traffic.h"

#include "ns3/boolean.h"
#include "ns3/class-list.h"
#include "ns3/cluster.h"
#include "ns3/collective-runner.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/measured-runs.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

Ptr<Cluster>
BuildCluster(const Options& options, const Run& run)
{
    const Way& way = FindWay(run.way);
    const std::string relay = "ns3::llm::RelayTransport::";
    Config::SetDefault(relay + "Forwarding", StringValue(way.forwarding));
    Config::SetDefault(relay + "ForwardBy", StringValue(way.forwardBy));
    Config::SetDefault(relay + "Aggregate", BooleanValue(way.aggregates));
    if (way.spreads)
    {
        // frames overtake each other, so receivers keep what follows a gap
        Config::SetDefault("ns3::llm::FabricSwitch::LoadBalancer",
                           StringValue("ns3::llm::AdaptiveRouting"));
        Config::SetDefault("ns3::llm::RdmaTransport::LossRecovery",
                           StringValue("ns3::llm::SelectiveRepeat"));
    }
    ObjectFactory factory = MakeFabricFactory(way.fabric);
    factory.Set("Accelerators", UintegerValue(run.accelerators));
    factory.Set("DomainSize", UintegerValue(options.domainSize));
    factory.Set("DomainFidelity", StringValue("packet"));
    factory.Set("NicRate", DataRateValue(static_cast<uint64_t>(run.platform.nicGbps * 1e9)));
    factory.Set("DomainRate", DataRateValue(static_cast<uint64_t>(run.platform.domainGbps * 1e9)));
    return factory.Create<TopologyHelper>()->Build();
}

ForwardingRow
MakeRow(const Options& options, const Run& run, const TrafficMatrix& matrix, const Cluster& cluster)
{
    ForwardingRow row;
    row.platform = run.platform.name;
    row.accelerators = run.accelerators;
    row.domainSize = options.domainSize;
    row.routing = run.routing;
    row.way = run.way;
    row.bytes = options.bytes;
    const double nicBytes = static_cast<double>(GetNicBytes(matrix, options.domainSize));
    row.boundUs = nicBytes * 8 / run.platform.nicGbps / 1e3;
    const DomainMatrix domains(matrix, options.domainSize);
    for (uint32_t from = 0; from < domains.GetCount(); ++from)
    {
        for (uint32_t to = 0; to < domains.GetCount(); ++to)
        {
            row.nicPayload += from == to ? 0 : domains.Get(from, to);
        }
    }
    const Ptr<RelayTransport> relays = cluster.GetRelays();
    for (uint32_t a = 0; relays && a < run.accelerators; ++a)
    {
        row.relayed += relays->GetRelayedBytes(a);
        row.forwarded += relays->GetForwardedCount(a);
        row.peakStored = std::max(row.peakStored, relays->GetPeakStoredBytes(a));
    }
    return row;
}

int
DoRun(const Options& options, const Run& run, MeasuredRuns::Run& measured)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto matrix = std::make_shared<const TrafficMatrix>(
        MakeTraffic(run.routing, run.accelerators, options.bytes, options.tokenBytes));
    const Ptr<Cluster> cluster = BuildCluster(options, run);
    CollectiveRequest request;
    request.operation = CollectiveOperation::ALL_TO_ALL_V;
    request.matrix = matrix;
    std::vector<uint32_t> ranks(run.accelerators);
    for (uint32_t rank = 0; rank < run.accelerators; ++rank)
    {
        ranks[rank] = rank;
    }
    const CollectiveRunner runner(cluster,
                                  ranks,
                                  request,
                                  "ns3::llm::" + FindWay(run.way).algorithm);
    Simulator::Run();
    for (const std::string& line : runner.GetComplaints())
    {
        std::cerr << run.name << ": " << line << std::endl;
    }
    if (!runner.GetComplaints().empty())
    {
        return EXIT_UNFINISHED;
    }
    ForwardingRow row = MakeRow(options, run, *matrix, *cluster);
    row.timeUs = static_cast<double>(runner.GetLastDone().GetPicoSeconds()) / 1e6;
    row.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    measured.result = row.ToJson();
    measured.manifest.AddNodes();
    measured.manifest.AddObject(cluster);
    Simulator::Destroy();
    return EXIT_DONE;
}

/** Show the traffic of each routing and number of accelerators. @param options of the program
 * @param runs all of them @param folder gets it by HB domain; nullptr: it is drawn */
void
ShowMatrices(const Options& options, const std::vector<Run>& runs, const ReportFolder* folder)
{
    std::vector<std::string> shown;
    for (const Run& run : runs)
    {
        const std::string name = run.routing + "-" + std::to_string(run.accelerators);
        if (std::find(shown.begin(), shown.end(), name) != shown.end())
        {
            continue;
        }
        shown.push_back(name);
        const TrafficMatrix matrix =
            MakeTraffic(run.routing, run.accelerators, options.bytes, options.tokenBytes);
        if (folder)
        {
            folder->Write("matrix-" + name + ".csv",
                          DomainMatrix(matrix, options.domainSize).ToCsv());
            continue;
        }
        // at most 32 signs in a row
        const uint32_t domains = run.accelerators / options.domainSize;
        const uint32_t group = options.domainSize * ((domains + 31) / 32);
        std::cout << "traffic, " << run.routing << ", " << run.accelerators
                  << " accelerators, from group of " << group << " to group of " << group << "\n";
        DomainMatrix(matrix, group).Draw(std::cout);
    }
}

int
Compare(int argc, char* argv[])
{
    const Options options = ParseOptions(argc, argv);
    const std::vector<Run> runs = PlanRuns(options);
    std::vector<std::string> names;
    for (const Run& run : runs)
    {
        names.push_back(run.name);
    }
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    MeasuredRuns measured(names, options.runs, manifest);
    ShowMatrices(options, runs, nullptr);
    const int status =
        measured.Do([&](MeasuredRuns::Run& run) { return DoRun(options, runs[run.index], run); });
    std::vector<ForwardingRow> rows;
    for (const auto& result : measured.GetResults())
    {
        rows.push_back(ForwardingRow::FromJson(result.second));
    }
    WriteForwardingTable(std::cout, rows);
    measured.Finish(std::cout,
                    [&](const ReportFolder& folder)
                    {
                        ShowMatrices(options, runs, &folder);
                        return WriteForwardingFiles(folder, rows);
                    });
    return status;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    UseFrameEngine();
    // what differs is to be the forwarding
    Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                       StringValue("ns3::llm::NoCongestionControl"));
    try
    {
        return Compare(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return EXIT_REFUSED;
    }
}
