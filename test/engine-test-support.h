// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ENGINE_TEST_SUPPORT_H
#define LLM_FABRIC_ENGINE_TEST_SUPPORT_H

#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

/**
 * @file
 * @ingroup llm-fabric-test
 * What the suites of the engine share.
 */

/** The module's engine. */
inline const char* const FRAME_ENGINE = "ns3::llm::FrameSimulatorImpl";
/** ns-3's engine. */
inline const char* const DEFAULT_ENGINE = "ns3::DefaultSimulatorImpl";
/** The module's scheduler, for ns-3's engine. */
inline const char* const RADIX_SCHEDULER = "ns3::llm::RadixScheduler";
/** ns-3's default scheduler. */
inline const char* const MAP_SCHEDULER = "ns3::MapScheduler";

/**
 * @ingroup llm-fabric-test
 * Runs a part of a test under an engine: no simulator is left over before or after.
 */
class EngineScope
{
  public:
    /**
     * Constructor.
     * @param engine name of the engine's TypeId
     * @param scheduler name of the scheduler's TypeId
     */
    explicit EngineScope(const std::string& engine, const std::string& scheduler = MAP_SCHEDULER)
    {
        ns3::llm::UsePicoseconds();
        Choose(engine, scheduler);
    }

    ~EngineScope()
    {
        Choose(DEFAULT_ENGINE, MAP_SCHEDULER);
    }

    EngineScope(const EngineScope&) = delete;
    EngineScope& operator=(const EngineScope&) = delete;

  private:
    /**
     * End the simulator and choose the next one.
     * @param engine name of the engine's TypeId
     * @param scheduler name of the scheduler's TypeId
     */
    static void Choose(const std::string& engine, const std::string& scheduler)
    {
        ns3::Simulator::Destroy();
        ns3::GlobalValue::Bind("SimulatorImplementationType", ns3::StringValue(engine));
        ns3::GlobalValue::Bind("SchedulerType", ns3::StringValue(scheduler));
    }
};

/**
 * @ingroup llm-fabric-test
 * Random numbers that are the same with every library: splitmix64.
 */
class TestRandom
{
  public:
    /**
     * Constructor.
     * @param seed any number
     */
    explicit TestRandom(uint64_t seed)
        : m_state(seed)
    {
    }

    /** @return the next number, 64 random bits */
    uint64_t Next()
    {
        m_state += 0x9e3779b97f4a7c15;
        uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    /**
     * @param limit a limit, not 0
     * @return a number below the limit
     */
    uint64_t Below(uint64_t limit)
    {
        return Next() % limit;
    }

  private:
    uint64_t m_state; //!< the state
};

/**
 * @ingroup llm-fabric-test
 * Run something in a process of its own.
 * @param action what to run
 * @return what it wrote to the standard error, with " (killed)" behind it if a signal ended it
 */
template <typename Action>
std::string
GetWords(Action action)
{
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
    {
        return "no pipe";
    }
    const pid_t child = fork();
    if (child == 0)
    {
        dup2(ends[1], STDERR_FILENO);
        action();
        _exit(0);
    }
    close(ends[1]);
    std::string words;
    std::array<char, 256> part{};
    for (ssize_t n = read(ends[0], part.data(), part.size()); n > 0;
         n = read(ends[0], part.data(), part.size()))
    {
        words.append(part.data(), static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? words + " (killed)" : words;
}

/**
 * @ingroup llm-fabric-test
 * Run something that has to abort, in a process of its own.
 * @param action what to run
 * @return what it wrote to the standard error before it was killed by a signal; empty if it was not
 */
template <typename Action>
std::string
GetDyingWords(Action action)
{
    const std::string words = GetWords(action);
    return words.find(" (killed)") != std::string::npos ? words : "";
}

/**
 * @ingroup llm-fabric-test
 * Run something that changes the process for good in a process of its own.
 * @param action what to run; returns whether all was well
 * @return what it returned; false if it was killed
 */
template <typename Action>
bool
IsTrueElsewhere(Action action)
{
    const pid_t child = fork();
    if (child == 0)
    {
        _exit(action() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif // LLM_FABRIC_ENGINE_TEST_SUPPORT_H
