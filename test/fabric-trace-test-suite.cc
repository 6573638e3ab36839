// SPDX-License-Identifier: GPL-2.0-only

#include "small-network.h"

#include "ns3/fabric-trace-helper.h"
#include "ns3/frame-digest.h"
#include "ns3/input-error.h"

#include "ns3/pcap-file.h"
#include "ns3/test.h"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Traces of ports: pcap and text, times, order, and what is refused.
 */

namespace
{

/** @param text lines @param front what a line may begin with @return number of lines that do */
uint64_t
CountLines(const std::string& text, const std::string& front)
{
    std::istringstream lines(text);
    uint64_t count = 0;
    for (std::string line; std::getline(lines, line);)
    {
        count += line.rfind(front, 0) == 0;
    }
    return count;
}

/** A record of a pcap file. */
struct PcapRecord
{
    uint64_t nanoseconds;       //!< time stamp
    uint32_t length;            //!< of the frame
    std::vector<uint8_t> bytes; //!< what was kept of it
};

/** @param name of a pcap file @return its records; none when it is not one of Ethernet, by ns */
std::vector<PcapRecord>
ReadPcap(const std::string& name)
{
    PcapFile file;
    file.Open(name, std::ios::in);
    std::vector<PcapRecord> records;
    if (file.Fail() || !file.IsNanoSecMode() || file.GetDataLinkType() != PcapHelper::DLT_EN10MB)
    {
        return records;
    }
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
            return records;
        }
        bytes.resize(read);
        records.push_back({seconds * uint64_t{1000000000} + nanoseconds, length, bytes});
    }
}

/** Times by hand. */
class TimesTestCase : public TestCase
{
  public:
    TimesTestCase()
        : TestCase("Two frames and their ACKs are seen at each port when they leave and have come")
    {
    }

  private:
    void DoRun() override
    {
        // 100 Gb/s: 80 ps a byte. 4096 B travel in 4194 B, 335,520 ps, 904 B in 986 B, 78,880 ps, an
        // ACK in 86 B, 6,880 ps; a link takes 1 us. The second waits in the switch for the first.
        Record();
        const std::string first = "DATA source=0 destination=1 queuePair=0 psn=0 class=3 "
                                  "payloadBytes=4096 wireBytes=4194 FIRST\n";
        const std::string second = "DATA source=0 destination=1 queuePair=0 psn=1 class=3 "
                                   "payloadBytes=904 wireBytes=986 LAST\n";
        const std::string front = "ACK source=1 destination=0 queuePair=0 psn=";
        const std::string back = " class=3 payloadBytes=0 wireBytes=86\n";
        const std::string wanted = At("+", 0) + first + At("-", 0) + first + At("+", 335520) +
                                   second + At("-", 335520) + second + At("r", 4684800) + front +
                                   "1" + back + At("r", 4763680) + front + "2" + back;
        NS_TEST_EXPECT_MSG_EQ(m_sender.str(), wanted, "at the sender's port");
        const std::string at1 = " 0.000002671041 /NodeList/1/DeviceList/0 ";
        const std::string at2 = " 0.000002749921 /NodeList/1/DeviceList/0 ";
        const std::string there = "r" + at1 + first + "+" + at1 + front + "1" + back + "-" + at1 +
                                  front + "1" + back + "r" + at2 + second + "+" + at2 + front +
                                  "2" + back + "-" + at2 + front + "2" + back;
        NS_TEST_EXPECT_MSG_EQ(m_receiver.str(), there, "at the receiver's port");
        const auto records = ReadPcap(m_file);
        NS_TEST_ASSERT_MSG_EQ(records.size(), 4, "records of the pcap file");
        const std::vector<uint64_t> times = {0, 335, 4684, 4763};
        const std::vector<uint32_t> sizes = {4170, 962, 62, 62};
        for (std::size_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(records[i].nanoseconds, times[i], "time of record " << i);
            NS_TEST_EXPECT_MSG_EQ(records[i].length, sizes[i], "size of record " << i);
        }
        const auto& bytes = records[0].bytes;
        NS_TEST_EXPECT_MSG_EQ(bytes.at(68) * 256 + bytes.at(69), 5000, "length of the message");
    }

    /** Run, with text traces at both ends and a pcap file at the sender's. */
    void Record()
    {
        m_file = CreateTempDirFilename("sender.pcap");
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        FabricTraceHelper helper(net.transport);
        helper.EnablePcap(m_file, net.network->GetTerminalPort(0), false, true);
        helper.EnableAscii(Create<OutputStreamWrapper>(&m_sender), net.network->GetTerminalPort(0));
        helper.EnableAscii(Create<OutputStreamWrapper>(&m_receiver),
                           net.network->GetTerminalPort(1));
        net.Send(0, 1, 5000);
        Simulator::Run();
    }

    /** @param what begins the line @param ticks after the first frame @return its beginning */
    static std::string At(const std::string& what, uint64_t ticks)
    {
        std::ostringstream text;
        text << what << " 0." << std::setfill('0') << std::setw(12) << ticks + 1
             << " /NodeList/0/DeviceList/0 ";
        return text.str();
    }

    std::string m_file;            //!< the pcap file
    std::ostringstream m_sender;   //!< trace of the sender's port
    std::ostringstream m_receiver; //!< trace of the receiver's port
};

/** A run with pauses, marks and notifications. */
class BothEndsTestCase : public TestCase
{
  public:
    BothEndsTestCase()
        : TestCase("Under pauses and marks each port has its frames, in order, and none is changed")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t hash = RunIncast(false);
        NS_TEST_EXPECT_MSG_EQ(RunIncast(true), hash, "the run is the same with traces");
    }

    /** @param isTraced whether to trace @return digest of the run */
    uint64_t RunIncast(bool isTraced)
    {
        Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(1000000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(10000));
        Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(20000));
        const std::string prefix = CreateTempDirFilename("incast");
        FrameDigest digest;
        std::vector<FabricNetwork::Direction> directions;
        std::vector<std::ostringstream> texts(8);
        std::vector<PortCounters> counters;
        SmallNetwork net;
        net.MakeStar(4, "100Gbps");
        directions = net.network->GetDirections();
        if (isTraced)
        {
            FabricTraceHelper helper(net.transport);
            helper.EnablePcapAll(prefix);
            for (std::size_t i = 0; i < directions.size(); ++i)
            {
                helper.EnableAscii(Create<OutputStreamWrapper>(&texts[i]),
                                   ConstCast<FabricPort>(directions[i].port));
            }
        }
        net.network->SetObserver(&digest); // the traces go on beside it
        net.SendIncast(1000000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::marks), 0, "there are marks");
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::pausesSent), 0, "there are pauses");
        NS_TEST_EXPECT_MSG_GT(net.transport->GetCounters().cnpsReceived, 0, "and notifications");
        Simulator::Destroy();
        for (std::size_t i = 0; isTraced && i < directions.size(); ++i)
        {
            const std::string name =
                prefix + (i % 2 == 0 ? "-" + std::to_string(i / 2) + "-0.pcap"
                                     : "-4-" + std::to_string(i / 2) + ".pcap");
            CheckPort(*directions[i].port, texts[i].str(), texts[i ^ 1].str(), ReadPcap(name));
        }
        return digest.GetHash();
    }

    /**
     * @param port a port
     * @param text its trace
     * @param other trace of the port at the other end
     * @param records its pcap file
     */
    void CheckPort(const FabricPort& port,
                   const std::string& text,
                   const std::string& other,
                   const std::vector<PcapRecord>& records)
    {
        const FrameTransmitter& transmitter = port.GetTransmitter();
        const uint64_t sent = transmitter.GetCounters().frames;
        const uint64_t received = transmitter.GetPeer()->GetCounters().frames;
        NS_TEST_EXPECT_MSG_EQ(CountLines(text, "+ "), sent, "queued");
        NS_TEST_EXPECT_MSG_EQ(CountLines(text, "- "), sent, "sent");
        NS_TEST_EXPECT_MSG_EQ(CountLines(text, "r "), received, "received");
        NS_TEST_EXPECT_MSG_EQ(CountLines(other, "r "), sent, "received there");
        NS_TEST_ASSERT_MSG_EQ(records.size(), sent + received, "in the pcap file");
        std::istringstream lines(text);
        std::string before;
        std::vector<std::pair<uint64_t, uint64_t>> inText; // nanoseconds and length
        for (std::string line; std::getline(lines, line);)
        {
            const std::string time = line.substr(2, 14); // of equal length, so they compare as text
            NS_TEST_EXPECT_MSG_EQ((time >= before), true, "in order: " << line);
            before = time;
            const uint64_t wireBytes = std::stoull(line.substr(line.find("wireBytes=") + 10));
            if (line[0] != '+')
            {
                inText.emplace_back(std::stoull(time.substr(2)) / 1000, wireBytes + PadOf(line));
            }
        }
        std::vector<std::pair<uint64_t, uint64_t>> inFile;
        for (const PcapRecord& record : records)
        {
            inFile.emplace_back(record.nanoseconds, record.length + 24);
        }
        // what leaves and what comes in the same tick stand either way
        std::sort(inText.begin(), inText.end());
        std::sort(inFile.begin(), inFile.end());
        NS_TEST_EXPECT_MSG_EQ((inText == inFile), true, "text and pcap file tell the same");
    }

    /** @param line of a trace @return bytes that fill up the payload's last word */
    static uint64_t PadOf(const std::string& line)
    {
        const std::size_t at = line.find("payloadBytes=");
        return at == std::string::npos ? 0 : (4 - std::stoull(line.substr(at + 13)) % 4) % 4;
    }
};

/** What cannot be written. */
class RefusalsTestCase : public TestCase
{
  public:
    RefusalsTestCase()
        : TestCase("Frames that RoCEv2 has not and files that cannot be written are refused")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, uint32_t>> sizes = {{"DataOverhead", 48},
                                                                     {"FirstOverhead", 0},
                                                                     {"AckSize", 60},
                                                                     {"CnpSize", 97}};
        for (const auto& [name, size] : sizes)
        {
            Config::SetDefault("ns3::llm::RdmaTransport::" + name, UintegerValue(size));
            const std::string text = Refuse(CreateTempDirFilename("never"), true);
            NS_TEST_EXPECT_MSG_NE(text.find(name + "=" + std::to_string(size)),
                                  std::string::npos,
                                  "names field and value: " << text);
        }
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::Hpcc"));
        const std::string control = Refuse(CreateTempDirFilename("never"), true);
        NS_TEST_EXPECT_MSG_NE(control.find("CongestionControl=ns3::llm::Hpcc"),
                              std::string::npos,
                              "names the control: " << control);
        const std::string text = Refuse(CreateTempDirFilename("none/x"), true);
        NS_TEST_EXPECT_MSG_NE(text.find("none/x-0-0.pcap'"), std::string::npos, "file: " << text);
        const std::string ascii = Refuse(CreateTempDirFilename("none/x"), false);
        NS_TEST_EXPECT_MSG_NE(ascii.find("none/x-0-0.tr'"), std::string::npos, "file: " << ascii);
    }

    /** @param prefix of the files @param isPcap pcap, else text @return words of the refusal */
    static std::string Refuse(const std::string& prefix, bool isPcap)
    {
        SmallNetwork net; // resets the defaults at its end
        net.MakeStar(2, "100Gbps");
        FabricTraceHelper helper(net.transport);
        try
        {
            if (isPcap)
            {
                helper.EnablePcapAll(prefix);
            }
            else
            {
                helper.EnableAsciiAll(prefix);
            }
        }
        catch (const InputError& error)
        {
            return std::ifstream(prefix + "-0-0.pcap") ? "a file was made" : error.what();
        }
        return "not refused";
    }
};

/** Several observers of a port. */
class ObserversTestCase : public TestCase
{
  public:
    ObserversTestCase()
        : TestCase("Each observer of a port sees each frame once, until it is removed")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork net;
        net.MakeStar(2, "100Gbps");
        FrameTransmitter& port = net.network->GetTerminalPort(0)->GetTransmitter();
        FrameDigest here;
        FrameDigest gone;
        FrameDigest all;
        port.AddObserver(&here);
        port.AddObserver(&here);
        port.AddObserver(&gone);
        port.RemoveObserver(&gone);
        net.network->SetObserver(&all); // in place of the network's own
        net.Send(0, 1, 8192);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(here.GetFrameCount(), 2, "two frames leave");
        NS_TEST_EXPECT_MSG_EQ(gone.GetFrameCount(), 0, "removed");
        NS_TEST_EXPECT_MSG_EQ(all.GetFrameCount(), 8, "two there and two back, over two links");
        NS_TEST_EXPECT_MSG_EQ(net.digest.frames, 0, "replaced");
    }
};

/** The suite. */
class FabricTraceTestSuite : public TestSuite
{
  public:
    FabricTraceTestSuite()
        : TestSuite("llm-fabric-fabric-trace", TestSuite::Type::UNIT)
    {
        AddTestCase(new TimesTestCase);
        AddTestCase(new BothEndsTestCase);
        AddTestCase(new RefusalsTestCase);
        AddTestCase(new ObserversTestCase);
    }
} g_fabricTraceTestSuite; //!< registers the suite

} // namespace
