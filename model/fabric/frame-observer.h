// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_OBSERVER_H
#define LLM_FABRIC_FRAME_OBSERVER_H

#include <cstdint>

namespace ns3::llm
{

class FrameTransmitter;
struct Frame;

/**
 * @ingroup llm-fabric-fabric
 * Called with every frame that arrives over a link: who, where, when.
 */
class FrameObserver
{
  public:
    virtual ~FrameObserver() = default;
    /**
     * @param transmitter the sending end of the link
     * @param frame the frame, received whole at the far end
     * @param tick now
     */
    virtual void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) = 0;

    /**
     * @return whether arrivals at several nodes must be shown in the order of time, and with the
     * clock at their tick; if not, a switch may show its own later, as it handles them
     */
    virtual bool NeedsOrder() const
    {
        return true;
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_OBSERVER_H
