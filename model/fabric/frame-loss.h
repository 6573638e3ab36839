// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_LOSS_H
#define LLM_FABRIC_FRAME_LOSS_H

#include "fabric-frame.h"

#include "ns3/object.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Says which frames one direction of a link loses: those that arrive corrupted. To add a kind of loss,
 * derive, give the class a TypeId, and name it in FabricNetwork's `FrameLoss` attribute or give an
 * object to FabricNetwork::SetFrameLoss().
 *
 * A draw is a hash of the run's seed, the port's place and what the frame is: its identity, kind,
 * number and attempt. So it does not depend on what happens elsewhere, and a frame that is sent again
 * is drawn anew.
 */
class FrameLoss : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * The direction that it serves is known; once, before the run.
     * @param seed hash of the run's seed
     * @param place hash of the sending port's place
     */
    void Begin(uint64_t seed, uint64_t place);

    /**
     * @param frame a frame whose last bit has arrived
     * @param tick now, ps; does not decrease from call to call
     * @return whether it is lost
     */
    bool IsLost(const Frame& frame, uint64_t tick)
    {
        return (m_kinds >> static_cast<uint32_t>(frame.kind) & 1) && DoIsLost(frame, tick);
    }

    /**
     * @return whether frames of several directions must be asked about in the order of time, and with
     * the clock at their tick: not if the answer is this direction's alone
     */
    virtual bool NeedsOrder() const
    {
        return true;
    }

  protected:
    /** The direction is known: refuse what is missing; does nothing unless overridden. */
    virtual void DoBegin();
    /** See IsLost(). @param frame of one of the kinds that may be lost @param tick now, ps @return
     * whether it is lost */
    virtual bool DoIsLost(const Frame& frame, uint64_t tick) = 0;

    /** @param frame a frame @param tick now, ps @return its draw in [0, 1) */
    double Draw(const Frame& frame, uint64_t tick) const;

    /** @return hash of the run's seed, of this purpose, and of the port's place */
    uint64_t GetSeed() const
    {
        return m_seed;
    }

  private:
    uint32_t m_kinds;        //!< attribute
    uint64_t m_seed = 0;     //!< see GetSeed()
    bool m_hasBegun = false; //!< serves a direction
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_LOSS_H
