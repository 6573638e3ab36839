// SPDX-License-Identifier: GPL-2.0-only

#include "contribution-check.h"

#include <sstream>

namespace ns3::llm
{

namespace
{

/** @param range a stretch @return it in words */
std::string
DescribeRange(const BufferRange& range)
{
    return "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.GetEnd());
}

/** @param rank a rank @param step its step @return both in words */
std::string
DescribeStep(uint32_t rank, const Step& step)
{
    return "rank " + std::to_string(rank) +
           (step.kind == Step::SEND ? " sends to rank " : " receives from rank ") +
           std::to_string(step.peer) + " (place " + std::to_string(step.place) + ") ";
}

} // namespace

ContributionCheck::ContributionCheck(const CollectiveRequest& request,
                                     std::shared_ptr<const StepProgram> program)
    : m_meaning(request, program->GetSize()),
      m_program(std::move(program)),
      m_held(m_program->GetSize())
{
    for (uint32_t rank = 0; rank < m_held.size(); ++rank)
    {
        const BufferRange range = m_meaning.GetContribution(rank);
        if (range.bytes > 0)
        {
            Ranks mine(m_held.size());
            mine.set(rank);
            m_held[rank].set({ToInterval(range), mine});
        }
    }
}

ContributionCheck::Interval
ContributionCheck::ToInterval(const BufferRange& range)
{
    return Interval::right_open(range.begin, range.GetEnd());
}

BufferRange
ContributionCheck::Copy(uint32_t rank, const BufferRanges& ranges, Content& content) const
{
    for (const BufferRange& range : ranges)
    {
        if (range.bytes == 0)
        {
            continue; // of which nothing can be missing
        }
        uint64_t next = range.begin;
        for (auto [at, end] = m_held[rank].equal_range(ToInterval(range)); at != end; ++at)
        {
            const uint64_t first = std::max(at->first.lower(), range.begin);
            const uint64_t last = std::min(at->first.upper(), range.GetEnd());
            if (first != next)
            {
                break;
            }
            content.set({Interval::right_open(first, last), at->second});
            next = last;
        }
        if (next != range.GetEnd())
        {
            return {next, range.GetEnd() - next};
        }
    }
    return {};
}

std::string
ContributionCheck::Reduce(uint32_t rank, const Content& content)
{
    for (const auto& [interval, who] : content)
    {
        Content merged;
        for (auto [at, end] = m_held[rank].equal_range(interval); at != end; ++at)
        {
            const Interval common = at->first & interval;
            if (at->second.intersects(who) && !m_meaning.IsIdempotent())
            {
                return DescribeRange({common.lower(), common.upper() - common.lower()}) +
                       ", in which the contribution of " + Describe(at->second & who) +
                       " would count twice";
            }
            merged.set({common, at->second | who});
        }
        m_held[rank].set({interval, who});
        for (const auto& part : merged)
        {
            m_held[rank].set(part);
        }
    }
    return "";
}

std::string
ContributionCheck::Do(uint32_t rank, uint32_t lane, uint32_t index)
{
    const Step step = m_program->GetStep(rank, lane, index);
    if (step.kind == Step::WAIT)
    {
        return "";
    }
    const BufferRanges ranges = m_program->GetRanges(rank, lane, index);
    if (step.kind == Step::REDUCE || step.kind == Step::MULTICAST)
    {
        return DoCall(rank, step, ranges);
    }
    bool isCalled = false;
    const std::string wrong = TakeCall(rank, step, ranges, isCalled);
    if (isCalled)
    {
        return wrong;
    }
    const std::string name = DescribeStep(rank, step);
    if (step.kind == Step::SEND)
    {
        Message message{ranges, {}};
        const BufferRange missing = Copy(rank, ranges, message.content);
        if (missing.bytes > 0)
        {
            return name + DescribeRange(missing) + ", which it does not have";
        }
        const bool isNew = m_messages.try_emplace({rank, step.peer, step.place}, message).second;
        return isNew ? "" : name + "a second message of this place";
    }
    const auto message = m_messages.find({step.peer, rank, step.place});
    if (message == m_messages.end())
    {
        return name + "what was not sent";
    }
    if (!AreEqual(ranges, message->second.ranges))
    {
        return name + "other bytes than were sent";
    }
    std::string fault;
    if (step.reduce)
    {
        fault = Reduce(rank, message->second.content);
    }
    else
    {
        for (const auto& part : message->second.content)
        {
            m_held[rank].set(part);
        }
    }
    m_messages.erase(message);
    return fault.empty() ? "" : name + fault;
}

std::string
ContributionCheck::Finish(uint32_t rank) const
{
    for (const CollectiveMeaning::Holding& holding : m_meaning.GetResult(rank))
    {
        Ranks wanted(m_held.size());
        if (holding.isReduced)
        {
            wanted.set();
        }
        else
        {
            wanted.set(holding.contributor);
        }
        const std::string name = "rank " + std::to_string(rank) + " ends ";
        Content content;
        const BufferRange missing = Copy(rank, {holding.range}, content);
        if (missing.bytes > 0)
        {
            return name + "without " + DescribeRange(missing);
        }
        for (const auto& [interval, who] : content)
        {
            if (who != wanted)
            {
                const Ranks wrong = who ^ wanted;
                return name +
                       ((wrong & wanted).any() ? "without the contribution of "
                                               : "with a contribution of ") +
                       Describe((wrong & wanted).any() ? wrong & wanted : wrong) + " to " +
                       DescribeRange({interval.lower(), interval.upper() - interval.lower()});
            }
        }
    }
    return "";
}

std::string
ContributionCheck::Describe(const Ranks& who)
{
    const std::size_t others = who.count() - 1;
    return "rank " + std::to_string(who.find_first()) +
           (others == 0 ? "" : " (and " + std::to_string(others) + " more)");
}

} // namespace ns3::llm
