// SPDX-License-Identifier: GPL-2.0-only

#include "refusal.h"

#include "ns3/llm-fabric-data.h"
#include "ns3/operator-profile.h"
#include "ns3/operator-time-curve.h"
#include "ns3/test.h"

#include <cmath>
#include <fstream>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Head of a profile, up to its entries. */
const std::string HEAD = R"({"device": "D", "date": "2026", "source": "S", "entries": [)";

/** An entry of a matrix product. */
const std::string PRODUCT =
    R"({"operator": "qkv", "kind": "matrix", "batch": 2, "m": 3, "n": 5, "k": 7,)"
    R"( "precision": "bf16", "seconds": 0.5})";

/** An entry of a vector operator. */
const std::string VECTOR =
    R"({"operator": "softmax", "kind": "vector", "elements": 11, "bytes": 88,)"
    R"( "precision": "fp32", "seconds": 2.5e-06, "source": "by hand"})";

/**
 * @param text where to replace
 * @param from what, once
 * @param to by what
 * @return the text
 */
std::string
Replace(std::string text, const std::string& from, const std::string& to)
{
    return text.replace(text.find(from), from.size(), to);
}

/**
 * @param path a file
 * @return its content
 */
std::string
ReadAll(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/** What a file says is what the profile holds. */
class ProfileFileTestCase : public TestCase
{
  public:
    ProfileFileTestCase()
        : TestCase("A profile is read, written and read again without a change")
    {
    }

  private:
    void DoRun() override
    {
        const auto profile =
            OperatorProfile::FromJson(HEAD + PRODUCT + "," + VECTOR + "]}", "here");
        NS_TEST_ASSERT_MSG_EQ(profile.entries.size(), 2, "entries");
        NS_TEST_EXPECT_MSG_EQ(profile.device + profile.date + profile.source, "D2026S", "head");
        NS_TEST_EXPECT_MSG_EQ(profile.accelerator, "", "none is named");
        const OperatorProfileEntry& product = profile.entries[0];
        NS_TEST_EXPECT_MSG_EQ(product.name, "qkv", "name");
        NS_TEST_EXPECT_MSG_EQ(product.kind, ModelOperator::MATRIX, "kind");
        NS_TEST_EXPECT_MSG_EQ(product.GetPrecisionBytes(), 2, "bf16");
        NS_TEST_EXPECT_MSG_EQ(product.seconds, 0.5, "seconds");
        NS_TEST_EXPECT_MSG_EQ(product.GetSize().flops, 2 * 2 * 3 * 5 * 7, "2 x batch x m x n x k");
        // 21 + 35 + 15 values of 2 B, twice
        NS_TEST_EXPECT_MSG_EQ(product.GetSize().bytes, 2 * 2 * (21 + 35 + 15), "operands, result");
        const OperatorProfileEntry& vector = profile.entries[1];
        NS_TEST_EXPECT_MSG_EQ(vector.kind, ModelOperator::VECTOR, "kind");
        NS_TEST_EXPECT_MSG_EQ(vector.elements, 11, "elements");
        NS_TEST_EXPECT_MSG_EQ(vector.GetSize().flops, 0, "no matrix units");
        NS_TEST_EXPECT_MSG_EQ(vector.GetSize().bytes, 88, "bytes as given");
        NS_TEST_EXPECT_MSG_EQ(vector.source, "by hand", "source");
        NS_TEST_EXPECT_MSG_EQ(profile.DescribeOperators(),
                              "qkv (bf16 matrix), softmax (vector)",
                              "for messages");

        const std::string written = profile.ToJson();
        const auto again = OperatorProfile::FromJson(written, "again");
        NS_TEST_EXPECT_MSG_EQ(again.ToJson(), written, "the same text");
        NS_TEST_EXPECT_MSG_EQ(again.entries[0].n, 5, "and the same figures");
        NS_TEST_EXPECT_MSG_EQ(again.entries[1].seconds, 2.5e-6, "to the last bit");
        const std::string one = Replace(PRODUCT, R"("batch": 2, )", "");
        NS_TEST_EXPECT_MSG_EQ(OperatorProfile::FromJson(HEAD + one + "]}", "").entries[0].batch,
                              1,
                              "one product unless told otherwise");
        const std::string named = Replace(HEAD, R"("date")", R"("accelerator": "a100", "date")");
        NS_TEST_EXPECT_MSG_EQ(OperatorProfile::FromJson(named + one + "]}", "").accelerator,
                              "A100-SXM-80GB",
                              "its full name");
        const std::string path = CreateTempDirFilename("profile.json");
        std::ofstream(path) << written;
        NS_TEST_EXPECT_MSG_EQ(OperatorProfile::Load(path).ToJson(), written, "from a file");
    }
};

/** Wrong files. */
class ProfileRefusalTestCase : public TestCase
{
  public:
    ProfileRefusalTestCase()
        : TestCase("A wrong profile is refused with the place, the key and what is allowed")
    {
    }

  private:
    void DoRun() override
    {
        const std::string whole = HEAD + PRODUCT + "," + VECTOR + "]}";
        Check(Replace(whole, R"("seconds": 0.5)", R"("seconds": 0)"),
              "p, entry 1 of kind matrix: seconds = 0 is not a number above 0");
        Check(Replace(whole, "0.5", "\"fast\""),
              "p, entry 1 of kind matrix: seconds = \"fast\" is not a number above 0");
        Check(Replace(whole, R"(, "seconds": 0.5)", ""),
              "p, entry 1 of kind matrix: seconds is missing");
        Check(Replace(whole, R"("m": 3)", R"("m": 0)"),
              "p, entry 1 of kind matrix: m = 0 is not a whole number from 1 to 1e15");
        Check(Replace(whole, R"("k": 7)", R"("k": 7.5)"),
              "p, entry 1 of kind matrix: k = 7.5 is not a whole number from 1 to 1e15");
        Check(Replace(whole, R"("bytes": 88)", R"("bytes": -88)"),
              "p, entry 2 of kind vector: bytes = -88 is not a whole number from 1 to 1e15");
        Check(Replace(whole, R"("elements": 11, )", ""),
              "p, entry 2 of kind vector: elements is missing");
        Check(Replace(whole, "bf16", "fp61"),
              "p, entry 1 of kind matrix: precision = \"fp61\" is not known; did you mean fp64? "
              "Allowed: fp64, fp32, bf16, fp16, fp8");
        Check(Replace(whole, "\"vector\"", "\"vektor\""),
              "p, entry 2: kind = \"vektor\" is not known; did you mean vector? Allowed: matrix, "
              "vector");
        Check(Replace(whole, R"("elements": 11)", R"("m": 11)"),
              "p, entry 2 of kind vector: key 'm' is not known. Allowed: operator, kind, "
              "precision, seconds, source, elements, bytes");
        Check(Replace(whole, R"("operator": "qkv")", R"("operatr": "qkv")"),
              "p, entry 1: key 'operatr' is not known; did you mean operator? Allowed: operator, "
              "kind, precision, seconds, source, batch, m, n, k, elements, bytes");
        Check(Replace(whole, R"("operator": "qkv")", R"("operator": "")"),
              "p, entry 1 of kind matrix: operator = \"\" is not a text of at least one letter");
        Check(Replace(whole, R"("source": "by hand")", R"("source": 1)"),
              "p, entry 2 of kind vector: source = 1 is not a text");
        Check(Replace(whole, "\"device\"", "\"devise\""),
              "p: key 'devise' is not known; did you mean device? Allowed: device, accelerator, "
              "date, source, entries");
        Check(Replace(whole, R"("device": "D", )", ""), "p: device is missing");
        Check(HEAD + "]}", "p: entries must be a list of at least one entry");
        Check(HEAD + "7]}", "p, entry 1 must be a JSON object");
        Check("[]", "p must be a JSON object");
        NS_TEST_EXPECT_MSG_EQ(GetMessage("{").rfind("p is not valid JSON: ", 0), 0, "no JSON");
        const std::string named = Replace(whole, R"("date")", R"("accelerator": "B2O0", "date")");
        NS_TEST_EXPECT_MSG_EQ(GetMessage(named).rfind("accelerator = 'B2O0' is not known", 0),
                              0,
                              "an accelerator that is none");
        const std::string absent = GetRefusal([] { OperatorProfile::Load("a100-sxm-80bg"); });
        NS_TEST_EXPECT_MSG_EQ(
            absent.rfind("operator profile 'a100-sxm-80bg' is neither a file that can be read nor "
                         "a name of data/profiles; did you mean a100-sxm-80gb? Allowed: ",
                         0),
            0,
            absent);
    }

    /**
     * @param text a profile
     * @return why it is refused
     */
    static std::string GetMessage(const std::string& text)
    {
        return GetRefusal([&text] { OperatorProfile::FromJson(text, "p"); });
    }

    /**
     * @param text a wrong profile
     * @param message why it is refused
     */
    void Check(const std::string& text, const std::string& message)
    {
        NS_TEST_EXPECT_MSG_EQ(GetMessage(text), message, text);
    }
};

/** The profiles that come with the module. */
class ShippedProfilesTestCase : public TestCase
{
  public:
    ShippedProfilesTestCase()
        : TestCase("Shipped profiles have sources, beat no peak and hold the published figures")
    {
    }

  private:
    void DoRun() override
    {
        const auto names = OperatorProfile::GetBuiltInNames();
        NS_TEST_EXPECT_MSG_EQ(names.size(), 11, "profiles");
        for (const auto& name : names)
        {
            const auto profile = OperatorProfile::Load(name);
            const std::string text = ReadAll(FindDataFile("profiles/" + name + ".json"));
            NS_TEST_EXPECT_MSG_EQ(profile.ToJson(), text, name << " is written as it is read");
            for (const auto& entry : profile.entries)
            {
                NS_TEST_EXPECT_MSG_EQ(entry.source.empty(), false, name);
                CheckBound(profile, entry);
            }
        }
        // of deep-learning benchmarks: Tflop/s at a shape, GB/s of a triad
        CheckRate("a100-sxm-80gb", 1024, 1024, "fp16", 119.4);
        CheckRate("a100-sxm-80gb", 16384, 16384, "fp16", 256.5);
        CheckRate("h100-sxm", 2048, 13312, "bf16", 794.5);
        CheckRate("h200", 1280, 12032, "fp8", 1453.4);
        CheckRate("gb200", 4096, 4096, "fp8", 2834.6);
        CheckRate("b200", 1792, 3072, "bf16", 1745);
        CheckRate("mi300x", 10240, 8192, "bf16", 668.4);
        for (const auto& [name, rate] :
             {std::pair{"a100-sxm-80gb", 1700}, {"h100-sxm", 2970}, {"h200", 4150}})
        {
            const OperatorProfileEntry triad = OperatorProfile::Load(name).entries.back();
            NS_TEST_EXPECT_MSG_EQ(triad.name, "triad", name);
            NS_TEST_EXPECT_MSG_EQ_TOL(triad.bytes / triad.seconds / 1e9, rate, 0.01, name);
        }
    }

    /**
     * @param profile of an accelerator
     * @param entry of it
     */
    void CheckBound(const OperatorProfile& profile, const OperatorProfileEntry& entry)
    {
        if (profile.accelerator.empty())
        {
            return;
        }
        const auto accelerator = Accelerator::FromName(profile.accelerator);
        const OperatorSize size = entry.GetSize();
        const double peak = entry.GetPrecisionBytes() == 1 ? accelerator.matrixFlopsPerSecond8
                                                           : accelerator.matrixFlopsPerSecond;
        NS_TEST_EXPECT_MSG_LT(size.flops / entry.seconds, peak, profile.device);
        if (entry.kind == ModelOperator::VECTOR)
        {
            NS_TEST_EXPECT_MSG_LT(size.bytes / entry.seconds,
                                  accelerator.memoryBytesPerSecond,
                                  profile.device);
        }
    }

    /**
     * @param name of a profile
     * @param m rows of a product
     * @param k length of its sums
     * @param precision its precision
     * @param rate Tflop/s that were published for it
     */
    void CheckRate(const std::string& name,
                   uint64_t m,
                   uint64_t k,
                   const std::string& precision,
                   double rate)
    {
        double nearest = 0; // several products may share m and k
        for (const auto& entry : OperatorProfile::Load(name).entries)
        {
            const double found = entry.GetSize().flops / entry.seconds / 1e12;
            if (entry.m == m && entry.k == k && entry.precision == precision &&
                std::abs(found - rate) < std::abs(nearest - rate))
            {
                nearest = found;
            }
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(nearest, rate, 1e-4 * rate, name << " " << m);
    }
};

/** Fits whose result is known. */
class TimeCurveTestCase : public TestCase
{
  public:
    TimeCurveTestCase()
        : TestCase("A curve finds the terms that times were made of, and none below 0")
    {
    }

  private:
    /**
     * @param edge of a product
     * @param length of its sums
     * @param curve that gives its time
     * @return an entry at 16 bit
     */
    static OperatorProfileEntry
    MakeEntry(uint64_t edge, uint64_t length, const OperatorTimeCurve& curve)
    {
        OperatorProfileEntry entry;
        entry.kind = ModelOperator::MATRIX;
        entry.m = entry.n = edge;
        entry.k = length;
        entry.precision = "bf16";
        entry.seconds = curve.GetSeconds(entry.GetSize());
        return entry;
    }

    void DoRun() override
    {
        const OperatorTimeCurve truth{5e-6, 1e-12, 1e-11};
        std::vector<OperatorProfileEntry> entries;
        for (const uint64_t edge : {100, 300, 1000, 3000})
        {
            entries.push_back(MakeEntry(edge, 64, truth));
            entries.push_back(MakeEntry(edge, edge, truth));
        }
        CheckEqual(OperatorTimeCurve::Fit(entries), truth, "all terms");
        const OperatorTimeCurve noBytes{5e-6, 1e-12, 0};
        CheckEqual(
            OperatorTimeCurve::Fit({MakeEntry(100, 100, noBytes), MakeEntry(1000, 1000, noBytes)}),
            noBytes,
            "two sizes: launch and operations");
        CheckEqual(OperatorTimeCurve::Fit(
                       {MakeEntry(100, 100, {0, 1e-12, 0}), MakeEntry(100, 100, {0, 1e-12, 0})}),
                   {0, 1e-12, 0},
                   "one size twice: a proportion");
        // 12 us = 2e6 flop / rate
        CheckEqual(OperatorTimeCurve::Fit({MakeEntry(100, 100, {10e-6, 1e-12, 0})}),
                   {0, 6e-12, 0},
                   "one size: a proportion");
        NS_TEST_EXPECT_MSG_EQ_TOL(truth.GetSeconds({4e6, 2e6}, 2, 4), 12e-6, 1e-15, "5 + 2 + 5 us");

        // times that grow faster than the operations: a launch below 0 would fit best. With rates of 1
        // and 0.5 Tflop/s the least sum (x - 1)^2 + (x / 2 - 1)^2 is at x = 1.5 / 1.25
        OperatorProfileEntry small = MakeEntry(100, 50, {});
        OperatorProfileEntry large = MakeEntry(100, 100, {});
        small.seconds = 1e-6;
        large.seconds = 4e-6;
        CheckEqual(OperatorTimeCurve::Fit({small, large}), {0, 1.2e-12, 0}, "no launch below 0");

        std::vector<OperatorProfileEntry> vectors(3);
        for (std::size_t i = 0; i < vectors.size(); ++i)
        {
            vectors[i].bytes = 1000000 << i;
            vectors[i].seconds = 3e-6 + static_cast<double>(vectors[i].bytes) * 1e-12;
        }
        CheckEqual(OperatorTimeCurve::Fit(vectors), {3e-6, 0, 1e-12}, "vector operators");
        CheckThrough(entries[1], vectors[0]);
    }

    /**
     * Curves through one point.
     * @param product 100 x 100 x 100 of `truth`: 5 us launch, 2 us operations, 0.6 us bytes
     * @param vector 1 MB: 3 us launch, 1 us bytes
     */
    void CheckThrough(const OperatorProfileEntry& product, const OperatorProfileEntry& vector)
    {
        CheckEqual(OperatorTimeCurve::Through(product, 4e-6),
                   {4e-6, 1.8e-12, 0},
                   "3.6 us for 2e6 operations");
        CheckEqual(OperatorTimeCurve::Through(vector, 2e-6),
                   {2e-6, 0, 2e-12},
                   "a microsecond moves to the bytes");
    }

    /**
     * @param curve a curve
     * @param expected what it must be
     * @param what words
     */
    void CheckEqual(const OperatorTimeCurve& curve,
                    const OperatorTimeCurve& expected,
                    const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(curve.launchSeconds, expected.launchSeconds, 1e-14, what);
        NS_TEST_EXPECT_MSG_EQ_TOL(curve.secondsPerFlop, expected.secondsPerFlop, 1e-20, what);
        NS_TEST_EXPECT_MSG_EQ_TOL(curve.secondsPerByte, expected.secondsPerByte, 1e-19, what);
    }
};

/** The suite. */
class WorkloadProfileTestSuite : public TestSuite
{
  public:
    WorkloadProfileTestSuite()
        : TestSuite("llm-fabric-workload-profile", TestSuite::Type::UNIT)
    {
        AddTestCase(new ProfileFileTestCase);
        AddTestCase(new ProfileRefusalTestCase);
        AddTestCase(new ShippedProfilesTestCase);
        AddTestCase(new TimeCurveTestCase);
    }
};

WorkloadProfileTestSuite g_workloadProfileTestSuite; //!< registers itself

} // namespace
