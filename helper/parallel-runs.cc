// SPDX-License-Identifier: GPL-2.0-only

#include "parallel-runs.h"

#include "ns3/input-error.h"
#include "ns3/run-outcome.h"

#include "ns3/abort.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ns3::llm
{

namespace
{

/** How long the parent sleeps between two looks at its children. */
constexpr auto LOOK_EVERY = std::chrono::milliseconds(50);

/** The latest snapshot of a run, in memory that both processes see. */
struct SharedSnapshot
{
    std::atomic<double> share{0};             //!< see ProgressSnapshot
    std::atomic<double> simulatedUs{0};       //!< see ProgressSnapshot
    std::atomic<uint64_t> hops{0};            //!< see ProgressSnapshot
    std::atomic<double> elapsedSeconds{0};    //!< see ProgressSnapshot
    std::atomic<double> remainingSeconds{-1}; //!< see ProgressSnapshot

    /** @param snapshot to be stored */
    void Store(const ProgressSnapshot& snapshot)
    {
        share = snapshot.share;
        simulatedUs = snapshot.simulatedUs;
        hops = snapshot.hops;
        elapsedSeconds = snapshot.elapsedSeconds;
        remainingSeconds = snapshot.remainingSeconds;
    }

    /** @return the latest */
    ProgressSnapshot Load() const
    {
        return {share, simulatedUs, hops, elapsedSeconds, remainingSeconds};
    }
};

/** Shared memory for some snapshots. */
class SharedSnapshots
{
  public:
    /** @param count how many */
    explicit SharedSnapshots(std::size_t count)
        : m_bytes(std::max<std::size_t>(count, 1) * sizeof(SharedSnapshot)),
          m_memory(
              mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
    {
        NS_ABORT_MSG_IF(m_memory == MAP_FAILED, "no memory to share with other processes");
        for (std::size_t i = 0; i < count; ++i)
        {
            new (&At(i)) SharedSnapshot;
        }
    }

    ~SharedSnapshots()
    {
        munmap(m_memory, m_bytes);
    }

    SharedSnapshots(const SharedSnapshots&) = delete;
    SharedSnapshots& operator=(const SharedSnapshots&) = delete;

    /** @param index which @return it */
    SharedSnapshot& At(std::size_t index)
    {
        return static_cast<SharedSnapshot*>(m_memory)[index];
    }

  private:
    std::size_t m_bytes; //!< size
    void* m_memory;      //!< where
};

/**
 * Do a run in a child process.
 * @param body does it
 * @param index which
 * @param snapshot gets its progress
 * @return the child's id
 */
pid_t
StartChild(const ParallelRuns::Body& body, uint32_t index, SharedSnapshot& snapshot)
{
    std::cout << std::flush;
    std::cerr << std::flush;
    const pid_t child = fork();
    NS_ABORT_MSG_IF(child < 0, "no process could be started for a run");
    if (child != 0)
    {
        return child;
    }
    int status = EXIT_FAILURE;
    try
    {
        status = body(index, [&](const ProgressSnapshot& s) { snapshot.Store(s); });
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << "\n";
        status = EXIT_REFUSED;
    }
    catch (const std::exception& error)
    {
        std::cerr << "error: " << error.what() << "\n";
    }
    std::cout << std::flush;
    std::cerr << std::flush;
    // static objects belong to the parent: leave without destroying them here
    _exit(status);
}

} // namespace

ParallelRuns::ParallelRuns(std::vector<std::string> names, uint32_t atMost)
    : m_names(std::move(names)),
      m_atMost(atMost > 0 ? atMost : std::max(1u, std::thread::hardware_concurrency()))
{
}

std::vector<int>
ParallelRuns::Run(const Body& body, ProgressPrinter& printer, double intervalSeconds) const
{
    const auto count = static_cast<uint32_t>(m_names.size());
    SharedSnapshots snapshots(count);
    std::vector<int> results(count, EXIT_FAILURE);
    std::map<pid_t, uint32_t> running;
    uint32_t next = 0;
    auto shown = std::chrono::steady_clock::now();
    while (next < count || !running.empty())
    {
        while (next < count && running.size() < m_atMost)
        {
            running.emplace(StartChild(body, next, snapshots.At(next)), next);
            ++next;
        }
        for (auto child = running.begin(); child != running.end();)
        {
            int status = 0;
            if (waitpid(child->first, &status, WNOHANG) == 0)
            {
                ++child;
                continue;
            }
            results[child->second] =
                WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            child = running.erase(child);
        }
        const auto now = std::chrono::steady_clock::now();
        if (std::chrono::duration<double>(now - shown).count() >= intervalSeconds)
        {
            shown = now;
            std::vector<std::pair<std::string, ProgressSnapshot>> runs;
            for (const auto& child : running)
            {
                runs.emplace_back(m_names[child.second], snapshots.At(child.second).Load());
            }
            std::sort(runs.begin(),
                      runs.end(),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
            printer.Print(runs);
        }
        std::this_thread::sleep_for(LOOK_EVERY);
    }
    printer.Clear();
    return results;
}

} // namespace ns3::llm
