// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-support.h"

#include "ns3/event-id.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-engine.h"
#include "ns3/frame-simulator-impl.h"
#include "ns3/make-event.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @ingroup llm-fabric-test
 * Ids of events at the present tick, to which frame events have brought the time.
 */
class SimulatorExpiryTest : public TestCase
{
  public:
    SimulatorExpiryTest()
        : TestCase("an event of the present tick is pending until it ran, also in frame events")
    {
    }

  private:
    void DoRun() override
    {
        const EngineScope scope(FRAME_ENGINE);
        const Ptr<FrameClock> clock = Create<FrameClock>();
        clock->SetHandler(FrameEventKind::TEST,
                          [](void* object)
                          {
                              auto& self = *static_cast<SimulatorExpiryTest*>(object);
                              self.m_id = Simulator::ScheduleNow(&SimulatorExpiryTest::Note, &self);
                              self.m_cancelled =
                                  Simulator::ScheduleNow(&SimulatorExpiryTest::Note, &self);
                              self.m_inFrame = self.m_id.IsExpired();
                              self.m_cancelled.Cancel();
                              Simulator::Remove(self.m_gone);
                          });
        m_gone = Simulator::Schedule(TimeStep(70), &SimulatorExpiryTest::Note, this);
        clock->RequestAt(50, FrameEventKind::TEST, clock->AddObject(this));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_inFrame, false, "pending in the frame event that scheduled it");
        NS_TEST_EXPECT_MSG_EQ(m_notes, 1, "one ran, one was cancelled, one removed");
        NS_TEST_EXPECT_MSG_EQ(m_inEvent, true, "expired while it runs");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetTimeStep(), 50, "no event, no time");
        NS_TEST_EXPECT_MSG_EQ(m_gone.IsExpired(), true, "removed");
        // the cancelled event counts, as in ns-3
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), 3, "two ns-3 events and a frame event");
    }

    /** An ns-3 event that looks at itself. */
    void Note()
    {
        m_notes++;
        m_inEvent = m_id.IsExpired();
    }

    EventId m_id;          //!< an event
    EventId m_cancelled;   //!< one that is cancelled at once
    EventId m_gone;        //!< one that is removed
    bool m_inFrame{true};  //!< what the frame event saw
    bool m_inEvent{false}; //!< what the event itself saw
    uint32_t m_notes{0};   //!< how many ran
};

/**
 * @ingroup llm-fabric-test
 * Other threads.
 */
class SimulatorThreadTest : public TestCase
{
  public:
    SimulatorThreadTest()
        : TestCase("other threads schedule events while frame events run, under any engine")
    {
    }

  private:
    /** Number of threads. */
    static constexpr uint32_t THREADS = 4;
    /** Events of each. */
    static constexpr uint32_t EVENTS = 2000;

    void DoRun() override
    {
        Run(FRAME_ENGINE, MAP_SCHEDULER);
        Run(DEFAULT_ENGINE, MAP_SCHEDULER);
        Run(DEFAULT_ENGINE, RADIX_SCHEDULER);
    }

    /**
     * Run the test.
     * @param engine the engine
     * @param scheduler the scheduler of ns-3's engine
     */
    void Run(const std::string& engine, const std::string& scheduler)
    {
        const EngineScope scope(engine, scheduler);
        m_received = 0;
        m_wrongContexts = 0;
        m_clock = Create<FrameClock>();
        m_clock->SetHandler(FrameEventKind::TEST,
                            [](void* object)
                            {
                                auto& self = *static_cast<SimulatorThreadTest*>(object);
                                if (self.m_received < THREADS * EVENTS)
                                {
                                    self.m_clock->ScheduleFrame(self.m_clock->NowTicks() + 10,
                                                                FrameEventKind::TEST,
                                                                0);
                                }
                            });
        m_clock->AddObject(this);
        m_clock->Request(FrameEventKind::TEST, 0);
        std::vector<std::thread> threads;
        for (uint32_t i = 0; i < THREADS; i++)
        {
            threads.emplace_back(
                [this, i]()
                {
                    for (uint32_t j = 0; j < EVENTS; j++)
                    {
                        Simulator::ScheduleWithContext(i,
                                                       TimeStep(j % 7),
                                                       &SimulatorThreadTest::Receive,
                                                       this,
                                                       i);
                    }
                });
        }
        // ends when all have arrived, because the frame events wait for them
        Simulator::Run();
        for (std::thread& thread : threads)
        {
            thread.join();
        }
        NS_TEST_EXPECT_MSG_EQ(m_received, THREADS * EVENTS, engine << ": each event ran once");
        NS_TEST_EXPECT_MSG_EQ(m_wrongContexts, 0, engine << ": in its context");
        m_clock = nullptr;
    }

    /**
     * An ns-3 event.
     * @param context the context that it was scheduled for
     */
    void Receive(uint32_t context)
    {
        m_received++;
        m_wrongContexts += Simulator::GetContext() != context;
    }

    Ptr<FrameClock> m_clock;     //!< the clock
    uint32_t m_received{0};      //!< events that ran
    uint32_t m_wrongContexts{0}; //!< those in a wrong context
};

/**
 * @ingroup llm-fabric-test
 * A run in steps.
 */
class SimulatorStepTest : public TestCase
{
  public:
    SimulatorStepTest()
        : TestCase("the engine runs up to a given time, and on from there")
    {
    }

  private:
    void DoRun() override
    {
        const EngineScope scope(FRAME_ENGINE);
        const Ptr<FrameClock> clock = Create<FrameClock>();
        clock->SetHandler(FrameEventKind::TEST,
                          [](void* object) { static_cast<SimulatorStepTest*>(object)->Note('f'); });
        const uint32_t number = clock->AddObject(this);
        for (const uint64_t tick : {10, 20, 30})
        {
            Simulator::Schedule(TimeStep(tick), &SimulatorStepTest::Note, this, 'e');
            clock->RequestAt(tick, FrameEventKind::TEST, number);
            clock->RequestAt(tick + 5, FrameEventKind::TEST, number);
        }
        FrameSimulatorImpl& engine = *FrameSimulatorImpl::Get();
        Check(engine, 10, "", 0);
        Check(engine, 11, "10e 10f ", 10);
        Check(engine, 11, "", 10);
        Check(engine, 20, "15f ", 15);
        // between the steps something comes that is due earlier than what is pending
        clock->RequestAt(17, FrameEventKind::TEST, number);
        Simulator::Schedule(TimeStep(3), &SimulatorStepTest::Note, this, 's');
        Check(engine, 19, "17f 18s ", 18);
        Check(engine, 25, "20e 20f ", 20);
        Simulator::Schedule(TimeStep(7), &Simulator::Stop);
        Check(engine, 100, "25f ", 27);
        Check(engine, 100, "", 27); // still stopped
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_log, "30e 30f 35f ", "Run() runs the rest");
    }

    /**
     * Run a step.
     * @param engine the engine
     * @param end its end, which is not part of it
     * @param log what has to run
     * @param now the time after it
     */
    void Check(FrameSimulatorImpl& engine, uint64_t end, const std::string& log, int64_t now)
    {
        engine.RunBefore(end);
        NS_TEST_EXPECT_MSG_EQ(m_log, log, "up to " << end);
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetTimeStep(), now, "up to " << end);
        m_log.clear();
    }

    /**
     * An event.
     * @param kind what it is
     */
    void Note(char kind)
    {
        m_log += std::to_string(Simulator::Now().GetTimeStep()) + kind + " ";
    }

    std::string m_log; //!< what ran
};

/**
 * @ingroup llm-fabric-test
 * The end of a simulator, and the next one.
 */
class SimulatorEndTest : public TestCase
{
  public:
    SimulatorEndTest()
        : TestCase("pending events are freed with the simulator, and a new one starts at zero")
    {
    }

  private:
    /** Something that an event owns; when it dies it removes an event. */
    class Guest : public SimpleRefCount<Guest>
    {
      public:
        ~Guest()
        {
            s_dead++;
            Simulator::Remove(other);
            Simulator::Cancel(other);
        }

        EventId other;          //!< an event
        static uint32_t s_dead; //!< how many died
    };

    void DoRun() override
    {
        const EngineScope scope(FRAME_ENGINE);
        for (uint32_t round = 0; round < 2; round++)
        {
            Guest::s_dead = 0;
            const EventId far = Simulator::Schedule(
                TimeStep(uint64_t(1) << 40),
                +[]() {});
            for (uint32_t i = 0; i < 500; i++)
            {
                const Ptr<Guest> guest = Create<Guest>();
                guest->other = far;
                Simulator::Schedule(
                    TimeStep(1000 + i % 50),
                    +[](Ptr<Guest>) {},
                    guest);
            }
            bool atEnd = false;
            Simulator::ScheduleDestroy(
                +[](bool* flag) { *flag = true; },
                &atEnd);
            bool spoilt = false;
            Simulator::ScheduleDestroy(
                +[](bool* flag) { *flag = true; },
                &spoilt)
                .Cancel();
            Simulator::ScheduleDestroy(
                +[](bool* flag) { *flag = true; },
                &spoilt)
                .Remove();
            Simulator::Stop(TimeStep(1010));
            NS_TEST_EXPECT_MSG_EQ(Simulator::Now().IsZero(), true, "a new simulator");
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(Guest::s_dead, 110, "eleven ticks of ten guests");
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_EQ(Guest::s_dead, 500, "all are freed");
            NS_TEST_EXPECT_MSG_EQ(atEnd, true, "events of the end have run");
            NS_TEST_EXPECT_MSG_EQ(spoilt, false, "but not those that were cancelled or removed");
            NS_TEST_EXPECT_MSG_EQ((FrameSimulatorImpl::Get() == nullptr), true, "none is in use");
            NS_TEST_EXPECT_MSG_EQ(IsSimulatorStarted(), false, "nor is another");
        }
        CheckRefusals();
    }

    /** What is fatal. */
    void CheckRefusals()
    {
        const std::string past = GetDyingWords(
            []()
            {
                Simulator::Schedule(
                    TimeStep(5) - TimeStep(6),
                    +[]() {});
            });
        NS_TEST_EXPECT_MSG_EQ((past.find("negative delay -1") != std::string::npos), true, past);
        const std::string context = GetDyingWords(
            []()
            {
                Simulator::ScheduleWithContext(
                    1,
                    TimeStep(5) - TimeStep(7),
                    +[]() {});
            });
        NS_TEST_EXPECT_MSG_EQ((context.find("negative delay -2") != std::string::npos),
                              true,
                              context);
    }
};

uint32_t SimulatorEndTest::Guest::s_dead = 0;

/**
 * @ingroup llm-fabric-test
 * ns-3's events under the module's engine.
 */
class EngineSimulatorTestSuite : public TestSuite
{
  public:
    EngineSimulatorTestSuite()
        : TestSuite("llm-fabric-engine-simulator", TestSuite::Type::UNIT)
    {
        AddTestCase(new SimulatorExpiryTest);
        AddTestCase(new SimulatorThreadTest);
        AddTestCase(new SimulatorStepTest);
        AddTestCase(new SimulatorEndTest);
    }
};

/** The suite. */
static EngineSimulatorTestSuite g_engineSimulatorTestSuite;
