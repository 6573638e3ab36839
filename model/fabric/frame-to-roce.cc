// SPDX-License-Identifier: GPL-2.0-only

#include "frame-to-roce.h"

#include "packet-frame.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

constexpr uint8_t ECN_CAPABLE = 2;             //!< ECT(0)
constexpr uint8_t ECN_CONGESTED = 3;           //!< CE
constexpr uint32_t PSN_MASK = 0xffffff;        //!< of the 24 bits on the wire
constexpr std::size_t CNP_RESERVED_BYTES = 16; //!< behind the BTH of a CNP

/** @param flags of a data frame @return the opcode of an RDMA write */
RoceOpcode
GetWriteOpcode(uint8_t flags)
{
    const bool isFirst = flags & Frame::FIRST;
    const bool isLast = flags & Frame::LAST;
    if (isFirst)
    {
        return isLast ? RoceOpcode::WRITE_ONLY : RoceOpcode::WRITE_FIRST;
    }
    return isLast ? RoceOpcode::WRITE_LAST : RoceOpcode::WRITE_MIDDLE;
}

/** Fill in what a data frame has. @param frame it @param messageBytes of its message
 * @param roce gets it */
void
DescribeData(const Frame& frame, uint64_t messageBytes, RoceFrame& roce)
{
    roce.opcode = GetWriteOpcode(frame.flags);
    roce.wantsAck = frame.flags & Frame::LAST;
    roce.psn = frame.psn & PSN_MASK;
    roce.payload.resize(frame.payloadBytes);
    if (frame.flags & Frame::FIRST)
    {
        const uint64_t known = std::max<uint64_t>(messageBytes, frame.payloadBytes);
        const auto length = std::min<uint64_t>(known, UINT32_MAX);
        roce.extension = MakeReth(0, 0, static_cast<uint32_t>(length));
    }
}

} // namespace

Ipv4Address
GetTerminalAddress(uint32_t terminal)
{
    return Ipv4Address((10u << 24) + terminal + 1);
}

uint8_t
GetClassDscp(uint8_t trafficClass)
{
    return trafficClass == 3 ? 26 : static_cast<uint8_t>(trafficClass << 3);
}

RoceFrame
DescribeAsRoce(const Frame& frame, uint64_t messageBytes)
{
    const bool isMarked = frame.flags & Frame::MARKED;
    const bool isData = frame.kind == FrameKind::DATA;
    const uint8_t ecn = isData && isMarked ? ECN_CONGESTED : ECN_CAPABLE;
    RoceFrame roce;
    roce.source = GetTerminalAddress(frame.source);
    roce.destination = GetTerminalAddress(frame.destination);
    roce.typeOfService = static_cast<uint8_t>(GetClassDscp(frame.trafficClass) << 2 | ecn);
    roce.sourcePort = static_cast<uint16_t>(0xc000 | (frame.entropy & 0x3fff));
    roce.queuePair = (frame.queuePair + ROCE_FIRST_QUEUE_PAIR) & PSN_MASK;
    switch (frame.kind)
    {
    case FrameKind::ACK:
        roce.opcode = RoceOpcode::ACKNOWLEDGE;
        roce.isBackward = isMarked;
        roce.psn = (frame.psn - 1) & PSN_MASK;
        roce.extension = MakeAeth(ROCE_SYNDROME_ACK, 0);
        break;
    case FrameKind::NACK:
        roce.opcode = RoceOpcode::ACKNOWLEDGE;
        roce.isBackward = isMarked;
        roce.psn = frame.psn & PSN_MASK;
        roce.extension = MakeAeth(ROCE_SYNDROME_PSN_ERROR, 0);
        break;
    case FrameKind::CNP:
        roce.opcode = RoceOpcode::CONGESTION;
        roce.isMigrated = false;
        roce.isBackward = true;
        roce.extension.resize(CNP_RESERVED_BYTES);
        break;
    case FrameKind::REDUCE:
    case FrameKind::RESULT:
    case FrameKind::DATA:
    case FrameKind::PAUSE:  // see SerializeFrame()
    case FrameKind::PACKET: // has bytes of its own
        DescribeData(frame, messageBytes, roce);
        break;
    }
    return roce;
}

FrameBytes
SerializeFrame(const Frame& frame, uint64_t messageBytes, Mac48Address port)
{
    if (frame.kind == FrameKind::PAUSE)
    {
        const bool isStop = frame.payloadBytes != 0;
        return SerializePfc(port,
                            static_cast<uint8_t>(frame.psn),
                            isStop ? PFC_STOP_QUANTA : uint16_t{0});
    }
    if (frame.kind == FrameKind::PACKET)
    {
        return SerializePacket(frame);
    }
    return SerializeRoce(DescribeAsRoce(frame, messageBytes));
}

} // namespace ns3::llm
