// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_NIC_H
#define LLM_FABRIC_RDMA_NIC_H

#include "message-transport.h"
#include "nic-selector.h"
#include "queue-pair-scheduler.h"
#include "queue-pair-table.h"
#include "rdma-receiver.h"
#include "rdma-tracer.h"
#include "send-queue-pair.h"

#include "ns3/fabric-network.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-sink.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::llm
{

class NicReductions;
class RdmaTransport;

/**
 * @ingroup llm-fabric-transport
 * What a NIC has sent and suffered; additive.
 */
struct NicCounters
{
    uint64_t dataFrames = 0;      //!< data frames sent, retransmissions included
    uint64_t retransmissions = 0; //!< data frames sent again
    uint64_t timeouts = 0;        //!< retransmission timeouts
    uint64_t nacksReceived = 0;   //!< NACKs
    uint64_t cnpsReceived = 0;    //!< congestion notifications
    uint64_t messagesSent = 0;    //!< messages acknowledged
    uint64_t payloadBytes = 0;    //!< payload acknowledged

    /** @param other is added */
    void Add(const NicCounters& other)
    {
        dataFrames += other.dataFrames;
        retransmissions += other.retransmissions;
        timeouts += other.timeouts;
        nacksReceived += other.nacksReceived;
        cnpsReceived += other.cnpsReceived;
        messagesSent += other.messagesSent;
        payloadBytes += other.payloadBytes;
    }
};

/**
 * @ingroup llm-fabric-transport
 * An RDMA NIC: its queue pairs share one port, and one wake-up serves them all.
 *
 * Queue pairs that may send stand in a scheduler's rounds, those that pacing holds back in a heap by time, those
 * without data or window nowhere: the cost of a frame does not grow with their number. ACKs and CNPs
 * go to the port at once, ahead of the next data frame.
 */
class RdmaNic : public FrameSink
{
  public:
    /**
     * @param transport whose NIC it is
     * @param network the network
     * @param terminal its terminal there
     * @param accelerator its accelerator
     * @param nodeId the accelerator's node
     * @param config sizes and times; outlives the NIC
     */
    RdmaNic(RdmaTransport* transport,
            FabricNetwork* network,
            uint32_t terminal,
            uint32_t accelerator,
            uint32_t nodeId,
            const RdmaConfig& config);

    /** The network is built: the port is known. */
    void Start();

    /**
     * This is the first NIC of an accelerator that has several: it takes the messages for all of them.
     * @param selector chooses who sends them
     */
    void SetSelector(std::unique_ptr<NicSelector> selector);

    /** @param reductions gets the frames of reduction groups, and is told when the port may send;
     * outlives the run */
    void SetReductions(NicReductions* reductions)
    {
        m_reductions = reductions;
    }

    /**
     * Queue a message (from an ns-3 event).
     * @param message the message
     * @param destination its destination's first terminal
     */
    void Post(const Message& message, uint32_t destination);

    /**
     * Tell a queue pair its fair share (from an ns-3 event).
     * @param index the queue pair
     * @param shareBps the share, bit/s
     */
    void GiveShare(uint32_t index, double shareBps);

    void ReceiveFrame(uint16_t port, const TransitFrame& transit) override;
    void Prepare(uint16_t port, const TransitFrame& transit, bool isNext) const override;
    void BufferReleased() override;
    void PortReady(uint16_t port) override;

    /** @return what was counted */
    const NicCounters& GetCounters() const
    {
        return m_counters;
    }

    /** @return payload taken for sending and not acknowledged, bytes */
    uint64_t GetQueuedBytes() const
    {
        return m_takenBytes - m_counters.payloadBytes;
    }

    /** @return number of queue pairs that send */
    std::size_t GetQueuePairCount() const
    {
        return m_queuePairs.GetSize();
    }

    /** @param index a queue pair @return it */
    const SendQueuePair& GetQueuePair(std::size_t index) const
    {
        return m_queuePairs.At(index);
    }

  private:
    /** A message on its way from an ns-3 event to the frame event that takes it. */
    struct Posted
    {
        uint64_t tick;        //!< when it may be taken
        uint32_t destination; //!< terminal
        Message message;      //!< the message
    };

    /** A fair share on its way likewise. */
    struct Share
    {
        uint64_t tick;  //!< when it may be taken
        uint32_t index; //!< whose it is
        double bps;     //!< the share, bit/s
    };

    using TimedQueuePair = std::pair<uint64_t, uint32_t>; //!< (tick, index), a heap's entry

    /** Handlers of the frame events. @param object the NIC */
    static void HandleRequest(void* object);
    /** @copydoc HandleRequest */
    static void HandleWake(void* object);
    /** @copydoc HandleRequest */
    static void HandleTimer(void* object);
    /** Take the messages that were posted before this tick. */
    void TakePosted();
    /** Send a message. @param message it @param destination terminal */
    void Take(const Message& message, uint32_t destination);
    /** Choose what to send now. */
    void Wake();
    /** Move those whose time has come from the heap to the round. */
    void PromotePaced();
    /** Send a frame of the first in the round that may. */
    void SendOne();

    /** Serve the control's deadline if it has passed. @param queuePair whose @param at as of this
     * tick */
    void CatchUp(SendQueuePair& queuePair, uint64_t at)
    {
        if (at >= queuePair.decision.deadlineTicks)
        {
            ServeDeadline(queuePair, at);
        }
    }

    /** Serve the control's deadline, which has passed. @copydetails CatchUp */
    void ServeDeadline(SendQueuePair& queuePair, uint64_t at);

    /** @return whether another frame would go beyond what the NIC may have outstanding */
    bool IsFull() const
    {
        return m_isLimited && m_outstandingBytes != 0 &&
               m_outstandingBytes + m_config.mtuBytes > m_config.nicOutstandingBytes;
    }

    /** @param queuePair one @return what counts of it, if the NIC is limited */
    uint64_t GetOutstanding(const SendQueuePair& queuePair) const
    {
        return !m_isLimited || queuePair.hasFailed ? 0 : queuePair.GetInFlightBytes();
    }

    /** Put a queue pair where it belongs. @param queuePair it @param at as of this tick */
    void Place(SendQueuePair& queuePair, uint64_t at);
    /** Put a queue pair into the heap. @param queuePair it @param at as of this tick */
    void PushPaced(SendQueuePair& queuePair, uint64_t at);
    /** See to it that Wake() runs when it has something to do. */
    void Kick();
    /** Serve the retransmission timers. */
    void ServeTimers();
    /** A timeout is over. @param queuePair whose @param now ps @return whether it goes on */
    bool TakeTimeout(SendQueuePair& queuePair, uint64_t now);
    /** Arm the timer of a queue pair. @param queuePair it */
    void Arm(SendQueuePair& queuePair);
    /** Arm the timer of a queue pair that the port's link keeps from sending. @param queuePair it */
    void ArmBlocked(SendQueuePair& queuePair);
    /** @param queuePair one with unacknowledged frames @return when its timeout is due, ps */
    uint64_t TimeoutTick(const SendQueuePair& queuePair) const;
    /** Have the timer event in force for the earliest timer. */
    void ScheduleTimer();
    /** An ACK or NACK has come in. @param frame it */
    void OnAcknowledgment(const Frame& frame);
    /** A CNP has come in. @param frame it */
    void OnCnp(const Frame& frame);
    /** Take the fair shares that were given before this tick. */
    void TakeShares();
    /** Tell the oracle, if there is one, whether a queue pair has something to send, when that is new.
     * @param queuePair it */
    void NoteSharing(SendQueuePair& queuePair);
    /** A queue pair gives up. @param queuePair it */
    void Fail(SendQueuePair& queuePair);

    RdmaTransport* m_transport;              //!< whose NIC it is
    FabricNetwork* m_network;                //!< the network
    FrameClock* m_clock;                     //!< the clock
    FramePool* m_pool;                       //!< frames
    FrameTransmitter* m_port = nullptr;      //!< the port
    const RdmaConfig& m_config;              //!< sizes and times
    const uint32_t m_terminal;               //!< in the network
    const uint32_t m_accelerator;            //!< whose it is
    const uint32_t m_nodeId;                 //!< of the accelerator
    uint32_t m_object;                       //!< number at the clock
    uint64_t m_wakeAt = FrameClock::NEVER;   //!< tick of the wake-up in force
    uint64_t m_timerAt = FrameClock::NEVER;  //!< tick of the timer event in force
    QueuePairScheduler m_scheduler;          //!< those that may send
    std::vector<TimedQueuePair> m_paced;     //!< heap, earliest first
    std::vector<TimedQueuePair> m_timers;    //!< heap, earliest first
    QueuePairTable m_queuePairs;             //!< those that send
    RdmaReceiver m_receiver;                 //!< the receiving side
    RdmaTracer m_tracer;                     //!< tells sinks
    const bool m_isLimited;                  //!< m_outstandingBytes is kept
    uint64_t m_outstandingBytes = 0;         //!< payload in flight
    uint64_t m_takenBytes = 0;               //!< payload of all messages
    NicReductions* m_reductions = nullptr;   //!< of reduction groups, if there may be any
    std::unique_ptr<NicSelector> m_selector; //!< of several NICs, at the first
    NicCounters m_counters;                  //!< what happened
    std::vector<Posted> m_posted;            //!< not yet taken
    std::vector<Share> m_givenShares;        //!< not yet taken
    std::vector<Message> m_completed;        //!< scratch
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_NIC_H
