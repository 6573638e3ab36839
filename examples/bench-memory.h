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
 * link and four of those in the two upper tiers. A queue pair's share, both ends together, is the slope
 * from few to many queue pairs a NIC on the same fat-tree, after each has carried one message; a host
 * sends one at a time, so that no more frames are under way. It depends on whose peers they are: once
 * all hosts of 128 are peers, once those that are 64 apart among 1024.
 */

namespace ns3::llm::bench
{

/** A cluster in memory. */
struct MemorySample
{
    uint32_t hosts = 0;         //!< of the fat-tree
    uint32_t queuePairs = 0;    //!< that have carried a message, of each NIC
    uint32_t stride = 1;        //!< from one peer of a host to the next
    uint64_t residentBytes = 0; //!< that the process has because of it
    double buildSeconds = 0;    //!< CPU time to build it
};

/** What was found. */
struct MemoryUse
{
    std::vector<MemorySample> clusters;     //!< without traffic, by number of hosts
    std::vector<MemorySample> queuePairs;   //!< few and many, peers side by side
    std::vector<MemorySample> distantPairs; //!< few and many, peers 64 apart

    /** @return bytes of a host, from the smallest to the largest cluster */
    double GetBytesPerHost() const;
    /** @return bytes of a queue pair, both ends together, peers side by side */
    double GetBytesPerQueuePair() const;
    /** @return the same, peers 64 apart */
    double GetBytesPerDistantPair() const;
};

/** @param hosts sizes of clusters, rising @return what they need, and what queue pairs do */
MemoryUse MeasureMemory(const std::vector<uint32_t>& hosts);

/** @return sizes of the parts, bytes, by name */
std::vector<std::pair<std::string, uint64_t>> GetSizes();

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_MEMORY_H
