// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-support.h"

#include "ns3/event-impl.h"
#include "ns3/heap-scheduler.h"
#include "ns3/make-event.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"
#include "ns3/radix-scheduler.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * @param a an event of a scheduler
 * @param b another
 * @return whether they are the same in all respects
 */
bool
IsSame(const Scheduler::Event& a, const Scheduler::Event& b)
{
    return a.impl == b.impl && a.key.m_ts == b.key.m_ts && a.key.m_uid == b.key.m_uid &&
           a.key.m_context == b.key.m_context;
}

} // namespace

/**
 * @ingroup llm-fabric-test
 * Random programs of a scheduler's calls.
 */
class SchedulerFuzzTest : public TestCase
{
  public:
    SchedulerFuzzTest()
        : TestCase("the radix scheduler gives what ns-3's map and heap give, whatever is asked")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t i = 0; i < 16; i++)
        {
            m_impls.emplace_back(MakeEvent(+[]() {}), false);
        }
        for (uint64_t seed = 0; seed < 24; seed++)
        {
            // ns-3's heap may lose its order when something is removed
            const bool isHeap = seed % 3 == 2;
            const Ptr<Scheduler> reference = isHeap ? Ptr<Scheduler>(CreateObject<HeapScheduler>())
                                                    : Ptr<Scheduler>(CreateObject<MapScheduler>());
            RunOne(seed, reference, !isHeap);
        }
        NS_TEST_EXPECT_MSG_GT(m_removed, 1000, "many were removed");
        NS_TEST_EXPECT_MSG_GT(m_past, 1000, "many lay before the last one taken");
    }

    /**
     * Run a program.
     * @param seed its seed; also chooses the ticks and the numbers of events
     * @param reference ns-3's scheduler
     * @param withRemoval whether events are removed
     */
    void RunOne(uint64_t seed, Ptr<Scheduler> reference, bool withRemoval)
    {
        TestRandom random(seed);
        const Ptr<RadixScheduler> radix = CreateObject<RadixScheduler>();
        const uint64_t begins[] = {0, (uint64_t(1) << 63) - 5000, uint64_t(1) << 63, 12345};
        const uint32_t numbers[] = {4, UINT32_MAX - 3000, uint32_t(1) << 31};
        uint64_t now = begins[seed % 4];
        uint32_t number = numbers[seed / 4 % 3];
        std::vector<Scheduler::Event> pending;
        for (uint32_t step = 0; step < 6000; step++)
        {
            const uint64_t burst = random.Below(300) == 0 ? random.Below(1000) : random.Below(3);
            for (uint64_t i = 0; i < burst && pending.size() < 3000; i++)
            {
                const Scheduler::Event event = Draw(random, seed, now, number++);
                pending.push_back(event);
                reference->Insert(event);
                radix->Insert(event);
            }
            if (withRemoval && !pending.empty() && random.Below(4) == 0)
            {
                const std::size_t i = random.Below(pending.size());
                reference->Remove(pending[i]);
                radix->Remove(pending[i]);
                pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
                m_removed++;
            }
            NS_TEST_ASSERT_MSG_EQ(radix->IsEmpty(), pending.empty(), "seed " << seed);
            if (pending.empty())
            {
                continue;
            }
            const Scheduler::Event next = reference->PeekNext();
            NS_TEST_ASSERT_MSG_EQ(IsSame(radix->PeekNext(), next), true, "peek, seed " << seed);
            if (random.Below(3) != 0)
            {
                reference->RemoveNext();
                NS_TEST_ASSERT_MSG_EQ(IsSame(radix->RemoveNext(), next), true, "seed " << seed);
                pending.erase(std::find_if(pending.begin(),
                                           pending.end(),
                                           [&next](const Scheduler::Event& event)
                                           { return IsSame(event, next); }));
                now = next.key.m_ts;
            }
        }
    }

    /**
     * Draw an event.
     * @param random the numbers
     * @param seed chooses the shape of the distances
     * @param now tick of the last event
     * @param number number of the event
     * @return the event
     */
    Scheduler::Event Draw(TestRandom& random, uint64_t seed, uint64_t now, uint32_t number)
    {
        const uint64_t bits[] = {0, 0, 1, 4, 10, 20, 40, 63};
        const uint64_t size = bits[random.Below(seed % 2 == 0 ? 4 : 8)];
        const uint64_t distance = random.Below(uint64_t(1) << size);
        uint64_t tick = now + std::min(distance, ~now); // the last tick of all is allowed, too
        if (random.Below(20) == 0)
        {
            tick = now - std::min(distance, now);
            m_past += tick < now;
        }
        const auto context = static_cast<uint32_t>(random.Next());
        return Scheduler::Event{PeekPointer(m_impls[random.Below(m_impls.size())]),
                                Scheduler::EventKey{tick, number, context}};
    }

    std::vector<Ptr<EventImpl>> m_impls; //!< what events run
    uint64_t m_removed{0};               //!< events removed
    uint64_t m_past{0};                  //!< events inserted before the last one taken
};

/**
 * @ingroup llm-fabric-test
 * The scheduler in ns-3's engine, by hand.
 */
class SchedulerEngineTest : public TestCase
{
  public:
    SchedulerEngineTest()
        : TestCase("ns-3's engine runs, cancels and removes events with the radix scheduler, to "
                   "which it may change on the way")
    {
    }

  private:
    void DoRun() override
    {
        const EngineScope scope(DEFAULT_ENGINE, RADIX_SCHEDULER);
        Run();
        Simulator::Destroy();
        Run();
    }

    /** Run some events. */
    void Run()
    {
        m_log.clear();
        Schedule(30, 'c');
        Schedule(10, 'a');
        EventId removed = Schedule(20, 'x');
        EventId cancelled = Schedule(20, 'y');
        Schedule(20, 'b');
        Schedule(30, 'd');
        removed.Remove();
        cancelled.Cancel();
        NS_TEST_EXPECT_MSG_EQ((removed.IsExpired() && cancelled.IsExpired()), true, "both expired");
        Simulator::Stop(TimeStep(25));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_log, "10a 20b ", "up to the stop");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), 4, "two, a cancelled one and the stop");
        // what is pending moves to ns-3's map and back; then events come before what was pending
        Change(MAP_SCHEDULER);
        Schedule(5, 'e');
        Change(RADIX_SCHEDULER);
        Schedule(0, 'f');
        Simulator::Schedule(TimeStep(1), &SchedulerEngineTest::Change, RADIX_SCHEDULER);
        Schedule(1, 'g');
        Simulator::ScheduleDestroy(&SchedulerEngineTest::Note, this, 'z');
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_log, "10a 20b 25f 26g 30c 30d 30e ", "all in order");
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), true, "nothing is left");
        const EventId last = Schedule(7, 'w');
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetDelayLeft(last).GetTimeStep(), 7, "pending");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(m_log,
                              "10a 20b 25f 26g 30c 30d 30e 30z ",
                              "and the event of the end");
    }

    /**
     * Schedule an event.
     * @param delay ticks
     * @param name what it writes down
     * @return the event
     */
    EventId Schedule(uint64_t delay, char name)
    {
        return Simulator::Schedule(TimeStep(delay), &SchedulerEngineTest::Note, this, name);
    }

    /**
     * An event.
     * @param name what it writes down
     */
    void Note(char name)
    {
        m_log += std::to_string(Simulator::Now().GetTimeStep()) + name + " ";
    }

    /**
     * Change the scheduler.
     * @param type its TypeId
     */
    static void Change(const std::string& type)
    {
        ObjectFactory factory;
        factory.SetTypeId(type);
        Simulator::SetScheduler(factory);
    }

    std::string m_log; //!< what ran
};

/**
 * @ingroup llm-fabric-test
 * Removal of what is not there.
 */
class SchedulerRefusalTest : public TestCase
{
  public:
    SchedulerRefusalTest()
        : TestCase("removing an event that is not pending is fatal, and says which")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<RadixScheduler> radix = CreateObject<RadixScheduler>();
        const Ptr<EventImpl> impl(MakeEvent(+[]() {}), false);
        const auto make = [&impl](uint64_t tick, uint32_t number)
        {
            return Scheduler::Event{PeekPointer(impl), Scheduler::EventKey{tick, number, 0}};
        };
        radix->Insert(make(100, 7));
        radix->Insert(make(200, 8));
        radix->RemoveNext();
        radix->Insert(make(50, 9)); // in the past
        for (const auto& absent : {make(100, 7), make(200, 9), make(50, 8), make(49, 9)})
        {
            const std::string words = GetDyingWords([&]() { radix->Remove(absent); });
            const std::string expected = "event " + std::to_string(absent.key.m_uid) + " at tick " +
                                         std::to_string(absent.key.m_ts) + " is to be removed";
            NS_TEST_EXPECT_MSG_EQ((words.find(expected) != std::string::npos), true, words);
        }
        radix->Remove(make(50, 9));
        radix->Remove(make(200, 8));
        NS_TEST_EXPECT_MSG_EQ(radix->IsEmpty(), true, "but those that are pending go");
    }
};

/**
 * @ingroup llm-fabric-test
 * The module's scheduler.
 */
class EngineSchedulerTestSuite : public TestSuite
{
  public:
    EngineSchedulerTestSuite()
        : TestSuite("llm-fabric-engine-scheduler", TestSuite::Type::UNIT)
    {
        AddTestCase(new SchedulerFuzzTest);
        AddTestCase(new SchedulerEngineTest);
        AddTestCase(new SchedulerRefusalTest);
    }
};

/** The suite. */
static EngineSchedulerTestSuite g_engineSchedulerTestSuite;
