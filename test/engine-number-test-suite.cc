// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-recorder.h"

#include "ns3/command-line.h"
#include "ns3/default-simulator-impl.h"
#include "ns3/event-number-warning.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/radix-scheduler.h"
#include "ns3/scheduler.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * ns-3 keeps these to itself, and nothing public tells them.
 * @param engine ns-3's engine
 * @return number of its next event
 */
uint32_t& GetNextNumber(DefaultSimulatorImpl& engine);
/**
 * @param engine ns-3's engine
 * @return how many events it has run
 */
uint64_t& GetRunCount(DefaultSimulatorImpl& engine);
/**
 * @param engine ns-3's engine
 * @return its scheduler
 */
Ptr<Scheduler>& GetScheduler(DefaultSimulatorImpl& engine);

/**
 * Defines these: an explicit instantiation may name private members.
 * @tparam Number the number of the next event
 * @tparam Runs how many events have run
 * @tparam Events the scheduler
 */
template <uint32_t DefaultSimulatorImpl::*Number,
          uint64_t DefaultSimulatorImpl::*Runs,
          Ptr<Scheduler> DefaultSimulatorImpl::*Events>
struct DefaultEngineReader
{
    /**
     * @param engine ns-3's engine
     * @return number of its next event
     */
    friend uint32_t& GetNextNumber(DefaultSimulatorImpl& engine)
    {
        return engine.*Number;
    }

    /**
     * @param engine ns-3's engine
     * @return how many events it has run
     */
    friend uint64_t& GetRunCount(DefaultSimulatorImpl& engine)
    {
        return engine.*Runs;
    }

    /**
     * @param engine ns-3's engine
     * @return its scheduler
     */
    friend Ptr<Scheduler>& GetScheduler(DefaultSimulatorImpl& engine)
    {
        return engine.*Events;
    }
};

template struct DefaultEngineReader<&DefaultSimulatorImpl::m_uid,
                                    &DefaultSimulatorImpl::m_eventCount,
                                    &DefaultSimulatorImpl::m_events>;

/** @return ns-3's engine, which is started if there is none */
DefaultSimulatorImpl&
GetDefaultEngine()
{
    return *DynamicCast<DefaultSimulatorImpl>(Simulator::GetImplementation());
}

/** @return whether ns-3's engine starts with the module's scheduler */
bool
IsRadix()
{
    return GetScheduler(GetDefaultEngine())->GetInstanceTypeId() == RadixScheduler::GetTypeId();
}

/**
 * @param text a text
 * @param part a part of it
 * @return how often the part is in the text
 */
uint32_t
CountParts(const std::string& text, const std::string& part)
{
    uint32_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        count++;
    }
    return count;
}

} // namespace

/**
 * @ingroup llm-fabric-test
 * The choice of the scheduler.
 */
class SchedulerChoiceTest : public TestCase
{
  public:
    SchedulerChoiceTest()
        : TestCase("the radix scheduler is chosen by SchedulerType, in code or on the command line")
    {
    }

  private:
    void DoRun() override
    {
        const EngineScope scope(DEFAULT_ENGINE);
        NS_TEST_EXPECT_MSG_EQ(IsTrueElsewhere([]() { return IsRadix(); }), false, "not unasked");
        NS_TEST_EXPECT_MSG_EQ(IsTrueElsewhere(
                                  []()
                                  {
                                      GlobalValue::Bind("SchedulerType",
                                                        TypeIdValue(RadixScheduler::GetTypeId()));
                                      return IsRadix();
                                  }),
                              true,
                              "by its TypeId");
        NS_TEST_EXPECT_MSG_EQ(IsTrueElsewhere(
                                  []()
                                  {
                                      std::string program = "program";
                                      std::string option =
                                          std::string("--SchedulerType=") + RADIX_SCHEDULER;
                                      char* arguments[] = {program.data(), option.data(), nullptr};
                                      CommandLine command;
                                      command.Parse(2, arguments);
                                      return IsRadix();
                                  }),
                              true,
                              "on the command line");
    }
};

/**
 * @ingroup llm-fabric-test
 * The end of ns-3's event numbers.
 */
class EventNumberTest : public TestCase
{
  public:
    EventNumberTest()
        : TestCase("the user is warned once, in time, before ns-3's event numbers wrap")
    {
    }

  private:
    /** Events of a run, of either kind. */
    static constexpr uint32_t EVENTS = 2048;

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(EVENT_NUMBER_LIMIT, 0xf0000000, "2^32 - 2^28");
        // A thousand events before the limit, then before the end. The pump of the frame events looks
        // at every 256th of its runs, 10 ms apart; the scheduler sees what the last event schedules.
        Check(MAP_SCHEDULER, true, {"at +10.23s ", "at +2.55s "});
        Check(RADIX_SCHEDULER, false, {"at +10s ", "at +0s "});
        // the module's engine counts on
        const EngineScope scope(FRAME_ENGINE);
        const std::string words = GetWords(
            []()
            {
                Simulator::Now();
                FrameSimulatorImpl::Get()->SetNextUid(UINT32_MAX - EVENTS / 2);
                RunEvents(EVENTS);
                RunFrames();
            });
        NS_TEST_EXPECT_MSG_EQ(words, "", "nothing to warn of");
    }

    /**
     * Check that the warning comes, and not too early.
     * @param scheduler the scheduler of ns-3's engine
     * @param withFrames whether there are frame events, or else ns-3's
     * @param times when it has to come
     */
    void Check(const std::string& scheduler,
               bool withFrames,
               const std::pair<std::string, std::string>& times)
    {
        const EngineScope scope(DEFAULT_ENGINE, scheduler);
        const auto run = [withFrames](uint32_t number)
        {
            return GetWords(
                [withFrames, number]()
                {
                    GetNextNumber(GetDefaultEngine()) = number;
                    GetRunCount(GetDefaultEngine()) = number;
                    withFrames ? RunFrames() : RunEvents(EVENTS);
                });
        };
        NS_TEST_EXPECT_MSG_EQ(run(EVENT_NUMBER_LIMIT - 2 * EVENTS), "", scheduler << " is early");
        const std::string words = run(EVENT_NUMBER_LIMIT - 1000);
        NS_TEST_EXPECT_MSG_EQ(CountParts(words, times.first), 1, scheduler << ": " << words);
        NS_TEST_EXPECT_MSG_EQ(
            CountParts(words, "SimulatorImplementationType=" + std::string(FRAME_ENGINE)),
            1,
            "it says what to choose: " << words);
        const std::string late = run(UINT32_MAX - 1000);
        NS_TEST_EXPECT_MSG_EQ(CountParts(late, times.second), 1, scheduler << ": " << late);
        for (const std::string& text : {words, late})
        {
            NS_TEST_EXPECT_MSG_EQ(CountParts(text, "warning: "), 1, "once: " << text);
        }
    }

    /**
     * Run ns-3 events, each of which schedules the next one.
     * @param count how many
     */
    static void RunEvents(uint32_t count)
    {
        Simulator::Schedule(MilliSeconds(10), &EventNumberTest::Event, count - 1);
        Simulator::Run();
    }

    /**
     * An ns-3 event.
     * @param left how many are left
     */
    static void Event(uint32_t left)
    {
        if (left > 0)
        {
            Simulator::Schedule(MilliSeconds(10), &EventNumberTest::Event, left - 1);
        }
    }

    /** Run frame events, each of which schedules the next one. */
    static void RunFrames()
    {
        Recorder recorder(1,
                          [](Recorder& r, FrameEventKind kind, uint32_t object)
                          {
                              if (r.budget-- > 0)
                              {
                                  const auto delay = MilliSeconds(10).GetTimeStep();
                                  r.clock->ScheduleFrame(r.clock->NowTicks() +
                                                             static_cast<uint64_t>(delay),
                                                         kind,
                                                         object);
                              }
                          });
        recorder.budget = EVENTS - 1;
        recorder.clock->Request(FrameEventKind::TEST, 0);
        Simulator::Run();
    }
};

/**
 * @ingroup llm-fabric-test
 * ns-3's event numbers and scheduler.
 */
class EngineNumberTestSuite : public TestSuite
{
  public:
    EngineNumberTestSuite()
        : TestSuite("llm-fabric-engine-number", TestSuite::Type::UNIT)
    {
        AddTestCase(new SchedulerChoiceTest);
        AddTestCase(new EventNumberTest);
    }
};

/** The suite. */
static EngineNumberTestSuite g_engineNumberTestSuite;
