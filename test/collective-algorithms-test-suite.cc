// SPDX-License-Identifier: GPL-2.0-only

// Every algorithm does what its operations are. No network.

#include "collective-requests.h"

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
            algorithm.MakeProgram(request, MakeGroup(size), Create<TwoTierLocality>(rails));
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
    }
};

CollectiveAlgorithmsTestSuite g_collectiveAlgorithmsTestSuite; //!< registers itself

} // namespace
