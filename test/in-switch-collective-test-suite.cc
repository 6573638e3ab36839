// SPDX-License-Identifier: GPL-2.0-only

// Collectives by reduction in switches: right, as fast as their links allow, byte for byte what the
// closed forms say, refused where switches do not reduce.

#include "collective-run.h"

#include "ns3/algorithm-chooser.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/in-switch-algorithm.h"
#include "ns3/input-error.h"
#include "ns3/listed-program.h"
#include "ns3/program-check.h"
#include "ns3/random-variable-stream.h"
#include "ns3/test.h"

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

const char* const IN_SWITCH = "ns3::llm::InSwitchAlgorithm"; //!< name of the algorithm

constexpr uint64_t GIB = 1ull << 30; //!< bytes
constexpr uint64_t MTU = 4096;       //!< payload of a full frame
constexpr uint64_t WIRE = MTU + 82;  //!< wire bytes of one
constexpr uint64_t TOKEN = 86;       //!< of a frame without payload
/** What the calls between frame events and others take beyond the closed forms, ps. */
constexpr double TICKS = 20;

/** Defaults as they were, when a test is over. */
class DefaultsScope
{
  public:
    DefaultsScope() = default;
    DefaultsScope(const DefaultsScope&) = delete;
    DefaultsScope& operator=(const DefaultsScope&) = delete;

    ~DefaultsScope()
    {
        Config::Reset();
    }
};

/** @param operation what @param bytes of how many @param root the root @return the request */
CollectiveRequest
MakeRequest(Op operation, uint64_t bytes, uint32_t root = 0)
{
    CollectiveRequest request;
    request.operation = operation;
    request.bytes = bytes;
    request.root = root;
    return request;
}

/** @param count so many @return 0 to count - 1 */
std::vector<uint32_t>
FirstOnes(uint32_t count)
{
    std::vector<uint32_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

/** Switches of the cluster reduce. @param inDomains those of HB domains @param inNetwork those between */
void
AllowReduction(bool inDomains, bool inNetwork)
{
    Config::SetDefault("ns3::llm::TopologyHelper::DomainReduction", BooleanValue(inDomains));
    Config::SetDefault("ns3::llm::TopologyHelper::NetworkReduction", BooleanValue(inNetwork));
}

/** @param size accelerators @return one fluid HB domain of 450 GB/s that carries payload alone */
ClusterOptions
MakeDomain(uint32_t size)
{
    Config::SetDefault("ns3::llm::FluidDomain::WireOverhead", DoubleValue(1));
    ClusterOptions options;
    options.accelerators = size;
    options.domainSize = size;
    return options;
}

/** @param run a run @return wire bytes of each direction of each link, by name */
std::map<std::string, uint64_t>
GetWireBytes(const CollectiveRun& run)
{
    std::map<std::string, uint64_t> result;
    for (const auto& direction : run.GetCluster()->GetNetwork()->GetDirections())
    {
        result[direction.name] += direction.port->GetTransmitter().GetCounters().wireBytes;
    }
    return result;
}

/** All-reduce in an HB domain, beside its closed form and the published known answer. */
class DomainTimeTestCase : public TestCase
{
  public:
    DomainTimeTestCase()
        : TestCase("All-reduce of 1 GiB among 8 of a domain takes what its ports need for "
                   "S (1 + 1 to n), and what slices and delays add")
    {
    }

  private:
    void DoRun() override
    {
        Expect(256, 1);
        Expect(64, 1);
        Expect(256, 0.85);
    }

    /** @param slices of the buffer @param efficiency of reductions */
    void Expect(uint32_t slices, double efficiency)
    {
        const DefaultsScope scope;
        AllowReduction(true, false);
        Config::SetDefault("ns3::llm::FluidDomain::ReductionEfficiency", DoubleValue(efficiency));
        Config::SetDefault("ns3::llm::InSwitchAlgorithm::MaxSlices", UintegerValue(slices));
        constexpr uint32_t N = 8;
        CollectiveRun run(MakeDomain(N));
        const auto outcome =
            run.Run({{MakeRequest(Op::ALL_REDUCE, GIB), IN_SWITCH, FirstOnes(N), {}}}).front();
        // the first slice is read before anything is written, the last one written when all is read;
        // a slice is written one delay after it was read, and known one delay after that
        const double rate = 450e9 * efficiency / 1e12; // bytes per ps
        const double pure = static_cast<double>(GIB) * (N + 1) / N / rate;
        const double part = static_cast<double>(GIB) / N / slices;
        const double delay = 500e3;
        const double expected = pure + (N - 1) * part / rate + 2 * delay - delay / N;
        // rates and overheads are multiples of 2^-16
        const double tolerance = efficiency == 1 ? 1e3 : 1e-5 * expected;
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble(), expected, tolerance, slices);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.ideal.GetDouble(), expected, 1e-5 * expected, slices);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.bound.GetDouble(), pure * efficiency, 2, slices);
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", "ends");
        if (efficiency < 1)
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(pure / 1e9, 2.684, 0.0005, "the known answer, ms");
        const double bus =
            2.0 * (N - 1) / N * static_cast<double>(GIB) / outcome.bound.GetDouble() * 1e3;
        NS_TEST_EXPECT_MSG_EQ_TOL(bus, 700, 0.01, "GB/s");
        for (uint32_t port = 0; port < N; ++port)
        {
            const FluidPortUse use =
                run.GetCluster()->GetFluidDomains().front()->GetPortUse(port, outcome.last);
            NS_TEST_EXPECT_MSG_EQ(use.sentBytes, GIB / N * (N + 1), "S (1 + 1/n) out");
            NS_TEST_EXPECT_MSG_EQ(use.receivedBytes, GIB / N * (N + 1), "S (1 + 1/n) in");
        }
    }
};

/** The other operations in an HB domain. */
class DomainOperationsTestCase : public TestCase
{
  public:
    DomainOperationsTestCase()
        : TestCase(
              "In an HB domain reduce-scatter sends S and receives an n-th, all-gather the other "
              "way round")
    {
    }

  private:
    void DoRun() override
    {
        Expect(Op::REDUCE_SCATTER, 8, 1);
        Expect(Op::ALL_GATHER, 1, 8);
        Expect(Op::REDUCE, 8, 0);
        Expect(Op::BROADCAST, 0, 8);
        Expect(Op::BARRIER, 0, 0);
    }

    /** @param operation what @param sent by rank 1, in eighths of S @param received likewise */
    void Expect(Op operation, uint64_t sent, uint64_t received)
    {
        const DefaultsScope scope;
        AllowReduction(true, false);
        const uint64_t bytes = operation == Op::BARRIER ? 0 : 8 << 20;
        CollectiveRun run(MakeDomain(8));
        const auto outcome =
            run.Run({{MakeRequest(operation, bytes), IN_SWITCH, FirstOnes(8), {}}}).front();
        const double expected = static_cast<double>(bytes) / 0.45 + 500e3;
        const std::string name = llm::GetName(operation);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble(), expected, TICKS, name);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.ideal.GetDouble(), expected, TICKS, name);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.bound.GetDouble(), expected - 500e3, 1, name);
        const FluidPortUse use =
            run.GetCluster()->GetFluidDomains().front()->GetPortUse(1, outcome.last);
        NS_TEST_EXPECT_MSG_EQ(use.sentBytes, sent * bytes / 8, name);
        NS_TEST_EXPECT_MSG_EQ(use.receivedBytes, received * bytes / 8, name);
    }
};

/** All-reduce over trees of switches: times and bytes of each link. */
class TreeTimeTestCase : public TestCase
{
  public:
    TreeTimeTestCase()
        : TestCase(
              "All-reduce over a tree of switches: S each way of each of its links, at line rate "
              "after the latency of the tree")
    {
    }

  private:
    void DoRun() override
    {
        Expect("ns3::llm::SingleSwitchHelper", 8, 1, 8 << 20);
        Expect("ns3::llm::SingleSwitchHelper", 2, 1, MTU);
        Expect("ns3::llm::FatTreeHelper", 32, 3, 4 << 20);
        Expect("ns3::llm::FatTreeHelper", 64, 3, 1 << 20);
        ExpectKnownAnswer();
        ExpectRing();
    }

    /** A ring in the order of the hosts takes 1.94 S over the uplinks of a leaf, of 32 hosts. */
    void ExpectRing()
    {
        const DefaultsScope scope;
        Config::SetDefault("ns3::llm::FatTreeHelper::K", UintegerValue(8));
        ClusterOptions options;
        options.helper = "ns3::llm::FatTreeHelper";
        options.accelerators = 32;
        constexpr uint64_t BYTES = 4 << 20;
        constexpr uint64_t FRAMES = BYTES / 32 / MTU; // of a message
        CollectiveRun run(options);
        run.Run(
            {{MakeRequest(Op::ALL_REDUCE, BYTES), "ns3::llm::RingAlgorithm", FirstOnes(32), {}}});
        uint64_t up = 0;
        for (const auto& [link, wire] : GetWireBytes(run))
        {
            up += link.rfind("edge switch 0 -> aggregation", 0) == 0 ? wire : 0;
        }
        // 62 messages up, with 16 B more on the first frame, and acknowledgments of as many down
        NS_TEST_EXPECT_MSG_EQ(up, 62 * (FRAMES * (WIRE + 86) + 16), "wire bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(62.0 * FRAMES * MTU / BYTES, 1.94, 0.005, "of S");
    }

    /** @param helper fabric @param size members, all accelerators @param depth links to the root
     * @param bytes a multiple of MTU */
    void Expect(const std::string& helper, uint32_t size, uint32_t depth, uint64_t bytes)
    {
        const DefaultsScope scope;
        AllowReduction(false, true);
        Config::SetDefault("ns3::llm::FatTreeHelper::K", UintegerValue(8));
        ClusterOptions options;
        options.helper = helper;
        options.accelerators = size;
        CollectiveRun run(options);
        const auto outcome =
            run.Run({{MakeRequest(Op::ALL_REDUCE, bytes), IN_SWITCH, FirstOnes(size), {}}}).front();
        const std::string name = helper + " " + std::to_string(size);
        const double frame = 20.0 * WIRE; // ps at 400 Gb/s
        const double frames = static_cast<double>(bytes) / MTU;
        const double hops = 2 * depth;
        const double expected = (frames + hops - 1) * frame + hops * 500e3 + (hops - 1) * 300e3;
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble(), expected, TICKS, name);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.ideal.GetDouble(), expected, TICKS, name);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.bound.GetDouble(), 20.0 * bytes, 1, name);
        // the tree is a tree: as many links as switches and members, less one
        const auto links = GetWireBytes(run);
        std::size_t used = 0;
        for (const auto& [link, wire] : links)
        {
            NS_TEST_EXPECT_MSG_EQ((wire == 0 || wire == bytes / MTU * WIRE), true, link);
            used += wire != 0 ? 1 : 0;
        }
        // a fat-tree of K = 8 has 4 hosts at an edge switch, and 4 of these in a pod
        const std::size_t switches = depth == 1 ? 1 : size / 4 + size / 16 + 1;
        const std::size_t expectedLinks = size + switches - 1;
        NS_TEST_EXPECT_MSG_EQ(used, 2 * expectedLinks, name + ": links in use, both ways");
        NS_TEST_EXPECT_MSG_EQ(run.GetCluster()->GetFaults().size(), 0u, name);
    }

    /** 1 GiB at 50 GB/s takes 21.47 ms, headers aside; from 16 MiB, as all is linear. */
    void ExpectKnownAnswer()
    {
        const DefaultsScope scope;
        AllowReduction(false, true);
        Config::SetDefault("ns3::llm::FatTreeHelper::K", UintegerValue(8));
        ClusterOptions options;
        options.helper = "ns3::llm::FatTreeHelper";
        options.accelerators = 32;
        constexpr uint64_t PART = 16 << 20;
        CollectiveRun run(options);
        const auto outcome =
            run.Run({{MakeRequest(Op::ALL_REDUCE, PART), IN_SWITCH, FirstOnes(32), {}}}).front();
        const double latency = 5 * 20.0 * WIRE + 6 * 500e3 + 5 * 300e3;
        const double payload = (outcome.last.GetDouble() - latency) * MTU / WIRE;
        NS_TEST_EXPECT_MSG_EQ_TOL(payload * GIB / PART / 1e9, 21.47, 0.005, "ms");
        const auto links = GetWireBytes(run);
        // edge switch 0 has 4 hosts and one link up
        uint64_t up = 0;
        for (const auto& [link, wire] : links)
        {
            up += link.rfind("edge switch 0 -> aggregation", 0) == 0 ? wire : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(up * MTU / WIRE, PART, "S over the uplinks of a leaf");
    }
};

/** The other operations over trees, byte for byte. */
class TreeOperationsTestCase : public TestCase
{
  public:
    TreeOperationsTestCase()
        : TestCase("Operations over a tree: payload where it belongs, tokens elsewhere")
    {
    }

  private:
    void DoRun() override
    {
        // 8 members, parts of 16 frames: a token stands for 16, or for all of an empty call
        Expect(Op::REDUCE_SCATTER, 8 * 16, 0, 16, 7);
        Expect(Op::ALL_GATHER, 16, 7, 7 * 16, 1);
        Expect(Op::REDUCE, 8 * 16, 0, 0, 8);
        Expect(Op::BROADCAST, 0, 8, 8 * 16, 0);
        ExpectBarrier();
    }

    /** Rank 1's link. @param operation what @param sent frames with payload @param sentTokens others
     * @param received frames with payload @param receivedTokens others */
    void Expect(Op operation,
                uint64_t sent,
                uint64_t sentTokens,
                uint64_t received,
                uint64_t receivedTokens)
    {
        const DefaultsScope scope;
        AllowReduction(false, true);
        CollectiveRun run{ClusterOptions()};
        const auto outcome =
            run.Run({{MakeRequest(operation, 8 * 16 * MTU), IN_SWITCH, FirstOnes(8), {}}}).front();
        const auto links = GetWireBytes(run);
        const std::string name = llm::GetName(operation);
        NS_TEST_EXPECT_MSG_EQ(links.at("accelerator 1 NIC -> switch"),
                              sent * WIRE + sentTokens * TOKEN,
                              name);
        NS_TEST_EXPECT_MSG_EQ(links.at("switch -> accelerator 1 NIC"),
                              received * WIRE + receivedTokens * TOKEN,
                              name);
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", name);
        NS_TEST_EXPECT_MSG_EQ((outcome.last >= outcome.bound), true, name);
        // each of the calls takes the way of an empty frame beside its own frames
        const bool hasCalls = operation == Op::REDUCE_SCATTER || operation == Op::ALL_GATHER;
        const double calls = hasCalls ? 8 : 1;
        const double expected = 8 * 16 * 20.0 * WIRE + calls * (20.0 * WIRE + 2 * 500e3 + 300e3);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.ideal.GetDouble(), expected, TICKS, name);
        // a member learns that its call is over when the token or the payload has come
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble(), expected, 0.05 * expected, name);
        NS_TEST_EXPECT_MSG_EQ((outcome.last.GetDouble() <= expected + TICKS), true, name);
    }

    /** An empty frame up from all and down to all. */
    void ExpectBarrier()
    {
        const DefaultsScope scope;
        AllowReduction(false, true);
        CollectiveRun run{ClusterOptions()};
        const auto outcome =
            run.Run({{MakeRequest(Op::BARRIER, 0), IN_SWITCH, FirstOnes(8), {}}}).front();
        const double expected = 2 * 20.0 * 82 + 2 * 500e3 + 300e3;
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble(), expected, TICKS, "barrier");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.ideal.GetDouble(), expected, TICKS, "barrier");
    }
};

/** What algorithms may know of the fabric, as a test says. */
class StyledLocality : public Locality
{
  public:
    /** @param style what switches do */
    explicit StyledLocality(InSwitchReduction::Style style)
        : m_style(style)
    {
    }

    uint32_t GetAcceleratorCount() const override
    {
        return 1000;
    }

    uint32_t GetDomain(uint32_t) const override
    {
        return 0;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return accelerator;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return accelerator;
    }

    Path GetPath(uint32_t, uint32_t, uint32_t, uint32_t) const override
    {
        return {};
    }

    InSwitchReduction GetInSwitchReduction(const std::vector<uint32_t>&) const override
    {
        return {m_style, ""};
    }

  private:
    InSwitchReduction::Style m_style; //!< what switches do
};

/** All operations, sizes and groups give what they are to give, in any order of steps. */
class ProofTestCase : public TestCase
{
  public:
    ProofTestCase()
        : TestCase("Every operation by switches does what it is, for all groups and sizes")
    {
    }

  private:
    void DoRun() override
    {
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7);
        for (const auto style : {InSwitchReduction::TREE, InSwitchReduction::MEMBERS})
        {
            for (const uint32_t size : {1u, 2u, 3u, 5u, 7u, 8u, 16u, 24u})
            {
                for (const uint64_t bytes :
                     {0ull, 1ull, 7ull, 4097ull, 3ull << 20, (1ull << 33) + 1})
                {
                    for (const Op operation : {Op::ALL_REDUCE,
                                               Op::ALL_GATHER,
                                               Op::REDUCE_SCATTER,
                                               Op::BROADCAST,
                                               Op::REDUCE,
                                               Op::BARRIER})
                    {
                        Prove(style, size, operation == Op::BARRIER ? 0 : bytes, operation, random);
                    }
                }
            }
        }
    }

    /** @param style of switches @param size ranks @param bytes of the buffer @param operation what
     * @param random the order of steps */
    void Prove(InSwitchReduction::Style style,
               uint32_t size,
               uint64_t bytes,
               Op operation,
               Ptr<UniformRandomVariable> random)
    {
        const CollectiveRequest request = MakeRequest(operation, bytes, size / 2);
        auto algorithm = CreateObject<InSwitchAlgorithm>();
        algorithm->SetAttribute("MaxSlices", UintegerValue(5));
        const auto program =
            algorithm->MakeProgram(request, FirstOnes(size), CreateObject<StyledLocality>(style));
        const std::string name = llm::GetName(operation) + " " + std::to_string(size) + " " +
                                 std::to_string(bytes) + " " + std::to_string(style);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program, nullptr), "", name);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program, random), "", name);
        uint64_t sent = 0;
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            sent += GetSentBytes(*program, rank);
        }
        NS_TEST_EXPECT_MSG_EQ(sent, GetExpectedBytes(style, size, bytes, operation), name);
    }

    /** @param style of switches @param size ranks @param bytes of the buffer @param operation what
     * @return bytes that all ranks send together */
    static uint64_t
    GetExpectedBytes(InSwitchReduction::Style style, uint32_t size, uint64_t bytes, Op operation)
    {
        if (size == 1)
        {
            return 0;
        }
        switch (operation)
        {
        case Op::ALL_REDUCE:
            return size * bytes + (style == InSwitchReduction::MEMBERS ? bytes : 0);
        case Op::REDUCE_SCATTER:
        case Op::REDUCE:
            return size * bytes;
        default:
            return bytes; // all-gather, broadcast; a barrier has none
        }
    }
};

/** A program that is wrong in its calls on switches is found to be. */
class FaultTestCase : public TestCase
{
  public:
    FaultTestCase()
        : TestCase("Calls on switches that do not do what the operation is are found")
    {
    }

  private:
    /** Steps as a test writes them. */
    class WrittenProgram : public ListedProgram
    {
      public:
        /** @param ranks lanes of each rank */
        explicit WrittenProgram(const std::vector<RankLanes>& ranks)
            : ListedProgram(static_cast<uint32_t>(ranks.size())),
              m_ranks(ranks)
        {
        }

      private:
        RankLanes MakeLanes(uint32_t rank) const override
        {
            return m_ranks[rank];
        }

        std::vector<RankLanes> m_ranks; //!< by rank
    };

    void DoRun() override
    {
        const BufferRange all{0, 10};
        const BufferRange half{0, 5};
        const auto call = [](BufferRange range, uint32_t place)
        {
            return MakeListedStep(Step::REDUCE, Step::EVERY, place, {range});
        };
        const auto take = [](BufferRange range, uint32_t place)
        {
            return MakeListedStep(Step::RECEIVE, Step::EVERY, place, {range});
        };
        const RankLanes right{{call(all, 0), take(all, 0)}};
        Expect({right, right}, "");
        // one does not call: nobody gets anything
        Expect({right, {{take(all, 0)}}}, "what some rank does not send");
        Expect({right, {{call(half, 0), take(all, 0)}}}, "other bytes than the others");
        Expect({right, {{call(all, 0), take(half, 0)}}}, "other bytes than were sent");
        Expect({right, {{call(all, 0)}}}, "do not take");
        // reduced twice: what has come is contributed again
        const RankLanes twice{{call(all, 0), take(all, 0), call(all, 1), take(all, 1)}};
        Expect({twice, twice}, "twice");
        // a multicast gives what one has, not what all have
        const RankLanes source{{MakeListedStep(Step::MULTICAST, 0, 0, {all})}};
        const RankLanes other{{MakeListedStep(Step::MULTICAST, 0, 0, {all}),
                               MakeListedStep(Step::RECEIVE, 0, 0, {all})}};
        Expect({source, other}, "ends without the contribution of rank 1");
    }

    /** @param ranks lanes of each rank @param fault part of what is to be found; "": none */
    void Expect(const std::vector<RankLanes>& ranks, const std::string& fault)
    {
        const std::string found = CheckProgram(MakeRequest(Op::ALL_REDUCE, 10),
                                               std::make_shared<WrittenProgram>(ranks),
                                               nullptr);
        const bool isFound = fault.empty() ? found.empty() : found.find(fault) != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ(isFound, true, "'" << fault << "' in '" << found << "'");
    }
};

/** Where switches cannot do it, that is said before anything runs. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("Without switches that reduce for the group, it is refused with the reason")
    {
    }

  private:
    void DoRun() override
    {
        Expect(false, false, 8, "fluid", 8, "DomainReduction");
        Expect(true, false, 8, "fluid", 16, "InSwitchReduction");
        Expect(false, false, 1, "fluid", 8, "InSwitchReduction");
        Expect(false, true, 8, "fluid", 8, "DomainReduction");
        Expect(true, false, 8, "fluid", 8, "");
        Expect(true, false, 8, "packet", 8, "");
        Expect(false, true, 8, "fluid", 16, "");
        Config::SetDefault("ns3::llm::FabricNetwork::ReductionWindow", UintegerValue(65536));
        Expect(false, true, 1, "fluid", 8, "131072 or more");
        Config::SetDefault("ns3::llm::TopologyHelper::NicsPerAccelerator", UintegerValue(2));
        Expect(false, true, 1, "fluid", 8, "2 NICs");
        ExpectOthers();
    }

    /** @param inDomains whether domains reduce @param inNetwork whether the network does
     * @param domainSize K @param fidelity of domains @param size of the group of 16 accelerators
     * @param reason part of the refusal; "": none */
    void Expect(bool inDomains,
                bool inNetwork,
                uint32_t domainSize,
                const std::string& fidelity,
                uint32_t size,
                const std::string& reason)
    {
        std::string refusal;
        {
            ClusterOptions options;
            options.accelerators = 16;
            options.domainSize = domainSize;
            options.fidelity = fidelity;
            AllowReduction(inDomains, inNetwork);
            CollectiveRun run(options);
            try
            {
                run.Run({{MakeRequest(Op::ALL_REDUCE, 1 << 16), IN_SWITCH, FirstOnes(size), {}}});
            }
            catch (const InputError& error)
            {
                refusal = error.what();
            }
        }
        Config::SetDefault("ns3::llm::TopologyHelper::DomainReduction", BooleanValue(false));
        if (reason.empty())
        {
            Config::Reset();
        }
        const bool isRight =
            reason.empty() ? refusal.empty() : refusal.find(reason) != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ(isRight, true, "'" << reason << "' in '" << refusal << "'");
    }

    /** What is no operation of switches, and a fabric of which nothing is known. */
    void ExpectOthers()
    {
        const DefaultsScope scope;
        auto algorithm = CreateObject<InSwitchAlgorithm>();
        auto locality = CreateObject<StyledLocality>(InSwitchReduction::TREE);
        for (const Op operation : {Op::ALL_TO_ALL, Op::GATHER, Op::SCATTER, Op::POINT_TO_POINT})
        {
            NS_TEST_EXPECT_MSG_EQ(algorithm->Supports(MakeRequest(operation, 2)),
                                  false,
                                  llm::GetName(operation));
        }
        std::string refusal;
        try
        {
            algorithm->MakeProgram(MakeRequest(Op::ALL_REDUCE, 2), FirstOnes(2), nullptr);
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(refusal.find("no Locality"), std::string::npos, refusal);
    }
};

/** `auto` takes what is faster. */
class ChoiceTestCase : public TestCase
{
  public:
    ChoiceTestCase()
        : TestCase("auto lets switches reduce where they can and that is faster")
    {
    }

  private:
    void DoRun() override
    {
        const std::string bruck = "ns3::llm::BruckAlgorithm";
        Expect(true, Op::ALL_REDUCE, 64 << 20, IN_SWITCH);
        Expect(true, Op::BARRIER, 0, IN_SWITCH);
        Expect(true, Op::BROADCAST, 1 << 20, IN_SWITCH);
        // reduce-scatter over a tree sends the ring's bytes, and waits for the tree N times
        Expect(true, Op::REDUCE_SCATTER, 64 << 10, "ns3::llm::PatAlgorithm");
        Expect(false, Op::ALL_REDUCE, 64 << 20, "ns3::llm::RingAlgorithm");
        Expect(false, Op::BARRIER, 0, bruck);
        Expect(false, Op::BROADCAST, 1 << 20, "ns3::llm::RingAlgorithm");
    }

    /** @param isAllowed whether switches reduce @param operation what @param bytes of the buffer
     * @param name of the algorithm that is to be chosen */
    void Expect(bool isAllowed, Op operation, uint64_t bytes, const std::string& name)
    {
        const DefaultsScope scope;
        AllowReduction(false, isAllowed);
        const CollectiveRun run{ClusterOptions()};
        const AlgorithmChooser chooser(FirstOnes(8), run.GetCluster());
        const auto chosen = chooser.Choose(MakeRequest(operation, bytes), StepCosts());
        NS_TEST_EXPECT_MSG_EQ(chosen->GetInstanceTypeId().GetName(), name, llm::GetName(operation));
    }
};

/** Many groups at once, beside other algorithms, in any order of ranks and with late ones. */
class ManyGroupsTestCase : public TestCase
{
  public:
    ManyGroupsTestCase()
        : TestCase(
              "Groups that overlap, late ranks and rings beside them: all end right, and alike "
              "again")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<Time> first = Run();
        const std::vector<Time> second = Run();
        NS_TEST_EXPECT_MSG_EQ((first == second), true, "the same again");
        NS_TEST_EXPECT_MSG_EQ(first.size(), 5u * 8u + 1u, "all ranks");
    }

    /** @return when each rank of each group was done */
    std::vector<Time> Run()
    {
        const DefaultsScope scope;
        AllowReduction(true, true);
        ClusterOptions options;
        options.helper = "ns3::llm::FatTreeHelper";
        options.accelerators = 32;
        options.domainSize = 2;
        CollectiveRun run(options);
        const std::vector<uint32_t> wide{3, 30, 9, 17, 0, 24, 12, 21};
        const std::vector<uint32_t> narrow{9, 3, 5, 7, 11, 13, 15, 1};
        std::vector<Time> late(8, Time(0));
        late[5] = MicroSeconds(40);
        const uint64_t bytes = 300001;
        const auto outcomes =
            run.Run({{MakeRequest(Op::ALL_REDUCE, bytes), IN_SWITCH, wide, late},
                     {MakeRequest(Op::REDUCE_SCATTER, bytes), IN_SWITCH, narrow, {}},
                     {MakeRequest(Op::ALL_GATHER, bytes), IN_SWITCH, wide, {}},
                     {MakeRequest(Op::ALL_REDUCE, bytes), "ns3::llm::RingAlgorithm", narrow, {}},
                     {MakeRequest(Op::BROADCAST, bytes, 6), IN_SWITCH, narrow, late},
                     {MakeRequest(Op::ALL_REDUCE, bytes), IN_SWITCH, {4}, {}}});
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", "all end");
        NS_TEST_EXPECT_MSG_EQ(run.GetCluster()->GetFaults().size(), 0u, "nothing is lost");
        std::vector<Time> done;
        for (const GroupOutcome& outcome : outcomes)
        {
            NS_TEST_EXPECT_MSG_EQ((outcome.last >= outcome.bound), true, "not above line rate");
            done.insert(done.end(), outcome.done.begin(), outcome.done.end());
        }
        // nobody has what the late rank contributes before that rank has begun
        for (const Time& time : outcomes[0].done)
        {
            NS_TEST_EXPECT_MSG_EQ((time > MicroSeconds(40)), true, "waits for the late rank");
        }
        NS_TEST_EXPECT_MSG_EQ((outcomes[5].last < NanoSeconds(1)), true, "alone: done at once");
        return done;
    }
};

/** In-switch reduction of collectives. */
class InSwitchCollectiveTestSuite : public TestSuite
{
  public:
    InSwitchCollectiveTestSuite()
        : TestSuite("llm-fabric-in-switch-collective", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new DomainTimeTestCase);
        AddTestCase(new DomainOperationsTestCase);
        AddTestCase(new TreeTimeTestCase);
        AddTestCase(new TreeOperationsTestCase);
        AddTestCase(new ProofTestCase);
        AddTestCase(new FaultTestCase);
        AddTestCase(new RefusalTestCase);
        AddTestCase(new ChoiceTestCase);
        AddTestCase(new ManyGroupsTestCase);
    }
};

InSwitchCollectiveTestSuite g_inSwitchCollectiveTestSuite; //!< registers the suite

} // namespace
