// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_ECMP_H
#define LLM_FABRIC_FLOW_ECMP_H

#include "load-balancer.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Equal-cost multipath by flow: all frames of a direction of a queue pair take the same port, by a
 * hash of the flow and the switch's seed (a modulo-n hash, as RFC 2992 describes). Where the sender
 * changes the entropy from frame to frame, the port changes with it.
 */
class FlowEcmp : public LoadBalancer
{
  public:
    static constexpr uint32_t SOURCE = 1;      //!< bit of HashFields: place of the source
    static constexpr uint32_t DESTINATION = 2; //!< bit of HashFields: place of the destination
    static constexpr uint32_t ENTROPY = 4;     //!< bit of HashFields: the frame's entropy

    /** @return the TypeId */
    static TypeId GetTypeId();

    uint16_t Choose(const TransitFrame& frame, const Ports& ports, uint32_t group) override;
    uint16_t Foretell(const TransitFrame& frame, const Ports& ports, uint32_t group) const override;

    /** @return whether the entropy is all that it hashes, so that Pick() does all */
    bool IsPlain() const
    {
        return m_hashFields == ENTROPY;
    }

    /** @return seed of its hash */
    uint64_t GetSeed() const
    {
        return m_seedPerSwitch ? GetSwitch().seed : GetSwitch().runSeed;
    }

    /**
     * Choose() when it is plain.
     * @param entropy the frame's
     * @param ports the candidates
     * @param seed see GetSeed()
     * @return one of the candidates
     */
    static uint16_t Pick(uint32_t entropy, const Ports& ports, uint64_t seed)
    {
        return PortOf(MixHash(seed, entropy), ports);
    }

  private:
    uint32_t m_hashFields; //!< attribute
    bool m_seedPerSwitch;  //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_ECMP_H
