// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/flow-generator.h"
#include "ns3/flow-list.h"
#include "ns3/flow-size-distribution.h"

#include "ns3/test.h"

#include "flow-test-support.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Sizes, patterns and files of flows.
 */

namespace
{

/** A test with files. */
class FileTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @param text content of a file @return its path */
    std::string Write(const std::string& text)
    {
        const std::string path = CreateTempDirFilename("file.txt");
        std::ofstream(path) << text;
        return path;
    }

    /** @param refusal why something was refused @param words it must hold them */
    void ExpectRefusal(const std::string& refusal, const std::string& words)
    {
        NS_TEST_EXPECT_MSG_NE(refusal.find(words),
                              std::string::npos,
                              "'" << refusal << "' has '" << words << "'");
    }
};

/** The distribution of sizes. */
class SizesTestCase : public FileTestCase
{
  public:
    SizesTestCase()
        : FileTestCase("The inverse of a distribution is exact at its points; the mean is by hand")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {"web-search", "hadoop"})
        {
            const auto sizes = FlowSizeDistribution::ReadFile(name);
            NS_TEST_EXPECT_MSG_GT(sizes.GetPoints().size(), 10, name);
            for (const auto& point : sizes.GetPoints())
            {
                NS_TEST_EXPECT_MSG_EQ(sizes.GetQuantile(point.percent / 100),
                                      std::max<uint64_t>(point.bytes, 1),
                                      name << " at " << point.percent << " %");
            }
        }
        // sum over the pieces of share x middle
        const double mean = 0.15 * 5e3 + 0.05 * 15e3 + 0.1 * 25e3 + 0.1 * 40e3 + 0.13 * 65e3 +
                            0.07 * 140e3 + 0.1 * 600e3 + 0.1 * 1.5e6 + 0.1 * 3.5e6 + 0.07 * 7.5e6 +
                            0.03 * 20e6;
        NS_TEST_EXPECT_MSG_EQ_TOL(FlowSizeDistribution::ReadFile("web-search").GetMean(),
                                  mean,
                                  1e-6,
                                  "mean of web search");

        // 20 % have 100 B, 30 % are spread up to 200 B, 40 % have 200 B, 10 % up to 1000 B
        const FlowSizeDistribution steps({{100, 20}, {200, 50}, {200, 90}, {1000, 100}});
        const std::vector<std::pair<double, uint64_t>> expected{{0, 100},
                                                                {0.1, 100},
                                                                {0.35, 150},
                                                                {0.7, 200},
                                                                {0.95, 600},
                                                                {1, 1000}};
        for (const auto& [share, bytes] : expected)
        {
            NS_TEST_EXPECT_MSG_EQ(steps.GetQuantile(share), bytes, "share " << share);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(steps.GetMean(), 20 + 0.3 * 150 + 80 + 60, 1e-9, "mean");
    }
};

/** Wrong distributions. */
class SizesRefusalTestCase : public FileTestCase
{
  public:
    SizesRefusalTestCase()
        : FileTestCase("Wrong files of sizes are refused by line, field, value and what is allowed")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, std::string>> cases{
            {"", "no point"},
            {"10 0\n5 100\n", "5 B at 100.000 % after 10 B at 0.000 %"},
            {"10 50\n20 40\n30 100\n", "neither sizes nor percentages may fall"},
            {"10 0\n20 99\n", "to 20 B at 99.000 %; they must go from at least 0 % to 100 %"},
            {"10 0\n20 1\n", "shares instead of percentages"},
            {"# sizes\n\n10 0\n-20 100\n", "line 4: size [B] '-20': a whole number from 0"},
            {"1.5 0\n", "size [B] '1.5'"},
            {"10 101\n", "line 1: percent '101': a number from 0 to 100"},
            {"10 nan\n", "percent 'nan'"},
            {"10 1 0\n", "3 fields; a line has 2: size [B], percent"},
        };
        for (const auto& [text, words] : cases)
        {
            const std::string path = Write(text);
            ExpectRefusal(GetRefusal([&] { FlowSizeDistribution::ReadFile(path); }), words);
        }
        ExpectRefusal(GetRefusal([] { FlowSizeDistribution::ReadFile("./none.txt"); }),
                      "cannot read the flow-size file './none.txt'");
        ExpectRefusal(GetRefusal([] { FlowSizeDistribution::ReadFile("web-serch"); }),
                      "flow-sizes/web-serch.txt");
    }
};

/** HPCC's flow files. */
class FlowFileTestCase : public FileTestCase
{
  public:
    FlowFileTestCase()
        : FileTestCase("HPCC's flow files are read, wrong ones refused by line, field and value")
    {
    }

  private:
    void DoRun() override
    {
        const FlowList flows =
            ReadHpccFlows(Write("2\n3 1 3 100 5000000000 2.000000001\n0\t2 7 80 1 0.1\n"), 4);
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 2, "all are read");
        NS_TEST_EXPECT_MSG_EQ(flows[0].source, 3, "source");
        NS_TEST_EXPECT_MSG_EQ(flows[0].destination, 1, "destination");
        NS_TEST_EXPECT_MSG_EQ(flows[0].group, 3, "priority group");
        NS_TEST_EXPECT_MSG_EQ(flows[0].bytes, 5000000000, "more than 32 bits");
        NS_TEST_EXPECT_MSG_EQ(flows[0].start, PicoSeconds(2000000001000), "to the picosecond");
        NS_TEST_EXPECT_MSG_EQ(flows[1].start, PicoSeconds(100000000000), "in any order");

        const std::vector<std::pair<std::string, std::string>> cases{
            {"", "the file is empty"},
            {"1 2 3 4 5 6\n", "line 1: 6 fields; a line has 1: number of flows"},
            {"2\n0 1 3 100 5 0\n", "there are 2 flows, but 1 follow"},
            {"1\n0 1 3 100 5 0\n0 1 3 100 5 0\n", "line 3: the first line says that there are 1"},
            {"1\n0 4 3 100 5 0\n", "line 2: destination '4': a whole number from 0 to 3"},
            {"1\n0 0 3 100 5 0\n", "line 2: destination '0': another accelerator than the source"},
            {"1\n0 1 8 100 5 0\n", "priority group '8': a whole number from 0 to 7"},
            {"1\n0 1 3 70000 5 0\n", "port '70000'"},
            {"1\n0 1 3 100 0 0\n", "size [B] '0': a whole number from 1 to"},
            {"1\n0 1 3 100 5e3 0\n", "size [B] '5e3'"},
            {"1\n0 1 3 100 5 -1\n", "start time [s] '-1': a number from 0 to 1000000"},
            {"1\n0 1 3 5 0\n",
             "5 fields; a line has 6: source, destination, priority group, port, size [B], start"},
        };
        for (const auto& [text, words] : cases)
        {
            const std::string path = Write(text);
            ExpectRefusal(GetRefusal([&] { ReadHpccFlows(path, 4); }), words);
        }
    }
};

/** Lists that cannot be run. */
class FlowCheckTestCase : public FileTestCase
{
  public:
    FlowCheckTestCase()
        : FileTestCase("A flow waits only for one before it, and for what its source can see")
    {
    }

  private:
    void DoRun() override
    {
        Flow first;
        first.destination = 1;
        Flow second;
        second.source = 1;
        second.destination = 2;
        second.after = 0;
        second.afterState = FlowState::RECEIVED;
        CheckFlows({first, second}, 3);
        const auto refuse = [&](const std::string& words, const std::function<void(Flow&)>& change)
        {
            Flow wrong = second;
            change(wrong);
            ExpectRefusal(GetRefusal([&] { CheckFlows({first, wrong}, 3); }), words);
        };
        refuse("flow 1 starts at accelerator 1 when flow 0 is acknowledged at accelerator 0",
               [](Flow& flow) { flow.afterState = FlowState::ACKNOWLEDGED; });
        refuse("when flow 0 is received at accelerator 1", [](Flow& flow) { flow.source = 0; });
        refuse("until that is received or acknowledged",
               [](Flow& flow) { flow.afterState = FlowState::SENT; });
        refuse("only for one that stands before it", [](Flow& flow) { flow.after = 1; });
        refuse("allowed are 0 to 2", [](Flow& flow) { flow.destination = 3; });
        refuse("to itself", [](Flow& flow) { flow.destination = 1; });
        refuse("starts before the begin", [](Flow& flow) { flow.start = PicoSeconds(-1); });
        refuse("queue pair 1073741824", [](Flow& flow) { flow.queuePair = 1u << 30; });
    }
};

/** Poisson arrivals. */
class PoissonTestCase : public FileTestCase
{
  public:
    PoissonTestCase()
        : FileTestCase("Poisson flows have the load, the gaps, the sizes and the ends asked for")
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
class PatternTestCase : public FileTestCase
{
  public:
    PatternTestCase()
        : FileTestCase(
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
class PatternRefusalTestCase : public FileTestCase
{
  public:
    PatternRefusalTestCase()
        : FileTestCase("Patterns that cannot be are refused")
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
        AddTestCase(new SizesTestCase);
        AddTestCase(new SizesRefusalTestCase);
        AddTestCase(new FlowFileTestCase);
        AddTestCase(new FlowCheckTestCase);
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
