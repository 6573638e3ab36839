// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/flow-generator.h"
#include "ns3/flow-size-distribution.h"

#include "flow-test-support.h"

#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Patterns of flows.
 */

namespace
{

/** Poisson arrivals. */
class PoissonTestCase : public InputTestCase
{
  public:
    PoissonTestCase()
        : InputTestCase("Poisson flows have the load, the gaps, the sizes and the ends asked for")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 16; //!< accelerators

    /** @param stream the first stream @return flows */
    static FlowList Make(int64_t stream)
    {
        // 50 % of 12.5 GB/s in flows of 10 kB on average for 10 ms: 6,250 flows a host
        const FlowSizeDistribution sizes({{0, 0}, {20000, 100}});
        FlowGenerator::Poisson traffic;
        traffic.load = 0.5;
        traffic.rate = DataRate("100Gbps");
        traffic.start = MicroSeconds(7);
        traffic.duration = MilliSeconds(10);
        traffic.group = 3;
        FlowList flows;
        FlowGenerator generator(HOSTS);
        NS_ABORT_MSG_UNLESS(generator.AssignStreams(stream) == 3, "three streams");
        generator.Add(flows, sizes, traffic);
        return flows;
    }

    void DoRun() override
    {
        const FlowList flows = Make(1);
        CheckFlows(flows, HOSTS);
        const double expected = 6250.0 * HOSTS;
        const auto count = static_cast<double>(flows.size());
        // four standard deviations, here and below
        NS_TEST_EXPECT_MSG_EQ_TOL(count, expected, 4 * std::sqrt(expected), "number of flows");
        double bytes = 0;
        double small = 0;
        double longGaps = 0;
        std::map<uint32_t, double> received;
        std::map<std::pair<uint32_t, uint32_t>, double> pairs;
        std::map<uint32_t, Time> last;
        Time before;
        for (const Flow& flow : flows)
        {
            bytes += static_cast<double>(flow.bytes);
            small += flow.bytes <= 5000 ? 1 : 0;
            received[flow.destination] += 1;
            pairs[{flow.source, flow.destination}] += 1;
            const bool isNew = last.count(flow.source) == 0;
            const Time gap = flow.start - (isNew ? MicroSeconds(7) : last[flow.source]);
            longGaps += gap > PicoSeconds(1600000) ? 1 : 0; // the mean
            last[flow.source] = flow.start;
            NS_TEST_ASSERT_MSG_EQ((flow.start >= before), true, "sorted");
            before = flow.start;
        }
        NS_TEST_EXPECT_MSG_EQ(pairs.size(), HOSTS * (HOSTS - 1), "each sends to each other");
        for (const auto& pair : pairs)
        {
            const double share = 6250.0 / (HOSTS - 1);
            NS_TEST_EXPECT_MSG_EQ_TOL(pair.second, share, 5 * std::sqrt(share), "of a pair");
        }
        NS_TEST_EXPECT_MSG_EQ(flows.front().group, 3, "group");
        NS_TEST_EXPECT_MSG_GT(flows.front().start, MicroSeconds(7), "none starts earlier");
        NS_TEST_EXPECT_MSG_LT(before, MilliSeconds(10) + MicroSeconds(7), "none starts later");
        // a size has a variance of 1/3 of its squared mean
        NS_TEST_EXPECT_MSG_EQ_TOL(bytes / (expected * 1e4),
                                  1,
                                  4 * std::sqrt(4.0 / 3 / expected),
                                  "load");
        NS_TEST_EXPECT_MSG_EQ_TOL(small / count, 0.25, 4 * std::sqrt(0.1875 / count), "sizes");
        NS_TEST_EXPECT_MSG_EQ_TOL(longGaps / count,
                                  std::exp(-1),
                                  4 * std::sqrt(0.2325 / count),
                                  "gaps longer than the mean");
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(received[host], 6250, 4 * std::sqrt(6250), "received");
        }
        const FlowList again = Make(1);
        const FlowList other = Make(10);
        NS_TEST_ASSERT_MSG_EQ(again.size(), flows.size(), "same streams, same flows");
        bool isSame = true;
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            isSame = isSame && again[i].start == flows[i].start &&
                     again[i].bytes == flows[i].bytes && again[i].source == flows[i].source &&
                     again[i].destination == flows[i].destination;
        }
        NS_TEST_EXPECT_MSG_EQ(isSame, true, "same streams, same flows");
        NS_TEST_EXPECT_MSG_NE(other[0].start, flows[0].start, "other streams, other flows");
    }
};

/** Incast and permutation. */
class PatternTestCase : public InputTestCase
{
  public:
    PatternTestCase()
        : InputTestCase(
              "An incast has one receiver a round; a permutation is one, without fixed points")
    {
    }

  private:
    void DoRun() override
    {
        FlowGenerator generator(5);
        generator.AssignStreams(1);
        FlowGenerator::Incast incast;
        incast.senders = 4;
        incast.bytes = 77;
        incast.rounds = 20000;
        incast.interval = MicroSeconds(3);
        FlowList flows;
        generator.Add(flows, incast);
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 80000, "all rounds");
        CheckFlows(flows, 5);
        std::map<std::pair<uint32_t, uint32_t>, double> firsts;
        for (uint32_t i = 0; i < flows.size(); i += 4)
        {
            std::set<uint32_t> ends{flows[i].destination};
            firsts[{flows[i].source, flows[i].destination}] += 1;
            for (uint32_t k = i; k < i + 4; ++k)
            {
                NS_TEST_EXPECT_MSG_EQ(flows[k].destination, flows[i].destination, "one receiver");
                NS_TEST_EXPECT_MSG_EQ(flows[k].start, MicroSeconds(3) * (i / 4), "at once");
                NS_TEST_EXPECT_MSG_EQ(flows[k].bytes, 77, "size");
                ends.insert(flows[k].source);
            }
            NS_TEST_EXPECT_MSG_EQ(ends.size(), 5, "four others");
        }
        NS_TEST_EXPECT_MSG_EQ(firsts.size(), 20, "any two");
        for (const auto& first : firsts)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(first.second, 1000, 4 * std::sqrt(1000), "as likely");
        }

        FlowGenerator::Permutation permutation;
        permutation.bytes = 88;
        permutation.rounds = 3;
        permutation.start = MicroSeconds(9);
        generator.Add(flows, permutation);
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 80015, "added");
        CheckFlows(flows, 5); // so none sends to itself, and each waits for a flow of its own
        for (uint32_t round = 0; round < 3; ++round)
        {
            std::set<uint32_t> senders;
            std::set<uint32_t> ends;
            for (uint32_t i = 80000 + 5 * round; i < 80005 + 5 * round; ++i)
            {
                senders.insert(flows[i].source);
                ends.insert(flows[i].destination);
                NS_TEST_EXPECT_MSG_EQ(flows[i].after, (round == 0 ? Flow::NONE : i - 5), "order");
                NS_TEST_EXPECT_MSG_EQ(flows[i].start, (MicroSeconds(round == 0 ? 9 : 0)), "start");
            }
            NS_TEST_EXPECT_MSG_EQ(senders.size() + ends.size(), 10, "each sends and receives");
        }
    }
};

/** Patterns that cannot be. */
class PatternRefusalTestCase : public InputTestCase
{
  public:
    PatternRefusalTestCase()
        : InputTestCase("Patterns that cannot be are refused")
    {
    }

  private:
    void DoRun() override
    {
        FlowList flows;
        const FlowSizeDistribution sizes({{1, 100}});
        ExpectRefusal(GetRefusal([] { FlowGenerator generator(1); }), "at least 2 are needed");
        FlowGenerator generator(4);
        FlowGenerator::Incast incast;
        incast.senders = 4;
        ExpectRefusal(GetRefusal([&] { generator.Add(flows, incast); }), "1 to 3 are allowed");
        FlowGenerator::Poisson poisson;
        poisson.rate = DataRate("400Gbps");
        poisson.duration = Seconds(10);
        ExpectRefusal(GetRefusal([&] { generator.Add(flows, sizes, poisson); }),
                      "1000000000000 flows: at most 100000000 are allowed");
        poisson.load = 1.5;
        ExpectRefusal(GetRefusal([&] { generator.Add(flows, sizes, poisson); }),
                      "load 1.500: more than 0 and at most 1");
        NS_TEST_EXPECT_MSG_EQ(flows.empty(), true, "nothing was added");
    }
};

/** The suite. */
class FlowGeneratorTestSuite : public TestSuite
{
  public:
    FlowGeneratorTestSuite()
        : TestSuite("llm-fabric-flow-generator", TestSuite::Type::UNIT)
    {
        AddTestCase(new PoissonTestCase);
        AddTestCase(new PatternTestCase);
        AddTestCase(new PatternRefusalTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_flowGeneratorTestSuite; //!< registers the suite

} // namespace
