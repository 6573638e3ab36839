// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_REDUCTION_FRAME_H
#define LLM_FABRIC_REDUCTION_FRAME_H

#include "fabric-frame.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * What the frames of a reduction group (REDUCE, RESULT) hold beside what others do.
 *
 * The frames of all calls of a group are numbered through, and its members number them alike: `psn`. A
 * member that has no payload for a call says so with tokens (flag TOKEN): a REDUCE token stands for
 * `payloadBytes` frames from `psn` on, a RESULT token says that all up to `psn` have been reduced. So each
 * member accounts for each number, and learns how far the group is. `queuePair` is the group, `tag` that
 * of the call's message, `entropy` says who sends and who receives.
 */
struct ReductionFrame
{
    /** In place of a member: all. */
    static constexpr uint32_t EVERY = UINT16_MAX;
    /** Most members of a group. */
    static constexpr uint32_t MAX_MEMBERS = UINT16_MAX - 1;
    /** A token stands for at most so many frames. */
    static constexpr uint32_t TOKEN_FRAMES = 16;

    /** @param source member, or EVERY @param destination likewise @return both in one number */
    static uint32_t PackEnds(uint32_t source, uint32_t destination)
    {
        return source << 16 | destination;
    }

    /** @param frame one of a group @return member whose payload it is, or EVERY */
    static uint32_t GetSource(const Frame& frame)
    {
        return frame.entropy >> 16;
    }

    /** @param frame one of a group @return member who gets the payload, or EVERY */
    static uint32_t GetDestination(const Frame& frame)
    {
        return frame.entropy & UINT16_MAX;
    }

    /** @param frame one of a group @return whether it has no payload but stands for others */
    static bool IsToken(const Frame& frame)
    {
        return frame.flags & Frame::TOKEN;
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_REDUCTION_FRAME_H
