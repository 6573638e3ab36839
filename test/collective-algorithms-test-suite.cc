// SPDX-License-Identifier: GPL-2.0-only

// Every algorithm does what its operations are, with exactly the bytes that theory says. No network.

#include "ns3/collective-algorithm.h"
#include "ns3/collective-bound.h"
#include "ns3/collective-operation.h"
#include "ns3/program-check.h"
#include "ns3/random-variable-stream.h"
#include "ns3/step-program.h"
#include "ns3/test.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** Domains of `rails` consecutive accelerators; no paths. */
class GridLocality : public Locality
{
  public:
    /** @param rails accelerators in a domain */
    explicit GridLocality(uint32_t rails)
        : m_rails(rails)
    {
    }

    uint32_t GetAcceleratorCount() const override
    {
        return 1024;
    }

    uint32_t GetDomain(uint32_t accelerator) const override
    {
        return accelerator / m_rails;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return accelerator % m_rails;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return accelerator;
    }

    Path GetPath(uint32_t, uint32_t, uint32_t, uint32_t) const override
    {
        return {};
    }

  private:
    uint32_t m_rails; //!< accelerators in a domain
};

/** @param size a number of ranks @return accelerators 0, 1, ... */
std::vector<uint32_t>
MakeGroup(uint32_t size)
{
    std::vector<uint32_t> result(size);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

/** @param size a number of ranks @param seed of the sizes @return an uneven matrix with empty blocks */
std::shared_ptr<const TrafficMatrix>
MakeUneven(uint32_t size, uint32_t seed)
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < size * size; ++i)
    {
        const uint32_t draw = (i * 2654435761u + seed * 40503u) >> 16;
        bytes.push_back(draw % 3 == 0 ? 0 : draw % 5000);
    }
    return std::make_shared<TrafficMatrix>(size, bytes);
}

/** @param operation an operation @param size number of ranks @param bytes S @return a request */
CollectiveRequest
MakeRequest(Op operation, uint32_t size, uint64_t bytes)
{
    CollectiveRequest request;
    request.operation = operation;
    request.bytes = bytes;
    request.root = operation == Op::BROADCAST || operation == Op::REDUCE ||
                           operation == Op::GATHER || operation == Op::SCATTER
                       ? static_cast<uint32_t>(bytes % size)
                       : 0;
    if (operation == Op::ALL_TO_ALL_V)
    {
        request.bytes = 0;
        request.matrix = MakeUneven(size, static_cast<uint32_t>(bytes));
    }
    if (operation == Op::BARRIER)
    {
        request.bytes = 0;
    }
    return request;
}

/** @param program steps @return bytes that all ranks send */
uint64_t
SumSent(const StepProgram& program)
{
    uint64_t bytes = 0;
    for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
    {
        bytes += GetSentBytes(program, rank);
    }
    return bytes;
}

/** The algorithms with attributes that matter. */
const std::vector<std::string> ALGORITHMS{
    "ns3::llm::RingAlgorithm",
    "ns3::llm::RingAlgorithm[Channels=3|Bidirectional=true|ChainMessage=1000]",
    "ns3::llm::DirectAlgorithm",
    "ns3::llm::BruckAlgorithm",
    "ns3::llm::HalvingDoublingAlgorithm",
    "ns3::llm::DoubleBinaryTreeAlgorithm",
    "ns3::llm::DoubleBinaryTreeAlgorithm[TreeMessage=777]",
    "ns3::llm::PatAlgorithm",
    "ns3::llm::PatAlgorithm[MaxParts=2]",
    "ns3::llm::PointToPointAlgorithm",
    "ns3::llm::HierarchicalAlgorithm",
    "ns3::llm::HierarchicalAlgorithm[Inside=ns3::llm::RingAlgorithm|Across="
    "ns3::llm::HalvingDoublingAlgorithm|Slices=3]",
};

/** @param name of an algorithm @return it */
Ptr<const CollectiveAlgorithm>
Make(const std::string& name)
{
    return CollectiveAlgorithm::CreateByName(name, "the test");
}

/** Each rank ends with what the operation says, in any order of the steps. */
class MeaningTestCase : public TestCase
{
  public:
    /** @param name of the algorithm */
    explicit MeaningTestCase(const std::string& name)
        : TestCase(GetTitle(name) + " leaves each rank with what each of its operations says"),
          m_name(name)
    {
    }

  private:
    /** @param name of the algorithm @return it as ns-3's runner allows it */
    static std::string GetTitle(std::string name)
    {
        std::replace(name.begin(), name.end(), '|', ',');
        return name;
    }

    void DoRun() override
    {
        const auto algorithm = Make(m_name);
        uint32_t operations = 0;
        for (uint32_t i = 0; i < COLLECTIVE_OPERATION_COUNT; ++i)
        {
            const Op operation = static_cast<Op>(i);
            operations += algorithm->Supports(MakeRequest(operation, 2, 1)) ? 1 : 0;
            for (const uint32_t size : {1u, 2u, 3u, 5u, 7u, 8u, 16u, 24u})
            {
                for (const uint64_t bytes : {0u, 1u, 7u, 1000u, 65537u})
                {
                    Check(*algorithm, MakeRequest(operation, size, bytes), size);
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(operations, 0u, m_name << " does nothing");
    }

    /**
     * Check one operation, in turn and in two random orders.
     * @param algorithm does it
     * @param request the operation
     * @param size number of ranks
     */
    void
    Check(const CollectiveAlgorithm& algorithm, const CollectiveRequest& request, uint32_t size)
    {
        const bool isPair = request.operation == Op::POINT_TO_POINT;
        if (!algorithm.Supports(request) || (isPair && size != 2))
        {
            return;
        }
        const uint32_t rails = size % 4 == 0 ? 4 : size; // a grid of several domains, or one domain
        const auto program =
            algorithm.MakeProgram(request, MakeGroup(size), Create<GridLocality>(rails));
        NS_TEST_ASSERT_MSG_EQ(program->GetSize(), size, m_name);
        const std::string where = m_name + ", " + llm::GetName(request.operation) + " of " +
                                  std::to_string(request.bytes) + " among " + std::to_string(size);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program), "", where);
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(size);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program, random), "", where << ", at random");
        CheckReceives(*program, where);
    }

    /**
     * What looks for a receive step finds just those that there are.
     * @param program steps
     * @param where for messages
     */
    void CheckReceives(const StepProgram& program, const std::string& where)
    {
        for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
            {
                for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
                {
                    const Step step = program.GetStep(rank, lane, i);
                    uint32_t foundLane = 0;
                    uint32_t foundIndex = 0;
                    if (step.kind != Step::RECEIVE)
                    {
                        continue;
                    }
                    const bool isFound =
                        program.FindReceive(rank, step.peer, step.place, foundLane, foundIndex);
                    NS_TEST_ASSERT_MSG_EQ(isFound, true, where << ", rank " << rank);
                    NS_TEST_ASSERT_MSG_EQ(foundLane, lane, where << ", rank " << rank);
                    NS_TEST_ASSERT_MSG_EQ(foundIndex, i, where << ", rank " << rank);
                    NS_TEST_ASSERT_MSG_EQ(
                        program.FindReceive(rank, rank, step.place, foundLane, foundIndex),
                        false,
                        where << ": a message to oneself");
                }
            }
        }
    }

    std::string m_name; //!< of the algorithm
};

/** Bytes are exact for any size of buffer and group. */
class BytesTestCase : public TestCase
{
  public:
    BytesTestCase()
        : TestCase("All ranks together send exactly the bytes of the closed forms")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t size : {1u, 2u, 3u, 5u, 7u, 8u, 16u, 24u, 64u})
        {
            for (const uint64_t bytes :
                 {uint64_t{0}, uint64_t{1}, uint64_t{13}, uint64_t{1'000'003}, uint64_t{1} << 33})
            {
                CheckRoundForms(size, bytes);
                CheckExchanges(size, bytes);
                CheckPowers(size, bytes);
            }
        }
    }

    /**
     * @param name of an algorithm
     * @param operation what it does
     * @param size N
     * @param bytes S
     * @return what all ranks send
     */
    static uint64_t Count(const std::string& name, Op operation, uint64_t size, uint64_t bytes)
    {
        const auto n = static_cast<uint32_t>(size);
        const uint32_t rails = n % 4 == 0 ? 4 : n;
        return SumSent(*Make(name)->MakeProgram(MakeRequest(operation, n, bytes),
                                                MakeGroup(n),
                                                Create<GridLocality>(rails)));
    }

    /** (N - 1) S and its double. @param size N @param bytes S */
    void CheckRoundForms(uint64_t size, uint64_t bytes)
    {
        const uint64_t once = (size - 1) * bytes;
        const std::string ring = "ns3::llm::RingAlgorithm[Channels=2|Bidirectional=true|"
                                 "ChainMessage=100000000]";
        const std::string direct = "ns3::llm::DirectAlgorithm";
        const std::string pat = "ns3::llm::PatAlgorithm";
        const std::string tree = "ns3::llm::DoubleBinaryTreeAlgorithm[TreeMessage=100000000]";
        for (const std::string& name : {ring, direct, pat})
        {
            const auto text = name + " " + std::to_string(size) + " " + std::to_string(bytes);
            NS_TEST_EXPECT_MSG_EQ(Count(name, Op::ALL_GATHER, size, bytes), once, text);
            NS_TEST_EXPECT_MSG_EQ(Count(name, Op::REDUCE_SCATTER, size, bytes), once, text);
        }
        for (const std::string& name : {ring, direct})
        {
            NS_TEST_EXPECT_MSG_EQ(Count(name, Op::BROADCAST, size, bytes), once, name);
            NS_TEST_EXPECT_MSG_EQ(Count(name, Op::REDUCE, size, bytes), once, name);
        }
        for (const std::string& name : {ring, direct, tree})
        {
            NS_TEST_EXPECT_MSG_EQ(Count(name, Op::ALL_REDUCE, size, bytes), 2 * once, name);
        }
        NS_TEST_EXPECT_MSG_EQ(Count("ns3::llm::BruckAlgorithm", Op::ALL_GATHER, size, bytes),
                              once,
                              "Bruck among " << size);
    }

    /** All that is not one's own. @param size N @param bytes S */
    void CheckExchanges(uint64_t size, uint64_t bytes)
    {
        const std::string direct = "ns3::llm::DirectAlgorithm";
        uint64_t kept = 0; // of an all-to-all: the diagonal
        for (uint64_t rank = 0; rank < size; ++rank)
        {
            kept += GetPart({0, bytes}, size, rank).bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(kept, bytes, "the parts are the whole");
        NS_TEST_EXPECT_MSG_EQ(Count(direct, Op::ALL_TO_ALL, size, bytes),
                              size * bytes - bytes,
                              "all-to-all among " << size);
        const uint64_t ofRoot = GetPart({0, bytes}, size, bytes % size).bytes;
        NS_TEST_EXPECT_MSG_EQ(Count(direct, Op::GATHER, size, bytes), bytes - ofRoot, "gather");
        NS_TEST_EXPECT_MSG_EQ(Count(direct, Op::SCATTER, size, bytes), bytes - ofRoot, "scatter");
        // Bruck: a block with j ranks to go travels once for each bit that is set in j
        uint64_t travels = 0;
        for (uint64_t from = 0; from < size; ++from)
        {
            for (uint64_t way = 1; way < size; ++way)
            {
                travels += static_cast<uint64_t>(__builtin_popcountll(way)) *
                           GetPart({0, bytes}, size, (from + way) % size).bytes;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(Count("ns3::llm::BruckAlgorithm", Op::ALL_TO_ALL, size, bytes),
                              travels,
                              "Bruck among " << size);
    }

    /** Halving and doubling, and stages. @param size N @param bytes S */
    void CheckPowers(uint64_t size, uint64_t bytes)
    {
        uint64_t core = 1;
        while (core * 2 <= size)
        {
            core *= 2;
        }
        const uint64_t pairs = size - core;
        uint64_t ofGuests = 0;
        for (uint64_t pair = 0; pair < pairs; ++pair)
        {
            ofGuests += GetPart({0, bytes}, size, 2 * pair + 1).bytes;
        }
        const std::string halving = "ns3::llm::HalvingDoublingAlgorithm";
        const uint64_t once = (core - 1) * bytes;
        NS_TEST_EXPECT_MSG_EQ(Count(halving, Op::ALL_REDUCE, size, bytes),
                              2 * once + 2 * pairs * bytes,
                              "all-reduce among " << size);
        NS_TEST_EXPECT_MSG_EQ(Count(halving, Op::REDUCE_SCATTER, size, bytes),
                              once + pairs * bytes + ofGuests,
                              "reduce-scatter among " << size);
        NS_TEST_EXPECT_MSG_EQ(Count(halving, Op::ALL_GATHER, size, bytes),
                              once + pairs * bytes + ofGuests,
                              "all-gather among " << size);
        const std::string stages = "ns3::llm::HierarchicalAlgorithm[Slices=2]";
        NS_TEST_EXPECT_MSG_EQ(Count(stages, Op::ALL_REDUCE, size, bytes),
                              2 * (size - 1) * bytes,
                              "in stages among " << size);
        NS_TEST_EXPECT_MSG_EQ(Count(stages, Op::ALL_GATHER, size, bytes),
                              (size - 1) * bytes,
                              "in stages among " << size);
    }
};

/** Hierarchical traffic by tier. */
class TierBytesTestCase : public TestCase
{
  public:
    TierBytesTestCase()
        : TestCase(
              "Stages send between domains the share of a rail, and never change the rail there")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t domains = 6;
        const uint64_t rails = 4;
        const uint64_t bytes = 24'000'000;
        const uint64_t share = (domains - 1) * bytes / domains / rails;
        Check(Op::ALL_REDUCE, bytes, 2 * share);
        Check(Op::ALL_GATHER, bytes, share);
        Check(Op::REDUCE_SCATTER, bytes, share);
        Check(Op::ALL_TO_ALL, bytes, (domains - 1) * bytes / domains);
    }

    /**
     * @param operation an operation
     * @param bytes S
     * @param across bytes that each rank must send to other domains
     */
    void Check(Op operation, uint64_t bytes, uint64_t across)
    {
        const uint32_t rails = 4;
        const auto program = Make("ns3::llm::HierarchicalAlgorithm")
                                 ->MakeProgram(MakeRequest(operation, 24, bytes),
                                               MakeGroup(24),
                                               Create<GridLocality>(rails));
        for (uint32_t rank = 0; rank < 24; ++rank)
        {
            uint64_t sent = 0;
            for (uint32_t lane = 0; lane < program->GetLaneCount(rank); ++lane)
            {
                for (uint32_t i = 0; i < program->GetLaneLength(rank, lane); ++i)
                {
                    const Step step = program->GetStep(rank, lane, i);
                    if (step.kind == Step::SEND && step.peer / rails != rank / rails)
                    {
                        NS_TEST_EXPECT_MSG_EQ(step.peer % rails, rank % rails, "another rail");
                        sent += step.bytes;
                    }
                }
            }
            NS_TEST_EXPECT_MSG_EQ(sent, across, llm::GetName(operation) << ", rank " << rank);
        }
    }
};

/** Suite of the algorithms. */
class CollectiveAlgorithmsTestSuite : public TestSuite
{
  public:
    CollectiveAlgorithmsTestSuite()
        : TestSuite("llm-fabric-collective-algorithms", TestSuite::Type::UNIT)
    {
        for (const std::string& name : ALGORITHMS)
        {
            AddTestCase(new MeaningTestCase(name));
        }
        AddTestCase(new BytesTestCase);
        AddTestCase(new TierBytesTestCase);
    }
};

CollectiveAlgorithmsTestSuite g_collectiveAlgorithmsTestSuite; //!< registers itself

} // namespace
