// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ECN_TABLE_H
#define LLM_FABRIC_ECN_TABLE_H

#include "ecn-profile.h"
#include "fabric-frame.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * How a port marks, by class. Only data frames are ever marked.
 */
struct EcnTable
{
    /** No class is marked. */
    EcnTable() = default;

    /** @param profile of all classes */
    EcnTable(const EcnProfile& profile) // NOLINT: a profile is a table of equal rows
    {
        profiles.fill(profile);
    }

    /** @return queue up to which no class is marked, bytes */
    uint32_t GetLeastBytes() const
    {
        uint32_t bytes = UINT32_MAX;
        for (const EcnProfile& profile : profiles)
        {
            bytes = std::min(bytes, profile.minBytes);
        }
        return bytes;
    }

    /**
     * @param departure a frame that leaves
     * @param queue bytes of its class, with it
     * @param seed of the port's draws
     * @return whether it is a data frame and gets a mark
     */
    bool IsToMark(const TransitFrame& departure, uint32_t queue, uint64_t seed) const;

    /**
     * Set classes as an attribute says; what is wrong is refused.
     * @param attribute its name, for the refusal
     * @param text "class:Kmin:Kmax:Pmax" or "class:off", separated by commas; thresholds in bytes at
     *        the reference rate
     * @param scale of the thresholds: the port's rate over the reference rate
     */
    void Set(const std::string& attribute, const std::string& text, double scale);

    std::array<EcnProfile, TRAFFIC_CLASSES> profiles; //!< by class
};

/**
 * @ingroup llm-fabric-fabric
 * @param minBytes Kmin, bytes at the reference rate
 * @param maxBytes Kmax, bytes at the reference rate
 * @param maxProbability Pmax
 * @param scale the port's rate over the reference rate
 * @return the profile of that port
 */
EcnProfile
MakeEcnProfile(uint64_t minBytes, uint64_t maxBytes, double maxProbability, double scale);

} // namespace ns3::llm

#endif // LLM_FABRIC_ECN_TABLE_H
