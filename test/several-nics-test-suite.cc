// SPDX-License-Identifier: GPL-2.0-only

// Several NICs per accelerator: who sends what, how fast it is, and what paths and bounds say of it.

#include "ns3/cluster.h"
#include "ns3/config.h"
#include "ns3/input-error.h"
#include "ns3/lone-message-time.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Accelerators with several NICs.
 */

namespace
{

/** A cluster whose accelerators have several NICs. */
class NicsFixture
{
  public:
    /**
     * @param topology beginning of the helper's name
     * @param accelerators so many, two in a domain but for a single switch
     * @param nics of each
     * @param selection attribute
     */
    NicsFixture(const std::string& topology,
                uint32_t accelerators,
                uint32_t nics,
                const std::string& selection)
    {
        UsePicoseconds();
        const std::string name = "ns3::llm::RdmaTransport::";
        Config::SetDefault(name + "CongestionControl",
                           StringValue("ns3::llm::NoCongestionControl"));
        Config::SetDefault(name + "NicSelection", StringValue(selection));
        ObjectFactory factory("ns3::llm::" + topology + "Helper");
        auto helper = factory.Create<TopologyHelper>();
        helper->SetAttribute("Accelerators", UintegerValue(accelerators));
        const uint32_t domain = topology == "SingleSwitch" ? 1 : 2;
        helper->SetAttribute("DomainSize", UintegerValue(domain));
        helper->SetAttribute("NicsPerAccelerator", UintegerValue(nics));
        helper->SetAttribute("NicRate", StringValue("100Gbps"));
        cluster = helper->Build();
        cluster->GetTransport()->SetOwner(0,
                                          MakeCallback(&NicsFixture::OnDelivered, this),
                                          MessageTransport::MessageCallback());
    }

    ~NicsFixture()
    {
        Simulator::Destroy();
        cluster->Dispose();
        Config::Reset();
    }

    NicsFixture(const NicsFixture&) = delete;
    NicsFixture& operator=(const NicsFixture&) = delete;

    /** Send at once. @param source accelerator @param destination accelerator @param bytes payload
     * @param place see Message @param flow see Message */
    void
    Send(uint32_t source, uint32_t destination, uint64_t bytes, uint32_t place, uint32_t flow = 0)
    {
        Message message;
        message.source = source;
        message.destination = destination;
        message.bytes = bytes;
        message.place = place;
        message.flow = flow;
        cluster->GetTransport()->Send(message);
    }

    /** @param accelerator an accelerator @return messages that each of its NICs has sent, as text */
    std::string Sent(uint32_t accelerator) const
    {
        std::string text;
        for (uint32_t nic = 0; nic < cluster->GetRdma()->GetNicCount(); ++nic)
        {
            const auto& counters = cluster->GetRdma()->GetNic(accelerator, nic).GetCounters();
            text += std::to_string(counters.messagesSent) + ' ';
        }
        return text;
    }

    Ptr<Cluster> cluster;           //!< under test
    std::vector<Message> delivered; //!< in order
    uint64_t lastTick = 0;          //!< of the last delivery

  private:
    /** @param message it has come */
    void OnDelivered(const Message& message)
    {
        delivered.push_back(message);
        lastTick = static_cast<uint64_t>(Simulator::Now().GetTimeStep());
    }
};

/** Choices by hand. */
class PolicyTestCase : public TestCase
{
  public:
    PolicyTestCase()
        : TestCase("Each policy chooses the NICs that it must")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run("Affinity", {0, 0, 0, 0, 1, 2, 5}), "4 1 2 ", "flow modulo 3");
        NS_TEST_EXPECT_MSG_EQ(Run("RoundRobin", {0, 0, 0, 0, 0, 0, 0}), "3 2 2 ", "in turn");
        // 10 kB, 20 kB, ... to the one with least: 0, 1, 2, 0 (10 + 40), 1 (20 + 50), 2 (30 + 60), 0
        NS_TEST_EXPECT_MSG_EQ(Run("LeastQueued", {0, 0, 0, 0, 0, 0, 0}), "3 2 2 ", "least");
        NS_TEST_EXPECT_MSG_EQ(Run("LeastQueued", {0, 0, 0, 0, 0, 0, 0}, true),
                              "1 3 3 ",
                              "the first message is larger than all others together");
        const std::string hashed = Run("Hash", {0, 0, 0, 0, 0, 0, 0});
        NS_TEST_EXPECT_MSG_EQ(hashed, Run("Hash", {0, 0, 0, 0, 0, 0, 0}), "the same again");
        NS_TEST_EXPECT_MSG_NE(hashed, "7 0 0 ", "not all by the first");
        std::string text;
        try
        {
            Run("Rail", {0});
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(
            text,
            "NicSelection 'Rail': it is one of Affinity Hash LeastQueued RoundRobin",
            "refused");
    }

    /** @param selection attribute @param flows of messages of 10 kB, 20 kB and so on @param isSkewed
     * whether the first has 1 MB @return messages that each of three NICs has sent */
    std::string
    Run(const std::string& selection, const std::vector<uint32_t>& flows, bool isSkewed = false)
    {
        NicsFixture net("SingleSwitch", 2, 3, selection);
        for (uint32_t i = 0; i < flows.size(); ++i)
        {
            const uint64_t bytes = isSkewed && i == 0 ? 1000000 : 10000u * (i + 1);
            net.Send(0, 1, bytes, i, flows[i]);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), flows.size(), "messages, " << selection);
        for (const Message& message : net.delivered)
        {
            NS_TEST_EXPECT_MSG_EQ(message.source, 0, "from the accelerator, whatever the NIC");
            NS_TEST_EXPECT_MSG_EQ(message.destination, 1, "to the accelerator, whatever the NIC");
        }
        return net.Sent(0);
    }
};

/** How fast it is. */
class ThroughputTestCase : public TestCase
{
  public:
    ThroughputTestCase()
        : TestCase("Two NICs carry many messages in half the time, in every topology")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string topology : {"SingleSwitch", "RailOnly", "RailOptimized", "FatTree"})
        {
            const double one = Run(topology, 1, "RoundRobin");
            const double two = Run(topology, 2, "RoundRobin");
            NS_TEST_EXPECT_MSG_EQ_TOL(one / two, 2, 0.02, "two NICs in turn, " << topology);
            NS_TEST_EXPECT_MSG_EQ_TOL(one / Run(topology, 2, "LeastQueued"),
                                      2,
                                      0.02,
                                      "least queued");
            NS_TEST_EXPECT_MSG_EQ_TOL(one / Run(topology, 2, "Affinity"), 2, 0.02, "by flow");
        }
    }

    /** @param topology beginning of the helper's name @param nics so many @param selection attribute
     * @return ps until 64 messages of 200 kB, in 8 flows, have come */
    double Run(const std::string& topology, uint32_t nics, const std::string& selection)
    {
        NicsFixture net(topology, 4, nics, selection);
        for (uint32_t i = 0; i < 64; ++i)
        {
            net.Send(0, 2, 200000, i, i % 8);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 64, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.cluster->GetFaults().size(), 0, "faults");
        return static_cast<double>(net.lastTick);
    }
};

/** What is known of the fabric. */
class LocalityTestCase : public TestCase
{
  public:
    LocalityTestCase()
        : TestCase("Paths, names and refusals know of the NICs")
    {
    }

  private:
    void DoRun() override
    {
        NicsFixture net("SingleSwitch", 3, 2, "Affinity");
        const Path first = net.cluster->GetPath(0, 1, 0, 0);
        const Path second = net.cluster->GetPath(0, 1, 0, 1);
        const Path third = net.cluster->GetPath(0, 1, 0, 2);
        NS_TEST_ASSERT_MSG_EQ(first.legs[0].links.size(), 2, "links");
        NS_TEST_EXPECT_MSG_NE(first.legs[0].links[0].id, second.legs[0].links[0].id, "other NIC");
        NS_TEST_EXPECT_MSG_NE(first.legs[0].links[1].id, second.legs[0].links[1].id, "other NIC");
        NS_TEST_EXPECT_MSG_EQ(first.legs[0].links[0].id, third.legs[0].links[0].id, "flow 2");
        NS_TEST_EXPECT_MSG_EQ(first.legs[0].parallel, 1, "a flow has one");
        // a message alone takes what its path says, by either NIC
        net.Send(0, 1, 100000, 0, 1);
        Simulator::Run();
        const auto ideal = GetLoneMessageTime(second, 100000).delivered;
        NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(net.lastTick),
                              ideal.GetPicoSeconds() + 2,
                              "time");
        NS_TEST_EXPECT_MSG_EQ(net.Sent(0), "0 1 ", "by the second");
        std::set<std::string> names;
        for (const auto& use : net.cluster->GetLinkUses(MicroSeconds(1)))
        {
            names.insert(use.name);
        }
        NS_TEST_EXPECT_MSG_EQ(names.size(), 12, "two directions of six links, each with its name");
        NS_TEST_EXPECT_MSG_EQ(names.count("accelerator 0 NIC 1 -> plane 1 switch"),
                              1,
                              "such as this");
        const auto& network = *net.cluster->GetNetwork();
        NS_TEST_EXPECT_MSG_EQ(network.GetPath(0, 4, 0).size(), 0, "NIC 0 does not reach NIC 1");
        NS_TEST_EXPECT_MSG_EQ(network.GetPath(3, 4, 0).size(), 2, "but NIC 1 does");
        CheckSpread();
        CheckUneven();
    }

    /** A flow that takes turns among NICs. */
    void CheckSpread()
    {
        NicsFixture net("SingleSwitch", 2, 2, "RoundRobin");
        NS_TEST_EXPECT_MSG_EQ(net.cluster->GetPath(0, 1).legs[0].parallel, 2, "two ways");
        NicsFixture* other = &net;
        NS_TEST_EXPECT_MSG_EQ(other->cluster->GetRdma()->GetNicCount(), 2, "NICs");
    }

    /** Accelerators with different numbers of NICs. */
    void CheckUneven()
    {
        auto network = CreateObject<FabricNetwork>();
        network->SetClock(Create<FrameClock>());
        const uint32_t middle = network->AddSwitch(CreateObject<Node>(), 0, 0, "switch");
        for (uint32_t i = 0; i < 3; ++i)
        {
            const uint32_t nic = network->AddTerminal(CreateObject<Node>(), i, "NIC");
            network->Connect(nic, middle, DataRate("100Gbps"), MicroSeconds(1));
        }
        auto transport = CreateObject<RdmaTransport>();
        std::string text;
        try
        {
            transport->Install(network, {0, 1, 1});
        }
        catch (const InputError& error)
        {
            text = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(
            text,
            "accelerator 1 has 2 NICs, accelerator 0 has 1: all must have as many, "
            "as NIC i of one sends to NIC i of another",
            "refused");
        transport->Dispose();
        network->Dispose();
    }
};

/** The suite. */
class SeveralNicsTestSuite : public TestSuite
{
  public:
    SeveralNicsTestSuite()
        : TestSuite("llm-fabric-several-nics", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new PolicyTestCase);
        AddTestCase(new ThroughputTestCase);
        AddTestCase(new LocalityTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_severalNicsTestSuite; //!< registers the suite

} // namespace
