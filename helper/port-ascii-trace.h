// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PORT_ASCII_TRACE_H
#define LLM_FABRIC_PORT_ASCII_TRACE_H

#include "ns3/fabric-port.h"

#include "ns3/output-stream-wrapper.h"
#include "ns3/simple-ref-count.h"

#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Writes what happens at a port as lines of text, in the manner of ns-3's ascii traces: "+" a frame is
 * queued, "-" it leaves, "r" one has come in, "d" one is lost. It lives as long as the port.
 */
class PortAsciiTrace : public SimpleRefCount<PortAsciiTrace>, public FrameObserver
{
  public:
    /**
     * Begin to write.
     * @param port a port of a network that is built
     * @param stream where to
     * @param context what follows the time, or nothing
     */
    static void
    Begin(Ptr<FabricPort> port, Ptr<OutputStreamWrapper> stream, const std::string& context);

    void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) override;

  private:
    /** @param frame was queued @param time when */
    void Enqueued(Ptr<const FabricPort>, const Frame& frame, uint32_t, Time time);
    /** @param frame leaves @param time when */
    void Dequeued(Ptr<const FabricPort>, const Frame& frame, uint32_t, Time time);
    /** @param frame is lost @param reason why @param time when */
    void Dropped(Ptr<const FabricPort>, const Frame& frame, DropReason reason, Time time);
    /** Write a line. @param what begins it @param frame the frame @param tick ps @param end of it */
    void Write(char what, const Frame& frame, uint64_t tick, const std::string& end = "");

    Ptr<OutputStreamWrapper> m_stream; //!< where to
    std::string m_context;             //!< what follows the time
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PORT_ASCII_TRACE_H
