// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-support.h"

#include "ns3/frame-event-queue.h"
#include "ns3/test.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * @ingroup llm-fabric-test
 * An entry that counts how often one is copied, and how often an array of them gets new storage.
 */
struct CountingEntry
{
    CountingEntry() = default;

    /**
     * Constructor.
     * @param t the tick
     * @param k the key
     */
    CountingEntry(uint64_t t, uint64_t k)
        : tick(t),
          key(k)
    {
    }

    /**
     * Copy.
     * @param other the original
     */
    CountingEntry(const CountingEntry& other)
        : tick(other.tick),
          key(other.key)
    {
        copies++;
    }

    /**
     * Copy.
     * @param other the original
     * @return this
     */
    CountingEntry& operator=(const CountingEntry& other)
    {
        tick = other.tick;
        key = other.key;
        copies++;
        return *this;
    }

    uint64_t tick{0};            //!< the tick
    uint64_t key{0};             //!< the key
    static uint64_t copies;      //!< how often one was copied
    static uint64_t allocations; //!< how often storage was allocated
};

uint64_t CountingEntry::copies = 0;
uint64_t CountingEntry::allocations = 0;

/**
 * @ingroup llm-fabric-test
 * Counts how often storage is allocated.
 * @tparam T for what
 */
template <typename T>
struct CountingAllocator
{
    using value_type = T; //!< what is allocated

    /**
     * Allocate storage.
     * @param count number of objects
     * @return the storage
     */
    T* allocate(std::size_t count)
    {
        CountingEntry::allocations++;
        return std::allocator<T>().allocate(count);
    }

    /**
     * Free storage.
     * @param storage the storage
     * @param count number of objects
     */
    void deallocate(T* storage, std::size_t count)
    {
        std::allocator<T>().deallocate(storage, count);
    }

    /** @return true: all are the same */
    bool operator==(const CountingAllocator&) const
    {
        return true;
    }

    /** @return false: all are the same */
    bool operator!=(const CountingAllocator&) const
    {
        return false;
    }
};

/** A queue that counts. */
using CountingQueue = FrameEventQueue<CountingEntry, CountingAllocator<CountingEntry>>;

} // namespace

/**
 * @ingroup llm-fabric-test
 * What an entry costs in the worst cases, in copies.
 */
class QueueCostTest : public TestCase
{
  public:
    QueueCostTest()
        : TestCase("thousands of entries of one tick cost little each, and nothing is allocated")
    {
    }

  private:
    /** Number of entries. */
    static constexpr uint64_t COUNT = 20000;
    /** Copies per entry that are allowed; a quadratic cost would be thousands. */
    static constexpr uint64_t ALLOWED = 100;

    void DoRun() override
    {
        // descending keys are the worst order for an array that is sorted in from the back
        Check("one tick, ahead",
              [](CountingQueue& queue)
              {
                  for (uint64_t i = 0; i < COUNT; i++)
                  {
                      queue.Insert(CountingEntry(5000, COUNT - i));
                  }
              });
        Check("one tick, while it runs",
              [](CountingQueue& queue)
              {
                  queue.Insert(CountingEntry(5000, 0));
                  queue.Pop();
                  for (uint64_t i = 0; i < COUNT; i++)
                  {
                      queue.Insert(CountingEntry(5000, COUNT - i));
                  }
              });
        Check("one tick, popped and inserted in turn",
              [](CountingQueue& queue)
              {
                  for (uint64_t i = 0; i < COUNT; i++)
                  {
                      queue.Insert(CountingEntry(5000, 2 * COUNT - i));
                  }
                  for (uint64_t i = 0; i < COUNT / 2; i++)
                  {
                      queue.Pop();
                      queue.Insert(CountingEntry(5000, COUNT - i));
                  }
              });
        Check("one window",
              [](CountingQueue& queue)
              {
                  queue.Insert(CountingEntry(1 << 20, 0));
                  queue.Insert(CountingEntry((1 << 20) + 2 * COUNT, 0));
                  queue.Pop();
                  for (uint64_t i = 0; i < COUNT; i++)
                  {
                      queue.Insert(CountingEntry((1 << 20) + 2 * COUNT - i, 0));
                  }
              });
        CheckSteadyState();
    }

    /**
     * Fill a queue, empty it, and count.
     * @param name what it is about
     * @param fill fills the queue
     */
    template <typename Fill>
    void Check(const std::string& name, Fill fill)
    {
        CountingQueue queue;
        CountingEntry::copies = 0;
        fill(queue);
        uint64_t pops = 0;
        for (CountingEntry last; !queue.IsEmpty(); pops++)
        {
            const CountingEntry entry = queue.Pop();
            const bool isLater = entry.tick > last.tick;
            NS_TEST_ASSERT_MSG_EQ((isLater || entry.key >= last.key), true, name);
            last = entry;
        }
        NS_TEST_EXPECT_MSG_EQ((pops >= COUNT), true, name);
        NS_TEST_EXPECT_MSG_LT(CountingEntry::copies / COUNT, ALLOWED, name);
    }

    /** Pop and insert for a long time, once the storage has been got. */
    void CheckSteadyState()
    {
        TestRandom random(3);
        CountingQueue queue;
        for (uint64_t i = 0; i < 1000; i++)
        {
            queue.Insert(CountingEntry(random.Below(100000), i));
        }
        uint64_t before = 0;
        for (uint64_t i = 0; i < 400000; i++)
        {
            if (i == 200000)
            {
                before = CountingEntry::allocations;
            }
            const CountingEntry entry = queue.Pop();
            queue.Insert(CountingEntry(entry.tick + (i % 3 == 0 ? 65536 : 16384), entry.key));
        }
        NS_TEST_EXPECT_MSG_GT(before, 0, "storage is allocated at first");
        // only slots of a level that was never reached before are new
        NS_TEST_EXPECT_MSG_LT(CountingEntry::allocations - before,
                              100,
                              "then 200,000 entries need nearly nothing more");
    }
};

/**
 * @ingroup llm-fabric-test
 * What the queue of the engine costs.
 */
class EngineQueueCostTestSuite : public TestSuite
{
  public:
    EngineQueueCostTestSuite()
        : TestSuite("llm-fabric-engine-queue-cost", TestSuite::Type::UNIT)
    {
        AddTestCase(new QueueCostTest);
    }
};

/** The suite. */
static EngineQueueCostTestSuite g_engineQueueCostTestSuite;
