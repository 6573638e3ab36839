// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/roofline-cost-model.h"
#include "ns3/test.h"

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @return a device of round numbers: 100 Tflop/s by 100 multiprocessors, 1 TB/s */
Accelerator
MakeDevice()
{
    Accelerator device;
    device.name = "by hand";
    device.matrixFlopsPerSecond = 100e12;
    device.matrixFlopsPerSecond8 = 200e12;
    device.vectorFlopsPerSecond = 10e12;
    device.memoryBytesPerSecond = 1e12;
    device.multiprocessors = 100;
    return device;
}

/**
 * @param batch products
 * @param m rows
 * @param n columns
 * @param k length of the sums
 * @param resultBytes traffic of an element of the result
 * @return the operator, in 16 bit
 */
ModelOperator
MakeProduct(uint64_t batch, uint64_t m, uint64_t n, uint64_t k, uint32_t resultBytes = 2)
{
    ModelOperator op;
    op.kind = ModelOperator::MATRIX;
    op.batch = batch;
    op.m = m;
    op.n = n;
    op.k = k;
    op.resultBytes = resultBytes;
    op.flops = 2 * batch * m * n * k;
    op.bytes = batch * (2 * (m * k + k * n) + resultBytes * m * n);
    return op;
}

/** Products by tiles and waves. */
class TilesTestCase : public TestCase
{
  public:
    TilesTestCase()
        : TestCase("A matrix product takes whole waves of the tile that suits it best")
    {
    }

  private:
    /** @return a model without launches and epilogue, at the peaks */
    static Ptr<RooflineCostModel> MakeModel()
    {
        auto model = CreateObject<RooflineCostModel>();
        model->SetAttribute("MatrixEfficiency", DoubleValue(1));
        model->SetAttribute("MatrixEfficiency8", DoubleValue(0.5));
        model->SetAttribute("MemoryEfficiency", DoubleValue(1));
        model->SetAttribute("EpilogueShare", DoubleValue(0));
        model->SetAttribute("LaunchOverhead", TimeValue(Time(0)));
        return model;
    }

    void DoRun() override
    {
        Accelerator device = MakeDevice();
        device.memoryBytesPerSecond = 10e12;
        const auto model = MakeModel();
        const auto check = [&](const ModelOperator& op, double microseconds, const char* what)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(model->GetTime(op, device).GetSeconds() * 1e6,
                                      microseconds,
                                      1e-6,
                                      what);
        };
        // a tile of 256 x 128 with sums of 8192 is 536870912 operations: at 1 Tflop/s 536.870912 us
        const double wave = 536.870912;
        check(MakeProduct(1, 2560, 1280, 8192), wave, "100 tiles: a full wave");
        check(MakeProduct(1, 2560, 1281, 8192), 5 * wave / 4 / 0.80, "110: better by 128 x 64");
        check(MakeProduct(1, 5120, 1280, 8192), 2 * wave, "200 tiles: two waves");
        check(MakeProduct(10, 256, 1280, 8192), wave, "the same in ten products");
        check(MakeProduct(100, 64, 64, 8192), wave / 8 / 0.62, "the smallest tile");
        check(MakeProduct(100, 65, 64, 8192), wave / 4 / 0.80, "128 x 64");
        check(MakeProduct(100, 64, 65, 8192), wave / 4 / 0.80, "64 x 128");
        check(MakeProduct(1, 1, 1, 8192), wave / 8 / 0.62, "no less than a tile");
        // 32 bit takes twice as long, 8 bit half of its peak here
        auto op = MakeProduct(1, 2560, 1280, 8192);
        op.precision = 4;
        check(op, 2 * wave, "32 bit");
        op.precision = 1;
        check(op, wave, "8 bit at half of a doubled peak");
        device.memoryBytesPerSecond = 1e12;
        op = MakeProduct(1, 2560, 1280, 64);
        check(op, (2.0 * 64 * (2560 + 1280) + 2 * 2560 * 1280) / 1e6, "memory");
        model->SetAttribute("EpilogueShare", DoubleValue(0.5));
        // half of 8 bytes of each of 3276800 results at 1 TB/s
        check(MakeProduct(1, 2560, 1280, 8192, 8), wave + 13.1072, "writing the result");
        model->SetAttribute("LaunchOverhead", TimeValue(MicroSeconds(3)));
        op = MakeProduct(1, 2560, 1280, 8192, 8);
        op.kernels = 2;
        check(op, wave + 13.1072 + 6, "two launches");
        CheckOtherCurves();
        CheckBounds();
    }

    /** Efficiency that depends on the operations alone, or on nothing. */
    void CheckOtherCurves()
    {
        Accelerator device = MakeDevice();
        const auto model = MakeModel();
        const ModelOperator op = MakeProduct(1, 2048, 2048, 2048);
        const double flops = 2.0 * 2048 * 2048 * 2048;
        const auto seconds = [&]
        {
            return model->GetTime(op, device).GetSeconds();
        };
        model->SetAttribute("Efficiency", EnumValue(RooflineCostModel::CONSTANT));
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds(), flops / 100e12, 1e-12, "constant");
        model->SetAttribute("Efficiency", EnumValue(RooflineCostModel::SATURATING));
        model->SetAttribute("HalfFlops", DoubleValue(flops));
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds(), 2 * flops / 100e12, 1e-12, "half of the efficiency");
        model->SetAttribute("HalfFlops", DoubleValue(flops / 4));
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds(), flops / (100e12 / 1.25), 1e-12, "four fifths");
        const double saturating = seconds();
        model->SetAttribute("Efficiency", EnumValue(RooflineCostModel::TILES));
        // 256 tiles of 128 x 128, 67.108864 us each
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds(), 3 * 67.108864e-6 / 0.93, 1e-11, "by tiles");
        device.multiprocessors = 0;
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds(), saturating, 1e-15, "not known: saturating");
    }

    /** No product is faster than its bounds, and more work never takes less time. */
    void CheckBounds()
    {
        const Accelerator device = MakeDevice();
        const auto model = MakeModel();
        for (const uint64_t k : {16, 128, 4096})
        {
            double before = 0;
            for (uint64_t m = 1; m < 3000; m += 61)
            {
                const ModelOperator op = MakeProduct(3, m, 700, k);
                const double seconds = model->GetTime(op, device).GetSeconds();
                const double bound = std::max(static_cast<double>(op.flops) / 100e12,
                                              static_cast<double>(op.bytes) / 1e12);
                NS_TEST_ASSERT_MSG_GT(seconds, bound - 1e-12, m << " rows");
                NS_TEST_ASSERT_MSG_GT(seconds, before - 1e-12, m << " rows");
                before = seconds;
            }
        }
    }
};

/** Operators of the vector units. */
class VectorTestCase : public TestCase
{
  public:
    VectorTestCase()
        : TestCase("Vector operators are bound by memory, arithmetic or random numbers")
    {
    }

  private:
    void DoRun() override
    {
        Accelerator device = MakeDevice();
        const auto model = CreateObject<RooflineCostModel>();
        model->SetAttribute("MemoryEfficiency", DoubleValue(0.8));
        model->SetAttribute("NormForwardEfficiency", DoubleValue(0.5));
        model->SetAttribute("NormBackwardEfficiency", DoubleValue(0.4));
        model->SetAttribute("EarlyNormForwardEfficiency", DoubleValue(0.25));
        model->SetAttribute("EarlyNormBackwardEfficiency", DoubleValue(0.2));
        model->SetAttribute("RandomNumbersPerFlop", DoubleValue(0.01));
        ModelOperator op;
        op.bytes = 4000000;
        const auto check = [&](ModelOperator::Access access, uint64_t microseconds)
        {
            op.access = access;
            NS_TEST_EXPECT_MSG_EQ(model->GetTime(op, device),
                                  MicroSeconds(microseconds + 4),
                                  "4 MB, access " << unsigned(access));
        };
        check(ModelOperator::STREAM, 5);
        check(ModelOperator::NORM_FORWARD, 8);
        check(ModelOperator::NORM_BACKWARD, 10);
        check(ModelOperator::EARLY_NORM_FORWARD, 16);
        check(ModelOperator::EARLY_NORM_BACKWARD, 20);
        op.randomNumbers = 1000000; // at 100e9 a second
        check(ModelOperator::STREAM, 10);
        op.flops = 100000000; // at half of 10 Tflop/s
        check(ModelOperator::STREAM, 20);
        device.vectorFlopsPerSecond = 0;
        check(ModelOperator::STREAM, 5);
    }
};

/** Constants of accelerators. */
class ProfileTestCase : public TestCase
{
  public:
    ProfileTestCase()
        : TestCase("Each accelerator has a profile, of its own measurements where there are some")
    {
    }

  private:
    void DoRun() override
    {
        const Accelerator a100 = Accelerator::FromName("A100");
        const auto calibrated = CostProfile::Find(a100);
        NS_TEST_EXPECT_MSG_EQ(a100.multiprocessors, 108, "A100");
        NS_TEST_EXPECT_MSG_EQ(calibrated.matrixEfficiency, 0.824, "calibrated");
        NS_TEST_EXPECT_MSG_EQ_TOL(calibrated.memoryEfficiency, 1700.0 / 2039, 1e-12, "triad");
        NS_TEST_EXPECT_MSG_EQ_TOL(calibrated.normForward, 1258.0 / 2039, 1e-12, "norm");
        NS_TEST_EXPECT_MSG_EQ_TOL(calibrated.randomNumbersPerFlop, 250 / 19.5e3, 1e-12, "numbers");
        NS_TEST_EXPECT_MSG_EQ(calibrated.launchOverhead, MicroSeconds(4), "launch");
        const auto h100 = CostProfile::Find(Accelerator::FromName("H100"));
        NS_TEST_EXPECT_MSG_EQ_TOL(h100.matrixEfficiency, 794.5 / 989, 1e-12, "its best product");
        NS_TEST_EXPECT_MSG_EQ_TOL(h100.matrixEfficiency8, 1402.6 / 1979, 1e-12, "in 8 bit");
        NS_TEST_EXPECT_MSG_EQ_TOL(h100.memoryEfficiency, 2970.0 / 3350, 1e-12, "its triad");
        NS_TEST_EXPECT_MSG_EQ_TOL(h100.normForward / h100.memoryEfficiency,
                                  1258.0 / 1700,
                                  1e-12,
                                  "norms as far below as on A100");
        // a study that doubles the peaks doubles the rates
        Accelerator faster = Accelerator::FromName("H100");
        faster.matrixFlopsPerSecond *= 2;
        faster.memoryBytesPerSecond *= 2;
        const auto scaled = CostProfile::Find(faster);
        NS_TEST_EXPECT_MSG_EQ(scaled.matrixEfficiency, h100.matrixEfficiency, "the same share");
        NS_TEST_EXPECT_MSG_EQ(scaled.memoryEfficiency, h100.memoryEfficiency, "the same share");
        NS_TEST_EXPECT_MSG_EQ(CostProfile::Find(MakeDevice()).matrixEfficiency, 0.824, "by hand");
        for (const auto& accelerator : Accelerator::ReadFile(FindDataFile("accelerators.csv")))
        {
            const auto profile = CostProfile::Find(accelerator);
            const std::string& name = accelerator.name;
            NS_TEST_EXPECT_MSG_EQ(profile.accelerator, name, "whose");
            NS_TEST_EXPECT_MSG_EQ(profile.source.empty(), false, name);
            for (const double share : {profile.matrixEfficiency,
                                       profile.matrixEfficiency8,
                                       profile.memoryEfficiency,
                                       profile.normForward,
                                       profile.earlyNormBackward})
            {
                NS_TEST_EXPECT_MSG_GT(share, 0.2, name);
                NS_TEST_EXPECT_MSG_LT(share, 1, name);
            }
        }
        CheckModel(a100, calibrated);
        CheckFiles();
    }

    /**
     * A model takes all constants of a profile.
     * @param accelerator an accelerator
     * @param profile its profile
     */
    void CheckModel(const Accelerator& accelerator, const CostProfile& profile)
    {
        const auto model = RooflineCostModel::Create(accelerator);
        const auto check = [&](const char* attribute, double expected)
        {
            DoubleValue value;
            model->GetAttribute(attribute, value);
            NS_TEST_EXPECT_MSG_EQ(value.Get(), expected, attribute);
        };
        check("MatrixEfficiency", profile.matrixEfficiency);
        check("MatrixEfficiency8", profile.matrixEfficiency8);
        check("EpilogueShare", profile.epilogueShare);
        check("MemoryEfficiency", profile.memoryEfficiency);
        check("NormForwardEfficiency", profile.normForward);
        check("NormBackwardEfficiency", profile.normBackward);
        check("EarlyNormForwardEfficiency", profile.earlyNormForward);
        check("EarlyNormBackwardEfficiency", profile.earlyNormBackward);
        check("RandomNumbersPerFlop", profile.randomNumbersPerFlop);
    }

    /** Wrong files. */
    void CheckFiles()
    {
        std::ifstream file(FindDataFile("accelerator-profiles.json"));
        std::stringstream good;
        good << file.rdbuf();
        const std::string path = CreateTempDirFilename("profiles.json");
        const auto check = [&](const std::string& from,
                               const std::string& to,
                               const std::vector<std::string>& parts)
        {
            std::string text = good.str();
            text.replace(text.find(from), from.size(), to);
            std::ofstream(path) << text;
            const auto read = [&path]
            {
                CostProfile::ReadFile(path);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(read, parts), "", to);
        };
        check("0.824", "1.2", {"A100-SXM-80GB", "matrix_efficiency = 1.2", "at most 1"});
        check("1258", "\"fast\"", {"norm_forward_gb_per_s = \"fast\""});
        check("\"launch_us\"", "\"launch\"", {"launch_us = absent"});
        check("1700", "2100", {"memory_gb_per_s = 2100", "at most 2039"});
        check("\"source\"", "\"sauce\"", {"source must be a text"});
        check("A100-SXM-80GB", "A1000", {"'A1000' is not known"});
        check("\"profiles\"", "\"profile\"", {"no list", "profiles"});
    }
};

/** The suite. */
class WorkloadCostTestSuite : public TestSuite
{
  public:
    WorkloadCostTestSuite()
        : TestSuite("llm-fabric-workload-cost", TestSuite::Type::UNIT)
    {
        AddTestCase(new TilesTestCase);
        AddTestCase(new VectorTestCase);
        AddTestCase(new ProfileTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadCostTestSuite g_workloadCostTestSuite; //!< registers itself

} // namespace
