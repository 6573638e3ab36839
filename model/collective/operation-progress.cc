// SPDX-License-Identifier: GPL-2.0-only

#include "operation-progress.h"

#include "transfer-time.h"

#include <algorithm>

namespace ns3::llm
{

Time
GetStepCost(const Step& step, const StepCosts& costs)
{
    if (step.kind == Step::SEND)
    {
        return costs.latency;
    }
    if (step.kind == Step::REDUCE || step.kind == Step::MULTICAST)
    {
        return step.isTogether ? Time(0) : costs.latency;
    }
    const bool reduces = step.reduce && costs.reductionRate.GetBitRate() > 0;
    return reduces ? GetTransferTime(step.bytes, costs.reductionRate) : Time(0);
}

OperationProgress::OperationProgress(std::shared_ptr<const StepProgram> program,
                                     uint32_t rank,
                                     int64_t tick)
    : m_program(std::move(program)),
      m_rank(rank),
      m_lanes(m_program->GetLaneCount(rank)),
      m_wakeTick(tick)
{
    for (uint32_t lane = 0; lane < m_lanes.size(); ++lane)
    {
        m_lanes[lane].length = m_program->GetLaneLength(rank, lane);
        m_openLanes += m_lanes[lane].length > 0 ? 1 : 0;
    }
}

void
OperationProgress::Arrive(uint32_t peer, uint32_t place, int64_t tick)
{
    m_arrivals[{peer, place}] = tick;
    m_wakeTick = std::min(m_wakeTick, tick + 1);
}

void
OperationProgress::Advance(int64_t tick,
                           const StepCosts& costs,
                           SendCredits& credits,
                           const StepFunction& done)
{
    m_wakeTick = NEVER;
    m_isHeldUp = false;
    for (bool moved = true; moved;)
    {
        moved = false;
        for (uint32_t lane = 0; lane < m_lanes.size(); ++lane)
        {
            moved |= AdvanceLane(lane, tick, costs, credits, done);
        }
    }
}

bool
OperationProgress::AdvanceLane(uint32_t lane,
                               int64_t tick,
                               const StepCosts& costs,
                               SendCredits& credits,
                               const StepFunction& done)
{
    Lane& state = m_lanes[lane];
    const uint32_t before = state.next;
    while (state.next < state.length)
    {
        const Step step = m_program->GetStep(m_rank, lane, state.next);
        if (state.dueTick == NEVER)
        {
            if (!Begin(step, tick, credits))
            {
                break;
            }
            state.dueTick = tick + GetStepCost(step, costs).GetTimeStep();
        }
        if (state.dueTick > tick)
        {
            m_wakeTick = std::min(m_wakeTick, state.dueTick);
            break;
        }
        done(lane, state.next, step);
        state.dueTick = NEVER;
        ++state.next;
    }
    m_openLanes -= state.next > before && state.next == state.length ? 1 : 0;
    return state.next > before;
}

bool
OperationProgress::Begin(const Step& step, int64_t tick, SendCredits& credits)
{
    if (!IsFree(step) || (step.kind == Step::RECEIVE && !TakeArrival(step, tick)))
    {
        return false;
    }
    if (step.kind == Step::SEND && !credits.Take(tick))
    {
        m_isHeldUp = true;
        return false;
    }
    return true;
}

bool
OperationProgress::TakeArrival(const Step& step, int64_t tick)
{
    const auto arrival = m_arrivals.find({step.peer, step.place});
    if (arrival == m_arrivals.end())
    {
        return false;
    }
    if (arrival->second >= tick)
    {
        m_wakeTick = std::min(m_wakeTick, arrival->second + 1);
        return false;
    }
    m_arrivals.erase(arrival);
    return true;
}

bool
OperationProgress::IsFree(const Step& step) const
{
    return step.dependencyLane == Step::NONE ||
           m_lanes[step.dependencyLane].next > step.dependencyIndex;
}

const StepProgram&
OperationProgress::GetProgram() const
{
    return *m_program;
}

int64_t
OperationProgress::GetWakeTick() const
{
    return m_wakeTick;
}

bool
OperationProgress::IsHeldUp() const
{
    return m_isHeldUp;
}

bool
OperationProgress::IsDone() const
{
    return m_openLanes == 0;
}

bool
OperationProgress::IsAllTaken() const
{
    return m_arrivals.empty();
}

bool
OperationProgress::FindReceive(uint32_t peer, uint32_t place, Step& step) const
{
    uint32_t lane;
    uint32_t index;
    if (!m_program->FindReceive(m_rank, peer, place, lane, index) || index < m_lanes[lane].next)
    {
        return false;
    }
    step = m_program->GetStep(m_rank, lane, index);
    return true;
}

std::vector<Step>
OperationProgress::GetAwaited() const
{
    std::vector<Step> result;
    for (uint32_t lane = 0; lane < m_lanes.size(); ++lane)
    {
        const Lane& state = m_lanes[lane];
        if (state.next < state.length && state.dueTick == NEVER)
        {
            const Step step = m_program->GetStep(m_rank, lane, state.next);
            if (step.kind == Step::RECEIVE && IsFree(step))
            {
                result.push_back(step);
            }
        }
    }
    return result;
}

} // namespace ns3::llm
