// SPDX-License-Identifier: GPL-2.0-only

#include "listed-program.h"

namespace ns3::llm
{

ListedProgram::ListedProgram(uint32_t size)
    : m_size(size)
{
}

const ListedProgram::Made&
ListedProgram::Get(uint32_t rank) const
{
    auto place = m_made.find(rank);
    if (place != m_made.end())
    {
        return place->second;
    }
    Made& made = m_made[rank];
    made.lanes = MakeLanes(rank);
    for (uint32_t lane = 0; lane < made.lanes.size(); ++lane)
    {
        for (uint32_t i = 0; i < made.lanes[lane].size(); ++i)
        {
            const Step& step = made.lanes[lane][i].step;
            if (step.kind == Step::RECEIVE)
            {
                made.receives[{step.peer, step.place}] = {lane, i};
            }
        }
    }
    return made;
}

bool
ListedProgram::FindReceive(uint32_t rank,
                           uint32_t peer,
                           uint32_t place,
                           uint32_t& lane,
                           uint32_t& index) const
{
    const Made& made = Get(rank);
    const auto receive = made.receives.find({peer, place});
    if (receive == made.receives.end())
    {
        return false;
    }
    lane = receive->second.first;
    index = receive->second.second;
    return true;
}

uint32_t
ListedProgram::GetSize() const
{
    return m_size;
}

uint32_t
ListedProgram::GetLaneCount(uint32_t rank) const
{
    return static_cast<uint32_t>(Get(rank).lanes.size());
}

uint32_t
ListedProgram::GetLaneLength(uint32_t rank, uint32_t lane) const
{
    return static_cast<uint32_t>(Get(rank).lanes[lane].size());
}

Step
ListedProgram::GetStep(uint32_t rank, uint32_t lane, uint32_t index) const
{
    return Get(rank).lanes[lane][index].step;
}

BufferRanges
ListedProgram::GetRanges(uint32_t rank, uint32_t lane, uint32_t index) const
{
    return Get(rank).lanes[lane][index].ranges;
}

ListedStep
MakeListedStep(Step::Kind kind, uint32_t peer, uint32_t place, BufferRanges ranges, bool reduce)
{
    ListedStep result;
    result.step.kind = kind;
    result.step.reduce = reduce;
    result.step.peer = peer;
    result.step.chunk = place;
    result.step.begin = ranges.empty() ? 0 : ranges.front().begin;
    result.step.bytes = GetTotalBytes(ranges);
    result.step.place = place;
    result.ranges = std::move(ranges);
    return result;
}

} // namespace ns3::llm
