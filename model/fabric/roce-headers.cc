// SPDX-License-Identifier: GPL-2.0-only

#include "roce-headers.h"

#include "ns3/crc32.h"

#include <algorithm>
#include <cstddef>

namespace ns3::llm
{

namespace
{

// Places in a frame, and sizes, bytes.
constexpr std::size_t IP_AT = 14;          //!< IPv4 header, behind Ethernet's
constexpr std::size_t UDP_AT = 34;         //!< UDP header
constexpr std::size_t BTH_AT = 42;         //!< base transport header
constexpr std::size_t BTH_BYTES = 12;      //!< of the base transport header
constexpr std::size_t ICRC_BYTES = 4;      //!< of the invariant CRC
constexpr std::size_t LEAST_FRAME = 60;    //!< of Ethernet, without FCS
constexpr uint16_t ROCE_PORT = 4791;       //!< UDP port of RoCEv2
constexpr uint8_t TIME_TO_LIVE = 64;       //!< of IP, in every frame
constexpr uint16_t PARTITION_KEY = 0xffff; //!< the default partition

/** Append a number in network order. @param bytes to these @param value it @param count bytes */
void
Put(FrameBytes& bytes, uint64_t value, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
    {
        bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
}

/** Append an address. @param bytes to these @param address the address */
void
PutMac(FrameBytes& bytes, Mac48Address address)
{
    uint8_t six[6];
    address.CopyTo(six);
    bytes.insert(bytes.end(), six, six + 6);
}

/** @param bytes a frame whose IP checksum is 0 @return the checksum (RFC 1071) */
uint16_t
GetIpChecksum(const FrameBytes& bytes)
{
    uint32_t sum = 0;
    for (std::size_t at = IP_AT; at < UDP_AT; at += 2)
    {
        sum += static_cast<uint32_t>(bytes[at] << 8 | bytes[at + 1]);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

/** @param bytes a frame up to its pad @return the invariant CRC, as a number */
uint32_t
GetIcrc(const FrameBytes& bytes)
{
    // eight bytes stand for the local route header that RoCEv2 has not; what routers change is masked
    FrameBytes covered(8, 0xff);
    covered.insert(covered.end(), bytes.begin() + IP_AT, bytes.end());
    for (const std::size_t at : {IP_AT + 1,   // type of service
                                 IP_AT + 8,   // time to live
                                 IP_AT + 10,  // IP checksum
                                 IP_AT + 11,  //
                                 UDP_AT + 6,  // UDP checksum
                                 UDP_AT + 7,  //
                                 BTH_AT + 4}) // FECN and BECN
    {
        covered[at - IP_AT + 8] = 0xff;
    }
    return CRC32Calculate(covered.data(), static_cast<int>(covered.size()));
}

/** Append Ethernet, IP and UDP headers. @param bytes to these @param frame the frame
 * @param udpBytes length of the UDP datagram */
void
PutOuterHeaders(FrameBytes& bytes, const RoceFrame& frame, std::size_t udpBytes)
{
    PutMac(bytes, GetRoceMac(frame.destination));
    PutMac(bytes, GetRoceMac(frame.source));
    Put(bytes, 0x0800, 2); // IPv4
    Put(bytes, 0x45, 1);   // version 4, 5 words
    Put(bytes, frame.typeOfService, 1);
    Put(bytes, UDP_AT - IP_AT + udpBytes, 2);
    Put(bytes, 0x00004000, 4); // identification 0, do not fragment
    Put(bytes, TIME_TO_LIVE, 1);
    Put(bytes, 17, 1); // UDP
    Put(bytes, 0, 2);  // checksum, see below
    Put(bytes, frame.source.Get(), 4);
    Put(bytes, frame.destination.Get(), 4);
    const uint16_t checksum = GetIpChecksum(bytes);
    bytes[IP_AT + 10] = static_cast<uint8_t>(checksum >> 8);
    bytes[IP_AT + 11] = static_cast<uint8_t>(checksum);
    Put(bytes, frame.sourcePort, 2);
    Put(bytes, ROCE_PORT, 2);
    Put(bytes, udpBytes, 2);
    Put(bytes, 0, 2); // no UDP checksum: the ICRC is there
}

} // namespace

FrameBytes
MakeReth(uint64_t address, uint32_t key, uint32_t length)
{
    FrameBytes bytes;
    Put(bytes, address, 8);
    Put(bytes, key, 4);
    Put(bytes, length, 4);
    return bytes;
}

FrameBytes
MakeAeth(uint8_t syndrome, uint32_t messageNumber)
{
    FrameBytes bytes;
    Put(bytes, syndrome, 1);
    Put(bytes, messageNumber, 3);
    return bytes;
}

Mac48Address
GetRoceMac(Ipv4Address address)
{
    uint8_t six[6] = {2, 0};
    address.Serialize(six + 2);
    Mac48Address mac;
    mac.CopyFrom(six);
    return mac;
}

FrameBytes
SerializeRoce(const RoceFrame& frame)
{
    const std::size_t pad = (4 - frame.payload.size() % 4) % 4;
    const std::size_t udpBytes = BTH_AT - UDP_AT + BTH_BYTES + frame.extension.size() +
                                 frame.payload.size() + pad + ICRC_BYTES;
    FrameBytes bytes;
    bytes.reserve(UDP_AT + udpBytes);
    PutOuterHeaders(bytes, frame, udpBytes);
    Put(bytes, static_cast<uint8_t>(frame.opcode), 1);
    Put(bytes, (frame.isMigrated ? 0x40 : 0) | pad << 4, 1); // not solicited, version 0
    Put(bytes, PARTITION_KEY, 2);
    Put(bytes, frame.isBackward ? 0x40 : 0, 1);
    Put(bytes, frame.queuePair, 3);
    Put(bytes, frame.wantsAck ? 0x80 : 0, 1);
    Put(bytes, frame.psn, 3);
    bytes.insert(bytes.end(), frame.extension.begin(), frame.extension.end());
    bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
    bytes.resize(bytes.size() + pad);
    const uint32_t icrc = GetIcrc(bytes);
    for (uint32_t i = 0; i < ICRC_BYTES; ++i)
    {
        bytes.push_back(static_cast<uint8_t>(icrc >> (8 * i))); // the low byte first
    }
    return bytes;
}

FrameBytes
SerializePfc(Mac48Address source, uint8_t trafficClass, uint16_t quanta)
{
    FrameBytes bytes;
    PutMac(bytes, Mac48Address("01:80:c2:00:00:01")); // consumed by the next port
    PutMac(bytes, source);
    Put(bytes, 0x8808, 2);             // MAC control
    Put(bytes, 0x0101, 2);             // priority-based flow control
    Put(bytes, 1u << trafficClass, 2); // classes that the frame speaks of
    for (uint8_t c = 0; c < 8; ++c)
    {
        Put(bytes, c == trafficClass ? quanta : 0, 2);
    }
    bytes.resize(std::max(bytes.size(), LEAST_FRAME));
    return bytes;
}

} // namespace ns3::llm
