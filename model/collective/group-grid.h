// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_GROUP_GRID_H
#define LLM_FABRIC_GROUP_GRID_H

#include "ns3/locality.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * A group as a grid of domains and rails.
 */
class GroupGrid
{
  public:
    /**
     * Refuses a group that is no grid: naming the first domain whose rails differ from those of the
     * first one.
     * @param accelerators of each rank
     * @param locality gives domains and rails
     * @param user for the message
     */
    GroupGrid(const std::vector<uint32_t>& accelerators,
              Ptr<const Locality> locality,
              const std::string& user);

    /** @return number of domains G */
    uint32_t GetDomainCount() const
    {
        return static_cast<uint32_t>(m_ranks.size());
    }

    /** @return number of rails K */
    uint32_t GetRailCount() const
    {
        return static_cast<uint32_t>(m_ranks.front().size());
    }

    /** @param domain below G @param rail below K @return the rank there */
    uint32_t GetRank(uint32_t domain, uint32_t rail) const
    {
        return m_ranks[domain][rail];
    }

    /** @param rank a rank @return its domain, counted among those of the group */
    uint32_t GetDomain(uint32_t rank) const
    {
        return m_domains[rank];
    }

    /** @param rank a rank @return its rail, counted among those of the group */
    uint32_t GetRail(uint32_t rank) const
    {
        return m_rails[rank];
    }

    /** @param domain below G @return its ranks by rail */
    const std::vector<uint32_t>& GetDomainRanks(uint32_t domain) const
    {
        return m_ranks[domain];
    }

    /** @param rail below K @return its ranks by domain */
    std::vector<uint32_t> GetRailRanks(uint32_t rail) const;

    /**
     * @param accelerators of each rank
     * @param locality gives domains and rails; may be null
     * @return whether the group is a grid of more than one domain and more than one rail
     */
    static bool IsGrid(const std::vector<uint32_t>& accelerators, Ptr<const Locality> locality);

  private:
    std::vector<std::vector<uint32_t>> m_ranks; //!< by domain and rail
    std::vector<uint32_t> m_domains;            //!< by rank
    std::vector<uint32_t> m_rails;              //!< by rank
};

} // namespace ns3::llm

#endif // LLM_FABRIC_GROUP_GRID_H
