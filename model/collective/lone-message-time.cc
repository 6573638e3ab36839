// SPDX-License-Identifier: GPL-2.0-only

#include "lone-message-time.h"

#include "frame-train.h"
#include "transfer-time.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns3::llm
{

namespace
{

/**
 * @param links a way
 * @param bytes wire bytes of a frame
 * @return time that the frame takes on each link, ps
 */
std::vector<int64_t>
GetFrameTimes(const std::vector<PathLink>& links, uint64_t bytes)
{
    std::vector<int64_t> times;
    for (const PathLink& link : links)
    {
        times.push_back(GetTransferTime(bytes, link.rate).GetPicoSeconds());
    }
    return times;
}

/**
 * @param links a way
 * @param bytes wire bytes of a frame
 * @return time of the frame over the way, stored at each link
 */
Time
GetSingleTime(const std::vector<PathLink>& links, uint64_t bytes)
{
    Time sum;
    for (const PathLink& link : links)
    {
        sum += GetTransferTime(bytes, link.rate) + link.delay;
    }
    return sum;
}

/**
 * @param leg over frames
 * @param bytes payload of more than one frame
 * @return time of the train, without propagation
 */
Time
GetTrainTime(const PathLeg& leg, uint64_t bytes)
{
    const uint64_t frames = bytes / leg.mtu + (bytes % leg.mtu != 0 ? 1 : 0);
    const uint64_t full = leg.mtu + leg.dataOverhead;
    const uint64_t last = bytes - (frames - 1) * leg.mtu + leg.dataOverhead;
    FrameTrain<int64_t> train;
    train.first = GetFrameTimes(leg.links, full + leg.firstOverhead);
    train.middle = GetFrameTimes(leg.links, full);
    train.last = GetFrameTimes(leg.links, last);
    if (frames <= leg.framesPerWrite)
    {
        return PicoSeconds(GetTrainTime(train, frames));
    }
    const auto lone = GetFrameTimes(leg.links, last + leg.firstOverhead);
    return PicoSeconds(GetWritesTime(train, lone, frames, leg.framesPerWrite));
}

/**
 * @param leg over frames
 * @param bytes payload
 * @return from sending to delivery
 */
Time
GetFrameLegTime(const PathLeg& leg, uint64_t bytes)
{
    if (bytes <= leg.mtu)
    {
        return GetSingleTime(leg.links, bytes + leg.dataOverhead + leg.firstOverhead);
    }
    Time time = GetTrainTime(leg, bytes);
    for (const PathLink& link : leg.links)
    {
        time += link.delay;
    }
    return time;
}

/**
 * @param leg over a fluid domain
 * @param bytes payload
 * @return from sending to delivery
 */
Time
GetFluidLegTime(const PathLeg& leg, uint64_t bytes)
{
    Time slowest;
    const auto wireBytes =
        static_cast<uint64_t>(std::ceil(static_cast<double>(bytes) * leg.wireOverhead));
    for (const PathLink& link : leg.links)
    {
        slowest = std::max(slowest, GetTransferTime(wireBytes, link.rate));
    }
    return slowest + leg.fluidDelay;
}

} // namespace

LoneMessageTime
GetLoneMessageTime(const Path& path, uint64_t bytes)
{
    LoneMessageTime time;
    Time back;
    for (const PathLeg& leg : path.legs)
    {
        NS_ABORT_MSG_IF(leg.links.empty(), "a path without links takes no time");
        time.delivered += leg.isFluid ? GetFluidLegTime(leg, bytes) : GetFrameLegTime(leg, bytes);
        back += leg.isFluid ? leg.fluidDelay : GetSingleTime(leg.ackLinks, leg.ackSize);
    }
    time.acknowledged = time.delivered + back;
    return time;
}

} // namespace ns3::llm
