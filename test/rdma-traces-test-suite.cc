// SPDX-License-Identifier: GPL-2.0-only

// Trace sources of the RDMA transport: they agree with counters and states, and change nothing.

#include "small-network.h"

#include "ns3/test.h"

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Trace sources of RdmaTransport.
 */

namespace
{

/** Counts what the trace sources say. */
class Sinks
{
  public:
    /** @param transport whose traces to listen to */
    explicit Sinks(Ptr<RdmaTransport> transport)
    {
        auto connect = [&transport](const std::string& name, const CallbackBase& sink)
        {
            isConnected = transport->TraceConnectWithoutContext(name, sink) && isConnected;
        };
        isConnected = true;
        connect("Rate", MakeCallback(&Sinks::Rate, this));
        connect("Window", MakeCallback(&Sinks::Window, this));
        connect("Rtt", MakeCallback(&Sinks::Rtt, this));
        connect("CnpSent", MakeCallback(&Sinks::CnpSent, this));
        connect("CnpReceived", MakeCallback(&Sinks::CnpReceived, this));
        connect("Ack", MakeCallback(&Sinks::Ack, this));
        connect("Nack", MakeCallback(&Sinks::Nack, this));
        connect("Retransmission", MakeCallback(&Sinks::Retransmission, this));
        connect("Timeout", MakeCallback(&Sinks::Timeout, this));
        connect("MessageSent", MakeCallback(&Sinks::MessageSent, this));
        connect("MessageDelivered", MakeCallback(&Sinks::MessageDelivered, this));
        connect("MessageAcknowledged", MakeCallback(&Sinks::MessageAcknowledged, this));
    }

    static bool isConnected; //!< whether all trace sources exist

    uint64_t rates = 0;                    //!< calls
    uint64_t windows = 0;                  //!< calls
    uint64_t rtts = 0;                     //!< calls
    uint64_t cnpsSent = 0;                 //!< calls
    uint64_t cnpsReceived = 0;             //!< calls
    uint64_t ackedBytes = 0;               //!< sum
    uint64_t markedBytes = 0;              //!< sum
    uint64_t nacks = 0;                    //!< calls
    uint64_t retransmissions = 0;          //!< calls
    uint64_t retransmittedBytes = 0;       //!< sum
    uint64_t timeouts = 0;                 //!< calls
    uint64_t sent = 0;                     //!< calls
    uint64_t delivered = 0;                //!< calls
    uint64_t acknowledged = 0;             //!< calls
    uint64_t late = 0;                     //!< calls that were not one tick after their time
    Time leastRtt = Seconds(1);            //!< of all
    std::map<uint32_t, DataRate> rate;     //!< last, by source
    std::map<uint32_t, uint64_t> window;   //!< last, by source
    std::map<std::string, uint64_t> names; //!< ACKs by queue pair

  private:
    /** @param at when something happened */
    void Note(Time at)
    {
        late += Simulator::Now() != at + PicoSeconds(1);
    }

    /** @param name queue pair @param at when @param value it */
    void Rate(const QueuePairName& name, Time at, DataRate value)
    {
        Note(at);
        ++rates;
        rate[name.source] = value;
    }

    /** @param name queue pair @param at when @param bytes value */
    void Window(const QueuePairName& name, Time at, uint64_t bytes)
    {
        Note(at);
        ++windows;
        window[name.source] = bytes;
    }

    /** @param name queue pair @param at when @param rtt value */
    void Rtt([[maybe_unused]] const QueuePairName& name, Time at, Time rtt)
    {
        Note(at);
        ++rtts;
        leastRtt = std::min(leastRtt, rtt);
    }

    /** @param name queue pair @param at when */
    void CnpSent(const QueuePairName& name, Time at)
    {
        Note(at);
        ++cnpsSent;
        // hosts are the first nodes, so that their numbers are those of accelerators
        late += Simulator::GetContext() != name.destination;
    }

    /** @param name queue pair @param at when */
    void CnpReceived([[maybe_unused]] const QueuePairName& name, Time at)
    {
        Note(at);
        ++cnpsReceived;
    }

    /** @param name queue pair @param at when @param acked value @param marked value */
    void Ack(const QueuePairName& name, Time at, uint64_t acked, uint64_t marked)
    {
        Note(at);
        ackedBytes += acked;
        markedBytes += marked;
        std::ostringstream text;
        text << name;
        ++names[text.str()];
    }

    /** @param name queue pair @param at when @param psn value */
    void Nack([[maybe_unused]] const QueuePairName& name, Time at, [[maybe_unused]] uint64_t psn)
    {
        Note(at);
        ++nacks;
    }

    /** @param name queue pair @param at when @param psn value @param bytes value */
    void Retransmission([[maybe_unused]] const QueuePairName& name,
                        Time at,
                        [[maybe_unused]] uint64_t psn,
                        uint64_t bytes)
    {
        Note(at);
        ++retransmissions;
        retransmittedBytes += bytes;
    }

    /** @param name queue pair @param at when @param count value */
    void Timeout([[maybe_unused]] const QueuePairName& name, Time at, uint32_t count)
    {
        Note(at);
        timeouts += count > 0;
    }

    /** @param message it */
    void MessageSent([[maybe_unused]] const Message& message)
    {
        ++sent;
    }

    /** @param message it */
    void MessageDelivered(const Message& message)
    {
        delivered += message.bytes > 0;
    }

    /** @param message it */
    void MessageAcknowledged([[maybe_unused]] const Message& message)
    {
        ++acknowledged;
    }
};

bool Sinks::isConnected = false;

/** With and without. */
class AgreementTestCase : public TestCase
{
  public:
    AgreementTestCase()
        : TestCase("Sinks agree with counters; results are bit for bit the same without them")
    {
    }

  private:
    /** What a run leaves. */
    struct Outcome
    {
        uint64_t digest = 0; //!< of all arrivals
        uint64_t frames = 0; //!< arrivals
        uint64_t events = 0; //!< frame events
        uint64_t tick = 0;   //!< of the last delivery
    };

    void DoRun() override
    {
        for (const bool isFrameEngine : {true, false})
        {
            SmallNetwork::ChooseEngine(isFrameEngine);
            for (const std::string control : {"Dcqcn", "DctcpWindow", "Swift"})
            {
                for (const std::string recovery : {"GoBackN", "SelectiveRepeat"})
                {
                    const Outcome plain = Run(control, recovery, false);
                    const Outcome traced = Run(control, recovery, true);
                    const std::string name = control + " and " + recovery;
                    NS_TEST_EXPECT_MSG_GT(plain.frames, 1000, "something happened, " << name);
                    NS_TEST_EXPECT_MSG_EQ(plain.digest, traced.digest, "arrivals, " << name);
                    NS_TEST_EXPECT_MSG_EQ(plain.frames, traced.frames, "arrivals, " << name);
                    NS_TEST_EXPECT_MSG_EQ(plain.events, traced.events, "events, " << name);
                    NS_TEST_EXPECT_MSG_EQ(plain.tick, traced.tick, "end, " << name);
                }
            }
        }
        SmallNetwork::ChooseEngine(false);
    }

    /** @param control of congestion @param recovery of losses @param isTraced whether with sinks
     * @return what happened */
    Outcome Run(const std::string& control, const std::string& recovery, bool isTraced)
    {
        const std::string name = "ns3::llm::RdmaTransport::";
        SmallNetwork::SetPlain(1000);
        Config::SetDefault(name + "CongestionControl", StringValue("ns3::llm::" + control));
        Config::SetDefault(name + "LossRecovery", StringValue("ns3::llm::" + recovery));
        Config::SetDefault(name + "RetransmissionTimeout", TimeValue(MicroSeconds(300)));
        Config::SetDefault("ns3::llm::SelectiveRepeat::InFlightFrames", UintegerValue(300));
        SmallNetwork net;
        net.isLost = [](const Frame& frame)
        {
            // a loss now and then, and one that only a timeout finds
            return frame.kind == FrameKind::DATA &&
                   ((frame.attempt == 0 && frame.psn % 150 == 149) ||
                    (frame.source == 2 && frame.attempt < 2 && frame.psn == 299));
        };
        net.MakeStar(4, "100Gbps");
        std::unique_ptr<Sinks> sinks;
        if (isTraced)
        {
            sinks = std::make_unique<Sinks>(net.transport);
            NS_TEST_EXPECT_MSG_EQ(Sinks::isConnected, true, "all trace sources exist");
        }
        net.SendIncast(300000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 3, "messages");
        if (sinks)
        {
            Compare(*sinks, net, control);
        }
        return {net.digest.hash, net.digest.frames, net.clock->GetFrameCount(), net.LastDelivery()};
    }

    /** @param sinks what was traced @param net what has happened @param control of congestion */
    void Compare(const Sinks& sinks, const SmallNetwork& net, const std::string& control)
    {
        const NicCounters counters = net.transport->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sinks.sent, 3, "messages");
        NS_TEST_EXPECT_MSG_EQ(sinks.delivered, 3, "messages");
        NS_TEST_EXPECT_MSG_EQ(sinks.acknowledged, counters.messagesSent, "messages");
        NS_TEST_EXPECT_MSG_EQ(sinks.ackedBytes, counters.payloadBytes, "payload");
        NS_TEST_EXPECT_MSG_EQ(sinks.cnpsReceived, counters.cnpsReceived, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(sinks.cnpsSent, counters.cnpsReceived, "CNPs, of which none is lost");
        NS_TEST_EXPECT_MSG_EQ(sinks.nacks, counters.nacksReceived, "NACKs");
        NS_TEST_EXPECT_MSG_EQ(sinks.retransmissions, counters.retransmissions, "retransmissions");
        NS_TEST_EXPECT_MSG_EQ(sinks.retransmittedBytes, 1000 * counters.retransmissions, "bytes");
        NS_TEST_EXPECT_MSG_EQ(sinks.timeouts, counters.timeouts, "timeouts");
        NS_TEST_EXPECT_MSG_GT(sinks.nacks, 0, "there are some");
        NS_TEST_EXPECT_MSG_GT(sinks.timeouts, 0, "there are some");
        NS_TEST_EXPECT_MSG_EQ(sinks.late, 0, "each a tick later, where it happened");
        NS_TEST_EXPECT_MSG_EQ(sinks.names.size(), 3, "queue pairs");
        NS_TEST_EXPECT_MSG_EQ(sinks.names.count("2>0 nic 0 queue pair 0"), 1, "and their names");
        // the empty network's: 4 us, data twice and ACK twice
        const Time idle = PicoSeconds(4000000 + 2 * (86560 + 6880));
        NS_TEST_EXPECT_MSG_EQ((sinks.leastRtt >= idle), true, "not below the idle path's");
        NS_TEST_EXPECT_MSG_EQ((sinks.leastRtt < idle * 2), true, "but near it once");
        for (uint32_t source = 1; source < 4; ++source)
        {
            const SendQueuePair& pair = net.transport->GetNic(source).GetQueuePair(0);
            const double rate = std::min(pair.decision.rateBps, pair.info.lineRateBps);
            NS_TEST_EXPECT_MSG_EQ(sinks.rate.at(source).GetBitRate(),
                                  static_cast<uint64_t>(rate),
                                  "rate of " << source);
            NS_TEST_EXPECT_MSG_EQ(sinks.window.at(source),
                                  pair.decision.windowBytes,
                                  "window of " << source);
        }
        const bool isWindow = control == "DctcpWindow" || control == "Swift";
        NS_TEST_EXPECT_MSG_GT((isWindow ? sinks.windows : sinks.rates), 9, "changes, " << control);
        if (control == "Dcqcn")
        {
            NS_TEST_EXPECT_MSG_GT(sinks.cnpsSent, 0, "there is congestion");
            NS_TEST_EXPECT_MSG_GT(sinks.markedBytes, 0, "there are marks");
        }
    }
};

/** The suite. */
class RdmaTracesTestSuite : public TestSuite
{
  public:
    RdmaTracesTestSuite()
        : TestSuite("llm-fabric-rdma-traces", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new AgreementTestCase);
    }
};

RdmaTracesTestSuite g_rdmaTracesTestSuite; //!< registers the suite

} // namespace
