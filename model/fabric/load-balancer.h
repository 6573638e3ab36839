// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LOAD_BALANCER_H
#define LLM_FABRIC_LOAD_BALANCER_H

#include "fabric-frame.h"
#include "identity-hash.h"

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Chooses among the ports over which a frame may go on. One object serves a switch. To add a
 * balancer, derive, give it a TypeId, and name that in FabricSwitch's `LoadBalancer` attribute.
 */
class LoadBalancer : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param frame the frame
     * @param ports the candidates, at least two, in the order of port numbers
     * @param seed the switch's seed, a hash of the run's seed, the tier and the place of the switch
     * @return one of the candidates
     */
    virtual uint16_t
    Choose(const Frame& frame, const std::vector<uint16_t>& ports, uint64_t seed) = 0;
};

/**
 * @ingroup llm-fabric-fabric
 * Equal-cost multipath by flow: all frames of a direction of a queue pair take the same port, by a
 * hash of the flow's entropy and the switch's seed (a modulo-n hash, as RFC 2992 describes).
 */
class FlowEcmp : public LoadBalancer
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    uint16_t Choose(const Frame& frame, const std::vector<uint16_t>& ports, uint64_t seed) override;

    /**
     * Choose().
     * @param entropy the frame's
     * @param ports the candidates
     * @param seed the switch's seed
     * @return one of the candidates
     */
    static uint16_t Pick(uint32_t entropy, const std::vector<uint16_t>& ports, uint64_t seed)
    {
        const uint64_t hash = MixHash(seed, entropy) >> 32;
        return ports[(hash * ports.size()) >> 32];
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LOAD_BALANCER_H
