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

constexpr uint32_t SPACING = 100; //!< time from one message of a host to its next, us

/** @param cluster where @param distance host i sends one frame to host i + distance */
void
SendToPeers(Ptr<Cluster> cluster, uint32_t distance)
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

/** Build a cluster and let its queue pairs carry a message. @param sample says what, and gets it */
void
Fill(MemorySample& sample)
{
    UseSmallPages();
    Scenario scenario;
    scenario.hosts = sample.hosts;
    Prepare(scenario);
    Simulator::Now(); // what ns-3 makes when it starts is not the cluster's
    const uint64_t before = GetResidentBytes();
    const double begin = GetCpuSeconds();
    const Ptr<Cluster> cluster = BuildFatTree(scenario);
    sample.buildSeconds = GetCpuSeconds() - begin;
    for (uint32_t peer = 1; peer <= sample.queuePairs; ++peer)
    {
        Simulator::Schedule(MicroSeconds(SPACING * peer),
                            &SendToPeers,
                            cluster,
                            peer * sample.stride);
    }
    if (sample.queuePairs > 0)
    {
        Simulator::Run();
    }
    sample.residentBytes = GetResidentBytes() - before;
}

/** @param hosts of the fat-tree @param queuePairs of each NIC @param stride from peer to peer
 * @return its memory, measured in a child process */
MemorySample
Measure(uint32_t hosts, uint32_t queuePairs = 0, uint32_t stride = 1)
{
    MemorySample sample;
    sample.hosts = hosts;
    sample.queuePairs = queuePairs;
    sample.stride = stride;
    return MeasureInChild<MemorySample>("memory of " + std::to_string(hosts) + " hosts",
                                        [sample]() mutable
                                        {
                                            Fill(sample);
                                            return sample;
                                        });
}

/** @param samples few and many @param count what of a sample they are per @return bytes of one more */
template <typename F>
double
GetSlope(const std::vector<MemorySample>& samples, F count)
{
    const double bytes = static_cast<double>(samples.back().residentBytes) -
                         static_cast<double>(samples.front().residentBytes);
    return bytes / (count(samples.back()) - count(samples.front()));
}

/** @param sample it @return queue pairs of all its NICs */
double
CountQueuePairs(const MemorySample& sample)
{
    return static_cast<double>(sample.hosts) * sample.queuePairs;
}

} // namespace

double
MemoryUse::GetBytesPerHost() const
{
    return GetSlope(clusters,
                    [](const MemorySample& sample) { return static_cast<double>(sample.hosts); });
}

double
MemoryUse::GetBytesPerQueuePair() const
{
    return GetSlope(queuePairs, CountQueuePairs);
}

double
MemoryUse::GetBytesPerDistantPair() const
{
    return GetSlope(distantPairs, CountQueuePairs);
}

MemoryUse
MeasureMemory(const std::vector<uint32_t>& hosts)
{
    MemoryUse use;
    for (const uint32_t count : hosts)
    {
        use.clusters.push_back(Measure(count));
    }
    use.queuePairs = {Measure(128, 8), Measure(128, 127)};
    use.distantPairs = {Measure(1024, 3, 64), Measure(1024, 15, 64)};
    return use;
}

std::vector<std::pair<std::string, uint64_t>>
GetSizes()
{
    std::vector<std::pair<std::string, uint64_t>> sizes = {
        {"Frame", sizeof(Frame)},
        {"TransitFrame", sizeof(TransitFrame)},
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
