// SPDX-License-Identifier: GPL-2.0-only

#include "staged-program.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <string>

namespace ns3::llm
{

namespace
{

constexpr uint32_t PLACE_BITS = 24; //!< of a stage's messages

/**
 * @param bytes a length
 * @param units some of PartMap::UNITS
 * @return that share of the length, rounded down
 */
uint64_t
Scale(uint64_t bytes, uint64_t units)
{
    return bytes / PartMap::UNITS * units + bytes % PartMap::UNITS * units / PartMap::UNITS;
}

/**
 * Cut a piece out of stretches laid end to end.
 * @param ranges the stretches
 * @param first where the piece begins
 * @param end where it ends
 * @param result gets the stretches of the piece
 */
void
Cut(const BufferRanges& ranges, uint64_t first, uint64_t end, BufferRanges& result)
{
    uint64_t offset = 0;
    for (const BufferRange& range : ranges)
    {
        const uint64_t from = std::max(first, offset);
        const uint64_t to = std::min(end, offset + range.bytes);
        if (from < to)
        {
            result.push_back({range.begin + from - offset, to - from});
        }
        offset += range.bytes;
    }
}

/** @param step a step @return whether it calls on switches */
bool
IsCall(const Step& step)
{
    return step.kind == Step::REDUCE || step.kind == Step::MULTICAST;
}

/** @param lane a lane of `lanes` @param index a step of it @return a step that waits for that one */
ListedStep
MakeWait(uint32_t lane, uint32_t index)
{
    ListedStep result;
    result.step.kind = Step::WAIT;
    result.step.dependencyLane = lane;
    result.step.dependencyIndex = index;
    return result;
}

/**
 * @param stage a stage
 * @param lane a lane of the smaller program
 * @param index a step of it
 * @param firstLane what the smaller program's first lane is among all
 * @param shift how many steps come before its own in each lane
 * @return the step as one of the larger program
 */
ListedStep
Translate(const ProgramStage& stage,
          uint32_t lane,
          uint32_t index,
          uint32_t firstLane,
          uint32_t shift)
{
    ListedStep result;
    Step& step = result.step;
    step = stage.program->GetStep(stage.self, lane, index);
    if (step.dependencyLane != Step::NONE)
    {
        step.dependencyLane += firstLane;
        step.dependencyIndex += shift;
    }
    if (step.kind == Step::WAIT)
    {
        return result;
    }
    if (step.place >> PLACE_BITS != 0)
    {
        RefuseInput("a stage of a collective program has a message of place " +
                    std::to_string(step.place) +
                    "; places must be below 2^24: use fewer, larger "
                    "messages");
    }
    step.peer = step.peer == Step::EVERY ? Step::EVERY : stage.members.at(step.peer);
    step.group = stage.group;
    step.place |= stage.number << PLACE_BITS;
    step.chunk = step.place;
    for (const BufferRange& range : stage.program->GetRanges(stage.self, lane, index))
    {
        const BufferRanges some = stage.map.Translate(range);
        result.ranges.insert(result.ranges.end(), some.begin(), some.end());
    }
    step.begin = result.ranges.empty() ? 0 : result.ranges.front().begin;
    step.bytes = GetTotalBytes(result.ranges);
    return result;
}

} // namespace

PartMap::PartMap(std::vector<BufferRanges> parts, uint32_t slice, uint32_t slices)
    : m_parts(std::move(parts))
{
    for (BufferRanges& ranges : m_parts)
    {
        for (BufferRange& range : ranges)
        {
            range = GetPart(range, slices, slice);
        }
    }
}

BufferRanges
PartMap::Translate(const BufferRange& range) const
{
    BufferRanges result;
    const uint64_t end = range.GetEnd();
    for (uint64_t part = range.begin / UNITS; part * UNITS < end; ++part)
    {
        const uint64_t first = part * UNITS;
        const uint64_t bytes = GetTotalBytes(m_parts.at(part));
        const uint64_t from = std::max(range.begin, first) - first;
        const uint64_t to = std::min(end, first + UNITS) - first;
        Cut(m_parts[part], Scale(bytes, from), Scale(bytes, to), result);
    }
    return result;
}

StageAppender::StageAppender(RankLanes& lanes)
    : m_lanes(lanes)
{
}

void
StageAppender::Append(const std::vector<ProgramStage>& stages)
{
    m_calls.resize(stages.size());
    Gate gate;
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
        gate = AppendStage(stages[i], gate, m_calls[i]);
    }
}

StageAppender::Gate
StageAppender::AppendStage(const ProgramStage& stage, Gate before, Gate& calls)
{
    const auto firstLane = static_cast<uint32_t>(m_lanes.size());
    const uint32_t count = stage.program->GetLaneCount(stage.self);
    const Gate earlier = calls;
    std::vector<ListedStep> end;
    for (uint32_t lane = 0; lane < count; ++lane)
    {
        const uint32_t length = stage.program->GetLaneLength(stage.self, lane);
        const bool isCalling =
            length > 0 && IsCall(stage.program->GetStep(stage.self, lane, length - 1));
        std::vector<ListedStep> steps;
        for (const Gate& gate : {before, isCalling ? earlier : Gate()})
        {
            if (gate.lane != Step::NONE)
            {
                steps.push_back(MakeWait(gate.lane, gate.index));
            }
        }
        const auto shift = static_cast<uint32_t>(steps.size());
        for (uint32_t i = 0; i < length; ++i)
        {
            steps.push_back(Translate(stage, lane, i, firstLane, shift));
        }
        const auto last = static_cast<uint32_t>(steps.size()) - 1;
        if (isCalling)
        {
            calls = {firstLane + lane, last};
        }
        if (!steps.empty())
        {
            end.push_back(MakeWait(firstLane + lane, last));
        }
        m_lanes.push_back(std::move(steps));
    }
    if (end.empty())
    {
        return before;
    }
    m_lanes.push_back(std::move(end));
    return {static_cast<uint32_t>(m_lanes.size()) - 1,
            static_cast<uint32_t>(m_lanes.back().size()) - 1};
}

} // namespace ns3::llm
