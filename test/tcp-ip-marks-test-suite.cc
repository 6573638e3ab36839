// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-ip-bench.h"

#include "ns3/frame-to-roce.h"
#include "ns3/port-capture.h"

#include "ns3/ipv4-header.h"
#include "ns3/test.h"

#include <memory>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Which packets of ns-3's stack are marked, and what captures make of packets.
 */

namespace
{

/** Marks, and what a capture sees. */
class MarkTestCase : public TestCase, public PortCapture::Sink
{
  public:
    MarkTestCase()
        : TestCase("ECT packets are marked in a long queue, others are not; captures show CE")
    {
    }

  private:
    /** Passes the records on. */
    class Relay : public PortCapture::Sink
    {
      public:
        /** @param to who gets them */
        explicit Relay(PortCapture::Sink& to)
            : m_to(to)
        {
        }

        void Take(const PortCapture::Record& record) override
        {
            m_to.Take(record);
        }

      private:
        PortCapture::Sink& m_to; //!< who gets them
    };

    void DoRun() override
    {
        for (const auto& [tos, ecn] :
             std::vector<std::pair<uint8_t, uint8_t>>{{0, 0}, {1, 3}, {2, 3}})
        {
            // all is marked that leaves a queue above 1000 B
            Config::SetDefault("ns3::llm::FabricSwitch::EcnReferenceRate", StringValue("0bps"));
            Config::SetDefault("ns3::llm::FabricSwitch::EcnMinThreshold", UintegerValue(9038));
            Config::SetDefault("ns3::llm::FabricSwitch::EcnMaxThreshold", UintegerValue(9038));
            TcpIpBench bench;
            bench.net.MakeStar(3, "100Gbps");
            bench.Install();
            const auto port = bench.net.network->GetTerminalPort(2);
            port->TraceConnectWithoutContext("MacRx", MakeCallback(&MarkTestCase::Rx, this));
            PortCapture::At(port, [](const Frame&) { return uint64_t{0}; })
                ->AddSink(std::make_unique<Relay>(*this));
            m_ecn.clear();
            m_captured.clear();
            const uint8_t bits = tos; // a structured binding cannot be captured
            for (const uint32_t source : {0u, 1u, 0u, 1u, 0u, 1u})
            {
                Simulator::Schedule(MicroSeconds(1),
                                    [&bench, source, bits]()
                                    { bench.SendFullPacket(source, 2, bits); });
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(bench.net.Sum(&PortCounters::marks),
                                  (ecn == 3 ? 3u : 0u),
                                  "counted");
            Simulator::Destroy(); // completes the capture
            // Two streams come at once. A departure sees what waits with it: the first frame leaves
            // at once, the second sees itself, as does the last; those between see two or three.
            const std::vector<uint8_t> expected = {tos, tos, ecn, ecn, ecn, tos};
            NS_TEST_EXPECT_MSG_EQ((m_ecn == expected), true, "marks with type of service " << +tos);
            NS_TEST_EXPECT_MSG_EQ((m_captured == expected), true, "captured as received");
        }
    }

    /** Trace sink. @param packet has come */
    void Rx(Ptr<const Packet> packet)
    {
        Ipv4Header header;
        packet->PeekHeader(header);
        NS_TEST_EXPECT_MSG_EQ(header.GetPayloadSize(), 8980u, "the header is whole");
        m_ecn.push_back(header.GetEcn());
    }

    void Take(const PortCapture::Record& record) override
    {
        if (record.isSent)
        {
            return; // ICMP: no one listens
        }
        const FrameBytes bytes = SerializeFrame(record.frame, 0, Mac48Address());
        NS_TEST_EXPECT_MSG_EQ(bytes.size(), 14u + 9000u, "Ethernet and IP");
        NS_TEST_EXPECT_MSG_EQ((bytes[12] << 8 | bytes[13]), 0x800, "EtherType");
        NS_TEST_EXPECT_MSG_EQ(+bytes[14 + 9], 17, "UDP");
        uint32_t sum = 0;
        for (std::size_t at = 14; at < 34; at += 2)
        {
            sum += static_cast<uint32_t>(bytes[at] << 8 | bytes[at + 1]);
        }
        NS_TEST_EXPECT_MSG_EQ((sum & 0xffff) + (sum >> 16), 0xffffu, "checksum of IP");
        m_captured.push_back(bytes[15] & 3);
    }

    std::vector<uint8_t> m_ecn;      //!< of the packets received
    std::vector<uint8_t> m_captured; //!< of those captured
};

/** The suite. */
class TcpIpMarksTestSuite : public TestSuite
{
  public:
    TcpIpMarksTestSuite()
        : TestSuite("llm-fabric-tcp-ip-marks", TestSuite::Type::UNIT)
    {
        AddTestCase(new MarkTestCase);
    }
};

TcpIpMarksTestSuite g_tcpIpMarksTestSuite; //!< registers the suite

} // namespace
