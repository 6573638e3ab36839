// SPDX-License-Identifier: GPL-2.0-only

#include "cluster-conservation.h"

#include "ns3/cluster.h"
#include "ns3/input-error.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"

#include "ns3/config.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * What a cluster says of itself and of what its links have carried, and links that fail in it.
 */

namespace
{

/** A cluster with NICs of 400 Gb/s, an ACK for each frame and no congestion control. */
class TestCluster
{
  public:
    /**
     * @param topology beginning of the helper's name
     * @param accelerators number
     * @param domainSize K
     * @param fidelity of the domains
     */
    TestCluster(const std::string& topology,
                uint32_t accelerators,
                uint32_t domainSize,
                const std::string& fidelity = "fluid")
    {
        UsePicoseconds();
        const std::vector<std::pair<std::string, std::string>> defaults{
            {"CongestionControl", "ns3::llm::NoCongestionControl"},
            {"Mtu", "4096"},
            {"FramesPerAck", "1"},
            {"RetransmissionTimeout", "100us"},
            {"MaxTimeouts", "3"}};
        for (const auto& [name, value] : defaults)
        {
            Config::SetDefault("ns3::llm::RdmaTransport::" + name, StringValue(value));
        }
        ObjectFactory factory("ns3::llm::" + topology + "Helper");
        factory.Set("Accelerators", UintegerValue(accelerators));
        factory.Set("DomainSize", UintegerValue(domainSize));
        factory.Set("DomainFidelity", StringValue(fidelity));
        factory.Set("NicRate", StringValue("400Gbps"));
        factory.Set("SwitchRate", StringValue("400Gbps"));
        cluster = factory.Create<TopologyHelper>()->Build();
        conservation = std::make_unique<ClusterConservation>(cluster);
        cluster->GetTransport()->SetOwner(0,
                                          MakeCallback(&TestCluster::OnDelivered, this),
                                          MakeNullCallback<void, const Message&>());
    }

    ~TestCluster()
    {
        conservation->Require();
        Simulator::Destroy();
        cluster->Dispose();
        Config::Reset();
    }

    TestCluster(const TestCluster&) = delete;
    TestCluster& operator=(const TestCluster&) = delete;

    /** @param source accelerator @param destination accelerator @param bytes payload */
    void Send(uint32_t source, uint32_t destination, uint64_t bytes)
    {
        Message message;
        message.source = source;
        message.destination = destination;
        message.bytes = bytes;
        Simulator::ScheduleWithContext(cluster->GetNodeId(source),
                                       Time(0),
                                       [this, message]()
                                       { cluster->GetTransport()->Send(message); });
    }

    /** @return by name: what the links have carried */
    std::map<std::string, LinkUse> GetUses() const
    {
        std::map<std::string, LinkUse> uses;
        for (const LinkUse& use : cluster->GetLinkUses(MicroSeconds(1)))
        {
            uses[use.name] = use;
        }
        return uses;
    }

    /** @param name of a counter @return its value */
    uint64_t GetCounter(const std::string& name) const
    {
        for (const NamedCounter& counter : cluster->GetCounters())
        {
            if (counter.name == name)
            {
                return counter.value;
            }
        }
        return UINT64_MAX;
    }

    Ptr<Cluster> cluster;                              //!< under test
    std::unique_ptr<ClusterConservation> conservation; //!< of its networks
    std::vector<Message> delivered;                    //!< in order

  private:
    /** @param message it has come */
    void OnDelivered(const Message& message)
    {
        delivered.push_back(message);
    }
};

/** Bytes of a ring. */
class RingBytesTestCase : public TestCase
{
  public:
    RingBytesTestCase()
        : TestCase("A ring's bytes on every link, its frames and its hops are those of the hand")
    {
    }

  private:
    void DoRun() override
    {
        TestCluster one("SingleSwitch", 4, 1);
        for (uint32_t a = 0; a < 4; ++a)
        {
            one.Send(a, (a + 1) % 4, 10000);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(one.delivered.size(), 4, "delivered");
        // frames of 4096, 4096 and 1808 B with 82 B each and 16 B once; three ACKs of 86 B the
        // other way: every direction of every link carries both
        const uint64_t bytes = 10000 + 3 * 82 + 16 + 3 * 86;
        const auto uses = one.GetUses();
        NS_TEST_EXPECT_MSG_EQ(uses.size(), 8, "two directions of four links");
        for (const auto& [name, use] : uses)
        {
            NS_TEST_EXPECT_MSG_EQ(use.bytes, bytes, name);
            NS_TEST_EXPECT_MSG_EQ(use.rate, DataRate("400Gbps"), name);
            NS_TEST_EXPECT_MSG_EQ_TOL(use.busyShare, bytes / 50000.0, 1e-12, name);
        }
        NS_TEST_EXPECT_MSG_EQ(one.GetCounter("data frames"), 12, "frames");
        NS_TEST_EXPECT_MSG_EQ(one.GetCounter("retransmissions"), 0, "none");
        NS_TEST_EXPECT_MSG_EQ(one.GetCounter("drops"), 0, "none");
        NS_TEST_EXPECT_MSG_EQ(one.cluster->GetHops(), 12 * 2 * 2, "data and ACKs over two links");
        const LinkUse none = one.cluster->GetLinkUses(Time(0)).front();
        NS_TEST_EXPECT_MSG_EQ(none.busyShare, 0, "no time, no share");
    }
};

/** Bytes in domains. */
class DomainBytesTestCase : public TestCase
{
  public:
    /** @param fidelity of the domains */
    explicit DomainBytesTestCase(const std::string& fidelity)
        : TestCase("Traffic of a domain is on its own links only: " + fidelity),
          m_fidelity(fidelity)
    {
    }

  private:
    void DoRun() override
    {
        TestCluster one("RailOnly", 4, 2, m_fidelity);
        one.Send(2, 3, 10000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(one.delivered.size(), 1, "delivered");
        uint64_t busy = 0;
        const auto uses = one.GetUses();
        NS_TEST_EXPECT_MSG_EQ(uses.size(), 16, "four NICs and four ports of domains");
        for (const auto& [name, use] : uses)
        {
            if (use.bytes != 0)
            {
                ++busy;
                NS_TEST_EXPECT_MSG_NE(name.find("domain 1"), std::string::npos, name);
            }
        }
        const bool isFluid = m_fidelity == "fluid";
        NS_TEST_EXPECT_MSG_EQ(busy,
                              (isFluid ? 2 : 4),
                              "there, and ACKs back where there are frames");
        NS_TEST_EXPECT_MSG_EQ(one.cluster->GetHops(), (isFluid ? 0 : 12), "frames");
        NS_TEST_EXPECT_MSG_EQ(one.GetCounter("data frames"), (isFluid ? 0 : 3), "frames");
        if (isFluid)
        {
            const uint64_t sent = uses.at("accelerator 2 -> HB domain 1").bytes;
            NS_TEST_EXPECT_MSG_EQ(sent, uses.at("HB domain 1 -> accelerator 3").bytes, "all of it");
            NS_TEST_EXPECT_MSG_GT(sent, 10000, "with headers");
            NS_TEST_EXPECT_MSG_LT(sent, 10600, "of a few percent");
        }
    }

    std::string m_fidelity; //!< of the domains
};

/** Places and paths. */
class RelayedPathTestCase : public TestCase
{
  public:
    RelayedPathTestCase()
        : TestCase("A path between rails has a leg in the sender's domain and one over NICs")
    {
    }

  private:
    void DoRun() override
    {
        TestCluster one("RailOnly", 12, 4);
        const Cluster& cluster = *one.cluster;
        NS_TEST_EXPECT_MSG_EQ(cluster.GetName(), "rail-only", "name");
        NS_TEST_EXPECT_MSG_EQ(cluster.GetAcceleratorCount(), 12, "accelerators");
        NS_TEST_EXPECT_MSG_EQ(cluster.GetDomain(11), 2, "domain");
        NS_TEST_EXPECT_MSG_EQ(cluster.GetRail(10), 2, "rail");
        NS_TEST_EXPECT_MSG_EQ(cluster.GetFluidDomains().size(), 3, "domains");
        const Path path = cluster.GetPath(1, 10);
        NS_TEST_ASSERT_MSG_EQ(path.legs.size(), 2, "legs");
        NS_TEST_ASSERT_MSG_EQ(path.relays.size(), 1, "relays");
        NS_TEST_EXPECT_MSG_EQ(path.relays[0], 2, "of the sender's domain, on the receiver's rail");
        const PathLeg& inside = path.legs[0];
        NS_TEST_EXPECT_MSG_EQ(inside.isFluid, true, "first in the domain");
        NS_TEST_ASSERT_MSG_EQ(inside.links.size(), 2, "out of one, into the other");
        NS_TEST_EXPECT_MSG_EQ(path.legs[1].isFluid, false, "then over NICs");
        NS_TEST_ASSERT_MSG_EQ(path.legs[1].links.size(), 2, "NIC and rail switch");
        NS_TEST_EXPECT_MSG_EQ(path.legs[1].links[0].rate, DataRate("400Gbps"), "rate");
        // two paths into one accelerator share its receiving port, and no sending port
        const Path other = cluster.GetPath(0, 2);
        NS_TEST_ASSERT_MSG_EQ(other.legs.size(), 1, "in the domain");
        NS_TEST_EXPECT_MSG_EQ(other.legs[0].links[1].id, inside.links[1].id, "into 2");
        NS_TEST_EXPECT_MSG_NE(other.legs[0].links[0].id, inside.links[0].id, "out of 0 and 1");
        NS_TEST_EXPECT_MSG_EQ(cluster.GetPath(1, 9).legs.size(), 1, "in the rail");
    }
};

/** A link that comes back. */
class LinkReturnsTestCase : public TestCase
{
  public:
    LinkReturnsTestCase()
        : TestCase("A ring in a rail outlasts a link that is down for less than it gives up after")
    {
    }

  private:
    void DoRun() override
    {
        TestCluster one("RailOnly", 8, 2);
        // rail 0 has links 0 to 3, of accelerators 0, 2, 4 and 6
        one.cluster->GetNetwork()->SetLinkState(1, MicroSeconds(5), false);
        one.cluster->GetNetwork()->SetLinkState(1, MicroSeconds(150), true);
        for (uint32_t a = 0; a < 8; a += 2)
        {
            one.Send(a, (a + 2) % 8, 1000000);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(one.delivered.size(), 4, "all delivered once");
        NS_TEST_EXPECT_MSG_EQ(one.cluster->GetFaults().size(), 0, "no fault");
        NS_TEST_EXPECT_MSG_GT(one.GetCounter("retransmissions"), 0, "some sent again");
        NS_TEST_EXPECT_MSG_GT(one.GetCounter("frames lost on links that were down"), 0, "lost");
        const uint64_t timeouts = one.GetCounter("timeouts");
        NS_TEST_EXPECT_MSG_EQ((timeouts >= 2 && timeouts < 6), true, "0 to 2 and 2 to 4 waited");
    }
};

/** A link that does not come back. */
class LinkLostTestCase : public TestCase
{
  public:
    LinkLostTestCase()
        : TestCase("A link that stays down is a fault that names both ends, and there is no path")
    {
    }

  private:
    void DoRun() override
    {
        TestCluster one("RailOnly", 8, 2);
        one.cluster->GetNetwork()->SetLinkState(1, MicroSeconds(5), false);
        one.Send(0, 2, 1000000);
        one.Send(4, 6, 1000000);
        std::string refusal;
        Simulator::Schedule(MicroSeconds(10),
                            [&]()
                            {
                                try
                                {
                                    one.cluster->GetPath(0, 2);
                                }
                                catch (const InputError& error)
                                {
                                    refusal = error.what();
                                }
                            });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(one.delivered.size(), 1, "the other only");
        NS_TEST_EXPECT_MSG_EQ(one.delivered[0].destination, 6, "the other");
        NS_TEST_EXPECT_MSG_NE(refusal.find("accelerator 0 to accelerator 2"),
                              std::string::npos,
                              refusal);
        const auto faults = one.cluster->GetFaults();
        NS_TEST_ASSERT_MSG_EQ(faults.size(), 1, "one queue pair gave up");
        NS_TEST_EXPECT_MSG_NE(faults[0].find("accelerator 0"), std::string::npos, faults[0]);
        NS_TEST_EXPECT_MSG_NE(faults[0].find("accelerator 2"), std::string::npos, faults[0]);
    }
};

/** The suite. */
class ClusterTestSuite : public TestSuite
{
  public:
    ClusterTestSuite()
        : TestSuite("llm-fabric-cluster", TestSuite::Type::UNIT)
    {
        AddTestCase(new RingBytesTestCase);
        AddTestCase(new DomainBytesTestCase("fluid"));
        AddTestCase(new DomainBytesTestCase("packet"));
        AddTestCase(new RelayedPathTestCase);
        AddTestCase(new LinkReturnsTestCase);
        AddTestCase(new LinkLostTestCase);
    }
} g_clusterTestSuite; //!< registers the suite

} // namespace
