// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_MEMORY_H
#define LLM_FABRIC_BENCH_MEMORY_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * What the module needs of memory, and how long it takes to build.
 *
 * A host's share is the slope of resident memory from a full fat-tree of 128 hosts (k = 8) to one of
 * 1024 (k = 16), without traffic, switches included: a host has six ends of links, two of its own
 * link and four of those in the two upper tiers. A queue pair's share is the slope from few to many
 * queue pairs a NIC on the same fat-tree, after each has carried one message, one at a time, so that
 * the number of frames under way is the same.
 */

namespace ns3::llm::bench
{

/** A cluster in memory. */
struct MemorySample
{
    uint32_t hosts = 0;         //!< of the fat-tree
    uint32_t queuePairs = 0;    //!< that have carried a message, of each NIC
    uint64_t residentBytes = 0; //!< that the process has because of it
    double buildSeconds = 0;    //!< CPU time to build it
};

/** What was found. */
struct MemoryUse
{
    std::vector<MemorySample> clusters;   //!< without traffic, by number of hosts
    std::vector<MemorySample> queuePairs; //!< of one size, by number of queue pairs

    /** @return bytes of a host, from the smallest to the largest cluster */
    double GetBytesPerHost() const;
    /** @return bytes of a queue pair, both ends together */
    double GetBytesPerQueuePair() const;
};

/**
 * @param hosts sizes of clusters, rising
 * @param pairHosts size of the cluster for queue pairs, more than 8
 * @return what they need
 */
MemoryUse MeasureMemory(const std::vector<uint32_t>& hosts, uint32_t pairHosts);

/** @return sizes of the parts, bytes, by name */
std::vector<std::pair<std::string, uint64_t>> GetSizes();

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_MEMORY_H
