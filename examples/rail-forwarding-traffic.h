// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RAIL_FORWARDING_TRAFFIC_H
#define LLM_FABRIC_RAIL_FORWARDING_TRAFFIC_H

#include "ns3/traffic-matrix.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

/** @return names of the routings that MakeTraffic() knows */
const std::vector<std::string>& ListRoutings();

/**
 * What each accelerator has for each other one, in one layer of experts, some on each accelerator.
 * @param routing uniform: the same for all; random: each copy of a token draws its accelerator, all
 * alike; skewed: the same, but the k-th most popular one has k^-0.8 of the weight of the first
 * @param accelerators how many
 * @param bytes what an accelerator has in all
 * @param tokenBytes size of a copy of a token; what is less than one is left out unless uniform
 * @return the matrix
 */
ns3::llm::TrafficMatrix
MakeTraffic(const std::string& routing, uint32_t accelerators, uint64_t bytes, uint64_t tokenBytes);

/** Bytes from group to group of consecutive accelerators. */
class DomainMatrix
{
  public:
    /** @param matrix by accelerator @param size accelerators in a group */
    DomainMatrix(const ns3::llm::TrafficMatrix& matrix, uint32_t size);

    /** @return number of groups */
    uint32_t GetCount() const
    {
        return m_count;
    }

    /** @param from a group @param to a group @return bytes */
    uint64_t Get(uint32_t from, uint32_t to) const
    {
        return m_bytes[from * m_count + to];
    }

    /** Print a sign for each entry: ' ' for nothing to '@' for the most. @param out where */
    void Draw(std::ostream& out) const;
    /** @return it as CSV: from, to, bytes */
    std::string ToCsv() const;

  private:
    uint32_t m_count;              //!< groups
    std::vector<uint64_t> m_bytes; //!< by sender and then by receiver
};

/**
 * @param matrix by accelerator
 * @param domainSize accelerators in an HB domain
 * @return the most that one accelerator sends to or receives from other domains, bytes
 */
uint64_t GetNicBytes(const ns3::llm::TrafficMatrix& matrix, uint32_t domainSize);

#endif // LLM_FABRIC_RAIL_FORWARDING_TRAFFIC_H
