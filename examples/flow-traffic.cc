// SPDX-License-Identifier: GPL-2.0-only

// Flows between the hosts of a datacenter, without a training job: flow completion times beside their
// ideal times.
//
//   ./llm-fabric run flow-traffic -- --sizes=web-search --load=60
//   ./llm-fabric run flow-traffic -- --pattern=incast --senders=32 --fabric=single-switch
//   ./llm-fabric run flow-traffic -- --pattern=file --flowFile=flow.txt
//   ./llm-fabric run flow-traffic -- --ns3::llm::RdmaTransport::CongestionControl=ns3::llm::Swift
//   ./llm-fabric run flow-traffic -- --ns3::llm::FabricSwitch::LoadBalancer=ns3::llm::Flowlet
//
// Another --RngRun gives other flows. The folder --output gets each flow and the slowdown by size of
// flow as CSV, the completion times in the form of HPCC's simulator, and a picture where gnuplot is
// installed.

#include "ns3/class-list.h"
#include "ns3/flow-generator.h"
#include "ns3/flow-report.h"
#include "ns3/flow-runner.h"
#include "ns3/frame-engine.h"
#include "ns3/hpcc-logs.h"
#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/progress-meter.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/simulator.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    std::string fabric = "fat-tree";
    uint32_t accelerators = 64;
    uint32_t domainSize = 1;
    std::string pattern = "poisson";
    std::string sizes = "web-search";
    uint32_t loadPercent = 50;
    uint32_t durationUs = 1000;
    std::string flowFile = "flow.txt";
    uint32_t senders = 16;
    uint64_t bytes = 1000000;
    uint32_t rounds = 10;
    uint32_t intervalUs = 500;
    uint32_t buckets = 10;
    uint32_t logUs = 0;
    std::string output = "flow-traffic";
    bool quiet = false;
    bool summary = false;
};

void
Parse(Options& options, int argc, char* argv[])
{
    ProgramOptions program("flow-traffic", "Flow completion times of a traffic pattern.");
    program.Add("fabric", "which fabric", options.fabric, ListFabrics());
    program.Add("accelerators", "how many accelerators (hosts)", options.accelerators, 2);
    program.Add("domainSize", "accelerators per HB domain; 1: plain hosts", options.domainSize, 1);
    program.Add("pattern",
                "which traffic",
                options.pattern,
                {"poisson", "incast", "permutation", "file"});
    program.Add("sizes", "poisson: web-search, hadoop, or a file of sizes", options.sizes);
    program.Add("load", "poisson: payload, % of the NIC's rate", options.loadPercent, 1, 100);
    program.Add("durationUs", "poisson: no flow starts later", options.durationUs, 1);
    program.Add("flowFile", "file: flows as HPCC's simulator has them", options.flowFile);
    program.Add("senders", "incast: how many send to one", options.senders, 1);
    program.Add("bytes", "incast, permutation: bytes of a flow", options.bytes);
    program.Add("rounds", "incast, permutation: how often", options.rounds, 1);
    program.Add("intervalUs", "incast: from one to the next", options.intervalUs);
    program.Add("buckets", "ranges of sizes in the results", options.buckets, 1, 1000);
    program.Add("logUs", "log pauses, and queues each us until then", options.logUs);
    program.Add("output", "folder for the results", options.output);
    program.Add("quiet", "show no progress", options.quiet);
    program.Add("summary", "print the result on one line, write nothing", options.summary);
    program.Parse(argc, argv);
}

Ptr<Cluster>
BuildCluster(const Options& options)
{
    ObjectFactory factory = MakeFabricFactory(options.fabric);
    factory.Set("Accelerators", UintegerValue(options.accelerators));
    factory.Set("DomainSize", UintegerValue(options.domainSize));
    return factory.Create<TopologyHelper>()->Build();
}

FlowList
MakeFlows(const Options& options, const Cluster& cluster)
{
    if (options.pattern == "file")
    {
        return ReadHpccFlows(options.flowFile, options.accelerators);
    }
    FlowList flows;
    FlowGenerator generator(options.accelerators);
    generator.AssignStreams(1);
    if (options.pattern == "poisson")
    {
        FlowGenerator::Poisson traffic;
        traffic.load = options.loadPercent / 100.0;
        traffic.rate = cluster.GetNetwork()->GetTerminalPort(0)->GetTransmitter().GetRate();
        traffic.duration = MicroSeconds(options.durationUs);
        generator.Add(flows, FlowSizeDistribution::ReadFile(options.sizes), traffic);
    }
    else if (options.pattern == "incast")
    {
        FlowGenerator::Incast traffic;
        traffic.senders = options.senders;
        traffic.bytes = options.bytes;
        traffic.rounds = options.rounds;
        traffic.interval = MicroSeconds(options.intervalUs);
        generator.Add(flows, traffic);
    }
    else
    {
        FlowGenerator::Permutation traffic;
        traffic.bytes = options.bytes;
        traffic.rounds = options.rounds;
        generator.Add(flows, traffic);
    }
    return flows;
}

void
RunFlows(const Options& options, const Cluster& cluster, FlowRunner& runner)
{
    const auto mode = ProgressPrinter::ChooseMode(options.quiet, STDERR_FILENO);
    ProgressPrinter printer(std::cerr, mode);
    ProgressMeter meter(
        [&]()
        {
            const auto done = static_cast<double>(runner.GetFinishedCount());
            const auto all = static_cast<double>(runner.GetFlows().size());
            return ProgressMeter::Work{done / all, cluster.GetHops()};
        },
        [&](const ProgressSnapshot& snapshot) {
            printer.Print({{"flows", snapshot}});
        },
        ProgressPrinter::GetInterval(mode));
    runner.SetProgressCallback([&]() { meter.Tick(); });
    Simulator::Run();
    runner.SetProgressCallback(nullptr);
}

void
PrintSummary(const Cluster& cluster, const FlowRunner& runner)
{
    uint64_t bytes = 0;
    Time end;
    for (std::size_t i = 0; i < runner.GetFlows().size(); ++i)
    {
        bytes += runner.GetFlows()[i].bytes;
        end = std::max(end, runner.GetRecords()[i].acknowledged);
    }
    const auto all = GetSlowdowns(runner.GetFlows(), runner.GetRecords(), 1);
    std::cout << "flows=" << runner.GetFlows().size() << " finished=" << runner.GetFinishedCount()
              << " bytes=" << bytes
              << " end_us=" << static_cast<double>(end.GetPicoSeconds()) / 1e6;
    if (!all.empty())
    {
        std::cout << " median_slowdown=" << all[0].median
                  << " p99_slowdown=" << all[0].percentile99;
    }
    std::cout << " hops=" << cluster.GetHops() << std::endl;
}

void
WriteResults(const Options& options,
             const Cluster& cluster,
             const FlowRunner& runner,
             RunManifest manifest)
{
    const ReportFolder folder(options.output);
    manifest.AddNodes();
    folder.Write("manifest.json", manifest.ToJson());
    WriteSlowdownTable(std::cout, WriteFlowReport(folder, "run", runner, options.buckets));
    for (const auto& [name, value] : cluster.GetCounters())
    {
        std::cout << name << ": " << value << '\n';
    }
    const bool isDrawn = DrawSlowdowns(folder, {"run"});
    std::cout << "results" << (isDrawn ? " and picture" : "") << " in " << options.output << '\n';
}

int
Run(const Options& options, const RunManifest& manifest)
{
    if (!options.summary)
    {
        ReportFolder(options.output).Prepare();
    }
    const Ptr<Cluster> cluster = BuildCluster(options);
    FlowRunner runner(cluster->GetTransport(), cluster);
    runner.Start(MakeFlows(options, *cluster));
    std::ostringstream pauses;
    HpccPauseLog pauseLog(*cluster->GetNetwork(), pauses);
    HpccQueueLog queueLog(cluster->GetNetwork(), MicroSeconds(1), MicroSeconds(options.logUs));
    if (options.logUs > 0)
    {
        cluster->GetNetwork()->SetObserver(&pauseLog);
    }
    RunFlows(options, *cluster, runner);
    PrintSummary(*cluster, runner);
    if (!options.summary)
    {
        WriteResults(options, *cluster, runner, manifest);
    }
    if (!options.summary && options.logUs > 0)
    {
        std::ostringstream queues;
        queueLog.Write(queues);
        ReportFolder(options.output).Write("run-pfc.txt", pauses.str());
        ReportFolder(options.output).Write("run-qlen.txt", queues.str());
    }
    for (const auto& line : runner.DescribeUnfinished())
    {
        std::cerr << "unfinished: " << line << std::endl;
    }
    for (const auto& fault : cluster->GetFaults())
    {
        std::cerr << "fault: " << fault << std::endl;
    }
    const bool isComplete = runner.GetFinishedCount() == runner.GetFlows().size();
    return isComplete && cluster->GetFaults().empty() ? 0 : 1;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    UseFrameEngine();
    try
    {
        Options options;
        Parse(options, argc, argv);
        RunManifest manifest;
        manifest.SetCommand(argc, argv);
        const int status = Run(options, manifest);
        Simulator::Destroy();
        return status;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
