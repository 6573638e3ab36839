// SPDX-License-Identifier: GPL-2.0-only

#include "rank-account.h"

namespace ns3::llm
{

const char*
GetShortName(ParallelDimension dimension)
{
    static constexpr const char* names[PARALLEL_DIMENSIONS] = {"TP", "PP", "DP"};
    return names[static_cast<std::size_t>(dimension)];
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
