// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ROCE_HEADERS_H
#define LLM_FABRIC_ROCE_HEADERS_H

#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/** Bytes as they follow each other on the wire. */
using FrameBytes = std::vector<uint8_t>;

/**
 * @ingroup llm-fabric-fabric
 * Opcodes of the base transport header (InfiniBand: reliable connection; RoCEv2: CNP).
 */
enum class RoceOpcode : uint8_t
{
    WRITE_FIRST = 6,   //!< first of several frames of an RDMA write; with RETH
    WRITE_MIDDLE = 7,  //!< neither first nor last
    WRITE_LAST = 8,    //!< last of several
    WRITE_ONLY = 10,   //!< the only one; with RETH
    ACKNOWLEDGE = 17,  //!< ACK or NAK; with AETH
    CONGESTION = 0x81, //!< congestion notification; with 16 reserved bytes
};

/** AETH syndrome: ACK, and the receiver gives out no credits. */
constexpr uint8_t ROCE_SYNDROME_ACK = 0x1f;
/** AETH syndrome: NAK, a PSN is missing. */
constexpr uint8_t ROCE_SYNDROME_PSN_ERROR = 0x60;

/**
 * @ingroup llm-fabric-fabric
 * A RoCEv2 frame, as far as its fields are no constants.
 */
struct RoceFrame
{
    Ipv4Address source;                           //!< IP address
    Ipv4Address destination;                      //!< IP address
    uint8_t typeOfService = 0;                    //!< DSCP, and ECN in the two low bits
    uint16_t sourcePort = 0xc000;                 //!< of UDP
    RoceOpcode opcode = RoceOpcode::WRITE_MIDDLE; //!< of BTH
    bool isMigrated = true;                       //!< M of BTH: the connection's usual state
    bool isBackward = false;                      //!< BECN of BTH
    bool wantsAck = false;                        //!< A of BTH
    uint32_t queuePair = 0;                       //!< destination QP of BTH, 24 bits
    uint32_t psn = 0;                             //!< of BTH, 24 bits
    FrameBytes extension;                         //!< what follows BTH: RETH, AETH or reserved
    FrameBytes payload;                           //!< what the frame carries
};

/**
 * @param address where the write goes
 * @param key remote key
 * @param length of the whole write, bytes
 * @return an RDMA extended transport header
 */
FrameBytes MakeReth(uint64_t address, uint32_t key, uint32_t length);

/**
 * @param syndrome ACK or NAK, and why
 * @param messageNumber messages completed, 24 bits
 * @return an ACK extended transport header
 */
FrameBytes MakeAeth(uint8_t syndrome, uint32_t messageNumber);

/**
 * @param address IP address of a terminal
 * @return its Ethernet address: locally administered, 02:00 and the four bytes of the IP address
 */
Mac48Address GetRoceMac(Ipv4Address address);

/**
 * @param frame the frame
 * @return its bytes from the Ethernet header to the ICRC; without FCS, as captures have it
 */
FrameBytes SerializeRoce(const RoceFrame& frame);

/**
 * @param source Ethernet address of the port that sends it
 * @param trafficClass the class
 * @param quanta for how long to stop, in 512 bit times; 0: go on
 * @return bytes of a PFC frame (IEEE 802.1Qbb), padded to 60, without FCS
 */
FrameBytes SerializePfc(Mac48Address source, uint8_t trafficClass, uint16_t quanta);

} // namespace ns3::llm

#endif // LLM_FABRIC_ROCE_HEADERS_H
