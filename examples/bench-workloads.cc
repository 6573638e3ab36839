// SPDX-License-Identifier: GPL-2.0-only

#include "bench-workloads.h"

#include "bench-child.h"

#include "ns3/boolean.h"
#include "ns3/communicator.h"
#include "ns3/config.h"
#include "ns3/fat-tree-helper.h"
#include "ns3/frame-digest.h"
#include "ns3/global-value.h"
#include "ns3/input-error.h"
#include "ns3/simulator.h"
#include "ns3/single-switch-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3::llm::bench
{

namespace
{

constexpr uint32_t MTU = 4000;                  //!< payload of a full frame, bytes
constexpr uint64_t SHIFT_BYTES = 2000000;       //!< of a host
constexpr uint64_t INCAST_BYTES = 200000;       //!< of a host
constexpr uint64_t PAIR_BYTES = 20000;          //!< of a pair, in all-to-all
constexpr uint64_t RING_BYTES = 16000;          //!< that a host sends in a step of a ring
constexpr uint32_t LOCK_STEPS = 64;             //!< of the lock-step ring
constexpr uint64_t FLOWS_BYTES = 1023ull * MTU; //!< of a host; 1023 is 3 x 11 x 31

/** A ring in which each host sends its next message when the one from its neighbor has come. */
class LockStepRing : public Object
{
  public:
    /** @param cluster whose hosts take part, in natural order */
    explicit LockStepRing(Ptr<Cluster> cluster)
        : m_transport(cluster->GetTransport()),
          m_hosts(cluster->GetAcceleratorCount())
    {
        m_transport->SetOwner(0,
                              MakeCallback(&LockStepRing::Delivered, this),
                              MessageTransport::MessageCallback());
    }

    /** All hosts send their first message. */
    void Start()
    {
        for (uint32_t host = 0; host < m_hosts; ++host)
        {
            Send(host, 0);
        }
    }

  private:
    /** @param host who sends @param step its how manyeth message */
    void Send(uint32_t host, uint32_t step)
    {
        Message message;
        message.source = host;
        message.destination = (host + 1) % m_hosts;
        message.bytes = RING_BYTES;
        message.place = step;
        m_transport->Send(message);
    }

    /** @param message has come in */
    void Delivered(const Message& message)
    {
        if (message.place + 1 < LOCK_STEPS)
        {
            Send(message.destination, message.place + 1);
        }
    }

    Ptr<MessageTransport> m_transport; //!< carries the messages
    uint32_t m_hosts;                  //!< number of hosts
};

/** @param cluster where @param source host @param destination host @param bytes payload
 * @param flow queue pair among those of the two */
void
Send(Ptr<Cluster> cluster, uint32_t source, uint32_t destination, uint64_t bytes, uint32_t flow = 0)
{
    Message message;
    message.source = source;
    message.destination = destination;
    message.bytes = bytes;
    message.flow = flow;
    cluster->GetTransport()->Send(message);
}

/** For a collective whose end nobody waits for. */
void
Nothing()
{
}

/** @param cluster whose hosts reduce 16 kB each @return the group */
Ptr<Object>
StartRing(Ptr<Cluster> cluster)
{
    std::vector<uint32_t> ranks(cluster->GetAcceleratorCount());
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        ranks[rank] = rank;
    }
    auto ring = CreateObject<Communicator>();
    ring->SetTransport(cluster->GetTransport());
    ring->SetLocality(cluster);
    ring->SetGroup(0, "ring", ranks);
    CollectiveRequest request;
    request.bytes = RING_BYTES * ranks.size();
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

/** @param scenario a row @return whether its hosts are one fluid HB domain */
bool
IsFluid(const Scenario& scenario)
{
    return scenario.workload == "fluid";
}

/** @param hosts number @return they, in one fluid HB domain */
Ptr<Cluster>
BuildFluidDomain(uint32_t hosts)
{
    auto helper = CreateObject<SingleSwitchHelper>();
    helper->SetAttribute("Accelerators", UintegerValue(hosts));
    helper->SetAttribute("DomainSize", UintegerValue(hosts));
    helper->SetAttribute("DomainFidelity", StringValue("fluid"));
    return helper->Build();
}

/** Queue what host i sends at the start. @param scenario workload @param cluster where @param i host */
void
StartHost(const Scenario& scenario, Ptr<Cluster> cluster, uint32_t i)
{
    const uint32_t hosts = scenario.hosts;
    const uint32_t opposite = (i + hosts / 2) % hosts;
    if (scenario.workload == "shift")
    {
        Send(cluster, i, opposite, SHIFT_BYTES);
    }
    else if (scenario.workload == "incast" && i > 0)
    {
        Send(cluster, i, 0, INCAST_BYTES);
    }
    else if (scenario.workload == "all-to-all" || IsFluid(scenario))
    {
        for (uint32_t other = 1; other < hosts; ++other)
        {
            Send(cluster, i, (i + other) % hosts, PAIR_BYTES);
        }
    }
    else if (scenario.workload == "flows")
    {
        for (uint32_t flow = 0; flow < scenario.queuePairs; ++flow)
        {
            Send(cluster, i, opposite, FLOWS_BYTES / scenario.queuePairs, flow);
        }
    }
}

/** Add what a run has done. @param scenario the row @param cluster after the run @param sum is added to */
void
AddRun(const Scenario& scenario, Ptr<Cluster> cluster, Measurement& sum)
{
    const NicCounters nics = cluster->GetRdma()->GetCounters();
    const auto faults = cluster->GetFaults();
    if (!faults.empty())
    {
        RefuseInput(faults.front());
    }
    ++sum.runs;
    // a transfer of a fluid domain stands for a hop
    sum.hops +=
        IsFluid(scenario) ? uint64_t{scenario.hosts} * (scenario.hosts - 1) : cluster->GetHops();
    sum.dataFrames += nics.dataFrames;
    sum.retransmissions += nics.retransmissions;
    sum.payloadBytes += nics.payloadBytes;
    sum.notifications += nics.cnpsReceived;
    for (const auto& direction : cluster->GetNetwork()->GetDirections())
    {
        sum.pauses += direction.port->GetTransmitter().GetCounters().pausesReceived;
    }
}

} // namespace

void
Prepare(const Scenario& scenario)
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue(scenario.engine));
    GlobalValue::Bind("SchedulerType", StringValue(scenario.scheduler));
    Config::SetDefault("ns3::llm::FabricNetwork::ReferenceMode",
                       BooleanValue(scenario.isReferenceMode));
    Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl", StringValue(scenario.control));
    Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(MTU));
    Config::SetDefault("ns3::llm::RdmaTransport::DataOverhead", UintegerValue(48));
    Config::SetDefault("ns3::llm::RdmaTransport::FirstOverhead", UintegerValue(0));
    Config::SetDefault("ns3::llm::RdmaTransport::AckSize", UintegerValue(60));
}

Ptr<Cluster>
BuildFatTree(const Scenario& scenario)
{
    auto helper = CreateObject<FatTreeHelper>();
    helper->SetAttribute("Accelerators", UintegerValue(scenario.hosts));
    helper->SetAttribute("DomainSize", UintegerValue(1));
    helper->SetAttribute("NicRate", StringValue(std::to_string(scenario.gigabits) + "Gbps"));
    helper->SetAttribute("NicDelay", StringValue("1us"));
    helper->SetAttribute("SwitchDelay", StringValue("1us"));
    return helper->Build();
}

Ptr<Object>
StartTraffic(const Scenario& scenario, Ptr<Cluster> cluster)
{
    if (scenario.workload == "ring")
    {
        return StartRing(cluster);
    }
    if (scenario.workload == "lock-step")
    {
        auto ring = CreateObject<LockStepRing>(cluster);
        ring->Start();
        return ring;
    }
    for (uint32_t i = 0; i < scenario.hosts; ++i)
    {
        StartHost(scenario, cluster, i);
    }
    return nullptr;
}

Measurement
MeasureScenario(const Scenario& scenario, double leastSeconds)
{
    Prepare(scenario);
    Measurement sum;
    do
    {
        const Ptr<Cluster> cluster =
            IsFluid(scenario) ? BuildFluidDomain(scenario.hosts) : BuildFatTree(scenario);
        FrameDigest digest;
        if (scenario.isObserved)
        {
            cluster->SetObserver(&digest);
        }
        const Ptr<Object> traffic = StartTraffic(scenario, cluster);
        const double begin = GetCpuSeconds();
        Simulator::Run();
        sum.cpuSeconds += GetCpuSeconds() - begin;
        sum.events += cluster->GetClock()->GetFrameCount();
        sum.simulatedUs += Simulator::Now().GetSeconds() * 1e6;
        AddRun(scenario, cluster, sum);
        cluster->Dispose();
        Simulator::Destroy();
    } while (sum.cpuSeconds < leastSeconds);
    sum.peakBytes = GetPeakBytes();
    return sum;
}

} // namespace ns3::llm::bench
