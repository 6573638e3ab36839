// SPDX-License-Identifier: GPL-2.0-only

// Published measurements of NCCL's and RCCL's collectives beside what the module simulates for them.
//
//   ./llm-fabric run nccl-bus-bandwidth
//   ./llm-fabric run nccl-bus-bandwidth -- --only=A100 --mostNicBytes=1000000000000
//   ./llm-fabric run nccl-bus-bandwidth -- --systems=mine.json
//
// The measurements are data/nccl-busbw.csv, each with its source. The constants are in
// data/nccl-systems.json: one set for each class of systems (rates and the share of them that is left
// for payload, latencies of launch, step and NIC, the library's protocols), chosen by hand on these
// same measurements, so that the errors say how well few constants describe many rows and not how well
// unseen systems are predicted. Each row is simulated by all protocols and algorithms that come into
// question, and the fastest is taken, as the libraries' tuners mean to. Inside an HB domain rates are
// shared (fluid), between domains frames cross one non-blocking switch.
//
// It prints all rows, the median and the 90th percentile of the error of the bus bandwidth, the worst
// rows, and what is left out and why. The folder --output gets comparison.csv, manifest.json and, with
// gnuplot, comparison.png.

#include "nccl-bus-bandwidth-model.h"
#include "nccl-bus-bandwidth-report.h"
#include "nccl-bus-bandwidth-rows.h"

#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/measured-runs.h"
#include "ns3/program-options.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/time-resolution.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    std::string measurements;
    std::string systems;
    std::string only;
    uint64_t mostNicBytes = uint64_t{1} << 34;
    uint32_t worst = 15;
    MeasuredRuns::Options runs{"nccl-bus-bandwidth"};
};

Options
Parse(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("nccl-bus-bandwidth", "Published collectives beside simulated ones.");
    program.Add("measurements", "CSV file; none: nccl-busbw.csv", options.measurements);
    program.Add("systems", "JSON file of constants; none: nccl-systems.json", options.systems);
    program.Add("only", "class of systems; none: all", options.only);
    program.Add("mostNicBytes",
                "payload over NICs in a run; rows with more are simulated with fewer bytes",
                options.mostNicBytes);
    program.Add("worst", "how many of the worst rows to list", options.worst);
    options.runs.Add(program, "print the tables");
    program.Parse(argc, argv);
    if (options.mostNicBytes == 0)
    {
        RefuseInput("--mostNicBytes=0: a run needs 1 byte or more");
    }
    return options;
}

int
CompareAll(int argc, char* argv[])
{
    const Options options = Parse(argc, argv);
    const auto measurements = ReadMeasurements(
        options.measurements.empty() ? FindDataFile("nccl-busbw.csv") : options.measurements);
    const SystemTable systems =
        ReadSystems(options.systems.empty() ? FindDataFile("nccl-systems.json") : options.systems);
    if (!options.only.empty() && systems.classes.count(options.only) == 0)
    {
        std::vector<std::string> names;
        for (const auto& item : systems.classes)
        {
            names.push_back(item.first);
        }
        RefuseInput("--only=" + options.only + ": no such class" +
                    DescribeAllowedNames(options.only, names));
    }
    std::vector<MeasurementPlan> plans;
    std::vector<std::size_t> described;
    std::vector<std::string> names;
    for (const Measurement& row : measurements)
    {
        plans.push_back(PlanMeasurement(row, systems));
        const bool isWanted = options.only.empty() || plans.back().className == options.only;
        if (plans.back().leftOut.empty() && isWanted)
        {
            described.push_back(plans.size() - 1);
            names.push_back("line-" + std::to_string(row.line));
        }
    }
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    MeasuredRuns measured(names, options.runs, manifest);
    const int status = measured.Do(
        [&](MeasuredRuns::Run& run)
        {
            const std::size_t i = described[run.index];
            run.result = SimulatedToJson(
                SimulateMeasurement(measurements[i], plans[i], options.mostNicBytes));
            return EXIT_DONE;
        });
    std::vector<ComparedMeasurement> rows;
    for (const auto& [index, text] : measured.GetResults())
    {
        const std::size_t i = described[index];
        rows.push_back(Compare(measurements[i], plans[i].className, SimulatedFromJson(text)));
    }
    PrintRows(std::cout, rows);
    if (!rows.empty())
    {
        PrintErrors(std::cout, rows);
        PrintWorst(std::cout, rows, options.worst);
    }
    PrintLeftOut(std::cout, measurements, plans);
    measured.Finish(std::cout,
                    [&](const ReportFolder& folder) { return WriteComparison(folder, rows); });
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
        return CompareAll(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return EXIT_REFUSED;
    }
}
