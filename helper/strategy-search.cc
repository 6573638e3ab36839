// SPDX-License-Identifier: GPL-2.0-only

#include "strategy-search.h"

#include "ns3/input-error.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

const char* const DOES_NOT_FIT_MEMORY = "more memory than the accelerator has"; //!< a reason
const char* const DOES_NOT_DIVIDE = "model or batch cannot be divided so";      //!< a reason

/**
 * @param whole a number
 * @return its divisors, ascending
 */
std::vector<uint32_t>
GetDivisors(uint32_t whole)
{
    std::vector<uint32_t> divisors;
    for (uint32_t i = 1; i <= whole; ++i)
    {
        if (whole % i == 0)
        {
            divisors.push_back(i);
        }
    }
    return divisors;
}

/**
 * @param workload a workload
 * @return the memory of the stage that needs most
 */
MemoryEstimate
FindLargest(const TransformerWorkload& workload)
{
    MemoryEstimate largest;
    for (uint32_t stage = 0; stage < workload.GetStrategy().pipelineParallel; ++stage)
    {
        const MemoryEstimate memory = workload.GetMemory(stage);
        if (memory.GetTotal() > largest.GetTotal())
        {
            largest = memory;
        }
    }
    return largest;
}

} // namespace

std::string
StrategyCandidate::Describe() const
{
    const auto& strategy = workload->GetStrategy();
    return strategy.Describe() + ", micro-batch " + std::to_string(strategy.microBatchSize);
}

StrategySearch::StrategySearch(const TransformerWorkload::Config& base, const Space& space)
    : m_base(base),
      m_space(space)
{
    const std::pair<const char*, uint32_t> counts[] = {
        {"accelerators", space.accelerators},
        {"largest tensor group", space.largestTensorGroup},
        {"largest context group", space.largestContextGroup},
        {"global batch size", space.globalBatchSize},
        {"sequence length", space.sequenceLength}};
    for (const auto& [name, count] : counts)
    {
        if (count == 0)
        {
            RefuseInput(std::string(name) + " of a strategy search = 0, but must be at least 1");
        }
    }
}

std::vector<StrategyCandidate>
StrategySearch::Rank(const Evaluation& evaluate)
{
    m_leftOut.clear();
    std::vector<StrategyCandidate> found;
    for (const ParallelStrategy& division : ListDivisions())
    {
        AddVariants(division, found);
    }
    for (StrategyCandidate& candidate : found)
    {
        candidate.iteration = evaluate(candidate.workload);
    }
    std::stable_sort(found.begin(),
                     found.end(),
                     [](const auto& a, const auto& b) { return a.iteration < b.iteration; });
    return found;
}

const std::map<std::string, uint32_t>&
StrategySearch::GetLeftOut() const
{
    return m_leftOut;
}

std::vector<ParallelStrategy>
StrategySearch::ListDivisions() const
{
    std::vector<ParallelStrategy> divisions;
    ParallelStrategy strategy;
    strategy.globalBatchSize = m_space.globalBatchSize;
    strategy.sequenceLength = m_space.sequenceLength;
    for (const uint32_t tensor : GetDivisors(m_space.accelerators))
    {
        if (tensor > m_space.largestTensorGroup)
        {
            break;
        }
        strategy.tensorParallel = tensor;
        strategy.sequenceParallel = m_space.sequenceParallel && tensor > 1;
        for (const uint32_t context : GetDivisors(m_space.accelerators / tensor))
        {
            if (context > m_space.largestContextGroup)
            {
                break;
            }
            strategy.contextParallel = context;
            const uint32_t rest = m_space.accelerators / tensor / context;
            for (const uint32_t pipeline : GetDivisors(rest))
            {
                strategy.pipelineParallel = pipeline;
                strategy.dataParallel = rest / pipeline;
                divisions.push_back(strategy);
            }
        }
    }
    return divisions;
}

void
StrategySearch::AddVariants(const ParallelStrategy& division, std::vector<StrategyCandidate>& found)
{
    const uint64_t experts = m_base.model.GetShape().experts.count;
    for (const uint32_t expert : GetDivisors(experts == 0 ? 1 : division.dataParallel))
    {
        for (const uint32_t microBatch : m_space.microBatchSizes)
        {
            for (const uint32_t chunks : m_space.modelChunks)
            {
                for (const uint32_t zero : m_space.zeroStages)
                {
                    const bool alone = division.dataParallel * division.contextParallel == 1;
                    if ((chunks > 1 && division.pipelineParallel == 1) || (zero > 0 && alone))
                    {
                        continue; // nothing to interleave, or nobody to share with
                    }
                    ParallelStrategy strategy = division;
                    strategy.expertParallel = expert;
                    strategy.microBatchSize = microBatch;
                    strategy.modelChunks = chunks;
                    strategy.zeroStage = zero;
                    AddFitting(strategy, found);
                }
            }
        }
    }
}

void
StrategySearch::AddFitting(ParallelStrategy strategy, std::vector<StrategyCandidate>& found)
{
    TransformerWorkload::Config config = m_base;
    config.options.memory.check = false;
    config.schedule = nullptr;
    for (const auto recomputation :
         {Recomputation::NONE, Recomputation::SELECTIVE, Recomputation::FULL})
    {
        strategy.recomputation = recomputation;
        config.strategy = strategy;
        StrategyCandidate candidate;
        try
        {
            candidate.workload = Create<TransformerWorkload>(config, m_space.accelerators);
        }
        catch (const InputError&)
        {
            ++m_leftOut[DOES_NOT_DIVIDE];
            return;
        }
        candidate.memory = FindLargest(*candidate.workload);
        const uint64_t size = m_base.accelerator.memoryBytes;
        if (size == 0 || candidate.memory.GetTotal() <= size)
        {
            found.push_back(candidate);
            return;
        }
    }
    ++m_leftOut[DOES_NOT_FIT_MEMORY];
}

} // namespace ns3::llm
