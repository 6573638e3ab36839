// SPDX-License-Identifier: GPL-2.0-only

// Messages cut into chunks.

#include "collective-requests.h"
#include "collective-run.h"
#include "pair-bytes.h"

#include "ns3/chunked-program.h"
#include "ns3/config.h"
#include "ns3/program-check.h"
#include "ns3/random-variable-stream.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** A program in chunks does what it did. */
class ChunksTestCase : public TestCase
{
  public:
    ChunksTestCase()
        : TestCase("Chunks leave meaning and bytes as they are, and none is too large")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* name : {"RingAlgorithm[Channels=2|Bidirectional=true|ChainMessage=300]",
                                 "DirectAlgorithm",
                                 "BruckAlgorithm",
                                 "HalvingDoublingAlgorithm",
                                 "DoubleBinaryTreeAlgorithm[TreeMessage=500]",
                                 "PatAlgorithm",
                                 "HierarchicalAlgorithm[Slices=2]"})
        {
            const auto algorithm = Make(std::string("ns3::llm::") + name);
            for (uint32_t i = 0; i < COLLECTIVE_OPERATION_COUNT; ++i)
            {
                const Op operation = static_cast<Op>(i);
                const bool isDone = algorithm->Supports(MakeRequest(operation, 2, 1));
                for (const uint32_t ranks : {1u, 2u, 5u, 8u})
                {
                    for (const uint64_t chunk : {uint64_t{1}, uint64_t{100}, uint64_t{1} << 40})
                    {
                        const auto request = MakeRequest(operation, ranks, chunk == 1 ? 23 : 1003);
                        if (isDone)
                        {
                            Check(name, *algorithm, request, ranks, chunk);
                        }
                    }
                }
            }
        }
    }

    /**
     * @param name of the algorithm
     * @param algorithm it
     * @param request what it does
     * @param ranks N
     * @param chunk largest chunk
     */
    void Check(const std::string& name,
               const CollectiveAlgorithm& algorithm,
               const CollectiveRequest& request,
               uint32_t ranks,
               uint64_t chunk)
    {
        const auto locality = Create<TwoTierLocality>(ranks % 4 == 0 ? 4 : ranks);
        const auto whole = algorithm.MakeProgram(request, MakeGroup(ranks), locality);
        const auto cut = std::make_shared<ChunkedProgram>(whole, chunk);
        const std::string where = name + ", " + llm::GetName(request.operation) + " among " +
                                  std::to_string(ranks) + " in " + std::to_string(chunk);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, cut), "", where);
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(ranks);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, cut, random), "", where << ", at random");
        NS_TEST_EXPECT_MSG_EQ((PairBytes(*cut) == PairBytes(*whole)), true, where << ", bytes");
        NS_TEST_EXPECT_MSG_EQ(CountSends(*cut, UINT64_MAX),
                              CountSends(*whole, chunk),
                              where << ", messages");
        CheckSteps(*cut, chunk, where);
    }

    /** @param program steps @param chunk a size @return how many messages of at most that it makes */
    static uint64_t CountSends(const StepProgram& program, uint64_t chunk)
    {
        uint64_t messages = 0;
        for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
            {
                for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
                {
                    const Step step = program.GetStep(rank, lane, i);
                    const uint64_t fewest = step.bytes == 0 ? 1 : (step.bytes - 1) / chunk + 1;
                    messages += step.kind == Step::SEND ? fewest : 0;
                }
            }
        }
        return messages;
    }

    /** @param program steps @param chunk none is larger @param where for messages */
    void CheckSteps(const StepProgram& program, uint64_t chunk, const std::string& where)
    {
        for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
            {
                for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
                {
                    const Step step = program.GetStep(rank, lane, i);
                    NS_TEST_ASSERT_MSG_LT_OR_EQ(step.bytes, chunk, where << ", size");
                    uint32_t foundLane = 0;
                    uint32_t foundIndex = 0;
                    if (step.kind != Step::RECEIVE)
                    {
                        continue;
                    }
                    NS_TEST_ASSERT_MSG_EQ(
                        program.FindReceive(rank, step.peer, step.place, foundLane, foundIndex),
                        true,
                        where << ", receive step");
                    NS_TEST_ASSERT_MSG_EQ(foundLane, lane, where << ", its lane");
                    NS_TEST_ASSERT_MSG_EQ(foundIndex, i, where << ", its place");
                }
            }
        }
    }
};

/** Chunks let reduction and transfer overlap. */
class OverlapTestCase : public TestCase
{
  public:
    OverlapTestCase()
        : TestCase("With chunks reduction is hidden behind the transfer")
    {
    }

  private:
    void DoRun() override
    {
        // two ranks: half of the buffer, its reduction, half of the buffer
        const double whole = Measure(0);
        const double cut = Measure(450'000);
        const double transfer = 4.5e6 * 4178 / 4096 * 8 / 3600e9 * 1e6; // us
        const double reduction = 4.5e6 * 8 / 4000e9 * 1e6;              // us
        NS_TEST_EXPECT_MSG_EQ_TOL(whole, 2 * transfer + reduction, 1.5, "one after the other");
        // the links never wait: the second halves follow the first ones at once, and the delay of
        // the domain, 0.5 us, is no more between them
        NS_TEST_EXPECT_MSG_EQ_TOL(whole - cut, reduction + 0.5, 0.05, "reduced while others come");
    }

    /** @param chunk attribute ChunkBytes @return us that an all-reduce of 9 MB takes */
    double Measure(uint64_t chunk)
    {
        Config::SetDefault("ns3::llm::Communicator::ChunkBytes", UintegerValue(chunk));
        Config::SetDefault("ns3::llm::Communicator::ReductionRate", StringValue("4000Gbps"));
        ClusterOptions options;
        options.accelerators = 2;
        options.domainSize = 2;
        CollectiveRun run(options);
        GroupOperation operation;
        operation.request = {Op::ALL_REDUCE, 9'000'000, 0};
        operation.algorithm = "ns3::llm::RingAlgorithm";
        operation.accelerators = {0, 1};
        const GroupOutcome outcome = run.Run({operation})[0];
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", "done");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble() / outcome.ideal.GetDouble(),
                                  1.0,
                                  0.01,
                                  "the ideal time knows chunks");
        Config::SetDefault("ns3::llm::Communicator::ChunkBytes", UintegerValue(0));
        Config::SetDefault("ns3::llm::Communicator::ReductionRate", StringValue("0bps"));
        return outcome.last.ToDouble(Time::US);
    }
};

/** All of them. */
class CollectiveChunksTestSuite : public TestSuite
{
  public:
    CollectiveChunksTestSuite()
        : TestSuite("llm-fabric-collective-chunks", TestSuite::Type::UNIT)
    {
        AddTestCase(new ChunksTestCase);
        AddTestCase(new OverlapTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveChunksTestSuite g_collectiveChunksTestSuite; //!< registers the suite

} // namespace
