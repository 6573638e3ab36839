// SPDX-License-Identifier: GPL-2.0-only

// Reduction groups over the switches of a network: trees, frames on links, other traffic beside them.

#include "engine-test-support.h"
#include "small-network.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/reduction-tree.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr uint64_t MTU = 4096;        //!< payload of a full frame
constexpr uint64_t WIRE = MTU + 82;   //!< wire bytes of one
constexpr double FRAME = WIRE * 80.0; //!< ps of one at 100 Gb/s
constexpr double DELAY = 1e6;         //!< ps of a link
constexpr double TICKS = 20;          //!< calls between the worlds of frames and of events, ps

/** Calls of a test. */
class GroupNetwork : public SmallNetwork
{
  public:
    GroupNetwork()
    {
        SetPlain(MTU);
        Config::SetDefault("ns3::llm::FabricNetwork::InSwitchReduction", BooleanValue(true));
        Config::SetDefault("ns3::llm::FabricNetwork::ReductionLatency", TimeValue(Time(0)));
        // the network was made before
        network->SetAttribute("InSwitchReduction", BooleanValue(true));
        network->SetAttribute("ReductionLatency", TimeValue(Time(0)));
    }

    /** @param group handle @param members all call @param to who gets it @param bytes of each
     * @param place of the call */
    void ReduceAll(uint32_t group,
                   const std::vector<uint32_t>& members,
                   uint32_t to,
                   uint64_t bytes,
                   uint32_t place)
    {
        for (const uint32_t member : members)
        {
            Reduce(group, member, to, bytes, place);
        }
    }

    /** @param group handle @param from who calls @param to who gets it @param bytes of each
     * @param place of the call */
    void Reduce(uint32_t group, uint32_t from, uint32_t to, uint64_t bytes, uint32_t place)
    {
        Message call;
        call.source = from;
        call.destination = to;
        call.bytes = bytes;
        call.place = place;
        transport->Reduce(group, call);
    }

    /** @param group handle @param members all call @param from who sends @param bytes so many
     * @param place of the call */
    void MulticastAll(uint32_t group,
                      const std::vector<uint32_t>& members,
                      uint32_t from,
                      uint64_t bytes,
                      uint32_t place)
    {
        for (const uint32_t member : members)
        {
            Message call;
            call.source = from;
            call.destination = member;
            call.bytes = bytes;
            call.place = place;
            transport->Multicast(group, call);
        }
    }

    /** @param host a host @return wire bytes that it has sent */
    uint64_t GetSent(uint32_t host) const
    {
        return network->GetTerminalPort(host)->GetTransmitter().GetCounters().wireBytes;
    }

    /** @param host a host @return wire bytes that were sent to it */
    uint64_t GetReceived(uint32_t host) const
    {
        return ToHost(host).GetCounters().wireBytes;
    }
};

/** @param forwards whether it is a switch @param neighbors by port @return a vertex */
RouteBuilder::Vertex
MakeVertex(bool forwards, const std::vector<uint32_t>& neighbors)
{
    RouteBuilder::Vertex vertex;
    vertex.forwards = forwards;
    vertex.neighbors = neighbors;
    return vertex;
}

/** Trees are trees, short ones, and take turns. */
class TreeTestCase : public TestCase
{
  public:
    TreeTestCase()
        : TestCase("A tree has the shortest ways from its members, and trees of many groups are "
                   "spread")
    {
    }

  private:
    void DoRun() override
    {
        // terminals 0 to 3 at leaves 4 and 5, both at spines 6 and 7; 4 and 6 have two links
        const std::vector<RouteBuilder::Vertex> graph = {MakeVertex(false, {4}),
                                                         MakeVertex(false, {4}),
                                                         MakeVertex(false, {5}),
                                                         MakeVertex(false, {5}),
                                                         MakeVertex(true, {0, 1, 6, 6, 7}),
                                                         MakeVertex(true, {2, 3, 6, 7}),
                                                         MakeVertex(true, {4, 4, 5}),
                                                         MakeVertex(true, {4, 5}),
                                                         MakeVertex(false, {9}),
                                                         MakeVertex(true, {8})};
        const ReductionTree local = ReductionTree::Build(graph, {1, 0}, 5);
        NS_TEST_EXPECT_MSG_EQ(local.nodes.size(), 1u, "one leaf");
        NS_TEST_EXPECT_MSG_EQ(local.nodes[0].vertex, 4u, "that of both");
        NS_TEST_EXPECT_MSG_EQ(local.depth, 1u, "one link");
        NS_TEST_EXPECT_MSG_EQ(local.nodes[0].childOf[0], 1u, "port order, not member order");

        const ReductionTree even = ReductionTree::Build(graph, {0, 3, 2}, 0);
        const ReductionTree odd = ReductionTree::Build(graph, {0, 3, 2}, 1);
        NS_TEST_EXPECT_MSG_EQ(even.nodes[0].vertex, 6u, "a spine");
        NS_TEST_EXPECT_MSG_EQ(odd.nodes[0].vertex, 7u, "the other one");
        NS_TEST_EXPECT_MSG_EQ(even.depth, 2u, "over a spine");
        NS_TEST_EXPECT_MSG_EQ(even.nodes.size(), 3u, "two leaves and a spine");
        NS_TEST_EXPECT_MSG_EQ((even.nodes[0].parent == ReductionTree::NONE), true, "the root");
        NS_TEST_EXPECT_MSG_EQ(even.nodes[0].children.size(), 2u, "one link to each leaf");
        NS_TEST_EXPECT_MSG_EQ(even.nodes[0].children[1].memberCount, 2u, "2 and 3");
        ExpectLinked(graph, even);
        // trees over the same spine take turns among the two links to it
        std::set<uint16_t> parents;
        for (uint32_t turn = 0; turn < 20; turn += 2)
        {
            const ReductionTree tree = ReductionTree::Build(graph, {0, 3, 2}, turn);
            ExpectLinked(graph, tree);
            NS_TEST_EXPECT_MSG_EQ(tree.nodes[1].vertex, 4u, "the leaf of 0");
            parents.insert(tree.nodes[1].parent);
        }
        NS_TEST_EXPECT_MSG_EQ((parents == std::set<uint16_t>{2, 3}), true, "both links");
        ExpectLinked(graph, odd);

        NS_TEST_EXPECT_MSG_EQ(ReductionTree::Build(graph, {0, 8}, 0).nodes.size(), 0u, "no way");
        const ReductionTree one = ReductionTree::Build(graph, {2}, 0);
        NS_TEST_EXPECT_MSG_EQ(one.nodes.size(), 1u, "a group of one");
        NS_TEST_EXPECT_MSG_EQ(one.depth, 1u, "its leaf");
    }

    /** Parents and children name the same links. @param graph the network @param tree the tree */
    void ExpectLinked(const std::vector<RouteBuilder::Vertex>& graph, const ReductionTree& tree)
    {
        for (const ReductionTree::Node& node : tree.nodes)
        {
            if (node.parent == ReductionTree::NONE)
            {
                continue;
            }
            const uint32_t above = graph[node.vertex].neighbors[node.parent];
            // how many links to the same switch come before it, at both ends
            const auto& up = graph[node.vertex].neighbors;
            const auto place = std::count(up.begin(), up.begin() + node.parent, above);
            bool isFound = false;
            for (const ReductionTree::Node& other : tree.nodes)
            {
                for (const ReductionTree::Child& child : other.children)
                {
                    const auto& down = graph[other.vertex].neighbors;
                    isFound =
                        isFound ||
                        (other.vertex == above && child.vertex == node.vertex &&
                         std::count(down.begin(), down.begin() + child.port, node.vertex) == place);
                }
            }
            NS_TEST_EXPECT_MSG_EQ(isFound, true, "link up of " << node.vertex);
        }
    }
};

/** Times and bytes of lone calls. */
class LoneCallsTestCase : public TestCase
{
  public:
    LoneCallsTestCase()
        : TestCase("A reduction and a multicast cross each link of their tree once, frame by frame")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> all{0, 1, 2, 3};
        GroupNetwork net;
        net.MakeStar(5, "100Gbps");
        const uint32_t group = net.transport->MakeGroup(0, all);
        net.ReduceAll(group, all, EVERY_MEMBER, 10 * MTU, 0);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 4u, "to all");
        for (const auto& record : net.delivered)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(record.tick),
                                      11 * FRAME + 2 * DELAY,
                                      TICKS,
                                      "10 frames and a stored one");
            NS_TEST_EXPECT_MSG_EQ(record.message.source, EVERY_MEMBER, "reduced");
            NS_TEST_EXPECT_MSG_EQ(record.message.bytes, 10 * MTU, "size");
        }
        for (const uint32_t host : all)
        {
            NS_TEST_EXPECT_MSG_EQ(net.GetSent(host), 10 * WIRE, "up");
            NS_TEST_EXPECT_MSG_EQ(net.GetReceived(host), 10 * WIRE, "down");
        }
        NS_TEST_EXPECT_MSG_EQ(net.GetReceived(4), 0u, "no member");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetSwitch(0)->GetReducer()->GetMergedFrames(),
                              30u,
                              "three of four are merged");
        net.MulticastAll(group, all, 2, 3 * MTU + 1, 1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 7u, "to the others");
        NS_TEST_EXPECT_MSG_EQ(net.delivered[6].message.source, 2u, "from the source");
        NS_TEST_EXPECT_MSG_EQ(net.GetSent(2), 13 * WIRE + 83, "payload up");
        NS_TEST_EXPECT_MSG_EQ(net.GetReceived(2), 10 * WIRE + 86, "a credit comes back");
        NS_TEST_EXPECT_MSG_EQ(net.GetSent(0), 10 * WIRE + 86, "a token up");
        NS_TEST_EXPECT_MSG_EQ(net.GetReceived(0), 13 * WIRE + 83, "payload down");
        NS_TEST_EXPECT_MSG_EQ(net.BufferBytes(), 0u, "nothing stays");
        NS_TEST_EXPECT_MSG_EQ(net.network->GetPool().GetTaken(), 0u, "no frame is left");
    }
};

/** What a run came to. */
struct Outcome
{
    uint64_t hash = 0;           //!< of all arrivals
    std::vector<uint64_t> ticks; //!< of deliveries, sorted
    uint64_t drops = 0;          //!< in lossless classes
    uint64_t pauses = 0;         //!< received by ports
    std::vector<uint64_t> wire;  //!< sent to hosts and by them

    /** @param other another one @return whether both are equal */
    bool operator==(const Outcome& other) const
    {
        return hash == other.hash && ticks == other.ticks && drops == other.drops &&
               pauses == other.pauses && wire == other.wire;
    }
};

/** How a run is run. */
struct Manner
{
    bool isFrameEngine = true; //!< the module's engine, or ns-3's
    bool isReference = false;  //!< every departure in its own event
    bool hasBatches = true;    //!< switches handle frames in batches
};

/**
 * Groups and other traffic on a fat-tree of 16 hosts, with little buffer, so that pauses fly.
 * @param manner how
 * @param hasIncast whether others send to a member
 * @return what came of it
 */
Outcome
RunMixed(const Manner& manner, bool hasIncast)
{
    GroupNetwork::ChooseEngine(manner.isFrameEngine);
    Outcome result;
    {
        Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(1 << 20));
        GroupNetwork net;
        net.network->SetAttribute("ReferenceMode", BooleanValue(manner.isReference));
        net.network->SetAttribute("BatchSwitches", BooleanValue(manner.hasBatches));
        net.MakeFatTree(4);
        const std::vector<uint32_t> wide{0, 5, 10, 15, 3};
        const std::vector<uint32_t> other{1, 0, 2, 14};
        const uint32_t first = net.transport->MakeGroup(0, wide);
        const uint32_t second = net.transport->MakeGroup(1, other);
        net.ReduceAll(first, wide, EVERY_MEMBER, 100 * MTU + 17, 0);
        net.ReduceAll(first, wide, 10, 50 * MTU, 1);
        net.MulticastAll(first, wide, 15, 70 * MTU, 2);
        net.ReduceAll(second, other, EVERY_MEMBER, 60 * MTU, 0);
        if (hasIncast)
        {
            for (const uint32_t sender : {4u, 8u, 9u, 12u, 13u})
            {
                net.Send(sender, 5, 200 * MTU, 1000 + sender);
            }
            net.Send(0, 7, 100 * MTU, 2000); // shares a member's own link
        }
        Simulator::Run();
        result.hash = net.digest.hash;
        for (const auto& record : net.delivered)
        {
            result.ticks.push_back(record.tick);
        }
        std::sort(result.ticks.begin(), result.ticks.end());
        result.drops = net.LosslessDrops();
        result.pauses = net.Sum(&PortCounters::pausesReceived);
        for (uint32_t host = 0; host < 16; ++host)
        {
            result.wire.push_back(net.GetSent(host));
            result.wire.push_back(net.GetReceived(host));
        }
    }
    GroupNetwork::ChooseEngine(false);
    return result;
}

/** Everything beside everything, in every manner of running. */
class MixedTestCase : public TestCase
{
  public:
    MixedTestCase()
        : TestCase("Beside an incast nothing is lost, all arrives, and every engine agrees bit for "
                   "bit")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome plain = RunMixed({true, false, true}, true);
        // 5, 1 and 4 of the first group, 4 of the second, and 6 messages
        NS_TEST_EXPECT_MSG_EQ(plain.ticks.size(), 20u, "all has come");
        NS_TEST_EXPECT_MSG_EQ(plain.drops, 0u, "nothing is lost");
        NS_TEST_EXPECT_MSG_GT(plain.pauses, 0u, "there were pauses");
        NS_TEST_EXPECT_MSG_EQ((plain == RunMixed({true, false, true}, true)), true, "again");
        NS_TEST_EXPECT_MSG_EQ((plain == RunMixed({false, false, true}, true)),
                              true,
                              "ns-3's engine");
        NS_TEST_EXPECT_MSG_EQ((plain == RunMixed({true, false, false}, true)), true, "no batches");
        NS_TEST_EXPECT_MSG_EQ((plain == RunMixed({true, true, false}, true)), true, "reference");
        const Outcome alone = RunMixed({true, false, true}, false);
        NS_TEST_EXPECT_MSG_EQ(alone.ticks.size(), 14u, "without the incast");
        NS_TEST_EXPECT_MSG_LT(alone.ticks.back(), plain.ticks.back(), "which is faster");
        // the member in the incast shares its link down: its results wait for the incast's frames
        NS_TEST_EXPECT_MSG_GT(plain.ticks.back(),
                              static_cast<uint64_t>(1000 * FRAME),
                              "all of the incast crosses one link");
    }
};

/** A member that sends messages, too, gives them half of its line. */
class SharingTestCase : public TestCase
{
  public:
    SharingTestCase()
        : TestCase("A member's contributions and its messages take turns on its line")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> all{0, 1};
        GroupNetwork net;
        net.MakeStar(3, "100Gbps");
        const uint32_t group = net.transport->MakeGroup(0, all);
        net.ReduceAll(group, all, EVERY_MEMBER, 100 * MTU, 0);
        net.Send(0, 2, 100 * MTU, 7);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 3u, "two results and a message");
        // 200 frames on the line of host 0; all end with it
        for (const auto& record : net.delivered)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(record.tick),
                                      200 * FRAME + FRAME + 2 * DELAY,
                                      2 * FRAME,
                                      "both take as long as all frames");
        }
    }
};

/** Credits, efficiency, and calls one after the other. */
class LimitsTestCase : public TestCase
{
  public:
    LimitsTestCase()
        : TestCase(
              "A window below a round trip, an efficiency, and one call at a time limit the rate "
              "as they should")
    {
    }

  private:
    void DoRun() override
    {
        const double pipe =
            FRAME + 2 * DELAY; // from the begin of a frame to it being back, less one
        // 32 frames a round trip of 4 us and two frames: the window is not the limit at 100 Gb/s
        const double whole = 512 * FRAME + pipe;
        Expect(1 << 20, 1, 1, 1, whole);
        Expect(32 * MTU, 1, 1, 1, whole);
        Expect(1 << 20, 0.5, 1, 1, 2 * 511 * FRAME + FRAME + pipe);
        // two calls: the second begins when the first has come, or right behind it
        Expect(1 << 20, 1, 1, 2, 2 * (256 * FRAME + pipe));
        Expect(1 << 20, 1, 2, 2, whole);
    }

    /** @param window attribute @param efficiency attribute @param outstanding attribute
     * @param calls of 512 frames in all @param expected ps */
    void Expect(uint32_t window,
                double efficiency,
                uint32_t outstanding,
                uint32_t calls,
                double expected)
    {
        const std::vector<uint32_t> all{0, 1, 2};
        GroupNetwork net;
        net.network->SetAttribute("ReductionWindow", UintegerValue(window));
        net.network->SetAttribute("ReductionEfficiency", DoubleValue(efficiency));
        net.network->SetAttribute("ReductionOutstanding", UintegerValue(outstanding));
        net.MakeStar(3, "100Gbps");
        const uint32_t group = net.transport->MakeGroup(0, all);
        for (uint32_t call = 0; call < calls; ++call)
        {
            net.ReduceAll(group, all, EVERY_MEMBER, 512 / calls * MTU, call);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(net.LastDelivery()), expected, TICKS, window);
    }
};

/** With a window below a round trip the rate is that of the window. */
class WindowTestCase : public TestCase
{
  public:
    WindowTestCase()
        : TestCase("With a round trip of 80 us a window of 32 frames gives 32 frames a round trip")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> all{0, 1};
        GroupNetwork net;
        net.network->SetAttribute("ReductionWindow", UintegerValue(32 * MTU));
        net.MakeStar(2, "100Gbps", MicroSeconds(40));
        const uint32_t group = net.transport->MakeGroup(0, all);
        net.ReduceAll(group, all, EVERY_MEMBER, 320 * MTU, 0);
        Simulator::Run();
        const double trip = 80e6 + 2 * FRAME;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(net.LastDelivery()),
                                  10 * trip + 31 * FRAME,
                                  TICKS,
                                  "ten windows");
    }
};

/** What cannot work is said. */
class FaultsTestCase : public TestCase
{
  public:
    FaultsTestCase()
        : TestCase(
              "Members that call for different things, and a link of a tree that goes down, end "
              "the run with the reason")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> all{0, 1, 2};
        ExpectFault("call for different things",
                    [&](GroupNetwork& net, uint32_t group)
                    {
                        net.Reduce(group, 0, EVERY_MEMBER, MTU, 0);
                        net.Reduce(group, 1, EVERY_MEMBER, MTU, 1);
                        net.Reduce(group, 2, EVERY_MEMBER, MTU, 0);
                    });
        ExpectFault("call for different things",
                    [&](GroupNetwork& net, uint32_t group)
                    {
                        net.Reduce(group, 0, EVERY_MEMBER, MTU, 0);
                        net.Reduce(group, 1, 2, MTU, 0);
                        net.Reduce(group, 2, EVERY_MEMBER, MTU, 0);
                    });
        ExpectFault("call for different things",
                    [&](GroupNetwork& net, uint32_t group)
                    {
                        net.Reduce(group, 0, EVERY_MEMBER, 100, 0);
                        net.Reduce(group, 1, EVERY_MEMBER, 200, 0);
                        net.Reduce(group, 2, EVERY_MEMBER, 100, 0);
                    });
        ExpectFault("which the tree of a reduction group crosses",
                    [&](GroupNetwork& net, uint32_t group)
                    {
                        net.ReduceAll(group, all, EVERY_MEMBER, 1000 * MTU, 0);
                        net.network->SetLinkState(1, MicroSeconds(20), false);
                    });
        std::string refusal;
        GroupNetwork net;
        net.MakeStar(3, "100Gbps");
        net.network->SetAttribute("InSwitchReduction", BooleanValue(false));
        try
        {
            net.transport->MakeGroup(0, all);
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(refusal.find("InSwitchReduction"), std::string::npos, refusal);
    }

    /** @param fault part of it @param act has the network do something */
    void ExpectFault(const std::string& fault,
                     const std::function<void(GroupNetwork&, uint32_t)>& act)
    {
        GroupNetwork net;
        net.MakeStar(3, "100Gbps");
        net.isCutShort = true;
        const uint32_t group = net.transport->MakeGroup(0, {0, 1, 2});
        act(net, group);
        Simulator::Run();
        const auto& faults = net.network->GetFaults();
        NS_TEST_ASSERT_MSG_GT(faults.size(), 0u, fault);
        NS_TEST_EXPECT_MSG_NE(faults[0].find(fault), std::string::npos, faults[0]);
    }
};

/** Reduction groups of networks. */
class InSwitchNetworkTestSuite : public TestSuite
{
  public:
    InSwitchNetworkTestSuite()
        : TestSuite("llm-fabric-in-switch-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new TreeTestCase);
        AddTestCase(new LoneCallsTestCase);
        AddTestCase(new MixedTestCase);
        AddTestCase(new SharingTestCase);
        AddTestCase(new LimitsTestCase);
        AddTestCase(new WindowTestCase);
        AddTestCase(new FaultsTestCase);
    }
};

InSwitchNetworkTestSuite g_inSwitchNetworkTestSuite; //!< registers the suite

} // namespace
