// SPDX-License-Identifier: GPL-2.0-only

#include "bench-child.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace ns3::llm::bench
{

namespace
{

/** Stay on the last core that this process may use; without that permission, on any. */
void
PinToOneCore()
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    {
        return;
    }
    int last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &allowed))
    {
        --last;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

/**
 * The child: never returns.
 * @param body writes its result to the address
 * @param address memory shared with the parent
 */
[[noreturn]] void
BeChild(const std::function<void(void*)>& body, void* address)
{
    int status = EXIT_FAILURE;
    try
    {
        PinToOneCore();
        body(address);
        status = EXIT_SUCCESS;
    }
    catch (const std::exception& error)
    {
        std::cerr << "error: " << error.what() << "\n";
    }
    std::cerr << std::flush;
    // static objects belong to the parent: leave without destroying them here
    _exit(status);
}

} // namespace

void
RunInChild(const std::string& what,
           const std::function<void(void*)>& body,
           void* result,
           std::size_t size)
{
    void* shared = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
    {
        throw std::runtime_error("no memory to share with a child process");
    }
    std::cout << std::flush;
    std::cerr << std::flush;
    const pid_t child = fork();
    if (child == 0)
    {
        BeChild(body, shared);
    }
    int status = -1;
    if (child > 0)
    {
        waitpid(child, &status, 0);
    }
    std::memcpy(result, shared, size);
    munmap(shared, size);
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
    {
        throw std::runtime_error("the measurement of " + what + " did not end well");
    }
}

void
UseSmallPages()
{
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

double
GetCpuSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

uint64_t
GetPeakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

uint64_t
GetResidentBytes()
{
    uint64_t total = 0;
    uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace ns3::llm::bench
