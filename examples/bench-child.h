// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_CHILD_H
#define LLM_FABRIC_BENCH_CHILD_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

/**
 * @file
 * Measurements in child processes, so that each has its own engine and its own peak of memory.
 */

namespace ns3::llm::bench
{

/**
 * Do something in a child process, on one core where the system allows it, and get what it leaves.
 * @param what for the message if the child does not end well
 * @param body writes its result to the address
 * @param result gets the result
 * @param size of the result, bytes; at most a page
 */
void RunInChild(const std::string& what,
                const std::function<void(void*)>& body,
                void* result,
                std::size_t size);

/**
 * @tparam Result what the body returns; copied as bytes
 * @param what for the message if the child does not end well
 * @param body is run in a child process
 * @return its result
 */
template <typename Result>
Result
MeasureInChild(const std::string& what, const std::function<Result()>& body)
{
    static_assert(std::is_trivially_copyable_v<Result>, "it crosses from process to process");
    Result result;
    RunInChild(
        what,
        [&body](void* address) { *static_cast<Result*>(address) = body(); },
        &result,
        sizeof(Result));
    return result;
}

/** From now on this process gets no large pages, of which the first byte makes all resident. */
void UseSmallPages();

/** @return CPU time of this process so far, s */
double GetCpuSeconds();

/** @return most memory that this process had resident so far, bytes */
uint64_t GetPeakBytes();

/** @return memory that this process has resident now, bytes */
uint64_t GetResidentBytes();

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_CHILD_H
