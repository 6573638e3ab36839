// SPDX-License-Identifier: GPL-2.0-only

#include "program-check.h"

#include "contribution-check.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::llm
{

namespace
{

/** A program under way, untimed. */
class ProgramRun
{
  public:
    /**
     * @param request the operation
     * @param program its steps
     */
    ProgramRun(const CollectiveRequest& request, std::shared_ptr<const StepProgram> program)
        : m_program(program),
          m_check(request, program),
          m_next(program->GetSize())
    {
        for (uint32_t rank = 0; rank < m_next.size(); ++rank)
        {
            m_next[rank].resize(program->GetLaneCount(rank));
            for (uint32_t lane = 0; lane < m_next[rank].size(); ++lane)
            {
                m_open.emplace_back(rank, lane);
            }
        }
    }

    /** @param order draws what goes next; may be null @return what is wrong, or "" */
    std::string Run(Ptr<UniformRandomVariable> order)
    {
        for (bool moved = true; moved;)
        {
            moved = false;
            for (std::size_t i = m_open.size(); order && i > 1; --i)
            {
                const uint32_t other = order->GetInteger(0, static_cast<uint32_t>(i - 1));
                std::swap(m_open[i - 1], m_open[other]);
            }
            for (const auto& [rank, lane] : m_open)
            {
                const uint32_t most = order ? order->GetInteger(1, 3) : UINT32_MAX;
                moved |= Advance(rank, lane, most);
                if (!m_fault.empty())
                {
                    return m_fault;
                }
            }
            DropEnded();
        }
        return DescribeEnd();
    }

  private:
    /**
     * Do steps of a lane.
     * @param rank its rank
     * @param lane the lane
     * @param most how many
     * @return whether any was done
     */
    bool Advance(uint32_t rank, uint32_t lane, uint32_t most)
    {
        uint32_t& next = m_next[rank][lane];
        const uint32_t before = next;
        const uint32_t length = m_program->GetLaneLength(rank, lane);
        while (next < length && next - before < most && CanGo(rank, lane) && m_fault.empty())
        {
            const Step step = m_program->GetStep(rank, lane, next);
            m_fault = m_check.Do(rank, lane, next);
            if (step.kind == Step::SEND)
            {
                m_sent.emplace(rank, step.peer, step.place);
            }
            else if (step.kind == Step::REDUCE || IsSending(step, rank))
            {
                const uint32_t sender = step.kind == Step::REDUCE ? Step::EVERY : rank;
                ++m_calls[{step.group, sender, step.place}];
            }
            else if (step.kind == Step::RECEIVE)
            {
                m_sent.erase({step.peer, rank, step.place});
            }
            ++next;
        }
        return next > before;
    }

    /** @param rank a rank @param lane a lane that has a step left @return whether it can be done */
    bool CanGo(uint32_t rank, uint32_t lane)
    {
        const Step step = m_program->GetStep(rank, lane, m_next[rank][lane]);
        const bool hasPeer = step.kind == Step::SEND || step.kind == Step::RECEIVE;
        const bool isForAll = step.peer == Step::EVERY && step.kind != Step::SEND;
        if (step.kind != Step::WAIT && !isForAll &&
            (step.peer >= m_next.size() || (hasPeer && step.peer == rank)))
        {
            m_fault = "rank " + std::to_string(rank) + " has rank " + std::to_string(step.peer) +
                      " as its peer; its peers are the other ranks below " +
                      std::to_string(m_next.size());
            return false;
        }
        if (step.dependencyLane != Step::NONE &&
            m_next[rank].at(step.dependencyLane) <= step.dependencyIndex)
        {
            return false;
        }
        if (step.kind != Step::RECEIVE || m_sent.count({step.peer, rank, step.place}) > 0)
        {
            return true;
        }
        const auto call = m_calls.find({step.group, step.peer, step.place});
        return call != m_calls.end() &&
               call->second >=
                   (step.peer == Step::EVERY ? m_program->GetGroup(step.group).size() : 1);
    }

    /** Take lanes that are at their end out. */
    void DropEnded()
    {
        std::vector<std::pair<uint32_t, uint32_t>> open;
        for (const auto& [rank, lane] : m_open)
        {
            if (m_next[rank][lane] < m_program->GetLaneLength(rank, lane))
            {
                open.emplace_back(rank, lane);
            }
        }
        m_open = std::move(open);
    }

    /** @return what is wrong when nothing moves any more, or "" */
    std::string DescribeEnd() const
    {
        if (!m_open.empty())
        {
            const auto [rank, lane] = m_open.front();
            const Step step = m_program->GetStep(rank, lane, m_next[rank][lane]);
            const std::string who = "rank " + std::to_string(rank) + ", lane " +
                                    std::to_string(lane) + ", step " +
                                    std::to_string(m_next[rank][lane]) + " waits for ";
            return "it cannot finish: " + who +
                   (step.kind == Step::RECEIVE
                        ? "what " +
                              (step.peer == Step::EVERY ? std::string("some rank")
                                                        : "rank " + std::to_string(step.peer)) +
                              " does not send (place " + std::to_string(step.place) + ")"
                        : "step " + std::to_string(step.dependencyIndex) + " of its lane " +
                              std::to_string(step.dependencyLane)) +
                   "; " + std::to_string(m_open.size()) + " lanes wait";
        }
        if (m_check.GetOpenMessages() > 0 && m_sent.empty())
        {
            return "switches reduce or multicast what ranks do not take";
        }
        if (m_check.GetOpenMessages() > 0)
        {
            const auto [sender, receiver, place] = *m_sent.begin();
            return "rank " + std::to_string(sender) + " sends rank " + std::to_string(receiver) +
                   " a message (place " + std::to_string(place) + ") that it does not take";
        }
        for (uint32_t rank = 0; rank < m_next.size(); ++rank)
        {
            const std::string fault = m_check.Finish(rank);
            if (!fault.empty())
            {
                return fault;
            }
        }
        return "";
    }

    std::shared_ptr<const StepProgram> m_program;              //!< the steps
    ContributionCheck m_check;                                 //!< follows the contributions
    std::vector<std::vector<uint32_t>> m_next;                 //!< next step by rank and lane
    std::vector<std::pair<uint32_t, uint32_t>> m_open;         //!< lanes not at their end
    std::set<std::tuple<uint32_t, uint32_t, uint32_t>> m_sent; //!< sender, receiver, place
    /** By (group, sender or EVERY, place): ranks that have sent it to switches. */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::size_t> m_calls;
    std::string m_fault; //!< the first
};

} // namespace

std::string
CheckProgram(const CollectiveRequest& request,
             std::shared_ptr<const StepProgram> program,
             Ptr<UniformRandomVariable> order)
{
    return ProgramRun(request, program).Run(order);
}

} // namespace ns3::llm
