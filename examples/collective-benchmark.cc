// SPDX-License-Identifier: GPL-2.0-only

// Collectives over a range of sizes, as nccl-tests prints them, beside their ideal time and bound.
//
//   ./llm-fabric run collective-benchmark
//   ./llm-fabric run collective-benchmark -- --algorithms=RingAlgorithm,DoubleBinaryTreeAlgorithm
//       --minBytes=1024 --maxBytes=67108864 --factor=4 --fabric=rail-only --domainSize=8
//   ./llm-fabric run collective-benchmark -- --operations=all-to-all --algorithms=auto,BruckAlgorithm
//
//   ./llm-fabric run collective-benchmark -- --fabric=fat-tree --accelerators=64 --seeds=10
//
// A group is every stride-th accelerator. An algorithm is a TypeId name, with attributes if need be:
// RingAlgorithm[Channels=2]; several are separated by commas, as are fabrics and congestion controls.
// With --seeds each row is done with as many seeds, which give other paths where there is a choice.
// Each row is a run of its own, on all cores. The files are collectives.csv, collectives.json,
// manifest.json and, with gnuplot, bandwidth.png. Attributes change the rest:
// --ns3::llm::RdmaTransport::Mtu=1024, --ns3::llm::Communicator::StepLatency=2us.

#include "ns3/class-list.h"
#include "ns3/cluster.h"
#include "ns3/collective-runner.h"
#include "ns3/collective-table.h"
#include "ns3/config.h"
#include "ns3/frame-engine.h"
#include "ns3/ideal-time.h"
#include "ns3/input-error.h"
#include "ns3/measured-runs.h"
#include "ns3/program-options.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-transport.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/scale-out-transport.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <chrono>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    std::string operations = "all-reduce";
    std::string algorithms = "auto";
    uint64_t minBytes = 1 << 16;
    uint64_t maxBytes = 1 << 24;
    uint32_t factor = 4;
    std::string fabric = "single-switch";
    std::string transport;
    uint32_t accelerators = 16;
    uint32_t domainSize = 1;
    uint32_t ranks = 0;
    uint32_t stride = 1;
    uint32_t root = 0;
    std::string controls;
    std::string calls;
    uint32_t seeds = 1;
    MeasuredRuns::Options runs{"collective-benchmark"};
};

struct Row
{
    CollectiveRequest request;
    std::string algorithm;
    std::string fabric;
    TypeId control;
    uint32_t seed = 1;
};

Options
Parse(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("collective-benchmark", "Collectives over a range of sizes.");
    program.Add("operations", "names, with commas: all-reduce,all-to-all", options.operations);
    program.Add("algorithms", "names, with commas; auto: chosen by size", options.algorithms);
    program.Add("minBytes", "smallest size of the buffer", options.minBytes);
    program.Add("maxBytes", "largest size of the buffer", options.maxBytes);
    program.Add("factor", "from one size to the next", options.factor, 2);
    program.Add("fabric", "names, with commas: rail-only,fat-tree", options.fabric);
    program.Add("transport",
                "between HB domains: rdma, tcp or fluid; none: the attribute",
                options.transport);
    program.Add("accelerators", "how many accelerators", options.accelerators, 1);
    program.Add("domainSize", "accelerators in an HB domain", options.domainSize, 1);
    program.Add("ranks", "how many ranks; 0: as many as there is room for", options.ranks);
    program.Add("stride", "every stride-th accelerator is a rank", options.stride, 1);
    program.Add("root", "the root, for operations that have one", options.root);
    program.Add("controls", "congestion controls: Dcqcn,Hpcc; none: the default", options.controls);
    program.Add("seeds", "how many seeds; ECMP takes other paths with each", options.seeds, 1);
    program.Add("calls",
                "what each rank calls in place of the operation, with commas; a run of ranks that "
                "differ ends",
                options.calls);
    options.runs.Add(program, "print the table");
    program.Parse(argc, argv);
    UseTransport(options.transport);
    const uint32_t most = (options.accelerators + options.stride - 1) / options.stride;
    options.ranks = options.ranks == 0 ? most : options.ranks;
    if (options.ranks > most || options.minBytes > options.maxBytes)
    {
        RefuseInput("--ranks=" + std::to_string(options.ranks) +
                    ", --minBytes=" + std::to_string(options.minBytes) +
                    " and --maxBytes=" + std::to_string(options.maxBytes) + ": there is room for " +
                    std::to_string(most) + " ranks, and the least size must not be above the " +
                    "largest");
    }
    return options;
}

/** A name without namespace stands for one of the module. */
std::string
CompleteName(const std::string& algorithm)
{
    const bool isWhole = algorithm == "auto" || algorithm.rfind("ns3::", 0) == 0;
    return isWhole ? algorithm : "ns3::llm::" + algorithm;
}

std::vector<uint32_t>
ChooseRanks(const Options& options)
{
    std::vector<uint32_t> accelerators;
    for (uint32_t rank = 0; rank < options.ranks; ++rank)
    {
        accelerators.push_back(rank * options.stride);
    }
    return accelerators;
}

std::vector<std::string>
Split(const std::string& list)
{
    std::vector<std::string> words;
    std::istringstream text(list);
    for (std::string word; std::getline(text, word, ',');)
    {
        words.push_back(word);
    }
    return words;
}

std::vector<Row>
PlanSizes(const Options& options, const std::string& operation, const std::string& name)
{
    Row row;
    row.request.operation = ParseCollectiveOperation(operation);
    row.request.root = options.root;
    row.algorithm = name;
    const auto algorithm = CollectiveAlgorithm::CreateByName(CompleteName(name), "--algorithms");
    if (algorithm && !algorithm->Supports(row.request))
    {
        RefuseInput("--algorithms: " + name + " does not do " + operation);
    }
    std::vector<Row> rows;
    for (uint64_t bytes = options.minBytes; bytes <= options.maxBytes; bytes *= options.factor)
    {
        row.request.bytes = bytes;
        CheckRequest(row.request, options.ranks);
        rows.push_back(row);
        if (bytes == 0 || bytes > options.maxBytes / options.factor)
        {
            break;
        }
    }
    return rows;
}

std::vector<TypeId>
ChooseControls(const Options& options)
{
    if (!options.controls.empty())
    {
        return ParseClasses("controls", options.controls, RdmaCongestionControl::GetTypeId());
    }
    StringValue control;
    CreateObject<RdmaTransport>()->GetAttribute("CongestionControl", control);
    return {TypeId::LookupByName(control.Get())};
}

std::vector<Row>
PlanRows(const Options& options)
{
    std::vector<Row> rows;
    for (const std::string& fabric : Split(options.fabric))
    {
        MakeFabricFactory(fabric); // refused now, if at all
        for (const TypeId& control : ChooseControls(options))
        {
            for (const std::string& operation : Split(options.operations))
            {
                for (const std::string& algorithm : Split(options.algorithms))
                {
                    for (Row row : PlanSizes(options, operation, algorithm))
                    {
                        row.fabric = fabric;
                        row.control = control;
                        for (row.seed = 1; row.seed <= options.seeds; ++row.seed)
                        {
                            rows.push_back(row);
                        }
                    }
                }
            }
        }
    }
    return rows;
}

// What each rank calls: the row's operation, unless --calls says something else.
std::vector<CollectiveRequest>
ChooseCalls(const Options& options, const Row& row)
{
    std::vector<CollectiveRequest> calls(options.ranks, row.request);
    const auto names = Split(options.calls);
    if (!names.empty() && names.size() != calls.size())
    {
        RefuseInput("--calls=" + options.calls + ": " + std::to_string(names.size()) +
                    " calls of " + std::to_string(calls.size()) + " ranks");
    }
    for (std::size_t rank = 0; rank < names.size(); ++rank)
    {
        calls[rank].operation = ParseCollectiveOperation(names[rank]);
    }
    return calls;
}

Ptr<Cluster>
BuildCluster(const Options& options, const std::string& fabric)
{
    ObjectFactory factory = MakeFabricFactory(fabric);
    factory.Set("Accelerators", UintegerValue(options.accelerators));
    factory.Set("DomainSize", UintegerValue(options.domainSize));
    return factory.Create<TopologyHelper>()->Build();
}

// Ideal time with all NICs on one switch; the messages are never sent.
Time
GetOneSwitchTime(const Options& options, const Row& row)
{
    const Ptr<Cluster> cluster = BuildCluster(options, "single-switch");
    auto group = CreateObject<Communicator>();
    group->SetAttribute("Algorithm", StringValue(CompleteName(row.algorithm)));
    group->SetLocality(cluster);
    group->SetGroup(0, "all", ChooseRanks(options));
    return EvaluateIdealTime(*group->MakeProgram(row.request),
                             group->GetAccelerators(),
                             cluster,
                             group->GetStepCosts());
}

int
DoRow(const Options& options, const Row& row, MeasuredRuns::Run& run)
{
    const auto begin = std::chrono::steady_clock::now();
    RngSeedManager::SetRun(RngSeedManager::GetRun() + row.seed - 1);
    Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                       StringValue(row.control.GetName()));
    const Ptr<Cluster> cluster = BuildCluster(options, row.fabric);
    const CollectiveRunner runner(cluster,
                                  ChooseRanks(options),
                                  ChooseCalls(options, row),
                                  CompleteName(row.algorithm));
    Simulator::Run();
    for (const std::string& line : runner.GetComplaints())
    {
        std::cerr << GetName(row.request.operation) << " of " << row.request.bytes << " B: " << line
                  << std::endl;
    }
    if (!runner.GetComplaints().empty())
    {
        return EXIT_UNFINISHED;
    }
    CollectiveRow result;
    result.operation = GetName(row.request.operation);
    result.algorithm = row.algorithm;
    result.fabric = row.fabric;
    result.control = GetClassName(row.control);
    result.seed = row.seed;
    result.bytes = row.request.bytes;
    result.ranks = options.ranks;
    result.hops = cluster->GetHops();
    result.Take(runner.GetOutcome());
    run.manifest.AddNodes();
    run.manifest.AddObject(cluster);
    Simulator::Destroy();
    if (options.seeds > 1)
    {
        result.oneSwitchUs = GetOneSwitchTime(options, row).ToDouble(Time::US);
        Simulator::Destroy();
    }
    result.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    run.result = result.ToJson();
    return EXIT_DONE;
}

int
Measure(int argc, char* argv[])
{
    const Options options = Parse(argc, argv);
    const std::vector<Row> rows = PlanRows(options);
    ChooseCalls(options, rows.at(0)); // refused now, if at all
    std::vector<std::string> names;
    for (const Row& row : rows)
    {
        names.push_back("row-" + std::to_string(names.size()) + "-" +
                        GetName(row.request.operation));
    }
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    MeasuredRuns measured(names, options.runs, manifest);
    const int status =
        measured.Do([&](MeasuredRuns::Run& run) { return DoRow(options, rows[run.index], run); });
    std::vector<CollectiveRow> table;
    for (const auto& result : measured.GetResults())
    {
        table.push_back(CollectiveRow::FromJson(result.second));
    }
    if (!table.empty())
    {
        WriteCollectiveTable(std::cout, table);
    }
    if (options.seeds > 1 && !table.empty())
    {
        WriteCollectiveSeeds(std::cout, table);
    }
    measured.Finish(std::cout,
                    [&](const ReportFolder& folder)
                    {
                        const std::string scene =
                            std::to_string(options.ranks) + " ranks, " + options.fabric;
                        return WriteCollectiveFiles(folder, table, scene);
                    });
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
        return Measure(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return EXIT_REFUSED;
    }
}
