// SPDX-License-Identifier: GPL-2.0-only

// How fast the simulator is on this machine: hops per second of CPU time.
//
//   ./llm-fabric bench
//
// A hop is one frame that crosses one link. Four workloads run on a fat-tree of 100 Gb/s and 1 us with
// 4000 B of payload in a frame and one ACK for each, under DCQCN, ECN, PFC and ECMP: shift (host i
// sends 2 MB to host i + H/2), incast (all hosts send 200 kB to host 0), all-to-all (20 kB per pair)
// and ring (an all-reduce of 16 kB per host). Beside them stands the raw hop of ns-3's
// PointToPointNetDevice under ns-3's default engine, measured in the same run; the ratio is what
// counts, as absolute figures vary with the load of the machine.

#include "ns3/cluster.h"
#include "ns3/communicator.h"
#include "ns3/config.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/fat-tree-helper.h"
#include "ns3/global-value.h"
#include "ns3/input-error.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/program-options.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/uinteger.h"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Figure
{
    std::string workload;
    uint32_t hosts = 0;
    uint64_t hops = 0;
    uint64_t events = 0;
    double seconds = 0;

    double Rate() const
    {
        return static_cast<double>(hops) / seconds;
    }
};

double
CpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void
ChooseEngine(const std::string& engine)
{
    Simulator::Destroy();
    GlobalValue::Bind("SimulatorImplementationType", StringValue(engine));
}

// Pairs of nodes, each with a queue of packets to send over one link.
Figure
MeasureRawHop(uint32_t pairs, uint32_t packets)
{
    ChooseEngine("ns3::DefaultSimulatorImpl");
    std::vector<Ptr<PointToPointNetDevice>> devices;
    for (uint32_t i = 0; i < pairs; ++i)
    {
        auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(MicroSeconds(1)));
        for (uint32_t end = 0; end < 2; ++end)
        {
            auto device = CreateObject<PointToPointNetDevice>();
            auto queue = CreateObject<DropTailQueue<Packet>>();
            queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, packets));
            device->SetQueue(queue);
            device->SetDataRate(DataRate("100Gbps"));
            device->SetAddress(Mac48Address::Allocate());
            device->SetMtu(9000);
            CreateObject<Node>()->AddDevice(device);
            device->Attach(channel);
            devices.push_back(device);
        }
    }
    Figure figure{"raw PointToPointNetDevice", 2 * pairs, uint64_t{pairs} * packets};
    const double begin = CpuSeconds();
    for (uint32_t i = 0; i < pairs; ++i)
    {
        for (uint32_t p = 0; p < packets; ++p)
        {
            devices[2 * i]->Send(Create<Packet>(4000), devices[2 * i + 1]->GetAddress(), 0x0800);
        }
    }
    Simulator::Run();
    figure.seconds = CpuSeconds() - begin;
    figure.events = Simulator::GetEventCount();
    Simulator::Destroy();
    return figure;
}

Ptr<Cluster>
BuildFatTree(uint32_t hosts)
{
    auto helper = CreateObject<FatTreeHelper>();
    helper->SetAttribute("Accelerators", UintegerValue(hosts));
    helper->SetAttribute("DomainSize", UintegerValue(1));
    helper->SetAttribute("NicRate", StringValue("100Gbps"));
    helper->SetAttribute("NicDelay", StringValue("1us"));
    helper->SetAttribute("SwitchDelay", StringValue("1us"));
    return helper->Build();
}

void
Send(Ptr<Cluster> cluster, uint32_t source, uint32_t destination, uint64_t bytes)
{
    Message message;
    message.source = source;
    message.destination = destination;
    message.bytes = bytes;
    cluster->GetTransport()->Send(message);
}

void
Nothing()
{
}

Ptr<Communicator>
StartRing(Ptr<Cluster> cluster, uint64_t bytes)
{
    std::vector<uint32_t> ranks;
    for (uint32_t i = 0; i < cluster->GetAcceleratorCount(); ++i)
    {
        ranks.push_back(i);
    }
    auto ring = CreateObject<Communicator>();
    ring->SetTransport(cluster->GetTransport());
    ring->SetLocality(cluster);
    ring->SetGroup(0, "ring", ranks);
    CollectiveRequest request;
    request.bytes = bytes;
    for (const uint32_t rank : ranks)
    {
        Simulator::ScheduleWithContext(cluster->GetNodeId(rank),
                                       Time(0),
                                       &Communicator::Start,
                                       ring,
                                       rank,
                                       request,
                                       MakeCallback(&Nothing));
    }
    return ring;
}

// The group of a ring must live as long as the run.
Ptr<Communicator>
Start(const std::string& workload, Ptr<Cluster> cluster)
{
    const uint32_t hosts = cluster->GetAcceleratorCount();
    for (uint32_t i = 0; i < hosts; ++i)
    {
        if (workload == "shift")
        {
            Send(cluster, i, (i + hosts / 2) % hosts, 2000000);
        }
        else if (workload == "incast" && i > 0)
        {
            Send(cluster, i, 0, 200000);
        }
        for (uint32_t other = 1; workload == "all-to-all" && other < hosts; ++other)
        {
            Send(cluster, i, (i + other) % hosts, 20000);
        }
    }
    return workload == "ring" ? StartRing(cluster, uint64_t{16000} * hosts) : nullptr;
}

Figure
Measure(const std::string& workload, uint32_t hosts)
{
    ChooseEngine("ns3::llm::FrameSimulatorImpl");
    Ptr<Cluster> cluster = BuildFatTree(hosts);
    Figure figure{workload, hosts};
    const Ptr<Communicator> group = Start(workload, cluster);
    const double begin = CpuSeconds();
    Simulator::Run();
    figure.seconds = CpuSeconds() - begin;
    figure.hops = cluster->GetHops();
    figure.events = cluster->GetClock()->GetFrameCount();
    cluster->Dispose();
    Simulator::Destroy();
    return figure;
}

void
Print(const Figure& figure, double rawRate)
{
    std::cout << std::left << std::setw(26) << figure.workload << std::right << std::setw(6)
              << figure.hosts << std::setw(10) << figure.hops << std::fixed << std::setprecision(2)
              << std::setw(13)
              << static_cast<double>(figure.events) / static_cast<double>(figure.hops)
              << std::setw(12) << figure.Rate() / 1e6 << std::setprecision(0) << std::setw(9)
              << 1e9 / figure.Rate() << std::setprecision(1) << std::setw(14)
              << figure.Rate() / rawRate << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    try
    {
        uint32_t hosts = 128;
        ProgramOptions options("bench", "How fast the simulator is on this machine.");
        options.Add("hosts", "hosts of the fat-tree", hosts, 4, 65536);
        options.Parse(argc, argv);
        Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(4000));
        Config::SetDefault("ns3::llm::RdmaTransport::DataOverhead", UintegerValue(48));
        Config::SetDefault("ns3::llm::RdmaTransport::FirstOverhead", UintegerValue(0));
        Config::SetDefault("ns3::llm::RdmaTransport::AckSize", UintegerValue(60));
        std::cout << "workload                   hosts      hops   events/hop    M hops/s"
                     "  ns/hop  times raw hop\n";
        const Figure raw = MeasureRawHop(64, 2000);
        Print(raw, raw.Rate());
        for (const std::string workload : {"shift", "incast", "all-to-all", "ring"})
        {
            Print(Measure(workload, hosts), raw.Rate());
        }
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        std::cout << "peak memory: " << usage.ru_maxrss / 1024 << " MiB" << std::endl;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
    return 0;
}
