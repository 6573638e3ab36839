// SPDX-License-Identifier: GPL-2.0-only

// DCQCN by its hooks alone, without a network.

#include "control-bench.h"

#include "ns3/dcqcn-device.h"
#include "ns3/dcqcn.h"
#include "ns3/test.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Bench = ControlBench<Dcqcn, DcqcnState>;                   //!< the paper's form
using DeviceBench = ControlBench<DcqcnDevice, DcqcnDeviceState>; //!< the device's form

constexpr uint64_t US = Bench::US; //!< ticks of a microsecond

/** @param bench a queue pair @param now ps @param bytes acknowledged then */
void
Acknowledge(Bench& bench, uint64_t now, uint64_t bytes)
{
    AckSignal ack;
    ack.ackedBytes = bytes;
    bench.Ack(now, ack);
}

/** Cuts and increases by hand. */
class DcqcnHooksTestCase : public TestCase
{
  public:
    DcqcnHooksTestCase()
        : TestCase("DCQCN cuts, decays and rises as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckAlpha();
        CheckCuts();
        CheckPhases();
    }

    /** alpha without CNPs. */
    void CheckAlpha()
    {
        const std::vector<std::pair<uint32_t, double>> table{{1, .99609},
                                                             {4, .98447},
                                                             {16, .93930},
                                                             {100, .67612},
                                                             {256, .36716}};
        for (const auto& [periods, expected] : table)
        {
            Bench bench;
            bench.Cnp(0);
            bench.Cnp(55 * US * periods);
            // the second cut saw alpha after so many periods, then raised it
            const double alpha = (bench.state.alpha - 1.0 / 256) / (1 - 1.0 / 256);
            NS_TEST_EXPECT_MSG_EQ_TOL(alpha, expected, 1e-5, periods << " periods");
        }
    }

    /** One and two CNPs, then the timer. */
    void CheckCuts()
    {
        Bench one;
        NS_TEST_EXPECT_MSG_EQ(one.Rate(), 100, "a new queue pair has the line");
        const bool isTimed = one.decision.deadlineTicks != CongestionDecision::NEVER;
        NS_TEST_EXPECT_MSG_EQ(isTimed, false, "and no timer");
        one.Cnp(1000 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(one.Rate(), 50, 1e-9, "one CNP");
        NS_TEST_EXPECT_MSG_EQ_TOL(one.state.targetBps, 100e9, 1e-3, "target");
        NS_TEST_EXPECT_MSG_EQ_TOL(one.state.alpha, 1, 1e-12, "alpha");
        const double rates[] = {75, 87.5, 93.75, 96.875, 98.4375};
        for (uint32_t i = 0; i < 5; ++i)
        {
            one.CatchUp((1000 + 55 * (i + 1)) * US - 1);
            NS_TEST_EXPECT_MSG_LT(one.Rate(), rates[i] - 1, "before its time");
            one.CatchUp((1000 + 55 * (i + 1)) * US);
            NS_TEST_EXPECT_MSG_EQ_TOL(one.Rate(), rates[i], 1e-9, "increase " << i + 1);
        }
        Bench two;
        two.Cnp(0);
        two.Cnp(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(two.Rate(), 25, 1e-9, "second CNP");
        NS_TEST_EXPECT_MSG_EQ_TOL(two.state.targetBps, 50e9, 1e-3, "target");
        const double additive = 0.04 * 100 / 40; // 40 Mb/s at 40 Gb/s
        const double after[] = {37.5, 43.75, 46.875, 48.4375, 49.21875 + additive / 2};
        for (uint32_t i = 0; i < 5; ++i)
        {
            two.CatchUp(55 * (i + 1) * US + 1);
            NS_TEST_EXPECT_MSG_EQ_TOL(two.Rate(), after[i], 1e-9, "increase " << i + 1);
        }
        Bench many;
        for (uint32_t i = 0; i < 100; ++i)
        {
            many.Cnp(i);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(many.Rate(), 0.1, 1e-9, "never below the lowest rate");
    }

    /** Which of timer and byte counter leads where. */
    void CheckPhases()
    {
        // target above the rate's reach: two CNPs on a 400G line leave it at 200
        for (uint32_t timers = 0; timers <= 7; ++timers)
        {
            for (uint32_t counts = 0; counts <= 7; ++counts)
            {
                Bench bench(400);
                bench.Set("ReferenceRate", DataRateValue(DataRate(0)));
                bench.Cnp(0);
                bench.Cnp(1);
                double target = 200;
                double rate = 100;
                uint32_t done[2] = {0, 0};
                const auto expect = [&]()
                {
                    const uint32_t least = std::min(done[0], done[1]);
                    if (least >= 5)
                    {
                        target += (least - 4) * 0.2;
                    }
                    else if (std::max(done[0], done[1]) >= 5)
                    {
                        target += 0.04;
                    }
                    rate = (rate + target) / 2;
                };
                for (uint32_t i = 0; i < counts; ++i)
                {
                    ++done[0];
                    expect();
                    Acknowledge(bench, 2 + i, 10000000);
                }
                for (uint32_t i = 0; i < timers; ++i)
                {
                    ++done[1];
                    expect();
                    bench.CatchUp(55 * US * (i + 1) + 1);
                }
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(),
                                          rate,
                                          1e-9,
                                          timers << " timers, " << counts << " byte counters");
                NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.targetBps / 1e9, target, 1e-9, "target");
            }
        }
    }
};

/** Deadlines served late. */
class LazyDeadlineTestCase : public TestCase
{
  public:
    LazyDeadlineTestCase()
        : TestCase("A deadline served late once leaves what many served in time leave")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(3);
        for (uint32_t turn = 0; turn < 200; ++turn)
        {
            Bench timely;
            Bench late;
            uint64_t now = 0;
            for (uint32_t step = 0; step < 10; ++step)
            {
                const uint64_t next = now + random() % (1500 * US);
                while (timely.decision.deadlineTicks <= next)
                {
                    timely.CatchUp(timely.decision.deadlineTicks);
                }
                timely.CatchUp(next);
                late.CatchUp(next);
                now = next;
                if (random() % 3 == 0)
                {
                    timely.Cnp(now);
                    late.Cnp(now);
                }
                else
                {
                    const uint64_t bytes = random() % 30000000;
                    Acknowledge(timely, now, bytes);
                    Acknowledge(late, now, bytes);
                }
                NS_TEST_ASSERT_MSG_EQ(timely.decision.rateBps, late.decision.rateBps, "rate");
                NS_TEST_ASSERT_MSG_EQ(timely.decision.deadlineTicks,
                                      late.decision.deadlineTicks,
                                      "deadline");
                NS_TEST_ASSERT_MSG_EQ(timely.state.targetBps, late.state.targetBps, "target");
                NS_TEST_ASSERT_MSG_EQ(timely.state.alpha, late.state.alpha, "alpha");
            }
        }
    }
};

/** What public code does otherwise. */
class DcqcnChoicesTestCase : public TestCase
{
  public:
    DcqcnChoicesTestCase()
        : TestCase(
              "DCQCN's choices: alpha before the cut, phase by event, steady hyper steps, window")
    {
    }

  private:
    void DoRun() override
    {
        Bench alphaFirst;
        alphaFirst.Set("InitialAlpha", 0.5);
        alphaFirst.Set("CutFirst", BooleanValue(false));
        alphaFirst.Cnp(0);
        // alpha rises to 0.5 + 0.5 / 256 before the cut, not after
        NS_TEST_EXPECT_MSG_EQ_TOL(alphaFirst.Rate(), 100 * (1 - 0.501953125 / 2), 1e-9, "cut");
        NS_TEST_EXPECT_MSG_EQ_TOL(alphaFirst.state.alpha, 0.501953125, 1e-12, "alpha");
        CheckPhaseOfEvent();
        CheckHyper();
        Bench window;
        window.Set("VariableWindow", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(window.decision.windowBytes, 125000, "BDP of 100G and 10 us");
        window.Cnp(0);
        NS_TEST_EXPECT_MSG_EQ(window.decision.windowBytes, 62500, "half the rate, half the window");
        window.CatchUp(55 * US);
        NS_TEST_EXPECT_MSG_EQ(window.decision.windowBytes, 93750, "it rises with the rate");
        Bench none;
        none.Cnp(0);
        NS_TEST_EXPECT_MSG_EQ(none.decision.windowBytes, UINT64_MAX, "no window");
    }

    /** The byte counter has passed F, the timer has not: what does the timer's event do? */
    void CheckPhaseOfEvent()
    {
        for (const bool isByEvent : {false, true})
        {
            Bench bench(400);
            bench.Set("PhaseOfEvent", BooleanValue(isByEvent));
            bench.Cnp(0);
            bench.Cnp(1);
            for (uint32_t i = 0; i < 5; ++i)
            {
                Acknowledge(bench, 2 + i, 10000000);
            }
            const double target = bench.state.targetBps / 1e9;
            NS_TEST_EXPECT_MSG_EQ_TOL(target, 200.4, 1e-9, "the fifth is additive in both");
            bench.CatchUp(55 * US + 1);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.targetBps / 1e9,
                                      (isByEvent ? 200.4 : 200.8),
                                      1e-9,
                                      "the timer's first: fast by event, additive by both");
        }
    }

    /** The second and third hyper increase. */
    void CheckHyper()
    {
        for (const bool isGrowing : {false, true})
        {
            Bench bench(400);
            bench.Set("Threshold", UintegerValue(1));
            bench.Set("HyperGrows", BooleanValue(isGrowing));
            bench.Cnp(0);
            bench.Cnp(1);
            Acknowledge(bench, 2, 30000000); // three additive, as the timer stands at 0
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.targetBps / 1e9, 201.2, 1e-9, "additive");
            bench.CatchUp(3 * 55 * US + 1);
            const double steps = isGrowing ? 1 + 2 + 3 : 3;
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.targetBps / 1e9,
                                      201.2 + steps * 2,
                                      1e-9,
                                      "hyper, 2 Gb/s each at 400G");
        }
    }
};

/** Slices of time. */
class DeviceHooksTestCase : public TestCase
{
  public:
    DeviceHooksTestCase()
        : TestCase(
              "A device's DCQCN cuts once per slice, after alpha, and rises by its timer alone")
    {
    }

  private:
    void DoRun() override
    {
        CheckFirstCut();
        CheckSlices();
        CheckTarget();
        CheckIncrease();
        CheckLimits();
    }

    /** One CNP; the slices need not begin at a round time. */
    void CheckFirstCut()
    {
        DeviceBench bench;
        const uint64_t t0 = 777 * US + 123456;
        bench.Cnp(t0);
        NS_TEST_EXPECT_MSG_EQ(bench.Rate(), 100, "nothing before the slice is over");
        NS_TEST_EXPECT_MSG_EQ(bench.decision.deadlineTicks, t0 + 4 * US, "its end");
        bench.CatchUp(t0 + 4 * US - 1);
        NS_TEST_EXPECT_MSG_EQ(bench.Rate(), 100, "not yet");
        bench.CatchUp(t0 + 4 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 50.777, 5e-4, "alpha has decayed four times");
        DeviceBench nic;
        nic.Set("InitialAlpha", 1023.0 / 1024);
        nic.Set("Gain", 5.0 / 1024);
        nic.Cnp(t0);
        nic.CatchUp(t0 + 4 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(nic.Rate(), 51.017, 5e-4, "with the NIC's constants");
        DeviceBench first;
        first.Set("FirstCnpFactor", 0.25);
        first.Cnp(t0);
        NS_TEST_EXPECT_MSG_EQ_TOL(first.Rate(), 25, 1e-9, "at once, if so asked");
        NS_TEST_EXPECT_MSG_EQ_TOL(first.state.targetBps, 25e9, 1, "and the target");
    }

    /** Several CNPs in a slice, and a slice without. */
    void CheckSlices()
    {
        const double g = 1.0 / 256;
        DeviceBench bench;
        bench.Cnp(0);
        bench.Cnp(US / 2); // counts in the first slice of alpha, though the first CNP does not
        bench.Cnp(US / 2 + 1);
        bench.Cnp(3 * US + 1); // and in the fourth
        double alpha = 1;
        for (const double seen : {1, 0, 0, 1})
        {
            alpha = (1 - g) * alpha + g * seen;
        }
        bench.CatchUp(4 * US);
        const double once = 100 * (1 - alpha / 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), once, 1e-9, "one cut for four CNPs");
        bench.CatchUp(12 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), once, 1e-9, "none without");
        bench.Cnp(13 * US);
        NS_TEST_EXPECT_MSG_EQ(bench.decision.deadlineTicks, 16 * US, "slices go on from the first");
        alpha *= std::pow(1 - g, 9);                        // 4 to 13 us
        alpha = ((1 - g) * alpha + g) * std::pow(1 - g, 2); // 13 to 16 us
        bench.CatchUp(16 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), once * (1 - alpha / 2), 1e-9, "the second cut");
    }

    /** Two cuts without an increase between: does the target follow? */
    void CheckTarget()
    {
        for (const bool isClamped : {false, true})
        {
            DeviceBench bench;
            bench.Set("ClampTarget", BooleanValue(isClamped));
            bench.Cnp(0);
            bench.CatchUp(4 * US);
            const double once = bench.decision.rateBps;
            bench.Cnp(5 * US);
            bench.CatchUp(8 * US);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.targetBps,
                                      (isClamped ? once : 100e9),
                                      1,
                                      "a target above the rate is kept unless clamped");
            bench.CatchUp(308 * US);
            const double risen = bench.decision.rateBps;
            bench.Cnp(309 * US);
            bench.CatchUp(312 * US);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.state.targetBps,
                                      risen,
                                      1,
                                      "after an increase it follows");
        }
    }

    /** Fast, additive, hyper. */
    void CheckIncrease()
    {
        DeviceBench bench;
        bench.Cnp(0);
        bench.CatchUp(4 * US);
        bench.CatchUp(304 * US);
        bench.Cnp(305 * US);
        bench.CatchUp(308 * US); // this cut lowers the target, as the rate had risen
        double target = bench.state.targetBps / 1e9;
        double rate = bench.Rate();
        NS_TEST_EXPECT_MSG_LT(target, 90, "room to rise");
        const double steps[] = {0, 0.02, 0.2, 0.2, 0.2}; // 5 and 50 Mb/s at 25G
        for (uint32_t i = 0; i < 5; ++i)
        {
            bench.CatchUp((308 + 300 * (i + 1)) * US - 1);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), rate, 1e-9, "before increase " << i + 1);
            target += steps[i];
            rate = (rate + target) / 2;
            bench.CatchUp((308 + 300 * (i + 1)) * US);
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), rate, 1e-9, "increase " << i + 1);
        }
        bench.CatchUp(1000000 * US);
        NS_TEST_EXPECT_MSG_EQ(bench.Rate(), 100, "in the end the line's");
        const bool isTimed = bench.decision.deadlineTicks != CongestionDecision::NEVER;
        NS_TEST_EXPECT_MSG_EQ(isTimed, false, "where the timer rests");
    }

    /** Least rate and least factor. */
    void CheckLimits()
    {
        DeviceBench bench;
        bench.Set("MinCutFactor", 0.8);
        bench.Cnp(0);
        bench.CatchUp(4 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 80, 1e-9, "at most a fifth given up");
        for (uint32_t i = 1; i < 100; ++i)
        {
            bench.Cnp(4 * i * US + 1);
        }
        bench.CatchUp(400 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Rate(), 1, 1e-9, "never below the lowest rate");
        DeviceBench window;
        window.Set("VariableWindow", BooleanValue(true));
        window.Set("InitialAlpha", 0.0);
        NS_TEST_EXPECT_MSG_EQ(window.decision.windowBytes, 125000, "BDP of 100G and 10 us");
        window.Set("FirstCnpFactor", 0.5);
        window.Cnp(0);
        NS_TEST_EXPECT_MSG_EQ(window.decision.windowBytes, 62500, "it falls with the rate");
    }
};

/** Deadlines of the device's form served late. */
class LazyDeviceTestCase : public TestCase
{
  public:
    LazyDeviceTestCase()
        : TestCase("A device's DCQCN served late does as one that is served in time")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(5);
        for (uint32_t turn = 0; turn < 200; ++turn)
        {
            DeviceBench timely;
            DeviceBench late;
            uint64_t now = 0;
            for (uint32_t step = 0; step < 20; ++step)
            {
                now += random() % (step % 4 == 0 ? 2000 * US : 6 * US);
                while (timely.decision.deadlineTicks <= now)
                {
                    timely.CatchUp(timely.decision.deadlineTicks);
                }
                timely.Cnp(now);
                late.Cnp(now);
                NS_TEST_ASSERT_MSG_EQ(timely.decision.rateBps, late.decision.rateBps, "rate");
                NS_TEST_ASSERT_MSG_EQ(timely.state.targetBps, late.state.targetBps, "target");
                NS_TEST_ASSERT_MSG_EQ(timely.state.alpha, late.state.alpha, "alpha");
                NS_TEST_ASSERT_MSG_EQ(timely.decision.deadlineTicks,
                                      late.decision.deadlineTicks,
                                      "deadline");
            }
        }
    }
};

/** The suite. */
class DcqcnTestSuite : public TestSuite
{
  public:
    DcqcnTestSuite()
        : TestSuite("llm-fabric-dcqcn", TestSuite::Type::UNIT)
    {
        AddTestCase(new DcqcnHooksTestCase);
        AddTestCase(new LazyDeadlineTestCase);
        AddTestCase(new DcqcnChoicesTestCase);
        AddTestCase(new DeviceHooksTestCase);
        AddTestCase(new LazyDeviceTestCase);
    }
};

DcqcnTestSuite g_dcqcnTestSuite; //!< registers the suite

} // namespace
