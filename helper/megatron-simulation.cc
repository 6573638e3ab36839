// SPDX-License-Identifier: GPL-2.0-only

#include "megatron-simulation.h"

#include "class-list.h"
#include "topology-helper.h"
#include "training-helper.h"

#include "ns3/input-error.h"
#include "ns3/training-report.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3::llm
{

namespace
{

constexpr double PROGRESS_SECONDS = 1; //!< wall time between two reports

/** Set what does not belong to one object alone. */
void
SetDefaults()
{
    // the domain's rate is that of payload
    Config::SetDefault("ns3::llm::FluidDomain::WireOverhead", DoubleValue(1));
    const std::string communicator = "ns3::llm::Communicator::";
    Config::SetDefault(communicator + "Algorithm", StringValue("ns3::llm::RingAlgorithm"));
    // a step of a ring also takes the domain's delay, twice 250 ns
    const Time step = MegatronSystem::GetRingStep() - NanoSeconds(500);
    Config::SetDefault(communicator + "StepLatency", TimeValue(step));
    Config::SetDefault(communicator + "LaunchLatency", TimeValue(MegatronSystem::GetLaunch()));
    Config::SetDefault(communicator + "CheckCalls", BooleanValue(false));
    Config::SetDefault("ns3::llm::TrainingApplication::CommunicationSlowDown",
                       DoubleValue(MegatronSystem::SLOW_DOWN));
}

/**
 * @param run a published run
 * @param transport between HB domains
 * @return its cluster
 */
Ptr<Cluster>
BuildCluster(const PublishedRun& run, const std::string& transport)
{
    ObjectFactory factory = MakeFabricFactory("rail-optimized");
    factory.Set("Accelerators", UintegerValue(run.strategy.GetRankCount()));
    factory.Set("DomainSize", UintegerValue(MegatronSystem::DOMAIN_SIZE));
    factory.Set("DomainRate", DataRateValue(MegatronSystem::DOMAIN_BITS_PER_SECOND));
    factory.Set("NicRate", DataRateValue(MegatronSystem::NIC_BITS_PER_SECOND));
    factory.Set("Transport", StringValue(transport));
    return factory.Create<TopologyHelper>()->Build();
}

} // namespace

double
SimulateRun(const PublishedRun& run,
            const MegatronSystem& system,
            const std::string& transport,
            const ProgressMeter::Sink& sink)
{
    SetDefaults();
    const auto ranks = static_cast<uint32_t>(run.strategy.GetRankCount());
    const Ptr<const TransformerWorkload> workload =
        Create<TransformerWorkload>(system.MakeConfig(run), ranks);
    const Ptr<Cluster> cluster = BuildCluster(run, transport);
    const Ptr<TrainingJob> job = TrainingHelper().Install(workload, cluster);
    const Time expected = ReplayTime(run, system);
    ProgressMeter meter(
        [&]()
        {
            const double share = Simulator::Now().GetSeconds() / expected.GetSeconds();
            return ProgressMeter::Work{share, cluster->GetHops()};
        },
        sink,
        PROGRESS_SECONDS);
    if (sink)
    {
        job->SetProgressCallback(MakeCallback(&ProgressMeter::Tick, &meter));
    }
    job->Start();
    Simulator::Run();
    if (!job->IsFinished())
    {
        RefuseInput(run.name + " cannot end: " + job->DescribeUnfinished().front());
    }
    const double seconds = MakeTrainingReport(*job, run.name).GetSummary().iterationUs / 1e6;
    Simulator::Destroy();
    return seconds;
}

} // namespace ns3::llm
