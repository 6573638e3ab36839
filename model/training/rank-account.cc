// SPDX-License-Identifier: GPL-2.0-only

#include "rank-account.h"

#include <algorithm>

namespace ns3::llm
{

const char*
GetShortName(ParallelDimension dimension)
{
    static constexpr const char* names[PARALLEL_DIMENSIONS] =
        {"TP", "PP", "DP", "CP", "EP", "EDP", "EMB", "ALL"};
    return names[static_cast<std::size_t>(dimension)];
}

bool
IsPipelineReceive(const TrainingTask& task)
{
    return task.kind == TrainingTask::RECEIVE && task.dimension == ParallelDimension::PIPELINE;
}

bool
IsCollective(const TrainingTask& task)
{
    return task.kind != TrainingTask::COMPUTE && task.kind != TrainingTask::SEND &&
           task.kind != TrainingTask::RECEIVE;
}

Time
RankAccount::GetTotal() const
{
    Time total = compute + bubble;
    for (const Time& part : exposed)
    {
        total += part;
    }
    return total;
}

Time&
RankAccount::Exposed(ParallelDimension dimension)
{
    return exposed[static_cast<std::size_t>(dimension)];
}

Time
RankAccount::Exposed(ParallelDimension dimension) const
{
    return exposed[static_cast<std::size_t>(dimension)];
}

void
RankAccount::AddIdle(const TrainingTask& blocker, Time peerStart, Time from, Time to)
{
    Time bubbleEnd = from;
    if (IsPipelineReceive(blocker))
    {
        bubbleEnd = std::min(std::max(from, peerStart), to);
    }
    bubble += bubbleEnd - from;
    Exposed(blocker.dimension) += to - bubbleEnd;
}

RankAccount&
RankAccount::operator+=(const RankAccount& other)
{
    compute += other.compute;
    bubble += other.bubble;
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        exposed[i] += other.exposed[i];
    }
    return *this;
}

} // namespace ns3::llm
