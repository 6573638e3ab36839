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

/** What was done to entries. */
struct Count
{
    static uint64_t looks;       //!< how often a tick or a key of an entry was read
    static uint64_t allocations; //!< how often storage was allocated
};

uint64_t Count::looks = 0;
uint64_t Count::allocations = 0;

/**
 * @ingroup llm-fabric-test
 * A number that counts how often one is read; a copy reads it, too.
 */
class CountedNumber
{
  public:
    CountedNumber() = default;

    /**
     * Constructor.
     * @param value the value
     */
    explicit CountedNumber(uint64_t value)
        : m_value(value)
    {
    }

    /**
     * Copy.
     * @param other the original
     */
    CountedNumber(const CountedNumber& other)
        : m_value(other)
    {
    }

    /**
     * Copy.
     * @param other the original
     * @return this
     */
    CountedNumber& operator=(const CountedNumber& other)
    {
        m_value = other;
        return *this;
    }

    /** @return the value */
    operator uint64_t() const
    {
        Count::looks++;
        return m_value;
    }

  private:
    uint64_t m_value{0}; //!< the value
};

/**
 * @ingroup llm-fabric-test
 * An entry that counts what is done to it: to compare, move or scan it is to look at it.
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

    CountedNumber tick; //!< the tick
    CountedNumber key;  //!< the key
};

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
        Count::allocations++;
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
 * What an entry costs in the worst cases, in looks at entries.
 */
class QueueCostTest : public TestCase
{
  public:
    QueueCostTest()
        : TestCase("a hundred thousand entries of one tick cost little each, and what is far costs "
                   "nothing; in the end nothing is allocated")
    {
    }

  private:
    /** Number of entries. */
    static constexpr uint64_t COUNT = 100000;
    /** Looks at entries per entry that are allowed; a quadratic cost would be 50,000 and more. */
    static constexpr uint64_t ALLOWED = 500;

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
        Check("one tick, ahead, and as many while it runs, popped in turn",
              [](CountingQueue& queue)
              {
                  for (uint64_t i = 0; i < COUNT; i++)
                  {
                      queue.Insert(CountingEntry(5000, 2 * COUNT - i));
                  }
                  // lower and lower keys, each of which comes out next
                  for (uint64_t i = 0; i < COUNT; i++)
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
        Check("many far ahead, while near ones come and go",
              [](CountingQueue& queue)
              {
                  for (uint64_t i = 0; i < COUNT; i++)
                  {
                      queue.Insert(CountingEntry((uint64_t(1) << 40) + i, 0));
                  }
                  for (uint64_t i = 0; i < COUNT; i++)
                  {
                      queue.Insert(CountingEntry(1000 + i, 0));
                      queue.Pop();
                      queue.PeekTick();
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
        Count::looks = 0;
        fill(queue);
        uint64_t pops = 0;
        for (CountingEntry last; !queue.IsEmpty(); pops++)
        {
            queue.PeekTick(); // as an engine does before each event
            const CountingEntry entry = queue.Pop();
            const bool isLater = entry.tick > last.tick;
            NS_TEST_ASSERT_MSG_EQ((isLater || entry.key >= last.key), true, name);
            last = entry;
        }
        NS_TEST_EXPECT_MSG_EQ((pops >= COUNT), true, name);
        NS_TEST_EXPECT_MSG_LT(Count::looks / COUNT, ALLOWED, name);
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
                before = Count::allocations;
            }
            const CountingEntry entry = queue.Pop();
            queue.Insert(CountingEntry(entry.tick + (i % 3 == 0 ? 65536 : 16384), entry.key));
        }
        NS_TEST_EXPECT_MSG_GT(before, 0, "storage is allocated at first");
        // only slots of a level that was never reached before are new
        NS_TEST_EXPECT_MSG_LT(Count::allocations - before,
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
