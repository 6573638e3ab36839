// SPDX-License-Identifier: GPL-2.0-only

#include "operator-entries.h"
#include "refusal.h"
#include "workload-test-support.h"

#include "ns3/projected-cost-model.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <boost/tokenizer.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Whole models by the shipped profiles. */
class ShippedProjectionTestCase : public TestCase
{
  public:
    ShippedProjectionTestCase()
        : TestCase("Operators of published models, by shipped profiles, beat no peak")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t checked = 0;
        for (const auto& name : OperatorProfile::GetBuiltInNames())
        {
            const auto profile = OperatorProfile::Load(name);
            if (profile.accelerator.empty())
            {
                continue;
            }
            const auto accelerator = Accelerator::FromName(profile.accelerator);
            auto model = CreateObject<ProjectedCostModel>();
            model->SetAttribute("Profile", StringValue(name));
            model->SetAttribute("UnknownOperators", StringValue("SameKind"));
            for (const auto& group : model->GetGroups())
            {
                for (uint64_t edge = 128; edge <= 65536; edge *= 2)
                {
                    auto entry = group.entries.front();
                    entry.name = "qkv";
                    entry.m = entry.n = entry.k = edge;
                    entry.bytes = edge * edge;
                    checked += CheckBound(*model, entry, accelerator) ? 1 : 0;
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(checked, 300, "operators");
        CheckWorkload();
    }

    /**
     * @param model of a profile
     * @param entry a shape
     * @param accelerator of the profile
     * @return whether there was a peak to compare with
     */
    bool CheckBound(const ProjectedCostModel& model,
                    const OperatorProfileEntry& entry,
                    const Accelerator& accelerator)
    {
        const double seconds = model.GetTime(MakeOperator(entry), accelerator).GetSeconds();
        const bool matrix = entry.kind == ModelOperator::MATRIX;
        const double peak = entry.GetPrecisionBytes() == 1 ? accelerator.matrixFlopsPerSecond8
                                                           : accelerator.matrixFlopsPerSecond;
        const double least = matrix ? entry.GetSize().flops / peak
                                    : entry.GetSize().bytes / accelerator.memoryBytesPerSecond;
        NS_TEST_EXPECT_MSG_GT(seconds, least, accelerator.name << ", edge " << entry.m);
        return peak > 0;
    }

    /** A workload takes it as its cost model, and an operator it lacks is refused there. */
    void CheckWorkload()
    {
        auto model = CreateObject<ProjectedCostModel>();
        const auto make = [&model]
        {
            TransformerWorkload::Config config{TransformerModel::Load("gpt2-medium"),
                                               Accelerator::FromName("A100"),
                                               MakeStrategy(8, 1, 1, 1, 1024),
                                               model,
                                               nullptr,
                                               {}};
            return Create<TransformerWorkload>(config, 8);
        };
        model->SetAttribute("Profile", StringValue("a100-sxm-80gb"));
        NS_TEST_EXPECT_MSG_NE(GetRefusal([&] { make(); }).find("has no operator"),
                              std::string::npos,
                              "refused before a run");
        model->SetAttribute("UnknownOperators", StringValue("SameKind"));
        NS_TEST_EXPECT_MSG_EQ(GetRefusal([&] { make(); }), "", "all of its kind");
    }
};

/** The recorded profile of a processor, and what was measured at other shapes. */
class RecordedTestCase : public TestCase
{
  public:
    RecordedTestCase()
        : TestCase("A recorded profile projects the recorded times with the recorded errors")
    {
    }

  private:
    /** A line of the recorded comparison. */
    struct Recorded
    {
        OperatorProfileEntry entry; //!< the measured operator
        bool isBase = false;        //!< whether the profile has it
        double projected = 0;       //!< seconds, when it was recorded
        double alone = 0;           //!< seconds, from the first base layer in proportion
    };

    /** @return all lines of the comparison */
    static std::vector<Recorded> ReadComparison()
    {
        std::ifstream file(LLM_FABRIC_TEST_DIR "/data/operator-comparison.csv");
        std::vector<Recorded> result;
        for (std::string line; std::getline(file, line);)
        {
            const boost::tokenizer<boost::escaped_list_separator<char>> split(line);
            const std::vector<std::string> fields(split.begin(), split.end());
            if (line[0] == '#' || fields[0] == "operator")
            {
                continue;
            }
            Recorded row;
            row.entry.name = fields.at(0);
            row.entry.kind =
                fields.at(1) == "matrix" ? ModelOperator::MATRIX : ModelOperator::VECTOR;
            uint64_t* const sizes[] = {&row.entry.batch,
                                       &row.entry.m,
                                       &row.entry.n,
                                       &row.entry.k,
                                       &row.entry.elements,
                                       &row.entry.bytes};
            for (std::size_t i = 0; i < std::size(sizes); ++i)
            {
                *sizes[i] = std::stoull(fields.at(2 + i));
            }
            row.entry.precision = "fp32";
            row.isBase = fields.at(9) == "1";
            row.entry.seconds = std::stod(fields.at(10));
            row.projected = std::stod(fields.at(11));
            row.alone = std::stod(fields.at(12));
            result.push_back(row);
        }
        return result;
    }

    void DoRun() override
    {
        const std::string folder = LLM_FABRIC_TEST_DIR "/data/";
        const auto rows = ReadComparison();
        auto model = CreateObject<ProjectedCostModel>();
        model->SetAttribute("Profile", StringValue(folder + "operator-profile.json"));
        OperatorProfile first = OperatorProfile::Load(folder + "operator-profile.json");
        first.entries.resize(FIRST_ENTRIES);
        auto alone = CreateObject<ProjectedCostModel>();
        alone->SetProfile(first);
        alone->SetAttribute("OperatorModel", StringValue("Proportional"));
        std::map<std::string, std::pair<double, uint64_t>> logarithms; // sum and count
        for (const auto& row : rows)
        {
            const ModelOperator op = MakeOperator(row.entry);
            const double seconds = model->GetTime(op, Accelerator()).GetSeconds();
            NS_TEST_EXPECT_MSG_EQ_TOL(seconds, row.projected, 1e-7 * seconds, row.entry.name);
            NS_TEST_EXPECT_MSG_EQ_TOL(alone->GetTime(op, Accelerator()).GetSeconds(),
                                      row.alone,
                                      1e-7 * row.alone,
                                      row.entry.name);
            if (row.isBase)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(seconds, row.entry.seconds, 1e-12, "base: to a tick");
                continue;
            }
            auto& [sum, count] = logarithms[row.entry.name];
            sum += std::abs(std::log(seconds / row.entry.seconds));
            ++count;
        }
        NS_TEST_EXPECT_MSG_EQ(logarithms.size(), std::size(ERRORS), "operators");
        for (const auto& [name, error, count] : ERRORS)
        {
            const auto& found = logarithms[name];
            NS_TEST_EXPECT_MSG_EQ(found.second, count, name);
            const double mean = found.first / static_cast<double>(found.second);
            NS_TEST_EXPECT_MSG_EQ_TOL(100 * (std::exp(mean) - 1), error, 0.006, name);
        }
    }

    static constexpr std::size_t FIRST_ENTRIES = 10; //!< of the profile: those of the first layer

    /** What the program printed when it recorded. */
    struct Error
    {
        const char* name; //!< of an operator
        double percent;   //!< geometric-mean error
        uint64_t shapes;  //!< that were projected
    };

    /** All operators. */
    static constexpr Error ERRORS[] = {{"norm", 2.85, 11},
                                       {"qkv", 1.81, 41},
                                       {"scores", 3.66, 29},
                                       {"softmax", 1.52, 29},
                                       {"values", 3.48, 29},
                                       {"output", 1.96, 41},
                                       {"residual", 5.30, 11},
                                       {"fc1", 1.72, 41},
                                       {"activation", 1.81, 31},
                                       {"fc2", 2.48, 41}};
};

/** The suite. */
class WorkloadRecordedTestSuite : public TestSuite
{
  public:
    WorkloadRecordedTestSuite()
        : TestSuite("llm-fabric-workload-recorded", TestSuite::Type::UNIT)
    {
        AddTestCase(new ShippedProjectionTestCase);
        AddTestCase(new RecordedTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadRecordedTestSuite g_workloadRecordedTestSuite; //!< registers itself

} // namespace
