// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_MAP_H
#define LLM_FABRIC_RELAY_MAP_H

#include "locality.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Which accelerator relays a message, where rails are joined by HB domains alone.
 *
 * A message between accelerators of one domain or of one rail goes directly. Any other one needs an
 * accelerator that shares the domain of one end and the rail of the other.
 */
class RelayMap
{
  public:
    /** Which side of the network the relay stands on. */
    enum Side
    {
        SOURCE,      //!< in the source's domain, on the destination's rail (NCCL's PXN)
        DESTINATION, //!< in the destination's domain, on the source's rail
        EITHER,      //!< wherever the sender has less under way
    };

    /** No relay: the message goes directly. */
    static constexpr uint32_t DIRECT = UINT32_MAX;

    /** Nothing is known: no relay for anybody. */
    RelayMap() = default;

    /**
     * @param locality tells domains and rails; two accelerators of one domain and rail are refused
     * @param side where relays stand
     */
    RelayMap(const Locality& locality, Side side);

    /**
     * @param text "source", "destination" or "load"; anything else is refused
     * @return the side
     */
    static Side ParseSide(const std::string& text);

    /**
     * @param source sending accelerator
     * @param destination receiving accelerator, not the source
     * @return the accelerator that relays between them, or DIRECT; if one is needed and does not
     * exist, the message is refused, naming both ends and what is missing. With EITHER it is the
     * one at the source, if there is one.
     */
    uint32_t GetRelay(uint32_t source, uint32_t destination) const;

    /**
     * @param source sending accelerator
     * @param destination receiving accelerator, to which GetRelay() is not DIRECT
     * @return with EITHER, the other one that could relay; DIRECT if there is none
     */
    uint32_t GetOtherRelay(uint32_t source, uint32_t destination) const;

    /** @param a an accelerator @param b another @return whether they are in one domain */
    bool SharesDomain(uint32_t a, uint32_t b) const
    {
        return m_places[a].domain == m_places[b].domain;
    }

    /**
     * An order in which each accelerator goes through others, alike from wherever it is.
     * @param from an accelerator
     * @param to another
     * @return by how many domains it is away, and then by how many rails, counted upwards
     */
    uint32_t GetDistance(uint32_t from, uint32_t to) const;

    /**
     * @param relay an accelerator
     * @return how many accelerators may send over it
     */
    uint32_t GetSenderCount(uint32_t relay) const;

  private:
    /** Where an accelerator is. */
    struct Place
    {
        uint32_t domain = 0; //!< its HB domain
        uint32_t rail = 0;   //!< its rail
    };

    /**
     * @param place a place
     * @return the accelerator there, or DIRECT
     */
    uint32_t FindAt(const Place& place) const;

    Side m_side = SOURCE;                 //!< where relays stand
    uint32_t m_rails = 0;                 //!< number of rails
    std::vector<Place> m_places;          //!< by accelerator
    std::vector<uint32_t> m_accelerators; //!< by domain x m_rails + rail, DIRECT where is none
    std::vector<uint32_t> m_domainSizes;  //!< accelerators of each domain
    std::vector<uint32_t> m_railSizes;    //!< accelerators of each rail
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_MAP_H
