// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/roofline-cost-model.h"
#include "ns3/test.h"
#include "ns3/transformer-operators.h"
#include "ns3/two-cs-estimate.h"
#include "ns3/two-cs-validation.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Algebra and times of Tale of Two Cs: by hand, against the operators of the workload, as worked out.
 */

namespace
{

/** A cost model that shows what it is asked for: time in proportion to FLOPs of matrix products. */
class FlopCounter : public OperatorCostModel
{
  public:
    Time GetTime(const ModelOperator& op, const Accelerator& accelerator) const override
    {
        (void)accelerator;
        return PicoSeconds(op.kind == ModelOperator::MATRIX ? op.flops / UNIT : 0);
    }

    static constexpr uint64_t UNIT = 1 << 20; //!< FLOPs of a tick; divides those of the grid
};

/** The algebra by hand. */
class AlgebraCase : public TestCase
{
  public:
    AlgebraCase()
        : TestCase("FLOPs, bytes, edge and slack of a layer are as worked out by hand")
    {
    }

  private:
    void DoRun() override
    {
        const TwoCsShape shape{8, 3, 2, 4, 2}; // H = 8, SL = 3, B = 2, TP = 4, 16 bit
        const auto products = shape.GetProducts();
        NS_TEST_EXPECT_MSG_EQ(products.qkv, 3 * 8 * 2 * 6, "3 H (H/TP) SL B");
        NS_TEST_EXPECT_MSG_EQ(products.scores, 2 * 9 * 2, "(H/TP) SL^2 B");
        NS_TEST_EXPECT_MSG_EQ(products.values, 36, "the same");
        NS_TEST_EXPECT_MSG_EQ(products.output, 96, "H (H/TP) SL B");
        NS_TEST_EXPECT_MSG_EQ(products.fc1, 384, "4 H (H/TP) SL B");
        NS_TEST_EXPECT_MSG_EQ(products.fc2, 384, "the same");
        NS_TEST_EXPECT_MSG_EQ(shape.GetForwardFlops(), 2448, "(24 x 64 x 6 + 4 x 9 x 8 x 2) / 4");
        NS_TEST_EXPECT_MSG_EQ(shape.GetBackwardFlops(), 4896, "twice");
        NS_TEST_EXPECT_MSG_EQ(shape.GetTensorMessageBytes(), 96, "2 x 8 x 3 x 2");
        NS_TEST_EXPECT_MSG_EQ(shape.GetTensorBytes(), 384, "four of them");
        NS_TEST_EXPECT_MSG_EQ(shape.GetGradientBytes(), 384, "2 x 12 x 64 / 4");
        NS_TEST_EXPECT_MSG_EQ_TOL(shape.GetEdge(), 7344.0 / 384, 1e-12, "19.125");
        NS_TEST_EXPECT_MSG_EQ_TOL(shape.GetSlack(), 4896.0 / 384, 1e-12, "12.75");
        for (const TwoCsShape& point : TwoCsShape::MakeGrid(4))
        {
            const auto h = static_cast<double>(point.hidden);
            const auto s = static_cast<double>(point.sequenceLength);
            const double edge = (18 * h + 3 * s) / (2 * static_cast<double>(point.tensorParallel));
            const double slack = 4 * 4 * s * (1 + s / (6 * h)) / 2;
            NS_TEST_EXPECT_MSG_EQ_TOL(point.GetEdge(), edge, 1e-12 * edge, "O((H + SL) / TP)");
            NS_TEST_EXPECT_MSG_EQ_TOL(point.GetSlack(), slack, 1e-12 * slack, "O(SL B)");
        }
        for (const TwoCsShape& wrong : {TwoCsShape{0, 1, 1, 1},
                                        TwoCsShape{8, 0, 1, 1},
                                        TwoCsShape{8, 1, 0, 1},
                                        TwoCsShape{8, 1, 1, 0},
                                        TwoCsShape{8, 1, 1, 1, 0},
                                        TwoCsShape{8, 1, 1, 3}})
        {
            const auto check = [&wrong]
            {
                wrong.Check();
            };
            NS_TEST_EXPECT_MSG_EQ(CheckRefused(check, {"TP must divide the hidden size"}), "", "");
        }
    }
};

/** The grid. */
class GridCase : public TestCase
{
  public:
    GridCase()
        : TestCase("the grid has 196 different layers, all of them sound")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t batch : {1, 4})
        {
            std::set<std::tuple<uint64_t, uint64_t, uint64_t>> seen;
            for (const TwoCsShape& shape : TwoCsShape::MakeGrid(batch))
            {
                shape.Check();
                seen.insert({shape.hidden, shape.sequenceLength, shape.tensorParallel});
                NS_TEST_EXPECT_MSG_EQ(shape.batch, batch, "batch");
            }
            NS_TEST_EXPECT_MSG_EQ(seen.size(), 196, "7 x 4 x 7");
            NS_TEST_EXPECT_MSG_EQ((*seen.begin() == std::make_tuple(1024, 1024, 4)), true, "first");
            NS_TEST_EXPECT_MSG_EQ((*seen.rbegin() == std::make_tuple(65536, 8192, 256)),
                                  true,
                                  "last");
        }
    }
};

/** Against what the workload lists. */
class OperatorsCase : public TestCase
{
  public:
    OperatorsCase()
        : TestCase("the workload's operators add up to the algebra at each point of the grid")
    {
    }

  private:
    void DoRun() override
    {
        UsePicosecondTicks();
        Accelerator accelerator;
        accelerator.scaleUpRate = DataRate("8Gb/s");
        const Ptr<FlopCounter> counter = CreateObject<FlopCounter>();
        for (const uint64_t batch : {1, 4})
        {
            for (const TwoCsShape& shape : TwoCsShape::MakeGrid(batch))
            {
                const TwoCsTimes times = EstimateTwoCs(shape, *counter, accelerator, 2);
                const auto ranks = static_cast<double>(shape.tensorParallel);
                NS_TEST_EXPECT_MSG_EQ(shape.GetForwardFlops() % FlopCounter::UNIT, 0, "ticks");
                CheckClose(times.forwardSeconds,
                           static_cast<double>(shape.GetForwardFlops() / FlopCounter::UNIT) / 1e12);
                CheckClose(times.backwardSeconds,
                           static_cast<double>(shape.GetBackwardFlops() / FlopCounter::UNIT) /
                               1e12);
                // 1 GB/s
                CheckClose(times.serializedSeconds,
                           2 * (ranks - 1) / ranks * static_cast<double>(shape.GetTensorBytes()) /
                               1e9);
                // the algebra leaves out the two norms, 4 H parameters that each rank keeps
                CheckClose(times.gradientSeconds,
                           static_cast<double>(shape.GetGradientBytes() + 2 * 4 * shape.hidden) /
                               1e9);
            }
        }
    }

    /**
     * @param value computed
     * @param expected expected
     */
    void CheckClose(double value, double expected)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(value, expected, 1e-12 * expected, "sum of the operators");
    }
};

/** Times and shares by hand. */
class TimesCase : public TestCase
{
  public:
    TimesCase()
        : TestCase("times and shares of a layer are as worked out by hand")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(GetRingSeconds(100, 4, 10), 15, 1e-12, "2 x 3/4 x 100 / 10");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetRingSeconds(100, 1, 10), 0, 1e-12, "alone");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetRingSeconds(100, 0, 10), 20, 1e-12, "without bound");
        const TwoCsShape shape{8, 3, 2, 4, 2};
        const TwoCsTimes times = EstimateTwoCs(shape, {48, 12, 2});
        NS_TEST_EXPECT_MSG_EQ_TOL(times.forwardSeconds, 51, 1e-12, "2448 / 48");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.backwardSeconds, 102, 1e-12, "twice");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.serializedSeconds, 48, 1e-12, "2 x 3/4 x 384 / 12");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.gradientSeconds, 32, 1e-12, "2 x 1/2 x 384 / 12");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.GetComputeSeconds(), 153, 1e-12, "both passes");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.GetOverlappedSeconds(), 32, 1e-12, "all is hidden");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.GetExposedSeconds(), 0, 1e-12, "nothing is left");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.GetTotalSeconds(), 201, 1e-12, "153 + 48");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.GetSerializedPercent(), 4800.0 / 201, 1e-9, "of 201");
        NS_TEST_EXPECT_MSG_EQ_TOL(times.GetOverlappedPercent(), 3200.0 / 102, 1e-9, "of 102");
        const TwoCsTimes fast = EstimateTwoCs(shape, {480, 12, 2});
        NS_TEST_EXPECT_MSG_EQ_TOL(fast.GetOverlappedSeconds(), 10.2, 1e-12, "backward is over");
        NS_TEST_EXPECT_MSG_EQ_TOL(fast.GetExposedSeconds(), 21.8, 1e-12, "32 - 10.2");
        NS_TEST_EXPECT_MSG_EQ_TOL(fast.GetTotalSeconds(), 85.1, 1e-12, "15.3 + 48 + 21.8");
        CheckTable();
    }

    /** Worked out from the shapes, to the printed digit. */
    void CheckTable()
    {
        const auto rows = CompareTwoCsFirstOrder();
        NS_TEST_EXPECT_MSG_EQ(rows.size(), 24, "five layers and three lengths at 1, 2 and 4");
        for (const ValidationRow& row : rows)
        {
            NS_TEST_EXPECT_MSG_EQ(std::round(row.computed), row.published, row.what);
        }
        // 2.684e10 x 3 / 1.086e14 = 741.5 us and 8 x 8388608 x 15/16 / 1.5e11 = 419.4 us
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[0].computed, 41943.04 / (419.4304 + 741.534), 0.01, "36.13");
        // against the whole layer: scores and values hide SL / (6 H) more
        const TwoCsMachine machine = TwoCsMachine::Make(Accelerator::FromName("MI210"), 1);
        NS_TEST_EXPECT_MSG_EQ(machine.flopsPerSecond, 181e12, "data file");
        NS_TEST_EXPECT_MSG_EQ(machine.ringBytesPerSecond, 150e9, "data file");
        for (const TwoCsShape& shape : TwoCsShape::MakeGrid(1))
        {
            const auto tokens = static_cast<double>(shape.sequenceLength);
            const double attention = 1 + tokens / (6 * static_cast<double>(shape.hidden));
            NS_TEST_EXPECT_MSG_EQ_TOL(EstimateTwoCs(shape, machine).GetOverlappedPercent() *
                                          attention,
                                      GetFirstOrderOverlap(tokens, 2, machine),
                                      1e-9,
                                      "linear layers alone");
        }
    }
};

/** What must grow and what must fall. */
class TrendCase : public TestCase
{
  public:
    TrendCase()
        : TestCase("shares grow with TP and compute and fall with hidden size and sequence length")
    {
    }

  private:
    /**
     * @param shape a layer
     * @param factor flop-vs-bw
     * @return its times by roofline without launches, and in first order
     */
    std::vector<TwoCsTimes> Estimate(const TwoCsShape& shape, double factor)
    {
        const Accelerator accelerator = m_accelerator.Scaled(factor, factor, 1);
        return {EstimateTwoCs(shape, *m_roofline, accelerator, 0),
                EstimateTwoCs(shape, TwoCsMachine::Make(accelerator, TWO_CS_EFFICIENCY))};
    }

    void DoRun() override
    {
        UsePicosecondTicks();
        m_accelerator = Accelerator::FromName("MI210");
        m_roofline = CreateObject<RooflineCostModel>();
        m_roofline->SetAttribute("MatrixEfficiency", DoubleValue(TWO_CS_EFFICIENCY));
        m_roofline->SetAttribute("LaunchOverhead", TimeValue(Time(0)));
        for (const TwoCsShape& shape : TwoCsShape::MakeGrid(1))
        {
            const auto now = Estimate(shape, 1);
            const auto later = Estimate(shape, 2);
            TwoCsShape more = shape;
            more.tensorParallel *= 2;
            TwoCsShape wider = shape;
            wider.hidden *= 2;
            TwoCsShape longer = shape;
            longer.sequenceLength *= 2;
            for (std::size_t form = 0; form < now.size(); ++form)
            {
                const double serialized = now[form].GetSerializedPercent();
                NS_TEST_EXPECT_MSG_GT(later[form].GetSerializedPercent(), serialized, "compute");
                NS_TEST_EXPECT_MSG_GT(later[form].GetOverlappedPercent(),
                                      now[form].GetOverlappedPercent(),
                                      "compute");
                NS_TEST_EXPECT_MSG_GT(Estimate(more, 1)[form].GetSerializedPercent(),
                                      serialized,
                                      "TP");
                // a rank's softmax grows with its heads: with H while these are 128 wide, and not below
                if (form == 1 || shape.hidden / shape.tensorParallel >= 128)
                {
                    NS_TEST_EXPECT_MSG_LT(Estimate(wider, 1)[form].GetSerializedPercent(),
                                          serialized,
                                          "H");
                }
                NS_TEST_EXPECT_MSG_LT(Estimate(longer, 1)[form].GetOverlappedPercent(),
                                      now[form].GetOverlappedPercent(),
                                      "SL");
            }
            // all operators take no less than the products alone at the same rate
            NS_TEST_EXPECT_MSG_EQ(
                (now[0].GetComputeSeconds() >= now[1].GetComputeSeconds() * (1 - 1e-4)),
                true,
                "compute");
            // twice as fast in all: half the time
            NS_TEST_EXPECT_MSG_EQ_TOL(later[0].GetComputeSeconds(),
                                      now[0].GetComputeSeconds() / 2,
                                      1e-4 * now[0].GetComputeSeconds(),
                                      "scaled");
        }
    }

    Accelerator m_accelerator;         //!< today's
    Ptr<RooflineCostModel> m_roofline; //!< without launches
};

/** The published ranges. */
class RangesCase : public TestCase
{
  public:
    RangesCase()
        : TestCase("the ranges to look at are read in order")
    {
    }

  private:
    void DoRun() override
    {
        const auto ranges = ReadTwoCsRanges();
        NS_TEST_ASSERT_MSG_EQ(ranges.size(), 4, "serialized at 1, 2 and 4, overlapped at 1");
        for (const TwoCsRange& range : ranges)
        {
            NS_TEST_EXPECT_MSG_LT(range.lowPercent, range.highPercent, range.share);
        }
        NS_TEST_EXPECT_MSG_EQ(ranges[2].share, "serialized", "third");
        NS_TEST_EXPECT_MSG_EQ(ranges[2].computeFactor, 4, "third");
        NS_TEST_EXPECT_MSG_EQ(ranges[2].highPercent, 75, "third");
    }
};

/** The suite. */
class TwoCsEstimateTestSuite : public TestSuite
{
  public:
    TwoCsEstimateTestSuite()
        : TestSuite("llm-fabric-two-cs-estimate", TestSuite::Type::UNIT)
    {
        AddTestCase(new AlgebraCase);
        AddTestCase(new GridCase);
        AddTestCase(new OperatorsCase);
        AddTestCase(new TimesCase);
        AddTestCase(new TrendCase);
        AddTestCase(new RangesCase);
    }
};

TwoCsEstimateTestSuite g_twoCsEstimateTestSuite; //!< registers itself

} // namespace
