// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_SINK_H
#define LLM_FABRIC_FRAME_SINK_H

#include <cstdint>

namespace ns3::llm
{

struct Frame;

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
     * @param frame the frame; the owner's from here on
     */
    virtual void ReceiveFrame(uint16_t port, Frame* frame) = 0;
    /**
     * Room has been released in this owner's buffer while a pause is on.
     */
    virtual void BufferReleased() = 0;
    /**
     * A port may send again after a pause, or its link went down or came up.
     * @param port number of the port at this owner
     */
    virtual void PortReady(uint16_t port) = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_SINK_H
