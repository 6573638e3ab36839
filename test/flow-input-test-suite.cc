// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/flow-list.h"
#include "ns3/flow-size-distribution.h"

#include "flow-test-support.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Sizes, files and lists of flows.
 */

namespace
{

/** The distribution of sizes. */
class SizesTestCase : public InputTestCase
{
  public:
    SizesTestCase()
        : InputTestCase("The inverse of a distribution is exact at its points; the mean is by hand")
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
class SizesRefusalTestCase : public InputTestCase
{
  public:
    SizesRefusalTestCase()
        : InputTestCase(
              "Wrong files of sizes are refused by line, field, value and what is allowed")
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
class HpccFileTestCase : public InputTestCase
{
  public:
    HpccFileTestCase()
        : InputTestCase("HPCC's flow files are read, wrong ones refused by line, field and value")
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
class FlowCheckTestCase : public InputTestCase
{
  public:
    FlowCheckTestCase()
        : InputTestCase("A flow waits only for one before it, and for what its source can see")
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

/** The suite. */
class FlowInputTestSuite : public TestSuite
{
  public:
    FlowInputTestSuite()
        : TestSuite("llm-fabric-flow-input", TestSuite::Type::UNIT)
    {
        AddTestCase(new SizesTestCase);
        AddTestCase(new SizesRefusalTestCase);
        AddTestCase(new HpccFileTestCase);
        AddTestCase(new FlowCheckTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_flowInputTestSuite; //!< registers the suite

} // namespace
