// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-recorder.h"

#include "ns3/event-id.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-simulator-impl.h"
#include "ns3/make-event.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** The recorder whose actions run; ns-3 events of the tests find it here. */
Recorder* g_recorder = nullptr;

} // namespace

/**
 * @ingroup llm-fabric-test
 * Several clocks.
 */
class SeveralClocksTest : public TestCase
{
  public:
    SeveralClocksTest()
        : TestCase("several clocks share the time, and ask each other")
    {
    }

  private:
    void DoRun() override
    {
        const auto results = RunBoth(
            []()
            {
                Recorder a(2, &Ping);
                Recorder b(2, &Pong);
                g_recorder = &a;
                s_other = &b;
                a.budget = 5;
                b.clock->RequestAt(7, FrameEventKind::TEST, 1);
                a.clock->RequestAt(7, FrameEventKind::TEST, 1);
                a.clock->Request(FrameEventKind::TEST, 0);
                Simulator::Run();
                return a.frames.str() + "| " + b.frames.str();
            });
        const std::string expected = "1:12.0 5:12.0 7:12.1 9:12.0 13:12.0 17:12.0 21:12.0 | "
                                     "3:12.0 7:12.0 7:12.1 11:12.0 15:12.0 19:12.0 ";
        NS_TEST_EXPECT_MSG_EQ(results.first, expected, "the module's engine");
        NS_TEST_EXPECT_MSG_EQ(results.second, expected, "ns-3's engine");
        CheckCommonOrder();
        CheckDeath();
    }

    /** What is pending in several clocks runs in one order of time. */
    void CheckCommonOrder()
    {
        const auto results = RunBoth(
            []()
            {
                Recorder a(2, &NoteTime);
                Recorder b(3, &NoteTime);
                g_recorder = &a;
                for (const uint64_t tick : {10, 30, 31, 50})
                {
                    a.clock->RequestAt(tick, FrameEventKind::TEST, 0);
                }
                for (const uint64_t tick : {20, 40, 60, 61})
                {
                    b.clock->RequestAt(tick, FrameEventKind::TEST, 2);
                }
                Simulator::Run();
                return a.events.str();
            });
        const std::string expected = "10.0 20.2 30.0 31.0 40.2 50.0 60.2 61.2 ";
        NS_TEST_EXPECT_MSG_EQ(results.first, expected, "the module's engine");
        NS_TEST_EXPECT_MSG_EQ(results.second, expected, "ns-3's engine");

        // at one tick in the order in which the clocks were made, whoever was asked first
        const EngineScope scope(FRAME_ENGINE);
        Recorder a(2, &NoteTime);
        Recorder b(3, &NoteTime);
        g_recorder = &a;
        b.clock->RequestAt(10, FrameEventKind::DEPARTURE, 2);
        a.clock->RequestAt(10, FrameEventKind::TEST, 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(a.events.str(), "10.0 10.2 ", "in the order of the clocks");
    }

    /**
     * Note an event where those of all clocks are noted.
     * @param object number of the object
     */
    static void NoteTime(Recorder&, FrameEventKind, uint32_t object)
    {
        g_recorder->events << Simulator::Now().GetTimeStep() << "." << object << " ";
    }

    /** A clock dies while another runs; its frame events go with it, and stay in the count. */
    void CheckDeath()
    {
        const EngineScope scope(FRAME_ENGINE);
        Recorder survivor(1);
        auto* victim = new Recorder(1);
        victim->clock->RequestAt(10, FrameEventKind::TEST, 0);
        victim->clock->RequestAt(30, FrameEventKind::TEST, 0);
        survivor.clock->RequestAt(40, FrameEventKind::TEST, 0);
        Simulator::Schedule(
            TimeStep(20),
            +[](Recorder* recorder) { delete recorder; },
            victim);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(survivor.frames.str(), "40:12.0 ", "the other one goes on");
        NS_TEST_EXPECT_MSG_EQ(FrameSimulatorImpl::Get()->GetClocks().GetFrameCount(),
                              2,
                              "one each");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), 3, "and one ns-3 event");
    }

    /**
     * Ask the other clock, two ticks later.
     * @param recorder whose event it is
     * @param object number of the object
     */
    static void Ping(Recorder& recorder, FrameEventKind, uint32_t object)
    {
        if (object == 0 && recorder.budget > 0)
        {
            recorder.budget--;
            s_other->clock->RequestAt(recorder.clock->NowTicks() + 2, FrameEventKind::TEST, 0);
        }
    }

    /**
     * Answer, two ticks later.
     * @param recorder whose event it is
     * @param object number of the object
     */
    static void Pong(Recorder& recorder, FrameEventKind, uint32_t object)
    {
        if (object == 0)
        {
            g_recorder->clock->RequestAt(recorder.clock->NowTicks() + 2, FrameEventKind::TEST, 0);
        }
    }

    static Recorder* s_other; //!< the second clock
};

Recorder* SeveralClocksTest::s_other = nullptr;

/**
 * @ingroup llm-fabric-test
 * Clocks and simulators end in either order.
 */
class ClockEndTest : public TestCase
{
  public:
    ClockEndTest()
        : TestCase("a clock may end before or after its simulator, with events pending or not")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* engine : {FRAME_ENGINE, DEFAULT_ENGINE})
        {
            CheckSimulatorFirst(engine);
            CheckClockFirst(engine);
        }
    }

    /**
     * The simulator ends first.
     * @param engine the engine
     */
    void CheckSimulatorFirst(const std::string& engine)
    {
        const EngineScope scope(engine);
        Recorder recorder(1);
        recorder.clock->RequestAt(10, FrameEventKind::TEST, 0);
        recorder.clock->RequestAt(1000, FrameEventKind::TEST, 0);
        Simulator::Stop(TimeStep(100));
        Simulator::Run();
        Simulator::Destroy();
        // what asks now gets nothing, but does no harm, and starts no simulator
        recorder.clock->Request(FrameEventKind::TEST, 0);
        recorder.clock->CallOut(0, MakeEvent(+[]() {}));
        NS_TEST_EXPECT_MSG_EQ(recorder.frames.str(), "10:12.0 ", engine);
        NS_TEST_EXPECT_MSG_EQ(recorder.clock->GetFrameCount(), 1, engine);
        const std::string words = GetDyingWords(
            [&recorder]()
            {
                Simulator::Now();
                recorder.clock->Request(FrameEventKind::TEST, 0);
            });
        NS_TEST_EXPECT_MSG_EQ((words.find("a new run needs a new clock") != std::string::npos),
                              true,
                              engine << ": " << words);
    }

    /**
     * The clock ends first, before and within a run.
     * @param engine the engine
     */
    void CheckClockFirst(const std::string& engine)
    {
        const EngineScope scope(engine);
        {
            Recorder recorder(1);
            recorder.clock->RequestAt(10, FrameEventKind::TEST, 0);
        }
        auto* second = new Recorder(1);
        second->clock->RequestAt(20, FrameEventKind::TEST, 0);
        second->clock->RequestAt(40, FrameEventKind::TEST, 0);
        Simulator::Schedule(
            TimeStep(30),
            +[](Recorder* recorder) { delete recorder; },
            second);
        bool ran = false;
        Simulator::Schedule(
            TimeStep(50),
            +[](bool* flag) { *flag = true; },
            &ran);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ran, true, engine << " runs on without a clock");
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), true, engine);
        Recorder third(1);
        NS_TEST_EXPECT_MSG_EQ(third.clock->Request(FrameEventKind::TEST, 0), 51, engine);
    }
};

/**
 * @ingroup llm-fabric-test
 * Wrong use, refused in all builds.
 */
class ClockRefusalTest : public TestCase
{
  public:
    ClockRefusalTest()
        : TestCase("wrong use of a clock is fatal, and says why")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* engine : {FRAME_ENGINE, DEFAULT_ENGINE})
        {
            const EngineScope scope(engine);
            CheckInFrame("tick 9 does not lie between now, 10",
                         [](FrameClock& clock)
                         { clock.ScheduleFrame(clock.NowTicks() - 1, FrameEventKind::TEST, 0); });
            CheckInFrame("does not lie between",
                         [](FrameClock& clock)
                         { clock.ScheduleFrame(FrameClock::NEVER, FrameEventKind::TEST, 0); });
            CheckInFrame("without a handler",
                         [](FrameClock& clock)
                         { clock.ScheduleFrame(clock.NowTicks(), FrameEventKind::LINK_STATE, 0); });
            CheckInFrame("must lie after now",
                         [](FrameClock& clock)
                         { clock.RequestAt(clock.NowTicks(), FrameEventKind::TEST, 0); });
            CheckOutside();
        }
    }

    /**
     * Check that something is refused.
     * @param part of the message
     * @param action what is refused
     */
    template <typename Action>
    void Check(const std::string& part, Action action)
    {
        const std::string words = GetDyingWords(action);
        NS_TEST_EXPECT_MSG_EQ((words.find(part) != std::string::npos), true, part << ": " << words);
    }

    /**
     * Check that something is refused in a frame event.
     * @param part of the message
     * @param action what is refused
     */
    void CheckInFrame(const std::string& part, void (*action)(FrameClock&))
    {
        Check(part,
              [action]()
              {
                  static void (*s_action)(FrameClock&);
                  s_action = action;
                  Recorder recorder(1,
                                    [](Recorder& r, FrameEventKind, uint32_t)
                                    { s_action(*r.clock); });
                  recorder.clock->RequestAt(10, FrameEventKind::TEST, 0);
                  Simulator::Run();
              });
    }

    /** Check what is refused outside of frame events. */
    void CheckOutside()
    {
        Check("Request()",
              []()
              {
                  Recorder recorder(1);
                  recorder.clock->ScheduleFrame(10, FrameEventKind::TEST, 0);
              });
        Check("Request()",
              []()
              {
                  Recorder recorder(1);
                  recorder.clock->Request(FrameEventKind::TEST, 0);
                  Simulator::Run();
                  recorder.clock->ScheduleFrame(10, FrameEventKind::TEST, 0);
              });
        const auto kind = static_cast<uint32_t>(FrameEventKind::TEST);
        Check("no kind " + std::to_string(kind) + " or object 1",
              []()
              {
                  Recorder recorder(1);
                  recorder.clock->Request(FrameEventKind::TEST, 1);
              });
        Check("another handler",
              []()
              {
                  Recorder recorder(1);
                  recorder.clock->SetHandler(FrameEventKind::TEST, [](void*) {});
              });
        Check("must lie after now",
              []()
              {
                  Recorder recorder(1);
                  recorder.clock->RequestAt(0, FrameEventKind::TEST, 0);
              });
    }
};

/**
 * @ingroup llm-fabric-test
 * How clocks live together, end, and refuse wrong use.
 */
class EngineClockLifeTestSuite : public TestSuite
{
  public:
    EngineClockLifeTestSuite()
        : TestSuite("llm-fabric-engine-clock-life", TestSuite::Type::UNIT)
    {
        AddTestCase(new SeveralClocksTest);
        AddTestCase(new ClockEndTest);
        AddTestCase(new ClockRefusalTest);
    }
};

/** The suite. */
static EngineClockLifeTestSuite g_engineClockLifeTestSuite;
