// SPDX-License-Identifier: GPL-2.0-only

// What a communicator says of itself in messages. Only here may ranks look at each other's state:
// the run is over then.

#include "communicator.h"
#include "operation-text.h"

#include "ns3/input-error.h"

namespace ns3::llm
{

std::string
Communicator::DescribeRank(uint32_t rank) const
{
    return "rank " + std::to_string(rank) + " (accelerator " +
           std::to_string(m_accelerators[rank]) + ")";
}

std::string
Communicator::DescribeOperation(uint32_t rank, uint64_t instance) const
{
    const RankState& state = m_ranks[rank];
    const auto open = state.open.find(instance);
    if (open != state.open.end())
    {
        return DescribeRequest(open->second.request);
    }
    if (instance == state.lastInstance)
    {
        return DescribeRequest(state.lastRequest) + ", which is complete there";
    }
    return instance < state.calls ? "an operation that is complete there"
                                  : "an operation that it has not started";
}

void
Communicator::RefuseMismatch(uint32_t rank, uint64_t instance, const Message& message) const
{
    const uint32_t found = FindRank(message.source);
    const uint32_t peer = found < GetSize() ? found : rank; // what switches reduced is of all ranks
    RefuseInput(m_name + ": the ranks' " + DescribeOrdinal(instance) +
                " operations differ: " + DescribeRank(rank) + " does " +
                DescribeOperation(rank, instance) + ", " + DescribeRank(peer) + " does " +
                DescribeOperation(peer, instance) + " and sent " + DescribeBytes(message.bytes) +
                " that fit no step (place " + std::to_string(message.place) +
                "); all ranks must start the same operations in the same order");
}

std::vector<std::string>
Communicator::DescribeUnfinished() const
{
    std::vector<std::string> result;
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const RankState& state = m_ranks[rank];
        for (const auto& [instance, operation] : state.open)
        {
            std::string text = m_name + ", " + DescribeRequest(operation.request) + " (its " +
                               DescribeOrdinal(instance) + "): " + DescribeRank(rank);
            const std::vector<Step> awaited = operation.progress.GetAwaited();
            const char* link = " waits for chunk ";
            for (const Step& step : awaited)
            {
                text += link + std::to_string(step.chunk) + " from ";
                link = " and chunk ";
                if (step.peer == Step::EVERY)
                {
                    text += "all ranks, reduced by switches";
                    continue;
                }
                text += DescribeRank(step.peer);
                text += m_ranks[step.peer].calls <= instance ? ", which has not started it" : "";
            }
            result.push_back(text + (awaited.empty() ? " has steps to do" : ""));
        }
        for (const auto& [instance, messages] : state.early)
        {
            result.push_back(m_name + ": " + DescribeRank(rank) + " has not started its " +
                             DescribeOrdinal(instance) + " operation, for which " +
                             DescribeRank(FindRank(messages.front().source)) + " sent " +
                             DescribeBytes(messages.front().bytes));
        }
    }
    return result;
}

} // namespace ns3::llm
