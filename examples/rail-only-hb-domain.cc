// SPDX-License-Identifier: GPL-2.0-only

// How long an iteration takes by the size of the HB domain, by the closed form of the rail-only paper
// (arXiv 2307.12169v1), beside the points of its figures 7 and 8 and the ideal of one domain.
//
//   ./llm-fabric run rail-only-hb-domain
//   ./llm-fabric run rail-only-hb-domain -- --nicRate=800Gbps --domainRate=7200Gbps --tflops=2250
//
// Bandwidth alone counts: no latency, overlap, pipeline, efficiency or limit of memory. Other rates move the
// lines and leave the points. The folder --output gets rail-only-hb-domain.csv and, with gnuplot, .png.

#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/rail-only-validation.h"
#include "ns3/report-folder.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    DataRate domainRate = DataRate("7680Gbps");
    DataRate nicRate = DataRate("400Gbps");
    uint32_t tflops = 989;
    std::string output = "rail-only-hb-domain";
    bool summary = false;
};

constexpr double SMALLEST_DOMAIN = 8; // K that lines begin with

/** A line of the picture: a model, a batch and a number of accelerators, over K. */
struct Curve
{
    RailOnlyPoint point;                // of any K
    std::map<double, double> published; // seconds by K
};

/** The curves that the paper has points of. */
std::vector<Curve>
ListCurves(const Options& options)
{
    std::vector<Curve> curves;
    for (RailOnlyPoint& point : ReadRailOnlyPoints())
    {
        const auto isSame = [&point](const Curve& curve)
        {
            return curve.point.job.name == point.job.name &&
                   curve.point.job.batchTokens == point.job.batchTokens &&
                   curve.point.machine.accelerators == point.machine.accelerators;
        };
        auto curve = std::find_if(curves.begin(), curves.end(), isSame);
        if (curve == curves.end())
        {
            point.machine.flopsPerSecond = 1e12 * options.tflops;
            point.machine.domainBytesPerSecond =
                static_cast<double>(options.domainRate.GetBitRate()) / 8;
            point.machine.nicBytesPerSecond = static_cast<double>(options.nicRate.GetBitRate()) / 8;
            curve = curves.insert(curves.end(), {point, {}});
        }
        curve->published[point.machine.domainSize] = point.seconds;
    }
    return curves;
}

std::string
MakeCsv(const std::vector<Curve>& curves)
{
    std::ostringstream csv;
    csv << "model,batch_tokens,accelerators,hb_domain,model_parallel,compute_s,model_parallel_s,"
           "data_inside_s,data_across_s,iteration_s,published_s\n";
    for (const Curve& curve : curves)
    {
        RailOnlyMachine machine = curve.point.machine;
        const RailOnlyJob& job = curve.point.job;
        for (machine.domainSize = SMALLEST_DOMAIN; machine.domainSize <= machine.accelerators;
             machine.domainSize *= 2)
        {
            const double group = FindBestModelParallel(job, machine);
            const RailOnlyEstimate estimate = EstimateRailOnly(job, machine, group);
            const auto published = curve.published.find(machine.domainSize);
            csv << job.name << ',' << FormatNumber(job.batchTokens, 0) << ','
                << FormatNumber(machine.accelerators, 0) << ','
                << FormatNumber(machine.domainSize, 0);
            for (const double value : {group,
                                       estimate.computeSeconds,
                                       estimate.modelSeconds,
                                       estimate.insideSeconds,
                                       estimate.acrossSeconds,
                                       estimate.GetSeconds()})
            {
                csv << ',' << FormatNumber(value, 6);
            }
            csv << ','
                << (published == curve.published.end() ? "" : FormatNumber(published->second, 3))
                << '\n';
        }
    }
    return csv.str();
}

/** What a curve is called in its panel. */
std::string
GetTitle(const Curve& curve)
{
    return curve.point.job.name == "PaLM"
               ? FormatNumber(curve.point.job.batchTokens / 1048576, 0) + " Mi tokens"
               : FormatCount(static_cast<uint64_t>(curve.point.machine.accelerators)) +
                     " accelerators";
}

/** One panel: the lines, the points and the ideals of a model. */
void
WritePanel(std::ostream& out, const std::string& model, const std::vector<Curve>& curves)
{
    static const std::vector<std::string> COLORS{"#4477aa", "#cc6677", "#228833"};
    std::ostringstream plot;
    std::string subtitle;
    std::size_t index = 0;
    for (const Curve& curve : curves)
    {
        RailOnlyPoint point = curve.point;
        if (point.job.name != model)
        {
            continue;
        }
        subtitle = model == "PaLM"
                       ? FormatCount(uint64_t(point.machine.accelerators)) + " accelerators"
                       : FormatNumber(point.job.batchTokens / 1e6, 0) + "e6 tokens";
        const std::string name = "$" + model + std::to_string(index);
        const std::string color = " lc rgb '" + COLORS[index % COLORS.size()] + "'";
        out << name << " << EOD\n";
        for (point.machine.domainSize = SMALLEST_DOMAIN;
             point.machine.domainSize <= point.machine.accelerators;
             point.machine.domainSize *= 2)
        {
            const auto published = curve.published.find(point.machine.domainSize);
            out << FormatNumber(point.machine.domainSize, 0) << ' '
                << FormatNumber(point.GetComputedSeconds(), 6) << ' '
                << (published == curve.published.end() ? "NaN" : FormatNumber(published->second, 3))
                << '\n';
        }
        out << "EOD\n";
        point.machine.domainSize = point.machine.accelerators;
        plot << (index == 0 ? "plot " : ", ") << name << " using 1:2 with lines lw 2.5" << color
             << " title '" << GetTitle(curve) << "', " << name
             << " using 1:3 with points pt 7 ps 1.3" << color << " notitle, "
             << FormatNumber(point.GetComputedSeconds(), 6) << " with lines lw 1.5 dt (6,4)"
             << color << " notitle";
        ++index;
    }
    out << "set title '" << model << ", " << subtitle << "'\n" << plot.str() << '\n';
}

std::string
MakeScript(const Options& options, const std::vector<Curve>& curves)
{
    double least = std::numeric_limits<double>::max();
    double most = 0;
    for (const Curve& curve : curves)
    {
        RailOnlyPoint point = curve.point;
        point.machine.domainSize = SMALLEST_DOMAIN;
        most = std::max(most, point.GetComputedSeconds());
        point.machine.domainSize = point.machine.accelerators;
        least = std::min(least, point.GetComputedSeconds());
    }
    std::ostringstream out;
    out << "set output\nset terminal pngcairo size 1500,560 font 'sans,12'\n"
        << "set output 'rail-only-hb-domain.png'\n"
        << "set grid back lt 1 lw 1 lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
        << "set multiplot layout 1,3 margins screen 0.05,0.985,0.19,0.82 spacing screen 0.055 "
        << "title 'Rail-only: iteration time by size of the HB domain (" << options.tflops
        << " Tflop/s, " << options.domainRate.GetBitRate() / 8000000000 << " GB/s in a domain, "
        << options.nicRate.GetBitRate() / 8000000000 << " GB/s by NIC)' font ',14'\n"
        << "set label 1 'lines: closed form; dots: read off figures 7 and 8 of arXiv 2307.12169v1; "
        << "dashes: ideal, all accelerators in one domain' at screen 0.5,0.035 center\n"
        << "set logscale x 2\nset logscale y\nset xrange [8:65536]\n"
        << "set xtics ('8' 8, '32' 32, '128' 128, '512' 512, '2Ki' 2048, '8Ki' 8192, "
        << "'32Ki' 32768)\nset ytics (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20)\n"
        << "set yrange [" << FormatNumber(0.8 * least, 6) << ":" << FormatNumber(1.2 * most, 6)
        << "]\nset xlabel 'HB domain, K [accelerators]'\nset ylabel 'iteration [s]' offset 1\n"
        << "set key top right Left reverse samplen 2\n";
    for (const std::string& model : RailOnlyJob::GetNames())
    {
        WritePanel(out, model, curves);
        out << "unset label 1\nunset ylabel\n";
    }
    out << "unset multiplot\n";
    return out.str();
}

/** Say how far the closed form is from the paper. */
void
PrintComparison(std::ostream& out)
{
    std::map<std::string, std::pair<double, uint32_t>> worst;
    const std::vector<RailOnlyPoint> points = ReadRailOnlyPoints();
    const std::vector<ValidationRow> rows = CompareRailOnlyTimes();
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        auto& [error, count] = worst["figure " + std::to_string(points[i].figure) + ", " +
                                     points[i].job.name + (points[i].IsIdeal() ? ", ideal" : "")];
        error = std::max(error, std::abs(rows[i].GetErrorPercent()));
        ++count;
    }
    TextTable table({"iteration time against", "points", "largest error %"});
    for (const auto& [name, found] : worst)
    {
        table.AddRow({name, std::to_string(found.second), FormatNumber(found.first, 2)});
    }
    out << "With the constants that the paper's figures imply:\n";
    table.Print(out);
    out << '\n';
    WriteValidationRows(out, CompareRailOnlyLargerDomains());
    out << "\nBytes at the power of two that is nearest to the best model-parallel group:\n";
    WriteValidationRows(out, CompareRailOnlyShares());
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        Options options;
        ProgramOptions program("rail-only-hb-domain", "Iteration time by size of the HB domain.");
        program.Add("domainRate", "of an accelerator into its HB domain", options.domainRate);
        program.Add("nicRate", "of an accelerator's NIC", options.nicRate);
        program.Add("tflops", "of an accelerator, Tflop/s", options.tflops, 1);
        program.Add("output", "folder for the results", options.output);
        program.Add("summary", "print the comparison alone, keep no files", options.summary);
        program.Parse(argc, argv);
        PrintComparison(std::cout);
        if (!options.summary)
        {
            const std::vector<Curve> curves = ListCurves(options);
            const ReportFolder folder(options.output);
            folder.Prepare();
            folder.Write("rail-only-hb-domain.csv", MakeCsv(curves));
            const bool isDrawn = folder.Plot("rail-only-hb-domain", MakeScript(options, curves));
            std::cout << "\nresults" << (isDrawn ? " and a picture" : "") << " in "
                      << options.output << std::endl;
        }
        return 0;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
