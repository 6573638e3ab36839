// SPDX-License-Identifier: GPL-2.0-only

// Congestion controls side by side, each alone with the same traffic on the same fabric: an incast, a
// permutation, and random flows of published sizes. IdealFairShare among them is an oracle: what is
// left between it and the others is what they could still gain.
//
//   ./llm-fabric run congestion-control-comparison
//   ./llm-fabric run congestion-control-comparison -- --controls=Dcqcn,Hpcc --traffics=hadoop --load=70
//   ./llm-fabric run congestion-control-comparison -- --ns3::llm::Swift::BaseTarget=15us
//
// It prints, for each traffic, the slowdowns and queues of each control and the signals that explain
// them. The folder --output gets the same as text, CSV and JSON, each flow, a manifest, and a picture
// of each traffic where gnuplot is installed. Several runs go side by side; another --RngRun gives
// other flows. A control of one's own is compared once it is in the program: see
// custom-congestion-control.

#include "ns3/class-list.h"
#include "ns3/config.h"
#include "ns3/flow-generator.h"
#include "ns3/flow-report.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/measured-runs.h"
#include "ns3/program-options.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/traffic-comparison.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    std::string controls = "all";
    std::string traffics = "incast,permutation,web-search";
    std::string fabric = "fat-tree";
    uint32_t accelerators = 32;
    uint32_t senders = 8;
    uint64_t bytes = 16000000;
    uint32_t loadPercent = 50;
    uint32_t durationUs = 3000;
    uint32_t buckets = 8;
    MeasuredRuns::Options runs{"congestion-control-comparison"};
};

struct Run
{
    std::string traffic;
    TypeId control;
    std::string name;
};

Options
Parse(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("congestion-control-comparison", "Congestion controls side by side.");
    program.Add("controls", "all, or names: Dcqcn,Hpcc", options.controls);
    program.Add("traffics",
                "incast, permutation, or sizes of random flows: web-search, hadoop, a file",
                options.traffics);
    program.Add("fabric", "which fabric", options.fabric, ListFabrics());
    program.Add("accelerators", "how many accelerators (hosts)", options.accelerators, 2);
    program.Add("senders", "incast: how many send to one", options.senders, 1);
    program.Add("bytes", "incast, permutation: bytes of a flow", options.bytes);
    program.Add("load", "random flows: payload, % of the NIC's rate", options.loadPercent, 1, 100);
    program.Add("durationUs", "random flows: none starts later", options.durationUs, 1);
    program.Add("buckets", "ranges of sizes in the results", options.buckets, 1, 1000);
    options.runs.Add(program, "print a line for each run");
    program.Parse(argc, argv);
    if (options.senders >= options.accelerators)
    {
        RefuseInput("--senders=" + std::to_string(options.senders) + ": of " +
                    std::to_string(options.accelerators) + " accelerators at most " +
                    std::to_string(options.accelerators - 1) + " send to one");
    }
    return options;
}

std::vector<Run>
PlanRuns(const Options& options)
{
    const auto base = RdmaCongestionControl::GetTypeId();
    const auto controls = ParseClasses("controls", options.controls, base);
    std::vector<Run> runs;
    std::istringstream traffics(options.traffics);
    for (std::string traffic; std::getline(traffics, traffic, ',');)
    {
        if (traffic != "incast" && traffic != "permutation")
        {
            FlowSizeDistribution::ReadFile(traffic); // refused now, if at all
        }
        for (const TypeId& control : controls)
        {
            const std::string name = std::filesystem::path(traffic).stem().string();
            runs.push_back({traffic, control, name + "-" + GetClassName(control)});
        }
    }
    return runs;
}

FlowList
MakeFlows(const Options& options, const std::string& traffic, const Cluster& cluster)
{
    FlowList flows;
    FlowGenerator generator(options.accelerators);
    generator.AssignStreams(1);
    if (traffic == "incast")
    {
        FlowGenerator::Incast incast;
        incast.senders = options.senders;
        incast.bytes = options.bytes;
        generator.Add(flows, incast);
    }
    else if (traffic == "permutation")
    {
        FlowGenerator::Permutation permutation;
        permutation.bytes = options.bytes;
        generator.Add(flows, permutation);
    }
    else
    {
        FlowGenerator::Poisson poisson;
        poisson.load = options.loadPercent / 100.0;
        poisson.rate = cluster.GetNetwork()->GetTerminalPort(0)->GetTransmitter().GetRate();
        poisson.duration = MicroSeconds(options.durationUs);
        generator.Add(flows, FlowSizeDistribution::ReadFile(traffic), poisson);
    }
    return flows;
}

std::string
Describe(const Options& options, const std::string& traffic, const Cluster& cluster)
{
    const DataRate rate = cluster.GetNetwork()->GetTerminalPort(0)->GetTransmitter().GetRate();
    std::ostringstream text;
    if (traffic == "incast" || traffic == "permutation")
    {
        text << static_cast<double>(options.bytes) / 1e6 << " MB each, ";
    }
    else
    {
        text << options.loadPercent << " % load, ";
    }
    text << options.accelerators << " NICs of " << static_cast<double>(rate.GetBitRate()) / 1e9
         << " Gb/s, " << options.fabric;
    return text.str();
}

int
DoRun(const Options& options, const Run& run, MeasuredRuns::Run& measured)
{
    Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                       StringValue(run.control.GetName()));
    ObjectFactory factory = MakeFabricFactory(options.fabric);
    factory.Set("Accelerators", UintegerValue(options.accelerators));
    factory.Set("DomainSize", UintegerValue(1));
    const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
    FlowRunner runner(cluster->GetTransport(), cluster);
    runner.Start(MakeFlows(options, run.traffic, *cluster));
    SignalCounter signals(*cluster->GetNetwork());
    cluster->SetObserver(&signals);
    const auto isBusy = [&]()
    {
        return runner.GetFinishedCount() < runner.GetFlows().size() && cluster->GetFaults().empty();
    };
    QueueSampler queues(cluster->GetNetwork(), MicroSeconds(1), isBusy);
    ProgressMeter meter(
        [&]()
        {
            return ProgressMeter::Work{static_cast<double>(runner.GetFinishedCount()) /
                                           static_cast<double>(runner.GetFlows().size()),
                                       cluster->GetHops()};
        },
        measured.report,
        ProgressPrinter::GetInterval(ProgressPrinter::TERMINAL));
    runner.SetProgressCallback([&]() { meter.Tick(); });
    Simulator::Run();

    TrafficOutcome outcome = MakeTrafficOutcome(*cluster, runner, options.buckets, signals, queues);
    outcome.traffic = std::filesystem::path(run.traffic).stem().string();
    outcome.control = GetClassName(run.control);
    outcome.scene = Describe(options, run.traffic, *cluster);
    outcome.wallSeconds = meter.GetElapsedSeconds();
    measured.result = outcome.ToJson();
    measured.manifest.AddNodes();
    measured.manifest.AddObject(cluster);
    WriteFlowReport(*measured.folder, run.name, runner, options.buckets);
    int status = outcome.received == outcome.flows ? EXIT_DONE : EXIT_UNFINISHED;
    for (const auto& line : runner.DescribeUnfinished(3))
    {
        std::cerr << "unfinished in " << run.name << ": " << line << std::endl;
    }
    for (const auto& fault : cluster->GetFaults())
    {
        std::cerr << "fault in " << run.name << ": " << fault << std::endl;
        status = EXIT_UNFINISHED;
    }
    Simulator::Destroy();
    return status;
}

int
Compare(int argc, char* argv[])
{
    const Options options = Parse(argc, argv);
    const std::vector<Run> runs = PlanRuns(options);
    std::vector<std::string> names;
    for (const Run& run : runs)
    {
        names.push_back(run.name);
    }
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    MeasuredRuns measured(names, options.runs, manifest);
    const int status =
        measured.Do([&](MeasuredRuns::Run& run) { return DoRun(options, runs[run.index], run); });
    std::vector<TrafficOutcome> outcomes;
    for (const auto& result : measured.GetResults())
    {
        outcomes.push_back(TrafficOutcome::FromJson(result.second));
    }
    if (options.runs.summary)
    {
        WriteTrafficSummary(std::cout, outcomes);
    }
    else if (!outcomes.empty())
    {
        WriteTrafficTables(std::cout, outcomes);
    }
    measured.Finish(std::cout,
                    [&](const ReportFolder& folder)
                    { return WriteTrafficComparison(folder, outcomes); });
    return status;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    UseFrameEngine();
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
