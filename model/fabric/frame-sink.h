// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_SINK_H
#define LLM_FABRIC_FRAME_SINK_H

#include <cstdint>

namespace ns3::llm
{

struct TransitFrame;

/**
 * @ingroup llm-fabric-fabric
 * What owns ports: a switch or a NIC. Calls come from frame events of its own node.
 */
class FrameSink
{
  public:
    virtual ~FrameSink() = default;
    /**
     * A frame has been received whole.
     * @param port number of the port at this owner
     * @param transit the frame, which is the owner's from here on
     */
    virtual void ReceiveFrame(uint16_t port, const TransitFrame& transit) = 0;

    /**
     * A hint: a frame is likely to be received soon. Fetch memory for it, change nothing.
     * @param port number of the port at this owner
     * @param transit the frame
     * @param isNext whether it is about to be received, so that this is the last hint
     */
    virtual void Prepare([[maybe_unused]] uint16_t port,
                         [[maybe_unused]] const TransitFrame& transit,
                         [[maybe_unused]] bool isNext) const
    {
    }

    /**
     * Room has been released in this owner's buffer while a pause is on.
     */
    virtual void BufferReleased() = 0;
    /**
     * A port may send again after a pause, or its link went down or came up.
     * @param port number of the port at this owner
     */
    virtual void PortReady(uint16_t port) = 0;

    /** @return ps after which PauseLasts() is to be called; UINT64_MAX: never */
    virtual uint64_t GetPauseLimit() const
    {
        return UINT64_MAX;
    }

    /**
     * Frames have waited at a port through a pause for as long as GetPauseLimit() says; once a pause.
     * @param port number of the port at this owner
     */
    virtual void PauseLasts([[maybe_unused]] uint16_t port)
    {
    }

    /** Somebody wants to look at this owner or to change it: handle all of before now. */
    virtual void CatchUp()
    {
    }

    /** Somebody looks at the arrivals here from now on, or does no longer. */
    virtual void ObserversChanged()
    {
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_SINK_H
