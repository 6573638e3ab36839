// SPDX-License-Identifier: GPL-2.0-only

// Collectives over a range of sizes, as nccl-tests prints them, beside their ideal time and bound.
//
//   ./llm-fabric run collective-benchmark
//   ./llm-fabric run collective-benchmark -- --algorithms=RingAlgorithm,DoubleBinaryTreeAlgorithm
//       --minBytes=1024 --maxBytes=67108864 --factor=4 --fabric=rail-only --domainSize=8
//   ./llm-fabric run collective-benchmark -- --operations=all-to-all --algorithms=auto,BruckAlgorithm
//
// A group is every stride-th accelerator. An algorithm is a TypeId name, with attributes if need be:
// RingAlgorithm[Channels=2]; several are separated by commas. Each row is a run of its own, on all
// cores. The files are collectives.csv, collectives.json, manifest.json and, with gnuplot,
// bandwidth.png. Attributes change the rest:
// --ns3::llm::RdmaTransport::CongestionControl=ns3::llm::Hpcc.

#include "ns3/class-list.h"
#include "ns3/cluster.h"
#include "ns3/collective-runner.h"
#include "ns3/collective-table.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/parallel-runs.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/scale-out-transport.h"
#include "ns3/simulator.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
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
    uint32_t jobs = 0;
    std::string output = "collective-benchmark";
    bool quiet = false;
    bool summary = false;
};

struct Row
{
    CollectiveRequest request;
    std::string algorithm;
    std::string name;
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
    program.Add("fabric", "which fabric", options.fabric, ListFabrics());
    program.Add("transport",
                "between HB domains: rdma, tcp or fluid; none: the attribute",
                options.transport);
    program.Add("accelerators", "how many accelerators", options.accelerators, 1);
    program.Add("domainSize", "accelerators in an HB domain", options.domainSize, 1);
    program.Add("ranks", "how many ranks; 0: as many as there is room for", options.ranks);
    program.Add("stride", "every stride-th accelerator is a rank", options.stride, 1);
    program.Add("root", "the root, for operations that have one", options.root);
    program.Add("jobs", "runs at a time; 0: one for each core", options.jobs);
    program.Add("output", "folder for the results", options.output);
    program.Add("quiet", "show no progress", options.quiet);
    program.Add("summary", "print the table, keep no files", options.summary);
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

std::vector<Row>
PlanRows(const Options& options)
{
    std::vector<Row> rows;
    std::istringstream operations(options.operations);
    for (std::string operation; std::getline(operations, operation, ',');)
    {
        Row row;
        row.request.operation = ParseCollectiveOperation(operation);
        row.request.root = options.root;
        std::istringstream algorithms(options.algorithms);
        while (std::getline(algorithms, row.algorithm, ','))
        {
            const auto algorithm =
                CollectiveAlgorithm::CreateByName(CompleteName(row.algorithm), "--algorithms");
            if (algorithm && !algorithm->Supports(row.request))
            {
                RefuseInput("--algorithms: " + row.algorithm + " does not do " + operation);
            }
            for (uint64_t bytes = options.minBytes; bytes <= options.maxBytes;
                 bytes *= options.factor)
            {
                row.request.bytes = bytes;
                CheckRequest(row.request, options.ranks);
                row.name = "row-" + std::to_string(rows.size());
                rows.push_back(row);
                if (bytes == 0)
                {
                    break;
                }
            }
        }
    }
    return rows;
}

int
DoRow(const Options& options, const Row& row, RunManifest manifest)
{
    const auto begin = std::chrono::steady_clock::now();
    ObjectFactory factory = MakeFabricFactory(options.fabric);
    factory.Set("Accelerators", UintegerValue(options.accelerators));
    factory.Set("DomainSize", UintegerValue(options.domainSize));
    const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
    const CollectiveRunner runner(cluster,
                                  ChooseRanks(options),
                                  row.request,
                                  CompleteName(row.algorithm));
    Simulator::Run();
    for (const std::string& line : runner.GetComplaints())
    {
        std::cerr << row.name << ": " << line << std::endl;
    }
    if (!runner.GetComplaints().empty())
    {
        return EXIT_UNFINISHED;
    }
    CollectiveRow result;
    result.operation = GetName(row.request.operation);
    result.algorithm = row.algorithm;
    result.bytes = row.request.bytes;
    result.ranks = options.ranks;
    result.hops = cluster->GetHops();
    result.Take(runner.GetOutcome());
    result.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const ReportFolder folder(options.output);
    folder.Write(row.name + ".json", result.ToJson());
    manifest.AddNodes();
    manifest.AddObject(cluster);
    folder.Write(row.name + "-manifest.json", manifest.ToJson());
    Simulator::Destroy();
    return EXIT_DONE;
}

int
Measure(int argc, char* argv[])
{
    Options options = Parse(argc, argv);
    const std::vector<Row> rows = PlanRows(options);
    std::vector<std::string> names;
    for (const Row& row : rows)
    {
        names.push_back(row.name);
    }
    if (options.summary)
    {
        options.output = ReportFolder::MakeTemporary();
    }
    const ReportFolder folder(options.output);
    folder.Prepare();
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    const auto mode = ProgressPrinter::ChooseMode(options.quiet, STDERR_FILENO);
    ProgressPrinter printer(std::cerr, mode);
    const auto results = ParallelRuns(names, options.jobs)
                             .Run([&](uint32_t index, const ProgressMeter::Sink&)
                                  { return DoRow(options, rows[index], manifest); },
                                  printer,
                                  ProgressPrinter::GetInterval(mode));
    std::vector<CollectiveRow> table;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        if (results[i] == EXIT_DONE)
        {
            table.push_back(CollectiveRow::FromJson(folder.Take(names[i] + ".json")));
        }
    }
    WriteCollectiveTable(std::cout, table);
    if (options.summary)
    {
        std::filesystem::remove_all(options.output);
    }
    else if (!table.empty())
    {
        folder.MergeManifests(names);
        const bool isDrawn =
            WriteCollectiveFiles(folder,
                                 table,
                                 std::to_string(options.ranks) + " ranks, " + options.fabric);
        std::cout << "results" << (isDrawn ? " and a picture" : "") << " in " << options.output
                  << std::endl;
    }
    return *std::max_element(results.begin(), results.end());
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
