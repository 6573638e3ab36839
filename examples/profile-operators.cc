// SPDX-License-Identifier: GPL-2.0-only

// Measures the operators of a transformer layer on this machine, and how well others are projected.
//
//   ./llm-fabric run profile-operators
//   ./llm-fabric run profile-operators -- --base=512x128x1x1 --rounds=5
//   ./llm-fabric run profile-operators -- --device=cuda --hidden=4096,8192 --sequences=2048 --base=4096x2048x1x1
//
// The operators are those of the forward pass, one rank's part: matrix products by OpenBLAS on one
// thread (or by cuBLAS), norm, softmax, activation and residual sum as plain loops. It measures all
// layers of the grid --hidden x --sequences x --batches x --tensorParallel, makes a profile of those of
// --base alone, projects all others from it with ProjectedCostModel, and prints how far it is off, and
// how much less there was to measure. All shapes are measured in each of --rounds, one after the other,
// and the fastest counts, so that a burst of other load does not fall on all times of a shape; times are
// those that the thread was on a core for.
//
// The folder --output gets profile.json, which ProjectedCostModel::Profile takes, comparison.csv,
// manifest.json and, with gnuplot, comparison.png.

#include "profile-operators-cuda.h"
#include "profile-operators-kernels.h"
#include "profile-operators-layer.h"
#include "profile-operators-report.h"

#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/projected-cost-model.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/string.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    std::string device = "cpu";
    std::string base = "512x128x1x2,256x64x1x4,768x256x1x4,768x256x4x4";
    std::string hidden = "256,512,768";
    std::string sequences = "64,128,256";
    std::string batches = "1,2,4";
    std::string tensorParallel = "1,2,4";
    uint32_t rounds = 3;
    uint32_t repeats = 4;
    std::string output = "profile-operators";
    bool quiet = false;
    bool summary = false;

    bool IsCuda() const
    {
        return device == "cuda";
    }
};

Options
Parse(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("profile-operators", "Operators of a layer, measured and projected.");
    program.Add("device", "cpu, or cuda: matrix products alone", options.device, {"cpu", "cuda"});
    program.Add("base",
                "layers to project from, hidden x sequence x batch x TP; the first is also taken "
                "alone",
                options.base);
    program.Add("hidden", "hidden sizes of the grid", options.hidden);
    program.Add("sequences", "tokens of a sequence", options.sequences);
    program.Add("batches", "sequences", options.batches);
    program.Add("tensorParallel", "ranks that share a layer", options.tensorParallel);
    program.Add("rounds", "how often the whole grid is gone through", options.rounds, 1, 1000);
    program.Add("repeats", "timed blocks of each shape in a round", options.repeats, 1, 1000);
    program.Add("output", "folder for the results", options.output);
    program.Add("quiet", "show no progress", options.quiet);
    program.Add("summary", "print the tables and keep no files", options.summary);
    program.Parse(argc, argv);
    return options;
}

/** All layers, those of the base first. */
std::vector<LayerShape>
MakeGrid(const Options& options, const std::vector<LayerShape>& base)
{
    std::vector<LayerShape> shapes = base;
    for (const uint64_t hidden : ParseNumbers("--hidden", options.hidden))
    {
        for (const uint64_t sequence : ParseNumbers("--sequences", options.sequences))
        {
            for (const uint64_t batch : ParseNumbers("--batches", options.batches))
            {
                for (const uint64_t tp : ParseNumbers("--tensorParallel", options.tensorParallel))
                {
                    const LayerShape shape{hidden, sequence, batch, tp};
                    RequireWhole(shape);
                    if (std::none_of(base.begin(),
                                     base.end(),
                                     [&](const LayerShape& other)
                                     { return other.ToText() == shape.ToText(); }))
                    {
                        shapes.push_back(shape);
                    }
                }
            }
        }
    }
    return shapes;
}

/** The operators of all layers, each shape once; and where they are, by key. */
struct OperatorTable
{
    std::vector<ComparedOperator> rows;
    std::map<std::string, std::size_t> places;

    void Add(const LayerOperator& item, bool isBase)
    {
        if (places.insert({item.GetKey(), rows.size()}).second)
        {
            rows.push_back({});
            rows.back().item = item;
            rows.back().isBase = isBase;
        }
    }
};

OperatorTable
MakeTable(const Options& options, const std::vector<LayerShape>& shapes, std::size_t baseCount)
{
    OperatorTable table;
    for (std::size_t i = 0; i < shapes.size(); ++i)
    {
        for (const auto& item : MakeLayerOperators(shapes[i], options.IsCuda() ? 2 : 4))
        {
            if (!options.IsCuda() || item.op.kind == ModelOperator::MATRIX)
            {
                table.Add(item, i < baseCount);
            }
        }
    }
    return table;
}

void
MeasureAll(const Options& options, OperatorTable& table)
{
    MeasurePlan plan;
    plan.repeats = options.repeats;
    for (uint32_t round = 0; round < options.rounds; ++round)
    {
        for (std::size_t i = 0; i < table.rows.size(); ++i)
        {
            ComparedOperator& row = table.rows[i];
            const MeasuredOperator measured =
                options.IsCuda() ? MeasureOnCuda(row.item.op, plan)
                                 : MeasureOperator(row.item.op, row.item.rowLength, plan);
            row.measuredSeconds =
                round ? std::min(row.measuredSeconds, measured.seconds) : measured.seconds;
            row.spentSeconds += measured.spentSeconds;
            if (!options.quiet && (i + 1) % 100 == 0)
            {
                std::cerr << "round " << round + 1 << " of " << options.rounds << ": " << i + 1
                          << " of " << table.rows.size() << " shapes of operators\n";
            }
        }
    }
}

/** A profile of the first base layers. */
OperatorProfile
MakeProfile(const Options& options,
            const OperatorTable& table,
            const std::vector<LayerShape>& shapes,
            std::size_t layers)
{
    OperatorProfile profile;
    profile.device = options.IsCuda() ? GetCudaDeviceName() : GetProcessorName() + ", one thread";
    profile.source = options.IsCuda() ? "profile-operators: cuBLAS, best of several repeats"
                                      : "profile-operators: OpenBLAS and plain loops, time on a "
                                        "core, best of several repeats";
    char date[16] = "";
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
    profile.date = date;
    for (std::size_t i = 0; i < layers; ++i)
    {
        for (const auto& item : MakeLayerOperators(shapes[i], options.IsCuda() ? 2 : 4))
        {
            const auto place = table.places.find(item.GetKey());
            if (place != table.places.end())
            {
                OperatorProfileEntry entry;
                entry.name = item.op.name;
                entry.kind = item.op.kind;
                entry.batch = item.op.batch;
                entry.m = item.op.m;
                entry.n = item.op.n;
                entry.k = item.op.k;
                entry.elements = item.op.elements;
                entry.bytes = item.op.kind == ModelOperator::VECTOR ? item.op.bytes : 0;
                entry.precision = options.IsCuda() ? "bf16" : "fp32";
                entry.seconds = table.rows[place->second].measuredSeconds;
                profile.entries.push_back(entry);
            }
        }
    }
    return profile;
}

Ptr<ProjectedCostModel>
MakeModel(const OperatorProfile& profile, const std::string& operatorModel)
{
    auto model = CreateObject<ProjectedCostModel>();
    model->SetAttribute("OperatorModel", StringValue(operatorModel));
    model->SetProfile(profile);
    return model;
}

/** Geometric-mean error of the time of whole layers that are not base. */
double
GetLayerError(const OperatorTable& table,
              const std::vector<LayerShape>& shapes,
              std::size_t baseCount,
              const Options& options)
{
    std::vector<double> ratios;
    for (std::size_t i = baseCount; i < shapes.size(); ++i)
    {
        double measured = 0;
        double projected = 0;
        for (const auto& item : MakeLayerOperators(shapes[i], options.IsCuda() ? 2 : 4))
        {
            const auto place = table.places.find(item.GetKey());
            if (place != table.places.end())
            {
                measured += item.times * table.rows[place->second].measuredSeconds;
                projected += item.times * table.rows[place->second].projectedSeconds;
            }
        }
        ratios.push_back(projected / measured);
    }
    return GetGeometricMeanError(ratios);
}

void
PrintSavings(const OperatorTable& table, std::size_t baseCount, std::size_t layers)
{
    double all = 0;
    double base = 0;
    for (const auto& row : table.rows)
    {
        all += row.spentSeconds;
        base += row.isBase ? row.spentSeconds : 0;
    }
    std::cout << "measured: " << FormatNumber(all, 1) << " s for " << layers << " layers ("
              << table.rows.size() << " shapes of operators), " << FormatNumber(base, 2)
              << " s of it for the " << baseCount << " base layers: " << FormatNumber(all / base, 1)
              << " times less profiling\n"
              << "Pati et al. (arXiv 2302.02825) say: errors below 15 %, 2100 times less\n";
}

int
ProfileAll(int argc, char* argv[])
{
    const Options options = Parse(argc, argv);
    const ReportFolder folder(options.output);
    if (!options.summary)
    {
        folder.Prepare();
    }
    const auto base = ParseLayerShapes("--base", options.base);
    const auto shapes = MakeGrid(options, base);
    if (shapes.size() == base.size())
    {
        RefuseInput("all layers of the grid are in --base, so there is nothing to project");
    }
    OperatorTable table = MakeTable(options, shapes, base.size());
    MeasureAll(options, table);
    const OperatorProfile profile = MakeProfile(options, table, shapes, base.size());
    const auto fitted = MakeModel(profile, "Fitted");
    const auto alone = MakeModel(MakeProfile(options, table, shapes, 1), "Proportional");
    for (auto& row : table.rows)
    {
        row.projectedSeconds = fitted->GetTime(row.item.op, Accelerator()).GetSeconds();
        row.proportionSeconds = alone->GetTime(row.item.op, Accelerator()).GetSeconds();
    }
    std::cout << profile.device << ": " << shapes.size() - base.size() << " layers projected from "
              << options.base << "\n";
    PrintErrors(std::cout, table.rows);
    std::cout << "  whole layers: "
              << FormatNumber(100 * GetLayerError(table, shapes, base.size(), options), 1)
              << " %\n";
    PrintSavings(table, base.size(), shapes.size());
    if (!options.summary)
    {
        RunManifest manifest;
        manifest.SetCommand(argc, argv);
        manifest.AddFact("device", profile.device);
        folder.Write("manifest.json", manifest.ToJson());
        folder.Write("profile.json", profile.ToJson());
        folder.Write("comparison.csv", WriteComparisonCsv(table.rows));
        const bool drawn =
            folder.Plot("comparison", MakeComparisonScript(table.rows, profile.device));
        std::cout << "results in " << options.output << (drawn ? "" : ", without a picture")
                  << "\n";
    }
    return EXIT_DONE;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    try
    {
        return ProfileAll(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return EXIT_REFUSED;
    }
}
