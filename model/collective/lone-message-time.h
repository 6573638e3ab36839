// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LONE_MESSAGE_TIME_H
#define LLM_FABRIC_LONE_MESSAGE_TIME_H

#include "ns3/locality.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * How long a message takes that has its path for itself.
 */
struct LoneMessageTime
{
    Time delivered;    //!< from sending to the last bit at the destination
    Time acknowledged; //!< from sending to the last acknowledgment at the source
};

/**
 * @ingroup llm-fabric-collective
 * The closed form for a train of frames, sent back to back at line rate, through links that store
 * each frame; a relay stores the message, a fluid domain carries it at its slower port's rate. The
 * frame's times are rounded up to picoseconds as a port does, so that a packet simulation without
 * congestion control gives the same number, but for the ticks of the calls at both ends.
 *
 * The last acknowledgment is taken to find its links free, and one that a relay passes on to take the
 * way of the acknowledgments of the relay's leg.
 *
 * @param path the way
 * @param bytes payload; 0: one empty frame
 * @return the times
 */
LoneMessageTime GetLoneMessageTime(const Path& path, uint64_t bytes);

} // namespace ns3::llm

#endif // LLM_FABRIC_LONE_MESSAGE_TIME_H
