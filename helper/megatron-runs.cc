// SPDX-License-Identifier: GPL-2.0-only

#include "megatron-runs.h"

#include "iteration-time.h"

#include "ns3/cost-profile.h"
#include "ns3/roofline-cost-model.h"

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

namespace
{

/**
 * @param software which software
 * @param run a run
 * @return what that software does
 */
TransformerWorkloadOptions
MakeOptions(MegatronSystem::Software software, const PublishedRun& run)
{
    const bool early = software == MegatronSystem::EARLY_2021;
    TransformerWorkloadOptions options;
    options.operators = early ? OperatorOptions::Megatron2021() : OperatorOptions::Megatron2022();
    options.gradientBytes = early ? 2 : 4;
    options.overlapGradients = run.overlapGradients;
    options.scatterGather = true;
    options.rendezvous = true;
    options.pipelineCallOverhead = MicroSeconds(60);
    // for each parameter: zero 4, divide by DP 8, unscale 8, norm 4, clip 8, Adam 28, copy 6; with
    // 16-bit gradients copy to 32 bit 6, unscale 8, norm 4, clip 8, Adam 28, copy 6, and to and from
    // the bucket of an all-reduce that does not overlap 12
    constexpr uint32_t YEAR_2022_BYTES = 66;
    constexpr uint32_t EARLY_2021_BYTES = 60;
    constexpr uint32_t BUCKET_BYTES = 12;
    const bool copies = !run.overlapGradients && run.strategy.dataParallel > 1;
    options.optimizerBytesPerParameter =
        early ? EARLY_2021_BYTES + (copies ? BUCKET_BYTES : 0) : YEAR_2022_BYTES;
    options.iterationOverhead = MilliSeconds(10);
    options.memory.check = false;
    return options;
}

} // namespace

Time
MegatronSystem::GetRingStep()
{
    return NanoSeconds(2500);
}

Time
MegatronSystem::GetLaunch()
{
    return MicroSeconds(10);
}

Time
MegatronSystem::GetNetworkLatency()
{
    return MicroSeconds(15);
}

TransformerWorkload::Config
MegatronSystem::MakeConfig(const PublishedRun& run) const
{
    const Accelerator accelerator = Accelerator::FromName("A100-SXM-80GB");
    CostProfile profile = CostProfile::Find(accelerator);
    if (matrixEfficiency > 0)
    {
        profile.matrixEfficiency = matrixEfficiency;
    }
    auto cost = CreateObject<RooflineCostModel>();
    cost->SetProfile(profile);
    return {run.model, accelerator, run.strategy, cost, nullptr, MakeOptions(software, run)};
}

RingCommunicationCost
MegatronSystem::MakeCost(const PublishedRun& run) const
{
    const DataRate domain(DOMAIN_BITS_PER_SECOND);
    const DataRate nic(NIC_BITS_PER_SECOND);
    const auto& strategy = run.strategy;
    const uint32_t members = std::min(strategy.dataParallel, DOMAIN_SIZE / strategy.tensorParallel);
    RingCommunicationCost cost;
    cost.Set(ParallelDimension::TENSOR, {domain, GetRingStep(), GetLaunch()});
    // a rendezvous takes the way twice
    cost.Set(ParallelDimension::PIPELINE, {nic, GetNetworkLatency() / 2, Time(0)});
    cost.Set(ParallelDimension::EMBEDDING, {nic, Time(0), Time(0)});
    const DataRate bus =
        RingCommunicationCost::GetBusRate(strategy.dataParallel, members, domain, nic);
    cost.Set(ParallelDimension::DATA, {bus, GetNetworkLatency(), Time(0)});
    return cost;
}

Time
ReplayTime(const PublishedRun& run, const MegatronSystem& system)
{
    return EstimateIterationTime(system.MakeConfig(run),
                                 system.MakeCost(run),
                                 MegatronSystem::SLOW_DOWN);
}

std::vector<double>
PredictRuns(const std::vector<PublishedRun>& runs, const MegatronSystem& system)
{
    std::vector<double> seconds;
    for (const PublishedRun& run : runs)
    {
        seconds.push_back(ReplayTime(run, system).GetSeconds());
    }
    return seconds;
}

double
CalibrateMatrixEfficiency(const std::vector<PublishedRun>& runs, MegatronSystem::Software software)
{
    const auto misfit = [&](double efficiency)
    {
        const std::vector<double> seconds = PredictRuns(runs, {software, efficiency});
        double sum = 0;
        for (std::size_t i = 0; i < runs.size(); ++i)
        {
            const double error = std::log(seconds[i] / runs[i].seconds);
            sum += error * error;
        }
        return sum;
    };
    constexpr double LEAST = 0.6;
    constexpr double MOST = 1;
    constexpr int BITS = 12; // a quarter of a thousandth, far below what the rows can tell
    return boost::math::tools::brent_find_minima(misfit, LEAST, MOST, BITS).first;
}

} // namespace ns3::llm
