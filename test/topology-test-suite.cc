// SPDX-License-Identifier: GPL-2.0-only

#include "cluster-conservation.h"

#include "ns3/cluster.h"
#include "ns3/config.h"
#include "ns3/fat-tree-helper.h"
#include "ns3/global-value.h"
#include "ns3/input-error.h"
#include "ns3/message-transport.h"
#include "ns3/object-factory.h"
#include "ns3/rail-only-helper.h"
#include "ns3/rail-optimized-helper.h"
#include "ns3/simulator.h"
#include "ns3/single-switch-helper.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Attributes by name, as text. */
using Settings = std::vector<std::pair<std::string, std::string>>;

/** The three fabrics and the yardstick. */
const char* const TOPOLOGIES[] = {"RailOnly", "RailOptimized", "FatTree", "SingleSwitch"};

/**
 * @param topology beginning of the helper's name
 * @param settings its attributes
 * @return the helper
 */
Ptr<TopologyHelper>
MakeHelper(const std::string& topology, const Settings& settings)
{
    ObjectFactory factory("ns3::llm::" + topology + "Helper");
    auto helper = factory.Create<TopologyHelper>();
    for (const auto& [name, value] : settings)
    {
        helper->SetAttribute(name, StringValue(value));
    }
    return helper;
}

/** A cluster for the time of a test. */
class ClusterFixture
{
  public:
    /**
     * @param topology beginning of the helper's name
     * @param settings its attributes
     * @param engine TypeId of the engine
     */
    ClusterFixture(const std::string& topology,
                   const Settings& settings,
                   const std::string& engine = "ns3::llm::FrameSimulatorImpl")
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(engine));
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::NoCongestionControl"));
        cluster = MakeHelper(topology, settings)->Build();
        conservation = std::make_unique<ClusterConservation>(cluster);
        for (uint32_t owner = 0; owner < 2; ++owner)
        {
            cluster->GetTransport()->SetOwner(owner,
                                              MakeCallback(&ClusterFixture::OnDelivered, this),
                                              MakeCallback(&ClusterFixture::OnAcknowledged, this));
        }
    }

    ~ClusterFixture()
    {
        conservation->Require();
        Simulator::Destroy();
        cluster->Dispose();
        Config::Reset();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }

    ClusterFixture(const ClusterFixture&) = delete;
    ClusterFixture& operator=(const ClusterFixture&) = delete;

    /**
     * Send in the source's context, at once.
     * @param message what
     */
    void Post(const Message& message)
    {
        const uint32_t node = cluster->GetNodeId(message.source);
        Simulator::ScheduleWithContext(node,
                                       Time(0),
                                       [this, message] { cluster->GetTransport()->Send(message); });
    }

    Ptr<Cluster> cluster;                                //!< under test
    std::unique_ptr<ClusterConservation> conservation;   //!< of its networks
    std::function<void(const Message&)> answer;          //!< called with what was delivered, if set
    std::vector<std::pair<uint64_t, Message>> delivered; //!< when (ps) and what
    std::vector<std::pair<uint64_t, Message>> acknowledged; //!< when (ps) and what
    bool contextsRight = true; //!< whether callbacks ran at the right nodes

  private:
    /**
     * @param message delivered
     */
    void OnDelivered(const Message& message)
    {
        contextsRight &= Simulator::GetContext() == cluster->GetNodeId(message.destination);
        delivered.emplace_back(Simulator::Now().GetTimeStep(), message);
        if (answer)
        {
            answer(message);
        }
    }

    /**
     * @param message acknowledged
     */
    void OnAcknowledged(const Message& message)
    {
        contextsRight &= Simulator::GetContext() == cluster->GetNodeId(message.source);
        acknowledged.emplace_back(Simulator::Now().GetTimeStep(), message);
    }
};

/** What does not fit is refused with what would. */
class RefusalCase : public TestCase
{
  public:
    RefusalCase()
        : TestCase("settings that do not fit are refused with field, value and what would fit")
    {
    }

  private:
    /** One refusal. */
    struct Row
    {
        const char* topology;           //!< beginning of the helper's name
        Settings settings;              //!< its attributes
        std::vector<std::string> parts; //!< what the message must contain
    };

    void DoRun() override
    {
        const std::vector<Row> rows{
            {"RailOnly",
             {{"Accelerators", "60"}},
             {"Accelerators 60", "DomainSize 8", "56 or 64 would fit"}},
            {"FatTree", {{"Accelerators", "6"}}, {"Accelerators 6", " 8 would fit"}},
            {"RailOnly",
             {{"DomainFidelity", "Fluid"}},
             {"DomainFidelity 'Fluid'", "packet", "fluid"}},
            {"RailOnly", {{"NicRate", "400"}}, {"NicRate 400bps", "1Mbps", "400Gbps"}},
            {"RailOnly", {{"NicRate", "0bps"}}, {"NicRate 0bps", "400Gbps"}},
            {"FatTree", {{"DomainRate", "3600"}}, {"DomainRate 3600bps", "3600Gbps"}},
            {"FatTree", {{"SwitchRate", "800"}}, {"SwitchRate 800bps", "800Gbps"}},
            {"FatTree", {{"NicDelay", "500"}}, {"NicDelay 500s", "500ns"}},
            {"FatTree", {{"SwitchDelay", "2"}}, {"SwitchDelay 2s", "2ns"}},
            {"FatTree", {{"DomainDelay", "250"}}, {"DomainDelay 250s", "250ns"}},
            {"FatTree", {{"K", "9"}}, {"K 9", "even", "8 or 10"}},
            {"FatTree", {{"K", "6"}}, {"K 6", "54 hosts", "Accelerators is 64", "fits is 8"}},
            {"FatTree",
             {{"K", "8"}, {"Accelerators", "136"}},
             {"128 hosts", "Accelerators is 136", "fits is 10"}},
            // 17 NICs a rail are 9 leaves, 5 aggregations of a plane: more than 4 ports of a core;
            // with 6 ports: 6 leaves, 3 spines
            {"RailOnly",
             {{"SwitchRadix", "4"}, {"Accelerators", "34"}, {"DomainSize", "2"}},
             {"SwitchRadix 4", "17 NICs of a rail", "fits is 6"}},
            // 24 rail switches of 3 x 3 ports are 8 aggregations: more than 6 ports of a core; with
            // 8 ports: 16 rail switches, 4 aggregations a plane, 2 cores with 2 links to each
            {"RailOptimized",
             {{"SwitchRadix", "6"}},
             {"SwitchRadix 6", "64 accelerators", "DomainSize 8", "fits is 8"}},
            {"SingleSwitch", {{"Accelerators", "65536"}, {"DomainSize", "1"}}, {"65535 ports"}},
        };
        for (const Row& row : rows)
        {
            std::string text;
            try
            {
                MakeHelper(row.topology, row.settings)->Build();
            }
            catch (const InputError& error)
            {
                text = error.what();
            }
            for (const std::string& part : row.parts)
            {
                NS_TEST_EXPECT_MSG_NE(text.find(part),
                                      std::string::npos,
                                      "\"" << part << "\" is missing in: " << text);
            }
        }
        Simulator::Destroy();
    }
};

/** Numbers of switches and links, counted by hand. */
class SizeCase : public TestCase
{
  public:
    SizeCase()
        : TestCase("switches and links are as many as counted by hand")
    {
    }

  private:
    /** One cluster. */
    struct Row
    {
        const char* topology;        //!< beginning of the helper's name
        Settings settings;           //!< its attributes
        std::vector<uint32_t> tiers; //!< switches of each tier
        uint32_t links;              //!< with those of the NICs
    };

    void DoRun() override
    {
        const Settings k1{{"Accelerators", "16"}, {"DomainSize", "1"}};
        const Settings k72{{"Accelerators", "144"}, {"DomainSize", "72"}};
        const Settings big{{"Accelerators", "1024"}};
        const std::vector<Row> rows{
            {"RailOnly", {}, {8}, 64},
            // 8 NICs and 8 uplinks a rail switch: one spine of 64 ports
            {"RailOptimized", {}, {8, 1}, 64 + 64},
            // k = 8: 4 hosts an edge switch, 4 pods of 4 and 4, 16 cores
            {"FatTree", {}, {16, 16, 16}, 64 + 64 + 64},
            {"SingleSwitch", {}, {1}, 64},
            {"RailOnly", k1, {1}, 16},
            {"RailOptimized", k1, {1}, 16},
            // k = 4: 2 hosts an edge switch, all 4 pods
            {"FatTree", k1, {8, 8, 4}, 16 + 16 + 16},
            {"RailOnly", k72, {72}, 144},
            // 144 uplinks, and every spine reaches 72 switches: 2 spines of 72 ports
            {"RailOptimized",
             {{"Accelerators", "144"}, {"DomainSize", "72"}, {"SwitchRadix", "72"}},
             {72, 2},
             144 + 144},
            // one tier of 64-port spines does not reach 72: 2 planes of 3 aggregations (32, 32 and 8
            // rail switches) and 2 cores, 16 links between each two
            {"RailOptimized", k72, {72, 6, 4}, 144 + 144 + 2 * 3 * 2 * 16},
            // a rail of 9: 5 leaves of 2 x 2, 2 planes of 3 aggregations and 2 cores
            {"RailOnly",
             {{"SwitchRadix", "4"}, {"Accelerators", "18"}, {"DomainSize", "2"}},
             {10, 12, 8},
             18 + 20 + 2 * 2 * 6},
            // k = 10: 5 hosts an edge switch, 29 of them, 6 pods, 25 cores
            {"FatTree", k72, {29, 30, 25}, 144 + 145 + 150},
            // a rail of 128: 4 leaves of 32, 2 spines with 16 links to each
            {"RailOnly", big, {32, 16}, 1024 + 1024},
            // 32 leaves of 32 x 32: 16 spines of 64 ports, 2 links to each leaf
            {"RailOptimized", big, {32, 16}, 1024 + 1024},
            // k = 16 is 1024 hosts to the last
            {"FatTree", big, {128, 128, 64}, 1024 * 3},
            // k given: 6 hosts an edge switch, 11 of them, 2 pods, 36 cores
            {"FatTree", {{"K", "12"}}, {11, 12, 36}, 64 + 66 + 72},
            // one pod needs no cores: k = 12 has 36 hosts in a pod
            {"FatTree", {{"K", "12"}, {"Accelerators", "32"}}, {6, 6}, 32 + 36},
        };
        for (const Row& row : rows)
        {
            ClusterFixture fixture(row.topology, row.settings);
            const auto network = fixture.cluster->GetNetwork();
            std::vector<uint32_t> tiers;
            for (uint32_t s = 0; s < network->GetSwitchCount(); ++s)
            {
                const uint32_t tier = network->GetSwitch(s)->GetTier();
                tiers.resize(std::max<std::size_t>(tiers.size(), tier + 1));
                ++tiers[tier];
            }
            std::ostringstream what;
            what << row.topology << " " << network->GetTerminalCount() << ":";
            for (uint32_t count : tiers)
            {
                what << " " << count;
            }
            NS_TEST_EXPECT_MSG_EQ((tiers == row.tiers), true, what.str());
            NS_TEST_EXPECT_MSG_EQ(network->GetLinkCount(), row.links, what.str());
            CheckRadix(network, row.settings, what.str());
        }
    }

    /**
     * No switch has more ports than its radix.
     * @param network the network
     * @param settings attributes of the helper
     * @param what for messages
     */
    void CheckRadix(Ptr<FabricNetwork> network, const Settings& settings, const std::string& what)
    {
        uint32_t radix = what.find("SingleSwitch") == 0 ? 65535 : 64;
        for (const auto& [name, value] : settings)
        {
            if (name == "SwitchRadix" || name == "K")
            {
                radix = static_cast<uint32_t>(std::stoul(value));
            }
        }
        for (uint32_t s = 0; s < network->GetSwitchCount(); ++s)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(network->GetSwitch(s)->GetPortCount(), radix, what);
        }
    }
};

/** Everything but the NIC network is the same. */
class SameClusterCase : public TestCase
{
  public:
    SameClusterCase()
        : TestCase("all topologies have the same accelerators, domains and NICs")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* fidelity : {"packet", "fluid"})
        {
            for (const char* size : {"1", "8", "72"})
            {
                std::string first;
                for (const char* topology : TOPOLOGIES)
                {
                    const Settings settings{{"Accelerators", "144"},
                                            {"DomainSize", size},
                                            {"DomainFidelity", fidelity},
                                            {"NicRate", "200Gbps"},
                                            {"NicDelay", "600ns"}};
                    ClusterFixture fixture(topology, settings);
                    const std::string text = Describe(*fixture.cluster);
                    first = first.empty() ? text : first;
                    NS_TEST_EXPECT_MSG_EQ(text, first, topology << " K " << size);
                    NS_TEST_EXPECT_MSG_NE(text.find("200000000000bps 600000ps"),
                                          std::string::npos,
                                          "as set: " << text.substr(0, 200));
                }
            }
        }
    }

    /**
     * @param cluster a cluster
     * @return accelerators, domains and NICs as text
     */
    static std::string Describe(const Cluster& cluster)
    {
        std::ostringstream text;
        text << cluster.GetAcceleratorCount() << " K " << cluster.GetDomainSize() << "\n";
        for (uint32_t a = 0; a < cluster.GetAcceleratorCount(); ++a)
        {
            const auto nic = cluster.GetNetwork()->GetTerminalPort(a);
            const FrameTransmitter& transmitter = nic->GetTransmitter();
            text << a << " domain " << cluster.GetDomain(a) << " rail " << cluster.GetRail(a)
                 << " node " << cluster.GetNodeId(a) << " NIC "
                 << transmitter.GetRate().GetBitRate() << "bps " << transmitter.GetDelayTicks()
                 << "ps\n";
            for (uint32_t b = a + 1; b < cluster.GetAcceleratorCount(); b += 7)
            {
                if (cluster.GetDomain(a) == cluster.GetDomain(b))
                {
                    const PathLeg leg = cluster.GetPath(a, b).legs.at(0);
                    text << b << " " << leg.isFluid << leg.links.size() << " "
                         << leg.links[0].rate.GetBitRate() << " " << leg.fluidDelay.GetTimeStep()
                         << "\n";
                }
            }
        }
        return text.str();
    }
};

/** How many links a path has. */
class PathCase : public TestCase
{
  public:
    PathCase()
        : TestCase("paths have two, four or six links, and rails meet in HB domains only")
    {
    }

  private:
    void DoRun() override
    {
        const Settings settings{{"Accelerators", "32"},
                                {"DomainSize", "4"},
                                {"DomainFidelity", "packet"}};
        for (const char* topology : TOPOLOGIES)
        {
            ClusterFixture fixture(topology, settings);
            const Cluster& cluster = *fixture.cluster;
            for (uint32_t a = 0; a < 32; ++a)
            {
                for (uint32_t b = 0; b < 32; ++b)
                {
                    if (a != b)
                    {
                        CheckPath(topology, cluster, a, b);
                    }
                }
            }
        }
        // without a relay there is no way
        ClusterFixture fixture("RailOnly", settings);
        for (uint32_t b = 4; b < 32; ++b)
        {
            const PathLeg leg = fixture.cluster->GetRdma()->DescribeLeg(0, b, 0);
            NS_TEST_EXPECT_MSG_EQ(leg.links.empty(), (b % 4 != 0), "from rail 0 to " << b);
        }
    }

    /**
     * @param topology which
     * @param cluster the cluster
     * @param a source
     * @param b destination
     */
    void CheckPath(const std::string& topology, const Cluster& cluster, uint32_t a, uint32_t b)
    {
        const Path path = cluster.GetPath(a, b, 1, 3);
        const bool sameDomain = a / 4 == b / 4;
        const bool sameRail = a % 4 == b % 4;
        const bool isRelayed = topology == "RailOnly" && !sameDomain && !sameRail;
        NS_TEST_ASSERT_MSG_EQ(path.legs.size(), (isRelayed ? 2 : 1), topology << a << ">" << b);
        NS_TEST_ASSERT_MSG_EQ(path.relays.size(), path.legs.size() - 1, topology);
        if (isRelayed)
        {
            NS_TEST_EXPECT_MSG_EQ(path.relays[0], a / 4 * 4 + b % 4, "PXN " << a << ">" << b);
        }
        // k = 6 for 32 hosts: 3 an edge switch, 9 a pod
        std::size_t links = 2;
        if (topology == "RailOptimized" && !sameDomain && !sameRail)
        {
            links = 4;
        }
        else if (topology == "FatTree" && !sameDomain && a / 3 != b / 3)
        {
            links = a / 9 == b / 9 ? 4 : 6;
        }
        std::set<uint64_t> ids;
        std::size_t count = 0;
        for (const PathLeg& leg : path.legs)
        {
            NS_TEST_EXPECT_MSG_EQ(leg.links.size(), links, topology << " " << a << ">" << b);
            NS_TEST_EXPECT_MSG_EQ(leg.ackLinks.size(), links, topology << " " << a << ">" << b);
            for (const auto& part : {leg.links, leg.ackLinks})
            {
                for (const PathLink& link : part)
                {
                    ids.insert(link.id);
                    ++count;
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(ids.size(), count, "each direction of a link once");
    }
};

/** Rings that rail-only and rail-optimized must treat alike. */
class SameRailsCase : public TestCase
{
  public:
    SameRailsCase()
        : TestCase("rings in domains and in rails take equal times, with and without spines")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* fidelity : {"packet", "fluid"})
        {
            for (const bool isTensor : {true, false})
            {
                const auto only = RunRings("RailOnly", fidelity, isTensor);
                const auto optimized = RunRings("RailOptimized", fidelity, isTensor);
                const auto ns3Engine =
                    RunRings("RailOnly", fidelity, isTensor, "ns3::DefaultSimulatorImpl");
                NS_TEST_ASSERT_MSG_EQ(only.size(), 32 * 6, "6 steps each");
                NS_TEST_EXPECT_MSG_EQ((only == optimized), true, fidelity << isTensor);
                NS_TEST_EXPECT_MSG_EQ((only == ns3Engine), true, fidelity << isTensor);
            }
        }
    }

    /**
     * Six steps of a ring in every domain or in every rail, chunks of 100 kB.
     * @param topology beginning of the helper's name
     * @param fidelity of the domains
     * @param isTensor rings in domains, else in rails
     * @param engine TypeId of the engine
     * @return by (destination, step), when delivered, ps
     */
    static std::map<std::pair<uint32_t, uint32_t>, uint64_t>
    RunRings(const std::string& topology,
             const std::string& fidelity,
             bool isTensor,
             const std::string& engine = "ns3::llm::FrameSimulatorImpl")
    {
        ClusterFixture fixture(
            topology,
            {{"Accelerators", "32"}, {"DomainSize", "4"}, {"DomainFidelity", fidelity}},
            engine);
        auto next = [isTensor](uint32_t a)
        {
            return isTensor ? a / 4 * 4 + (a + 1) % 4 : (a + 4) % 32;
        };
        fixture.answer = [&](const Message& message)
        {
            if (message.place < 5)
            {
                const uint32_t a = message.destination;
                fixture.cluster->GetTransport()->Send(
                    {a, next(a), message.bytes, 0, 0, message.place + 1, 0});
            }
        };
        for (uint32_t a = 0; a < 32; ++a)
        {
            fixture.Post({a, next(a), 100000, 0, 0, 0, 0});
        }
        Simulator::Run();
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> times;
        for (const auto& [tick, message] : fixture.delivered)
        {
            times[{message.destination, message.place}] = tick;
        }
        return times;
    }
};

/** Every pair of accelerators. */
class EveryPairCase : public TestCase
{
  public:
    EveryPairCase()
        : TestCase("a message between any two accelerators arrives once, never before its bound")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* fidelity : {"packet", "fluid"})
        {
            for (const char* size : {"1", "4"})
            {
                for (const char* topology : TOPOLOGIES)
                {
                    RunPairs(topology,
                             {{"Accelerators", "12"},
                              {"DomainSize", size},
                              {"DomainFidelity", fidelity}});
                }
            }
        }
    }

    /**
     * @param topology beginning of the helper's name
     * @param settings its attributes
     */
    void RunPairs(const std::string& topology, const Settings& settings)
    {
        ClusterFixture fixture(topology, settings);
        uint64_t relayed = 0;
        for (uint32_t a = 0; a < 12; ++a)
        {
            for (uint32_t b = 0; b < 12; ++b)
            {
                if (a != b)
                {
                    fixture.Post({a, b, 5000, 1, 4, a * 12 + b, 2});
                    relayed += 5000 * fixture.cluster->GetPath(a, b).relays.size();
                }
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(fixture.contextsRight, true, topology);
        NS_TEST_ASSERT_MSG_EQ(fixture.acknowledged.size(), 132, topology);
        NS_TEST_ASSERT_MSG_EQ(fixture.delivered.size(), 132, topology);
        std::set<uint32_t> places;
        for (const auto& [tick, m] : fixture.delivered)
        {
            places.insert(m.place);
            NS_TEST_EXPECT_MSG_EQ(m.place, m.source * 12 + m.destination, "unchanged");
            NS_TEST_EXPECT_MSG_EQ((m.bytes == 5000 && m.owner == 1 && m.instance == 4),
                                  true,
                                  "same");
            uint64_t bound = 0;
            for (const PathLeg& leg : fixture.cluster->GetPath(m.source, m.destination, 1, 2).legs)
            {
                bound += m.bytes * 8'000'000'000'000 / leg.links[0].rate.GetBitRate();
            }
            NS_TEST_EXPECT_MSG_GT(tick, bound, topology << m.source << ">" << m.destination);
        }
        NS_TEST_EXPECT_MSG_EQ(places.size(), 132, "each once");
        uint64_t counted = 0;
        for (uint32_t a = 0; fixture.cluster->GetRelays() && a < 12; ++a)
        {
            counted += fixture.cluster->GetRelays()->GetRelayedBytes(a);
        }
        NS_TEST_EXPECT_MSG_EQ(counted, relayed, "relays carry what has to be relayed");
        NS_TEST_EXPECT_MSG_EQ(fixture.cluster->GetFaults().size(), 0, "no faults");
    }
};

/** The two fidelities of a domain. */
class FidelityCase : public TestCase
{
  public:
    FidelityCase()
        : TestCase("a lone message takes as long over a fluid domain as over one of packets")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t bytes : {4096ull, 65536ull, 1048576ull, 16777216ull})
        {
            std::map<std::string, uint64_t> ticks;
            for (const char* fidelity : {"packet", "fluid"})
            {
                ClusterFixture fixture("RailOnly",
                                       {{"DomainFidelity", fidelity}, {"DomainRate", "400Gbps"}});
                fixture.Post({0, 1, bytes, 0, 0, 0, 0});
                Simulator::Run();
                NS_TEST_ASSERT_MSG_EQ(fixture.delivered.size(), 1, fidelity);
                ticks[fidelity] = fixture.delivered[0].first;
            }
            // 20 ps a byte; 82 B around each frame, twice 250 ns, and the ticks in and out
            const uint64_t fluid = (bytes + bytes / 4096 * 82) * 20 + 500'000 + 2;
            NS_TEST_EXPECT_MSG_EQ(ticks["fluid"], fluid, bytes << " B");
            // packets: the first frame has 16 B more, and the switch stores it before it begins to
            // send; from there on the second link is busy for as long as the first one was
            const uint64_t more = (16 + 4178 + 16) * 20;
            NS_TEST_EXPECT_MSG_EQ_TOL(ticks["packet"], fluid + more, 10, bytes << " B");
        }
    }
};

/** The suite. */
class TopologyTestSuite : public TestSuite
{
  public:
    TopologyTestSuite()
        : TestSuite("llm-fabric-topology", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RefusalCase);
        AddTestCase(new SizeCase);
        AddTestCase(new SameClusterCase);
        AddTestCase(new PathCase);
        AddTestCase(new SameRailsCase);
        AddTestCase(new EveryPairCase);
        AddTestCase(new FidelityCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
};

TopologyTestSuite g_topologyTestSuite; //!< registers the suite

} // namespace
