// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_WORKLOAD_TEST_SUPPORT_H
#define LLM_FABRIC_WORKLOAD_TEST_SUPPORT_H

#include "ns3/input-error.h"
#include "ns3/parallel-strategy.h"
#include "ns3/transformer-model.h"
#include "ns3/transformer-workload.h"

#include <functional>
#include <string>
#include <vector>

/**
 * Run what must be refused.
 * @param action what must throw InputError
 * @param parts texts that the message must hold
 * @return "" if it did, else what was wrong
 */
inline std::string
CheckRefused(const std::function<void()>& action, const std::vector<std::string>& parts)
{
    try
    {
        action();
    }
    catch (const ns3::llm::InputError& error)
    {
        const std::string message = error.what();
        for (const auto& part : parts)
        {
            if (message.find(part) == std::string::npos)
            {
                return "'" + part + "' is not in: " + message;
            }
        }
        return "";
    }
    return "nothing was refused";
}

/** Count time in picoseconds, as the whole module does. */
inline void
UsePicosecondTicks()
{
    if (ns3::Time::GetResolution() != ns3::Time::PS)
    {
        ns3::Time::SetResolution(ns3::Time::PS);
    }
}

/**
 * @param tensor TP
 * @param pipeline PP
 * @param data DP
 * @param microBatches micro-batches of a replica, of one sequence each
 * @param sequence tokens
 * @return a strategy
 */
inline ns3::llm::ParallelStrategy
MakeStrategy(uint32_t tensor,
             uint32_t pipeline,
             uint32_t data,
             uint32_t microBatches,
             uint32_t sequence)
{
    ns3::llm::ParallelStrategy strategy;
    strategy.tensorParallel = tensor;
    strategy.pipelineParallel = pipeline;
    strategy.dataParallel = data;
    strategy.globalBatchSize = data * microBatches;
    strategy.sequenceLength = sequence;
    return strategy;
}

/**
 * @param model built-in name
 * @param strategy the strategy
 * @param options the rest; whether it fits the memory is not checked
 * @param accelerator name
 * @return the workload
 */
inline ns3::Ptr<const ns3::llm::TransformerWorkload>
MakeWorkload(const std::string& model,
             const ns3::llm::ParallelStrategy& strategy,
             ns3::llm::TransformerWorkloadOptions options = {},
             const std::string& accelerator = "A100")
{
    using namespace ns3::llm;
    options.memory.check = false;
    return ns3::Create<TransformerWorkload>(
        TransformerWorkload::Config{TransformerModel::Load(model),
                                    Accelerator::FromName(accelerator),
                                    strategy,
                                    nullptr,
                                    nullptr,
                                    options},
        static_cast<uint32_t>(strategy.GetRankCount()));
}

/**
 * @param workload a workload
 * @param rank a rank
 * @return all tasks of an iteration
 */
inline std::vector<ns3::llm::TrainingTask>
GetTasks(const ns3::Ptr<const ns3::llm::TransformerWorkload>& workload, uint32_t rank)
{
    auto graph = workload->MakeGraph(rank);
    std::vector<ns3::llm::TrainingTask> tasks;
    for (ns3::llm::TrainingTask task; graph->Next(task);)
    {
        tasks.push_back(task);
    }
    return tasks;
}

#endif // LLM_FABRIC_WORKLOAD_TEST_SUPPORT_H
