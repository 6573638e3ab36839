// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PORT_CAPTURE_H
#define LLM_FABRIC_PORT_CAPTURE_H

#include "fabric-frame.h"
#include "fabric-port.h"
#include "frame-transmitter.h"

#include "ns3/object.h"
#include "ns3/packet.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * What a port sends and receives, in the order of time: what a capture at that port would see.
 *
 * A frame sent has the time at which its first bit leaves, one received that at which its last bit has
 * come. A frame is seen when it has arrived at the far end: one that is lost with its link, or still on
 * its way at the end, is not seen. It is aggregated to the port and lives as long.
 */
class PortCapture : public Object, public FrameTransmitter::Observer
{
  public:
    /** A frame that was sent or received. */
    struct Record
    {
        uint64_t tick;            //!< when, ps
        uint64_t messageBytes;    //!< payload of the message that it is the first frame of
        Frame frame;              //!< as it was on the link
        bool isSent;              //!< sent, else received
        Ptr<const Packet> packet; //!< what it carries, if it does
    };

    /** Gets the records. */
    class Sink
    {
      public:
        virtual ~Sink() = default;
        /** @param record the next one, no earlier than the one before */
        virtual void Take(const Record& record) = 0;
    };

    /** Says how long the message is that a frame is the first of, bytes. */
    using MessageBytes = std::function<uint64_t(const Frame&)>;

    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param port a port with a link
     * @param messageBytes asked for the first frames of messages
     * @return what captures at the port; made by the first call
     */
    static Ptr<PortCapture> At(Ptr<FabricPort> port, const MessageBytes& messageBytes);

    /** @param sink gets all records from here on */
    void AddSink(std::unique_ptr<Sink> sink);

    void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) override;

  private:
    void DoDispose() override;
    /** Hand out the frames received up to a tick. @param tick the tick */
    void HandOut(uint64_t tick);
    /** @param record goes to all sinks */
    void Give(const Record& record);

    const FrameTransmitter* m_transmitter = nullptr; //!< the port's
    MessageBytes m_messageBytes;                     //!< see At()
    std::deque<Record> m_received;                   //!< wait for frames sent before them
    std::vector<std::unique_ptr<Sink>> m_sinks;      //!< get the records
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PORT_CAPTURE_H
