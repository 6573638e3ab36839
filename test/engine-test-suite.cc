// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/frame-event-queue.h"
#include "ns3/test.h"

#include "engine-test-support.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What orders entries. */
using Place = std::pair<uint64_t, uint64_t>;

/**
 * Pop all entries.
 * @param queue a queue
 * @return their places in this order
 */
std::vector<Place>
PopAll(FrameEventQueue<FrameEvent>& queue)
{
    std::vector<Place> places;
    while (!queue.IsEmpty())
    {
        const FrameEvent entry = queue.Pop();
        places.emplace_back(entry.tick, entry.key);
    }
    return places;
}

/**
 * Draw a distance to a later tick, of many sizes.
 * @param random the numbers
 * @param shape 0: close together, 1: far apart, 2: any, 3: mostly equal
 * @return the distance
 */
uint64_t
DrawDistance(TestRandom& random, uint64_t shape)
{
    switch (shape)
    {
    case 0:
        return random.Below(8);
    case 1:
        return random.Next() >> (8 + random.Below(56));
    case 2:
        return random.Below(uint64_t(1) << random.Below(40));
    default:
        return random.Below(10) == 0 ? random.Below(1000) : 0;
    }
}

} // namespace

/**
 * @ingroup llm-fabric-test
 * Random insertions, pops, looks and erasures, against a set.
 */
class QueueReferenceTest : public TestCase
{
  public:
    QueueReferenceTest()
        : TestCase("the queue pops in the order of a sorted set, whatever is done to it")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t seed = 0; seed < 60; seed++)
        {
            RunOne(seed);
        }
    }

    /**
     * Run one random program.
     * @param seed seed; also chooses the shape of the distances and the mix of calls
     */
    void RunOne(uint64_t seed)
    {
        TestRandom random(seed);
        FrameEventQueue<FrameEvent> queue;
        std::multiset<Place> reference;
        uint64_t now = seed % 5 == 0 ? uint64_t(1) << 63 : 0;
        uint64_t pops = 0;
        for (uint32_t step = 0; step < 4000; step++)
        {
            // insertions come in bursts of up to a thousand
            const uint64_t burst = random.Below(200) == 0 ? random.Below(1000) : random.Below(3);
            for (uint64_t i = 0; i < burst && reference.size() < 5000; i++)
            {
                const uint64_t distance = DrawDistance(random, seed % 4);
                const FrameEvent event{now + std::min(distance, ~now - 1), random.Below(300)};
                queue.Insert(event);
                reference.emplace(event.tick, event.key);
            }
            if (random.Below(4) == 0 && !reference.empty())
            {
                EraseOne(random, queue, reference, now);
            }
            NS_TEST_ASSERT_MSG_EQ(queue.IsEmpty(), reference.empty(), "seed " << seed);
            if (reference.empty())
            {
                NS_TEST_ASSERT_MSG_EQ(queue.PeekTick(), queue.NEVER, "seed " << seed);
                continue;
            }
            const Place first = *reference.begin();
            NS_TEST_ASSERT_MSG_EQ(queue.PeekTick(), first.first, "seed " << seed << " " << step);
            NS_TEST_ASSERT_MSG_EQ(queue.Peek()->key, first.second, "seed " << seed << " " << step);
            if (random.Below(3) != 0)
            {
                const FrameEvent event = queue.Pop();
                NS_TEST_ASSERT_MSG_EQ((Place(event.tick, event.key) == first),
                                      true,
                                      "seed " << seed << " step " << step << " popped "
                                              << event.tick << " " << event.key);
                reference.erase(reference.begin());
                now = event.tick;
                pops++;
            }
        }
        NS_TEST_ASSERT_MSG_EQ(queue.GetSize(), reference.size(), "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(queue.GetPopCount(), pops, "seed " << seed);
        const std::vector<Place> rest(reference.begin(), reference.end());
        NS_TEST_ASSERT_MSG_EQ((PopAll(queue) == rest), true, "seed " << seed);
    }

    /**
     * Erase an entry that may or may not be there.
     * @param random the numbers
     * @param queue the queue
     * @param reference the set
     * @param now the present
     */
    void EraseOne(TestRandom& random,
                  FrameEventQueue<FrameEvent>& queue,
                  std::multiset<Place>& reference,
                  uint64_t now)
    {
        Place place(now + random.Below(10), random.Below(300));
        if (random.Below(4) != 0)
        {
            const auto near = reference.lower_bound(Place(now + random.Below(100), 0));
            place = near == reference.end() ? *reference.rbegin() : *near;
        }
        const bool erased =
            queue.Erase(place.first,
                        [&place](const FrameEvent& event) { return event.key == place.second; });
        const auto found = reference.find(place);
        NS_TEST_EXPECT_MSG_EQ(erased, (found != reference.end()), "tick " << place.first);
        if (found != reference.end())
        {
            reference.erase(found);
        }
    }
};

/**
 * @ingroup llm-fabric-test
 * The same entries in many orders of insertion.
 */
class QueueOrderTest : public TestCase
{
  public:
    QueueOrderTest()
        : TestCase("the order of insertion does not show, within a running tick either")
    {
    }

  private:
    void DoRun() override
    {
        // three ticks of 600 entries each, one of them far away, and 600 for the first while it runs
        std::vector<FrameEvent> early;
        std::vector<FrameEvent> late;
        for (uint64_t key = 0; key < 600; key++)
        {
            early.push_back(FrameEvent{1000, 2 * key});
            early.push_back(FrameEvent{1001, key});
            early.push_back(FrameEvent{uint64_t(1) << 50, key});
            late.push_back(FrameEvent{1000, 2 * key + 1});
        }
        TestRandom random(1);
        std::vector<Place> expected;
        for (uint32_t order = 0; order < 20; order++)
        {
            const std::vector<Place> places = Run(early, late);
            if (order == 0)
            {
                expected = places;
                CheckFirstOrder(places);
            }
            NS_TEST_ASSERT_MSG_EQ((places == expected), true, "order " << order);
            for (std::size_t i = early.size() - 1; i > 0; i--)
            {
                std::swap(early[i], early[random.Below(i + 1)]);
            }
            for (std::size_t i = late.size() - 1; i > 0; i--)
            {
                std::swap(late[i], late[random.Below(i + 1)]);
            }
        }
    }

    /**
     * Insert and pop.
     * @param early inserted at once
     * @param late inserted in pieces, while the first tick runs
     * @return the places of the entries in the order of their pops
     */
    static std::vector<Place> Run(const std::vector<FrameEvent>& early,
                                  const std::vector<FrameEvent>& late)
    {
        FrameEventQueue<FrameEvent> queue;
        std::vector<Place> places;
        for (const FrameEvent& event : early)
        {
            queue.Insert(event);
        }
        for (std::size_t i = 0; i < 100; i++)
        {
            const FrameEvent event = queue.Pop();
            places.emplace_back(event.tick, event.key);
        }
        for (const FrameEvent& event : late)
        {
            queue.Insert(event);
        }
        for (const Place& place : PopAll(queue))
        {
            places.push_back(place);
        }
        return places;
    }

    /**
     * Compare with what must come out by hand.
     * @param places what came out
     */
    void CheckFirstOrder(const std::vector<Place>& places)
    {
        NS_TEST_ASSERT_MSG_EQ(places.size(), 2400, "all come out");
        // 0, 2 .. 198 ran before the odd keys came; of these the lower ones run at once
        NS_TEST_EXPECT_MSG_EQ(places[99].second, 198, "the last of the first hundred");
        NS_TEST_EXPECT_MSG_EQ(places[100].second, 1, "a late key that is lower runs next");
        NS_TEST_EXPECT_MSG_EQ(places[199].second, 199, "the last of the lower late keys");
        NS_TEST_EXPECT_MSG_EQ(places[200].second, 200, "then both kinds alternate");
        NS_TEST_EXPECT_MSG_EQ(places[201].second, 201, "then both kinds alternate");
        NS_TEST_EXPECT_MSG_EQ(places[1200].first, 1001, "the next tick follows");
        NS_TEST_EXPECT_MSG_EQ(places[2399].second, 599, "and the last of the far tick is the end");
    }
};

/**
 * @ingroup llm-fabric-test
 * Entries between the present and the next entry.
 */
class QueuePresentTest : public TestCase
{
  public:
    QueuePresentTest()
        : TestCase("an entry may always be inserted between the present and the next one")
    {
    }

  private:
    void DoRun() override
    {
        FrameEventQueue<FrameEvent> queue;
        // a window of 64 ticks, of which the first is the present
        queue.Insert(FrameEvent{1024, 0});
        for (uint64_t key = 0; key < 10; key++)
        {
            queue.Insert(FrameEvent{1024 + 63, key});
        }
        NS_TEST_ASSERT_MSG_EQ(queue.Pop().tick, 1024, "the present");
        // more than a run holds, so that the window narrows, and not beyond the present
        for (uint64_t i = 0; i < 1000; i++)
        {
            queue.Insert(FrameEvent{1024 + 40 + i % 20, i});
        }
        queue.Insert(FrameEvent{1024 + 1, 0});
        queue.Insert(FrameEvent{1024, 7});
        const std::vector<Place> places = PopAll(queue);
        NS_TEST_ASSERT_MSG_EQ(places.size(), 1012, "all come out");
        NS_TEST_EXPECT_MSG_EQ(places[0].first, 1024, "the present first");
        NS_TEST_EXPECT_MSG_EQ(places[1].first, 1025, "then what was squeezed in");
        NS_TEST_EXPECT_MSG_EQ(std::is_sorted(places.begin(), places.end()), true, "all in order");
    }
};

/**
 * @ingroup llm-fabric-test
 * Looking ahead, and taking everything out.
 */
class QueueDrainTest : public TestCase
{
  public:
    QueueDrainTest()
        : TestCase("looking moves nothing, Ahead() shows the run, Drain() takes all")
    {
    }

  private:
    void DoRun() override
    {
        FrameEventQueue<FrameEvent> queue;
        NS_TEST_EXPECT_MSG_EQ((queue.Peek() == nullptr), true, "nothing to see");
        queue.Insert(FrameEvent{1000000, 1});
        NS_TEST_EXPECT_MSG_EQ(queue.PeekTick(), 1000000, "the only entry");
        NS_TEST_EXPECT_MSG_EQ(queue.GetAheadCount(), 0, "not sorted into the run yet");
        queue.Insert(FrameEvent{10, 2}); // earlier than what was looked at
        queue.Insert(FrameEvent{1000001, 3});
        NS_TEST_EXPECT_MSG_EQ(queue.Pop().tick, 10, "the earliest");
        NS_TEST_EXPECT_MSG_EQ(queue.Pop().tick, 1000000, "the next");
        NS_TEST_ASSERT_MSG_EQ(queue.GetAheadCount(), 1, "its neighbour is in the run");
        NS_TEST_EXPECT_MSG_EQ(queue.Ahead(0).key, 3, "its neighbour is in the run");
        CheckDrain();
    }

    /** Drain a queue that has entries everywhere, and insert meanwhile. */
    void CheckDrain()
    {
        FrameEventQueue<FrameEvent> queue;
        uint64_t sum = 0;
        for (uint64_t key = 1; key <= 1000; key++)
        {
            // a run and late entries of tick 7, and entries in several slots
            queue.Insert(FrameEvent{key % 4 == 0 ? key << 20 : 7, key});
            sum += key;
            if (key == 400)
            {
                sum -= queue.Pop().key;
            }
        }
        bool inserted = false;
        uint64_t count = 0;
        queue.Drain(
            [&](const FrameEvent& event)
            {
                count++;
                sum -= event.key;
                if (!inserted)
                {
                    inserted = true;
                    queue.Insert(FrameEvent{uint64_t(1) << 60, 5});
                    sum += 5;
                }
            });
        NS_TEST_EXPECT_MSG_EQ(count, 1000, "all but the popped one, and the one that was added");
        NS_TEST_EXPECT_MSG_EQ(sum, 0, "each once");
        NS_TEST_EXPECT_MSG_EQ(queue.IsEmpty(), true, "none is left");
        NS_TEST_EXPECT_MSG_EQ(queue.GetSize(), 0, "none is left");
    }
};

/**
 * @ingroup llm-fabric-test
 * The queue of the engine.
 */
class EngineTestSuite : public TestSuite
{
  public:
    EngineTestSuite()
        : TestSuite("llm-fabric-engine", TestSuite::Type::UNIT)
    {
        AddTestCase(new QueueReferenceTest);
        AddTestCase(new QueueOrderTest);
        AddTestCase(new QueuePresentTest);
        AddTestCase(new QueueDrainTest);
    }
};

/** The suite. */
static EngineTestSuite g_engineTestSuite;
