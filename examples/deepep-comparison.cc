// SPDX-License-Identifier: GPL-2.0-only

// All-to-all of expert parallelism as the DeepEP project has measured it (dispatch and combine; the file
// data/deepep-all-to-all.csv) beside the simulated network.
//
//   ./llm-fabric run deepep-comparison
//   ./llm-fabric run deepep-comparison -- --share=1 --most=256
//
// The low-latency kernels send each copy of a token on its own, to whatever accelerator has the expert:
// an all-to-all-v over every rail. The normal kernels send a token once to each node with one of its
// experts, along the rail, and hand out copies there; both are taken to go on side by side.
// Simulated are the network and the HB domains alone, fluid domains of 160 GB/s and NICs of 400 Gb/s:
// no kernels, no copies in memory, no layout. Rates count what stays in the node, as the project does.

#include "deepep-comparison-traffic.h"

#include "ns3/class-list.h"
#include "ns3/cluster.h"
#include "ns3/communicator.h"
#include "ns3/data-rate.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/measured-runs.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/run-manifest.h"
#include "ns3/run-outcome.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    uint32_t share = 8;
    uint32_t most = 64;
    MeasuredRuns::Options runs{"deepep-comparison"};
};

struct Run
{
    Measured row;
    std::string fabric;
    std::string name;
};

std::vector<Run>
PlanRuns(const Options& options)
{
    std::vector<Run> runs;
    for (const Measured& row : ReadMeasured())
    {
        for (const std::string fabric : {"rail-optimized", "rail-only"})
        {
            // the normal kernels keep to their rails, so both fabrics are the same to them
            if (row.ranks <= options.most && (row.kernel != "normal" || fabric == "rail-only"))
            {
                const std::string name = row.kernel + "-" + row.operation + "-" +
                                         std::to_string(row.ranks) + "-" + fabric;
                runs.push_back({row, fabric, name});
            }
        }
    }
    return runs;
}

/** An all-to-all-v among all accelerators, started at once. */
class Exchange
{
  public:
    Exchange(Ptr<Cluster> cluster, uint32_t id, const Sizes& sizes)
        : m_communicator(CreateObject<Communicator>())
    {
        m_communicator->SetAttribute("Algorithm", StringValue("ns3::llm::DirectAlgorithm"));
        m_communicator->SetTransport(cluster->GetTransport());
        m_communicator->SetLocality(cluster);
        const uint32_t count = cluster->GetAcceleratorCount();
        std::vector<uint32_t> ranks;
        for (uint32_t rank = 0; rank < count; ++rank)
        {
            ranks.push_back(rank);
        }
        m_communicator->SetGroup(id, "exchange " + std::to_string(id), ranks);
        CollectiveRequest request;
        request.operation = CollectiveOperation::ALL_TO_ALL_V;
        request.matrix = std::make_shared<const TrafficMatrix>(count, sizes);
        for (uint32_t rank = 0; rank < count; ++rank)
        {
            Simulator::ScheduleWithContext(cluster->GetNodeId(rank),
                                           Time(0),
                                           &Communicator::Start,
                                           m_communicator,
                                           rank,
                                           request,
                                           MakeCallback(&Exchange::RankDone, this));
        }
    }

    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    double GetLastDoneUs() const
    {
        return static_cast<double>(m_lastDone.GetPicoSeconds()) / 1e6;
    }

    std::vector<std::string> DescribeUnfinished() const
    {
        return m_communicator->DescribeUnfinished();
    }

  private:
    void RankDone()
    {
        m_lastDone = Simulator::Now();
    }

    Ptr<Communicator> m_communicator;
    Time m_lastDone;
};

int
DoRun(const Options& options, const Run& run, MeasuredRuns::Run& measured)
{
    const Measured& row = run.row;
    const bool isNormal = row.kernel == "normal";
    const uint32_t tokens = isNormal ? std::max(row.tokens / options.share, 1u) : row.tokens;
    const KernelTraffic traffic = MakeKernelTraffic(row, tokens);
    ObjectFactory factory = MakeFabricFactory(run.fabric);
    factory.Set("Accelerators", UintegerValue(row.ranks));
    factory.Set("DomainSize", UintegerValue(row.domainSize));
    factory.Set("NicRate", StringValue("400Gbps"));
    factory.Set("DomainRate", StringValue("1280Gbps"));
    const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
    std::vector<std::unique_ptr<Exchange>> exchanges;
    exchanges.push_back(std::make_unique<Exchange>(cluster, 0, traffic.first));
    if (isNormal)
    {
        exchanges.push_back(std::make_unique<Exchange>(cluster, 1, traffic.second));
    }
    Simulator::Run();
    double us = 0;
    std::vector<std::string> complaints = cluster->GetFaults();
    for (const auto& exchange : exchanges)
    {
        us = std::max(us, exchange->GetLastDoneUs());
        const std::vector<std::string> more = exchange->DescribeUnfinished();
        complaints.insert(complaints.end(), more.begin(), more.end());
    }
    for (const std::string& line : complaints)
    {
        std::cerr << run.name << ": " << line << std::endl;
    }
    if (!complaints.empty())
    {
        return EXIT_UNFINISHED;
    }
    const bool countsSecond = isNormal && row.bottleneck == "NVLink";
    const double logical = countsSecond ? traffic.secondLogical : traffic.firstLogical;
    std::ostringstream text;
    text << std::setprecision(12) << us << ' ' << logical / row.ranks / us / 1e3;
    measured.result = text.str();
    measured.manifest.AddNodes();
    measured.manifest.AddObject(cluster);
    Simulator::Destroy();
    return EXIT_DONE;
}

/** Print the table. @param runs all of them @param measured those that are done
 * @return the same as CSV */
std::string
WriteTable(const std::vector<Run>& runs, const MeasuredRuns& measured)
{
    std::ostringstream csv;
    csv << "kernel,operation,gpus,fabric,measured_us,simulated_us,measured_gbytes_per_s,"
           "simulated_gbytes_per_s\n";
    std::cout << std::left << std::setw(12) << "kernel" << std::setw(10) << "operation"
              << std::right << std::setw(5) << "GPUs" << std::setw(16) << "fabric" << std::setw(10)
              << "meas us" << std::setw(9) << "sim us" << std::setw(11) << "meas GB/s"
              << std::setw(10) << "sim GB/s" << std::setw(10) << "sim/meas" << '\n'
              << std::fixed;
    for (const auto& [index, result] : measured.GetResults())
    {
        const Measured& row = runs[index].row;
        std::istringstream text(result);
        double us = 0;
        double rate = 0;
        text >> us >> rate;
        std::ostringstream latency;
        latency << std::fixed << std::setprecision(0) << row.latencyUs;
        const std::string latencyUs = row.latencyUs > 0 ? latency.str() : "";
        std::cout << std::left << std::setw(12) << row.kernel << std::setw(10) << row.operation
                  << std::right << std::setw(5) << row.ranks << std::setw(16) << runs[index].fabric
                  << std::setw(10) << (latencyUs.empty() ? "-" : latencyUs) << std::setprecision(1)
                  << std::setw(9) << us << std::setprecision(0) << std::setw(11) << row.gBytesPerS
                  << std::setprecision(1) << std::setw(10) << rate << std::setprecision(2)
                  << std::setw(10) << rate / row.gBytesPerS << '\n';
        csv << row.kernel << ',' << row.operation << ',' << row.ranks << ',' << runs[index].fabric
            << ',' << latencyUs << ',' << us << ',' << row.gBytesPerS << ',' << rate << '\n';
    }
    return csv.str();
}

int
Compare(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("deepep-comparison", "Measured all-to-all of experts and simulated.");
    program.Add("share", "normal kernels: simulate 1/share of the tokens", options.share, 1);
    program.Add("most", "leave out larger groups", options.most, 8, EXPERTS);
    options.runs.Add(program, "print the table");
    program.Parse(argc, argv);
    const std::vector<Run> runs = PlanRuns(options);
    std::vector<std::string> names;
    for (const Run& run : runs)
    {
        names.push_back(run.name);
    }
    RunManifest manifest;
    manifest.SetCommand(argc, argv);
    MeasuredRuns measured(names, options.runs, manifest);
    const int status =
        measured.Do([&](MeasuredRuns::Run& run) { return DoRun(options, runs[run.index], run); });
    const std::string csv = WriteTable(runs, measured);
    measured.Finish(std::cout,
                    [&](const ReportFolder& folder)
                    {
                        folder.Write("deepep-comparison.csv", csv);
                        return false;
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
        return Compare(argc, argv);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return EXIT_REFUSED;
    }
}
