// SPDX-License-Identifier: GPL-2.0-only

#include "collective-meaning.h"

namespace ns3::llm
{

CollectiveMeaning::CollectiveMeaning(const CollectiveRequest& request, uint32_t size)
    : m_request(request),
      m_size(size)
{
    CheckRequest(request, size);
    if (request.operation == CollectiveOperation::ALL_TO_ALL)
    {
        m_request.matrix =
            std::make_shared<TrafficMatrix>(TrafficMatrix::MakeEven(size, request.bytes));
    }
}

BufferRange
CollectiveMeaning::GetBuffer() const
{
    switch (m_request.operation)
    {
    case CollectiveOperation::BARRIER:
        return {0, 1};
    case CollectiveOperation::ALL_TO_ALL:
    case CollectiveOperation::ALL_TO_ALL_V:
        return {0, m_request.matrix->GetTotal()};
    default:
        return {0, m_request.bytes};
    }
}

BufferRange
CollectiveMeaning::GetContribution(uint32_t rank) const
{
    switch (m_request.operation)
    {
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::GATHER:
        return GetPartOf(rank);
    case CollectiveOperation::ALL_TO_ALL:
    case CollectiveOperation::ALL_TO_ALL_V:
        return m_request.matrix->GetRow(rank);
    case CollectiveOperation::POINT_TO_POINT:
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::SCATTER:
        return rank == m_request.root ? GetBuffer() : BufferRange{};
    default:
        return GetBuffer();
    }
}

std::vector<CollectiveMeaning::Holding>
CollectiveMeaning::GetResult(uint32_t rank) const
{
    const bool isRoot = rank == m_request.root;
    std::vector<Holding> result;
    switch (m_request.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::BARRIER:
        return {{GetBuffer(), true, 0}};
    case CollectiveOperation::REDUCE_SCATTER:
        return {{GetPartOf(rank), true, 0}};
    case CollectiveOperation::REDUCE:
        return isRoot ? std::vector<Holding>{{GetBuffer(), true, 0}} : result;
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::POINT_TO_POINT:
        return {{GetBuffer(), false, m_request.root}};
    case CollectiveOperation::SCATTER:
        return {{GetPartOf(rank), false, m_request.root}};
    case CollectiveOperation::GATHER:
        if (!isRoot)
        {
            return result;
        }
        [[fallthrough]];
    case CollectiveOperation::ALL_GATHER:
        for (uint32_t other = 0; other < m_size; ++other)
        {
            result.push_back({GetPartOf(other), false, other});
        }
        return result;
    case CollectiveOperation::ALL_TO_ALL:
    case CollectiveOperation::ALL_TO_ALL_V:
        for (uint32_t other = 0; other < m_size; ++other)
        {
            result.push_back({m_request.matrix->GetBlock(other, rank), false, other});
        }
        return result;
    }
    return result;
}

} // namespace ns3::llm
