// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/rail-only-estimate.h"
#include "ns3/rail-only-validation.h"
#include "ns3/test.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The closed form of Rail-only, version 1, by hand and beside the published figures.
 */

namespace
{

/** @return a job of round numbers: P = 1e6, l = 2, d = 10, S_T = 1000, M_cc = 8, b = 100, 1 byte */
RailOnlyJob
MakeRoundJob()
{
    RailOnlyJob job;
    job.parameters = 1e6;
    job.blocks = 2;
    job.hidden = 10;
    job.blockParameters = 1000;
    job.batchTokens = 100;
    job.elementBytes = 1;
    return job;
}

/** @param domainSize K @return 64 accelerators of 1e6 FLOP/s, 100 byte/s and 10 byte/s */
RailOnlyMachine
MakeRoundMachine(double domainSize)
{
    RailOnlyMachine machine;
    machine.accelerators = 64;
    machine.domainSize = domainSize;
    machine.flopsPerSecond = 1e6;
    machine.domainBytesPerSecond = 100;
    machine.nicBytesPerSecond = 10;
    return machine;
}

/** The equation by hand. */
class EquationCase : public TestCase
{
  public:
    EquationCase()
        : TestCase("each term of the iteration time is as worked out by hand")
    {
    }

  private:
    void DoRun() override
    {
        // N_M = 4, N_Ds = 16/4 = 4, N_Df = 64/16 = 4
        const auto four = EstimateRailOnly(MakeRoundJob(), MakeRoundMachine(16), 4);
        NS_TEST_EXPECT_MSG_EQ_TOL(four.computeSeconds, 9.375, 1e-12, "6 x 1e6 x 100 / (64 x 1e6)");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.insideBytes, 750, 1e-9, "2 x 2 x 1000 x 3 / 16");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.acrossBytes, 187.5, 1e-9, "2 x 2 x 1000 x 3 / 64");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.modelBytes, 750, 1e-9, "2 x 8 x 100 x 10 x 3 / 64");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.insideSeconds, 7.5, 1e-12, "at 100 byte/s");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.acrossSeconds, 18.75, 1e-12, "at 10 byte/s");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.modelSeconds, 7.5, 1e-12, "at 100 byte/s");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.GetSeconds(), 43.125, 1e-12, "the sum");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.GetBytes(), 1687.5, 1e-9, "the sum");
        const auto alone = EstimateRailOnly(MakeRoundJob(), MakeRoundMachine(1), 1);
        NS_TEST_EXPECT_MSG_EQ(alone.modelBytes + alone.insideBytes,
                              0,
                              "domains of one: NICs alone");
        NS_TEST_EXPECT_MSG_EQ_TOL(alone.acrossBytes, 3937.5, 1e-9, "2 x 2 x 1000 x 63 / 64");
        RailOnlyJob twoBytes = MakeRoundJob();
        twoBytes.elementBytes = 2;
        NS_TEST_EXPECT_MSG_EQ_TOL(EstimateRailOnly(twoBytes, MakeRoundMachine(16), 4).GetBytes(),
                                  3375,
                                  1e-9,
                                  "wider elements");
        CheckIdeal();
    }

    /** K = N: T = M_flop/(N C) + l/(B_F N) [2 S_T (N/N_M - 1) + M_cc b d (N_M - 1)]. */
    void CheckIdeal()
    {
        for (const double group : {1.0, 2.5, 8.0, 64.0})
        {
            const auto ideal = EstimateRailOnly(MakeRoundJob(), MakeRoundMachine(64), group);
            const double closed =
                9.375 + 2.0 / (100 * 64) * (2000 * (64 / group - 1) + 8000 * (group - 1));
            NS_TEST_EXPECT_MSG_EQ_TOL(ideal.GetSeconds(), closed, 1e-12, "ideal");
            NS_TEST_EXPECT_MSG_EQ(ideal.acrossBytes, 0, "one domain");
        }
    }
};

/** The minimum over N_M. */
class MinimumCase : public TestCase
{
  public:
    MinimumCase()
        : TestCase("the time is least at the model-parallel group that the closed form names")
    {
    }

  private:
    void DoRun() override
    {
        // sqrt(2 x 64 x 1000 / (8 x 100 x 10)) = 4
        NS_TEST_EXPECT_MSG_EQ_TOL(FindBestModelParallel(MakeRoundJob(), MakeRoundMachine(16)),
                                  4,
                                  1e-12,
                                  "by hand");
        NS_TEST_EXPECT_MSG_EQ(FindBestModelParallel(MakeRoundJob(), MakeRoundMachine(2)),
                              2,
                              "no more than a domain has");
        RailOnlyJob large = MakeRoundJob();
        large.batchTokens = 1e6;
        NS_TEST_EXPECT_MSG_EQ(FindBestModelParallel(large, MakeRoundMachine(16)),
                              1,
                              "no fewer than one");
        for (const RailOnlyPoint& point : ReadRailOnlyPoints())
        {
            const double best = point.GetComputedSeconds();
            double least = std::numeric_limits<double>::max();
            for (double group = 1; group <= point.machine.domainSize; group *= 1.001)
            {
                least =
                    std::min(least, EstimateRailOnly(point.job, point.machine, group).GetSeconds());
            }
            NS_TEST_EXPECT_MSG_EQ((best <= least), true, "none is faster");
            NS_TEST_EXPECT_MSG_EQ_TOL(best, least, 1e-5 * best, "and one is as fast");
        }
        for (const auto& [real, rounded] : std::vector<std::pair<double, double>>{{1, 1},
                                                                                  {1.4, 1},
                                                                                  {1.5, 2},
                                                                                  {6.1, 8},
                                                                                  {24.6, 32},
                                                                                  {36, 32},
                                                                                  {45, 32},
                                                                                  {46, 64}})
        {
            NS_TEST_EXPECT_MSG_EQ(RoundModelParallel(real), rounded, real);
        }
    }
};

/** What it says of larger domains and rates. */
class MonotonyCase : public TestCase
{
  public:
    MonotonyCase()
        : TestCase(
              "a larger domain or a faster part never slows an iteration; the ideal is a bound")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string& name : RailOnlyJob::GetNames())
        {
            RailOnlyPoint point;
            point.job = RailOnlyJob::FromName(name, 2e6);
            point.machine.accelerators = 32768;
            point.machine.domainSize = 32768;
            const double ideal = point.GetComputedSeconds();
            double before = std::numeric_limits<double>::max();
            for (point.machine.domainSize = 8; !point.IsIdeal(); point.machine.domainSize *= 2)
            {
                const double seconds = point.GetComputedSeconds();
                NS_TEST_EXPECT_MSG_LT(seconds, before, name << " larger domain");
                NS_TEST_EXPECT_MSG_GT(seconds, ideal, name << " the ideal is faster");
                before = seconds;
                for (double RailOnlyMachine::*rate : {&RailOnlyMachine::flopsPerSecond,
                                                      &RailOnlyMachine::domainBytesPerSecond,
                                                      &RailOnlyMachine::nicBytesPerSecond})
                {
                    RailOnlyPoint faster = point;
                    faster.machine.*rate *= 2;
                    NS_TEST_EXPECT_MSG_LT(faster.GetComputedSeconds(), seconds, name << " rate");
                }
            }
        }
    }
};

/** Published figures. */
class PublishedCase : public TestCase
{
  public:
    PublishedCase()
        : TestCase("the paper's figures and percentages come out")
    {
    }

  private:
    void DoRun() override
    {
        uint32_t ofFigure7 = 0;
        uint32_t ofFigure8 = 0;
        uint32_t ideals = 0;
        const auto points = ReadRailOnlyPoints();
        const auto rows = CompareRailOnlyTimes();
        NS_TEST_ASSERT_MSG_EQ(rows.size(), points.size(), "a row for each point");
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            const double error = std::abs(rows[i].GetErrorPercent());
            NS_TEST_EXPECT_MSG_EQ(rows[i].published, points[i].seconds, rows[i].what);
            if (points[i].figure == 7)
            {
                ++ofFigure7;
                NS_TEST_EXPECT_MSG_LT(error, 2, rows[i].what);
            }
            else
            {
                ++(points[i].IsIdeal() ? ideals : ofFigure8);
                // the ideals are read off the figure less well
                NS_TEST_EXPECT_MSG_LT(error, (points[i].IsIdeal() ? 1.6 : 1.2), rows[i].what);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(ofFigure7, 36, "all of figure 7");
        NS_TEST_EXPECT_MSG_EQ(ofFigure8, 9, "all of figure 8 that are rail-only");
        NS_TEST_EXPECT_MSG_EQ(ideals, 3, "its ideals");
        // 3.487 s, 1.004 s, 0.669 s and 0.906 s: computed apart from this program
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[0].computed, 3.487, 0.0005, rows[0].what);
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[24].computed, 1.004, 0.0005, rows[24].what);
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[36].computed, 0.669, 0.0005, rows[36].what);
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[47].computed, 0.906, 0.0005, rows[47].what);
        CheckPercentages();
    }

    /** Shares of bytes and savings, to half of the last printed digit and a little for rounding. */
    void CheckPercentages()
    {
        const auto shares = CompareRailOnlyShares();
        NS_TEST_ASSERT_MSG_EQ(shares.size(), 9, "three parts of three models");
        for (std::size_t i = 0; i < shares.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_LT(std::abs(shares[i].GetErrorPercent()), 0.55, shares[i].what);
        }
        for (std::size_t i = 0; i < 9; i += 3)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(shares[i].computed + shares[i + 1].computed +
                                          shares[i + 2].computed,
                                      100,
                                      1e-9,
                                      "all bytes");
        }
        const auto savings = CompareRailOnlyLargerDomains();
        const std::vector<double> digits{1, 1, 0.01, 0.1};
        NS_TEST_ASSERT_MSG_EQ(savings.size(), digits.size(), "as printed");
        for (std::size_t i = 0; i < savings.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_LT(std::abs(savings[i].GetErrorPercent()),
                                  digits[i] / 2 + 1e-9,
                                  savings[i].what);
        }
    }
};

/** Wrong input. */
class RefusalCase : public TestCase
{
  public:
    RefusalCase()
        : TestCase("numbers that mean nothing are refused with their name and what is allowed")
    {
    }

  private:
    void DoRun() override
    {
        const auto refuse = [this](const RailOnlyJob& job,
                                   const RailOnlyMachine& machine,
                                   double group,
                                   const std::vector<std::string>& parts)
        {
            const auto estimate = [&]
            {
                EstimateRailOnly(job, machine, group);
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(estimate, parts), "", parts.front());
        };
        const RailOnlyJob job = MakeRoundJob();
        const RailOnlyMachine machine = MakeRoundMachine(16);
        refuse(job, machine, 17, {"modelParallel = 17", "1 to the 16 accelerators"});
        refuse(job, machine, 0.5, {"modelParallel = 0.5"});
        refuse(job, machine, std::nan(""), {"modelParallel = nan"});
        refuse(job, MakeRoundMachine(65), 1, {"domainSize = 65", "1 to 64"});
        refuse(job, MakeRoundMachine(0.5), 1, {"domainSize = 0.5"});
        for (const auto& [name, member] :
             std::vector<std::pair<std::string, double RailOnlyJob::*>>{
                 {"parameters", &RailOnlyJob::parameters},
                 {"blocks", &RailOnlyJob::blocks},
                 {"hidden", &RailOnlyJob::hidden},
                 {"blockParameters", &RailOnlyJob::blockParameters},
                 {"modelTransfers", &RailOnlyJob::modelTransfers},
                 {"batchTokens", &RailOnlyJob::batchTokens},
                 {"elementBytes", &RailOnlyJob::elementBytes}})
        {
            RailOnlyJob wrong = job;
            wrong.*member = 0;
            refuse(wrong, machine, 1, {name + " = 0", "above 0"});
        }
        for (const auto& [name, member] :
             std::vector<std::pair<std::string, double RailOnlyMachine::*>>{
                 {"accelerators", &RailOnlyMachine::accelerators},
                 {"domainSize", &RailOnlyMachine::domainSize},
                 {"flopsPerSecond", &RailOnlyMachine::flopsPerSecond},
                 {"domainBytesPerSecond", &RailOnlyMachine::domainBytesPerSecond},
                 {"nicBytesPerSecond", &RailOnlyMachine::nicBytesPerSecond}})
        {
            RailOnlyMachine wrong = machine;
            wrong.*member = -1;
            refuse(job, wrong, 1, {name + " = -1", "above 0"});
        }
        NS_TEST_EXPECT_MSG_EQ(CheckRefused([] { RailOnlyJob::FromName("GPT4", 1); },
                                           {"'GPT4'", "did you mean GPT3?", "OPT, PaLM"}),
                              "",
                              "unknown model");
    }
};

/** The suite. */
class RailOnlyEstimateTestSuite : public TestSuite
{
  public:
    RailOnlyEstimateTestSuite()
        : TestSuite("llm-fabric-rail-only-estimate", TestSuite::Type::UNIT)
    {
        AddTestCase(new EquationCase);
        AddTestCase(new MinimumCase);
        AddTestCase(new MonotonyCase);
        AddTestCase(new PublishedCase);
        AddTestCase(new RefusalCase);
    }
};

RailOnlyEstimateTestSuite g_railOnlyEstimateTestSuite; //!< registers itself

} // namespace
