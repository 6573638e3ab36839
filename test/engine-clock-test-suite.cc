// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-recorder.h"

#include "ns3/event-id.h"
#include "ns3/frame-clock.h"
#include "ns3/make-event.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** The kinds that the tests use. */
const std::vector<FrameEventKind> KINDS = {FrameEventKind::DEPARTURE,
                                           FrameEventKind::ARRIVAL,
                                           FrameEventKind::NIC_WAKE,
                                           FrameEventKind::TEST};

/** The recorder whose actions run; ns-3 events of the tests find it here. */
Recorder* g_recorder = nullptr;

} // namespace

/**
 * @ingroup llm-fabric-test
 * Orders worked out by hand.
 */
class ClockOrderTest : public TestCase
{
  public:
    ClockOrderTest()
        : TestCase("events of a tick run by kind, then object; new ones take their place")
    {
    }

  private:
    void DoRun() override
    {
        const auto results = RunBoth(
            []()
            {
                Recorder recorder(8, &Act);
                recorder.clock->RequestAt(20, FrameEventKind::DEPARTURE, 7);
                recorder.clock->RequestAt(10, FrameEventKind::NIC_WAKE, 3);
                recorder.clock->RequestAt(10, FrameEventKind::ARRIVAL, 4);
                recorder.clock->RequestAt(10, FrameEventKind::ARRIVAL, 2);
                recorder.clock->RequestAt(10, FrameEventKind::DEPARTURE, 6);
                recorder.clock->RequestAt(10, FrameEventKind::ARRIVAL, 2);
                recorder.clock->Request(FrameEventKind::TEST, 0);
                const std::string next = std::to_string(recorder.clock->GetNextTick());
                Simulator::Run();
                return next + " " + recorder.frames.str() +
                       std::to_string(recorder.clock->GetFrameCount());
            });
        // At 10 object 2 arrives: 1 departs for this tick, which comes next, and 5 wakes, which comes
        // after 3. The second arrival of 2 is the same event; the count has it.
        const std::string expected =
            "1 1:12.0 10:1.6 10:2.2 10:1.1 10:2.4 10:8.3 10:8.5 11:2.3 20:1.7 10";
        NS_TEST_EXPECT_MSG_EQ(results.first, expected, "the module's engine");
        NS_TEST_EXPECT_MSG_EQ(results.second, expected, "ns-3's engine");
    }

    /**
     * What objects do.
     * @param recorder the recorder
     * @param kind kind of the event
     * @param object number of the object
     */
    static void Act(Recorder& recorder, FrameEventKind kind, uint32_t object)
    {
        if (kind == FrameEventKind::ARRIVAL && object == 2)
        {
            FrameClock& clock = *recorder.clock;
            clock.ScheduleFrame(clock.NowTicks(), FrameEventKind::NIC_WAKE, 5);
            clock.ScheduleFrame(clock.NowTicks(), FrameEventKind::DEPARTURE, 1);
            clock.ScheduleFrame(clock.NowTicks() + 1, FrameEventKind::ARRIVAL, 3);
        }
    }
};

/**
 * @ingroup llm-fabric-test
 * Between frame events and ns-3 events.
 */
class ClockBorderTest : public TestCase
{
  public:
    ClockBorderTest()
        : TestCase("requests and call-outs take one tick; time and context are right on both sides")
    {
    }

  private:
    void DoRun() override
    {
        const auto results = RunBoth(
            []()
            {
                Recorder recorder(2, &Act);
                g_recorder = &recorder;
                recorder.isPlain = false;
                Simulator::ScheduleWithContext(5, TimeStep(1000), &Ask);
                Simulator::Run();
                return recorder.frames.str() + recorder.events.str();
            });
        // asked at 1000, frame at 1001, called out at 1002, again in a frame at 1003
        const std::string none = std::to_string(Simulator::NO_CONTEXT);
        const std::string expected = "1001:12.0 (1001 " + none + ") 1003:12.1 (1003 " + none +
                                     ") ask@1000 c5 -> 1001 called@1002 c42 -> 1003 ";
        NS_TEST_EXPECT_MSG_EQ(results.first, expected, "the module's engine");
        NS_TEST_EXPECT_MSG_EQ(results.second, expected, "ns-3's engine");
    }

    /** An ns-3 event that requests a frame event. */
    static void Ask()
    {
        g_recorder->events << "ask@" << Simulator::Now().GetTimeStep() << " c"
                           << Simulator::GetContext() << " -> "
                           << g_recorder->clock->Request(FrameEventKind::TEST, 0) << " ";
    }

    /** An ns-3 event that a frame event calls. */
    static void Called()
    {
        g_recorder->events << "called@" << Simulator::Now().GetTimeStep() << " c"
                           << Simulator::GetContext() << " -> "
                           << g_recorder->clock->Request(FrameEventKind::TEST, 1) << " ";
    }

    /**
     * What objects do.
     * @param recorder the recorder
     * @param object number of the object
     */
    static void Act(Recorder& recorder, FrameEventKind, uint32_t object)
    {
        if (object == 0)
        {
            recorder.clock->CallOut(42, MakeEvent(&Called));
        }
    }
};

/**
 * @ingroup llm-fabric-test
 * Random programs of frame events and ns-3 events.
 */
class ClockFuzzTest : public TestCase
{
  public:
    ClockFuzzTest()
        : TestCase("random programs run the same under both engines, stopped and resumed or not")
    {
    }

  private:
    /** Number of objects. */
    static constexpr uint32_t OBJECTS = 40;

    void DoRun() override
    {
        std::size_t length = 0;
        for (uint64_t seed = 0; seed < 40; seed++)
        {
            const auto results = RunBoth([seed]() { return Run(seed, seed % 2 == 1); });
            NS_TEST_ASSERT_MSG_EQ(results.first, results.second, "seed " << seed);
            length += results.first.size();
            const EngineScope scope(FRAME_ENGINE);
            NS_TEST_ASSERT_MSG_EQ(Run(seed, seed % 2 == 0),
                                  results.first,
                                  "pauses do not show, seed " << seed);
        }
        NS_TEST_EXPECT_MSG_GT(length, 1000000, "the programs do something");
    }

    /**
     * Run a program.
     * @param seed its seed
     * @param withPauses whether it is stopped and resumed on the way
     * @return what happened
     */
    static std::string Run(uint64_t seed, bool withPauses)
    {
        Recorder recorder(OBJECTS, &Act);
        g_recorder = &recorder;
        s_pausesLeft = withPauses ? 5 : 0;
        recorder.budget = 3000;
        s_random = TestRandom(seed);
        s_objectRandoms.clear();
        for (uint32_t i = 0; i < OBJECTS; i++)
        {
            s_objectRandoms.emplace_back(seed * OBJECTS + i);
        }
        for (uint32_t i = 0; i < 20; i++)
        {
            recorder.clock->Request(KINDS[i % KINDS.size()], i);
            ScheduleEvent(i);
        }
        if (withPauses)
        {
            Simulator::Stop(TimeStep(500));
        }
        for (uint32_t runs = 0; runs < 20; runs++)
        {
            Simulator::Run();
        }
        return recorder.frames.str() + "\n" + recorder.events.str() + "\n" +
               std::to_string(recorder.clock->GetFrameCount());
    }

    /**
     * Draw a time to wait.
     * @param random the numbers
     * @return ticks; in ns-3 events never one tick: their order against call-outs would be open
     */
    static uint64_t DrawDelay(TestRandom& random)
    {
        const uint64_t bits[] = {0, 2, 4, 10, 20};
        return random.Below(uint64_t(1) << bits[random.Below(5)]);
    }

    /**
     * Schedule an ns-3 event.
     * @param number a number for the record
     */
    static void ScheduleEvent(uint64_t number)
    {
        const uint64_t delay = DrawDelay(s_random);
        if (g_recorder->budget > 0)
        {
            g_recorder->budget--;
            Simulator::Schedule(TimeStep(delay == 1 ? 2 : delay), &Event, number);
        }
    }

    /**
     * An ns-3 event.
     * @param number a number for the record
     */
    static void Event(uint64_t number)
    {
        g_recorder->events << Simulator::Now().GetTimeStep() << "#" << number << " ";
        const uint64_t choice = s_random.Below(8);
        const FrameEventKind kind = KINDS[s_random.Below(KINDS.size())];
        const auto object = static_cast<uint32_t>(s_random.Below(OBJECTS));
        if (choice < 3)
        {
            g_recorder->clock->Request(kind, object);
        }
        else if (choice < 5)
        {
            const auto now = static_cast<uint64_t>(Simulator::Now().GetTimeStep());
            g_recorder->clock->RequestAt(now + 1 + DrawDelay(s_random), kind, object);
        }
        if (choice % 2 == 0)
        {
            ScheduleEvent(number + 1000);
        }
        if (choice == 7 && s_pausesLeft > 0)
        {
            s_pausesLeft--;
            Simulator::Stop();
        }
    }

    /**
     * What objects do.
     * @param recorder the recorder
     * @param kind kind of the event
     * @param object number of the object
     */
    static void Act(Recorder& recorder, FrameEventKind kind, uint32_t object)
    {
        TestRandom& random = s_objectRandoms[object];
        FrameClock& clock = *recorder.clock;
        // a random walk that dies out slowly
        const uint64_t children = random.Below(20) < 9 ? 2 : random.Below(20) < 17 ? 1 : 0;
        for (uint64_t i = 0; i < children && clock.GetFrameCount() < 4000; i++)
        {
            clock.ScheduleFrame(clock.NowTicks() + DrawDelay(random),
                                KINDS[random.Below(KINDS.size())],
                                static_cast<uint32_t>(random.Below(OBJECTS)));
        }
        if (random.Below(10) == 0 && recorder.budget > 0)
        {
            clock.CallOut(object,
                          MakeEvent(&Event, clock.NowTicks() * 10 + static_cast<uint32_t>(kind)));
        }
        if (random.Below(100) == 0 && s_pausesLeft > 0)
        {
            s_pausesLeft--;
            Simulator::Stop();
        }
    }

    static TestRandom s_random;                     //!< numbers of ns-3 events
    static std::vector<TestRandom> s_objectRandoms; //!< numbers of objects
    static uint32_t s_pausesLeft;                   //!< calls of Stop() that are left
};

TestRandom ClockFuzzTest::s_random(0);
std::vector<TestRandom> ClockFuzzTest::s_objectRandoms;
uint32_t ClockFuzzTest::s_pausesLeft = 0;

/**
 * @ingroup llm-fabric-test
 * Stopping.
 */
class ClockStopTest : public TestCase
{
  public:
    ClockStopTest()
        : TestCase("Stop() in a frame event lets its tick end; Stop(time) stops between ticks")
    {
    }

  private:
    void DoRun() override
    {
        const auto results = RunBoth(
            []()
            {
                Recorder recorder(4, &Act);
                for (uint32_t i = 0; i < 4; i++)
                {
                    recorder.clock->RequestAt(100, FrameEventKind::TEST, i);
                    recorder.clock->RequestAt(200 + i, FrameEventKind::ARRIVAL, i);
                }
                std::ostringstream log;
                const auto run = [&log, &recorder]()
                {
                    Simulator::Run();
                    log << recorder.frames.str() << "| now " << Simulator::Now().GetTimeStep()
                        << " finished " << Simulator::IsFinished() << " next "
                        << recorder.clock->GetNextTick() << "; ";
                    recorder.frames.str("");
                };
                run();
                Simulator::Stop(TimeStep(102));
                run();
                run();
                return log.str();
            });
        const std::string expected =
            "100:12.0 100:12.1 100:12.2 100:12.3 | now 100 finished 1 next 200; "
            "200:2.0 201:2.1 | now 202 finished 1 next 202; "
            "202:2.2 203:2.3 | now 203 finished 1 next " +
            std::to_string(FrameClock::NEVER) + "; ";
        NS_TEST_EXPECT_MSG_EQ(results.first, expected, "the module's engine");
        NS_TEST_EXPECT_MSG_EQ(results.second, expected, "ns-3's engine");
    }

    /**
     * What objects do.
     * @param kind kind of the event
     * @param object number of the object
     */
    static void Act(Recorder&, FrameEventKind kind, uint32_t object)
    {
        if (kind == FrameEventKind::TEST && object == 1)
        {
            Simulator::Stop();
        }
    }
};

/**
 * @ingroup llm-fabric-test
 * The clock under both engines.
 */
class EngineClockTestSuite : public TestSuite
{
  public:
    EngineClockTestSuite()
        : TestSuite("llm-fabric-engine-clock", TestSuite::Type::UNIT)
    {
        AddTestCase(new ClockOrderTest);
        AddTestCase(new ClockBorderTest);
        AddTestCase(new ClockFuzzTest);
        AddTestCase(new ClockStopTest);
    }
};

/** The suite. */
static EngineClockTestSuite g_engineClockTestSuite;
