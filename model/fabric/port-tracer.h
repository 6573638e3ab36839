// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PORT_TRACER_H
#define LLM_FABRIC_PORT_TRACER_H

#include <cstdint>

namespace ns3::llm
{

struct Frame;

/**
 * @ingroup llm-fabric-fabric
 * Why a frame was lost.
 */
enum class DropReason : uint8_t
{
    NO_ROOM,    //!< the switch that it came into had no room
    NO_ROUTE,   //!< the switch that it came into knows no way to its destination
    LINK_DOWN,  //!< it was queued for, or on, a link that was down
    FRAME_LOSS, //!< a FrameLoss has hit it
};

/**
 * @ingroup llm-fabric-fabric
 * Told of everything that happens at a port, from its frame events, when it happens. It changes nothing.
 */
class PortTracer
{
  public:
    virtual ~PortTracer() = default;
    /** @param frame was queued @param queueBytes of its class, with it @param tick now, ps */
    virtual void Enqueued(const Frame& frame, uint32_t queueBytes, uint64_t tick) = 0;
    /** @param frame starts @param queueBytes of its class, without it @param tick now, ps */
    virtual void Dequeued(const Frame& frame, uint32_t queueBytes, uint64_t tick) = 0;
    /** @param frame was marked, it starts @param queueBytes of its class, with it @param tick now */
    virtual void Marked(const Frame& frame, uint32_t queueBytes, uint64_t tick) = 0;
    /** @param trafficClass the peer's is to stop @param isStop or to go on @param tick now, ps */
    virtual void PauseSent(uint8_t trafficClass, bool isStop, uint64_t tick) = 0;
    /** @param trafficClass it stops @param isStop or goes on @param tick now, ps */
    virtual void PauseReceived(uint8_t trafficClass, bool isStop, uint64_t tick) = 0;
    /** @param frame is lost @param reason why @param tick now, ps */
    virtual void Dropped(const Frame& frame, DropReason reason, uint64_t tick) = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PORT_TRACER_H
