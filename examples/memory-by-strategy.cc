// SPDX-License-Identifier: GPL-2.0-only

// Memory of an accelerator by strategy: what parameters, gradients, optimizer, activations and buffers
// take on the fullest stage, for a ladder of ways to divide a model.
//
//   ./llm-fabric run memory-by-strategy
//   ./llm-fabric run memory-by-strategy -- --model=llama-3.1-405b --accelerator=H100 --accelerators=512
//   ./llm-fabric run memory-by-strategy -- --strategies=tp8-pp8,tp8-pp8-sp,tp8-pp8-sp-selective
//
// A strategy is named by its words: tpN, ppN, cpN, epN, zeroN, chunksN, microBatchSizeN, sp, selective,
// full; DP takes the accelerators that are left. It prints a table in GiB and says what fits. The folder
// --output gets memory-by-strategy.csv and, with gnuplot, memory-by-strategy.png.

#include "ns3/input-error.h"
#include "ns3/memory-estimate.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/run-outcome.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/workload-settings.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr double GIB = 1 << 30; //!< bytes

/** A strategy and what it needs. */
struct Row
{
    std::string name;      //!< as the user gives it
    MemoryEstimate memory; //!< of the stage that needs most
    std::string refusal;   //!< why it cannot be, or ""
};

/** @param settings of the program @param name of a strategy @return what it needs */
Row
Estimate(const WorkloadSettings& settings, const std::string& name)
{
    Row row;
    row.name = name;
    WorkloadSettings changed = settings.WithStrategy(name);
    changed.ignoreMemory = true;
    try
    {
        const auto workload =
            Create<TransformerWorkload>(changed.MakeConfig(), settings.accelerators);
        for (uint32_t stage = 0; stage < workload->GetStrategy().pipelineParallel; ++stage)
        {
            const MemoryEstimate memory = workload->GetMemory(stage);
            row.memory = memory.GetTotal() > row.memory.GetTotal() ? memory : row.memory;
        }
    }
    catch (const InputError& error)
    {
        row.refusal = error.what();
    }
    return row;
}

/** @param memory an estimate @return its parts, GiB */
std::vector<double>
GetParts(const MemoryEstimate& memory)
{
    std::vector<double> parts;
    for (const uint64_t bytes : {memory.parameters,
                                 memory.gradients,
                                 memory.optimizer,
                                 memory.activations,
                                 memory.buffers})
    {
        parts.push_back(static_cast<double>(bytes) / GIB);
    }
    return parts;
}

/** @param rows all @param size of the memory, bytes */
void
PrintTable(const std::vector<Row>& rows, uint64_t size)
{
    TextTable table({"strategy",
                     "parameters",
                     "gradients",
                     "optimizer",
                     "activations",
                     "buffers",
                     "total GiB",
                     "fits"});
    for (const Row& row : rows)
    {
        std::vector<std::string> cells = {row.name};
        for (const double part : GetParts(row.memory))
        {
            cells.push_back(row.refusal.empty() ? FormatNumber(part, 2) : "-");
        }
        const auto total = static_cast<double>(row.memory.GetTotal());
        cells.push_back(row.refusal.empty() ? FormatNumber(total / GIB, 2) : "-");
        cells.push_back(!row.refusal.empty()            ? "refused"
                        : row.memory.GetTotal() <= size ? "yes"
                                                        : "no");
        table.AddRow(cells);
    }
    table.Print(std::cout, 0);
    for (const Row& row : rows)
    {
        if (!row.refusal.empty())
        {
            std::cout << row.name << ": " << row.refusal << "\n";
        }
    }
}

/** @param rows all @return them as CSV */
std::string
MakeCsv(const std::vector<Row>& rows)
{
    std::ostringstream csv;
    csv << "strategy,parameters_bytes,gradients_bytes,optimizer_bytes,activations_bytes,"
           "buffers_bytes,total_bytes\n";
    for (const Row& row : rows)
    {
        if (row.refusal.empty())
        {
            const MemoryEstimate& memory = row.memory;
            csv << row.name << ',' << memory.parameters << ',' << memory.gradients << ','
                << memory.optimizer << ',' << memory.activations << ',' << memory.buffers << ','
                << memory.GetTotal() << '\n';
        }
    }
    return csv.str();
}

/** @param rows all @param title of the picture @param size of the memory @return for gnuplot */
std::string
MakeScript(const std::vector<Row>& rows, const std::string& title, uint64_t size)
{
    const double limit = static_cast<double>(size) / GIB;
    std::ostringstream script;
    script << "$data << EOD\n";
    for (const Row& row : rows)
    {
        if (row.refusal.empty())
        {
            script << '"' << row.name << '"';
            for (const double part : GetParts(row.memory))
            {
                script << ' ' << part;
            }
            script << '\n';
        }
    }
    script << "EOD\n";
    uint32_t bar = 0;
    for (const Row& row : rows)
    {
        if (row.refusal.empty())
        {
            // bars that the picture cuts off carry their sum too
            const double total = static_cast<double>(row.memory.GetTotal()) / GIB;
            script << "set label '" << FormatNumber(total, 0) << "' at " << bar++ << ','
                   << std::min(total, 1.9 * limit)
                   << " center offset 0,0.6 font ',9' boxed front\n";
        }
    }
    script << "set style textbox opaque margins 0.5,0.5 fillcolor rgb 'white' noborder\n"
           << "set title '" << title << "' noenhanced\n"
           << "set ylabel 'memory of an accelerator [GiB]'\n"
           << "set yrange [0:" << 2 * limit << "]\n"
           << "set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9\n"
           << "set boxwidth 0.7\nset xtics rotate by -35 noenhanced\nset key outside right reverse "
              "Left\n"
           << "set grid ytics\n"
           << "plot $data using 2:xtic(1) title 'parameters' lc rgb '#332288', "
              "'' using 3 title 'gradients' lc rgb '#88ccee', "
              "'' using 4 title 'optimizer' lc rgb '#44aa99', "
              "'' using 5 title 'activations' lc rgb '#ddcc77', "
              "'' using 6 title 'buffers' lc rgb '#cc6677', "
           << limit << " with lines lw 2 dt (6,3) lc rgb 'black' title 'memory'\n";
    return script.str();
}

int
Run(int argc, char* argv[])
{
    WorkloadSettings settings;
    settings.model = "gpt3-175b";
    settings.accelerator = "A100-SXM-80GB";
    settings.tp = 1;
    settings.microBatches = 16;
    settings.sequenceLength = 2048;
    std::string strategies =
        "tp1,zero1,zero2,zero3,tp8,tp8-sp,tp8-pp8,tp8-pp8-sp,tp8-pp8-sp-selective,"
        "tp8-pp8-sp-selective-chunks3,tp8-pp8-sp-full,tp8-pp4-sp-selective-zero1,tp8-zero3-full";
    std::string output = "memory-by-strategy-report";
    ProgramOptions parser("memory-by-strategy", "Memory of an accelerator by strategy.");
    settings.Add(parser);
    parser.Add("strategies", "which, separated by commas, e.g. tp8-pp8-sp-selective", strategies);
    parser.Add("output", "folder for the results", output);
    parser.Parse(argc, argv);

    std::vector<std::string> names;
    boost::algorithm::split(names, strategies, boost::algorithm::is_any_of(","));
    std::vector<Row> rows;
    for (const std::string& name : names)
    {
        rows.push_back(Estimate(settings, name));
    }
    const uint64_t size = Accelerator::FromName(settings.accelerator).memoryBytes;
    PrintTable(rows, size);
    const ReportFolder folder(output);
    folder.Prepare();
    folder.Write("memory-by-strategy.csv", MakeCsv(rows));
    const std::string title = settings.model + " on " + std::to_string(settings.accelerators) +
                              " " + settings.accelerator;
    folder.Plot("memory-by-strategy", MakeScript(rows, title, size));
    std::cout << "Results: " << output << "\n";
    return EXIT_DONE;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
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
