// SPDX-License-Identifier: GPL-2.0-only

#include "job-layout.h"

#include "task-window.h"

#include "ns3/input-error.h"

#include "ns3/abort.h"

#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

namespace ns3::llm
{

JobLayout::JobLayout(std::vector<uint32_t> accelerators)
    : m_accelerators(std::move(accelerators))
{
    std::map<uint32_t, std::size_t> ranks;
    for (std::size_t rank = 0; rank < m_accelerators.size(); ++rank)
    {
        const auto added = ranks.emplace(m_accelerators[rank], rank);
        if (!added.second)
        {
            std::ostringstream text;
            text << "placement: accelerator " << m_accelerators[rank] << " is given to rank "
                 << added.first->second << " and to rank " << rank
                 << "; every rank needs one of its own";
            RefuseInput(text.str());
        }
    }
}

JobLayout
JobLayout::MakeIdentity(uint32_t ranks)
{
    std::vector<uint32_t> accelerators(ranks);
    std::iota(accelerators.begin(), accelerators.end(), 0);
    return JobLayout(std::move(accelerators));
}

void
JobLayout::CheckRank(const std::string& what, uint32_t rank) const
{
    if (rank >= GetRankCount())
    {
        std::ostringstream text;
        text << what << " names rank " << rank << "; the job has " << GetRankCount()
             << " ranks, counted from 0";
        RefuseInput(text.str());
    }
}

void
JobLayout::AddGroup(ParallelDimension dimension,
                    const std::string& name,
                    const std::vector<uint32_t>& ranks)
{
    auto& seats = m_seats[static_cast<std::size_t>(dimension)];
    const auto number = static_cast<uint32_t>(m_groups.size());
    for (uint32_t place = 0; place < ranks.size(); ++place)
    {
        CheckRank(name, ranks[place]);
        const auto added = seats.emplace(ranks[place], Seat{number, place});
        if (!added.second)
        {
            std::ostringstream text;
            text << name << ": rank " << ranks[place] << " is already in "
                 << (added.first->second.group == number ? name
                                                         : m_groups[added.first->second.group].name)
                 << "; a rank is once in one group of a dimension";
            RefuseInput(text.str());
        }
    }
    m_groups.push_back({dimension, name, ranks, false});
}

void
JobLayout::AddPair(uint32_t source, uint32_t destination, ParallelDimension dimension)
{
    std::ostringstream name;
    name << (dimension == ParallelDimension::CONTEXT ? "CP pair " : "pair ") << source << " to "
         << destination;
    CheckRank(name.str(), source);
    CheckRank(name.str(), destination);
    if (source == destination)
    {
        RefuseInput(name.str() + ": a rank sends nothing to itself");
    }
    if (dimension != ParallelDimension::PIPELINE && dimension != ParallelDimension::CONTEXT)
    {
        RefuseInput(name.str() + ": messages run along PP or CP");
    }
    const auto number = static_cast<uint32_t>(m_groups.size());
    if (m_pairs.emplace(std::make_tuple(dimension, source, destination), number).second)
    {
        m_groups.push_back({dimension, name.str(), {source, destination}, true});
    }
}

void
JobLayout::SetSlowDown(uint32_t rank, double factor)
{
    CheckRank("slow-down factor", rank);
    if (!std::isfinite(factor) || factor <= 0)
    {
        std::ostringstream text;
        text << "slow-down factor of rank " << rank << " is " << factor
             << "; it must be above 0 (1 is full speed, 2 takes twice as long)";
        RefuseInput(text.str());
    }
    m_slowDowns[rank] = factor;
}

void
JobLayout::CheckFits(uint32_t accelerators) const
{
    if (m_accelerators.empty())
    {
        RefuseInput("placement: the job has no ranks");
    }
    for (uint32_t rank = 0; rank < GetRankCount(); ++rank)
    {
        if (m_accelerators[rank] >= accelerators)
        {
            std::ostringstream text;
            text << "placement: rank " << rank << " is put on accelerator " << m_accelerators[rank]
                 << "; the cluster has " << accelerators << ", counted from 0";
            RefuseInput(text.str());
        }
    }
}

uint32_t
JobLayout::GetRankCount() const
{
    return static_cast<uint32_t>(m_accelerators.size());
}

uint32_t
JobLayout::GetAccelerator(uint32_t rank) const
{
    return m_accelerators.at(rank);
}

double
JobLayout::GetSlowDown(uint32_t rank) const
{
    const auto found = m_slowDowns.find(rank);
    return found == m_slowDowns.end() ? 1 : found->second;
}

const std::vector<JobGroup>&
JobLayout::GetGroups() const
{
    return m_groups;
}

std::vector<uint32_t>
JobLayout::GetAccelerators(uint32_t group) const
{
    std::vector<uint32_t> accelerators;
    for (const uint32_t rank : m_groups.at(group).ranks)
    {
        accelerators.push_back(m_accelerators[rank]);
    }
    return accelerators;
}

JobLayout::Seat
JobLayout::FindSeat(uint32_t rank, const TrainingTask& task) const
{
    if (task.kind == TrainingTask::SEND || task.kind == TrainingTask::RECEIVE)
    {
        const bool sends = task.kind == TrainingTask::SEND;
        const auto found = m_pairs.find(sends ? std::make_tuple(task.dimension, rank, task.peer)
                                              : std::make_tuple(task.dimension, task.peer, rank));
        NS_ABORT_MSG_IF(found == m_pairs.end(),
                        "rank " << rank << " shares no " << GetShortName(task.dimension)
                                << " pair with the peer of its " << TaskWindow::Describe(task));
        return {found->second, sends ? 0u : 1u};
    }
    const auto& seats = m_seats[static_cast<std::size_t>(task.dimension)];
    const auto found = seats.find(rank);
    NS_ABORT_MSG_IF(found == seats.end(),
                    "rank " << rank << " is in no " << GetShortName(task.dimension)
                            << " group, but has to do the " << TaskWindow::Describe(task));
    return found->second;
}

} // namespace ns3::llm
