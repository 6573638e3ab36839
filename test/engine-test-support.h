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
     */
    explicit EngineScope(const std::string& engine)
    {
        ns3::llm::UsePicoseconds();
        ns3::Simulator::Destroy();
        ns3::GlobalValue::Bind("SimulatorImplementationType", ns3::StringValue(engine));
    }

    ~EngineScope()
    {
        ns3::Simulator::Destroy();
        ns3::GlobalValue::Bind("SimulatorImplementationType", ns3::StringValue(DEFAULT_ENGINE));
    }

    EngineScope(const EngineScope&) = delete;
    EngineScope& operator=(const EngineScope&) = delete;
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
 * Run something that has to abort, in a process of its own.
 * @param action what to run
 * @return what it wrote to the standard error before it was killed by a signal; empty if it was not
 */
template <typename Action>
std::string
GetDyingWords(Action action)
{
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
    {
        return "";
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
    return WIFSIGNALED(status) ? words + " (killed)" : "";
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
