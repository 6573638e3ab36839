// SPDX-License-Identifier: GPL-2.0-only

// How fast the simulator is on this machine, and what it needs of memory.
//
//   ./llm-fabric bench
//   ./llm-fabric bench --full --json bench.json
//
// A hop is one frame that crosses one link. The rows are workloads on fat-trees (bench-workloads.h),
// with each congestion control, with and without an observer, in both modes of the ports and under
// ns-3's engine. Beside them stand references of ns-3 itself, measured in the same run, in turn
// (bench-references.h says how): the raw hop of PointToPointNetDevice, with sources at line rate and
// with a window that clocks them, and UDP/IP. The ratios are what counts, as absolute figures vary with
// the load of the machine. doc/performance.rst explains all.

#include "bench-memory.h"
#include "bench-plan.h"
#include "bench-report.h"
#include "bench-rounds.h"

#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/run-manifest.h"
#include "ns3/time-resolution.h"

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace ns3::llm;
using namespace ns3::llm::bench;

namespace
{

struct Options
{
    bool isQuick = false;
    bool isFull = false;
    bool isMemory = false;
    uint32_t rounds = 5;
    std::string json;
};

Options
ReadOptions(int argc, char* argv[])
{
    Options options;
    ProgramOptions parser("bench", "How fast the simulator is on this machine.");
    parser.Add("quick", "a few seconds: 16 hosts and one round", options.isQuick);
    parser.Add("full",
               "also 400 Gb/s, 1024 hosts throughout, and growth with hosts and queue pairs",
               options.isFull);
    parser.Add("memory", "only memory and the time to build", options.isMemory);
    parser.Add("rounds", "measurements of each row", options.rounds, 1, 1000);
    parser.Add("json", "file for everything that was measured", options.json);
    parser.Parse(argc, argv);
    if (options.isQuick && options.isFull)
    {
        RefuseInput("--quick and --full: one of them");
    }
    if (!options.json.empty() && !std::ofstream(options.json)) // better now than after the run
    {
        RefuseInput("--json=" + options.json + ": the file cannot be written");
    }
    return options;
}

RoundSettings
MakeSettings(const Options& options)
{
    RoundSettings settings;
    settings.rounds = options.rounds;
    settings.raw = {384, 0, 300};
    settings.windowed = {384, 1, 300};
    settings.udp = {1, 4, 6000};
    if (options.isFull)
    {
        settings.moreRaw = {{64, 0, 600}, {64, 1, 600}, {64, 5, 600}, {384, 5, 100}};
        settings.moreUdp = {{1, 1, 2000}, {96, 1, 20}, {96, 4, 20}};
    }
    if (options.isQuick)
    {
        settings.rounds = 1;
        settings.leastSeconds = 0;
        settings.raw = {16, 0, 20};
        settings.windowed = {16, 1, 20};
        settings.udp = {1, 4, 80};
    }
    return settings;
}

void
ShowProgress(const std::string& text)
{
    if (isatty(STDERR_FILENO))
    {
        std::cerr << "\r\033[K" << text << std::flush;
    }
}

MemoryUse
MeasureMemoryFor(const Options& options)
{
    if (options.isQuick)
    {
        return MeasureMemory({16, 128});
    }
    return options.isFull ? MeasureMemory({128, 250, 432, 686, 1024}) : MeasureMemory({128, 1024});
}

void
Run(const Options& options, const RunManifest& manifest)
{
    Results results;
    if (!options.isMemory)
    {
        const Extent extent = options.isQuick  ? Extent::QUICK
                              : options.isFull ? Extent::FULL
                                               : Extent::USUAL;
        results = MeasureAll(MakePlan(extent), MakeSettings(options), ShowProgress);
    }
    ShowProgress("memory");
    const MemoryUse use = MeasureMemoryFor(options);
    ShowProgress("");
    if (!options.isMemory)
    {
        PrintSpeed(results, std::cout);
        std::cout << "\n";
    }
    PrintMemory(use, std::cout);
    if (!options.json.empty())
    {
        WriteJson(options.json, options.isMemory ? nullptr : &results, &use, manifest.ToJson());
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    try
    {
        RunManifest manifest;
        manifest.SetCommand(argc, argv);
        Run(ReadOptions(argc, argv), manifest);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
    catch (const std::runtime_error& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 1;
    }
    return 0;
}
