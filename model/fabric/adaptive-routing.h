// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ADAPTIVE_ROUTING_H
#define LLM_FABRIC_ADAPTIVE_ROUTING_H

#include "load-balancer.h"

#include <array>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Each frame takes the least loaded port, of all candidates or of some drawn by its identity (power of
 * two choices) and of the best that were remembered (DRILL).
 *
 * The load of a port is the time that what waits there, of any class and without the frame that is
 * being sent, takes at its rate. A port whose class is paused comes after all others. The frame's draw
 * decides between equals.
 */
class AdaptiveRouting : public LoadBalancer
{
  public:
    static constexpr uint32_t MAX_CANDIDATES = 16; //!< most ports that are drawn
    static constexpr uint32_t MAX_MEMORY = 8;      //!< most ports that are remembered

    /** @return the TypeId */
    static TypeId GetTypeId();

    void GroupsChanged(const std::vector<Ports>& groups) override;
    uint16_t Choose(const TransitFrame& frame, const Ports& ports, uint32_t group) override;

  private:
    /** A port that is looked at. */
    struct Candidate
    {
        uint64_t load; //!< see LoadOf()
        uint64_t draw; //!< decides between equals
        uint16_t port; //!< its number

        /** @param other another @return whether this one is better */
        bool operator<(const Candidate& other) const
        {
            return load != other.load
                       ? load < other.load
                       : (draw != other.draw ? draw < other.draw : port < other.port);
        }
    };

    /** Ports that are looked at for a frame, each once. */
    struct Candidates
    {
        std::array<Candidate, MAX_CANDIDATES + MAX_MEMORY> list; //!< they
        uint32_t count = 0;                                      //!< so many
    };

    /** @param port its number @param trafficClass of the frame @return what is compared, less is better */
    uint64_t LoadOf(uint16_t port, uint8_t trafficClass) const;
    /** Look at a port, if it was not. @param candidates those that were @param port its number @param
     * trafficClass of the frame @param draw of the frame */
    void Add(Candidates& candidates, uint16_t port, uint8_t trafficClass, uint64_t draw) const;
    /** @param frame the frame @param ports all of them @return the best of all */
    uint16_t ChooseOfAll(const TransitFrame& frame, const Ports& ports) const;

    uint32_t m_candidates;            //!< attribute
    uint32_t m_memory;                //!< attribute
    std::vector<uint16_t> m_memories; //!< m_memory ports of each group, the best first
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ADAPTIVE_ROUTING_H
