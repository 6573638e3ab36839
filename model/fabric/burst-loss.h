// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BURST_LOSS_H
#define LLM_FABRIC_BURST_LOSS_H

#include "frame-loss.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Losses in bursts (Gilbert and Elliott): a link is good or bad in turn, for times that are
 * exponentially distributed, and loses frames with a probability that depends on which.
 *
 * The chain runs in time, not from frame to frame: how long each stay lasts is drawn from the seed, the
 * port's place and the number of the stay, so whether the link is good at a tick does not depend on
 * what is sent. Within a stay each frame has its own draw.
 */
class BurstLoss : public FrameLoss
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool NeedsOrder() const override
    {
        return false;
    }

  private:
    void DoBegin() override;
    bool DoIsLost(const Frame& frame, uint64_t tick) override;
    /** A stay begins at the end of the last one. */
    void BeginStay();

    double m_goodRate;        //!< attribute
    double m_badRate;         //!< attribute
    Time m_goodTime;          //!< attribute
    Time m_badTime;           //!< attribute
    bool m_isBad = false;     //!< in this stay
    uint64_t m_stays = 0;     //!< begun
    uint64_t m_untilTick = 0; //!< end of this stay, ps
};

} // namespace ns3::llm

#endif // LLM_FABRIC_BURST_LOSS_H
