// SPDX-License-Identifier: GPL-2.0-only

#include "operator-entries.h"
#include "refusal.h"
#include "workload-test-support.h"

#include "ns3/double.h"
#include "ns3/projected-cost-model.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <cmath>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * @param entries of a profile
 * @param accelerator that it names
 * @return a model that projects from them
 */
Ptr<ProjectedCostModel>
MakeModel(const std::vector<OperatorProfileEntry>& entries, const std::string& accelerator = "")
{
    OperatorProfile profile;
    profile.device = "bench";
    profile.accelerator = accelerator;
    profile.entries = entries;
    auto model = CreateObject<ProjectedCostModel>();
    model->SetProfile(profile);
    return model;
}

/** Base of the cases: times of single operators. */
class ProjectedTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @param model a model
     * @param op an operator, as an entry without its time
     * @param expected its time, seconds
     * @param what words
     * @param accelerator that it runs on
     */
    void Check(const Ptr<ProjectedCostModel>& model,
               const OperatorProfileEntry& op,
               double expected,
               const std::string& what,
               const Accelerator& accelerator = Accelerator())
    {
        const double seconds = model->GetTime(MakeOperator(op), accelerator).GetSeconds();
        // a tick, and what a shape that was measured gets from the others
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds, expected, 1e-12 + 1e-8 * expected, what);
    }
};

/** Projection in proportion and by curves, by hand. */
class ArithmeticTestCase : public ProjectedTestCase
{
  public:
    ArithmeticTestCase()
        : ProjectedTestCase("Times are projected by proportion or curve, and by hardware factors")
    {
    }

  private:
    void DoRun() override
    {
        CheckProportion();
        CheckCurve();
        CheckResiduals();
        CheckLaunch();
    }

    /** From one entry, and from the nearest of several. */
    void CheckProportion()
    {
        const auto one = MakeModel(
            {MakeProduct("qkv", 100, "bf16", 12e-6), MakeVector("softmax", 1000000, 4e-6)});
        Check(one, MakeProduct("qkv", 200, "bf16", 0), 96e-6, "8 times the operations");
        Check(one, MakeVector("softmax", 3000000, 0), 12e-6, "3 times the bytes");
        one->SetAttribute("ComputeFactor", DoubleValue(4));
        Check(one, MakeProduct("qkv", 200, "bf16", 0), 24e-6, "on faster matrix units");
        Check(one, MakeVector("softmax", 3000000, 0), 12e-6, "which vector operators do not use");
        one->SetAttribute("MemoryFactor", DoubleValue(2));
        Check(one, MakeProduct("qkv", 200, "bf16", 0), 24e-6, "nor these the memory");
        Check(one, MakeVector("softmax", 3000000, 0), 6e-6, "but a faster memory");

        const auto two = MakeModel(
            {MakeProduct("qkv", 100, "bf16", 12e-6), MakeProduct("qkv", 1000, "bf16", 2010e-6)});
        two->SetAttribute("OperatorModel", StringValue("Proportional"));
        Check(two, MakeProduct("qkv", 200, "bf16", 0), 96e-6, "the smaller is nearer");
        Check(two, MakeProduct("qkv", 500, "bf16", 0), 2010e-6 / 8, "the larger is nearer");
        Check(two, MakeProduct("qkv", 1000, "bf16", 0), 2010e-6, "as measured");
    }

    /** 10 us launch and 1 Tflop/s; 3 us launch and 1 TB/s. */
    void CheckCurve()
    {
        const auto model = MakeModel({MakeProduct("qkv", 100, "bf16", 12e-6),
                                      MakeProduct("qkv", 1000, "bf16", 2010e-6),
                                      MakeVector("softmax", 1000000, 4e-6),
                                      MakeVector("softmax", 8000000, 11e-6)});
        Check(model, MakeProduct("qkv", 500, "bf16", 0), 260e-6, "10 + 250 us");
        Check(model, MakeVector("softmax", 4000000, 0), 7e-6, "3 + 4 us");
        OperatorProfileEntry batched = MakeProduct("qkv", 100, "bf16", 0);
        batched.batch = 30;
        Check(model, batched, 70e-6, "one launch and 30 products of 2 us");
        OperatorProfileEntry thin = MakeProduct("qkv", 500, "bf16", 0);
        thin.m = 5;
        thin.n = 50000;
        Check(model, thin, 260e-6, "two sizes say nothing of the bytes");
        model->SetAttribute("ComputeFactor", DoubleValue(2));
        model->SetAttribute("MemoryFactor", DoubleValue(4));
        Check(model, MakeProduct("qkv", 500, "bf16", 0), 135e-6, "10 + 125 us: launches stay");
        Check(model, MakeVector("softmax", 4000000, 0), 4e-6, "3 + 1 us");
    }

    /** Entries that no curve fits. */
    void CheckResiduals()
    {
        const std::vector<OperatorProfileEntry> entries = {MakeVector("residual", 1000000, 1e-6),
                                                           MakeVector("residual", 4000000, 9e-6),
                                                           MakeVector("residual", 9000000, 14e-6)};
        const auto model = MakeModel(entries);
        for (const auto& entry : entries)
        {
            Check(model, entry, entry.seconds, "what was measured");
        }
        // between the first two, whose logarithms are as far away, and a third one
        const OperatorTimeCurve curve = model->GetGroups().front().curve;
        const auto ratio = [&](std::size_t i)
        {
            return entries[i].seconds / curve.GetSeconds(entries[i].GetSize());
        };
        NS_TEST_EXPECT_MSG_LT(ratio(0), ratio(1), "the curve passes between them");
        const double near = 1 / std::pow(std::log(2), 2);
        const double far = 1 / std::pow(std::log(4.5), 2);
        const double factor = std::pow(ratio(0) * ratio(1), near / (2 * near + far)) *
                              std::pow(ratio(2), far / (2 * near + far));
        Check(model,
              MakeVector("residual", 2000000, 0),
              factor * curve.GetSeconds({0, 2e6}),
              "the mean of what the three are off by");
    }

    /** Where one size alone is known. */
    void CheckLaunch()
    {
        const auto model = MakeModel(
            {MakeProduct("qkv", 100, "bf16", 12e-6), MakeVector("softmax", 1000000, 4e-6)});
        model->SetAttribute("LaunchOverhead", TimeValue(MicroSeconds(3)));
        Check(model, MakeProduct("qkv", 200, "bf16", 0), 75e-6, "3 + 8 x 9 us");
        Check(model, MakeVector("softmax", 5000000, 0), 8e-6, "3 + 5 us");
        // 16 bit takes the launch of 8 bit, 5 us, and nothing else
        const OperatorTimeCurve eight{5e-6, 1e-12, 1e-11};
        std::vector<OperatorProfileEntry> entries = {MakeProduct("gemm", 100, "bf16", 0)};
        for (const uint64_t edge : {100, 300, 1000})
        {
            entries.push_back(MakeProduct("gemm", edge, "fp8", 0));
            entries.back().seconds = eight.GetSeconds(entries.back().GetSize());
        }
        entries[0].seconds = 9e-6;
        const auto borrowed = MakeModel(entries);
        Check(borrowed, MakeProduct("gemm", 200, "bf16", 0), 37e-6, "5 + 8 x 4 us");
        entries[0].seconds = 4e-6; // shorter than that launch: a proportion
        Check(MakeModel(entries), MakeProduct("gemm", 200, "bf16", 0), 32e-6, "8 times");
    }
};

/** What the profile does not have, and other hardware. */
class LookupTestCase : public ProjectedTestCase
{
  public:
    LookupTestCase()
        : ProjectedTestCase("Unknown operators are refused or taken by kind; peaks are factors")
    {
    }

  private:
    void DoRun() override
    {
        const auto model = MakeModel({MakeProduct("gemm", 100, "fp8", 2e-6),
                                      MakeProduct("gemm", 100, "bf16", 3e-6),
                                      MakeProduct("fc1", 100, "bf16", 4e-6),
                                      MakeVector("triad", 1000000, 1e-6)});
        CheckRefused(model,
                     MakeProduct("qkv", 100, "bf16", 0),
                     "the profile 'bench' has no operator 'qkv' (matrix, operands of 2 B). It has: "
                     "fc1 (bf16 matrix), gemm (bf16 matrix), gemm (fp8 matrix), triad (vector). "
                     "ns3::llm::ProjectedCostModel::UnknownOperators=SameKind takes those of its "
                     "kind");
        CheckRefused(model,
                     MakeVector("gemm", 100, 0),
                     "the profile 'bench' has no operator 'gemm' (vector). It has: "
                     "fc1 (bf16 matrix), gemm (bf16 matrix), gemm (fp8 matrix), triad (vector). "
                     "ns3::llm::ProjectedCostModel::UnknownOperators=SameKind takes those of its "
                     "kind");
        model->SetAttribute("UnknownOperators", StringValue("SameKind"));
        Check(model, MakeProduct("qkv", 100, "fp8", 0), 2e-6, "the only one at its precision");
        // one size, measured as 3 and as 4 us: the geometric mean
        Check(model, MakeProduct("qkv", 100, "bf16", 0), std::sqrt(12) * 1e-6, "both");
        Check(model, MakeProduct("fc1", 100, "bf16", 0), 4e-6, "a known one is taken itself");
        Check(model, MakeVector("softmax", 2000000, 0), 2e-6, "the only vector operator");
        CheckRefused(model,
                     MakeProduct("qkv", 100, "fp32", 0),
                     "the profile 'bench' has no operator 'qkv' (matrix, operands of 4 B). It has: "
                     "fc1 (bf16 matrix), gemm (bf16 matrix), gemm (fp8 matrix), triad (vector)");
        CheckRefused(CreateObject<ProjectedCostModel>(),
                     MakeProduct("qkv", 100, "fp32", 0),
                     "ns3::llm::ProjectedCostModel::Profile is not set; a name of data/profiles or "
                     "the path of a profile is needed");
        model->SetAttribute("LaunchOverhead", TimeValue(MicroSeconds(3)));
        CheckRefused(model,
                     MakeProduct("gemm", 200, "fp8", 0),
                     "ns3::llm::ProjectedCostModel::LaunchOverhead = 3.000000 us must be less than "
                     "the 2.000000 us that the profile 'bench' has of 'gemm'");
        CheckAccelerators();
    }

    /** The peaks of the accelerator that is asked for over those of the profile's. */
    void CheckAccelerators()
    {
        const std::vector<OperatorProfileEntry> entries = {MakeProduct("gemm", 100, "bf16", 1e-3),
                                                           MakeProduct("gemm", 100, "fp8", 1e-3),
                                                           MakeVector("triad", 1000000, 1e-3)};
        const auto a100 = MakeModel(entries, "A100-SXM-80GB");
        const auto h100 = MakeModel(entries, "H100-SXM");
        const Accelerator b200 = Accelerator::FromName("B200");
        Check(a100, entries[0], 1e-3, "itself", Accelerator::FromName("A100"));
        Check(a100, entries[0], 1e-3 * 312 / 2250, "16 bit", b200);
        Check(a100, entries[1], 1e-3 * 312 / 2250, "the A100 has no peak at 8 bit", b200);
        Check(a100, entries[2], 1e-3 * 2039 / 8000, "memory", b200);
        Check(h100, entries[1], 1e-3 * 1979 / 4500, "8 bit", b200);
        Check(MakeModel(entries), entries[0], 1e-3, "no accelerator is named", b200);
        a100->SetAttribute("ComputeFactor", DoubleValue(2));
        Check(a100, entries[0], 1e-3 * 312 / 2250 / 2, "and a factor", b200);
    }

    /**
     * @param model a model
     * @param op an operator, as an entry
     * @param message why it is refused
     */
    void CheckRefused(const Ptr<ProjectedCostModel>& model,
                      const OperatorProfileEntry& op,
                      const std::string& message)
    {
        const std::string refusal =
            GetRefusal([&] { model->GetTime(MakeOperator(op), Accelerator()); });
        NS_TEST_EXPECT_MSG_EQ(refusal, message, op.name);
    }
};

/** The suite. */
class WorkloadProjectedTestSuite : public TestSuite
{
  public:
    WorkloadProjectedTestSuite()
        : TestSuite("llm-fabric-workload-projected", TestSuite::Type::UNIT)
    {
        AddTestCase(new ArithmeticTestCase);
        AddTestCase(new LookupTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadProjectedTestSuite g_workloadProjectedTestSuite; //!< registers itself

} // namespace
