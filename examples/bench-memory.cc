// SPDX-License-Identifier: GPL-2.0-only

#include "bench-memory.h"

#include "bench-child.h"
#include "bench-plan.h"
#include "bench-workloads.h"

#include "ns3/fabric-network.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

namespace ns3::llm::bench
{

namespace
{

constexpr uint32_t FEW = 8;       //!< queue pairs a NIC that the slope begins with
constexpr uint32_t SPACING = 100; //!< time from one round of messages to the next, us

/** @param cluster where @param distance host i sends one frame to host i + distance */
void
SendToNeighbors(Ptr<Cluster> cluster, uint32_t distance)
{
    const uint32_t hosts = cluster->GetAcceleratorCount();
    for (uint32_t i = 0; i < hosts; ++i)
    {
        Message message;
        message.source = i;
        message.destination = (i + distance) % hosts;
        message.bytes = 1;
        cluster->GetTransport()->Send(message);
    }
}

/** @param hosts of the fat-tree @param queuePairs of each NIC @return its memory */
MemorySample
Sample(uint32_t hosts, uint32_t queuePairs)
{
    Scenario scenario;
    scenario.hosts = hosts;
    Prepare(scenario);
    Simulator::Now(); // what ns-3 makes when it starts is not the cluster's
    MemorySample sample;
    sample.hosts = hosts;
    sample.queuePairs = queuePairs;
    const uint64_t before = GetResidentBytes();
    const double begin = GetCpuSeconds();
    const Ptr<Cluster> cluster = BuildFatTree(scenario);
    sample.buildSeconds = GetCpuSeconds() - begin;
    for (uint32_t distance = 1; distance <= queuePairs; ++distance)
    {
        Simulator::Schedule(MicroSeconds(SPACING * distance), &SendToNeighbors, cluster, distance);
    }
    if (queuePairs > 0)
    {
        Simulator::Run();
    }
    sample.residentBytes = GetResidentBytes() - before;
    return sample;
}

/** @param hosts of the fat-tree @param queuePairs of each NIC @return its memory */
MemorySample
SampleInChild(uint32_t hosts, uint32_t queuePairs)
{
    return MeasureInChild<MemorySample>("memory of " + std::to_string(hosts) + " hosts",
                                        [hosts, queuePairs]()
                                        { return Sample(hosts, queuePairs); });
}

} // namespace

double
MemoryUse::GetBytesPerHost() const
{
    const double bytes = static_cast<double>(clusters.back().residentBytes) -
                         static_cast<double>(clusters.front().residentBytes);
    return bytes / (clusters.back().hosts - clusters.front().hosts);
}

double
MemoryUse::GetBytesPerQueuePair() const
{
    const MemorySample& few = queuePairs.front();
    const MemorySample& many = queuePairs.back();
    const double bytes =
        static_cast<double>(many.residentBytes) - static_cast<double>(few.residentBytes);
    return bytes / many.hosts / (many.queuePairs - few.queuePairs);
}

MemoryUse
MeasureMemory(const std::vector<uint32_t>& hosts, uint32_t pairHosts)
{
    MemoryUse use;
    for (const uint32_t count : hosts)
    {
        use.clusters.push_back(SampleInChild(count, 0));
    }
    use.queuePairs.push_back(SampleInChild(pairHosts, FEW));
    use.queuePairs.push_back(SampleInChild(pairHosts, pairHosts - 1));
    return use;
}

std::vector<std::pair<std::string, uint64_t>>
GetSizes()
{
    std::vector<std::pair<std::string, uint64_t>> sizes = {
        {"Frame", sizeof(Frame)},
        {"Departure", sizeof(Departure)},
        {"FrameTransmitter", sizeof(FrameTransmitter)},
        {"FabricPort", sizeof(FabricPort)},
        {"FabricLink", sizeof(FabricLink)},
        {"FabricSwitch", sizeof(FabricSwitch)},
        {"RdmaNic", sizeof(RdmaNic)},
        {"RdmaReceiver", sizeof(RdmaReceiver)},
        {"SendQueuePair", sizeof(SendQueuePair)},
        {"ns3::Node", sizeof(Node)},
    };
    std::vector<std::string> controls = FindOtherControls();
    controls.insert(controls.begin(), USUAL_CONTROL);
    for (const std::string& name : controls)
    {
        ObjectFactory factory;
        factory.SetTypeId(name);
        const auto control = factory.Create<RdmaCongestionControl>();
        sizes.emplace_back("state of " + ShortName(name), control->GetStateSize());
    }
    return sizes;
}

} // namespace ns3::llm::bench
