// SPDX-License-Identifier: GPL-2.0-only

#include "lone-message-time.h"

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
 * @return time that the frame takes on each link
 */
std::vector<Time>
GetFrameTimes(const std::vector<PathLink>& links, uint64_t bytes)
{
    std::vector<Time> times;
    for (const PathLink& link : links)
    {
        times.push_back(GetTransferTime(bytes, link.rate));
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
 * The longest way through the grid of (frame, link): each frame follows the one before it on every
 * link, and itself from link to link. The frames between the first and the last are equal, so the
 * way passes them on some links from `enter` to `leave`, and all but one of them on the slowest.
 * @param leg over frames
 * @param bytes payload of more than one frame
 * @return time of the train, without propagation
 */
Time
GetTrainTime(const PathLeg& leg, uint64_t bytes)
{
    const auto frames = static_cast<int64_t>((bytes + leg.mtu - 1) / leg.mtu);
    const uint64_t full = leg.mtu + leg.dataOverhead;
    const auto first = GetFrameTimes(leg.links, full + leg.firstOverhead);
    const auto middle = GetFrameTimes(leg.links, full);
    const auto last = GetFrameTimes(leg.links, bytes - (frames - 1) * leg.mtu + leg.dataOverhead);
    Time longest;
    Time before; // of the first frame, up to the link at which the way goes on to the next frame
    for (std::size_t enter = 0; enter < leg.links.size(); ++enter)
    {
        before += first[enter];
        Time between; // of the middle frames
        Time slowest;
        for (std::size_t leave = enter; leave < leg.links.size(); ++leave)
        {
            if (frames > 2)
            {
                between += middle[leave];
                slowest = std::max(slowest, middle[leave]);
            }
            Time after;
            for (std::size_t link = leave; link < leg.links.size(); ++link)
            {
                after += last[link];
            }
            const int64_t repeats = std::max<int64_t>(frames - 3, 0);
            longest =
                std::max(longest,
                         before + between + TimeStep(repeats * slowest.GetTimeStep()) + after);
        }
    }
    return longest;
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
