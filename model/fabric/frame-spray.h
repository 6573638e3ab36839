// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_SPRAY_H
#define LLM_FABRIC_FRAME_SPRAY_H

#include "load-balancer.h"

#include <array>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Packet spraying: each frame takes any of the ports, drawn by its identity.
 */
class RandomSpray : public LoadBalancer
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    uint16_t Choose(const TransitFrame& frame, const Ports& ports, uint32_t group) override;
    uint16_t Foretell(const TransitFrame& frame, const Ports& ports, uint32_t group) const override;
};

/**
 * @ingroup llm-fabric-fabric
 * Packet spraying: the frames that may take a group of ports take one after the other. Data frames and
 * all others are counted apart: they alternate at times, and each kind would take half of the ports.
 */
class RoundRobinSpray : public LoadBalancer
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    void GroupsChanged(const std::vector<Ports>& groups) override;
    uint16_t Choose(const TransitFrame& frame, const Ports& ports, uint32_t group) override;
    uint16_t Foretell(const TransitFrame& frame, const Ports& ports, uint32_t group) const override;

  private:
    /** @param frame a frame @return which of the counters of a group counts it */
    static std::size_t CounterOf(const TransitFrame& frame)
    {
        return frame.kind == FrameKind::DATA ? 0 : 1;
    }

    /** By group: index of the next port for data frames, and for others. They begin anywhere: switches
     * that act alike would else keep in step and meet at the next tier. */
    std::vector<std::array<uint16_t, 2>> m_next;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_SPRAY_H
