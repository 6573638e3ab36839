// SPDX-License-Identifier: GPL-2.0-only

#include "nccl-bus-bandwidth-model.h"

#include "ns3/boolean.h"
#include "ns3/cluster.h"
#include "ns3/collective-runner.h"
#include "ns3/config.h"
#include "ns3/input-error.h"
#include "ns3/simulator.h"
#include "ns3/single-switch-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::llm
{

namespace
{

/** Reduction in an HB domain's switch (NVLS). */
const std::string IN_SWITCH = "ns3::llm::InSwitchAlgorithm";

/** The same inside, and trees across (NVLSTree). */
const std::string SWITCH_TREE = "ns3::llm::HierarchicalAlgorithm[Inside=" + IN_SWITCH +
                                "|Across=ns3::llm::DoubleBinaryTreeAlgorithm|Slices=16]";

/** Sizes up to this are tried with all protocols and with trees. */
constexpr uint64_t LATENCY_BOUND = 256 << 20;

/** Most rings side by side. */
constexpr uint32_t MOST_CHANNELS = 16;

/** @param row a measurement @param plan its @param across how all-reduce goes across domains
 * @return whether the switch of a domain reduced it */
bool
IsReducedInSwitch(const Measurement& row, const MeasurementPlan& plan, const std::string& across)
{
    const bool isPossible =
        row.ranks <= plan.domain || across == "switch tree" || row.algorithm == "NVLSTree";
    if (row.operation != "all-reduce" || plan.constants.switchEfficiency == 0 ||
        row.algorithm == "ring" || !isPossible)
    {
        return false;
    }
    constexpr uint64_t FEWEST_BYTES = 2 << 20; // where measurements say from where on
    const uint32_t ranks = std::min(row.ranks, plan.domain);
    return ranks >= plan.constants.switchRanks && row.bytes >= FEWEST_BYTES;
}

/** @param row a measurement @param plan its @param across all-reduce: ring or tree @return names */
std::vector<std::string>
ChooseAlgorithms(const Measurement& row, const MeasurementPlan& plan, const std::string& across)
{
    const bool isAcross = row.ranks > plan.domain;
    const std::string ring = isAcross
                                 ? "ns3::llm::RingAlgorithm[RotateInDomains=true|Channels=" +
                                       std::to_string(std::min(plan.domain, MOST_CHANNELS)) + "]"
                                 : "ns3::llm::RingAlgorithm";
    if (plan.isInSwitch)
    {
        return {isAcross ? SWITCH_TREE : IN_SWITCH};
    }
    if (row.operation == "all-to-all")
    {
        return {"ns3::llm::DirectAlgorithm"};
    }
    if (row.operation != "all-reduce" || !isAcross)
    {
        return {ring};
    }
    std::vector<std::string> names{across == "tree" ? "ns3::llm::HierarchicalAlgorithm[Slices=8]"
                                                    : ring};
    if (row.bytes <= LATENCY_BOUND)
    {
        names.push_back("ns3::llm::DoubleBinaryTreeAlgorithm");
    }
    return names;
}

/** @param row a measurement @param domain GPUs of an HB domain @return payload over all NICs */
double
CountNicBytes(const Measurement& row, uint32_t domain)
{
    const double ranks = row.ranks;
    const double domains = ranks / domain;
    if (domains <= 1)
    {
        return 0;
    }
    if (row.operation == "all-to-all")
    {
        return static_cast<double>(row.bytes) * (ranks - domain);
    }
    const double times = row.operation == "all-reduce" ? 2 : 1;
    return times * static_cast<double>(row.bytes) * domains;
}

/** @param gbps a rate @return it */
DataRate
MakeRate(double gbps)
{
    return DataRate(static_cast<uint64_t>(std::llround(gbps * 1e9)));
}

/** @param plan of a measurement @return latency of its operation, us */
double
GetLaunchUs(const MeasurementPlan& plan)
{
    return plan.constants.launchUs + (plan.isInSwitch ? plan.constants.switchUs : 0);
}

/** Set what does not depend on the algorithm. @param plan of a measurement @param protocol its
 * @param scale so many times fewer bytes are sent, so latencies of messages are as many times shorter */
void
SetDefaults(const MeasurementPlan& plan, const Protocol& protocol, double scale)
{
    const SystemClass& constants = plan.constants;
    const auto ns = [](double us)
    {
        return TimeValue(NanoSeconds(static_cast<int64_t>(std::llround(us * 1e3))));
    };
    const std::string group = "ns3::llm::Communicator::";
    Config::SetDefault(group + "LaunchLatency", ns(GetLaunchUs(plan)));
    Config::SetDefault(group + "StepLatency", ns(protocol.stepUs / scale));
    Config::SetDefault(group + "ChunkBytes", UintegerValue(constants.chunkBytes));
    Config::SetDefault(group + "ReductionRate",
                       DataRateValue(MakeRate(8 * constants.reductionGBytesPerS)));
    const std::string rdma = "ns3::llm::RdmaTransport::";
    Config::SetDefault(rdma + "CongestionControl", StringValue("ns3::llm::NoCongestionControl"));
    // a buffer with headroom for all ports of a switch that stands for a whole network
    Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(uint64_t{1} << 31));
    // two frames as one: the same bytes on the wire in half the events
    Config::SetDefault(rdma + "Mtu", UintegerValue(8192));
    Config::SetDefault(rdma + "DataOverhead", UintegerValue(164));
    Config::SetDefault(rdma + "FramesPerAck", UintegerValue(16));
}

/** One run. @param row the measurement @param scale so many times fewer bytes are sent @param plan its
 * @param share of the links' rate @param algorithm its name @return us */
double
Run(const Measurement& row,
    uint64_t scale,
    const MeasurementPlan& plan,
    double share,
    const std::string& algorithm)
{
    const SystemClass& constants = plan.constants;
    const double efficiency =
        plan.isInSwitch ? constants.switchEfficiency : constants.domainEfficiency;
    auto helper = CreateObject<SingleSwitchHelper>();
    helper->SetAttribute("Accelerators", UintegerValue(row.ranks));
    helper->SetAttribute("DomainSize", UintegerValue(std::min(plan.domain, row.ranks)));
    helper->SetAttribute("DomainRate",
                         DataRateValue(MakeRate(constants.domainGbps * efficiency * share)));
    helper->SetAttribute("DomainReduction", BooleanValue(plan.isInSwitch));
    if (row.nicGbps > 0)
    {
        helper->SetAttribute(
            "NicRate",
            DataRateValue(MakeRate(row.nicGbps * constants.nicEfficiency * share)));
        const double ns = std::max(1.0, constants.nicUs * 500 / static_cast<double>(scale));
        helper->SetAttribute("NicDelay", TimeValue(NanoSeconds(std::llround(ns))));
    }
    const Ptr<Cluster> cluster = helper->Build();
    CollectiveRequest request;
    request.operation = ParseCollectiveOperation(row.operation);
    request.bytes = row.bytes / scale;
    std::vector<uint32_t> group(row.ranks);
    std::iota(group.begin(), group.end(), 0);
    const CollectiveRunner runner(cluster, group, request, algorithm);
    Simulator::Run();
    const auto complaints = runner.GetComplaints();
    if (!complaints.empty())
    {
        RefuseInput("line " + std::to_string(row.line) + ": " + complaints.front());
    }
    const double us = runner.GetLastDone().ToDouble(Time::US);
    Simulator::Destroy();
    return us;
}

} // namespace

MeasurementPlan
PlanMeasurement(const Measurement& row, const SystemTable& table)
{
    MeasurementPlan plan;
    const auto place = table.systems.find(row.system);
    if (place == table.systems.end())
    {
        plan.leftOut = "no constants for this system";
        return plan;
    }
    const System& system = place->second;
    plan.leftOut = system.leftOut;
    if (!plan.leftOut.empty())
    {
        return plan;
    }
    plan.className = system.className;
    plan.constants = table.classes.at(system.className);
    plan.domain = system.domain > 0 ? system.domain : row.ranks / row.nodes;
    plan.isInSwitch = IsReducedInSwitch(row, plan, system.acrossNodes);
    if (row.bytes == 0)
    {
        plan.leftOut = "the source prints no size";
    }
    else if (row.ranks < system.meshGpus)
    {
        plan.leftOut =
            "few GPUs of a mesh have few of its links; the module's HB domain is a switch";
    }
    else if (row.ranks > plan.domain && row.nicGbps == 0)
    {
        plan.leftOut = "the source does not say the NICs' rate";
    }
    plan.algorithms = ChooseAlgorithms(row, plan, system.acrossNodes);
    return plan;
}

SimulatedMeasurement
SimulateMeasurement(const Measurement& row, const MeasurementPlan& plan, uint64_t mostNicBytes)
{
    SimulatedMeasurement result;
    const double nicBytes = CountNicBytes(row, plan.domain);
    result.scale = static_cast<uint64_t>(
        std::max(1.0, std::ceil(nicBytes / static_cast<double>(mostNicBytes))));
    for (const Protocol& protocol : plan.constants.protocols)
    {
        const bool isLast = &protocol == &plan.constants.protocols.back();
        if (row.bytes > LATENCY_BOUND && !isLast)
        {
            continue; // for what is small
        }
        SetDefaults(plan, protocol, static_cast<double>(result.scale));
        for (const std::string& algorithm : plan.algorithms)
        {
            const double us = Run(row, result.scale, plan, protocol.share, algorithm);
            const double launch = GetLaunchUs(plan);
            const double whole = launch + (us - launch) * static_cast<double>(result.scale);
            if (result.algorithm.empty() || whole < result.us)
            {
                result.us = whole;
                result.algorithm = algorithm.substr(0, algorithm.find('['));
                result.protocol = protocol.name;
            }
        }
    }
    return result;
}

} // namespace ns3::llm
