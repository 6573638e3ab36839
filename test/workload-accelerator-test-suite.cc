// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/accelerator.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/test.h"

#include <cmath>
#include <cstdlib>
#include <fstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** The accelerator file. */
class AcceleratorTestCase : public TestCase
{
  public:
    AcceleratorTestCase()
        : TestCase("Accelerators are found by name, with their figures")
    {
    }

  private:
    void DoRun() override
    {
        const Accelerator h100 = Accelerator::FromName("h100");
        NS_TEST_EXPECT_MSG_EQ(h100.name, "H100-SXM", "prefix, other case");
        NS_TEST_EXPECT_MSG_EQ(h100.matrixFlopsPerSecond, 989e12, "16 bit");
        NS_TEST_EXPECT_MSG_EQ(h100.matrixFlopsPerSecond8, 1979e12, "8 bit");
        NS_TEST_EXPECT_MSG_EQ(h100.vectorFlopsPerSecond, 67e12, "vector");
        NS_TEST_EXPECT_MSG_EQ(h100.memoryBytes, 80000000000, "memory");
        NS_TEST_EXPECT_MSG_EQ(h100.memoryBytesPerSecond, 3350e9, "memory rate");
        NS_TEST_EXPECT_MSG_EQ(h100.scaleUpRate, DataRate("3600Gb/s"), "450 GB/s");
        NS_TEST_EXPECT_MSG_EQ(h100.scaleUpDomain, 8, "domain");
        NS_TEST_EXPECT_MSG_EQ(h100.nicRate, DataRate("400Gb/s"), "NIC");
        NS_TEST_EXPECT_MSG_EQ(Accelerator::FromName("TPU v4").nicRate.GetBitRate(), 0, "unknown");
        const auto all = Accelerator::ReadFile(FindDataFile("accelerators.csv"));
        NS_TEST_EXPECT_MSG_EQ(all.size(), 17, "rows");
        for (const auto& accelerator : all)
        {
            NS_TEST_EXPECT_MSG_EQ(Accelerator::FromName(accelerator.name).name,
                                  accelerator.name,
                                  "full name");
            NS_TEST_EXPECT_MSG_EQ(accelerator.source.empty(), false, accelerator.name);
        }
        const auto refuse = [this](const char* name, const std::vector<std::string>& parts)
        {
            const auto find = [name]
            {
                Accelerator::FromName(name);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(find, parts), "", name);
        };
        refuse("GH200", {"fits several", "GH200-96GB, GH200-141GB"});
        refuse("B2O0", {"'B2O0' is not known", "did you mean B200?", "A100-SXM-80GB"});
        refuse("", {"not known"});
        CheckFiles();
    }

    /** Wrong files. */
    void CheckFiles()
    {
        const std::string path = CreateTempDirFilename("accelerators.csv");
        const auto check = [&](const std::string& text, const std::vector<std::string>& parts)
        {
            std::ofstream(path) << text;
            const auto read = [&path]
            {
                Accelerator::ReadFile(path);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(read, parts), "", text);
        };
        check("# c\naccelerator,hbm_gb\nX,1\n", {"line 3", "no column 'fp16_bf16_tflops'"});
        check("accelerator,fp16_bf16_tflops\nX\n", {"line 2", "1 fields", "2 columns"});
        check("accelerator,fp16_bf16_tflops\nX,fast\n", {"fp16_bf16_tflops = 'fast'"});
        check("accelerator,fp16_bf16_tflops\nX,\n", {"fp16_bf16_tflops = ''"});
        NS_TEST_EXPECT_MSG_EQ(
            CheckRefused([] { Accelerator::ReadFile("no.csv"); }, {"cannot read", "no.csv"}),
            "",
            "absent");
    }
};

/** Later generations. */
class ScaledTestCase : public TestCase
{
  public:
    ScaledTestCase()
        : TestCase("A scaled accelerator differs in its rates alone")
    {
    }

  private:
    void DoRun() override
    {
        const Accelerator mi210 = Accelerator::FromName("MI210");
        const Accelerator later = mi210.Scaled(4, 2, 0.5);
        NS_TEST_EXPECT_MSG_EQ(later.matrixFlopsPerSecond, 724e12, "4 x 181");
        NS_TEST_EXPECT_MSG_EQ_TOL(later.vectorFlopsPerSecond, 90.4e12, 1, "4 x 22.6");
        NS_TEST_EXPECT_MSG_EQ(later.matrixFlopsPerSecond8, 0, "unknown stays so");
        NS_TEST_EXPECT_MSG_EQ(later.memoryBytesPerSecond, 3200e9, "2 x 1600");
        NS_TEST_EXPECT_MSG_EQ(later.scaleUpRate, DataRate("600Gb/s"), "half of 150 GB/s");
        NS_TEST_EXPECT_MSG_EQ(later.nicRate, DataRate("100Gb/s"), "half of 200 Gb/s");
        NS_TEST_EXPECT_MSG_EQ(later.memoryBytes, mi210.memoryBytes, "size of the memory");
        NS_TEST_EXPECT_MSG_EQ(later.scaleUpDomain, mi210.scaleUpDomain, "size of the domain");
        NS_TEST_EXPECT_MSG_EQ(later.name, "MI210", "name");
        const Accelerator h100 = Accelerator::FromName("H100").Scaled(2, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(h100.matrixFlopsPerSecond8, 3958e12, "2 x 1979");
        for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL})
        {
            const auto refuse = [&](const char* name, double compute, double memory, double network)
            {
                const auto scale = [&]
                {
                    mi210.Scaled(compute, memory, network);
                };
                NS_TEST_EXPECT_MSG_EQ(CheckRefused(scale, {name, "above 0"}), "", wrong);
            };
            refuse("computeFactor", wrong, 1, 1);
            refuse("memoryFactor", 1, wrong, 1);
            refuse("networkFactor", 1, 1, wrong);
        }
    }
};

/** The data directory and suggestions. */
class DataDirectoryTestCase : public TestCase
{
  public:
    DataDirectoryTestCase()
        : TestCase("Data files are found, and near names suggested")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::string> names = {"ring", "tree", "Direct"};
        NS_TEST_EXPECT_MSG_EQ(FindNearestName("rnig", names), "ring", "two letters swapped");
        NS_TEST_EXPECT_MSG_EQ(FindNearestName("direkt", names), "Direct", "case does not count");
        NS_TEST_EXPECT_MSG_EQ(FindNearestName("xyzzy", names), "", "nothing is near");
        NS_TEST_EXPECT_MSG_EQ(DescribeAllowedNames("xyzzy", names),
                              ". Allowed: ring, tree, Direct",
                              "list");
        const auto find = []
        {
            FindDataFile("accelerators.csv");
        };
        setenv("LLM_FABRIC_DATA", "/nowhere:/else", 1);
        const std::string message = CheckRefused(find, {"LLM_FABRIC_DATA", "/nowhere:/else"});
        unsetenv("LLM_FABRIC_DATA");
        NS_TEST_EXPECT_MSG_EQ(message, "", "the environment replaces the built-in places");
        NS_TEST_EXPECT_MSG_EQ(CheckRefused(find, {}), "nothing was refused", "built-in places");
    }
};

/** The suite. */
class WorkloadAcceleratorTestSuite : public TestSuite
{
  public:
    WorkloadAcceleratorTestSuite()
        : TestSuite("llm-fabric-workload-accelerator", TestSuite::Type::UNIT)
    {
        AddTestCase(new AcceleratorTestCase);
        AddTestCase(new ScaledTestCase);
        AddTestCase(new DataDirectoryTestCase);
    }
};

WorkloadAcceleratorTestSuite g_workloadAcceleratorTestSuite; //!< registers itself

} // namespace
