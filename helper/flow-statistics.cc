// SPDX-License-Identifier: GPL-2.0-only

#include "flow-statistics.h"

#include "ns3/abort.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

namespace ns3::llm
{

namespace
{

/** Digits after the point of a slowdown. */
constexpr int SLOWDOWN_DIGITS = 3;

/**
 * @param time a time
 * @return it in microseconds, to the picosecond
 */
std::string
ToMicroseconds(Time time)
{
    return FormatNumber(static_cast<double>(time.GetPicoSeconds()) / 1e6, 6);
}

/**
 * @param record of a flow
 * @return whether all of it was at its destination
 */
bool
IsReceived(const FlowRecord& record)
{
    return record.state == FlowState::RECEIVED || record.state == FlowState::ACKNOWLEDGED;
}

/**
 * @param state how far a flow is
 * @return the word for it
 */
const char*
GetName(FlowState state)
{
    switch (state)
    {
    case FlowState::SENT:
        return "sent";
    case FlowState::RECEIVED:
        return "received";
    case FlowState::ACKNOWLEDGED:
        return "acknowledged";
    default:
        return "waiting";
    }
}

/**
 * @param begin first (size, slowdown) of the bucket, by size
 * @param end behind the last
 * @return the bucket
 */
SlowdownBucket
MakeBucket(std::vector<std::pair<uint64_t, double>>::const_iterator begin,
           std::vector<std::pair<uint64_t, double>>::const_iterator end)
{
    SlowdownBucket bucket;
    bucket.minBytes = begin->first;
    bucket.maxBytes = (end - 1)->first;
    bucket.flows = static_cast<uint64_t>(end - begin);
    std::vector<double> slowdowns;
    for (auto flow = begin; flow != end; ++flow)
    {
        slowdowns.push_back(flow->second);
    }
    std::sort(slowdowns.begin(), slowdowns.end());
    bucket.median = GetPercentile(slowdowns, 50);
    bucket.percentile95 = GetPercentile(slowdowns, 95);
    bucket.percentile99 = GetPercentile(slowdowns, 99);
    bucket.max = slowdowns.back();
    return bucket;
}

/**
 * @param accelerator an accelerator
 * @return the address that HPCC's simulator gives to a host of this number
 */
uint32_t
GetHpccAddress(uint32_t accelerator)
{
    return 0x0b000001 + ((accelerator / 256) << 16) + ((accelerator % 256) << 8);
}

} // namespace

double
GetPercentile(const std::vector<double>& sorted, double percent)
{
    NS_ABORT_MSG_IF(sorted.empty(), "no percentile without a value");
    const double rank = std::ceil(percent * static_cast<double>(sorted.size()) / 100);
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return sorted[std::min(index, sorted.size() - 1)];
}

std::vector<SlowdownBucket>
GetSlowdowns(const FlowList& flows, const std::vector<FlowRecord>& records, uint32_t buckets)
{
    std::vector<std::pair<uint64_t, double>> received;
    for (std::size_t i = 0; i < records.size(); ++i)
    {
        if (IsReceived(records[i]))
        {
            received.emplace_back(flows[i].bytes, records[i].GetSlowdown());
        }
    }
    std::sort(received.begin(), received.end());
    std::vector<SlowdownBucket> result;
    auto begin = received.cbegin();
    for (uint64_t i = 1; i <= buckets && begin != received.cend(); ++i)
    {
        auto end = received.cbegin() + static_cast<std::ptrdiff_t>(received.size() * i / buckets);
        if (end <= begin)
        {
            continue;
        }
        const uint64_t bytes = (end - 1)->first;
        end = std::find_if(end, received.cend(), [bytes](auto& f) { return f.first != bytes; });
        result.push_back(MakeBucket(begin, end));
        begin = end;
    }
    return result;
}

void
WriteSlowdownCsv(std::ostream& out, const std::vector<SlowdownBucket>& buckets)
{
    out << "min_size_bytes,max_size_bytes,flows,median_slowdown_ratio,p95_slowdown_ratio,"
           "p99_slowdown_ratio,max_slowdown_ratio\n";
    for (const SlowdownBucket& bucket : buckets)
    {
        out << bucket.minBytes << ',' << bucket.maxBytes << ',' << bucket.flows;
        for (const double value :
             {bucket.median, bucket.percentile95, bucket.percentile99, bucket.max})
        {
            out << ',' << FormatNumber(value, 6);
        }
        out << '\n';
    }
}

void
WriteSlowdownTable(std::ostream& out, const std::vector<SlowdownBucket>& buckets)
{
    TextTable table({"size [B]", "flows", "median slowdown", "95 %", "99 %", "max"});
    for (const SlowdownBucket& bucket : buckets)
    {
        const std::string least = FormatCount(bucket.minBytes);
        const bool isOne = bucket.minBytes == bucket.maxBytes;
        table.AddRow({isOne ? least : least + " - " + FormatCount(bucket.maxBytes),
                      FormatCount(bucket.flows),
                      FormatNumber(bucket.median, SLOWDOWN_DIGITS),
                      FormatNumber(bucket.percentile95, SLOWDOWN_DIGITS),
                      FormatNumber(bucket.percentile99, SLOWDOWN_DIGITS),
                      FormatNumber(bucket.max, SLOWDOWN_DIGITS)});
    }
    table.Print(out, 0);
}

void
WriteFlowsCsv(std::ostream& out, const FlowList& flows, const std::vector<FlowRecord>& records)
{
    out << "flow,source,destination,group,size_bytes,state,sent_us,received_us,acknowledged_us,"
           "ideal_received_us,ideal_acknowledged_us,slowdown_ratio\n";
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const Flow& flow = flows[i];
        const FlowRecord& record = records[i];
        const bool isSent = record.state != FlowState::WAITING;
        const bool isAcknowledged = record.state == FlowState::ACKNOWLEDGED;
        out << i << ',' << flow.source << ',' << flow.destination << ',' << flow.group << ','
            << flow.bytes << ',' << GetName(record.state) << ','
            << (isSent ? ToMicroseconds(record.sent) : "") << ','
            << (IsReceived(record) ? ToMicroseconds(record.received) : "") << ','
            << (isAcknowledged ? ToMicroseconds(record.acknowledged) : "") << ','
            << ToMicroseconds(record.ideal.delivered) << ','
            << ToMicroseconds(record.ideal.acknowledged) << ','
            << (IsReceived(record) ? FormatNumber(record.GetSlowdown(), 6) : "") << '\n';
    }
}

void
WriteHpccFct(std::ostream& out, const FlowList& flows, const std::vector<FlowRecord>& records)
{
    constexpr uint32_t FIRST_PORT = 10000;
    constexpr uint32_t PORTS = 65536 - FIRST_PORT;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        if (records[i].state == FlowState::ACKNOWLEDGED)
        {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(),
                     order.end(),
                     [&records](std::size_t a, std::size_t b)
                     { return records[a].acknowledged < records[b].acknowledged; });
    for (const std::size_t i : order)
    {
        const FlowRecord& record = records[i];
        char line[160];
        std::snprintf(line,
                      sizeof(line),
                      "%08x %08x %u 100 %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                      GetHpccAddress(flows[i].source),
                      GetHpccAddress(flows[i].destination),
                      FIRST_PORT + flows[i].queuePair % PORTS,
                      flows[i].bytes,
                      record.sent.GetNanoSeconds(),
                      (record.acknowledged - record.sent).GetNanoSeconds(),
                      record.ideal.acknowledged.GetNanoSeconds());
        out << line;
    }
}

} // namespace ns3::llm
