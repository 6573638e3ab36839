// SPDX-License-Identifier: GPL-2.0-only

// Computation against communication of a transformer layer, over the grid of 196 layers of Tale of Two Cs
// (arXiv 2302.02825) and where compute has grown 1, 2 and 4 times more than network bandwidth.
//
//   ./llm-fabric run two-cs-comp-vs-comm
//   ./llm-fabric run two-cs-comp-vs-comm -- --batch=4 --memory=fixed
//   ./llm-fabric run two-cs-comp-vs-comm -- --accelerator=H100 --ns3::llm::RooflineCostModel::LaunchOverhead=4us
//
// All operators of a layer come from the workload and their times from a cost model; tensor-parallel
// all-reduces are in the way of everything, and the all-reduce of gradients among many replicas is hidden by
// backward compute as far as that lasts. Rings run at the accelerator's scale-up rate. As the paper's projection
// has no constant, the roofline has no launch overhead here, and 0.6 of the matrix units' peak. The first-order
// form, matrix products alone, stands beside. The folder --output gets two-cs-comp-vs-comm.csv and, with
// gnuplot, .png.

#include "ns3/class-list.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/operator-cost-model.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/two-cs-estimate.h"
#include "ns3/two-cs-validation.h"

#include <algorithm>
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
    std::string accelerator = "MI210";
    std::string costModel = "RooflineCostModel";
    std::string memory = "with-compute";
    uint32_t batch = 1;
    std::string output = "two-cs-comp-vs-comm";
    bool summary = false;
};

const std::vector<uint32_t> FACTORS{1, 2, 4};

/** A layer at a factor. */
struct Row
{
    TwoCsShape shape;
    uint32_t factor;
    TwoCsTimes times;      // all operators
    TwoCsTimes firstOrder; // matrix products alone
};

std::vector<Row>
EstimateGrid(const Options& options)
{
    const std::vector<TypeId> models =
        ParseClasses("costModel", options.costModel, OperatorCostModel::GetTypeId());
    if (models.size() != 1)
    {
        RefuseInput("--costModel=" + options.costModel + " names " + std::to_string(models.size()) +
                    " cost models; one is allowed");
    }
    ObjectFactory factory;
    factory.SetTypeId(models.front());
    const auto model = factory.Create<OperatorCostModel>();
    const Accelerator today = Accelerator::FromName(options.accelerator);
    std::vector<Row> rows;
    for (const uint32_t factor : FACTORS)
    {
        const double memoryFactor = options.memory == "fixed" ? 1 : factor;
        const Accelerator accelerator = today.Scaled(factor, memoryFactor, 1);
        const TwoCsMachine machine = TwoCsMachine::Make(accelerator, TWO_CS_EFFICIENCY);
        for (const TwoCsShape& shape : TwoCsShape::MakeGrid(options.batch))
        {
            rows.push_back({shape,
                            factor,
                            EstimateTwoCs(shape, *model, accelerator, 0),
                            EstimateTwoCs(shape, machine)});
        }
    }
    return rows;
}

std::string
MakeCsv(const std::vector<Row>& rows)
{
    std::ostringstream csv;
    csv << "hidden,sequence_length,batch,tensor_parallel,compute_factor,edge_flops_per_byte,"
           "slack_flops_per_byte,compute_us,serialized_us,overlapped_us,exposed_us,total_us,"
           "serialized_percent,overlapped_percent,first_order_serialized_percent,"
           "first_order_overlapped_percent\n";
    for (const Row& row : rows)
    {
        csv << row.shape.hidden << ',' << row.shape.sequenceLength << ',' << row.shape.batch << ','
            << row.shape.tensorParallel << ',' << row.factor;
        for (const double value : {row.shape.GetEdge(),
                                   row.shape.GetSlack(),
                                   1e6 * row.times.GetComputeSeconds(),
                                   1e6 * row.times.serializedSeconds,
                                   1e6 * row.times.GetOverlappedSeconds(),
                                   1e6 * row.times.GetExposedSeconds(),
                                   1e6 * row.times.GetTotalSeconds(),
                                   row.times.GetSerializedPercent(),
                                   row.times.GetOverlappedPercent(),
                                   row.firstOrder.GetSerializedPercent(),
                                   row.firstOrder.GetOverlappedPercent()})
        {
            csv << ',' << FormatNumber(value, 3);
        }
        csv << '\n';
    }
    return csv.str();
}

/** Least, median and largest of a share, in words. */
std::string
DescribeSpread(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return FormatNumber(values.front(), 0) + " / " + FormatNumber(values[values.size() / 2], 0) +
           " / " + FormatNumber(values.back(), 0);
}

/** Put the shares beside the ranges that the paper gives for its own choice of models. */
void
PrintRanges(std::ostream& out, const std::vector<Row>& rows)
{
    TextTable table({"share of all 196 layers, least / median / most",
                     "paper, recalled %",
                     "all operators %",
                     "layers within",
                     "first order %"});
    for (const TwoCsRange& range : ReadTwoCsRanges())
    {
        std::vector<double> all;
        std::vector<double> first;
        for (const Row& row : rows)
        {
            if (row.factor == range.computeFactor)
            {
                const bool isSerialized = range.share == "serialized";
                all.push_back(isSerialized ? row.times.GetSerializedPercent()
                                           : row.times.GetOverlappedPercent());
                first.push_back(isSerialized ? row.firstOrder.GetSerializedPercent()
                                             : row.firstOrder.GetOverlappedPercent());
            }
        }
        const auto within =
            std::count_if(all.begin(),
                          all.end(),
                          [&range](double share)
                          { return share >= range.lowPercent && share <= range.highPercent; });
        table.AddRow(
            {range.share + ", " + FormatNumber(range.computeFactor, 0) + "x compute",
             FormatNumber(range.lowPercent, 0) + " to " + FormatNumber(range.highPercent, 0),
             DescribeSpread(all),
             std::to_string(within),
             DescribeSpread(first)});
    }
    table.Print(out);
}

/** What the bars are stacked of, from below. */
struct Part
{
    std::string name;
    std::string color;
};

const std::vector<Part> PARTS{{"compute alone", "#4477aa"},
                              {"compute, DP all-reduce under it", "#88ccee"},
                              {"serialized TP all-reduces", "#cc3311"},
                              {"exposed DP all-reduce", "#ee7733"}};

/** A panel: bars of a sequence length at a factor, in groups by hidden size, TP growing in each. */
void
WriteBars(std::ostream& out, const std::vector<Row>& rows, uint64_t length, uint32_t factor)
{
    out << "$data << EOD\n";
    double place = 0;
    uint64_t hidden = 0;
    for (const Row& row : rows)
    {
        if (row.shape.sequenceLength != length || row.factor != factor)
        {
            continue;
        }
        place += row.shape.hidden != hidden && hidden != 0 ? 2.5 : 1;
        hidden = row.shape.hidden;
        const double whole = row.times.GetTotalSeconds() / 100;
        const double overlapped = row.times.GetOverlappedSeconds() / whole;
        const double compute = row.times.GetComputeSeconds() / whole;
        const double serialized = row.times.serializedSeconds / whole;
        out << FormatNumber(place, 1);
        for (const double top : {compute - overlapped, compute, compute + serialized, 100.0})
        {
            out << ' ' << FormatNumber(top, 3);
        }
        out << '\n';
    }
    out << "EOD\nplot ";
    for (std::size_t i = PARTS.size(); i-- > 0;)
    {
        out << "$data using 1:" << i + 2 << " with boxes lc rgb '" << PARTS[i].color << "' notitle"
            << (i > 0 ? ", " : "\n");
    }
}

std::string
MakeScript(const Options& options, const std::vector<Row>& rows)
{
    std::ostringstream out;
    out << "set output\nset terminal pngcairo size 1800,980 font 'sans,12'\n"
        << "set output 'two-cs-comp-vs-comm.png'\n"
        << "set border 3\nset tics nomirror out\nset grid ytics front lt 1 lw 1 lc rgb '#ffffff'\n"
        << "set style fill solid 1 noborder\nset boxwidth 1\n"
        << "set multiplot layout 3,4 margins screen 0.045,0.99,0.1,0.86 spacing screen 0.014,0.045 "
        << "title 'Time of a transformer layer on " << options.accelerator
        << ", both passes, batch " << options.batch << ", memory bandwidth "
        << (options.memory == "fixed" ? "as today" : "grows with compute")
        << "' font ',16' noenhanced\n"
        << "set label 1 'hidden size; in each group TP = 4, 8, 16, 32, 64, 128, 256 from left to "
           "right' at screen 0.52,0.025 center\n"
        << "set xrange [0:60.5]\nset yrange [0:100]\nset ytics 0,25\nset xtics scale 0 (";
    const std::vector<std::string> names{"1K", "2K", "4K", "8K", "16K", "32K", "64K"};
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        out << (i == 0 ? "" : ", ") << '\'' << names[i] << "' " << 4 + 8.5 * static_cast<double>(i);
    }
    out << ")\n";
    for (std::size_t i = 0; i < PARTS.size(); ++i)
    {
        out << "set label " << i + 2 << " '" << PARTS[i].name << "' at screen "
            << 0.13 + 0.2 * static_cast<double>(i)
            << ",0.93 left offset 1.5,0 point pt 5 ps 2.2 lc rgb '" << PARTS[i].color << "'\n";
    }
    for (const uint32_t factor : FACTORS)
    {
        for (uint64_t length = 1024; length <= 8192; length *= 2)
        {
            out << (factor == 1 ? "set title 'sequence length " + FormatCount(length) + "'\n"
                                : "unset title\n");
            out << (length == 1024 ? "set format y '%g'\nset ylabel 'compute " +
                                         std::to_string(factor) + "x: share of time [%]'\n"
                                   : "set format y ''\nunset ylabel\n");
            WriteBars(out, rows, length, factor);
            out << "unset label\n";
        }
    }
    out << "unset multiplot\n";
    return out.str();
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("two-cs-comp-vs-comm", "Compute against communication of a layer.");
    program.Add("accelerator", "a name of data/accelerators.csv", options.accelerator);
    program.Add("costModel", "what an operator costs", options.costModel);
    program.Add("memory",
                "memory bandwidth grows as compute does, or stays",
                options.memory,
                {"with-compute", "fixed"});
    program.Add("batch", "sequences; the paper has 1 and 4", options.batch, 1, 1024);
    program.Add("output", "folder for the results", options.output);
    program.Add("summary", "print the comparison alone, keep no files", options.summary);
    program.Parse(argc, argv);
    const std::vector<Row> rows = EstimateGrid(options);
    WriteValidationRows(std::cout, CompareTwoCsFirstOrder());
    std::cout << '\n';
    PrintRanges(std::cout, rows);
    if (!options.summary)
    {
        const ReportFolder folder(options.output);
        folder.Prepare();
        folder.Write("two-cs-comp-vs-comm.csv", MakeCsv(rows));
        const bool isDrawn = folder.Plot("two-cs-comp-vs-comm", MakeScript(options, rows));
        std::cout << "\nresults" << (isDrawn ? " and a picture" : "") << " in " << options.output
                  << std::endl;
    }
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    Config::SetDefault("ns3::llm::RooflineCostModel::MatrixEfficiency",
                       DoubleValue(TWO_CS_EFFICIENCY));
    Config::SetDefault("ns3::llm::RooflineCostModel::LaunchOverhead", TimeValue(Time(0)));
    try
    {
        return Run(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
