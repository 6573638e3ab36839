// SPDX-License-Identifier: GPL-2.0-only

#include "timed-step.h"

namespace ns3::llm
{

namespace
{

/**
 * @param first a sequence of operators
 * @param second an operator
 * @return whether they may be one computation: reports tell recomputation from the rest
 */
bool
CanJoin(const TimedStep& first, const TransformerStep& second)
{
    constexpr auto AGAIN = TransformerStep::RECOMPUTATION;
    return first.kind == TransformerStep::OPERATOR &&
           (first.share == AGAIN) == (second.share == AGAIN);
}

} // namespace

std::vector<TimedStep>
StepTimer::Apply(const std::vector<TransformerStep>& steps) const
{
    std::vector<TimedStep> result;
    bool open = false; // something to wait for
    for (const auto& step : steps)
    {
        const bool communicates = step.kind == TransformerStep::COMMUNICATION;
        const bool alone = communicates && groupSize(step.dimension) == 1;
        const bool idle = step.kind == TransformerStep::WAIT && !open;
        if (alone || idle)
        {
            continue;
        }
        open = communicates || (open && step.kind != TransformerStep::WAIT);
        if (step.kind == TransformerStep::OPERATOR)
        {
            if (result.empty() || !CanJoin(result.back(), step))
            {
                result.emplace_back();
                result.back().share = step.share;
            }
            result.back().duration += time(step.op);
            continue;
        }
        TimedStep timed;
        timed.kind = step.kind;
        timed.share = step.share;
        timed.task = step.task;
        timed.dimension = step.dimension;
        timed.bytes = communicates ? step.bytes : step.parameters * gradientBytes;
        timed.peer = step.peer;
        timed.expert = step.expert;
        result.push_back(timed);
    }
    return result;
}

} // namespace ns3::llm
