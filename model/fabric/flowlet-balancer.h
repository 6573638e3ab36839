// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOWLET_BALANCER_H
#define LLM_FABRIC_FLOWLET_BALANCER_H

#include "load-balancer.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Flowlet switching: a flow keeps its port until it pauses for longer than a timeout, then the port is
 * drawn anew by the identity of the frame that ends the pause. A timeout above the difference of the
 * paths' delays keeps frames in order.
 *
 * What is known of flows lies in a table of fixed size, made with the first frame. Flows whose hashes
 * meet there share a flowlet, as in LetFlow's hardware: they take one port, and a pause is one of both.
 */
class Flowlet : public LoadBalancer
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    void GroupsChanged(const std::vector<Ports>& groups) override;
    uint16_t Choose(const TransitFrame& frame, const Ports& ports, uint32_t group) override;
    uint16_t Foretell(const TransitFrame& frame, const Ports& ports, uint32_t group) const override;

  protected:
    void DoBegin() override;

  private:
    static constexpr uint16_t NO_GROUP = UINT16_MAX; //!< group of an entry that is not in use

    /** What is known of the flows at a place of the table. */
    struct Entry
    {
        uint64_t tick = 0;         //!< of the last frame, ps
        uint16_t group = NO_GROUP; //!< that it had to choose from
        uint16_t port = 0;         //!< that it took
    };

    /** @param frame a frame @param group what it may choose from @return its place in the table */
    std::size_t PlaceOf(const TransitFrame& frame, uint32_t group) const;
    /** @param entry of a frame @param group what it may choose from @return whether the flowlet goes on */
    bool GoesOn(const Entry& entry, uint32_t group) const;

    uint64_t m_timeoutTicks = 0;  //!< of the attribute
    std::vector<Entry> m_entries; //!< the table; empty until it is needed
    Time m_timeout;               //!< attribute
    uint32_t m_tableSize;         //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOWLET_BALANCER_H
