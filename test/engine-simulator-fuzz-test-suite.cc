// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-support.h"

#include "ns3/event-id.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-simulator-impl.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * @ingroup llm-fabric-test
 * A random program of calls of Simulator, with what happened written down. The numbers drawn depend
 * on what the calls return, so a difference spreads.
 */
class RandomProgram
{
  public:
    /**
     * Constructor.
     * @param seed which program
     * @param withFrames whether frame events run too; they change nothing
     * @param withChanges whether the scheduler is changed on the way, which changes nothing
     */
    RandomProgram(uint64_t seed, bool withFrames, bool withChanges)
        : m_random(seed),
          m_shape(seed % 3),
          m_withFrames(withFrames),
          m_withChanges(withChanges)
    {
        s_program = this;
    }

    RandomProgram(const RandomProgram&) = delete;
    RandomProgram& operator=(const RandomProgram&) = delete;

    /** @return what happened */
    std::string Run();

  private:
    /** Number of events after which no more are scheduled. */
    static constexpr uint32_t MOST_EVENTS = 1500;

    /** @return a delay, of many sizes, and with many ties in the second of three shapes */
    Time DrawDelay()
    {
        const uint64_t bits[] = {0, 1, 3, 6, 13, 20, 33, m_random.Below(24)};
        const uint64_t size = bits[m_random.Below(m_shape == 1 ? 3 : 8)];
        return TimeStep(m_random.Below(uint64_t(1) << size));
    }

    /**
     * An ns-3 event.
     * @param number a number for the record
     */
    static void Event(uint32_t number);
    /**
     * An event of the simulator's end.
     * @param number a number for the record
     */
    static void AtEnd(uint32_t number);
    /**
     * A frame event: schedules the next one.
     * @param object the program
     */
    static void Frame(void* object);
    /** Schedule something, in some way. */
    void ScheduleOne();
    /** Ask for the state of some event. */
    void LookAtOne();
    /** Cancel or remove some event, or not. */
    void SpoilOne();

    TestRandom m_random;             //!< the numbers
    uint64_t m_shape;                //!< 1: many ties, 2: bursts now and then
    bool m_withFrames;               //!< whether there are frame events
    bool m_withChanges;              //!< whether the scheduler is changed now and then
    std::ostringstream m_log;        //!< what happened
    std::vector<EventId> m_ids;      //!< events that can be asked about
    uint32_t m_count{0};             //!< events scheduled so far
    Ptr<FrameClock> m_clock;         //!< clock of the frame events, if there are any
    static RandomProgram* s_program; //!< the program that runs
};

RandomProgram* RandomProgram::s_program = nullptr;

std::string
RandomProgram::Run()
{
    if (m_withFrames)
    {
        m_clock = Create<FrameClock>();
        m_clock->SetHandler(FrameEventKind::TEST, &Frame);
        m_clock->AddObject(this);
        m_clock->Request(FrameEventKind::TEST, 0);
    }
    for (uint32_t i = 0; i < 20; i++)
    {
        ScheduleOne();
    }
    for (uint32_t run = 0; run < 100; run++)
    {
        Simulator::Run();
        m_log << "run " << run << " at " << Simulator::Now().GetTimeStep() << " finished "
              << (m_withFrames ? 0 : Simulator::IsFinished()) << " count "
              << (m_withFrames ? 0 : Simulator::GetEventCount()) << "\n";
        ScheduleOne();
        LookAtOne();
    }
    // one is left over for the end
    Simulator::ScheduleWithContext(1, TimeStep(5), &Event, 99999U);
    m_log << "events " << m_count << "\n";
    Simulator::Destroy();
    s_program = nullptr;
    return m_log.str();
}

void
RandomProgram::Event(uint32_t number)
{
    RandomProgram& p = *s_program;
    if (p.m_withChanges && number % 16 == 0)
    {
        ObjectFactory factory;
        factory.SetTypeId(number % 3 == 0 ? MAP_SCHEDULER : RADIX_SCHEDULER);
        Simulator::SetScheduler(factory);
    }
    p.m_log << Simulator::Now().GetTimeStep() << " " << number << " c" << Simulator::GetContext();
    p.LookAtOne();
    p.SpoilOne();
    p.LookAtOne();
    const uint64_t choice = p.m_random.Below(15);
    uint64_t children = choice < 9 ? 1 : (choice < 13 ? 2 : 0);
    if (p.m_shape == 2 && p.m_random.Below(300) == 0)
    {
        children = 400; // more than a run of the queue may hold
    }
    for (uint64_t i = 0; i < children; i++)
    {
        p.ScheduleOne();
    }
    p.m_log << "\n";
}

void
RandomProgram::AtEnd(uint32_t number)
{
    s_program->m_log << "end " << number << "\n";
}

void
RandomProgram::Frame(void* object)
{
    auto& p = *static_cast<RandomProgram*>(object);
    const uint64_t now = p.m_clock->NowTicks();
    if (p.m_clock->GetFrameCount() < 5000)
    {
        p.m_clock->ScheduleFrame(now + 1 + (now * 2654435761) % 50, FrameEventKind::TEST, 0);
    }
}

void
RandomProgram::ScheduleOne()
{
    const uint32_t number = m_count++;
    if (number >= MOST_EVENTS)
    {
        return;
    }
    switch (m_random.Below(10))
    {
    case 0:
        m_ids.push_back(Simulator::ScheduleNow(&Event, number));
        break;
    case 1:
    case 2:
        Simulator::ScheduleWithContext(static_cast<uint32_t>(m_random.Below(5)),
                                       DrawDelay(),
                                       &Event,
                                       number);
        break;
    case 3:
        if (m_random.Below(10) == 0)
        {
            m_ids.push_back(Simulator::ScheduleDestroy(&AtEnd, number));
        }
        break;
    case 4:
        if (m_random.Below(30) == 0)
        {
            Simulator::Stop(DrawDelay());
        }
        else if (m_random.Below(50) == 0)
        {
            Simulator::Stop();
        }
        break;
    default:
        m_ids.push_back(Simulator::Schedule(DrawDelay(), &Event, number));
    }
}

void
RandomProgram::LookAtOne()
{
    if (!m_ids.empty())
    {
        const EventId& id = m_ids[m_random.Below(m_ids.size())];
        m_log << " x" << id.IsExpired() << " d" << Simulator::GetDelayLeft(id).GetTimeStep();
    }
}

void
RandomProgram::SpoilOne()
{
    if (m_ids.size() > 64)
    {
        m_ids.erase(m_ids.begin(), m_ids.begin() + 16);
    }
    if (m_ids.empty())
    {
        return;
    }
    const std::size_t i = m_random.Below(m_ids.size());
    switch (m_random.Below(6))
    {
    case 0:
        m_log << " C";
        Simulator::Cancel(m_ids[i]);
        break;
    case 1:
        m_log << " R" << m_ids[i].IsExpired();
        Simulator::Remove(m_ids[i]);
        m_log << m_ids[i].IsExpired();
        m_ids.erase(m_ids.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    default:
        break;
    }
}

} // namespace

/**
 * @ingroup llm-fabric-test
 * Random programs of Simulator's calls.
 */
class SimulatorFuzzTest : public TestCase
{
  public:
    SimulatorFuzzTest()
        : TestCase("ns-3 events run as under ns-3's engine, at any event number, frames or not")
    {
    }

  private:
    void DoRun() override
    {
        std::size_t length = 0;
        for (uint64_t seed = 0; seed < 60; seed++)
        {
            const std::string expected = RunUnder(DEFAULT_ENGINE, MAP_SCHEDULER, seed);
            length += expected.size();
            NS_TEST_ASSERT_MSG_EQ((RunUnder(DEFAULT_ENGINE, RADIX_SCHEDULER, seed) == expected),
                                  true,
                                  "with the radix scheduler, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ((RunUnder(DEFAULT_ENGINE, "", seed) == expected),
                                  true,
                                  "with changing schedulers, seed " << seed);
            // event numbers whose lower 32 bits pass 2^31 and 2^32 on the way
            for (const uint64_t uid :
                 {uint64_t(4), (uint64_t(1) << 31) - 500, (uint64_t(3) << 32) - 500})
            {
                NS_TEST_ASSERT_MSG_EQ((RunUnder(FRAME_ENGINE, "", seed, uid) == expected),
                                      true,
                                      "seed " << seed << " number " << uid);
            }
            const std::string frames = RunUnder(DEFAULT_ENGINE, MAP_SCHEDULER, seed, 0, true);
            for (const char* engine : {FRAME_ENGINE, DEFAULT_ENGINE})
            {
                NS_TEST_ASSERT_MSG_EQ((RunUnder(engine, RADIX_SCHEDULER, seed, 0, true) == frames),
                                      true,
                                      engine << " with frames, seed " << seed);
            }
        }
        NS_TEST_EXPECT_MSG_GT(length, 1000000, "the programs do something");
    }

    /**
     * Run a program.
     * @param engine the engine
     * @param scheduler the scheduler of ns-3's engine; none to change it on the way
     * @param seed which program
     * @param uid number of the first event, or 0 for the usual one
     * @param withFrames whether there are frame events
     * @return what happened
     */
    static std::string RunUnder(const std::string& engine,
                                const std::string& scheduler,
                                uint64_t seed,
                                uint64_t uid = 0,
                                bool withFrames = false)
    {
        const EngineScope scope(engine, scheduler.empty() ? MAP_SCHEDULER : scheduler);
        if (uid != 0)
        {
            Simulator::Now(); // starts the engine
            FrameSimulatorImpl::Get()->SetNextUid(uid);
        }
        return RandomProgram(seed, withFrames, scheduler.empty()).Run();
    }
};

/**
 * @ingroup llm-fabric-test
 * Random programs of calls of Simulator.
 */
class EngineSimulatorFuzzTestSuite : public TestSuite
{
  public:
    EngineSimulatorFuzzTestSuite()
        : TestSuite("llm-fabric-engine-simulator-fuzz", TestSuite::Type::UNIT)
    {
        AddTestCase(new SimulatorFuzzTest);
    }
};

/** The suite. */
static EngineSimulatorFuzzTestSuite g_engineSimulatorFuzzTestSuite;
