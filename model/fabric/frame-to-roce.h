// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_TO_ROCE_H
#define LLM_FABRIC_FRAME_TO_ROCE_H

#include "fabric-frame.h"
#include "roce-headers.h"

#include "ns3/ipv4-address.h"

#include <cstdint>

namespace ns3::llm
{

/** Largest number of terminals whose addresses differ: 10.0.0.1 to 10.255.255.254. */
constexpr uint32_t ROCE_MAX_TERMINALS = (1u << 24) - 2;
/** Destination QP of queue pair 0: 0 and 1 are InfiniBand's own, for management. */
constexpr uint32_t ROCE_FIRST_QUEUE_PAIR = 2;
/** Pause time of a PFC frame that stops a class: the longest, as the model's pause does not expire. */
constexpr uint16_t PFC_STOP_QUANTA = 0xffff;

/** @param terminal a terminal @return its IP address, 10.0.0.1 for terminal 0 */
Ipv4Address GetTerminalAddress(uint32_t terminal);

/**
 * @param trafficClass a class
 * @return its DSCP: eight times the class, from which devices take the class back, but for class 3,
 *   which has the 26 that is customary for RDMA (and comes to class 3, too)
 */
uint8_t GetClassDscp(uint8_t trafficClass);

/**
 * A frame as RoCEv2.
 *
 * A connection has one queue pair number at both ends, that of the sending NIC. An ACK's PSN is that
 * of the last frame that arrived, a NAK's that of the missing one. An ACK that echoes a mark has BECN
 * set. What the model does not know is 0: virtual address, key, message number, payload.
 *
 * @param frame a frame other than a pause
 * @param messageBytes payload of the write that it is the first frame of; 0: not known
 * @return its fields
 */
RoceFrame DescribeAsRoce(const Frame& frame, uint64_t messageBytes);

/**
 * @param frame any frame
 * @param messageBytes payload of the write that it is the first frame of; 0: not known
 * @param port Ethernet address of the port that sends it, for a pause
 * @return its bytes without FCS; the pad of RoCEv2, up to 3 bytes, comes on top of the model's size
 */
FrameBytes SerializeFrame(const Frame& frame, uint64_t messageBytes, Mac48Address port);

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_TO_ROCE_H
