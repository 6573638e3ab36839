// SPDX-License-Identifier: GPL-2.0-only

// Pauses that wait for each other, and pauses that only last.

#include "small-network.h"
#include "switch-bench.h"

#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param name of an attribute of the switch @param value bytes */
void
SetSwitch(const std::string& name, uint64_t value)
{
    Config::SetDefault("ns3::llm::FabricSwitch::" + name, UintegerValue(value));
}

/** Three switches in a ring, a host at each; link i leads from switch i clockwise to the next. */
class Ring
{
  public:
    /**
     * @param buffer bytes of each switch
     * @param limit the timeout of the detection
     * @param isReference reference mode
     */
    Ring(uint64_t buffer, Time limit, bool isReference = false)
    {
        SmallNetwork::SetPlain(1000);
        SetSwitch("MaxFrameSize", 1082);
        SetSwitch("BufferSize", buffer);
        Config::SetDefault("ns3::llm::FabricNetwork::DeadlockTimeout", TimeValue(limit));
        Config::SetDefault("ns3::llm::FabricNetwork::ReferenceMode", BooleanValue(isReference));
        net = std::make_unique<SmallNetwork>();
        net->AddHosts(3);
        for (uint32_t i = 0; i < 3; ++i)
        {
            switches.push_back(net->AddSwitch(0, i));
            net->network->Connect(net->hosts[i], switches[i], DataRate("100Gbps"), MicroSeconds(1));
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            net->network->Connect(switches[i],
                                  switches[(i + 1) % 3],
                                  DataRate("100Gbps"),
                                  MicroSeconds(1));
        }
        net->Finish();
    }

    /** Clockwise all the way, which makes a circle. */
    void RouteClockwise()
    {
        for (uint16_t i = 0; i < 3; ++i)
        {
            Route(i, {Clockwise(i), Clockwise(i), Clockwise(i)});
        }
    }

    /** As if switch 1 were above the two others: up to it, and down. */
    void RouteUpDown()
    {
        Route(0, {Clockwise(0), Clockwise(0), Clockwise(0)});
        Route(1, {Counter(1), Counter(1), Clockwise(1)});
        Route(2, {Counter(2), Counter(2), Counter(2)});
    }

    /** Each host sends to the one before it, two hops clockwise. @param bytes payload */
    void Send(uint64_t bytes)
    {
        net->SendShift(2, bytes);
        Simulator::Run();
    }

    /** @param i a switch @return its port to the next */
    static uint16_t Clockwise(uint16_t i)
    {
        return i == 0 ? 1 : 2;
    }

    /** @param i a switch @return its port to the one before */
    static uint16_t Counter(uint16_t i)
    {
        return i == 0 ? 2 : 1;
    }

    /** @param i a switch @return its sending half to the next */
    FrameTransmitter& ToNext(uint16_t i) const
    {
        return net->network->GetSwitch(i)->GetPort(Clockwise(i))->GetTransmitter();
    }

    std::unique_ptr<SmallNetwork> net; //!< the network
    std::vector<uint32_t> switches;    //!< vertices

  private:
    /** @param i a switch @param ports by destination; its own host has port 0 */
    void Route(uint16_t i, std::vector<uint16_t> ports)
    {
        ports[i] = 0;
        net->network->GetSwitch(i)->SetRoutes({{0}, {1}, {2}}, std::move(ports));
    }
};

/** The deadlock of the ring. */
class RingTestCase : public TestCase
{
  public:
    RingTestCase()
        : TestCase("A ring with a circle of pauses is found within the timeout, and named")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            for (const bool isLate : {false, true})
            {
                RunOne(isReference, isLate, true);
                RunOne(isReference, isLate, false);
            }
        }
    }

    /** @param isReference reference mode @param isLate whether each port of the ring has been stopped,
     * and gone on, before @param isWatched whether there are sinks, so that switches have no batches */
    void RunOne(bool isReference, bool isLate, bool isWatched)
    {
        Ring ring(150000, MilliSeconds(1), isReference);
        ring.net->isCutShort = true; // as the run ends with frames that wait
        ring.RouteClockwise();
        const Time start = isLate ? MicroSeconds(500) : Time(0);
        for (uint32_t i = 0; i < 3 && isLate; ++i)
        {
            // two flows meet at switch i + 1, whose queue stops the port of switch i
            const Time at = MicroSeconds(1 + 100 * i);
            ring.net->SendAt(at, i, (i + 2) % 3, 300000);
            ring.net->SendAt(at, (i + 1) % 3, (i + 2) % 3, 300000);
        }
        for (uint16_t i = 0; i < 3 && isWatched; ++i)
        {
            ring.net->network->GetSwitch(i)
                ->GetPort(Ring::Clockwise(i))
                ->TraceConnectWithoutContext("PauseReceived",
                                             MakeCallback(&RingTestCase::Paused, this));
        }
        Simulator::Schedule(start, &SmallNetwork::SendShift, ring.net.get(), 2, 5000000);
        Simulator::Run();
        const auto& faults = ring.net->network->GetFaults();
        NS_TEST_ASSERT_MSG_EQ(faults.size(), 1u, "one fault");
        const std::string fault = faults.empty() ? "" : faults[0];
        NS_TEST_EXPECT_MSG_EQ(fault.rfind("PFC deadlock at ", 0), 0u, fault);
        for (uint16_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(ring.ToNext(i).IsPaused(3), true, "port of switch " << i);
            const std::string name = "port " + std::to_string(Ring::Clockwise(i)) + " of switch " +
                                     std::to_string(i) + " of tier 0";
            NS_TEST_EXPECT_MSG_NE(fault.find(name), std::string::npos, fault);
        }
        NS_TEST_EXPECT_MSG_NE(fault.find("(class 3)"), std::string::npos, fault);
        NS_TEST_EXPECT_MSG_EQ(ring.net->delivered.size(), (isLate ? 6u : 0u), "none could end");
        NS_TEST_EXPECT_MSG_GT(Simulator::Now(), start + MilliSeconds(1), "after the timeout");
        for (uint16_t i = 0; i < 3; ++i)
        {
            const uint64_t stops = ring.ToNext(i).GetCounters().pausesReceived;
            NS_TEST_EXPECT_MSG_EQ((!isLate || stops > 1), true, stops << " stops");
        }
        const Time last = isWatched ? m_last : m_watchedLast;
        m_watchedLast = last;
        NS_TEST_EXPECT_MSG_LT(Simulator::Now(),
                              last + MilliSeconds(1) + PicoSeconds(1),
                              "the timeout after the last pause at the latest");
        NS_TEST_EXPECT_MSG_EQ(ring.net->LosslessDrops(), 0u, "nothing is dropped");
    }

    /** A port of the ring is stopped. @param isStop or goes on @param time when */
    void Paused(Ptr<const FabricPort>, uint8_t, bool isStop, Time time)
    {
        m_last = isStop ? time : m_last;
    }

    Time m_last;        //!< when the last one was
    Time m_watchedLast; //!< the same in the last run with sinks
};

/** What is no deadlock. */
class NoneTestCase : public TestCase
{
  public:
    NoneTestCase()
        : TestCase("Up and down routes, a large buffer and a short timeout: none is reported")
    {
    }

  private:
    void DoRun() override
    {
        {
            Ring ring(150000, MicroSeconds(1)); // pauses often last longer
            ring.RouteUpDown();
            ring.net->SendIncast(5000000);
            ring.Send(5000000);
            CheckDone(ring, 5, "up and down");
            NS_TEST_EXPECT_MSG_GT(ring.net->Sum(&PortCounters::pausesReceived), 20u, "pauses");
        }
        {
            Ring ring(150000, MicroSeconds(1)); // the shortest ways
            ring.net->SendAllToAll(5000000);
            Simulator::Run();
            CheckDone(ring, 6, "one hop");
        }
        {
            Ring ring(32 << 20, MicroSeconds(1)); // a circle that never fills
            ring.RouteClockwise();
            ring.net->SendAllToAll(2000000);
            Simulator::Run();
            CheckDone(ring, 6, "room for all");
        }
    }

    /** @param ring that has run @param messages so many @param what it was */
    void CheckDone(const Ring& ring, std::size_t messages, const std::string& what)
    {
        const auto& faults = ring.net->network->GetFaults();
        NS_TEST_EXPECT_MSG_EQ(faults.size(), 0u, what << ": " << (faults.empty() ? "" : faults[0]));
        NS_TEST_EXPECT_MSG_EQ(ring.net->delivered.size(), messages, what);
    }
};

/** A receiver that stops its switch for long. */
class SlowReceiverTestCase : public TestCase
{
  public:
    SlowReceiverTestCase()
        : TestCase("A long pause without a circle is not reported, and does not keep the run going")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReleased : {true, false})
        {
            SetSwitch("MaxFrameSize", 1000);
            SetSwitch("BufferSize", 150000);
            Config::SetDefault("ns3::llm::FabricNetwork::DeadlockTimeout",
                               TimeValue(MicroSeconds(100)));
            SwitchBench bench;
            const uint32_t a = bench.AddTerminal();
            const uint32_t b = bench.AddTerminal();
            const uint32_t left = bench.AddSwitch(0);
            const uint32_t right = bench.AddSwitch(1);
            bench.network->Connect(a, left, DataRate("100Gbps"), MicroSeconds(1));
            bench.network->Connect(left, right, DataRate("100Gbps"), MicroSeconds(1));
            bench.network->Connect(right, b, DataRate("100Gbps"), MicroSeconds(1));
            bench.network->Build();
            bench.Send(1000, 0, 1, 300, 1000);
            bench.Pause(2000, 1, true);
            if (isReleased)
            {
                bench.Pause(2000000000, 1, false); // after twenty timeouts
            }
            Simulator::Run();
            const FrameTransmitter& middle =
                bench.network->GetSwitch(0)->GetPort(1)->GetTransmitter();
            NS_TEST_EXPECT_MSG_GT(middle.GetCounters().pausesReceived, 0u, "a chain of pauses");
            NS_TEST_EXPECT_MSG_EQ(bench.network->GetFaults().size(), 0u, "no deadlock");
            NS_TEST_EXPECT_MSG_EQ(bench.arrivals.size(), (isReleased ? 300u : 0u), "frames");
            NS_TEST_EXPECT_MSG_LT(Simulator::Now(), MicroSeconds(2300), "the run ends by itself");
        }
    }
};

/** Detection is off, or looks all the time. */
class NoEffectTestCase : public TestCase
{
  public:
    NoEffectTestCase()
        : TestCase("Looking for deadlocks changes no arrival, and can be turned off")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t off = RunIncast(Time(0));
        NS_TEST_EXPECT_MSG_EQ(RunIncast(NanoSeconds(100)), off, "a look at every pause");
        NS_TEST_EXPECT_MSG_EQ(RunIncast(MilliSeconds(10)), off, "the default");
        Ring ring(150000, Time(0));
        ring.net->isCutShort = true; // as it is stuck
        ring.RouteClockwise();
        ring.Send(5000000);
        NS_TEST_EXPECT_MSG_EQ(ring.net->network->GetFaults().size(), 0u, "nobody looks");
        NS_TEST_EXPECT_MSG_EQ(ring.net->delivered.size(), 0u, "yet it is stuck");
        NS_TEST_EXPECT_MSG_EQ(ring.net->transport->GetFailures().size(), 3u, "its flows give up");
    }

    /** @param limit of the detection @return digest of an all-to-all with many pauses */
    uint64_t RunIncast(Time limit)
    {
        SmallNetwork::SetComparison();
        SetSwitch("BufferSize", 400000);
        SetSwitch("MaxFrameSize", 4500);
        Config::SetDefault("ns3::llm::FabricNetwork::DeadlockTimeout", TimeValue(limit));
        SmallNetwork net;
        net.MakeFatTree(4);
        net.SendAllToAll(40000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::pausesReceived), 20u, "pauses");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetFaults().size(), 0u, "no fault");
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 240u, "messages");
        return net.digest.hash;
    }
};

/** The suite. */
class FabricDeadlockTestSuite : public TestSuite
{
  public:
    FabricDeadlockTestSuite()
        : TestSuite("llm-fabric-fabric-deadlock", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RingTestCase);
        AddTestCase(new NoneTestCase);
        AddTestCase(new SlowReceiverTestCase);
        AddTestCase(new NoEffectTestCase);
    }
};

FabricDeadlockTestSuite g_fabricDeadlockTestSuite; //!< registers the suite

} // namespace
