// SPDX-License-Identifier: GPL-2.0-only

#include "collective-bound.h"

#include "transfer-time.h"

#include "ns3/abort.h"
#include "ns3/message-transport.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::llm
{

namespace
{

/**
 * @param operation an operation
 * @param size number of ranks
 * @return bus bandwidth over algorithm bandwidth, as nccl-tests defines it; 0 where nothing is sent or
 *         the sizes are in a matrix
 */
double
GetBusFactor(CollectiveOperation operation, uint32_t size)
{
    const double share = static_cast<double>(size - 1) / size;
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return 2 * share;
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::ALL_TO_ALL:
    case CollectiveOperation::GATHER:
    case CollectiveOperation::SCATTER:
        return share;
    case CollectiveOperation::POINT_TO_POINT:
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::REDUCE:
        return 1;
    case CollectiveOperation::ALL_TO_ALL_V:
    case CollectiveOperation::BARRIER:
        return 0;
    }
    NS_ABORT_MSG("no such operation");
}

/**
 * Call a function for each send step of a rank.
 * @param program the steps
 * @param rank the rank
 * @param function gets the step
 */
template <typename Function>
void
ForEachSend(const StepProgram& program, uint32_t rank, Function function)
{
    for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
    {
        const uint32_t length = program.GetLaneLength(rank, lane);
        for (uint32_t i = 0; i < length; ++i)
        {
            const Step step = program.GetStep(rank, lane, i);
            if (IsSending(step, rank))
            {
                function(step);
            }
        }
    }
}

} // namespace

double
GetBytesPerRank(const CollectiveRequest& request, uint32_t size)
{
    if (request.matrix)
    {
        uint64_t kept = 0;
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            kept += request.matrix->GetBlock(rank, rank).bytes;
        }
        return static_cast<double>(request.matrix->GetTotal() - kept) / size;
    }
    return GetBusFactor(request.operation, size) * static_cast<double>(request.bytes);
}

uint64_t
GetSentBytes(const StepProgram& program, uint32_t rank)
{
    uint64_t bytes = 0;
    ForEachSend(program, rank, [&](const Step& step) { bytes += step.bytes; });
    return bytes;
}

Time
GetBandwidthBound(const StepProgram& program,
                  const std::vector<uint32_t>& accelerators,
                  Ptr<const Locality> locality,
                  uint32_t owner)
{
    std::map<uint64_t, std::pair<DataRate, uint64_t>> links; // by id: rate, payload bytes
    for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
    {
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> flows; // by (peer, flow)
        // by (group, sender, receiver)
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> calls;
        ForEachSend(program,
                    rank,
                    [&](const Step& step)
                    {
                        if (step.kind == Step::SEND)
                        {
                            flows[{step.peer, step.flow}] += step.bytes;
                        }
                        else if (step.kind == Step::MULTICAST)
                        {
                            calls[{step.group, accelerators.at(rank), EVERY_MEMBER}] += step.bytes;
                        }
                        else if (rank == program.GetGroup(step.group)[0]) // counts once for all
                        {
                            const bool isToAll = step.peer == Step::EVERY;
                            const uint32_t to = isToAll ? EVERY_MEMBER : accelerators.at(step.peer);
                            calls[{step.group, EVERY_MEMBER, to}] += step.bytes;
                        }
                    });
        for (const auto& [call, bytes] : calls)
        {
            const auto [group, source, destination] = call;
            std::vector<uint32_t> members;
            for (const uint32_t member : program.GetGroup(group))
            {
                members.push_back(accelerators.at(member));
            }
            const GroupPath path = locality->GetGroupPath(members, source, destination, owner);
            for (const PathLink& link : path.links)
            {
                links[link.id].first = link.rate;
                links[link.id].second += bytes;
            }
        }
        for (const auto& [flow, bytes] : flows)
        {
            const Path path = locality->GetPath(accelerators.at(rank),
                                                accelerators.at(flow.first),
                                                owner,
                                                flow.second);
            for (const PathLeg& leg : path.legs)
            {
                for (const PathLink& link : leg.links)
                {
                    links[link.id].first = link.rate;
                    links[link.id].second += bytes / leg.parallel;
                }
            }
        }
    }
    Time bound;
    for (const auto& [id, load] : links)
    {
        bound = std::max(bound, GetTransferTime(load.second, load.first));
    }
    return bound;
}

DataRate
GetAlgorithmBandwidth(const CollectiveRequest& request, Time time)
{
    NS_ABORT_MSG_IF(!time.IsStrictlyPositive(), "bandwidth of an operation that took no time");
    const double bytes =
        request.matrix ? static_cast<double>(request.matrix->GetTotal()) / request.matrix->GetSize()
                       : static_cast<double>(request.bytes);
    return DataRate(std::llround(8 * bytes / time.GetSeconds()));
}

DataRate
GetBusBandwidth(const CollectiveRequest& request, uint32_t size, Time time)
{
    NS_ABORT_MSG_IF(!time.IsStrictlyPositive(), "bandwidth of an operation that took no time");
    return DataRate(std::llround(8 * GetBytesPerRank(request, size) / time.GetSeconds()));
}

} // namespace ns3::llm
