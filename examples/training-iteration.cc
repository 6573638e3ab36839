// SPDX-License-Identifier: GPL-2.0-only

// Training iterations of a transformer on accelerators with HB domains, over one of three fabrics or
// over all of them: rail-only, rail-optimized and fat-tree, which have the same accelerators, domains
// and NICs and differ in the network between the NICs alone.
//
//   ./llm-fabric run
//   ./llm-fabric run training-iteration -- --model=gpt2-xl --tp=8 --dp=8 --fabric=rail-only
//   ./llm-fabric run training-iteration -- --model=path/to/config.json --accelerators=128 --pp=2
//   ./llm-fabric run training-iteration -- --model=llama-3.1-8b --tp=4 --sp --zero=3 --recompute=selective
//
// It prints a table that compares the fabrics: the time of an iteration, and how much of it is
// compute, communication that compute waits for (exposed, by parallel dimension), and waiting for
// other stages of the pipeline (bubble). The report folder gets the same with all details as text,
// JSON and CSV, a manifest of all settings, and a picture if gnuplot is installed. Exit status: 0, 1
// if a run could not finish, 2 if the input was refused.

#include "ns3/class-list.h"
#include "ns3/frame-digest.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/parallel-runs.h"
#include "ns3/program-options.h"
#include "ns3/progress-meter.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/scale-out-transport.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/training-helper.h"
#include "ns3/training-report.h"
#include "ns3/workload-settings.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <unistd.h>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Speed that an estimate of the duration assumes, hops per second of one core. */
constexpr double USUAL_HOPS_PER_SECOND = 2e6;

/** How many links the report lists. */
constexpr std::size_t BUSIEST_LINKS = 50;

/** Name of the fact that tells a hash of every arrival of a frame. */
const std::string TRACE_HASH = "trace hash";

/** The fabrics that are compared. */
const std::vector<std::string> FABRICS = {"rail-only", "rail-optimized", "fat-tree"};

/** What the command line says. */
struct Options
{
    WorkloadSettings workload;                //!< model, accelerators, how it is divided
    uint32_t domainSize = 8;                  //!< accelerators of an HB domain
    std::string fabric = "all";               //!< which
    std::string domainFidelity = "fluid";     //!< fluid or packet
    std::string transport = "";               //!< between domains; "": the attribute
    DataRate nicRate = DataRate("400Gbps");   //!< of each accelerator's NIC
    DataRate domainRate = DataRate(0);        //!< 0: the accelerator's scale-up rate
    std::string congestionControl = "";       //!< TypeId; "": the transport's default
    uint32_t iterations = 1;                  //!< how many
    uint32_t seed = 1;                        //!< of all random choices
    std::string report = "llm-fabric-report"; //!< folder
    bool quiet = false;                       //!< no estimate, no progress
    bool summary = false;                     //!< one line per fabric instead of the table
    bool traceHash = false;                   //!< hash the arrivals of all frames
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
    ProgramOptions parser("training-iteration",
                          "Training iterations of a transformer over one or three fabrics.");
    std::vector<std::string> fabrics{"all"};
    fabrics.insert(fabrics.end(), FABRICS.begin(), FABRICS.end());
    options.workload.Add(parser);
    parser.Add("domainSize", "accelerators of an HB domain", options.domainSize, 1);
    parser.Add("fabric", "which fabric", options.fabric, fabrics);
    parser.Add("domainFidelity",
               "HB domains as shared rates or as switches with packets",
               options.domainFidelity,
               {"fluid", "packet"});
    parser.Add("transport",
               "between HB domains: rdma, tcp or fluid; none: the attribute",
               options.transport);
    parser.Add("nicRate", "rate of a NIC, with unit", options.nicRate);
    parser.Add("domainRate",
               "rate of an accelerator into its HB domain, with unit; 0bps: the accelerator's own",
               options.domainRate);
    parser.Add("congestionControl",
               "TypeId of the NICs' congestion control; empty: the transport's default",
               options.congestionControl);
    parser.Add("iterations", "training iterations", options.iterations, 1);
    parser.Add("seed", "seed of all random choices", options.seed, 1);
    parser.Add("report", "folder for the report", options.report);
    parser.Add("quiet", "no estimate and no progress", options.quiet);
    parser.Add("summary",
               "only print a line of name=value per fabric, keep no report",
               options.summary);
    parser.Add("traceHash",
               "also report a hash of every arrival of a frame at a port",
               options.traceHash);
    parser.Parse(argc, argv);
    UseTransport(options.transport);
    return options;
}

/**
 * @param options the command line
 * @param fabric name of the fabric
 * @param workload what is computed
 * @return the cluster; what does not fit is refused
 */
Ptr<Cluster>
BuildCluster(const Options& options, const std::string& fabric, const TransformerWorkload& workload)
{
    ObjectFactory factory = MakeFabricFactory(fabric);
    const auto changed = RunManifest::FindChangedDefaults();
    const auto set = [&](const std::string& name, const AttributeValue& value)
    {
        // what the command line says of the attribute itself comes first
        if (changed.count("ns3::llm::TopologyHelper::" + name) == 0)
        {
            factory.Set(name, value);
        }
    };
    factory.Set("Accelerators", UintegerValue(options.workload.accelerators));
    set("DomainSize", UintegerValue(options.domainSize));
    set("DomainFidelity", StringValue(options.domainFidelity));
    set("NicRate", DataRateValue(options.nicRate));
    const DataRate own = workload.GetAccelerator().scaleUpRate;
    if (options.domainRate.GetBitRate() > 0 || own.GetBitRate() > 0)
    {
        set("DomainRate",
            DataRateValue(options.domainRate.GetBitRate() > 0 ? options.domainRate : own));
    }
    return factory.Create<TopologyHelper>()->Build();
}

/**
 * Build a fabric only to see whether it can be, and how large its simulation will be.
 * @param options the command line
 * @param workload what is computed
 * @param fabric name of the fabric
 * @return estimate of the hops of the whole run; what does not fit is refused
 */
uint64_t
EstimateFabric(const Options& options,
               const Ptr<const TransformerWorkload>& workload,
               const std::string& fabric)
{
    const Ptr<Cluster> cluster = BuildCluster(options, fabric, *workload);
    const JobLayout layout = TrainingHelper::MakeLayout(workload->GetStrategy());
    const uint64_t hops =
        TrainingHelper::EstimateHops(workload, layout, *cluster) * options.iterations;
    Simulator::Destroy();
    if (!options.quiet)
    {
        const double seconds = static_cast<double>(hops) / USUAL_HOPS_PER_SECOND;
        std::cerr << fabric << ": about " << FormatNumber(static_cast<double>(hops) / 1e6, 1)
                  << " M hops, about "
                  << (seconds < 90 ? FormatNumber(std::max(1.0, seconds), 0) + " s"
                                   : FormatNumber(seconds / 60, 0) + " min")
                  << " of one core at 2 M hops/s\n";
    }
    return hops;
}

/**
 * @param hash a hash
 * @return its 16 hexadecimal digits
 */
std::string
FormatHash(uint64_t hash)
{
    std::ostringstream text;
    text << std::hex << std::setfill('0') << std::setw(16) << hash;
    return text.str();
}

/**
 * Simulate one fabric and write its part of the report.
 * @param options the command line
 * @param workload what is computed
 * @param fabric name of the fabric
 * @param expected estimate of its hops
 * @param sink gets the progress
 * @param manifest knows the command
 * @return exit status
 */
int
RunFabric(const Options& options,
          Ptr<const TransformerWorkload> workload,
          const std::string& fabric,
          uint64_t expected,
          const ProgressMeter::Sink& sink,
          RunManifest manifest)
{
    const Ptr<Cluster> cluster = BuildCluster(options, fabric, *workload);
    const JobLayout layout = TrainingHelper::MakeLayout(workload->GetStrategy());
    TrainingHelper helper;
    helper.SetAttribute("Name", StringValue(workload->GetModel().GetShape().name));
    helper.SetAttribute("Iterations", UintegerValue(options.iterations));
    const Ptr<TrainingJob> job = helper.Install(workload, layout, cluster);
    ProgressMeter meter(
        [&]()
        {
            const uint64_t hops = cluster->GetHops();
            // a cluster of one HB domain has no hops to count by
            const double share =
                expected > 0 ? static_cast<double>(hops) / static_cast<double>(expected) : 0;
            return ProgressMeter::Work{share, hops};
        },
        sink,
        ProgressPrinter::GetInterval(ProgressPrinter::TERMINAL));
    job->SetProgressCallback(MakeCallback(&ProgressMeter::Tick, &meter));
    FrameDigest digest;
    if (options.traceHash)
    {
        cluster->SetObserver(&digest);
    }
    job->Start();
    Simulator::Run();
    int status = ReportOutcome({job}, std::cerr);
    for (const std::string& fault : cluster->GetFaults())
    {
        std::cerr << "fault on " << fabric << ": " << fault << "\n";
        status = EXIT_UNFINISHED;
    }
    if (status == EXIT_DONE)
    {
        TrainingReport report = MakeTrainingReport(*job, fabric);
        report.facts = TrainingHelper::Describe(*workload);
        if (options.traceHash)
        {
            report.facts.emplace_back(TRACE_HASH, FormatHash(digest.GetHash()));
        }
        report.wallSeconds = meter.GetElapsedSeconds();
        report.hops = cluster->GetHops();
        report.counters = cluster->GetCounters();
        report.links = FindBusiest(cluster->GetLinkUses(report.simulated), BUSIEST_LINKS);
        manifest.AddNodes();
        manifest.AddObject(job);
        manifest.AddObject(cluster);
        ReportFolder(options.report).WriteRun(report, manifest);
    }
    Simulator::Destroy();
    return status;
}

/**
 * Print a line of name=value for each run.
 * @param reports the runs
 */
void
PrintSummary(const std::vector<TrainingReport>& reports)
{
    const std::vector<ParallelDimension> dimensions = FindDimensions(reports);
    for (const TrainingReport& report : reports)
    {
        const TrainingSummary summary = report.GetSummary();
        std::cout << "fabric=" << report.name
                  << " iteration_us=" << FormatNumber(summary.iterationUs, 6)
                  << " compute_us=" << FormatNumber(summary.computeUs, 6);
        for (const ParallelDimension dimension : dimensions)
        {
            const double us = summary.exposedUs[static_cast<std::size_t>(dimension)];
            std::cout << " exposed_" << GetShortName(dimension) << "_us=" << FormatNumber(us, 6);
        }
        std::cout << " bubble_us=" << FormatNumber(summary.bubbleUs, 6) << " hops=" << report.hops
                  << " wall_s=" << FormatNumber(report.wallSeconds, 3);
        for (const auto& [name, text] : report.facts)
        {
            std::cout << (name == TRACE_HASH ? " trace_hash=" + text : "");
        }
        std::cout << "\n";
    }
}

/**
 * @param argc number of words
 * @param argv the words
 * @return exit status
 */
int
Run(int argc, char* argv[])
{
    Options options = ParseOptions(argc, argv);
    RngSeedManager::SetSeed(options.seed);
    if (!options.congestionControl.empty())
    {
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue(options.congestionControl));
    }
    const Ptr<const TransformerWorkload> workload =
        Create<TransformerWorkload>(options.workload.MakeConfig(), options.workload.accelerators);
    std::vector<std::string> fabrics;
    std::vector<uint64_t> expected;
    for (const std::string& fabric : FABRICS)
    {
        if (options.fabric == "all" || options.fabric == fabric)
        {
            fabrics.push_back(fabric);
            expected.push_back(EstimateFabric(options, workload, fabric));
        }
    }
    if (options.summary)
    {
        options.report = ReportFolder::MakeTemporary();
    }
    const ReportFolder folder(options.report);
    folder.Prepare();
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    for (const auto& fact : TrainingHelper::Describe(*workload))
    {
        manifest.AddFact(fact.first, fact.second);
    }
    const auto mode = ProgressPrinter::ChooseMode(options.quiet, STDERR_FILENO);
    ProgressPrinter printer(std::cerr, mode);
    const std::vector<int> results = ParallelRuns(fabrics).Run(
        [&](uint32_t index, const ProgressMeter::Sink& sink)
        { return RunFabric(options, workload, fabrics[index], expected[index], sink, manifest); },
        printer,
        ProgressPrinter::GetInterval(mode));
    int status = EXIT_DONE;
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        status = std::max(status, results[i]);
        if (results[i] != EXIT_DONE)
        {
            std::cerr << "error: the run on " << fabrics[i] << " ended with status " << results[i]
                      << "\n";
        }
    }
    std::vector<TrainingReport> reports;
    if (status == EXIT_DONE)
    {
        reports = folder.Finish(fabrics);
    }
    if (options.summary)
    {
        PrintSummary(reports);
        std::filesystem::remove_all(options.report);
    }
    if (options.summary || status != EXIT_DONE)
    {
        return status;
    }
    for (const auto& fact : reports.front().facts)
    {
        std::cout << fact.first << ": " << fact.second << "\n";
    }
    std::cout << "\n";
    WriteComparisonText(std::cout, reports);
    std::cout << "\nReport: " << options.report << "/report.txt\n";
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
