// SPDX-License-Identifier: GPL-2.0-only

#include "iteration-log.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3::llm
{

void
IterationLog::Open(uint32_t ranks, uint32_t iterations, Time now)
{
    m_iterations.assign(iterations, IterationRecord());
    m_ranks.assign(ranks, RankAccount());
    m_ends.assign(ranks, now);
    m_iterations.at(0).start = now;
}

void
IterationLog::Add(uint32_t rank, uint32_t iteration, const RankAccount& account, Time now)
{
    NS_ABORT_MSG_UNLESS(account.GetTotal() == now - m_ends.at(rank),
                        "the parts of iteration " << iteration << " of rank " << rank
                                                  << " do not add up to it");
    IterationRecord& record = m_iterations.at(iteration);
    record.sum += account;
    if (record.ranks == 0 || now > record.end || (now == record.end && rank < record.lastRank))
    {
        record.end = now;
        record.lastRank = rank;
        record.last = account;
    }
    ++record.ranks;
    if (record.ranks == m_ranks.size() && iteration + 1 < m_iterations.size())
    {
        m_iterations[iteration + 1].start = now;
    }
    m_ranks[rank] += account;
    m_ends[rank] = now;
}

void
IterationLog::Close(Time now)
{
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const Time tail = now - m_ends[rank];
        m_ranks[rank].bubble += tail;
        m_iterations.back().sum.bubble += tail;
        m_ends[rank] = now;
    }
}

const std::vector<IterationRecord>&
IterationLog::GetIterations() const
{
    return m_iterations;
}

const std::vector<RankAccount>&
IterationLog::GetRanks() const
{
    return m_ranks;
}

} // namespace ns3::llm
