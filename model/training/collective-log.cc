// SPDX-License-Identifier: GPL-2.0-only

#include "collective-log.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3::llm
{

uint32_t
CollectiveLog::AddGroup(ParallelDimension dimension, uint32_t size)
{
    Group group{dimension, size, std::vector<uint64_t>(size), std::vector<uint64_t>(size), 0, {}};
    m_groups.push_back(std::move(group));
    return static_cast<uint32_t>(m_groups.size() - 1);
}

void
CollectiveLog::Started(uint32_t group, uint32_t place, const TrainingTask& task, Time now)
{
    Group& owner = m_groups.at(group);
    const uint64_t index = owner.started.at(place)++;
    const std::size_t slot = index - owner.first;
    // both ends of a message are one operation
    const auto kind = task.kind == TrainingTask::RECEIVE ? TrainingTask::SEND : task.kind;
    if (slot == owner.open.size())
    {
        Operation operation;
        operation.kind = kind;
        operation.bytes = task.bytes;
        operation.starts.assign(owner.size, Time::Max());
        owner.open.push_back(std::move(operation));
    }
    Operation& operation = owner.open.at(slot);
    NS_ABORT_MSG_UNLESS(operation.kind == kind && operation.bytes == task.bytes,
                        "the ranks of a group disagree on its operation "
                            << index << ": " << operation.bytes << " bytes against " << task.bytes);
    operation.starts.at(place) = now;
}

void
CollectiveLog::Done(uint32_t group, uint32_t place, Time now)
{
    Group& owner = m_groups.at(group);
    const uint64_t index = owner.done.at(place)++;
    NS_ABORT_MSG_UNLESS(index < owner.started[place], "an operation ended that did not start");
    Operation& operation = owner.open.at(index - owner.first);
    const Time taken = now - operation.starts[place];
    operation.rankTotal += taken;
    operation.rankMax = std::max(operation.rankMax, taken);
    // a rank finishes its operations in order, so the oldest is complete first
    if (++operation.done == owner.size)
    {
        Close(owner, group, now);
    }
}

void
CollectiveLog::Close(Group& group, uint32_t index, Time now)
{
    const Operation& operation = group.open.front();
    const Time start = operation.kind == TrainingTask::SEND
                           ? operation.starts.front()
                           : *std::max_element(operation.starts.begin(), operation.starts.end());
    CollectiveRecord& record = m_records[{group.dimension, operation.kind, operation.bytes}];
    if (record.count == 0)
    {
        record.dimension = group.dimension;
        record.kind = operation.kind;
        record.bytes = operation.bytes;
        record.group = index;
    }
    ++record.count;
    record.total += now - start;
    record.max = std::max(record.max, now - start);
    record.rankCount += group.size;
    record.rankTotal += operation.rankTotal;
    record.rankMax = std::max(record.rankMax, operation.rankMax);
    group.open.pop_front();
    ++group.first;
}

Time
CollectiveLog::GetSenderStart(uint32_t group) const
{
    const Group& owner = m_groups.at(group);
    const std::size_t slot = owner.done.at(1) - owner.first;
    return slot < owner.open.size() ? owner.open[slot].starts.front() : Time::Max();
}

std::vector<CollectiveRecord>
CollectiveLog::GetRecords() const
{
    std::vector<CollectiveRecord> records;
    for (const auto& item : m_records)
    {
        records.push_back(item.second);
    }
    return records;
}

std::size_t
CollectiveLog::GetOpenCount() const
{
    std::size_t count = 0;
    for (const Group& group : m_groups)
    {
        count += group.open.size();
    }
    return count;
}

} // namespace ns3::llm
