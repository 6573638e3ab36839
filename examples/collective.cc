// SPDX-License-Identifier: GPL-2.0-only

// One collective operation on one fabric, beside its ideal time and its bound.
//
//   ./llm-fabric run collective -- --operation=all-reduce --bytes=16777216 --fabric=rail-optimized
//   ./llm-fabric run collective -- --ranks=8 --stride=8      (one rank in each HB domain, on one rail)
//   ./llm-fabric run collective -- --bytes=1048576 --transport=tcp
//   ./llm-fabric run collective -- --bytes=262144 --pcap=trace     (every port, for Wireshark)
//
// The pcap files hold every byte of every frame: choose few bytes.
//
// The ideal time is an independent evaluation of the operation's steps over its paths: wire bytes
// with headers and acknowledgments, propagation, one stored frame per switch, software latency. The
// bound is payload over line rate; nothing beats it.

#include "ns3/class-list.h"
#include "ns3/cluster.h"
#include "ns3/collective-runner.h"
#include "ns3/config.h"
#include "ns3/fabric-trace-helper.h"
#include "ns3/frame-digest.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/scale-out-transport.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    std::string operation = "all-reduce";
    std::string algorithm = "auto";
    uint64_t bytes = 16 << 20;
    std::string fabric = "rail-optimized";
    std::string transport;
    uint32_t accelerators = 64;
    uint32_t ranks = 0;
    uint32_t stride = 1;
    std::string pcap;
    bool summary = false;
};

Ptr<Cluster>
BuildCluster(const Options& options)
{
    ObjectFactory factory = MakeFabricFactory(options.fabric);
    factory.Set("Accelerators", UintegerValue(options.accelerators));
    return factory.Create<TopologyHelper>()->Build();
}

std::vector<uint32_t>
ChooseRanks(const Options& options)
{
    const uint32_t most = (options.accelerators + options.stride - 1) / options.stride;
    const uint32_t ranks = options.ranks == 0 ? most : options.ranks;
    if (ranks > most)
    {
        RefuseInput("--ranks=" + std::to_string(ranks) + " with --stride=" +
                    std::to_string(options.stride) + ": " + std::to_string(options.accelerators) +
                    " accelerators have room for " + std::to_string(most));
    }
    std::vector<uint32_t> accelerators;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        accelerators.push_back(rank * options.stride);
    }
    return accelerators;
}

double
Gbps(DataRate rate)
{
    return static_cast<double>(rate.GetBitRate()) / 1e9;
}

void
Print(const Options& options,
      const Cluster& cluster,
      uint32_t ranks,
      const CollectiveOutcome& result,
      uint64_t hash)
{
    const std::vector<std::pair<std::string, double>> figures = {
        {"time_us", static_cast<double>(result.time.GetPicoSeconds()) / 1e6},
        {"ideal_us", static_cast<double>(result.ideal.GetPicoSeconds()) / 1e6},
        {"bound_us", static_cast<double>(result.bound.GetPicoSeconds()) / 1e6},
        {"time_over_ideal", result.time.GetDouble() / result.ideal.GetDouble()},
        {"algorithm_bandwidth_gbps", Gbps(result.algorithmBandwidth)},
        {"bus_bandwidth_gbps", Gbps(result.busBandwidth)},
    };
    const char separator = options.summary ? ' ' : '\n';
    std::cout << "operation=" << options.operation << separator << "bytes=" << options.bytes
              << separator << "fabric=" << options.fabric << separator << "ranks=" << ranks
              << separator << std::setprecision(10);
    for (const auto& [name, value] : figures)
    {
        std::cout << name << '=' << value << separator;
    }
    for (const auto& [name, value] : cluster.GetCounters())
    {
        std::string key = name;
        std::replace(key.begin(), key.end(), ' ', '_');
        std::cout << key << '=' << value << separator;
    }
    std::cout << "hops=" << cluster.GetHops() << separator << "trace_hash=" << std::hex << hash
              << std::dec << std::endl;
}

int
Run(const Options& options)
{
    CollectiveRequest request;
    request.operation = ParseCollectiveOperation(options.operation);
    request.bytes = request.operation == CollectiveOperation::BARRIER ? 0 : options.bytes;
    const std::vector<uint32_t> accelerators = ChooseRanks(options);
    Ptr<Cluster> cluster = BuildCluster(options);
    FrameDigest digest;
    cluster->SetObserver(&digest);
    if (!options.pcap.empty())
    {
        FabricTraceHelper(cluster).EnablePcapAll(options.pcap);
    }

    const CollectiveRunner runner(cluster, accelerators, request, options.algorithm);
    Simulator::Run();
    for (const std::string& line : runner.GetComplaints())
    {
        std::cerr << line << std::endl;
    }
    if (runner.GetDoneCount() != runner.GetSize())
    {
        return 1;
    }
    Print(options, *cluster, runner.GetSize(), runner.GetOutcome(), digest.GetHash());
    return cluster->GetFaults().empty() ? 0 : 1;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    UseFrameEngine();
    try
    {
        Options options;
        ProgramOptions program("collective", "One collective operation on one fabric.");
        program.Add("operation",
                    "what the ranks do: all-reduce, broadcast, ...",
                    options.operation);
        program.Add("algorithm", "TypeId of the algorithm; auto: chosen", options.algorithm);
        program.Add("bytes", "size of the whole buffer", options.bytes);
        program.Add("fabric", "which fabric", options.fabric, ListFabrics());
        program.Add("transport",
                    "between HB domains: rdma, tcp or fluid; none: the attribute",
                    options.transport);
        program.Add("accelerators", "how many accelerators", options.accelerators, 1);
        program.Add("ranks", "how many ranks; 0: as many as there is room for", options.ranks);
        program.Add("stride", "every stride-th accelerator is a rank", options.stride, 1);
        program.Add("pcap",
                    "prefix of pcap files, one for each port; none: no files",
                    options.pcap);
        program.Add("summary", "print the result on one line", options.summary);
        program.Parse(argc, argv);
        UseTransport(options.transport);
        const int status = Run(options);
        Simulator::Destroy();
        return status;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
