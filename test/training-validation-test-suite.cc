// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/iteration-time.h"
#include "ns3/pipeline-bubble.h"
#include "ns3/test.h"
#include "ns3/training-validation.h"
#include "ns3/zero-bubble-schedule.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Mean and largest error of rows, percent. */
struct Errors
{
    double mean = 0;    //!< mean
    double largest = 0; //!< largest
};

/** @param rows they @return their errors */
Errors
Summarize(const std::vector<ValidationRow>& rows)
{
    Errors errors;
    for (const auto& row : rows)
    {
        const double error = std::abs(row.GetErrorPercent());
        errors.mean += error / static_cast<double>(rows.size());
        errors.largest = std::max(errors.largest, error);
    }
    return errors;
}

/** Training times measured elsewhere. */
class PublishedRunsTestCase : public TestCase
{
  public:
    PublishedRunsTestCase()
        : TestCase(
              "Replayed training times are near those of another program and the measured ones")
    {
    }

  private:
    void DoRun() override
    {
        const auto runs = ReadKorthikantiRuns();
        const auto early = ReadNarayananRuns();
        NS_TEST_ASSERT_MSG_EQ(runs.size(), 8, "runs of 2022");
        NS_TEST_ASSERT_MSG_EQ(early.size(), 10, "runs of 2021");
        const auto seconds = PredictRuns(runs, {MegatronSystem::YEAR_2022, 0});
        Check(CompareRuns(runs, seconds), 2, 4);
        // by a program that shares nothing but the formulas and the constants; exchanges between
        // stages wait for each other there a little more
        const std::vector<double> independent =
            {1.428, 1.069, 18.22, 13.49, 49.03, 36.89, 96.52, 73.04};
        for (std::size_t i = 0; i < independent.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(seconds[i] / independent[i], 1, 0.01, runs[i].name);
        }
        const auto before = PredictRuns(early, {MegatronSystem::EARLY_2021, 0});
        Check(CompareRuns(early, before), 5.5, 10);
        CheckSwitches(early[8], before[8]);
    }

    /**
     * @param rows they
     * @param mean error, at most, percent
     * @param largest error, at most, percent
     */
    void Check(const std::vector<ValidationRow>& rows, double mean, double largest)
    {
        const Errors errors = Summarize(rows);
        NS_TEST_EXPECT_MSG_LT(errors.mean, mean, "mean error");
        NS_TEST_EXPECT_MSG_LT(errors.largest, largest, "largest error");
        NS_TEST_EXPECT_MSG_GT(errors.mean, 0.1, "no prediction is that good");
    }

    /**
     * The software of 2022 is faster, as is a better efficiency.
     * @param run a run of 2021
     * @param seconds predicted
     */
    void CheckSwitches(const PublishedRun& run, double seconds)
    {
        const double later = ReplayTime(run, {MegatronSystem::YEAR_2022, 0}).GetSeconds();
        NS_TEST_EXPECT_MSG_LT(later, 0.99 * seconds, "software of 2022");
        const double better = ReplayTime(run, {MegatronSystem::EARLY_2021, 0.9}).GetSeconds();
        NS_TEST_EXPECT_MSG_LT(better, 0.97 * seconds, "faster products");
    }
};

/** Formulas. */
class ClosedFormsTestCase : public TestCase
{
  public:
    ClosedFormsTestCase()
        : TestCase("Memory and bubbles equal their closed forms")
    {
    }

  private:
    void DoRun() override
    {
        const auto memory = CompareMemory();
        NS_TEST_EXPECT_MSG_EQ(memory.size(), 12, "values");
        NS_TEST_EXPECT_MSG_LT(Summarize(memory).largest, 1e-7, "percent");
        const auto bubbles = CompareBubbles();
        NS_TEST_EXPECT_MSG_EQ(bubbles.size(), 4 * 3 * 3, "pipelines");
        NS_TEST_EXPECT_MSG_LT(Summarize(bubbles).largest, 0.1, "percent");
        // ZB-H1: (p - 1)(F + B - W) of m (F + B + W)
        const ZeroBubbleSchedule schedule;
        const double bubble =
            MeasureBubble(schedule,
                          {4, 1, 8},
                          {MicroSeconds(100), MicroSeconds(110), MicroSeconds(90)});
        NS_TEST_EXPECT_MSG_EQ_TOL(bubble, 3 * 120.0 / (8 * 300), 1e-6, "ZB-H1");
    }
};

/** Replays that are cut short. */
class IterationTimeTestCase : public TestCase
{
  public:
    IterationTimeTestCase()
        : TestCase("A pipeline goes on at the pace of its first micro-batches")
    {
    }

  private:
    void DoRun() override
    {
        for (const PublishedRun& run : ReadKorthikantiRuns())
        {
            if (run.strategy.pipelineParallel > 8)
            {
                continue; // too long for a test
            }
            const MegatronSystem system;
            const auto config = system.MakeConfig(run);
            const auto cost = system.MakeCost(run);
            const auto whole =
                Create<TransformerWorkload>(config,
                                            static_cast<uint32_t>(run.strategy.GetRankCount()));
            const Time replayed = ReplayIteration(whole, cost, MegatronSystem::SLOW_DOWN).time;
            const Time estimated = EstimateIterationTime(config, cost, MegatronSystem::SLOW_DOWN);
            NS_TEST_EXPECT_MSG_EQ_TOL(estimated.GetSeconds() / replayed.GetSeconds(),
                                      1,
                                      1e-3,
                                      run.name);
        }
    }
};

/** The suite. */
class TrainingValidationTestSuite : public TestSuite
{
  public:
    TrainingValidationTestSuite()
        : TestSuite("llm-fabric-training-validation", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new PublishedRunsTestCase);
        AddTestCase(new ClosedFormsTestCase);
        AddTestCase(new IterationTimeTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

TrainingValidationTestSuite g_trainingValidationTestSuite; //!< registers itself

} // namespace
