// SPDX-License-Identifier: GPL-2.0-only

#include "iteration-time.h"

#include "ns3/input-error.h"

namespace ns3::llm
{

namespace
{

/**
 * @param config what a workload is made of
 * @param microBatches of a replica
 * @return the same with that many
 */
Ptr<const TransformerWorkload>
WithMicroBatches(TransformerWorkload::Config config, uint32_t microBatches)
{
    auto& strategy = config.strategy;
    strategy.globalBatchSize = microBatches * strategy.microBatchSize * strategy.dataParallel;
    return Create<TransformerWorkload>(config, static_cast<uint32_t>(strategy.GetRankCount()));
}

} // namespace

ReplayResult
ReplayIteration(const Ptr<const TransformerWorkload>& workload,
                const CommunicationCost& cost,
                double slowDown)
{
    IterationReplay::Config config = IterationReplay::MakeConfig(workload->GetStrategy());
    config.factory = [workload](uint32_t rank)
    {
        return workload->MakeGraph(rank);
    };
    config.communicationSlowDown = slowDown;
    ReplayResult result = IterationReplay(config, cost).Run();
    if (!result.unfinished.empty())
    {
        RefuseInput("an iteration of " + workload->GetStrategy().Describe() +
                    " cannot end: " + result.unfinished.front());
    }
    return result;
}

Time
EstimateIterationTime(const TransformerWorkload::Config& config,
                      const CommunicationCost& cost,
                      double slowDown)
{
    const uint32_t stages = config.strategy.pipelineParallel;
    const uint32_t all = config.strategy.GetMicroBatchCount();
    const uint32_t few = 2 * stages;
    const uint32_t more = 3 * stages;
    if (all <= more)
    {
        return ReplayIteration(WithMicroBatches(config, all), cost, slowDown).time;
    }
    const Time first = ReplayIteration(WithMicroBatches(config, few), cost, slowDown).time;
    const Time second = ReplayIteration(WithMicroBatches(config, more), cost, slowDown).time;
    // a pace of the pipeline belongs to `stages` micro-batches, as interleaved schedules go in rounds
    return second + (second - first) * int64_t(all - more) / int64_t(stages);
}

} // namespace ns3::llm
