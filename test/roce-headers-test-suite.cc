// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/frame-to-roce.h"
#include "ns3/identity-hash.h"
#include "ns3/roce-headers.h"

#include "ns3/test.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The bytes of RoCEv2 and PFC frames.
 */

namespace
{

/** @param bytes some bytes @param from of these, from here on @return them in hexadecimal */
std::string
ToHex(const FrameBytes& bytes, std::size_t from = 0)
{
    const std::string digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = from; i < bytes.size(); ++i)
    {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

/** @param bytes some bytes @param at of these, here @param count so many @return the number */
uint64_t
Read(const FrameBytes& bytes, std::size_t at, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        value = value << 8 | bytes.at(at + i);
    }
    return value;
}

/** @return a frame of the model from terminal 4 to terminal 9 @param kind its kind */
Frame
MakeFrame(FrameKind kind)
{
    Frame frame{};
    frame.kind = kind;
    frame.source = 4;
    frame.destination = 9;
    frame.queuePair = 3;
    frame.psn = 0x2000007;
    frame.entropy = 0xabcd1234;
    frame.trafficClass = 3;
    return frame;
}

/** The CRC of the IEEE 802.3 standard, by its definition: bit by bit. @param bytes of these
 * @return the CRC */
uint32_t
CrcByBits(const FrameBytes& bytes)
{
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes)
    {
        for (uint32_t bit = 0; bit < 8; ++bit)
        {
            const bool isOdd = (crc ^ byte >> bit) & 1;
            crc = crc >> 1 ^ (isOdd ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

/** Frames whose bytes were published or computed elsewhere. */
class KnownBytesTestCase : public TestCase
{
  public:
    KnownBytesTestCase()
        : TestCase("CNP, ACK, NAK and write have the known bytes from IP to ICRC")
    {
    }

  private:
    void DoRun() override
    {
        RoceFrame cnp;
        cnp.source = Ipv4Address("10.0.0.2");
        cnp.destination = Ipv4Address("10.0.0.1");
        cnp.typeOfService = 0xc2;
        cnp.opcode = RoceOpcode::CONGESTION;
        cnp.isMigrated = false;
        cnp.isBackward = true;
        cnp.queuePair = 0xd2;
        cnp.extension.resize(16);
        Check(cnp,
              "45c2003c00004000401125ed0a0000020a000001c00012b7002800008100ffff400000d200000000"
              "00000000000000000000000000000000ea37a322",
              "CNP");

        RoceFrame ack = cnp;
        ack.typeOfService = 0x6a;
        ack.opcode = RoceOpcode::ACKNOWLEDGE;
        ack.isBackward = false;
        ack.psn = 7;
        ack.extension = MakeAeth(ROCE_SYNDROME_ACK, 1);
        const std::string front =
            "456a003000004000401126510a0000020a000001c00012b7001c00001100ffff000000d200000007";
        Check(ack, front + "1f0000013532d193", "ACK");
        ack.extension = MakeAeth(ROCE_SYNDROME_PSN_ERROR, 1);
        Check(ack, front + "60000001ff828da0", "NAK");

        RoceFrame write;
        write.source = Ipv4Address("10.0.0.1");
        write.destination = Ipv4Address("10.0.0.2");
        write.typeOfService = 0x6a;
        write.opcode = RoceOpcode::WRITE_ONLY;
        write.wantsAck = true;
        write.queuePair = 0x11;
        write.extension = MakeReth(0x1000, 0x1234, 4);
        write.payload = {0xde, 0xad, 0xbe, 0xef};
        Check(write,
              "456a004000004000401126410a0000010a000002c00012b7002c00000a40ffff0000001180000000"
              "00000000000010000000123400000004deadbeef0b398f4b",
              "write");
        NS_TEST_EXPECT_MSG_EQ(ToHex(SerializeRoce(write)).substr(0, 28),
                              "02000a00000202000a0000010800",
                              "Ethernet header, addresses made of those of IP");
    }

    /** @param frame a frame @param hex its bytes behind the Ethernet header @param what its name */
    void Check(const RoceFrame& frame, const std::string& hex, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(ToHex(SerializeRoce(frame), 14), hex, what);
    }
};

/** PFC. */
class PfcBytesTestCase : public TestCase
{
  public:
    PfcBytesTestCase()
        : TestCase("A pause names its class and its time, a resume the time 0")
    {
    }

  private:
    void DoRun() override
    {
        const std::string front = "0180c200000102000000000588080101";
        const std::string pad(52, '0');
        const Mac48Address port("02:00:00:00:00:05");
        NS_TEST_EXPECT_MSG_EQ(ToHex(SerializePfc(port, 3, 0xffff)),
                              front + "0008" + "000000000000ffff0000000000000000" + pad,
                              "pause of class 3");
        Frame frame = MakeFrame(FrameKind::PAUSE);
        frame.psn = 7;
        frame.payloadBytes = 1;
        NS_TEST_EXPECT_MSG_EQ(ToHex(SerializeFrame(frame, 0, port)),
                              front + "0080" + "0000000000000000000000000000ffff" + pad,
                              "pause of class 7");
        frame.payloadBytes = 0;
        NS_TEST_EXPECT_MSG_EQ(ToHex(SerializeFrame(frame, 0, port)),
                              front + "0080" + std::string(32, '0') + pad,
                              "resume of class 7");
    }
};

/** The sums over a frame, of all payloads up to 70 and a full one. */
class SumsTestCase : public TestCase
{
  public:
    SumsTestCase()
        : TestCase("Checksum, lengths, pad and ICRC hold for every size, the latter bit by bit")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t size = 0; size <= 70; ++size)
        {
            CheckSize(size);
        }
        CheckSize(4096);
    }

    /** @param size of the payload */
    void CheckSize(uint32_t size)
    {
        RoceFrame frame;
        frame.source = Ipv4Address(static_cast<uint32_t>(MixHash(size, 1)));
        frame.destination = Ipv4Address(static_cast<uint32_t>(MixHash(size, 2)));
        frame.typeOfService = static_cast<uint8_t>(MixHash(size, 3));
        frame.isBackward = size % 2 != 0;
        for (uint32_t i = 0; i < size; ++i)
        {
            frame.payload.push_back(static_cast<uint8_t>(MixHash(size, 10 + i)));
        }
        FrameBytes bytes = SerializeRoce(frame);
        uint64_t sum = 0;
        for (std::size_t at = 14; at < 34; at += 2)
        {
            sum += Read(bytes, at, 2);
        }
        NS_TEST_EXPECT_MSG_EQ(sum % 0xffff, 0, "ones' complement sum with checksum, " << size);
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 16, 2), bytes.size() - 14, "IP length, " << size);
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 38, 2), bytes.size() - 34, "UDP length, " << size);
        const uint32_t pad = bytes[43] >> 4 & 3;
        NS_TEST_EXPECT_MSG_EQ((size + pad) % 4, 0, "whole words, " << size);
        NS_TEST_EXPECT_MSG_EQ(bytes.size(), 14 + 20 + 8 + 12 + size + pad + 4, "size, " << size);
        FrameBytes covered(bytes.begin() + 14 - 8, bytes.end() - 4);
        std::fill_n(covered.begin(), 8, 0xff);
        for (const std::size_t at : {9, 16, 18, 19, 34, 35, 40}) // TOS, TTL, checksums, FECN/BECN
        {
            covered[at] = 0xff;
        }
        std::reverse(bytes.end() - 4, bytes.end());
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, bytes.size() - 4, 4),
                              CrcByBits(covered),
                              "ICRC " << size);
    }
};

/** How frames of the model become RoCEv2. */
class MappingTestCase : public TestCase
{
  public:
    MappingTestCase()
        : TestCase("Kind, flags, class and numbers of a frame are in its headers")
    {
    }

  private:
    void DoRun() override
    {
        CheckData();
        CheckAnswers();
        CheckClasses();
    }

    /** Data frames. */
    void CheckData()
    {
        const std::vector<std::pair<uint8_t, uint8_t>> opcodes = {{Frame::FIRST, 6},
                                                                  {0, 7},
                                                                  {Frame::LAST, 8},
                                                                  {Frame::FIRST | Frame::LAST, 10}};
        for (const auto& [flags, opcode] : opcodes)
        {
            Frame frame = MakeFrame(FrameKind::DATA);
            frame.flags = flags;
            frame.payloadBytes = 1024;
            const bool isFirst = flags & Frame::FIRST;
            const FrameBytes bytes = SerializeFrame(frame, 70000, Mac48Address());
            NS_TEST_EXPECT_MSG_EQ(Read(bytes, 42, 1), opcode, "opcode");
            NS_TEST_EXPECT_MSG_EQ(Read(bytes, 47, 3), 5, "queue pair 3 is QP 5");
            NS_TEST_EXPECT_MSG_EQ(Read(bytes, 50, 1), (flags & Frame::LAST ? 0x80 : 0), "ACK bit");
            NS_TEST_EXPECT_MSG_EQ(Read(bytes, 51, 3), 7, "24 bits of the PSN");
            NS_TEST_EXPECT_MSG_EQ(Read(bytes, 15, 1), 0x6a, "DSCP 26, ECT(0)");
            NS_TEST_EXPECT_MSG_EQ(Read(bytes, 34, 2), 0xd234, "port of the entropy's low bits");
            NS_TEST_EXPECT_MSG_EQ(Read(bytes, 26, 8), 0x0a0000050a00000a, "IP addresses");
            NS_TEST_EXPECT_MSG_EQ(bytes.size() + 24, 1024 + 82 + (isFirst ? 16 : 0), "wire bytes");
            if (isFirst)
            {
                NS_TEST_EXPECT_MSG_EQ(Read(bytes, 66, 4), 70000, "length of the message");
            }
        }
        Frame frame = MakeFrame(FrameKind::DATA);
        frame.flags = Frame::FIRST | Frame::LAST | Frame::MARKED;
        frame.payloadBytes = 10;
        NS_TEST_EXPECT_MSG_EQ(Read(SerializeFrame(frame, 0, Mac48Address()), 66, 4),
                              10,
                              "length when the message is forgotten");
        NS_TEST_EXPECT_MSG_EQ(Read(SerializeFrame(frame, uint64_t{1} << 32, Mac48Address()), 66, 4),
                              0xffffffff,
                              "length that 32 bits cannot say");
        NS_TEST_EXPECT_MSG_EQ(Read(SerializeFrame(frame, 0, Mac48Address()), 15, 1), 0x6b, "CE");
    }

    /** What receivers send. */
    void CheckAnswers()
    {
        Frame frame = MakeFrame(FrameKind::ACK);
        FrameBytes bytes = SerializeFrame(frame, 0, Mac48Address());
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 42, 1), 17, "opcode of an ACK");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 51, 3), 6, "the last that arrived");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 54, 1), 0x1f, "syndrome of an ACK");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 46, 1), 0, "no BECN");
        NS_TEST_EXPECT_MSG_EQ(bytes.size() + 24, 86, "wire bytes of an ACK");
        frame.psn = 1u << 24;
        frame.flags = Frame::MARKED;
        bytes = SerializeFrame(frame, 0, Mac48Address());
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 51, 3), 0xffffff, "before PSN 0 of the next round");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 46, 1), 0x40, "BECN is the echo of a mark");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 15, 1), 0x6a, "the ACK itself is not marked");
        bytes = SerializeFrame(MakeFrame(FrameKind::NACK), 0, Mac48Address());
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 42, 1), 17, "opcode of a NAK");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 51, 3), 7, "the missing one");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 54, 1), 0x60, "syndrome of a NAK");
        frame = MakeFrame(FrameKind::CNP);
        frame.psn = 0;
        frame.trafficClass = 6;
        bytes = SerializeFrame(frame, 0, Mac48Address());
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 42, 1), 0x81, "opcode of a CNP");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 46, 8), 0x4000000500000000, "BECN, QP 5, PSN 0");
        NS_TEST_EXPECT_MSG_EQ(Read(bytes, 15, 1), 0xc2, "DSCP 48");
        NS_TEST_EXPECT_MSG_EQ(bytes.size() + 24, 98, "wire bytes of a CNP");
    }

    /** Classes and addresses. */
    void CheckClasses()
    {
        for (uint8_t c = 0; c < 8; ++c)
        {
            NS_TEST_EXPECT_MSG_EQ(GetClassDscp(c) / 8, c, "devices take the class back");
        }
        NS_TEST_EXPECT_MSG_EQ(GetTerminalAddress(0), Ipv4Address("10.0.0.1"), "first");
        NS_TEST_EXPECT_MSG_EQ(GetTerminalAddress(ROCE_MAX_TERMINALS - 1),
                              Ipv4Address("10.255.255.254"),
                              "last");
    }
};

/** The suite. */
class RoceHeadersTestSuite : public TestSuite
{
  public:
    RoceHeadersTestSuite()
        : TestSuite("llm-fabric-roce-headers", TestSuite::Type::UNIT)
    {
        AddTestCase(new KnownBytesTestCase);
        AddTestCase(new PfcBytesTestCase);
        AddTestCase(new SumsTestCase);
        AddTestCase(new MappingTestCase);
    }
} g_roceHeadersTestSuite; //!< registers the suite

} // namespace
