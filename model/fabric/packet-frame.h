// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PACKET_FRAME_H
#define LLM_FABRIC_PACKET_FRAME_H

#include "fabric-frame.h"
#include "roce-headers.h"

#include "ns3/ipv4-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3::llm
{

/** EtherType of IPv4. */
constexpr uint16_t IPV4_ETHER_TYPE = 0x0800;
/** Wire bytes of a packet beyond its own: preamble 8, Ethernet 14, FCS 4, gap 12. */
constexpr uint32_t PACKET_OVERHEAD_BYTES = 38;
/** Wire bytes of the smallest Ethernet frame: 64 B, preamble and gap. */
constexpr uint32_t MIN_PACKET_WIRE_BYTES = 84;

/**
 * @ingroup llm-fabric-fabric
 * What ports and switches need to know of a packet.
 */
struct PacketDescription
{
    Ipv4Address destination;   //!< where it goes
    uint64_t flow = 0;         //!< hash of its addresses, protocol and ports
    bool isEcnCapable = false; //!< ECT: it may be marked
};

/**
 * @param packet an IPv4 packet
 * @return what it is; the hash of a fragment has no ports, so that all fragments take one way
 */
PacketDescription DescribePacket(const Packet& packet);

/**
 * @param source sender's address
 * @param destination receiver's address
 * @param protocol in the IP header
 * @param ports of both ends, source first, as TCP and UDP have them
 * @return the hash that DescribePacket() gives a packet of this flow
 */
uint64_t
HashPacketFlow(Ipv4Address source, Ipv4Address destination, uint8_t protocol, uint32_t ports);

/** @param packetBytes bytes of a packet @return what it occupies on a link */
uint32_t GetPacketWireBytes(uint32_t packetBytes);

/** @param packet an IPv4 packet @return a copy of it that says CE */
Ptr<Packet> MarkCongestion(const Packet& packet);

/**
 * @param frame a frame that carries a packet
 * @return its bytes as captures have them: with an Ethernet header, without FCS. An IPv4 packet has
 *   its checksum, also where ns-3 leaves it out, and CE where the frame is marked
 */
FrameBytes SerializePacket(const Frame& frame);

} // namespace ns3::llm

#endif // LLM_FABRIC_PACKET_FRAME_H
