// SPDX-License-Identifier: GPL-2.0-only

// Collectives over frames and fluid: each rank ends with what the operation says, in a time that theory
// allows.

#include "collective-run.h"

#include "ns3/random-variable-stream.h"
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

/** @param count how many @return accelerators 0, 1, ... */
std::vector<uint32_t>
MakeGroup(uint32_t count)
{
    std::vector<uint32_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

/** @param operation an operation @param bytes S @return its name and size */
std::string
Describe(Op operation, uint64_t bytes)
{
    return llm::GetName(operation) + " of " + std::to_string(bytes) + " B";
}

/** A lone operation on one non-blocking switch takes its ideal time. */
class IdealCase : public TestCase
{
  public:
    /**
     * @param algorithm does it
     * @param operation what
     * @param bytes S
     * @param tolerance of the ratio to the ideal time
     * @param ranks on one switch each with a NIC of its own
     */
    IdealCase(const std::string& algorithm,
              Op operation,
              uint64_t bytes,
              double tolerance,
              uint32_t ranks = 8)
        : TestCase(algorithm + ": " + Describe(operation, bytes) + " among " +
                   std::to_string(ranks) + " takes its ideal time"),
          m_algorithm("ns3::llm::" + algorithm),
          m_operation(operation),
          m_bytes(bytes),
          m_tolerance(tolerance),
          m_ranks(ranks)
    {
    }

  private:
    void DoRun() override
    {
        ClusterOptions options;
        options.accelerators = m_ranks;
        CollectiveRun run(options);
        GroupOperation operation;
        operation.request.operation = m_operation;
        operation.request.bytes = m_bytes;
        operation.algorithm = m_algorithm;
        operation.accelerators = MakeGroup(m_ranks);
        const GroupOutcome outcome = run.Run({operation})[0];
        NS_TEST_ASSERT_MSG_EQ(run.GetUnfinished(), "", "all ranks are done");
        NS_TEST_ASSERT_MSG_EQ(run.GetCluster()->GetFaults().size(), 0u, "nothing went wrong");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.last.GetDouble() / outcome.ideal.GetDouble(),
                                  1.0,
                                  m_tolerance,
                                  "simulated over ideal time");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.last, outcome.bound, "nothing beats the bound");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.ideal, outcome.bound, "nor does the ideal time");
        NS_TEST_EXPECT_MSG_EQ(outcome.bound.IsZero(), (m_bytes == 0), "there is a bound");
    }

    std::string m_algorithm; //!< does it
    Op m_operation;          //!< what
    uint64_t m_bytes;        //!< S
    double m_tolerance;      //!< of the ratio
    uint32_t m_ranks;        //!< N
};

/** Groups of all kinds at once. */
class RandomCase : public TestCase
{
  public:
    /** @param seed of the draws */
    explicit RandomCase(uint32_t seed)
        : TestCase("Random groups, sizes, algorithms and fabrics, seed " + std::to_string(seed)),
          m_seed(seed)
    {
    }

  private:
    void DoRun() override
    {
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(m_seed);
        const std::vector<std::string> helpers{"SingleSwitchHelper",
                                               "RailOnlyHelper",
                                               "RailOptimizedHelper",
                                               "FatTreeHelper"};
        ClusterOptions options;
        options.helper = "ns3::llm::" + helpers[Draw(helpers.size())];
        options.domainSize = 4;
        options.accelerators = 16;
        options.fidelity = Draw(2) == 0 ? "fluid" : "packet";
        options.control = Draw(2) == 0 ? "ns3::llm::NoCongestionControl" : "ns3::llm::Dcqcn";
        CollectiveRun run(options);
        std::vector<GroupOperation> operations;
        for (uint32_t group = 0; group < 4; ++group)
        {
            operations.push_back(DrawOperation());
        }
        const auto outcomes = run.Run(operations);
        NS_TEST_ASSERT_MSG_EQ(run.GetUnfinished(), "", "all ranks are done");
        NS_TEST_ASSERT_MSG_EQ(run.GetCluster()->GetFaults().size(), 0u, "nothing went wrong");
        for (std::size_t i = 0; i < outcomes.size(); ++i)
        {
            const std::string text = operations[i].algorithm + " " +
                                     llm::GetName(operations[i].request.operation) + " on " +
                                     options.helper;
            NS_TEST_EXPECT_MSG_GT_OR_EQ(outcomes[i].last, outcomes[i].bound, text);
        }
    }

    /** @param end above 0 @return a number below it */
    uint32_t Draw(std::size_t end)
    {
        return m_random->GetInteger(0, static_cast<uint32_t>(end) - 1);
    }

    /** @return an operation of some of 16 accelerators in some order */
    GroupOperation DrawOperation()
    {
        const std::vector<std::string> algorithms{"auto",
                                                  "ns3::llm::RingAlgorithm[Channels=2|"
                                                  "Bidirectional=true|ChainMessage=5000]",
                                                  "ns3::llm::DirectAlgorithm",
                                                  "ns3::llm::BruckAlgorithm",
                                                  "ns3::llm::HalvingDoublingAlgorithm",
                                                  "ns3::llm::DoubleBinaryTreeAlgorithm",
                                                  "ns3::llm::PatAlgorithm"};
        GroupOperation result;
        std::vector<uint32_t> all = MakeGroup(16);
        for (std::size_t i = all.size(); i > 1; --i)
        {
            std::swap(all[i - 1], all[Draw(i)]);
        }
        const uint32_t size = 1 + Draw(16);
        all.resize(size);
        result.accelerators = all;
        result.algorithm = algorithms[Draw(algorithms.size())];
        const auto algorithm = CollectiveAlgorithm::CreateByName(result.algorithm, "the test");
        do
        {
            result.request = DrawRequest(size);
        } while (algorithm && !algorithm->Supports(result.request));
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            result.starts.push_back(NanoSeconds(Draw(5000)));
        }
        return result;
    }

    /** @param size number of ranks @return an operation */
    CollectiveRequest DrawRequest(uint32_t size)
    {
        CollectiveRequest request;
        do
        {
            request.operation = static_cast<Op>(Draw(COLLECTIVE_OPERATION_COUNT));
        } while (request.operation == Op::POINT_TO_POINT && size != 2);
        const bool isUneven = request.operation == Op::ALL_TO_ALL_V;
        if (request.operation != Op::BARRIER && !isUneven)
        {
            request.bytes = Draw(3) == 0 ? Draw(20) : Draw(300'000);
        }
        request.root = Draw(size);
        if (isUneven)
        {
            std::vector<uint64_t> sizes;
            for (uint32_t i = 0; i < size * size; ++i)
            {
                sizes.push_back(Draw(2) == 0 ? 0 : Draw(40'000));
            }
            request.matrix = std::make_shared<TrafficMatrix>(size, sizes);
        }
        return request;
    }

    uint32_t m_seed;                     //!< of the draws
    Ptr<UniformRandomVariable> m_random; //!< draws
};

/** Each tier of links carries what the steps send over it. */
class TierCase : public TestCase
{
  public:
    /** @param algorithm does it @param operation what */
    TierCase(const std::string& algorithm, Op operation)
        : TestCase(algorithm + ": " + llm::GetName(operation) +
                   " loads the links of both tiers with just its bytes"),
          m_algorithm("ns3::llm::" + algorithm),
          m_operation(operation)
    {
    }

  private:
    static constexpr uint32_t RAILS = 4; //!< accelerators in a domain

    void DoRun() override
    {
        ClusterOptions options;
        options.helper = "ns3::llm::RailOptimizedHelper";
        options.accelerators = 16;
        options.domainSize = RAILS;
        CollectiveRun run(options);
        GroupOperation operation;
        operation.request = {m_operation, 1'000'003, 0};
        operation.algorithm = m_algorithm;
        operation.accelerators = MakeGroup(16);
        const GroupOutcome outcome = run.Run({operation})[0];
        NS_TEST_ASSERT_MSG_EQ(run.GetUnfinished(), "", "all ranks are done");
        const auto program =
            CollectiveAlgorithm::CreateByName(m_algorithm, "the test")
                ->MakeProgram(operation.request, operation.accelerators, run.GetCluster());
        uint64_t inside = 0; // payload
        uint64_t across = 0; // wire bytes, with acknowledgments, of one link
        Count(*program, inside, across);
        uint64_t domains = 0;
        uint64_t nics = 0;
        for (const LinkUse& use : run.GetCluster()->GetLinkUses(outcome.last))
        {
            const bool isDomain = use.name.find("HB domain") != std::string::npos;
            const bool isNic = !isDomain && use.name.find("accelerator") != std::string::npos;
            domains += isDomain ? use.bytes : 0;
            nics += isNic ? use.bytes : 0;
        }
        // up and down
        NS_TEST_EXPECT_MSG_EQ(nics, 2 * across, "links of NICs");
        const double expected = 2.0 * static_cast<double>(inside) * 4178 / 4096;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(domains),
                                  expected,
                                  1e-3 * expected,
                                  "links of HB domains");
        NS_TEST_EXPECT_MSG_GT(across, 0u, "some goes across");
    }

    /** @param program steps @param inside gets payload inside domains @param across wire bytes across */
    static void Count(const StepProgram& program, uint64_t& inside, uint64_t& across)
    {
        for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
            {
                for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
                {
                    const Step step = program.GetStep(rank, lane, i);
                    if (step.kind != Step::SEND)
                    {
                        continue;
                    }
                    const uint64_t frames = std::max<uint64_t>(1, (step.bytes + 4095) / 4096);
                    const bool crosses = rank / RAILS != step.peer / RAILS;
                    inside += crosses ? 0 : step.bytes;
                    across += crosses ? step.bytes + frames * (82 + 86) + 16 : 0;
                }
            }
        }
    }

    std::string m_algorithm; //!< does it
    Op m_operation;          //!< what
};

/** Suite of collectives over networks. */
class CollectiveNetworkTestSuite : public TestSuite
{
  public:
    CollectiveNetworkTestSuite()
        : TestSuite("llm-fabric-collective-network", TestSuite::Type::SYSTEM)
    {
        constexpr uint64_t LARGE = 4'000'000;
        for (const Op operation : {Op::ALL_REDUCE, Op::ALL_GATHER, Op::REDUCE_SCATTER})
        {
            AddTestCase(new IdealCase("RingAlgorithm", operation, LARGE, 0.01));
            AddTestCase(new IdealCase("HalvingDoublingAlgorithm", operation, LARGE, 0.01));
        }
        for (const Op operation : {Op::BROADCAST, Op::REDUCE})
        {
            AddTestCase(new IdealCase("RingAlgorithm", operation, LARGE, 0.01));
        }
        for (const Op operation : {Op::ALL_GATHER, Op::REDUCE_SCATTER})
        {
            AddTestCase(new IdealCase("PatAlgorithm", operation, LARGE, 0.01));
        }
        const std::string tree = "DoubleBinaryTreeAlgorithm";
        AddTestCase(new IdealCase(tree, Op::ALL_REDUCE, LARGE, 0.01));
        AddTestCase(new IdealCase(tree, Op::ALL_REDUCE, 64 << 20, 0.01, 4));
        for (const uint32_t ranks : {4u, 8u, 16u, 24u})
        {
            AddTestCase(new IdealCase(tree, Op::ALL_REDUCE, 1 << 20, 0.01, ranks));
            AddTestCase(new IdealCase(tree, Op::ALL_REDUCE, 8 << 20, 0.01, ranks));
        }
        AddTestCase(new IdealCase("BruckAlgorithm", Op::ALL_TO_ALL, LARGE, 0.01));
        AddTestCase(new IdealCase("BruckAlgorithm", Op::BARRIER, 0, 0.01));
        for (const Op operation : {Op::ALL_TO_ALL,
                                   Op::ALL_REDUCE,
                                   Op::ALL_GATHER,
                                   Op::REDUCE_SCATTER,
                                   Op::GATHER,
                                   Op::SCATTER,
                                   Op::BROADCAST,
                                   Op::REDUCE})
        {
            AddTestCase(new IdealCase("DirectAlgorithm", operation, LARGE, 0.05));
        }
        constexpr uint64_t PRIME = 1'000'003;
        for (const uint32_t ranks : {2u, 3u, 5u, 7u, 16u, 24u})
        {
            AddTestCase(new IdealCase("RingAlgorithm", Op::ALL_REDUCE, PRIME, 0.01, ranks));
            AddTestCase(new IdealCase("DirectAlgorithm", Op::ALL_TO_ALL, PRIME, 0.05, ranks));
        }
        for (const Op operation : {Op::ALL_REDUCE, Op::ALL_GATHER, Op::ALL_TO_ALL})
        {
            AddTestCase(new TierCase("HierarchicalAlgorithm", operation));
            const bool isExchange = operation == Op::ALL_TO_ALL;
            AddTestCase(new TierCase(isExchange ? "DirectAlgorithm" : "RingAlgorithm", operation));
        }
        for (uint32_t seed = 1; seed <= 40; ++seed)
        {
            AddTestCase(new RandomCase(seed));
        }
    }
};

CollectiveNetworkTestSuite g_collectiveNetworkTestSuite; //!< registers itself

} // namespace
