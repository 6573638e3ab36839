// SPDX-License-Identifier: GPL-2.0-only

#include "packet-frame.h"

#include "frame-to-roce.h"
#include "identity-hash.h"

#include "ns3/ipv4-header.h"
#include "ns3/node.h"

#include <algorithm>
#include <array>

namespace ns3::llm
{

namespace
{

constexpr std::size_t LARGEST_HEADER = 60; //!< of IPv4
constexpr uint32_t ETHERNET_BYTES = 14;    //!< header
constexpr uint8_t ECN_CONGESTED = 3;       //!< CE
constexpr uint8_t TCP = 6;                 //!< protocol number
constexpr uint8_t UDP = 17;                //!< protocol number

/** @param bytes big-endian @param at place of the first @param count so many @return the number */
uint32_t
Get(const uint8_t* bytes, std::size_t at, std::size_t count)
{
    uint32_t value = 0;
    for (std::size_t i = at; i < at + count; ++i)
    {
        value = value << 8 | bytes[i];
    }
    return value;
}

/** Put the checksum of an IPv4 header into it. @param header the header */
void
PutChecksum(uint8_t* header)
{
    const std::size_t headerBytes = (header[0] & 15u) * 4;
    header[10] = 0;
    header[11] = 0;
    uint32_t sum = 0;
    for (std::size_t at = 0; at < headerBytes; at += 2)
    {
        sum += Get(header, at, 2);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~((sum & 0xffff) + (sum >> 16));
    header[10] = static_cast<uint8_t>(sum >> 8);
    header[11] = static_cast<uint8_t>(sum);
}

} // namespace

PacketDescription
DescribePacket(const Packet& packet)
{
    std::array<uint8_t, LARGEST_HEADER + 4> bytes{};
    packet.CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    const uint8_t* ip = bytes.data();
    const uint32_t source = Get(ip, 12, 4);
    const uint32_t destination = Get(ip, 16, 4);
    const uint8_t protocol = ip[9];
    const bool isFragment = Get(ip, 6, 2) & 0x3fff; // more fragments, or an offset
    const bool hasPorts = (protocol == TCP || protocol == UDP) && !isFragment;
    PacketDescription description;
    description.destination = Ipv4Address(destination);
    description.isEcnCapable = ip[1] & ECN_CONGESTED;
    description.flow = MixHash(MixHash(source, destination), protocol);
    if (hasPorts)
    {
        description.flow = HashPacketFlow(Ipv4Address(source),
                                          description.destination,
                                          protocol,
                                          Get(ip, (ip[0] & 15u) * 4, 4));
    }
    return description;
}

uint64_t
HashPacketFlow(Ipv4Address source, Ipv4Address destination, uint8_t protocol, uint32_t ports)
{
    return MixHash(MixHash(MixHash(source.Get(), destination.Get()), protocol), ports);
}

uint32_t
GetPacketWireBytes(uint32_t packetBytes)
{
    return std::max(packetBytes + PACKET_OVERHEAD_BYTES, MIN_PACKET_WIRE_BYTES);
}

Ptr<Packet>
MarkCongestion(const Packet& packet)
{
    Ptr<Packet> copy = packet.Copy();
    Ipv4Header header;
    copy->RemoveHeader(header);
    header.SetEcn(Ipv4Header::ECN_CE);
    if (Node::ChecksumEnabled())
    {
        header.EnableChecksum();
    }
    copy->AddHeader(header);
    return copy;
}

FrameBytes
SerializePacket(const Frame& frame)
{
    const uint32_t packetBytes = frame.packet->GetSize();
    FrameBytes bytes(ETHERNET_BYTES + packetBytes);
    GetRoceMac(GetTerminalAddress(frame.destination)).CopyTo(bytes.data());
    GetRoceMac(GetTerminalAddress(frame.source)).CopyTo(bytes.data() + 6);
    bytes[12] = static_cast<uint8_t>(frame.GetPair() >> 8);
    bytes[13] = static_cast<uint8_t>(frame.GetPair());
    uint8_t* packet = bytes.data() + ETHERNET_BYTES;
    frame.packet->CopyData(packet, packetBytes);
    if (frame.GetPair() == IPV4_ETHER_TYPE)
    {
        if (frame.flags & Frame::MARKED)
        {
            packet[1] |= ECN_CONGESTED;
        }
        PutChecksum(packet);
    }
    bytes.resize(std::max<std::size_t>(bytes.size(), 60)); // the pad of a small frame
    return bytes;
}

FramePool::~FramePool()
{
    for (std::size_t chunk = 0; m_loaded != 0 && chunk < m_chunks.size(); ++chunk)
    {
        for (std::size_t i = 0; i < CHUNK; ++i)
        {
            Frame* frame = m_chunks[chunk].get() + i * m_stride;
            if (frame->kind == FrameKind::PACKET)
            {
                Release(frame);
            }
        }
    }
}

void
FramePool::Load(Frame* frame, Ptr<const Packet> packet)
{
    frame->kind = FrameKind::PACKET;
    frame->packet = GetPointer(packet);
    ++m_loaded;
}

Ptr<const Packet>
FramePool::Unload(Frame* frame)
{
    Ptr<const Packet> packet(frame->packet, false);
    frame->kind = FrameKind::DATA;
    --m_loaded;
    Give(frame);
    return packet;
}

void
FramePool::Release(Frame* frame)
{
    frame->packet->Unref();
    frame->kind = FrameKind::DATA; // so that a free frame is never taken for a loaded one
    --m_loaded;
}

} // namespace ns3::llm
