// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** All dimensions. */
constexpr ParallelDimension DIMENSIONS[] = {ParallelDimension::TENSOR,
                                            ParallelDimension::PIPELINE,
                                            ParallelDimension::DATA,
                                            ParallelDimension::CONTEXT,
                                            ParallelDimension::EXPERT,
                                            ParallelDimension::EXPERT_DATA,
                                            ParallelDimension::EMBEDDING,
                                            ParallelDimension::WORLD};

/** What all ranks of a group have in common. */
using Common = std::vector<uint32_t>;

/**
 * @param strategy a strategy
 * @param place a place
 * @param dimension a dimension
 * @return what tells its group from the others
 */
Common
GetCommon(const ParallelStrategy& strategy,
          const RankCoordinates& place,
          ParallelDimension dimension)
{
    const uint32_t expert = place.data % strategy.expertParallel;
    const uint32_t replica = place.data / strategy.expertParallel;
    switch (dimension)
    {
    case ParallelDimension::TENSOR:
        return {place.context, place.pipeline, place.data};
    case ParallelDimension::PIPELINE:
    case ParallelDimension::EMBEDDING:
        return {place.tensor, place.context, place.data};
    case ParallelDimension::DATA:
        return {place.tensor, place.pipeline};
    case ParallelDimension::CONTEXT:
        return {place.tensor, place.pipeline, place.data};
    case ParallelDimension::EXPERT:
        return {place.tensor, place.context, place.pipeline, replica};
    case ParallelDimension::EXPERT_DATA:
        return {place.tensor, place.pipeline, expert};
    case ParallelDimension::WORLD:
        break;
    }
    return {};
}

/**
 * @param hasContext whether to name cp
 * @return all rank orders, with and without ep
 */
std::vector<std::string>
GetOrders(bool hasContext)
{
    std::vector<std::string> names = {"dp", "pp", "tp"};
    if (hasContext)
    {
        names.insert(names.begin(), "cp");
    }
    std::vector<std::string> orders;
    do
    {
        for (const std::string data : {"dp", "ep-dp"})
        {
            std::string order;
            for (const auto& name : names)
            {
                order += (order.empty() ? "" : "-") + (name == "dp" ? data : name);
            }
            orders.push_back(order);
        }
    } while (std::next_permutation(names.begin(), names.end()));
    return orders;
}

/** Groups of every dimension and rank order. */
class GroupTestCase : public TestCase
{
  public:
    GroupTestCase()
        : TestCase("Groups of each dimension partition the ranks")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(6);
        const auto upTo = [&random](uint32_t most) -> uint32_t
        {
            return 1 + random() % most;
        };
        NS_TEST_EXPECT_MSG_EQ(GetOrders(true).size(), 2 * 24, "orders of four");
        for (const bool hasContext : {true, false})
        {
            for (const auto& order : GetOrders(hasContext))
            {
                for (int i = 0; i < 4; ++i)
                {
                    ParallelStrategy strategy;
                    strategy.rankOrder = order;
                    strategy.tensorParallel = upTo(4);
                    strategy.contextParallel = hasContext ? upTo(3) : 1;
                    strategy.pipelineParallel = upTo(5);
                    strategy.expertParallel = upTo(3);
                    strategy.dataParallel = strategy.expertParallel * upTo(3);
                    CheckPlaces(strategy);
                    for (const auto dimension : DIMENSIONS)
                    {
                        CheckPartition(strategy, dimension);
                    }
                }
            }
        }
        CheckOrder();
        CheckFiveDimensions();
    }

    /**
     * Count through all places as the rank order says.
     * @param strategy a strategy
     */
    void CheckPlaces(const ParallelStrategy& strategy)
    {
        RankCoordinates place;
        for (uint32_t rank = 0; rank < strategy.GetRankCount(); ++rank)
        {
            const auto got = strategy.GetCoordinates(rank);
            const std::string where = strategy.rankOrder + ", rank " + std::to_string(rank);
            NS_TEST_ASSERT_MSG_EQ(got.tensor, place.tensor, where);
            NS_TEST_ASSERT_MSG_EQ(got.context, place.context, where);
            NS_TEST_ASSERT_MSG_EQ(got.pipeline, place.pipeline, where);
            NS_TEST_ASSERT_MSG_EQ(got.data, place.data, where);
            NS_TEST_ASSERT_MSG_EQ(strategy.GetRank(place), rank, where);
            Advance(strategy, place);
        }
    }

    /**
     * @param strategy a strategy
     * @param place set to the place of the next rank
     */
    static void Advance(const ParallelStrategy& strategy, RankCoordinates& place)
    {
        std::istringstream names(strategy.rankOrder);
        for (std::string name; std::getline(names, name, '-');)
        {
            if (name == "ep")
            {
                continue;
            }
            uint32_t& coordinate = name == "tp"   ? place.tensor
                                   : name == "cp" ? place.context
                                   : name == "pp" ? place.pipeline
                                                  : place.data;
            const uint32_t size = name == "tp"   ? strategy.tensorParallel
                                  : name == "cp" ? strategy.contextParallel
                                  : name == "pp" ? strategy.pipelineParallel
                                                 : strategy.dataParallel;
            if (++coordinate < size)
            {
                return;
            }
            coordinate = 0;
        }
    }

    /**
     * @param strategy a strategy
     * @param dimension a dimension
     */
    void CheckPartition(const ParallelStrategy& strategy, ParallelDimension dimension)
    {
        const std::string where = strategy.Describe() + " " + strategy.rankOrder + " along " +
                                  std::to_string(static_cast<int>(dimension));
        std::map<Common, std::vector<uint32_t>> expected; // each rank in one of these, ascending
        for (uint32_t rank = 0; rank < strategy.GetRankCount(); ++rank)
        {
            const auto place = strategy.GetCoordinates(rank);
            const bool isEnd =
                place.pipeline == 0 || place.pipeline + 1 == strategy.pipelineParallel;
            if (dimension != ParallelDimension::EMBEDDING || isEnd)
            {
                expected[GetCommon(strategy, place, dimension)].push_back(rank);
            }
        }
        const auto groups = strategy.GetGroups(dimension);
        NS_TEST_ASSERT_MSG_EQ(groups.size(), expected.size(), where);
        NS_TEST_EXPECT_MSG_EQ(groups.size(), strategy.GetGroupCount(dimension), where);
        for (uint32_t index = 0; index < groups.size(); ++index)
        {
            const auto& group = groups[index];
            NS_TEST_ASSERT_MSG_EQ(group.size(), strategy.GetSize(dimension), where);
            const auto place = strategy.GetCoordinates(group.front());
            const auto found = expected.find(GetCommon(strategy, place, dimension));
            NS_TEST_EXPECT_MSG_EQ((found != expected.end()), true, where << ": a group twice");
            if (found == expected.end())
            {
                return; // an assertion would go on
            }
            NS_TEST_EXPECT_MSG_EQ((found->second == group), true, where << ", group " << index);
            expected.erase(found);
            for (const auto rank : group)
            {
                NS_TEST_EXPECT_MSG_EQ(strategy.GetGroupIndex(dimension, rank), index, where);
                NS_TEST_EXPECT_MSG_EQ((strategy.GetGroup(dimension, rank) == group), true, where);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(expected.empty(), true, where << ": groups are missing");
    }

    /** Megatron-LM's numbering, by hand. */
    void CheckOrder()
    {
        // 16 ranks, TP 2, PP 4, DP 2: the example in Megatron-LM's initialize_model_parallel()
        const ParallelStrategy strategy = MakeStrategy(2, 4, 2, 1, 8);
        using Groups = std::vector<std::vector<uint32_t>>;
        const Groups data = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}};
        const Groups tensor =
            {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}};
        const Groups pipeline = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
        NS_TEST_EXPECT_MSG_EQ((strategy.GetGroups(ParallelDimension::DATA) == data), true, "DP");
        NS_TEST_EXPECT_MSG_EQ((strategy.GetGroups(ParallelDimension::TENSOR) == tensor),
                              true,
                              "TP");
        NS_TEST_EXPECT_MSG_EQ((strategy.GetGroups(ParallelDimension::PIPELINE) == pipeline),
                              true,
                              "PP");
        NS_TEST_EXPECT_MSG_EQ(strategy.Describe(), "TP 2 x PP 4 x DP 2", "text");
    }

    /** Megatron-Core's numbering with all dimensions, by hand. */
    void CheckFiveDimensions()
    {
        // tensor + 2 context + 4 data + 16 stage
        ParallelStrategy strategy = MakeStrategy(2, 3, 4, 1, 8);
        strategy.contextParallel = 2;
        strategy.expertParallel = 2;
        const auto check = [&](ParallelDimension dimension, const Common& expected)
        {
            const auto group = strategy.GetGroup(dimension, 23); // 1 + 2 x 1 + 4 x 1 + 16 x 1
            NS_TEST_EXPECT_MSG_EQ((group == expected), true, static_cast<int>(dimension));
        };
        check(ParallelDimension::TENSOR, {22, 23});
        check(ParallelDimension::CONTEXT, {21, 23});
        check(ParallelDimension::EXPERT, {19, 23});
        check(ParallelDimension::EXPERT_DATA, {21, 23, 29, 31});
        check(ParallelDimension::DATA, {17, 19, 21, 23, 25, 27, 29, 31});
        check(ParallelDimension::PIPELINE, {7, 23, 39});
        check(ParallelDimension::EMBEDDING, {7, 39});
        NS_TEST_EXPECT_MSG_EQ(strategy.GetRankCount(), 48, "2 x 2 x 3 x 4");
        NS_TEST_EXPECT_MSG_EQ(strategy.GetSize(ParallelDimension::WORLD), 48, "all");
        NS_TEST_EXPECT_MSG_EQ(strategy.Describe(), "TP 2 x CP 2 x PP 3 x DP 4, EP 2", "text");
        strategy.sequenceParallel = true;
        strategy.zeroStage = 3;
        strategy.modelChunks = 2;
        strategy.contextParallel = strategy.expertParallel = 1;
        strategy.recomputation = Recomputation::SELECTIVE;
        NS_TEST_EXPECT_MSG_EQ(
            strategy.Describe(),
            "TP 2 x PP 3 x DP 4, 2 model chunks, SP, ZeRO 3, selective recomputation",
            "text");
    }
};

/** The suite. */
class WorkloadGroupsTestSuite : public TestSuite
{
  public:
    WorkloadGroupsTestSuite()
        : TestSuite("llm-fabric-workload-groups", TestSuite::Type::UNIT)
    {
        AddTestCase(new GroupTestCase);
    }
};

WorkloadGroupsTestSuite g_workloadGroupsTestSuite; //!< registers itself

} // namespace
