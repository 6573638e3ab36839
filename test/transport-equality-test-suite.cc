// SPDX-License-Identifier: GPL-2.0-only

// Collectives over each transport: every rank ends with what the operation says, and the same bytes
// leave every accelerator.

#include "collective-run.h"

#include "ns3/test.h"

#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** What a transport has carried between HB domains. */
struct Carried
{
    uint64_t payload = 0;            //!< bytes
    std::vector<uint64_t> linkBytes; //!< wire bytes by direction of a link
};

/** @param cluster after a run @return what its transport between domains has carried */
Carried
GetCarried(const Cluster& cluster)
{
    Carried result;
    if (cluster.GetTcp())
    {
        result.payload = cluster.GetTcp()->GetCounters().payloadBytes;
    }
    else if (cluster.GetFluidNetwork())
    {
        const FluidDomain& domain = *cluster.GetFluidNetwork()->GetDomain();
        for (uint32_t port = 0; port < domain.GetPortCount(); ++port)
        {
            result.payload += domain.GetPortUse(port, Simulator::Now()).sentBytes;
        }
    }
    else
    {
        result.payload = cluster.GetRdma()->GetCounters().payloadBytes;
    }
    for (const LinkUse& use : cluster.GetLinkUses(Simulator::Now()))
    {
        result.linkBytes.push_back(use.bytes);
    }
    return result;
}

/** Random groups do random operations over each transport. */
class EqualityTestCase : public TestCase
{
  public:
    /** @param seed of the draws */
    explicit EqualityTestCase(uint64_t seed)
        : TestCase("All transports end all operations alike, seed " + std::to_string(seed)),
          m_random(seed)
    {
    }

  private:
    static constexpr uint32_t ACCELERATORS = 8; //!< in all

    void DoRun() override
    {
        const std::vector<std::string> helpers{"SingleSwitchHelper",
                                               "RailOnlyHelper",
                                               "RailOptimizedHelper",
                                               "FatTreeHelper"};
        ClusterOptions options;
        options.helper = "ns3::llm::" + helpers[Draw(helpers.size())];
        options.domainSize = 1u << Draw(3);
        options.accelerators = ACCELERATORS;
        std::vector<GroupOperation> operations;
        for (uint32_t operation = 0; operation < COLLECTIVE_OPERATION_COUNT; ++operation)
        {
            operations.push_back(DrawOperation(static_cast<Op>(operation)));
        }
        uint64_t payload = 0;
        for (const std::string transport : {"rdma", "tcp", "fluid"})
        {
            Config::SetDefault("ns3::llm::TopologyHelper::Transport", StringValue(transport));
            const Carried carried = RunAll(options, operations, transport + " " + options.helper);
            payload = transport == "rdma" ? carried.payload : payload;
            NS_TEST_EXPECT_MSG_EQ(carried.payload, payload, "the same payload by " << transport);
            Config::Reset();
        }
    }

    /** @param options cluster @param operations of groups @param text for messages
     * @return what was carried */
    Carried RunAll(const ClusterOptions& options,
                   const std::vector<GroupOperation>& operations,
                   const std::string& text)
    {
        CollectiveRun run(options);
        // contributions are followed: a rank that ends with anything else ends the program
        const auto outcomes = run.Run(operations);
        NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", text);
        NS_TEST_EXPECT_MSG_EQ(run.GetCluster()->GetFaults().size(), 0u, text);
        for (std::size_t i = 0; i < outcomes.size(); ++i)
        {
            const std::string what = text + " " + llm::GetName(operations[i].request.operation);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(outcomes[i].last, outcomes[i].bound, what);
        }
        return GetCarried(*run.GetCluster());
    }

    /** @param end above 0 @return a number below it */
    uint32_t Draw(uint64_t end)
    {
        return static_cast<uint32_t>(m_random.Next() % end);
    }

    /** @param operation what @return it with a group, a size and an algorithm */
    GroupOperation DrawOperation(Op operation)
    {
        const std::vector<std::string> algorithms{"RingAlgorithm",
                                                  "DirectAlgorithm",
                                                  "BruckAlgorithm",
                                                  "HalvingDoublingAlgorithm",
                                                  "DoubleBinaryTreeAlgorithm",
                                                  "PatAlgorithm",
                                                  "PointToPointAlgorithm"};
        GroupOperation result;
        result.accelerators.resize(ACCELERATORS);
        std::iota(result.accelerators.begin(), result.accelerators.end(), 0);
        for (uint32_t i = ACCELERATORS; i > 1; --i)
        {
            std::swap(result.accelerators[i - 1], result.accelerators[Draw(i)]);
        }
        const uint32_t size = operation == Op::POINT_TO_POINT ? 2 : 2 + Draw(ACCELERATORS - 1);
        result.accelerators.resize(size);
        result.request.operation = operation;
        result.request.root = Draw(size);
        if (operation == Op::ALL_TO_ALL_V)
        {
            std::vector<uint64_t> sizes;
            for (uint32_t i = 0; i < size * size; ++i)
            {
                sizes.push_back(Draw(2) == 0 ? 0 : Draw(40'000));
            }
            result.request.matrix = std::make_shared<TrafficMatrix>(size, sizes);
        }
        else if (operation != Op::BARRIER)
        {
            result.request.bytes = Draw(3) == 0 ? Draw(20) : Draw(200'000);
        }
        do
        {
            result.algorithm = "ns3::llm::" + algorithms[Draw(algorithms.size())];
        } while (!CollectiveAlgorithm::CreateByName(result.algorithm, "the test")
                      ->Supports(result.request));
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            result.starts.push_back(NanoSeconds(Draw(5000)));
        }
        return result;
    }

    TestRandom m_random; //!< draws
};

/** Wire bytes. */
class WireBytesTestCase : public TestCase
{
  public:
    WireBytesTestCase()
        : TestCase("Links carry a ring's payload and each transport's own overhead")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t N = 4;
        constexpr uint64_t CHUNK = 89480 - 16; // of a step: ten segments with its header
        for (const std::string transport : {"rdma", "tcp", "fluid"})
        {
            Config::SetDefault("ns3::llm::TopologyHelper::Transport", StringValue(transport));
            ClusterOptions options;
            options.accelerators = N;
            CollectiveRun run(options);
            GroupOperation operation;
            operation.request.bytes = N * CHUNK;
            operation.algorithm = "ns3::llm::RingAlgorithm";
            operation.accelerators = {0, 1, 2, 3};
            run.Run({operation});
            NS_TEST_EXPECT_MSG_EQ(run.GetUnfinished(), "", transport);
            const Carried carried = GetCarried(*run.GetCluster());
            const uint64_t steps = 2 * (N - 1);
            NS_TEST_EXPECT_MSG_EQ(carried.payload, N * steps * CHUNK, transport);
            // a step is CHUNK one way and acknowledgments the other: 22 frames by RDMA, ten by TCP
            const double fluid = static_cast<double>(steps * CHUNK) * 4178 / 4096;
            const uint64_t rdma = steps * (CHUNK + 22 * (82 + 86) + 16);
            const uint64_t tcp = steps * 10 * 9038;
            for (const uint64_t bytes : carried.linkBytes)
            {
                if (transport == "rdma")
                {
                    NS_TEST_EXPECT_MSG_EQ(bytes, rdma, "data and ACKs");
                }
                else if (transport == "tcp")
                {
                    NS_TEST_EXPECT_MSG_GT(bytes, tcp, "data, ACKs and handshakes");
                    NS_TEST_EXPECT_MSG_LT(bytes, tcp * 101 / 100, "which are few");
                }
                else
                {
                    NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bytes), fluid, 20, "data alone");
                }
            }
            Config::Reset();
        }
    }
};

/** Suite. */
class TransportEqualityTestSuite : public TestSuite
{
  public:
    TransportEqualityTestSuite()
        : TestSuite("llm-fabric-transport-equality", TestSuite::Type::SYSTEM)
    {
        for (uint64_t seed = 1; seed <= 12; ++seed)
        {
            AddTestCase(new EqualityTestCase(seed));
        }
        AddTestCase(new WireBytesTestCase);
    }
};

TransportEqualityTestSuite g_transportEqualityTestSuite; //!< registers itself

} // namespace
