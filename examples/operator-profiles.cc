// SPDX-License-Identifier: GPL-2.0-only

// The profiles from which ProjectedCostModel projects: their fitted curves of efficiency, and residuals.
//
//   ./llm-fabric run operator-profiles                       (all of data/profiles)
//   ./llm-fabric run operator-profiles -- --profiles=a100-sxm-80gb,mine.json
//
// For each operator and precision of a profile it prints the curve launch + operations / rate + bytes /
// memory rate that fits its entries, then each entry beside the curve. The size of half the rate is
// launch x rate: a product of so many operations runs at half the speed, memory aside. A curve of one
// entry has no residual, and one of two has none either: they say nothing of how well they predict.
//
// The folder --output gets entries.csv, curves.csv, manifest.json and, with gnuplot, efficiency.png: the
// rate of each measured product over the peak of its accelerator, and the curves for square products.

#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/projected-cost-model.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"

#include <algorithm>
#include <cmath>
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
    std::string profiles = "all";
    std::string output = "operator-profiles";
    bool summary = false;
};

/** An operator of a profile with its curve. */
struct FittedOperator
{
    std::string device;
    ProjectedCostModel::Group group;
    double peak = 0; //!< of the matrix units at its precision, FLOP/s; 0: unknown

    std::string GetName() const
    {
        const bool matrix = group.kind == ModelOperator::MATRIX;
        return group.name +
               (matrix ? ", " + std::to_string(8 * group.precisionBytes) + " bit" : "");
    }

    /** Curve over measured time, less 1. */
    double GetResidual(const OperatorProfileEntry& entry) const
    {
        return group.curve.GetSeconds(entry.GetSize()) / entry.seconds - 1;
    }

    double GetRms() const
    {
        double sum = 0;
        for (const auto& entry : group.entries)
        {
            sum += std::pow(GetResidual(entry), 2);
        }
        return std::sqrt(sum / static_cast<double>(group.entries.size()));
    }

    double GetLargest() const
    {
        double largest = 0;
        for (const auto& entry : group.entries)
        {
            largest = std::max(largest, std::abs(GetResidual(entry)));
        }
        return largest;
    }

    bool IsDrawn() const
    {
        return group.kind == ModelOperator::MATRIX && peak > 0 && group.entries.size() > 2;
    }
};

std::vector<std::string>
GetProfileNames(const Options& options)
{
    if (options.profiles == "all")
    {
        return OperatorProfile::GetBuiltInNames();
    }
    std::vector<std::string> names;
    std::istringstream list(options.profiles);
    for (std::string name; std::getline(list, name, ',');)
    {
        names.push_back(name);
    }
    return names;
}

std::vector<FittedOperator>
FitAll(const std::vector<std::string>& names)
{
    std::vector<FittedOperator> result;
    for (const auto& name : names)
    {
        const OperatorProfile profile = OperatorProfile::Load(name);
        const auto model = CreateObject<ProjectedCostModel>();
        model->SetProfile(profile);
        const Accelerator accelerator = profile.accelerator.empty()
                                            ? Accelerator()
                                            : Accelerator::FromName(profile.accelerator);
        for (const auto& group : model->GetGroups())
        {
            if (!group.name.empty())
            {
                const double peak = group.precisionBytes == 2   ? accelerator.matrixFlopsPerSecond
                                    : group.precisionBytes == 1 ? accelerator.matrixFlopsPerSecond8
                                                                : 0;
                result.push_back({profile.device, group, peak});
            }
        }
    }
    return result;
}

/** A number, or a dash for none. */
std::string
FormatIf(bool isKnown, double value, int decimals)
{
    return isKnown ? FormatNumber(value, decimals) : "-";
}

std::string
FormatPercent(double share)
{
    return (share < 0 ? "-" : "+") + FormatNumber(std::abs(100 * share), 1) + " %";
}

void
PrintCurves(const std::vector<FittedOperator>& operators)
{
    TextTable table({"device, operator",
                     "entries",
                     "rate [Tflop/s]",
                     "of the peak",
                     "launch [us]",
                     "half rate at [Gflop]",
                     "memory [GB/s]",
                     "rms residual",
                     "largest"});
    for (const auto& item : operators)
    {
        const OperatorTimeCurve& curve = item.group.curve;
        const bool matrix = curve.secondsPerFlop > 0;
        const double rate = matrix ? 1 / curve.secondsPerFlop : 0;
        const bool several = CountSizes(item.group.entries) > 2;
        table.AddRow(
            {item.device + ", " + item.GetName(),
             std::to_string(item.group.entries.size()),
             FormatIf(matrix, rate / 1e12, rate < 1e13 ? 3 : 1),
             item.peak > 0 ? FormatNumber(100 * rate / item.peak, 0) + " %" : "-",
             FormatNumber(curve.launchSeconds * 1e6, 2),
             FormatIf(matrix && curve.launchSeconds > 0, curve.launchSeconds * rate / 1e9, 2),
             FormatIf(curve.secondsPerByte > 0, 1e-9 / curve.secondsPerByte, 0),
             several ? FormatNumber(100 * item.GetRms(), 1) + " %" : "-",
             several ? FormatNumber(100 * item.GetLargest(), 1) + " %" : "-"});
    }
    table.Print(std::cout, 0);
}

void
PrintEntries(const std::vector<FittedOperator>& operators)
{
    TextTable table({"device, operator", "shape", "measured [us]", "curve [us]", "residual"});
    for (const auto& item : operators)
    {
        for (const auto& entry : item.group.entries)
        {
            std::ostringstream shape;
            if (entry.kind == ModelOperator::MATRIX)
            {
                shape << entry.batch << " x " << entry.m << " x " << entry.n << " x " << entry.k;
            }
            else
            {
                shape << entry.bytes / 1e6 << " MB";
            }
            table.AddRow({item.device + ", " + item.GetName(),
                          shape.str(),
                          FormatNumber(entry.seconds * 1e6, 2),
                          FormatNumber(item.group.curve.GetSeconds(entry.GetSize()) * 1e6, 2),
                          FormatPercent(item.GetResidual(entry))});
        }
    }
    std::cout << "\nEntries beside their curve (batch x m x n x k):\n";
    table.Print(std::cout, 0);
}

void
WriteTables(const ReportFolder& folder, const std::vector<FittedOperator>& operators)
{
    std::ostringstream curves;
    std::ostringstream entries;
    curves << "device,operator,operand_bytes,entries,launch_s,flop_per_s,bytes_per_s,"
              "rms_residual,largest_residual\n";
    entries
        << "device,operator,operand_bytes,batch,m,n,k,bytes,measured_s,curve_s,residual,source\n";
    for (const auto& item : operators)
    {
        const OperatorTimeCurve& curve = item.group.curve;
        const std::string begin = "\"" + item.device + "\"," + item.group.name + ",";
        curves << begin << item.group.precisionBytes << ',' << item.group.entries.size() << ','
               << curve.launchSeconds << ','
               << (curve.secondsPerFlop > 0 ? 1 / curve.secondsPerFlop : 0) << ','
               << (curve.secondsPerByte > 0 ? 1 / curve.secondsPerByte : 0) << ',' << item.GetRms()
               << ',' << item.GetLargest() << '\n';
        for (const auto& entry : item.group.entries)
        {
            entries << begin << item.group.precisionBytes << ',' << entry.batch << ',' << entry.m
                    << ',' << entry.n << ',' << entry.k << ',' << entry.GetSize().bytes << ','
                    << entry.seconds << ',' << curve.GetSeconds(entry.GetSize()) << ','
                    << item.GetResidual(entry) << ",\"" << entry.source << "\"\n";
        }
    }
    folder.Write("curves.csv", curves.str());
    folder.Write("entries.csv", entries.str());
}

bool
Draw(const ReportFolder& folder, const std::vector<FittedOperator>& operators)
{
    std::ostringstream script;
    script << "set title \"Matrix products over size: measured, and the fitted curve of square "
              "ones\"\n"
           << "set logscale x\nset format x \"10^{%L}\"\nset xlabel \"operations [flop]\"\n"
           << "set ylabel \"rate over the dense peak [%]\"\nset yrange [0:100]\nset grid\n"
           << "set key bottom right noenhanced\n";
    std::string plots;
    int color = 0;
    for (const auto& item : operators)
    {
        if (!item.IsDrawn())
        {
            continue;
        }
        const std::string data = "$data" + std::to_string(++color);
        script << data << " << EOD\n";
        double least = INFINITY;
        double most = 0;
        for (const auto& entry : item.group.entries)
        {
            const double flops = entry.GetSize().flops;
            least = std::min(least, flops / 2);
            most = std::max(most, flops * 2);
            script << flops << ' ' << 100 * flops / entry.seconds / item.peak << '\n';
        }
        script << "\n\n";
        for (double flops = least; flops <= most; flops *= 1.3)
        {
            const auto edge = static_cast<uint64_t>(std::cbrt(flops / 2));
            const auto size =
                OperatorSize::OfProduct(1, edge, edge, edge, item.group.precisionBytes);
            script << size.flops << ' '
                   << 100 * size.flops / item.group.curve.GetSeconds(size) / item.peak << '\n';
        }
        script << "EOD\n";
        const std::string style = " lc " + std::to_string(color);
        plots += (plots.empty() ? "plot " : ", ") + data + " index 0 with points pt " +
                 std::to_string(4 + color) + style + " ps 1.3 title \"" + item.device + ", " +
                 item.GetName() + "\", " + data + " index 1 with lines lw 2" + style + " notitle";
    }
    return !plots.empty() && folder.Plot("efficiency", script.str() + plots + "\n");
}

int
ShowProfiles(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("operator-profiles", "Fits of measured operators, with residuals.");
    program.Add("profiles", "names of data/profiles or paths, with commas; all", options.profiles);
    program.Add("output", "folder for the results", options.output);
    program.Add("summary", "print the curves and keep no files", options.summary);
    program.Parse(argc, argv);
    const auto operators = FitAll(GetProfileNames(options));
    PrintCurves(operators);
    if (options.summary)
    {
        return EXIT_DONE;
    }
    PrintEntries(operators);
    const ReportFolder folder(options.output);
    folder.Prepare();
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    folder.Write("manifest.json", manifest.ToJson());
    WriteTables(folder, operators);
    const bool drawn = Draw(folder, operators);
    std::cout << "results in " << options.output << (drawn ? "" : ", without a picture") << "\n";
    return EXIT_DONE;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    try
    {
        return ShowProfiles(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return EXIT_REFUSED;
    }
}
