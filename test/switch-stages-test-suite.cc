// SPDX-License-Identifier: GPL-2.0-only

// Reduction in switches as a stage of hierarchical collectives (NVLSTree): right, byte for byte what the
// closed forms say, in its ideal time, refused where switches do not reduce.

#include "collective-run.h"

#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/program-check.h"
#include "ns3/random-variable-stream.h"
#include "ns3/test.h"

#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** Name of the algorithm, without its end. */
const std::string STAGES = "ns3::llm::HierarchicalAlgorithm[Inside=ns3::llm::InSwitchAlgorithm";

const std::string RING = "|Across=ns3::llm::RingAlgorithm]";             //!< its end: ring across
const std::string TREE = "|Across=ns3::llm::DoubleBinaryTreeAlgorithm]"; //!< tree across
const std::string SWITCH = "|Across=ns3::llm::InSwitchAlgorithm]";       //!< switches across, too

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

/** @param count so many @return 0 to count - 1 */
std::vector<uint32_t>
FirstOnes(uint32_t count)
{
    std::vector<uint32_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

/** A cluster whose switches reduce. */
struct Shape
{
    uint32_t domains = 2;           //!< G
    uint32_t rails = 4;             //!< K
    std::string fidelity = "fluid"; //!< of the domains
    bool reducesInside = true;      //!< switches of domains reduce
    bool reducesAcross = false;     //!< switches of rails reduce
};

/** @param shape of the cluster @return it, with domains of 450 GB/s that carry payload alone */
ClusterOptions
MakeOptions(const Shape& shape)
{
    Config::SetDefault("ns3::llm::TopologyHelper::DomainReduction",
                       BooleanValue(shape.reducesInside));
    Config::SetDefault("ns3::llm::TopologyHelper::NetworkReduction",
                       BooleanValue(shape.reducesAcross));
    Config::SetDefault("ns3::llm::FluidDomain::WireOverhead", DoubleValue(1));
    ClusterOptions options;
    options.helper = "ns3::llm::RailOnlyHelper";
    options.accelerators = shape.domains * shape.rails;
    options.domainSize = shape.rails;
    options.fidelity = shape.fidelity;
    return options;
}

/** @param operation what @param bytes of how many @param algorithm its name @param size ranks @return it */
GroupOperation
MakeOperation(Op operation, uint64_t bytes, const std::string& algorithm, uint32_t size)
{
    GroupOperation result;
    result.request.operation = operation;
    result.request.bytes = bytes;
    result.algorithm = algorithm;
    result.accelerators = FirstOnes(size);
    return result;
}

/** Bytes of each rank, of each port of a domain and of each NIC. */
class BytesTestCase : public TestCase
{
  public:
    BytesTestCase()
        : TestCase("Each port of a domain and each NIC carries what the closed forms say")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t rails : {2u, 4u, 8u})
        {
            for (const uint32_t domains : {2u, 3u, 4u})
            {
                Shape shape;
                shape.domains = domains;
                shape.rails = rails;
                Expect(shape, Op::ALL_REDUCE, RING);
                Expect(shape, Op::ALL_GATHER, RING);
                Expect(shape, Op::REDUCE_SCATTER, RING);
            }
        }
        Shape both;
        both.reducesAcross = true;
        Expect(both, Op::ALL_REDUCE, SWITCH);
    }

    /** @param shape of the cluster @param operation what @param across end of the algorithm's name */
    void Expect(const Shape& shape, Op operation, const std::string& across)
    {
        const DefaultsScope scope;
        const uint64_t rails = shape.rails;
        const uint64_t domains = shape.domains;
        const uint64_t bytes = rails * domains * 4096 * 3;
        const std::string name = llm::GetName(operation) + " among " + std::to_string(domains) +
                                 " x " + std::to_string(rails) + across;
        CollectiveRun run(MakeOptions(shape));
        const auto size = static_cast<uint32_t>(rails * domains);
        const GroupOperation what = MakeOperation(operation, bytes, STAGES + across, size);
        const GroupOutcome outcome = run.Run({what})[0];
        NS_TEST_ASSERT_MSG_EQ(run.GetUnfinished(), "", name);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.last, outcome.bound, name);
        // a reduce-scatter inside has each send S and get S / K, an all-gather the other way round
        const bool scatters = operation != Op::ALL_GATHER;
        const bool gathers = operation != Op::REDUCE_SCATTER;
        const uint64_t sent = (scatters ? bytes : 0) + (gathers ? bytes / rails : 0);
        const uint64_t got = (scatters ? bytes / rails : 0) + (gathers ? bytes : 0);
        // a ring sends 2 (G - 1) / G of the rail's part, or half of it; switches all of it
        const uint64_t ring = bytes / rails / domains * (domains - 1);
        const uint64_t nic = across == SWITCH      ? bytes / rails
                             : scatters && gathers ? 2 * ring
                                                   : ring;
        for (const Ptr<FluidDomain>& domain : run.GetCluster()->GetFluidDomains())
        {
            for (uint32_t port = 0; port < rails; ++port)
            {
                const FluidPortUse use = domain->GetPortUse(port, outcome.last);
                NS_TEST_EXPECT_MSG_EQ(use.sentBytes, sent, name);
                NS_TEST_EXPECT_MSG_EQ(use.receivedBytes, got, name);
            }
        }
        const auto program = CollectiveAlgorithm::CreateByName(what.algorithm, "the test")
                                 ->MakeProgram(what.request, what.accelerators, run.GetCluster());
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(GetSentBytes(*program, rank), sent + nic, name);
        }
        ExpectNics(run, nic, across == SWITCH, name);
    }

    /** @param run that is over @param payload of each NIC, whole frames @param isTree carried by
     * switches that reduce, else by a ring @param name for messages */
    void
    ExpectNics(const CollectiveRun& run, uint64_t payload, bool isTree, const std::string& name)
    {
        std::size_t links = 0;
        for (const auto& direction : run.GetCluster()->GetNetwork()->GetDirections())
        {
            if (direction.name.find("NIC") == std::string::npos)
            {
                continue;
            }
            ++links;
            const uint64_t wire = direction.port->GetTransmitter().GetCounters().wireBytes;
            // a ring's frames have acknowledgments, and the first of each message is longer
            const uint64_t frames = payload / 4096;
            const uint64_t least = frames * (isTree ? 4178 : 4178 + 86);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(wire, least, name + " " + direction.name);
            NS_TEST_EXPECT_MSG_EQ((wire - least) % 16, 0u, name + " " + direction.name);
            NS_TEST_EXPECT_MSG_EQ((wire - least <= (isTree ? 0 : frames * 16)), true, name);
        }
        NS_TEST_EXPECT_MSG_EQ(links, 2 * run.GetCluster()->GetAcceleratorCount(), "both ways");
    }
};

/** Times beside closed forms and ideal times. */
class TimeTestCase : public TestCase
{
  public:
    TimeTestCase()
        : TestCase("All-reduce by domains' switches and along rails takes its ideal time")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t rails : {2u, 4u, 8u})
        {
            for (const uint32_t domains : {2u, 4u})
            {
                Shape shape;
                shape.domains = domains;
                shape.rails = rails;
                ExpectSum(shape);
                Expect(shape, STAGES + "|Slices=8" + RING, 0.01);
                Expect(shape, STAGES + TREE, 0.01);
            }
        }
        Shape both;
        both.domains = 4;
        both.reducesAcross = true;
        Expect(both, STAGES + SWITCH, 0.01);
    }

    /** @param shape of the cluster @param algorithm its name @param tolerance of the ratio
     * @return what came of it */
    GroupOutcome Expect(const Shape& shape, const std::string& algorithm, double tolerance)
    {
        const DefaultsScope scope;
        CollectiveRun run(MakeOptions(shape));
        const GroupOutcome outcome = run.Run(
            {MakeOperation(Op::ALL_REDUCE, BYTES, algorithm, shape.domains * shape.rails)})[0];
        const std::string name =
            algorithm + " " + std::to_string(shape.domains) + " x " + std::to_string(shape.rails);
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", name);
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble() / outcome.ideal.GetDouble(),
                                  1,
                                  tolerance,
                                  name);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.last, outcome.bound, name);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.ideal, outcome.bound, name);
        return outcome;
    }

    /** Without slices the stages follow each other. @param shape of the cluster */
    void ExpectSum(const Shape& shape)
    {
        const GroupOutcome outcome = Expect(shape, STAGES + RING, 0.01);
        Time across;
        {
            // the ring of a rail by itself
            const DefaultsScope scope;
            Shape rail = shape;
            rail.rails = 1;
            CollectiveRun run(MakeOptions(rail));
            across = run.Run({MakeOperation(Op::ALL_REDUCE,
                                            BYTES / shape.rails,
                                            "ns3::llm::RingAlgorithm",
                                            shape.domains)})[0]
                         .last;
        }
        // S at 450 GB/s there and back, with the domain's delay
        const double inside = 2 * (BYTES / 0.45 + 500e3);
        const double expected = inside + across.GetDouble();
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble(), expected, 1e-3 * expected, "sum");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.ideal.GetDouble(), expected, 2e-3 * expected, "sum");
        // the tighter of both tiers, payload alone: S (1 + 1/K) over a port, a ring's over a NIC
        const double port = BYTES * (1 + 1.0 / shape.rails) / 0.45;
        const double nic = 2.0 * (shape.domains - 1) / shape.domains * BYTES / shape.rails / 0.05;
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.bound.GetDouble(),
                                  std::max(port, nic),
                                  1e-6 * outcome.bound.GetDouble(),
                                  "bound");
    }

    static constexpr uint64_t BYTES = 8 << 20; //!< S
};

/** Domains that carry packets: trees inside, whose members call in the same order. */
class PacketDomainTestCase : public TestCase
{
  public:
    PacketDomainTestCase()
        : TestCase("In domains of packets all ranks make the calls of all slices in the same order")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* slices : {"1", "4"})
        {
            for (const Op operation : {Op::ALL_REDUCE, Op::ALL_GATHER, Op::REDUCE_SCATTER})
            {
                const DefaultsScope scope;
                Shape shape;
                shape.domains = 3;
                shape.fidelity = "packet";
                CollectiveRun run(MakeOptions(shape));
                auto what =
                    MakeOperation(operation, 1'000'003, STAGES + "|Slices=" + slices + TREE, 12);
                if (operation != Op::ALL_REDUCE)
                {
                    what.algorithm = STAGES + "|Slices=" + slices + RING;
                }
                for (uint32_t rank = 0; rank < 12; ++rank)
                {
                    what.starts.push_back(NanoSeconds(700 * (rank * 5 % 12)));
                }
                const GroupOutcome outcome = run.Run({what})[0];
                NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", llm::GetName(operation));
                NS_TEST_EXPECT_MSG_EQ(run.GetCluster()->GetFaults().size(), 0u, "nothing is lost");
                NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.last, outcome.bound, "nothing beats it");
            }
        }
    }
};

/** Proofs step by step. */
class ProofTestCase : public TestCase
{
  public:
    ProofTestCase()
        : TestCase("Every operation does what it is, for all grids, sizes and slices")
    {
    }

  private:
    void DoRun() override
    {
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(11);
        for (const uint32_t rails : {1u, 2u, 3u, 8u})
        {
            for (const uint32_t domains : {1u, 2u, 3u, 5u})
            {
                const DefaultsScope scope;
                Shape shape;
                shape.domains = domains;
                shape.rails = rails;
                const CollectiveRun run(MakeOptions(shape));
                for (const std::string& end : {RING, "|Slices=3" + RING})
                {
                    for (const Op operation : {Op::ALL_REDUCE, Op::ALL_GATHER, Op::REDUCE_SCATTER})
                    {
                        Prove(run.GetCluster(), operation, end, random);
                    }
                }
            }
        }
    }

    /** @param cluster all of it is the group @param operation what @param end of the algorithm's name
     * @param random order of steps */
    void Prove(Ptr<const Cluster> cluster,
               Op operation,
               const std::string& end,
               Ptr<UniformRandomVariable> random)
    {
        const auto algorithm = CollectiveAlgorithm::CreateByName(STAGES + end, "the test");
        const uint32_t size = cluster->GetAcceleratorCount();
        for (const uint64_t bytes : {0ull, 1ull, 4097ull, (1ull << 33) + 1})
        {
            CollectiveRequest request;
            request.operation = operation;
            request.bytes = bytes;
            const auto program = algorithm->MakeProgram(request, FirstOnes(size), cluster);
            const std::string name = llm::GetName(operation) + " " + std::to_string(size) + " " +
                                     std::to_string(bytes) + end;
            NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program, nullptr), "", name);
            NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program, random), "", name);
        }
    }
};

/** Where switches cannot do it, that is said before anything runs. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("A stage of switches that do not reduce is refused with the reason")
    {
    }

  private:
    void DoRun() override
    {
        Expect(false, RING, "DomainReduction");
        Expect(true, SWITCH, "NetworkReduction");
        Expect(true, RING, "");
    }

    /** @param inside whether domains reduce @param across end of the algorithm's name
     * @param reason part of the refusal; "": none */
    void Expect(bool inside, const std::string& across, const std::string& reason)
    {
        const DefaultsScope scope;
        Shape shape;
        shape.reducesInside = inside;
        const CollectiveRun run(MakeOptions(shape));
        std::string refusal;
        try
        {
            CollectiveRequest request;
            request.operation = Op::ALL_REDUCE;
            request.bytes = 1 << 16;
            CollectiveAlgorithm::CreateByName(STAGES + across, "the test")
                ->MakeProgram(request, FirstOnes(8), run.GetCluster());
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(refusal.empty(), reason.empty(), refusal);
        NS_TEST_EXPECT_MSG_NE(refusal.find(reason), std::string::npos, refusal);
    }
};

/** Reduction in switches as a stage. */
class SwitchStagesTestSuite : public TestSuite
{
  public:
    SwitchStagesTestSuite()
        : TestSuite("llm-fabric-switch-stages", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new BytesTestCase);
        AddTestCase(new TimeTestCase);
        AddTestCase(new PacketDomainTestCase);
        AddTestCase(new ProofTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

SwitchStagesTestSuite g_switchStagesTestSuite; //!< registers the suite

} // namespace
