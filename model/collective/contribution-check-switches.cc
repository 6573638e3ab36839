// SPDX-License-Identifier: GPL-2.0-only

// Whose contributions go into what switches reduce, and who gets it.

#include "contribution-check.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

/** @param rank a rank @param what it does @param step the step @return both in words */
std::string
DescribeCall(uint32_t rank, const std::string& what, const Step& step)
{
    return "rank " + std::to_string(rank) + " " + what + " (place " + std::to_string(step.place) +
           ") ";
}

} // namespace

bool
ContributionCheck::AreEqual(const BufferRanges& a, const BufferRanges& b)
{
    return std::equal(a.begin(),
                      a.end(),
                      b.begin(),
                      b.end(),
                      [](const BufferRange& one, const BufferRange& other)
                      { return one.begin == other.begin && one.bytes == other.bytes; });
}

std::string
ContributionCheck::DoCall(uint32_t rank, const Step& step, const BufferRanges& ranges)
{
    const bool isReduction = step.kind == Step::REDUCE;
    if (!isReduction && step.peer != rank)
    {
        return ""; // says that it takes part
    }
    const std::string name =
        DescribeCall(rank, isReduction ? "has switches reduce" : "has switches multicast", step);
    const auto size = static_cast<uint32_t>(m_program->GetGroup(step.group).size());
    const auto [at, isNew] =
        m_calls.try_emplace({step.group, isReduction ? Step::EVERY : rank, step.place});
    Call& call = at->second;
    if (isNew)
    {
        call.ranges = ranges;
        call.takers = !isReduction ? size - 1 : step.peer == Step::EVERY ? size : 1;
    }
    if (!AreEqual(ranges, call.ranges))
    {
        return name + "other bytes than the others";
    }
    Content mine;
    const BufferRange missing = Copy(rank, ranges, mine);
    if (missing.bytes > 0)
    {
        return name + "bytes " + std::to_string(missing.begin) + " to " +
               std::to_string(missing.GetEnd()) + ", which it does not have";
    }
    ++call.senders;
    if (isNew)
    {
        call.content = mine;
        return "";
    }
    for (const auto& [interval, who] : mine)
    {
        Content merged;
        for (auto [part, end] = call.content.equal_range(interval); part != end; ++part)
        {
            if (part->second.intersects(who) && !m_meaning.IsIdempotent())
            {
                return name + "what has the contribution of " + Describe(part->second & who) +
                       " twice";
            }
            merged.set({part->first & interval, part->second | who});
        }
        for (const auto& part : merged)
        {
            call.content.set(part);
        }
    }
    return "";
}

std::string
ContributionCheck::TakeCall(uint32_t rank,
                            const Step& step,
                            const BufferRanges& ranges,
                            bool& isCalled)
{
    const auto at = step.kind == Step::RECEIVE ? m_calls.find({step.group, step.peer, step.place})
                                               : m_calls.end();
    isCalled = at != m_calls.end() || (step.kind == Step::RECEIVE && step.peer == Step::EVERY);
    if (!isCalled)
    {
        return "";
    }
    const std::string name = DescribeCall(rank, "receives from switches", step);
    if (at == m_calls.end())
    {
        return name + "what nobody sent";
    }
    Call& call = at->second;
    if (step.peer == Step::EVERY && call.senders < m_program->GetGroup(step.group).size())
    {
        return name + "what only " + std::to_string(call.senders) + " ranks have sent";
    }
    if (!AreEqual(ranges, call.ranges))
    {
        return name + "other bytes than were sent";
    }
    for (const auto& part : call.content)
    {
        m_held[rank].set(part);
    }
    if (--call.takers == 0)
    {
        m_calls.erase(at);
    }
    return "";
}

} // namespace ns3::llm
