// SPDX-License-Identifier: GPL-2.0-only

#include "parameter-count.h"

namespace ns3::llm
{

uint64_t
ParameterCount::GetTotal() const
{
    return sharded + replicated + GetExperts();
}

uint64_t
ParameterCount::GetExperts() const
{
    return expertSharded + expertReplicated;
}

uint64_t
ParameterCount::GetDensePerRank(uint64_t tensorParallel) const
{
    return sharded / tensorParallel + replicated;
}

uint64_t
ParameterCount::GetExpertsPerRank(uint64_t tensorParallel, uint64_t expertParallel) const
{
    return expertSharded / (tensorParallel * expertParallel) + expertReplicated / expertParallel;
}

uint64_t
ParameterCount::GetPerRank(uint64_t tensorParallel, uint64_t expertParallel) const
{
    return GetDensePerRank(tensorParallel) + GetExpertsPerRank(tensorParallel, expertParallel);
}

ParameterCount
ParameterCount::operator+(const ParameterCount& other) const
{
    return {sharded + other.sharded,
            replicated + other.replicated,
            expertSharded + other.expertSharded,
            expertReplicated + other.expertReplicated};
}

ParameterCount
ParameterCount::operator*(uint64_t times) const
{
    return {sharded * times, replicated * times, expertSharded * times, expertReplicated * times};
}

} // namespace ns3::llm
