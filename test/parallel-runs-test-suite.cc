// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/parallel-runs.h"
#include "ns3/run-outcome.h"
#include "ns3/time-resolution.h"

#include "ns3/test.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Runs in processes of their own.
 */

namespace
{

/** A number that this process and its children see. */
class SharedNumber
{
  public:
    SharedNumber()
        : m_memory(mmap(nullptr,
                        sizeof(std::atomic<int>),
                        PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS,
                        -1,
                        0)),
          value(*new (m_memory) std::atomic<int>(0))
    {
    }

    ~SharedNumber()
    {
        munmap(m_memory, sizeof(std::atomic<int>));
    }

    SharedNumber(const SharedNumber&) = delete;
    SharedNumber& operator=(const SharedNumber&) = delete;

  private:
    void* m_memory; //!< where

  public:
    std::atomic<int>& value; //!< the number
};

/** Runs side by side. */
class SideBySideTestCase : public TestCase
{
  public:
    /** @param atMost runs at a time */
    explicit SideBySideTestCase(int atMost)
        : TestCase("Five runs, at most " + std::to_string(atMost) + " at a time"),
          m_atMost(atMost)
    {
    }

  private:
    void DoRun() override
    {
        SharedNumber running;
        SharedNumber most;
        SharedNumber done;
        std::ostringstream out;
        ProgressPrinter printer(out, ProgressPrinter::QUIET);
        const ParallelRuns runs({"a", "b", "c", "d", "e"}, static_cast<uint32_t>(m_atMost));
        const auto results = runs.Run(
            [&](uint32_t index, const ProgressMeter::Sink&)
            {
                const int now = ++running.value;
                for (int seen = most.value; seen < now;)
                {
                    most.value.compare_exchange_weak(seen, now);
                }
                usleep(index == 0 ? 150000 : 60000); // the first is not the first to end
                --running.value;
                ++done.value;
                return static_cast<int>(20 + index);
            },
            printer,
            10);
        NS_TEST_EXPECT_MSG_EQ(done.value.load(), 5, "all ran");
        NS_TEST_EXPECT_MSG_LT(most.value.load(), m_atMost + 1, "not more");
        NS_TEST_ASSERT_MSG_EQ(results.size(), 5, "results");
        for (int i = 0; i < 5; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(results[i], 20 + i, "each at its place");
        }
    }

    int m_atMost; //!< runs at a time
};

/** Runs that end otherwise. */
class OtherEndsTestCase : public TestCase
{
  public:
    OtherEndsTestCase()
        : TestCase("A run that throws, aborts or exits has a status of its own, others go on")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream out;
        ProgressPrinter printer(out, ProgressPrinter::QUIET);
        const auto results = ParallelRuns({"throws", "terminated", "exits", "good"}, 4)
                                 .Run(
                                     [](uint32_t index, const ProgressMeter::Sink&)
                                     {
                                         if (index == 0)
                                         {
                                             throw std::runtime_error("expected by a test");
                                         }
                                         if (index == 1)
                                         {
                                             std::raise(SIGTERM);
                                         }
                                         if (index == 2)
                                         {
                                             _exit(77);
                                         }
                                         return EXIT_DONE;
                                     },
                                     printer,
                                     10);
        const bool isRight = results == std::vector<int>{EXIT_FAILURE, 128 + SIGTERM, 77, 0};
        NS_TEST_EXPECT_MSG_EQ(isRight, true, "statuses");
        const auto none =
            ParallelRuns({}, 4).Run([](uint32_t, const ProgressMeter::Sink&) { return 1; },
                                    printer,
                                    10);
        NS_TEST_EXPECT_MSG_EQ(none.size(), 0, "no run, no result");
    }
};

/** The suite. */
class ParallelRunsTestSuite : public TestSuite
{
  public:
    ParallelRunsTestSuite()
        : TestSuite("llm-fabric-parallel-runs", TestSuite::Type::UNIT)
    {
        AddTestCase(new SideBySideTestCase(1));
        AddTestCase(new SideBySideTestCase(3));
        AddTestCase(new OtherEndsTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_parallelRunsTestSuite; //!< registers the suite

} // namespace
