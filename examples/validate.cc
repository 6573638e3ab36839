// SPDX-License-Identifier: GPL-2.0-only

// What the module predicts beside what was published: training times measured on 8 to 3072
// accelerators, memory, parameters, and the closed forms of the papers that it builds on.
//
//   ./llm-fabric validate
//   ./llm-fabric validate --only=korthikanti
//   ./llm-fabric validate --simulate=false            (training times by replay alone, no simulation)
//
// Each line is a claim with the mean and the largest error of its rows, and what they may be. Training
// times have one set of constants for all runs; the efficiency of matrix products is calibrated on the
// eight runs of arXiv 2205.05198, so that line is in-sample, and the lines after it are not. HB domains
// are simulated as fluid, the network between them by packets for 175B and as fluid for larger models.
// The folder --output gets validate.csv with all rows. Exit status 1 if a claim does not hold.

#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/measured-runs.h"
#include "ns3/megatron-simulation.h"
#include "ns3/network-cost-validation.h"
#include "ns3/parameter-count-comparison.h"
#include "ns3/program-options.h"
#include "ns3/rail-only-validation.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/training-validation.h"
#include "ns3/two-cs-validation.h"

#include <boost/algorithm/string/replace.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
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
    std::string only;
    bool simulate = true;
    MeasuredRuns::Options runs{"validate-report"};
    RunManifest manifest;
};

/** What is claimed: that rows agree. */
struct Claim
{
    std::string name;                                 //!< of the claim, for --only
    std::string what;                                 //!< in words
    double meanPercent;                               //!< mean error, at most
    double largestPercent;                            //!< largest error, at most
    std::function<std::vector<ValidationRow>()> rows; //!< finds them
};

/** Mean, largest and signed mean error of rows, percent or points. */
struct Errors
{
    double mean = 0;
    double largest = 0;
    double bias = 0;
};

Errors
Summarize(const std::vector<ValidationRow>& rows)
{
    Errors errors;
    for (const ValidationRow& row : rows)
    {
        const double error = row.GetErrorPercent();
        errors.mean += std::abs(error) / static_cast<double>(rows.size());
        errors.bias += error / static_cast<double>(rows.size());
        errors.largest = std::max(errors.largest, std::abs(error));
    }
    return errors;
}

/** Simulate runs, each in a process. @param runs published @param options @return seconds of each */
std::vector<double>
Simulate(const std::vector<PublishedRun>& runs, const Options& options)
{
    std::vector<std::string> names;
    for (const PublishedRun& run : runs)
    {
        names.push_back(boost::algorithm::replace_all_copy(run.name, " ", "-"));
    }
    MeasuredRuns measured(names, options.runs, options.manifest);
    const int status = measured.Do(
        [&](MeasuredRuns::Run& run)
        {
            const bool byPackets = names[run.index].find("175B") == 0;
            const double seconds = SimulateRun(runs[run.index],
                                               MegatronSystem(),
                                               byPackets ? "rdma" : "fluid",
                                               run.report);
            std::ostringstream text;
            text << std::setprecision(17) << seconds;
            run.result = text.str();
            run.manifest.AddNodes();
            return EXIT_DONE;
        });
    if (status != EXIT_DONE)
    {
        RefuseInput("a simulation ended with status " + std::to_string(status));
    }
    measured.Finish(std::cerr, [](const ReportFolder&) { return false; });
    std::vector<double> seconds;
    for (const auto& result : measured.GetResults())
    {
        seconds.push_back(std::stod(result.second));
    }
    return seconds;
}

std::vector<ValidationRow>
CompareParameters()
{
    std::vector<ValidationRow> rows;
    for (const ParameterCountComparison& model : CompareParameterCounts())
    {
        rows.push_back({model.model,
                        model.listed / 1e9,
                        static_cast<double>(model.counted) / 1e9,
                        "e9 parameters"});
    }
    return rows;
}

/** @param figure 7 or 8, the latter without the ideal points @return its points */
std::vector<ValidationRow>
CompareFigure(int figure)
{
    std::vector<ValidationRow> rows;
    const auto all = CompareRailOnlyTimes();
    const auto points = ReadRailOnlyPoints();
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        if (points[i].figure == figure && (figure == 7 || !points[i].IsIdeal()))
        {
            rows.push_back(all.at(i));
        }
    }
    return rows;
}

/** @param simulated seconds of the eight runs @return the simulations of packets beside the replay */
std::vector<ValidationRow>
ComparePackets(const std::vector<double>& simulated)
{
    std::vector<ValidationRow> rows;
    const auto runs = ReadKorthikantiRuns();
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        if (runs[i].strategy.GetRankCount() == 64)
        {
            const double replay = ReplayTime(runs[i], MegatronSystem()).GetSeconds();
            rows.push_back({runs[i].name, replay, simulated.at(i), "s"});
        }
    }
    return rows;
}

/** @param options of the program @return all claims, in the order of the table */
std::vector<Claim>
MakeClaims(const Options& options)
{
    constexpr auto YEAR_2022 = MegatronSystem::YEAR_2022;
    constexpr auto EARLY_2021 = MegatronSystem::EARLY_2021;
    const auto runs = ReadKorthikantiRuns();
    const auto early = ReadNarayananRuns();
    const auto simulated = std::make_shared<std::vector<double>>();
    const auto simulate = [=]
    {
        if (simulated->empty())
        {
            *simulated = Simulate(runs, options);
        }
        return *simulated;
    };
    std::vector<Claim> claims;
    if (options.simulate)
    {
        claims.push_back({"korthikanti-simulated",
                          "2205.05198 table 5, simulated",
                          2,
                          4,
                          [=]
                          {
                              return CompareRuns(runs, simulate());
                          }});
        claims.push_back({"packets",
                          "64 accelerators, packets beside closed form",
                          1,
                          1,
                          [=]
                          {
                              return ComparePackets(simulate());
                          }});
    }
    const std::vector<Claim> others = {
        {"korthikanti-replay",
         "2205.05198 table 5, replayed",
         2,
         4,
         [=]
         {
             return CompareRuns(runs, PredictRuns(runs, {YEAR_2022, 0}));
         }},
        {"korthikanti-selective",
         "calibrated on full, selective predicted",
         3.5,
         5,
         CompareSelectiveRuns},
        {"korthikanti-left-out", "one model left out", 2.5, 4, CompareLeftOutModels},
        {"narayanan",
         "2104.04473 table 1, no refit",
         5.5,
         10,
         [=]
         {
             return CompareRuns(early, PredictRuns(early, {EARLY_2021, 0}));
         }},
        {"narayanan-own",
         "2104.04473 table 1, own GEMM efficiency",
         3.5,
         6.5,
         [=]
         {
             const double own = CalibrateMatrixEfficiency(early, EARLY_2021);
             return CompareRuns(early, PredictRuns(early, {EARLY_2021, own}));
         }},
        {"memory", "2205.05198 figure 1, closed forms", 1e-7, 1e-7, CompareMemory},
        {"parameters", "parameters of 15 models", 0.1, 0.1, CompareParameters},
        {"rail-only-7",
         "2307.12169v1 figure 7",
         2,
         2,
         []
         {
             return CompareFigure(7);
         }},
        {"rail-only-8",
         "2307.12169v1 figure 8, rail-only",
         1.2,
         1.2,
         []
         {
             return CompareFigure(8);
         }},
        {"network-parts", "2307.12169 switches, transceivers", 0, 0, CompareNetworkParts},
        {"network-savings", "2307.12169 savings, points", 1, 1, CompareNetworkSavings},
        {"two-cs", "2302.02825 first-order shares, points", 0.51, 0.51, CompareTwoCsFirstOrder},
        {"bubbles", "bubbles of 1F1B and interleaved", 0.1, 0.1, CompareBubbles}};
    claims.insert(claims.end(), others.begin(), others.end());
    return claims;
}

/** @param claim whose @param rows they @param csv gets a line for each */
void
WriteRows(const Claim& claim, const std::vector<ValidationRow>& rows, std::ostream& csv)
{
    for (const ValidationRow& row : rows)
    {
        csv << claim.name << ",\"" << row.what << "\"," << std::setprecision(10) << row.published
            << ',' << row.computed << ",\"" << row.unit << "\"," << row.GetErrorPercent() << '\n';
    }
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramOptions parser("validate", "What the module predicts beside what was published.");
    parser.Add("only", "only claims whose names contain this", options.only);
    parser.Add("simulate", "also simulate training runs, some minutes", options.simulate);
    options.runs.Add(parser, "only the tables");
    parser.Parse(argc, argv);
    options.manifest.SetCommand(argc, argv);
    TextTable table({"claim", "rows", "mean %", "largest %", "bias %", "allowed", "holds"});
    std::ostringstream csv;
    csv << "claim,what,published,computed,unit,error_percent\n";
    bool holds = true;
    for (const Claim& claim : MakeClaims(options))
    {
        if (claim.name.find(options.only) == std::string::npos)
        {
            continue;
        }
        const std::vector<ValidationRow> rows = claim.rows();
        std::cout << claim.what << " (" << claim.name << ")\n";
        WriteValidationRows(std::cout, rows);
        WriteRows(claim, rows, csv);
        const Errors errors = Summarize(rows);
        const bool within = !rows.empty() && errors.mean <= claim.meanPercent &&
                            errors.largest <= claim.largestPercent;
        holds = holds && within;
        std::ostringstream allowed;
        allowed << claim.meanPercent << " / " << claim.largestPercent;
        table.AddRow({claim.what,
                      std::to_string(rows.size()),
                      FormatNumber(errors.mean, 2),
                      FormatNumber(errors.largest, 2),
                      FormatNumber(errors.bias, 2),
                      allowed.str(),
                      within ? "yes" : "NO"});
    }
    if (table.IsEmpty())
    {
        RefuseInput("--only = '" + options.only + "' is in no claim's name");
    }
    std::cout << "\n";
    table.Print(std::cout, 0);
    if (!options.runs.summary)
    {
        const ReportFolder folder(options.runs.output);
        folder.Prepare();
        folder.Write("validate.csv", csv.str());
        std::cout << "All rows: " << options.runs.output << "/validate.csv\n";
    }
    return holds ? EXIT_DONE : EXIT_UNFINISHED;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    UseFrameEngine();
    try
    {
        return Run(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << "\n";
        return EXIT_REFUSED;
    }
}
