// SPDX-License-Identifier: GPL-2.0-only

// The fastest ways to divide a model among accelerators: all that model, batch and memory allow, ranked
// by the closed-form time of an iteration, and the best of them simulated at packet level.
//
//   ./llm-fabric run strategy-search
//   ./llm-fabric run strategy-search -- --model=llama-3.1-70b --accelerators=128 --globalBatch=512
//   ./llm-fabric run strategy-search -- --model=mixtral-8x7b --best=5 --fabric=rail-only
//
// The closed form replays the schedule with rings of the accelerator's scale-up rate inside of HB domains
// and of the NIC's rate between them; the simulation carries the same job over the fabric. The folder
// --output gets strategy-search.csv with all candidates, simulated.csv, and, with gnuplot,
// strategy-search.png: time over memory, the best ones by their place in the table.

#include "ns3/strategy-search.h"
#include "ns3/class-list.h"
#include "ns3/cluster.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/iteration-time.h"
#include "ns3/measured-runs.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/ring-communication-cost.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/training-helper.h"
#include "ns3/training-report.h"

#include "ns3/data-rate.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr double GIB = 1 << 30;     //!< bytes
constexpr std::size_t SHOWN = 20;   //!< candidates in the printed table
constexpr double SLOWEST_SHOWN = 4; //!< in the picture, as a multiple of the fastest

struct Options
{
    std::string model = "llama-3.1-8b";
    std::string accelerator = "H100-SXM";
    std::string fabric = "rail-optimized";
    uint32_t accelerators = 32;
    uint32_t domainSize = 8;
    uint32_t globalBatch = 64;
    uint32_t sequenceLength = 4096;
    uint32_t best = 3;
    MeasuredRuns::Options runs{"strategy-search-report"};
};

Options
ParseOptions(int argc, char* argv[])
{
    Options options;
    ProgramOptions parser("strategy-search", "The fastest ways to divide a model.");
    parser.Add("model", "built-in name, or path of a Hugging Face config.json", options.model);
    parser.Add("accelerator", "name in data/accelerators.csv", options.accelerator);
    parser.Add("accelerators", "how many", options.accelerators, 1);
    parser.Add("domainSize", "accelerators of an HB domain, the largest TP", options.domainSize, 1);
    parser.Add("globalBatch", "sequences of an iteration", options.globalBatch, 1);
    parser.Add("sequenceLength", "tokens of a sequence", options.sequenceLength, 1);
    parser.Add("best", "how many of the fastest are simulated", options.best, 1);
    parser.Add("fabric", "fabric of the simulation", options.fabric, ListFabrics());
    options.runs.Add(parser, "only the table");
    parser.Parse(argc, argv);
    return options;
}

/** @param options of the program @param workload a candidate @return what its communication costs */
RingCommunicationCost
MakeCost(const Options& options, const TransformerWorkload& workload)
{
    const ParallelStrategy& strategy = workload.GetStrategy();
    const DataRate domain = workload.GetAccelerator().scaleUpRate;
    const DataRate nic = workload.GetAccelerator().nicRate;
    // delays of the topology helpers' links; between domains also stored frames
    const Time domainStep = NanoSeconds(500);
    const Time networkStep = MicroSeconds(3);
    RingCommunicationCost cost;
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        const auto dimension = static_cast<ParallelDimension>(i);
        const auto group = strategy.GetGroup(dimension, 0);
        const auto members = static_cast<uint32_t>(
            std::count_if(group.begin(),
                          group.end(),
                          [&](uint32_t rank) { return rank < options.domainSize; }));
        const auto ranks = static_cast<uint32_t>(group.size());
        const DataRate rate = RingCommunicationCost::GetBusRate(ranks, members, domain, nic);
        cost.Set(dimension, {rate, members == ranks ? domainStep : networkStep, Time(0)});
    }
    return cost;
}

/** Simulate a candidate. @param options of the program @param candidate it @return seconds */
double
Simulate(const Options& options, const StrategyCandidate& candidate)
{
    ObjectFactory factory = MakeFabricFactory(options.fabric);
    factory.Set("Accelerators", UintegerValue(options.accelerators));
    factory.Set("DomainSize", UintegerValue(options.domainSize));
    factory.Set("DomainRate", DataRateValue(candidate.workload->GetAccelerator().scaleUpRate));
    factory.Set("NicRate", DataRateValue(candidate.workload->GetAccelerator().nicRate));
    const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
    const Ptr<TrainingJob> job = TrainingHelper().Install(candidate.workload, cluster);
    job->Start();
    Simulator::Run();
    if (ReportOutcome({job}, std::cerr) != EXIT_DONE)
    {
        RefuseInput(candidate.Describe() + " could not be simulated");
    }
    const double seconds = MakeTrainingReport(*job, options.fabric).GetSummary().iterationUs / 1e6;
    Simulator::Destroy();
    return seconds;
}

/** Simulate the best, each in a process. @return exit status */
int
SimulateBest(const Options& options,
             const std::vector<StrategyCandidate>& found,
             MeasuredRuns& runs)
{
    return runs.Do(
        [&](MeasuredRuns::Run& run)
        {
            run.result = std::to_string(Simulate(options, found[run.index]));
            run.manifest.AddNodes();
            return EXIT_DONE;
        });
}

/** @param found candidates @param simulated seconds of the first ones @return all as CSV */
std::string
MakeCsv(const std::vector<StrategyCandidate>& found, const std::map<std::size_t, double>& simulated)
{
    std::ostringstream csv;
    csv << "strategy,closed_form_s,memory_bytes,simulated_s\n";
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        csv << '"' << found[i].Describe() << "\"," << found[i].iteration.GetSeconds() << ','
            << found[i].memory.GetTotal() << ',';
        if (simulated.count(i) > 0)
        {
            csv << simulated.at(i);
        }
        csv << '\n';
    }
    return csv.str();
}

/** @param found candidates @param simulated seconds of the first ones @param title @return script */
std::string
MakeScript(const std::vector<StrategyCandidate>& found,
           const std::map<std::size_t, double>& simulated,
           const std::string& title)
{
    std::ostringstream script;
    const char* const blocks[] = {"$none", "$selective", "$full"};
    for (int kind = 0; kind < 3; ++kind)
    {
        script << blocks[kind] << " << EOD\n";
        for (const StrategyCandidate& candidate : found)
        {
            const auto& strategy = candidate.workload->GetStrategy();
            if (static_cast<int>(strategy.recomputation) == kind)
            {
                script << static_cast<double>(candidate.memory.GetTotal()) / GIB << ' '
                       << candidate.iteration.GetSeconds() << '\n';
            }
        }
        script << "EOD\n";
    }
    script << "$simulated << EOD\n";
    for (const auto& [place, seconds] : simulated)
    {
        script << static_cast<double>(found[place].memory.GetTotal()) / GIB << ' ' << seconds
               << '\n';
    }
    script << "EOD\n";
    for (const auto& [place, seconds] : simulated)
    {
        script << "set label '" << place + 1 << "' at "
               << static_cast<double>(found[place].memory.GetTotal()) / GIB << ',' << seconds
               << " offset 0.7,-0.8\n";
    }
    script << "set title '" << title << "' noenhanced\n"
           << "set xlabel 'memory of an accelerator [GiB]'\nset ylabel 'iteration [s]'\n"
           << "set yrange [0:" << SLOWEST_SHOWN * found.front().iteration.GetSeconds() << "]\n"
           << "set grid\nset key outside right top reverse Left\n"
           << "plot $none pt 7 ps 0.8 lc rgb '#44aa99' title 'no recomputation', "
              "$selective pt 9 ps 0.9 lc rgb '#ddcc77' title 'selective', "
              "$full pt 5 ps 0.8 lc rgb '#cc6677' title 'full'";
    if (!simulated.empty())
    {
        script << ", $simulated pt 6 ps 2 lw 2 lc rgb 'black' title 'best, simulated'";
    }
    script << '\n';
    return script.str();
}

int
Run(int argc, char* argv[])
{
    const Options options = ParseOptions(argc, argv);
    TransformerWorkload::Config base{TransformerModel::Load(options.model),
                                     Accelerator::FromName(options.accelerator),
                                     ParallelStrategy(),
                                     nullptr,
                                     nullptr,
                                     TransformerWorkloadOptions()};
    base.options.operators.fusedAttention = true;
    base.options.operators.causal = true;
    StrategySearch::Space space;
    space.accelerators = options.accelerators;
    space.largestTensorGroup = options.domainSize;
    space.globalBatchSize = options.globalBatch;
    space.sequenceLength = options.sequenceLength;
    StrategySearch search(base, space);
    const auto found = search.Rank(
        [&](const Ptr<const TransformerWorkload>& workload)
        { return EstimateIterationTime(workload->GetConfig(), MakeCost(options, *workload)); });
    for (const auto& [reason, count] : search.GetLeftOut())
    {
        std::cout << count << " left out: " << reason << "\n";
    }
    if (found.empty())
    {
        RefuseInput("no way to divide " + options.model + " among " +
                    std::to_string(options.accelerators) + " " + options.accelerator +
                    " fits; did you mean more accelerators?");
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < found.size() && i < options.best; ++i)
    {
        names.push_back("place-" + std::to_string(i + 1));
    }
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    MeasuredRuns runs(names, options.runs, manifest);
    const int status = SimulateBest(options, found, runs);
    std::map<std::size_t, double> simulated;
    for (const auto& [place, seconds] : runs.GetResults())
    {
        simulated[place] = std::stod(seconds);
    }
    TextTable table({"strategy", "closed form s", "simulated s", "memory GiB"});
    for (std::size_t i = 0; i < found.size() && i < SHOWN; ++i)
    {
        table.AddRow({found[i].Describe(),
                      FormatNumber(found[i].iteration.GetSeconds(), 4),
                      simulated.count(i) > 0 ? FormatNumber(simulated.at(i), 4) : "-",
                      FormatNumber(static_cast<double>(found[i].memory.GetTotal()) / GIB, 1)});
    }
    table.Print(std::cout, 0);
    std::cout << found.size() << " strategies fit.\n";
    const std::string title =
        options.model + " on " + std::to_string(options.accelerators) + " " + options.accelerator;
    runs.Finish(std::cout,
                [&](const ReportFolder& folder)
                {
                    folder.Write("strategy-search.csv", MakeCsv(found, simulated));
                    return folder.Plot("strategy-search", MakeScript(found, simulated, title));
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
        return Run(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << "\n";
        return EXIT_REFUSED;
    }
}
