// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PORT_PACKET_QUEUE_H
#define LLM_FABRIC_PORT_PACKET_QUEUE_H

#include "fabric-frame.h"
#include "packet-frame.h"

#include "ns3/frame-clock.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/queue-size.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>

namespace ns3::llm
{

class FabricPort;
class FrameTransmitter;

/**
 * @ingroup llm-fabric-fabric
 * What a NIC's port must know to carry packets of ns-3's stack.
 */
struct PacketSetup
{
    /** Says that no terminal has an address. */
    static constexpr uint32_t NO_TERMINAL = UINT32_MAX;

    Ptr<FrameClock> clock;     //!< the network's clock
    FramePool* pool = nullptr; //!< the network's frames
    uint32_t terminal = 0;     //!< of the port
    uint8_t nicClass = 0;      //!< class of the data frames that its NIC sends beside the packets
    /** @return the terminal, other than this one, to which a packet for an address goes, or
     * NO_TERMINAL */
    std::function<uint32_t(Ipv4Address)> findTerminal;
};

/**
 * @ingroup llm-fabric-fabric
 * The packets that wait at a NIC's port. They leave one at a time, so that the NIC's own frames and
 * the packets take the line by class, frame by frame, and in turns where the class is the same.
 *
 * The stack calls from ns-3 events, frames leave in frame events. Neither may see what the other does
 * in the same tick, as their order in it is chance: the stack sees a packet as gone a tick after it has
 * left, the port sees one a tick after it was sent.
 */
class PortPacketQueue
{
  public:
    /**
     * @param port the port
     * @param setup where and how
     * @param trafficClass class of the packets
     * @param limit what may wait; a packet finds room in an empty queue
     */
    PortPacketQueue(FabricPort* port,
                    const PacketSetup& setup,
                    uint8_t trafficClass,
                    QueueSize limit);

    /**
     * Send a packet (from an ns-3 event). Stops the device's queue when there is no room for another.
     * @param packet the packet; not changed by anyone from here on
     * @param destination a terminal
     * @param etherType its protocol
     * @param description what it is
     * @return whether there was room
     */
    bool Send(Ptr<const Packet> packet,
              uint32_t destination,
              uint16_t etherType,
              const PacketDescription& description);

    /** The port's pause has ended, or its link went down or came up (from a frame event). */
    void Kick();

    /** @return where and how */
    const PacketSetup& GetSetup() const
    {
        return m_setup;
    }

  private:
    /** Packets and their bytes. */
    struct Amount
    {
        uint64_t packets = 0; //!< number
        uint64_t bytes = 0;   //!< of them all
    };

    /** A packet that waits. */
    struct Waiting
    {
        uint64_t tick;            //!< the port may see it from here on
        Ptr<const Packet> packet; //!< the packet
        uint32_t destination;     //!< terminal
        uint16_t etherType;       //!< its protocol
        bool isEcnCapable;        //!< may be marked
        uint64_t flow;            //!< hash of its flow
        uint64_t number;          //!< in its flow
    };

    /** Handlers of the frame events. @param object the queue */
    static void HandleRequest(void* object);
    /** @copydoc HandleRequest */
    static void HandleWake(void* object);
    /** @param waits what waits @return whether a packet of the largest size has room beside it */
    bool HasRoom(const Amount& waits) const;
    /** @param tick a tick @return what waits as the stack sees it in the tick */
    Amount GetWaiting(uint64_t tick) const;
    /** Send if the line is free. */
    void Wake();
    /** Send the first. */
    void SendOne();
    /** Have the stack go on if it was stopped and there is room. */
    void CheckStop();
    /** Let the stack go on (an ns-3 event). */
    void WakeStack();

    FabricPort* m_port;                               //!< the port
    FrameTransmitter* m_transmitter;                  //!< its sending half
    PacketSetup m_setup;                              //!< where and how
    uint8_t m_class;                                  //!< of the packets
    QueueSize m_limit;                                //!< see the constructor
    uint32_t m_nodeId;                                //!< of the port
    uint32_t m_object;                                //!< number at the clock
    std::deque<Waiting> m_posted;                     //!< the port does not see these yet
    std::deque<Waiting> m_queue;                      //!< the port may send these
    std::unordered_map<uint64_t, uint64_t> m_numbers; //!< packets so far, by flow
    Amount m_entered;                                 //!< all that the stack has sent
    Amount m_queued;                                  //!< in m_queue
    Amount m_left;                                    //!< all that has left the queue
    uint64_t m_lastTick = FrameClock::NEVER;          //!< when the last one left
    uint64_t m_lastBytes = 0;                         //!< its bytes
    uint64_t m_wakeAt = FrameClock::NEVER;            //!< tick of the wake-up in force
    uint64_t m_lineUntil = 0;                         //!< when the last packet has left the line
    uint64_t m_stoppedAt = FrameClock::NEVER;         //!< when the stack was stopped, if it is
    bool m_isWaking = false;                          //!< WakeStack() is on its way
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PORT_PACKET_QUEUE_H
