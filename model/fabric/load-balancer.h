// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LOAD_BALANCER_H
#define LLM_FABRIC_LOAD_BALANCER_H

#include "fabric-frame.h"
#include "identity-hash.h"

#include "ns3/frame-clock.h"
#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

class FrameTransmitter;

/**
 * @ingroup llm-fabric-fabric
 * What a load balancer may look at: its own switch, and what never changes.
 */
struct BalancedSwitch
{
    const FrameClock* clock = nullptr; //!< the time
    FrameTransmitter* ports = nullptr; //!< of the switch, by number
    const std::vector<uint32_t>* terminalPlaces =
        nullptr;          //!< by terminal: its place in its fabric or rail
    uint64_t runSeed = 0; //!< hash of the run's seed, equal at all switches
    uint64_t seed = 0;    //!< hash of that, the tier and the place of the switch
};

/**
 * @ingroup llm-fabric-fabric
 * Chooses among the ports over which a frame may go on. One object serves a switch. To add a
 * balancer, derive, give it a TypeId, and name that in FabricSwitch's `LoadBalancer` attribute.
 *
 * A balancer looks at nothing but its own switch, keeps plain state, and draws by the identity of the
 * frame (DrawFor()), never from a stream.
 */
class LoadBalancer : public Object
{
  public:
    /** Ports that lead on equally well, at least two, in the order of port numbers. */
    using Ports = std::vector<uint16_t>;

    /** @return the TypeId */
    static TypeId GetTypeId();

    /** The switch is set up; once, before the run. @param view what it may look at; stays valid */
    void Begin(const BalancedSwitch& view);

    /**
     * Routes are new, before the run and when a link has gone down or come up: groups are numbered
     * anew. Does nothing unless overridden.
     * @param groups the groups of ports, by number
     */
    virtual void GroupsChanged(const std::vector<Ports>& groups);

    /**
     * Choose the port of a frame that has come in.
     * @param frame the frame
     * @param ports the candidates
     * @param group their number, from 0
     * @return one of the candidates
     */
    virtual uint16_t Choose(const TransitFrame& frame, const Ports& ports, uint32_t group) = 0;

    /**
     * For descriptions of paths: a port that Choose() could return for such a frame now. Changes
     * nothing, and is what FlowEcmp would do unless overridden.
     * @copydetails Choose
     */
    virtual uint16_t Foretell(const TransitFrame& frame, const Ports& ports, uint32_t group) const;

  protected:
    /** Begin() was called. Does nothing unless overridden. */
    virtual void DoBegin();

    /** @return what it may look at */
    const BalancedSwitch& GetSwitch() const
    {
        return m_switch;
    }

    /**
     * @param frame a frame
     * @return its draw at this switch: a hash of the seed, the switch's place, and the frame's
     * identity, kind and attempt
     */
    uint64_t DrawFor(const TransitFrame& frame) const
    {
        const Frame& whole = *frame.frame;
        return MixHash(m_drawSeed,
                       uint64_t{whole.identity} << 32 | uint64_t{whole.attempt} << 8 |
                           static_cast<uint64_t>(whole.kind));
    }

    /** @param hash a hash @param ports the candidates @return the one that it stands for */
    static uint16_t PortOf(uint64_t hash, const Ports& ports)
    {
        return ports[((hash >> 32) * ports.size()) >> 32];
    }

  private:
    BalancedSwitch m_switch; //!< see GetSwitch()
    uint64_t m_drawSeed = 0; //!< hash of the switch's seed and of this purpose
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LOAD_BALANCER_H
