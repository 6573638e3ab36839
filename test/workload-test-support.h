// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_WORKLOAD_TEST_SUPPORT_H
#define LLM_FABRIC_WORKLOAD_TEST_SUPPORT_H

#include "ns3/input-error.h"
#include "ns3/nstime.h"
#include "ns3/parallel-strategy.h"

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

#endif // LLM_FABRIC_WORKLOAD_TEST_SUPPORT_H
