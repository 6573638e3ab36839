// SPDX-License-Identifier: GPL-2.0-only

// Every algorithm sends exactly the bytes of its closed form: from each rank to each other, hence by rank
// and by tier. Counted in the steps, without a network.

#include "closed-form-bytes.h"
#include "collective-requests.h"

#include "ns3/chunked-program.h"
#include "ns3/collective-bound.h"
#include "ns3/test.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** A closed form. */
using ClosedForm = std::function<PairBytes(const CountedOperation&)>;

/** Sizes of the buffer: one byte, odd, prime, 8 GiB and a prime below. */
const std::vector<uint64_t> SIZES{1, 2, 13, 1'000'003, 8'589'934'583, uint64_t{1} << 33};

/** Numbers of ranks. */
const std::vector<uint32_t> RANKS{1, 2, 3, 5, 7, 8, 16, 24, 64};

/** @param ranks N @return ranks in a domain: four where that divides, else all */
uint32_t
GetRails(uint32_t ranks)
{
    return ranks % 4 == 0 ? 4 : ranks;
}

/** @param size N @param bytes S @return an uneven matrix of S bytes on the whole, with empty blocks */
std::shared_ptr<const TrafficMatrix>
SpreadUnevenly(uint64_t size, uint64_t bytes)
{
    std::vector<uint64_t> sizes(size * size);
    for (uint64_t i = 0; i < sizes.size(); ++i)
    {
        sizes[i] = i % 3 == 0 ? 0 : bytes / sizes.size() + i % 7 * (bytes > 1000 ? 11 : 0);
    }
    return std::make_shared<TrafficMatrix>(static_cast<uint32_t>(size), sizes);
}

/** An algorithm against its closed form. */
class ClosedFormTestCase : public TestCase
{
  public:
    /** @param name of the algorithm @param form its closed form */
    ClosedFormTestCase(const std::string& name, ClosedForm form)
        : TestCase(GetTitle(name) + " sends exactly the bytes of its closed form, pair by pair"),
          m_name("ns3::llm::" + name),
          m_form(std::move(form))
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
            if (operation == Op::POINT_TO_POINT ||
                !algorithm->Supports(MakeRequest(operation, 2, 1)))
            {
                continue;
            }
            ++operations;
            for (const uint32_t ranks : RANKS)
            {
                for (const uint64_t bytes : SIZES)
                {
                    Check(*algorithm, operation, ranks, bytes);
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(operations, 0u, m_name << " does nothing");
    }

    /**
     * @param algorithm does it
     * @param operation what
     * @param ranks N
     * @param bytes S
     */
    void Check(const CollectiveAlgorithm& algorithm, Op operation, uint32_t ranks, uint64_t bytes)
    {
        CountedOperation op;
        op.size = ranks;
        op.rails = GetRails(ranks);
        op.request = MakeRequest(operation, ranks, bytes);
        if (operation == Op::ALL_TO_ALL_V)
        {
            op.request.matrix = SpreadUnevenly(ranks, bytes);
        }
        const auto locality = Create<TwoTierLocality>(GetRails(ranks));
        const auto program = algorithm.MakeProgram(op.request, MakeGroup(ranks), locality);
        const PairBytes counted(*program);
        const PairBytes expected = m_form(op);
        const std::string where = m_name + ", " + llm::GetName(operation) + " of " +
                                  std::to_string(bytes) + " among " + std::to_string(ranks);
        NS_TEST_EXPECT_MSG_EQ((counted == expected), true, where);
        for (uint32_t rank = 0; rank < ranks && !(counted == expected); ++rank)
        {
            for (const bool crosses : {false, true})
            {
                NS_TEST_EXPECT_MSG_EQ(counted.GetSent(rank, op.rails, crosses),
                                      expected.GetSent(rank, op.rails, crosses),
                                      where << (crosses ? ", across" : ", inside") << " by rank "
                                            << rank);
            }
        }
    }

    std::string m_name; //!< of the algorithm
    ClosedForm m_form;  //!< its closed form
};

/** What the closed forms come to. */
class TotalsTestCase : public TestCase
{
  public:
    TotalsTestCase()
        : TestCase("Totals, ranks and tiers are those of theory")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t ranks : RANKS)
        {
            for (const uint64_t bytes : SIZES)
            {
                CheckTotals(ranks, bytes);
            }
        }
        CheckTiers();
    }

    /** @param name of an algorithm @param op an operation @return its bytes */
    static PairBytes Count(const std::string& name, const CountedOperation& op)
    {
        const auto ranks = static_cast<uint32_t>(op.size);
        return PairBytes(*Make("ns3::llm::" + name)
                              ->MakeProgram(op.request,
                                            MakeGroup(ranks),
                                            Create<TwoTierLocality>(GetRails(ranks))));
    }

    /** @param ranks N @param bytes S */
    void CheckTotals(uint32_t ranks, uint64_t bytes)
    {
        CountedOperation op;
        op.size = ranks;
        const uint64_t once = (ranks - 1) * bytes;
        for (const char* name : {"RingAlgorithm[Channels=2|Bidirectional=true]",
                                 "DirectAlgorithm",
                                 "DoubleBinaryTreeAlgorithm[TreeMessage=1000000000]",
                                 "HierarchicalAlgorithm[Slices=2]"})
        {
            op.request = MakeRequest(Op::ALL_REDUCE, ranks, bytes);
            NS_TEST_EXPECT_MSG_EQ(Count(name, op).GetTotal(), 2 * once, name << ranks);
        }
        for (const char* name : {"RingAlgorithm", "DirectAlgorithm", "PatAlgorithm"})
        {
            op.request = MakeRequest(Op::REDUCE_SCATTER, ranks, bytes);
            const PairBytes scatter = Count(name, op);
            op.request = MakeRequest(Op::ALL_GATHER, ranks, bytes);
            const PairBytes gather = Count(name, op);
            NS_TEST_EXPECT_MSG_EQ(scatter.GetTotal(), once, name << ranks);
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                // nothing comes twice in an all-gather, nothing goes twice in a reduce-scatter
                const uint64_t others = bytes - op.Part(rank);
                NS_TEST_EXPECT_MSG_EQ(gather.GetReceived(rank), others, name << rank);
                NS_TEST_EXPECT_MSG_EQ(scatter.GetSent(rank, ranks, false), others, name << rank);
            }
        }
    }

    /** A rail's share goes across, and stays on its rail. */
    void CheckTiers()
    {
        CountedOperation op;
        op.size = 24;
        const uint64_t domains = 6;
        const uint64_t bytes = 24'000'000;
        const uint64_t share = (domains - 1) * bytes / domains / 4;
        const std::map<Op, uint64_t> across{{Op::ALL_REDUCE, 2 * share},
                                            {Op::ALL_GATHER, share},
                                            {Op::REDUCE_SCATTER, share},
                                            {Op::ALL_TO_ALL, (domains - 1) * bytes / domains}};
        for (const auto& [operation, expected] : across)
        {
            op.request = MakeRequest(operation, 24, bytes);
            const PairBytes counted = Count("HierarchicalAlgorithm", op);
            for (uint64_t rank = 0; rank < 24; ++rank)
            {
                NS_TEST_EXPECT_MSG_EQ(counted.GetSent(rank, 4, true), expected, "rank " << rank);
                for (uint64_t to = 0; to < 24; ++to)
                {
                    const bool isStray = rank / 4 != to / 4 && rank % 4 != to % 4;
                    NS_TEST_EXPECT_MSG_EQ((isStray && counted.Get(rank, to) > 0), false, "rail");
                }
            }
        }
        // one ring lets one rank of each domain send across, turned rings let all do so alike
        op.request = MakeRequest(Op::ALL_REDUCE, 24, bytes);
        const PairBytes plain = Count("RingAlgorithm", op);
        const PairBytes turned = Count("RingAlgorithm[Channels=4|RotateInDomains=true]", op);
        for (uint64_t rank = 0; rank < 24; ++rank)
        {
            const uint64_t ring = 2 * 23 * bytes / 24;
            NS_TEST_EXPECT_MSG_EQ(plain.GetSent(rank, 4, true), (rank % 4 == 3 ? ring : 0), "one");
            NS_TEST_EXPECT_MSG_EQ(turned.GetSent(rank, 4, true), ring / 4, "turned");
        }
    }
};

/** Suite of bytes. */
class CollectiveBytesTestSuite : public TestSuite
{
  public:
    CollectiveBytesTestSuite()
        : TestSuite("llm-fabric-collective-bytes", TestSuite::Type::UNIT)
    {
        const std::string chain = "ChainMessage=1000000000";
        AddTestCase(new ClosedFormTestCase("RingAlgorithm[" + chain + "]", CountRing));
        AddTestCase(new ClosedFormTestCase("DirectAlgorithm", CountDirect));
        AddTestCase(new ClosedFormTestCase("BruckAlgorithm", CountBruck));
        AddTestCase(new ClosedFormTestCase("PatAlgorithm[MaxParts=3]", CountPat));
        AddTestCase(new ClosedFormTestCase("HalvingDoublingAlgorithm", CountHalving));
        AddTestCase(new ClosedFormTestCase("DoubleBinaryTreeAlgorithm[TreeMessage=1000000000]",
                                           CountTrees));
        AddTestCase(new ClosedFormTestCase("HierarchicalAlgorithm", CountStages));
        AddTestCase(new TotalsTestCase);
        for (const uint64_t channels : {2u, 5u})
        {
            const std::string text = "Channels=" + std::to_string(channels);
            AddTestCase(new ClosedFormTestCase(
                "RingAlgorithm[" + text + "|Bidirectional=true|" + chain + "]",
                [channels](const CountedOperation& op) { return CountBoth(op, channels, false); }));
            AddTestCase(new ClosedFormTestCase(
                "RingAlgorithm[" + text + "|RotateInDomains=true|" + chain + "]",
                [channels](const CountedOperation& op) { return CountBoth(op, channels, true); }));
        }
    }

  private:
    /** Broadcast and reduce go along one chain however many channels there are. @param op the operation
     * @param channels how many @param isTurned see CountChannels() @return bytes */
    static PairBytes CountBoth(const CountedOperation& op, uint64_t channels, bool isTurned)
    {
        return op.Scatters() || op.Gathers() ? CountChannels(op, channels, isTurned)
                                             : CountRing(op);
    }
};

CollectiveBytesTestSuite g_collectiveBytesTestSuite; //!< registers itself

} // namespace
