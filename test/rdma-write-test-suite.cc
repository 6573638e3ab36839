// SPDX-License-Identifier: GPL-2.0-only

// Messages of any size: several RDMA writes, their frames, bytes and headers.

#include "lone-sender.h"
#include "small-network.h"

#include "ns3/fabric-trace-helper.h"
#include "ns3/frame-to-roce.h"
#include "ns3/input-error.h"
#include "ns3/lone-message-time.h"
#include "ns3/pcap-file.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Messages of more than one RDMA write.
 */

namespace
{

constexpr uint64_t GIB = uint64_t{1} << 30; //!< bytes

/** @param flags of a data frame @return FIRST, LAST and MORE, as letters */
std::string
Name(uint8_t flags)
{
    std::string name;
    name += flags & Frame::FIRST ? "F" : "";
    name += flags & Frame::LAST ? "L" : "";
    name += flags & Frame::MORE ? "+" : "";
    return name.empty() ? "-" : name;
}

/** The frames of a message of several writes. */
class WriteFramesTestCase : public TestCase
{
  public:
    WriteFramesTestCase()
        : TestCase("A message of 7 frames, 3 in a write, is three writes, each with its headers")
    {
    }

  private:
    void DoRun() override
    {
        LoneSender sender;
        sender.config.framesPerWrite = 3;
        sender.Post(6001);
        sender.Post(3000);
        sender.Post(0);
        std::string names;
        std::vector<uint32_t> wireBytes;
        for (uint64_t psn = 0; psn < 11; ++psn)
        {
            const Frame frame = sender.Next();
            names += Name(frame.flags) + ' ';
            wireBytes.push_back(frame.wireBytes);
        }
        NS_TEST_EXPECT_MSG_EQ(names, "F - L+ F - L+ FL F - L FL ", "places in the writes");
        const std::vector<uint32_t> wanted =
            {1098, 1082, 1082, 1098, 1082, 1082, 99, 1098, 1082, 1082, 98};
        NS_TEST_EXPECT_MSG_EQ((wireBytes == wanted), true, "16 B more at the head of each");
        const std::vector<uint64_t> sizes = {3000, 0, 0, 3000, 0, 0, 1, 3000, 0, 0, 0};
        for (uint64_t psn = 0; psn < sizes.size(); ++psn)
        {
            NS_TEST_EXPECT_MSG_EQ(sender.pair->GetWriteBytes(psn), sizes[psn], "write at " << psn);
        }
        // going back into the middle of a write
        sender.Acknowledge(4);
        sender.pair->GoBack();
        NS_TEST_EXPECT_MSG_EQ(Name(sender.Next().flags), "-", "frame 4 again");
        NS_TEST_EXPECT_MSG_EQ(Name(sender.Next().flags), "L+", "frame 5 again");
        sender.config.framesPerWrite = 1;
        sender.Post(2000);
        sender.Acknowledge(11);
        NS_TEST_EXPECT_MSG_EQ(Name(sender.Next().flags), "FL+", "a write per frame");
        NS_TEST_EXPECT_MSG_EQ(Name(sender.Next().flags), "FL", "and the last");
    }
};

/** Sizes that need not be simulated whole. */
class LargeMessageTestCase : public TestCase
{
  public:
    LargeMessageTestCase()
        : TestCase("Messages of 0 B to 2^64 - 1 B have the frames and writes that they must")
    {
    }

  private:
    static constexpr uint32_t MTU = 4096;                   //!< payload of a full frame
    static constexpr uint64_t PER_WRITE = (1u << 30) / MTU; //!< frames

    /**
     * Look at a frame.
     * @param bytes of the message
     * @param psn of the frame, in the message
     * @param name of its place
     * @param payload of it
     * @param write bytes of the write that it is the first of, else 0
     */
    void
    Look(uint64_t bytes, uint64_t psn, const std::string& name, uint32_t payload, uint64_t write)
    {
        LoneSender sender;
        sender.config.mtuBytes = MTU;
        sender.config.framesPerWrite = PER_WRITE;
        sender.Post(bytes);
        sender.Acknowledge(psn); // as if all before had been sent
        const Frame frame = sender.Next();
        NS_TEST_EXPECT_MSG_EQ(frame.psn, psn, "of " << bytes);
        NS_TEST_EXPECT_MSG_EQ(Name(frame.flags), name, "frame " << psn << " of " << bytes);
        NS_TEST_EXPECT_MSG_EQ(frame.payloadBytes, payload, "frame " << psn << " of " << bytes);
        NS_TEST_EXPECT_MSG_EQ(sender.pair->GetWriteBytes(psn), write, "frame " << psn);
        const bool isLast = name == "L" || name == "FL";
        NS_TEST_EXPECT_MSG_EQ(sender.pair->MaySend(), !isLast, "what follows " << psn);
        const RoceFrame roce = DescribeAsRoce(frame, sender.pair->GetWriteBytes(psn));
        NS_TEST_EXPECT_MSG_EQ(roce.psn, (psn & 0xffffff), "24 bits of " << psn);
        const bool isFirst = name[0] == 'F';
        NS_TEST_ASSERT_MSG_EQ(roce.extension.size(), (isFirst ? 16u : 0u), "RETH");
        uint64_t length = 0;
        for (std::size_t i = 12; i < roce.extension.size(); ++i)
        {
            length = length << 8 | roce.extension[i];
        }
        NS_TEST_EXPECT_MSG_EQ(length, write, "length in the RETH");
    }

    void DoRun() override
    {
        Look(0, 0, "FL", 0, 0);
        Look(1, 0, "FL", 1, 1);
        Look(MTU, 0, "FL", MTU, MTU);
        Look(GIB, 0, "F", MTU, GIB);
        Look(GIB, PER_WRITE - 1, "L", MTU, 0);
        Look(GIB + 1, PER_WRITE - 1, "L+", MTU, 0);
        Look(GIB + 1, PER_WRITE, "FL", 1, 1);
        Look(100 * GIB, 0, "F", MTU, GIB);
        Look(100 * GIB, 64 * PER_WRITE, "F", MTU, GIB); // 2^24, which is 0 on the wire
        Look(100 * GIB, 64 * PER_WRITE + 1, "-", MTU, 0);
        Look(100 * GIB - 1, 100 * PER_WRITE - 1, "L", MTU - 1, 0);
        Look(UINT64_MAX, (uint64_t{1} << 52) - 1, "L", MTU - 1, 0);
        Look(UINT64_MAX, (uint64_t{1} << 52) - PER_WRITE, "F", MTU, GIB - 1);
    }
};

/** Through a network. */
class WriteNetworkTestCase : public TestCase
{
  public:
    WriteNetworkTestCase()
        : TestCase("Messages of several writes come once, whole, with the bytes of the closed form")
    {
    }

  private:
    static constexpr uint32_t MTU = 1000;          //!< payload of a full frame
    static constexpr uint64_t WRITE_BYTES = 10000; //!< most of a write, with 500 B that do not fit

    void DoRun() override
    {
        for (const uint64_t bytes : {0u, 1u, 1000u, 9999u, 10000u, 10001u, 25000u, 100000u})
        {
            Check(bytes, 1);
            Check(bytes, 4);
        }
        CheckLosses("ns3::llm::GoBackN");
        CheckLosses("ns3::llm::SelectiveRepeat");
        Config::SetDefault("ns3::llm::RdmaTransport::MaxWriteSize", UintegerValue(4095));
        std::string text;
        try
        {
            SmallNetwork net;
            net.MakeStar(2, "100Gbps");
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        const bool isNamed = text.find("MaxWriteSize 4095") != std::string::npos &&
                             text.find("Mtu is 4096") != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ(isNamed, true, "refused with both: " << text);
        Config::Reset();
    }

    /** Set sizes. */
    static void Set()
    {
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::NoCongestionControl"));
        Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(MTU));
        Config::SetDefault("ns3::llm::RdmaTransport::MaxWriteSize",
                           UintegerValue(WRITE_BYTES + 500));
    }

    /** @param bytes of a message @param framesPerAck attribute */
    void Check(uint64_t bytes, uint32_t framesPerAck)
    {
        Set();
        Config::SetDefault("ns3::llm::RdmaTransport::FramesPerAck", UintegerValue(framesPerAck));
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, bytes);
        Simulator::Run();
        const uint64_t frames = std::max<uint64_t>((bytes + MTU - 1) / MTU, 1);
        const uint64_t writes = (frames + 9) / 10;
        const uint64_t rest = frames - (writes - 1) * 10;
        const auto ceil = [framesPerAck](uint64_t n)
        {
            return (n + framesPerAck - 1) / framesPerAck;
        };
        const auto& data = net.network->GetTerminalPort(0)->GetTransmitter().GetCounters();
        const auto& back = net.network->GetTerminalPort(1)->GetTransmitter().GetCounters();
        NS_TEST_EXPECT_MSG_EQ(data.frames, frames, "frames of " << bytes);
        NS_TEST_EXPECT_MSG_EQ(data.wireBytes, bytes + 82 * frames + 16 * writes, "of " << bytes);
        NS_TEST_EXPECT_MSG_EQ(back.frames, ceil(10) * (writes - 1) + ceil(rest), "ACKs");
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 1, "one message of " << bytes);
        NS_TEST_EXPECT_MSG_EQ(net.delivered[0].message.bytes, bytes, "whole");
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 1, "one message of " << bytes);
        Path path;
        path.legs.push_back(net.transport->DescribeLeg(0, 1, 0));
        NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(net.delivered[0].tick),
                              GetLoneMessageTime(path, bytes).delivered.GetPicoSeconds() + 2,
                              "the time of a message alone, " << bytes << " B");
    }

    /** @param recovery TypeId of the loss recovery */
    void CheckLosses(const std::string& recovery)
    {
        Set();
        Config::SetDefault("ns3::llm::RdmaTransport::LossRecovery", StringValue(recovery));
        SmallNetwork net;
        net.isLost = [](const Frame& frame)
        {
            // the ends and the beginnings of writes, and one in the middle
            return frame.kind == FrameKind::DATA && frame.attempt == 0 &&
                   (frame.psn % 10 == 9 || frame.psn == 10 || frame.psn == 24);
        };
        net.MakeStar(2, "100Gbps");
        net.Send(0, 1, 35500, 0);
        net.Send(0, 1, 20000, 1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 2, "messages under " << recovery);
        NS_TEST_EXPECT_MSG_EQ(net.delivered[0].message.bytes, 35500, "whole");
        NS_TEST_EXPECT_MSG_EQ(net.delivered[1].message.bytes, 20000, "whole");
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 2, "messages under " << recovery);
        NS_TEST_EXPECT_MSG_GT(net.transport->GetCounters().retransmissions, 4, "of lost frames");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames");
    }
};

/** In a capture. */
class WriteCaptureTestCase : public TestCase
{
  public:
    WriteCaptureTestCase()
        : TestCase("A capture has opcodes, PSNs and lengths of each write of a message")
    {
    }

  private:
    void DoRun() override
    {
        const std::string name = CreateTempDirFilename("writes.pcap");
        {
            Config::SetDefault("ns3::llm::RdmaTransport::MaxWriteSize", UintegerValue(3 * 4096));
            SmallNetwork net;
            net.MakeStar(2, "100Gbps");
            FabricTraceHelper(net.transport)
                .EnablePcap(name, net.network->GetTerminalPort(0), false, true);
            net.Send(0, 1, 7 * 4096 - 1);
            Simulator::Run();
        }
        PcapFile file;
        file.Open(name, std::ios::in);
        std::string text;
        while (true)
        {
            std::vector<uint8_t> bytes(10000);
            uint32_t seconds = 0;
            uint32_t nanoseconds = 0;
            uint32_t kept = 0;
            uint32_t length = 0;
            uint32_t read = 0;
            file.Read(bytes.data(), 10000, seconds, nanoseconds, kept, length, read);
            if (file.Fail() || file.Eof())
            {
                break;
            }
            const uint32_t opcode = bytes[42];
            if (opcode == 17)
            {
                continue; // ACK
            }
            text += std::to_string(opcode) + ':' + std::to_string(bytes[53]) +
                    (bytes[50] & 0x80 ? "A" : "");
            if (opcode == 6 || opcode == 10)
            {
                const uint32_t size = uint32_t{bytes[66]} << 24 | uint32_t{bytes[67]} << 16 |
                                      uint32_t{bytes[68]} << 8 | bytes[69];
                text += '=' + std::to_string(size);
            }
            text += ' ';
        }
        NS_TEST_EXPECT_MSG_EQ(text,
                              "6:0=12288 7:1 8:2A 6:3=12288 7:4 8:5A 10:6A=4095 ",
                              "opcode, PSN, whether an ACK is asked for, length");
    }
};

/** The suite. */
class RdmaWriteTestSuite : public TestSuite
{
  public:
    RdmaWriteTestSuite()
        : TestSuite("llm-fabric-rdma-write", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new WriteFramesTestCase);
        AddTestCase(new LargeMessageTestCase);
        AddTestCase(new WriteNetworkTestCase);
        AddTestCase(new WriteCaptureTestCase);
    }
};

RdmaWriteTestSuite g_rdmaWriteTestSuite; //!< registers the suite

} // namespace
