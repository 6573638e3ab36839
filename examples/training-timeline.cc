// SPDX-License-Identifier: GPL-2.0-only

// The timeline of a training iteration: what every rank does on each of its streams, from the first
// forward pass to the optimizer.
//
//   ./llm-fabric run training-timeline
//   ./llm-fabric run training-timeline -- --model=gpt2-medium --pp=2 --tp=4 --domainSize=8
//   ./llm-fabric run training-timeline -- --ns3::llm::TrainingApplication::CommunicationSlowDown=0.2
//
// It writes timeline.json, a trace in the Trace Event format that ui.perfetto.dev and chrome://tracing
// open (a process for each rank, a thread for each stream), and, if gnuplot is installed,
// timeline.png, which has a row for each rank and stream; a gap in a row of compute is time that the
// rank waits. Exit status: 0, 1 if the run could not finish, 2 if the input was refused.

#include "ns3/class-list.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/run-outcome.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/timeline-picture.h"
#include "ns3/timeline-writer.h"
#include "ns3/topology-helper.h"
#include "ns3/training-helper.h"
#include "ns3/training-report.h"
#include "ns3/workload-settings.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <iostream>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What the command line says. */
struct Options
{
    WorkloadSettings workload;                  //!< model, accelerators, how it is divided
    std::string fabric = "rail-optimized";      //!< which
    uint32_t domainSize = 4;                    //!< accelerators of an HB domain
    std::string report = "llm-fabric-timeline"; //!< folder
};

/**
 * Read the command line.
 * @param argc number of words
 * @param argv the words
 * @return the options
 */
Options
ParseOptions(int argc, char* argv[])
{
    Options options;
    ProgramOptions parser("training-timeline", "The timeline of a training iteration.");
    options.workload.model = "gpt2";
    options.workload.accelerators = 16;
    options.workload.tp = 2;
    options.workload.pp = 4;
    options.workload.microBatches = 8;
    options.workload.Add(parser);
    parser.Add("fabric",
               "which fabric",
               options.fabric,
               {"rail-only", "rail-optimized", "fat-tree"});
    parser.Add("domainSize", "accelerators of an HB domain", options.domainSize, 1);
    parser.Add("report", "folder for the files", options.report);
    parser.Parse(argc, argv);
    return options;
}

/**
 * Print where the time of the iteration went.
 * @param report a run
 */
void
PrintParts(const TrainingReport& report)
{
    const TrainingSummary summary = report.GetSummary();
    TextTable table({"mean of the ranks", report.name});
    const auto add = [&](const std::string& name, double us)
    {
        table.AddRow({name + " [ms]", FormatNumber(us / 1e3, 3)});
    };
    add("compute", summary.computeUs);
    for (const ParallelDimension dimension : FindDimensions({report}))
    {
        add(std::string("exposed ") + GetShortName(dimension),
            summary.exposedUs[static_cast<std::size_t>(dimension)]);
    }
    add("bubble", summary.bubbleUs);
    add("iteration", summary.iterationUs);
    table.Print(std::cout, 0);
}

/**
 * @param options the command line
 * @return exit status
 */
int
Run(const Options& options)
{
    const Ptr<const TransformerWorkload> workload =
        Create<TransformerWorkload>(options.workload.MakeConfig(), options.workload.accelerators);
    const ParallelStrategy& strategy = workload->GetStrategy();
    ObjectFactory factory = MakeFabricFactory(options.fabric);
    factory.Set("Accelerators", UintegerValue(strategy.GetRankCount()));
    factory.Set("DomainSize", UintegerValue(options.domainSize));
    const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
    const Ptr<TrainingJob> job = TrainingHelper().Install(workload, cluster);

    const ReportFolder folder(options.report);
    folder.Prepare();
    const auto rankName = [&strategy](uint32_t rank)
    {
        const std::string stage = std::to_string(strategy.GetCoordinates(rank).pipeline);
        return "rank " + std::to_string(rank) + ", stage " + stage;
    };
    std::ofstream trace(options.report + "/timeline.json");
    TimelineWriter writer(trace, rankName);
    TimelinePicture picture(folder, "timeline");
    job->TraceConnectWithoutContext("Task", MakeCallback(&TimelineWriter::Add, &writer));
    job->TraceConnectWithoutContext("Task", MakeCallback(&TimelinePicture::Add, &picture));
    job->Start();
    Simulator::Run();
    writer.Close();
    trace.close();
    if (!trace)
    {
        RefuseInput("cannot write " + options.report + "/timeline.json");
    }
    const int status = ReportOutcome({job}, std::cerr);
    if (status == EXIT_DONE)
    {
        const auto facts = TrainingHelper::Describe(*workload);
        const std::string title = facts.front().second + "; " + strategy.Describe();
        PrintParts(MakeTrainingReport(*job, options.fabric));
        const bool drawn = picture.Draw(title, rankName);
        std::cout << "\n"
                  << job->GetTasksDone() << " tasks: " << options.report
                  << "/timeline.json for ui.perfetto.dev"
                  << (drawn ? ", timeline.png" : "; install gnuplot for a picture") << "\n";
    }
    Simulator::Destroy();
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
        return Run(ParseOptions(argc, argv));
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << "\n";
        return EXIT_REFUSED;
    }
}
