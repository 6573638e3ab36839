// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-recorder.h"

#include "ns3/frame-clock.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @ingroup llm-fabric-test
 * The order of frame events.
 */
class FrameOrderTest : public TestCase
{
  public:
    FrameOrderTest()
        : TestCase("frame events run by tick, kind and object under every engine and scheduler, "
                   "whatever the order in which they are inserted")
    {
    }

  private:
    /** A frame event. */
    struct Event
    {
        uint64_t tick;       //!< when it runs
        FrameEventKind kind; //!< its kind
        uint32_t object;     //!< its object
    };

    /** The first tick, at which more events are inserted. */
    static constexpr uint64_t PRESENT = 1000;
    /** Number of objects. */
    static constexpr uint32_t OBJECTS = 120;

    void DoRun() override
    {
        const std::string expected = ChooseEvents();
        NS_TEST_EXPECT_MSG_EQ(m_early.size(),
                              4 * OBJECTS * 7 / 2,
                              "four kinds, three ticks and a half");
        NS_TEST_EXPECT_MSG_EQ(s_late.size(), 4 * OBJECTS / 2, "four kinds of half a tick");
        const std::vector<std::pair<std::string, std::string>> engines = {
            {FRAME_ENGINE, MAP_SCHEDULER},
            {DEFAULT_ENGINE, MAP_SCHEDULER},
            {DEFAULT_ENGINE, RADIX_SCHEDULER}};
        TestRandom random(1);
        for (uint32_t order = 0; order < 10; order++)
        {
            for (const auto& [engine, scheduler] : engines)
            {
                Shuffle(random, m_early);
                Shuffle(random, s_late);
                NS_TEST_ASSERT_MSG_EQ((Run(engine, scheduler) == expected),
                                      true,
                                      engine << " with " << scheduler << ", order " << order);
            }
        }
    }

    /**
     * Choose the events: at the present tick every other object's, as the rest comes while it runs.
     * @return what has to happen
     */
    std::string ChooseEvents()
    {
        m_early.clear();
        s_late.clear();
        std::ostringstream text;
        for (const uint64_t tick : {PRESENT, PRESENT + 1, uint64_t(2000), uint64_t(1) << 41})
        {
            for (const FrameEventKind which : {FrameEventKind::DEPARTURE,
                                               FrameEventKind::ARRIVAL,
                                               FrameEventKind::NIC_WAKE,
                                               FrameEventKind::TEST}) // those of Recorder
            {
                const uint32_t kind = Recorder::GetLabel(which);
                for (uint32_t object = 0; object < OBJECTS; object++)
                {
                    const bool isLate = tick == PRESENT && object % 2 == 1;
                    (isLate ? s_late : m_early).push_back(Event{tick, which, object});
                    text << tick << ":" << kind << "." << object << " ";
                }
            }
        }
        return text.str();
    }

    /**
     * Bring events into another order.
     * @param random the numbers
     * @param events the events
     */
    static void Shuffle(TestRandom& random, std::vector<Event>& events)
    {
        for (std::size_t i = events.size() - 1; i > 0; i--)
        {
            std::swap(events[i], events[random.Below(i + 1)]);
        }
    }

    /**
     * Run the events.
     * @param engine the engine
     * @param scheduler the scheduler of ns-3's engine
     * @return what happened
     */
    std::string Run(const std::string& engine, const std::string& scheduler) const
    {
        const EngineScope scope(engine, scheduler);
        Recorder recorder(OBJECTS, &Act);
        for (const Event& event : m_early)
        {
            recorder.clock->RequestAt(event.tick, event.kind, event.object);
        }
        Simulator::Run();
        return recorder.frames.str();
    }

    /**
     * What objects do: the first event of all inserts the late ones.
     * @param recorder the recorder
     * @param kind kind of the event
     * @param object number of the object
     */
    static void Act(Recorder& recorder, FrameEventKind kind, uint32_t object)
    {
        const bool isPresent = recorder.clock->NowTicks() == PRESENT;
        if (isPresent && kind == FrameEventKind::DEPARTURE && object == 0)
        {
            for (const Event& event : s_late)
            {
                recorder.clock->ScheduleFrame(event.tick, event.kind, event.object);
            }
        }
    }

    std::vector<Event> m_early;       //!< inserted before the run
    static std::vector<Event> s_late; //!< inserted while the first tick runs
};

std::vector<FrameOrderTest::Event> FrameOrderTest::s_late;

/**
 * @ingroup llm-fabric-test
 * The order of frame events under all engines.
 */
class EngineOrderTestSuite : public TestSuite
{
  public:
    EngineOrderTestSuite()
        : TestSuite("llm-fabric-engine-order", TestSuite::Type::UNIT)
    {
        AddTestCase(new FrameOrderTest);
    }
};

/** The suite. */
static EngineOrderTestSuite g_engineOrderTestSuite;
