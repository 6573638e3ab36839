// SPDX-License-Identifier: GPL-2.0-only

#include "training-helper.h"

#include "ns3/iteration-estimate.h"

#include <sstream>

namespace ns3::llm
{

namespace
{

/** Most ranks whose traffic is looked at one by one; of more, as many are taken as a sample. */
constexpr uint32_t MAX_SAMPLE = 512;

/**
 * @param path the way of messages
 * @param traffic the messages
 * @return frames x links for them
 */
double
CountHops(const Path& path, const DimensionTraffic& traffic)
{
    double hops = 0;
    const uint64_t size = (traffic.sentBytes + traffic.messages - 1) / traffic.messages;
    for (const PathLeg& leg : path.legs)
    {
        if (leg.isFluid)
        {
            continue;
        }
        const auto perMessage = static_cast<double>(size == 0 ? 1 : (size + leg.mtu - 1) / leg.mtu);
        const double frames = perMessage * static_cast<double>(traffic.messages);
        hops += frames * static_cast<double>(leg.links.size());
        hops += frames / leg.framesPerAck * static_cast<double>(leg.ackLinks.size());
    }
    return hops;
}

/**
 * @param workload what is computed
 * @param layout who is where
 * @param locality gives the paths
 * @param rank a rank
 * @return frames x links for what the rank sends in an iteration
 */
double
CountHopsOfRank(const Ptr<const TransformerWorkload>& workload,
                const JobLayout& layout,
                const Locality& locality,
                uint32_t rank)
{
    const ParallelStrategy& strategy = workload->GetStrategy();
    const IterationEstimate estimate = EstimateIteration(workload, rank);
    double hops = 0;
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        const auto dimension = static_cast<ParallelDimension>(i);
        if (estimate.Get(dimension).messages == 0)
        {
            continue;
        }
        const auto group = strategy.GetGroup(dimension, rank);
        std::size_t next = 0;
        while (group[next] != rank)
        {
            ++next;
        }
        // the neighbor in the ring; of a pipeline's two neighbors either will do for an estimate
        next = (next + 1) % group.size();
        const Path path =
            locality.GetPath(layout.GetAccelerator(rank), layout.GetAccelerator(group[next]));
        hops += CountHops(path, estimate.Get(dimension));
    }
    return hops;
}

/**
 * @param strategy how a job is divided
 * @param dimension a dimension; nothing is added if its groups are lone ranks
 * @param layout gets its groups
 */
void
AddGroups(const ParallelStrategy& strategy, ParallelDimension dimension, JobLayout& layout)
{
    if (strategy.GetSize(dimension) == 1)
    {
        return;
    }
    uint32_t number = 0;
    for (const auto& group : strategy.GetGroups(dimension))
    {
        layout.AddGroup(dimension,
                        std::string(GetShortName(dimension)) + " group " + std::to_string(number++),
                        group);
    }
}

/**
 * @param strategy how a job is divided
 * @param dimension a dimension
 * @param around whether last and first of a group are neighbors
 * @param layout gets pairs of neighbors, both ways
 */
void
AddPairs(const ParallelStrategy& strategy,
         ParallelDimension dimension,
         bool around,
         JobLayout& layout)
{
    for (const auto& group : strategy.GetGroups(dimension))
    {
        const std::size_t last = around ? group.size() : group.size() - 1;
        for (std::size_t place = 0; group.size() > 1 && place < last; ++place)
        {
            const uint32_t next = group[(place + 1) % group.size()];
            layout.AddPair(group[place], next, dimension);
            layout.AddPair(next, group[place], dimension);
        }
    }
}

} // namespace

TrainingHelper::TrainingHelper()
    : m_factory("ns3::llm::TrainingJob")
{
}

void
TrainingHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

Ptr<TrainingJob>
TrainingHelper::Install(Ptr<const TransformerWorkload> workload, Ptr<Cluster> cluster) const
{
    return Install(workload, MakeLayout(workload->GetStrategy()), cluster);
}

Ptr<TrainingJob>
TrainingHelper::Install(Ptr<const TransformerWorkload> workload,
                        const JobLayout& layout,
                        Ptr<Cluster> cluster) const
{
    layout.CheckFits(cluster->GetAcceleratorCount());
    auto job = m_factory.Create<TrainingJob>();
    job->SetLayout(layout);
    job->SetGraphFactory([workload](uint32_t rank) { return workload->MakeGraph(rank); });
    job->SetTransport(cluster->GetTransport());
    job->SetLocality(cluster);
    return job;
}

JobLayout
TrainingHelper::MakeLayout(const ParallelStrategy& strategy, std::vector<uint32_t> accelerators)
{
    const auto ranks = static_cast<uint32_t>(strategy.GetRankCount());
    JobLayout layout =
        accelerators.empty() ? JobLayout::MakeIdentity(ranks) : JobLayout(std::move(accelerators));
    AddGroups(strategy, ParallelDimension::TENSOR, layout);
    AddGroups(strategy, ParallelDimension::DATA, layout);
    // with model chunks the last stage hands on to the first
    AddPairs(strategy, ParallelDimension::PIPELINE, strategy.modelChunks > 1, layout);
    AddGroups(strategy, ParallelDimension::CONTEXT, layout);
    AddPairs(strategy, ParallelDimension::CONTEXT, true, layout);
    if (strategy.expertParallel > 1)
    {
        AddGroups(strategy, ParallelDimension::EXPERT, layout);
        AddGroups(strategy, ParallelDimension::EXPERT_DATA, layout);
    }
    AddGroups(strategy, ParallelDimension::EMBEDDING, layout);
    AddGroups(strategy, ParallelDimension::WORLD, layout);
    return layout;
}

uint64_t
TrainingHelper::EstimateHops(const Ptr<const TransformerWorkload>& workload,
                             const JobLayout& layout,
                             const Locality& locality)
{
    const uint32_t ranks = layout.GetRankCount();
    const uint32_t step = (ranks + MAX_SAMPLE - 1) / MAX_SAMPLE;
    double hops = 0;
    uint32_t sampled = 0;
    for (uint32_t rank = 0; rank < ranks; rank += step)
    {
        hops += CountHopsOfRank(workload, layout, locality, rank);
        ++sampled;
    }
    return sampled == 0 ? 0 : static_cast<uint64_t>(hops * ranks / sampled);
}

TrainingReport::Facts
TrainingHelper::Describe(const TransformerWorkload& workload)
{
    const TransformerShape& shape = workload.GetModel().GetShape();
    const ParallelStrategy& strategy = workload.GetStrategy();
    std::ostringstream model;
    model << shape.name << ": " << shape.layers << " layers, hidden " << shape.hidden << ", "
          << shape.heads << " heads";
    std::ostringstream vocabulary;
    vocabulary << workload.GetUnpaddedVocabulary();
    if (shape.vocabulary != workload.GetUnpaddedVocabulary())
    {
        vocabulary << " padded to " << shape.vocabulary << ", a multiple of 128 x TP";
    }
    std::ostringstream batch;
    batch << strategy.GetMicroBatchCount() << " micro-batches of " << strategy.microBatchSize
          << " sequences of " << strategy.sequenceLength << " tokens for each replica";
    return {{"model", model.str()},
            {"vocabulary", vocabulary.str()},
            {"accelerator", workload.GetAccelerator().name},
            {"strategy", strategy.Describe()},
            {"batch", batch.str()},
            {"schedule", workload.GetSchedule()->GetInstanceTypeId().GetName()}};
}

} // namespace ns3::llm
