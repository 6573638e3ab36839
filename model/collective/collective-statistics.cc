// SPDX-License-Identifier: GPL-2.0-only

#include "collective-statistics.h"

#include <algorithm>

namespace ns3::llm
{

void
CollectiveStatistics::Add(const OperationRecord& record)
{
    const std::pair<uint32_t, uint64_t> key{record.communicator, record.instance};
    Partial& partial = m_partial[key];
    partial.start = partial.ranks == 0 ? record.start : std::min(partial.start, record.start);
    partial.end = std::max(partial.end, record.end);
    partial.sentBytes += record.sentBytes;
    ++partial.ranks;
    if (partial.ranks < record.size)
    {
        return;
    }
    OperationTotals& totals = m_totals[static_cast<size_t>(record.request.operation)];
    const bool isFirst = totals.count == 0;
    ++totals.count;
    totals.bytes += record.request.bytes;
    totals.sentBytes += partial.sentBytes;
    totals.time += partial.end - partial.start;
    totals.firstStart = isFirst ? partial.start : std::min(totals.firstStart, partial.start);
    totals.firstEnd = isFirst ? partial.end : std::min(totals.firstEnd, partial.end);
    totals.lastEnd = std::max(totals.lastEnd, partial.end);
    m_partial.erase(key);
}

const OperationTotals&
CollectiveStatistics::GetTotals(CollectiveOperation operation) const
{
    return m_totals.at(static_cast<size_t>(operation));
}

size_t
CollectiveStatistics::GetPartialCount() const
{
    return m_partial.size();
}

} // namespace ns3::llm
