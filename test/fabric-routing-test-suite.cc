// SPDX-License-Identifier: GPL-2.0-only

// Shortest paths, the choice among them, and links that go down and come up.

#include "small-network.h"

#include "ns3/flow-ecmp.h"
#include "ns3/input-error.h"
#include "ns3/route-builder.h"
#include "ns3/test.h"

#include <map>
#include <set>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Tables of graphs drawn by hand. */
class RouteBuilderTestCase : public TestCase
{
  public:
    RouteBuilderTestCase()
        : TestCase("Tables hold all shortest paths, do not lead through terminals and share groups")
    {
    }

  private:
    static constexpr uint16_t NO = 999; //!< no route

    void DoRun() override
    {
        // terminals 0 and 1 at switches 2 and 5; 2-3-5 and 2-4-5 are equal, 2-6-7-5 is longer
        std::vector<RouteBuilder::Vertex> graph(8);
        const std::vector<std::pair<uint32_t, uint32_t>>
            links{{0, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {2, 6}, {6, 7}, {7, 5}};
        for (uint32_t v = 2; v < 8; ++v)
        {
            graph[v].forwards = true;
        }
        for (const auto& [a, b] : links)
        {
            graph[a].neighbors.push_back(b);
            graph[b].neighbors.push_back(a);
        }
        auto tables = RouteBuilder::Build(graph, {0, 1}, NO);
        // ports of 2: to 0, 3, 4, 6
        Expect(tables[2], 0, {0}, "switch 2 to the terminal at it");
        Expect(tables[2], 1, {1, 2}, "switch 2, two ways");
        Expect(tables[7], 1, {1}, "switch 7");
        Expect(tables[7], 0, {0}, "switch 7, back over 6");
        Expect(tables[3], 0, {0}, "switch 3");
        Expect(tables[5], 0, {1, 2}, "switch 5, two ways back");
        NS_TEST_EXPECT_MSG_EQ(tables[0].groups.size(), 0, "a terminal has no table");
        // 3-5 fails: one way; then 4-5 too: the long way
        graph[3].neighbors[1] = RouteBuilder::NO_NEIGHBOR;
        graph[5].neighbors[1] = RouteBuilder::NO_NEIGHBOR;
        tables = RouteBuilder::Build(graph, {0, 1}, NO);
        Expect(tables[2], 1, {2}, "one way is left");
        graph[4].neighbors[1] = RouteBuilder::NO_NEIGHBOR;
        graph[5].neighbors[2] = RouteBuilder::NO_NEIGHBOR;
        tables = RouteBuilder::Build(graph, {0, 1}, NO);
        Expect(tables[2], 1, {3}, "the long way is left");
        Expect(tables[3], 1, {0}, "switch 3, over 2");
        // the link of terminal 1 fails
        graph[1].neighbors[0] = RouteBuilder::NO_NEIGHBOR;
        graph[5].neighbors[0] = RouteBuilder::NO_NEIGHBOR;
        tables = RouteBuilder::Build(graph, {0, 1}, NO);
        NS_TEST_EXPECT_MSG_EQ(tables[2].groupOf[1], NO, "out of reach");
        NS_TEST_EXPECT_MSG_EQ(tables[5].groupOf[1], NO, "out of reach");
    }

    /** @param table of a switch @param terminal where to @param ports expected @param what it is */
    void Expect(const RouteBuilder::Table& table,
                uint32_t terminal,
                const std::vector<uint16_t>& ports,
                const std::string& what)
    {
        const uint16_t group = table.groupOf.at(terminal);
        NS_TEST_ASSERT_MSG_NE(group, NO, what);
        const bool isEqual = table.groups.at(group) == ports;
        NS_TEST_EXPECT_MSG_EQ(isEqual, true, what);
    }
};

/** All pairs of a fat-tree. */
class FatTreePathsTestCase : public TestCase
{
  public:
    FatTreePathsTestCase()
        : TestCase("In a fat-tree of k = 4 every pair has 1, 2 or 4 shortest paths, all in use")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork net;
        net.MakeFatTree(4);
        for (uint32_t a = 0; a < 16; ++a)
        {
            for (uint32_t b = 0; b < 16; ++b)
            {
                if (a == b)
                {
                    continue;
                }
                std::set<std::vector<uint32_t>> paths;
                for (uint32_t i = 0; i < 100; ++i)
                {
                    std::vector<uint32_t> path;
                    const auto entropy = static_cast<uint32_t>(MixHash(i, 3) >> 32);
                    for (const auto& port : net.network->GetPath(a, b, entropy))
                    {
                        path.push_back(port->GetTransmitter().GetObject());
                    }
                    const std::size_t hops = a / 2 == b / 2 ? 2 : (a / 4 == b / 4 ? 4 : 6);
                    NS_TEST_ASSERT_MSG_EQ(path.size(), hops, a << " to " << b);
                    paths.insert(path);
                }
                const std::size_t count = a / 2 == b / 2 ? 1 : (a / 4 == b / 4 ? 2 : 4);
                NS_TEST_EXPECT_MSG_EQ(paths.size(), count, a << " to " << b);
            }
        }
    }
};

/** How evenly flows are spread. */
class SpreadTestCase : public TestCase
{
  public:
    SpreadTestCase()
        : TestCase("Flows fall on equal paths like balls into bins, tier by tier independently")
    {
    }

  private:
    void DoRun() override
    {
        // mean of the fullest bin and of the bins in use, exact values
        CheckBins(4, 4, 2.12, 4 * (1 - std::pow(0.75, 4)));
        CheckBins(8, 8, 2.59, 5.251);
        CheckBins(16, 16, 3.08, 10.30);
        CheckBins(16, 4, 6.14, 4 * (1 - std::pow(0.75, 16)));
        CheckBins(3, 2, 2.25, 1.75);
        CheckTree();
        CheckOwnFlows();
    }

    /** @param flows balls @param paths bins @param fullest expected @param inUse expected */
    void CheckBins(uint32_t flows, uint32_t paths, double fullest, double inUse)
    {
        std::vector<uint16_t> ports;
        for (uint32_t i = 0; i < paths; ++i)
        {
            ports.push_back(static_cast<uint16_t>(10 + i));
        }
        double sumFullest = 0;
        double sumInUse = 0;
        const uint32_t trials = 20000;
        for (uint32_t trial = 0; trial < trials; ++trial)
        {
            std::map<uint16_t, uint32_t> count;
            uint32_t most = 0;
            for (uint32_t flow = 0; flow < flows; ++flow)
            {
                const auto entropy = static_cast<uint32_t>(MixHash(flow, 1) >> 32);
                most = std::max(most, ++count[FlowEcmp::Pick(entropy, ports, MixHash(trial, 5))]);
            }
            sumFullest += most;
            sumInUse += static_cast<double>(count.size());
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sumFullest / trials, fullest, 0.01 * fullest, flows << paths);
        NS_TEST_EXPECT_MSG_EQ_TOL(sumInUse / trials, inUse, 0.01 * inUse, flows << paths);
    }

    /** Many flows of one pair over the four paths. */
    void CheckTree()
    {
        SmallNetwork net;
        net.MakeFatTree(4);
        std::map<uint32_t, uint32_t> byCore; // by the port from the aggregation to the core switch
        const uint32_t flows = 4000;
        for (uint32_t i = 0; i < flows; ++i)
        {
            const uint32_t entropy =
                RdmaTransport::GetEntropy(net.transport->GetIdentity(0, 15, i));
            ++byCore[net.network->GetPath(0, 15, entropy)[2]->GetTransmitter().GetObject()];
        }
        double chiSquare = 0;
        for (const auto& [port, count] : byCore)
        {
            chiSquare += std::pow(count - flows / 4.0, 2) / (flows / 4.0);
        }
        NS_TEST_EXPECT_MSG_EQ(byCore.size(), 4, "core links in use: no polarization");
        // 3 degrees of freedom: above 16.3 with probability 0.001
        NS_TEST_EXPECT_MSG_LT(chiSquare, 16.3, "spread");
    }

    /** The flows of all pairs: no two pairs share their choices by construction. */
    void CheckOwnFlows()
    {
        SmallNetwork net;
        net.MakeFatTree(4);
        std::set<uint32_t> entropies;
        for (uint32_t a = 0; a < 16; ++a)
        {
            for (uint32_t b = 0; b < 16; ++b)
            {
                for (uint32_t flow = 0; flow < 4; ++flow)
                {
                    entropies.insert(
                        RdmaTransport::GetEntropy(net.transport->GetIdentity(a, b, flow)));
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(entropies.size(), 1024, "distinct entropies of (from, to, flow)");
    }
};

/** Notes which transmitters the data frames of a pair cross. */
class PathObserver : public FrameTransmitter::Observer
{
  public:
    void FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t) override
    {
        const auto kind = static_cast<uint32_t>(frame.kind);
        crossed[{frame.source, frame.destination, kind}].insert(transmitter.GetObject());
    }

    /** Crossed transmitters, by source, destination and kind of frame. */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::set<uint32_t>> crossed;
};

/** A flow keeps its path. */
class SamePathTestCase : public TestCase
{
  public:
    SamePathTestCase()
        : TestCase("All frames of a flow take the path that was foretold, ACKs theirs")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        SmallNetwork net;
        net.MakeFatTree(4);
        PathObserver observer;
        net.network->SetObserver(&observer);
        net.SendShift(5, 50000);
        Simulator::Run();
        for (uint32_t i = 0; i < 16; ++i)
        {
            const uint32_t to = (i + 5) % 16;
            const PathLeg leg = net.transport->DescribeLeg(i, to, 0);
            std::set<uint32_t> there;
            std::set<uint32_t> back;
            for (const PathLink& link : leg.links)
            {
                there.insert(static_cast<uint32_t>(link.id));
            }
            for (const PathLink& link : leg.ackLinks)
            {
                back.insert(static_cast<uint32_t>(link.id));
            }
            const bool isThere =
                observer.crossed[{i, to, static_cast<uint32_t>(FrameKind::DATA)}] == there;
            const bool isBack =
                observer.crossed[{to, i, static_cast<uint32_t>(FrameKind::ACK)}] == back;
            NS_TEST_EXPECT_MSG_EQ(isThere, true, "data of " << i);
            NS_TEST_EXPECT_MSG_EQ(isBack, true, "ACKs to " << i);
        }
    }
};

/** A link on a flow's path goes down and comes up. */
class LinkFailureTestCase : public TestCase
{
  public:
    LinkFailureTestCase()
        : TestCase("A link goes down: routes follow, what it carried is sent again, and traffic "
                   "returns when it is up")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                           TimeValue(MicroSeconds(50)));
        SmallNetwork net;
        net.MakeFatTree(4);
        const uint32_t entropy = RdmaTransport::GetEntropy(net.transport->GetIdentity(0, 15, 0));
        const auto before = net.network->GetPath(0, 15, entropy);
        const auto port = before[1]; // edge to aggregation
        uint32_t link = 0;
        const auto directions = net.network->GetDirections();
        while (directions[link].port != port)
        {
            ++link;
        }
        net.network->SetLinkState(link / 2, MicroSeconds(50), false);
        net.network->SetLinkState(link / 2, MicroSeconds(300), true);
        net.Send(0, 15, 6000000);
        uint64_t atDown = 0;
        uint64_t atUp = 0;
        bool isAround = false;
        Simulator::Schedule(MicroSeconds(60),
                            [&]()
                            {
                                atDown = port->GetTransmitter().GetCounters().frames;
                                const auto path = net.network->GetPath(0, 15, entropy);
                                isAround = path.size() == 6 && path[1] != port;
                                NS_TEST_EXPECT_MSG_EQ(port->IsLinkUp(), false, "link state");
                            });
        Simulator::Schedule(MicroSeconds(299),
                            [&]() { atUp = port->GetTransmitter().GetCounters().frames; });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(isAround, true, "the path leads around");
        NS_TEST_EXPECT_MSG_GT(atDown, 400, "frames before");
        NS_TEST_EXPECT_MSG_EQ(atUp, atDown, "frames while it is down");
        NS_TEST_EXPECT_MSG_GT(port->GetTransmitter().GetCounters().frames, atUp + 1000, "after");
        const bool isBack = net.network->GetPath(0, 15, entropy) == before;
        NS_TEST_EXPECT_MSG_EQ(isBack, true, "the path is the old one");
        NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 1, "delivered once");
        NS_TEST_EXPECT_MSG_EQ(net.acknowledged.size(), 1, "acknowledged once");
        NS_TEST_EXPECT_MSG_GT(net.Sum(&PortCounters::lost), 10, "frames in flight were lost");
        const NicCounters counters = net.transport->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.payloadBytes, 6000000, "payload");
        NS_TEST_EXPECT_MSG_GT(counters.retransmissions, 10, "sent again");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames in the pool");
        NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0, "bytes in the buffers");
        NS_TEST_EXPECT_MSG_EQ(net.QueueBytes(), 0, "bytes in the queues");
    }
};

/** A link with pauses on goes down. */
class PausedLinkTestCase : public TestCase
{
  public:
    PausedLinkTestCase()
        : TestCase("A link that goes down while it is paused, or pauses, leaves no pause behind")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t pauses = 0;
        for (uint32_t at = 10; at < 60; ++at)
        {
            SmallNetwork::SetPlain(1000);
            Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                               TimeValue(MicroSeconds(40)));
            Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(500000));
            SmallNetwork net;
            net.MakeDumbbell(4, 2, "100Gbps", "100Gbps");
            net.network->SetLinkState(net.trunk, MicroSeconds(at), false);
            net.network->SetLinkState(net.trunk, MicroSeconds(at + 5), true);
            net.network->SetLinkState(0, MicroSeconds(at + 1), false);
            net.network->SetLinkState(0, MicroSeconds(at + 2), true);
            for (uint32_t i = 0; i < 4; ++i)
            {
                net.Send(i, 4, 150000);
                net.Send(5, i, 50000);
            }
            Simulator::Run();
            pauses += net.Sum(&PortCounters::pausesReceived);
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 8, "messages, down at " << at);
            NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames, " << at);
            NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0, "buffers, " << at);
            NS_TEST_EXPECT_MSG_EQ(net.QueueBytes(), 0, "queues, " << at);
            for (uint32_t i = 0; i < 2; ++i)
            {
                const bool isWatched = net.network->GetSwitch(i)->GetBuffer().IsWatched();
                NS_TEST_EXPECT_MSG_EQ(isWatched, false, "a pause is left, " << at);
            }
            for (const auto& direction : net.network->GetDirections())
            {
                const bool isPaused = direction.port->GetTransmitter().IsPaused(3);
                NS_TEST_EXPECT_MSG_EQ(isPaused, false, "paused for ever: " << direction.name);
            }
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 100, "there were pauses");
    }
};

/** Destinations out of reach. */
class UnreachableTestCase : public TestCase
{
  public:
    UnreachableTestCase()
        : TestCase("A queue pair whose destination is out of reach, or whose own link is down, "
                   "gives up and says so")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t broken : {1, 0})
        {
            SmallNetwork::SetPlain(1000);
            Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout",
                               TimeValue(MicroSeconds(10)));
            Config::SetDefault("ns3::llm::RdmaTransport::MaxTimeouts", UintegerValue(3));
            SmallNetwork net;
            net.MakeStar(3, "100Gbps");
            net.network->SetLinkState(broken, MicroSeconds(1), false);
            net.network->SetLinkState(broken, MicroSeconds(400), true);
            net.SendAt(MicroSeconds(2), 0, 1, 5000);
            net.SendAt(MicroSeconds(2), 2, broken == 1 ? 0 : 1, 5000);
            Simulator::Run();
            // timeouts after 10, 20, 40 and 80 us
            const auto& failures = net.transport->GetFailures();
            NS_TEST_ASSERT_MSG_EQ(failures.size(), 1, "failures, link of host " << broken);
            NS_TEST_EXPECT_MSG_NE(failures[0].find("accelerator 0 to accelerator 1"),
                                  std::string::npos,
                                  failures[0]);
            NS_TEST_EXPECT_MSG_NE(failures[0].find("3 retransmission timeouts"),
                                  std::string::npos,
                                  failures[0]);
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetCounters().timeouts, 4, "timeouts");
            NS_TEST_EXPECT_MSG_EQ(net.delivered.size(), 1, "the other message");
            const uint64_t unroutable = net.network->GetSwitch(0)->GetUnroutable();
            const uint64_t expected = broken == 1 ? 20 : 0; // five frames, four times
            NS_TEST_EXPECT_MSG_EQ(unroutable, expected, "frames without a route");
            NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0, "frames in the pool");
            NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetMicroSeconds(), 400, "the run ends");
        }
    }
};

/** The suite. */
class FabricRoutingTestSuite : public TestSuite
{
  public:
    FabricRoutingTestSuite()
        : TestSuite("llm-fabric-fabric-routing", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RouteBuilderTestCase);
        AddTestCase(new FatTreePathsTestCase);
        AddTestCase(new SpreadTestCase);
        AddTestCase(new SamePathTestCase);
        AddTestCase(new LinkFailureTestCase);
        AddTestCase(new PausedLinkTestCase);
        AddTestCase(new UnreachableTestCase);
    }
};

FabricRoutingTestSuite g_fabricRoutingTestSuite; //!< registers the suite

} // namespace
