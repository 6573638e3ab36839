// SPDX-License-Identifier: GPL-2.0-only

#include "small-network.h"

#include "ns3/class-choice.h"
#include "ns3/fabric-link.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-digest.h"
#include "ns3/input-error.h"
#include "ns3/rdma-congestion-control.h"

#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/test.h"

#include <random>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Ports and links as ns-3 sees them, the pool of frames, the digest, and classes chosen by name.
 */

namespace
{

/** A link with a port at each end. */
struct LinkedPorts
{
    LinkedPorts()
    {
        UsePicoseconds(); // before anything could start the simulator
        a = CreateObject<FabricPort>();
        b = CreateObject<FabricPort>();
        link = CreateObject<FabricLink>();
        link->Attach(a, b, DataRate("400Gbps"), NanoSeconds(500));
    }

    ~LinkedPorts()
    {
        link->Dispose();
        a->Dispose();
        b->Dispose();
    }

    LinkedPorts(const LinkedPorts&) = delete;
    LinkedPorts& operator=(const LinkedPorts&) = delete;

    Ptr<FabricPort> a;    //!< one end
    Ptr<FabricPort> b;    //!< other end
    Ptr<FabricLink> link; //!< between them
};

/** A port as a device. */
class PortAsDeviceTestCase : public TestCase
{
  public:
    PortAsDeviceTestCase()
        : TestCase("A port is a point-to-point device that keeps what ns-3 sets")
    {
    }

  private:
    void DoRun() override
    {
        LinkedPorts ends;
        auto node = CreateObject<Node>();
        node->AddDevice(CreateObject<FabricPort>());
        const uint32_t index = node->AddDevice(ends.a);
        NS_TEST_EXPECT_MSG_EQ(ends.a->GetIfIndex(), index, "number at the node");
        NS_TEST_EXPECT_MSG_EQ(index, 1, "second");
        NS_TEST_EXPECT_MSG_EQ(ends.a->GetNode(), node, "node");
        const Mac48Address address("00:00:00:00:12:34");
        ends.a->SetAddress(address);
        NS_TEST_EXPECT_MSG_EQ(Mac48Address::ConvertFrom(ends.a->GetAddress()), address, "address");
        NS_TEST_EXPECT_MSG_EQ(ends.a->SetMtu(4096), true, "MTU is taken");
        NS_TEST_EXPECT_MSG_EQ(ends.a->GetMtu(), 4096, "MTU");
        NS_TEST_EXPECT_MSG_EQ(ends.a->IsPointToPoint(), true, "two ends");
        NS_TEST_EXPECT_MSG_EQ(ends.a->IsBroadcast(), false, "no broadcast");
        NS_TEST_EXPECT_MSG_EQ(ends.a->IsMulticast(), false, "no multicast");
        NS_TEST_EXPECT_MSG_EQ(ends.a->IsBridge(), false, "no bridge");
        NS_TEST_EXPECT_MSG_EQ(ends.a->NeedsArp(), false, "no ARP");
        NS_TEST_EXPECT_MSG_EQ(ends.a->SupportsSendFrom(), false, "no other sender");
    }
};

/** Packets. */
class PacketsTestCase : public TestCase
{
  public:
    PacketsTestCase()
        : TestCase("A port carries none of ns-3's packets and says so")
    {
    }

  private:
    void DoRun() override
    {
        LinkedPorts ends;
        ends.b->SetReceiveCallback(MakeCallback(&PacketsTestCase::OnReceived, this));
        const Address to = ends.b->GetAddress();
        const Address from = ends.a->GetAddress();
        NS_TEST_EXPECT_MSG_EQ(ends.a->Send(Create<Packet>(100), to, 0x800), false, "Send");
        NS_TEST_EXPECT_MSG_EQ(ends.a->SendFrom(Create<Packet>(100), from, to, 0x800),
                              false,
                              "SendFrom");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_hasReceived, false, "nothing came");
        NS_TEST_EXPECT_MSG_EQ(ends.a->GetTransmitter().GetCounters().frames, 0, "nothing left");
        Simulator::Destroy();
    }

    /** Something came in. @return true, it is taken */
    bool OnReceived(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
    {
        m_hasReceived = true;
        return true;
    }

    bool m_hasReceived = false; //!< something came in
};

/** A link as a channel. */
class LinkAsChannelTestCase : public TestCase
{
  public:
    LinkAsChannelTestCase()
        : TestCase("A link is a channel of two devices with its rate and delay as attributes")
    {
    }

  private:
    void DoRun() override
    {
        LinkedPorts ends;
        NS_TEST_ASSERT_MSG_EQ(ends.link->GetNDevices(), 2, "ends");
        NS_TEST_EXPECT_MSG_EQ(ends.link->GetDevice(0), ends.a, "first");
        NS_TEST_EXPECT_MSG_EQ(ends.link->GetDevice(1), ends.b, "second");
        NS_TEST_EXPECT_MSG_EQ(ends.a->GetChannel(), ends.link, "from a port");
        TimeValue delay;
        ends.link->GetAttribute("Delay", delay);
        NS_TEST_EXPECT_MSG_EQ(delay.Get(), NanoSeconds(500), "delay");
        DataRateValue rate;
        ends.link->GetAttribute("DataRate", rate);
        NS_TEST_EXPECT_MSG_EQ(rate.Get(), DataRate("400Gbps"), "rate");
        NS_TEST_EXPECT_MSG_EQ(ends.link->SetAttributeFailSafe("Delay", TimeValue(Seconds(1))),
                              false,
                              "a cable is what it is");
        NS_TEST_EXPECT_MSG_EQ(ends.a->GetTransmitter().GetPeer(),
                              &ends.b->GetTransmitter(),
                              "there");
        NS_TEST_EXPECT_MSG_EQ(ends.b->GetTransmitter().GetPeer(),
                              &ends.a->GetTransmitter(),
                              "and back");
        NS_TEST_EXPECT_MSG_EQ(ends.a->IsLinkUp(), true, "up");
        NS_TEST_EXPECT_MSG_EQ(CreateObject<FabricPort>()->IsLinkUp(), false, "not plugged in");
    }
};

/** A link that goes down. */
class LinkDownTestCase : public TestCase
{
  public:
    LinkDownTestCase()
        : TestCase("Both ports of a link see it go down and come up")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork net;
        net.MakeDumbbell(1, 1, "100Gbps", "100Gbps");
        std::vector<bool> states;
        const Ptr<NetDevice> near = net.network->GetTerminalPort(0);
        const Ptr<NetDevice> far = near->GetChannel()->GetDevice(1);
        net.network->SetLinkState(0, MicroSeconds(10), false);
        net.network->SetLinkState(0, MicroSeconds(20), true);
        for (const int us : {9, 11, 19, 21})
        {
            Simulator::Schedule(MicroSeconds(us),
                                [&]()
                                {
                                    states.push_back(near->IsLinkUp());
                                    states.push_back(far->IsLinkUp());
                                });
        }
        Simulator::Run();
        const bool isRight =
            states == std::vector<bool>{true, true, false, false, false, false, true, true};
        NS_TEST_EXPECT_MSG_EQ(isRight, true, "before, during, after");
    }
};

/** The pool. */
class FramePoolTestCase : public TestCase
{
  public:
    FramePoolTestCase()
        : TestCase("A pool never lends a frame twice and lends again what came back")
    {
    }

  private:
    void DoRun() override
    {
        FramePool pool;
        std::mt19937 random(3);
        std::vector<Frame*> lent;
        std::set<Frame*> known;
        for (uint32_t step = 0; step < 20000; ++step)
        {
            if (lent.empty() || random() % 5 < (step < 10000 ? 3u : 2u))
            {
                Frame* frame = pool.Take();
                frame->psn = step;
                lent.push_back(frame);
                known.insert(frame);
            }
            else
            {
                std::swap(lent[random() % lent.size()], lent.back());
                pool.Give(lent.back());
                lent.pop_back();
            }
            NS_TEST_ASSERT_MSG_EQ(pool.GetTaken(), lent.size(), "count");
        }
        std::set<Frame*> all;
        const std::size_t most = known.size();
        for (Frame* frame : lent)
        {
            pool.Give(frame);
        }
        for (std::size_t i = 0; i < most; ++i)
        {
            all.insert(pool.Take());
        }
        NS_TEST_EXPECT_MSG_EQ(all.size(), most, "all different");
        NS_TEST_EXPECT_MSG_GT(most, 1024, "more than a chunk");
        NS_TEST_EXPECT_MSG_LT(most, 2500, "reused: 20000 steps, some 2000 lent at once");
    }
};

/** The digest. */
class FrameDigestTestCase : public TestCase
{
  public:
    FrameDigestTestCase()
        : TestCase("Equal runs have equal digests; any difference in a frame gives another")
    {
    }

  private:
    /** What there is to change. */
    struct Arrival
    {
        uint64_t tick = 1000;             //!< when
        uint64_t psn = 5;                 //!< number
        uint32_t wireBytes = 1082;        //!< size
        FrameKind kind = FrameKind::DATA; //!< kind
        uint8_t flags = 0;                //!< flags
    };

    /** @param arrivals frames @return the digest */
    uint64_t Digest(const std::vector<Arrival>& arrivals)
    {
        FrameDigest digest;
        for (const Arrival& arrival : arrivals)
        {
            Frame frame{};
            frame.psn = arrival.psn;
            frame.wireBytes = arrival.wireBytes;
            frame.kind = arrival.kind;
            frame.flags = arrival.flags;
            digest.FrameArrived(m_transmitter, frame, arrival.tick);
        }
        NS_TEST_EXPECT_MSG_EQ(digest.GetFrameCount(), arrivals.size(), "count");
        return digest.GetHash();
    }

    void DoRun() override
    {
        const Arrival first;
        const Arrival base{2000, 6, 1082, FrameKind::DATA, 0};
        std::set<uint64_t> hashes{Digest({}),
                                  Digest({first}),
                                  Digest({base}),
                                  Digest({first, base}),
                                  Digest({base, first}),
                                  Digest({first, first}),
                                  Digest({first, {2001, 6, 1082, FrameKind::DATA, 0}}),
                                  Digest({first, {2000, 7, 1082, FrameKind::DATA, 0}}),
                                  Digest({first, {2000, 6, 1083, FrameKind::DATA, 0}}),
                                  Digest({first, {2000, 6, 1082, FrameKind::ACK, 0}}),
                                  Digest({first, {2000, 6, 1082, FrameKind::DATA, 4}})};
        NS_TEST_EXPECT_MSG_EQ(hashes.size(), 11, "all different");
        NS_TEST_EXPECT_MSG_EQ(hashes.count(Digest({first, base})), 1, "the same again");
        const uint64_t run = RunDigest(20000);
        NS_TEST_EXPECT_MSG_EQ(RunDigest(20000), run, "equal runs");
        NS_TEST_EXPECT_MSG_NE(RunDigest(20001), run, "one byte more in one frame");
    }

    /** @param bytes of the second of two messages @return digest of a run */
    uint64_t RunDigest(uint64_t bytes)
    {
        FrameDigest digest;
        SmallNetwork net;
        net.MakeRow(2, "100Gbps");
        net.network->SetObserver(&digest);
        net.Send(0, 1, 10000);
        net.Send(1, 0, bytes, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 2, "delivered");
        return digest.GetHash();
    }

    FrameTransmitter m_transmitter; //!< where all frames leave
};

/** Classes by name. */
class ClassChoiceTestCase : public TestCase
{
  public:
    ClassChoiceTestCase()
        : TestCase("A class is chosen by its name; what is none of the kind is refused with a list")
    {
    }

  private:
    void DoRun() override
    {
        const TypeId base = RdmaCongestionControl::GetTypeId();
        const TypeId chosen = ChooseClass("CongestionControl", "ns3::llm::Dcqcn", base);
        NS_TEST_EXPECT_MSG_EQ(chosen.GetName(), "ns3::llm::Dcqcn", "chosen");
        // nobody makes objects of it
        static const TypeId incomplete =
            TypeId("ns3::llm::TestIncompleteControl").SetParent(base).SetGroupName("LlmFabric");
        // unknown; no such class; another kind; not to be made
        for (const std::string& name : std::vector<std::string>{"Dcqcn",
                                                                "",
                                                                "ns3::llm::FabricPort",
                                                                "ns3::llm::RdmaCongestionControl",
                                                                incomplete.GetName()})
        {
            std::string refusal;
            try
            {
                ChooseClass("CongestionControl", name, base);
            }
            catch (const InputError& error)
            {
                refusal = error.what();
            }
            for (const std::string& part : {"CongestionControl '" + name + "'",
                                            std::string(" ns3::llm::Dcqcn"),
                                            std::string(" ns3::llm::NoCongestionControl")})
            {
                NS_TEST_EXPECT_MSG_NE(refusal.find(part),
                                      std::string::npos,
                                      part << ": " << refusal);
            }
            NS_TEST_EXPECT_MSG_EQ(refusal.find(" ns3::llm::FabricPort "),
                                  std::string::npos,
                                  "only of the kind");
        }
    }
};

/** The suite. */
class FabricPortTestSuite : public TestSuite
{
  public:
    FabricPortTestSuite()
        : TestSuite("llm-fabric-fabric-port", TestSuite::Type::UNIT)
    {
        AddTestCase(new PortAsDeviceTestCase);
        AddTestCase(new PacketsTestCase);
        AddTestCase(new LinkAsChannelTestCase);
        AddTestCase(new LinkDownTestCase);
        AddTestCase(new FramePoolTestCase);
        AddTestCase(new FrameDigestTestCase);
        AddTestCase(new ClassChoiceTestCase);
    }
} g_fabricPortTestSuite; //!< registers the suite

} // namespace
