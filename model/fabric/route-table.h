// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ROUTE_TABLE_H
#define LLM_FABRIC_ROUTE_TABLE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * The routes of a switch by destination, small where the fabric is regular: neighbors in the order of
 * terminals mostly share a route, and all that lies beyond the uplinks does. So there is one route for
 * most destinations, and a list for a range of blocks of destinations. A leaf of any fat-tree keeps
 * its own hosts, and a table of a few entries stays in the switch's own cache lines.
 */
class RouteTable
{
  public:
    RouteTable() = default;
    RouteTable(const RouteTable&) = delete;
    RouteTable& operator=(const RouteTable&) = delete;

    /** @param routes route of each destination */
    void Assign(const std::vector<uint16_t>& routes);

    /** @param destination one of those assigned @return its route */
    uint16_t Get(uint32_t destination) const
    {
        // no branch: whether a frame goes up or down is what no predictor knows
        const uint32_t place = (destination >> m_shift) - m_first;
        return m_entries[std::min(place, m_count)];
    }

    /** @return entries in use */
    uint32_t GetSize() const
    {
        return m_count;
    }

  private:
    static constexpr uint32_t SMALL = 16; //!< entries that need no memory of their own

    const uint16_t* m_entries = m_small.data(); //!< routes of the blocks, then that of others
    uint32_t m_first = 0;                       //!< first block of the range
    uint32_t m_count = 0;                       //!< blocks in the range
    uint8_t m_shift = 0;                        //!< log2 of the destinations in a block
    std::array<uint16_t, SMALL + 1> m_small{};  //!< the entries, if they are few
    std::vector<uint16_t> m_large;              //!< the entries, if they are many
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ROUTE_TABLE_H
