// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_TRACER_H
#define LLM_FABRIC_RDMA_TRACER_H

#include "rdma-traces.h"
#include "send-queue-pair.h"

#include "ns3/frame-clock.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

class RdmaTransport;

/**
 * @ingroup llm-fabric-transport
 * Carries what happens at a NIC to the sinks of its transport's traces. Ask IsOn() first.
 */
class RdmaTracer
{
  public:
    /**
     * @param transport has the trace sources
     * @param clock the clock
     * @param nodeId where it happens
     */
    RdmaTracer(const RdmaTransport* transport, FrameClock* clock, uint32_t nodeId);

    /** @return whether there may be sinks */
    bool IsOn() const
    {
        return m_traces->IsTraced();
    }

    /** An ACK, or a NACK that tells as much, came in. @param frame it @param queuePair its @param ack
     * what it says */
    void Ack(const Frame& frame, const SendQueuePair& queuePair, const AckSignal& ack);
    /** A NACK came in. @param frame it */
    void Nack(const Frame& frame);
    /** A CNP came in. @param frame it */
    void CnpReceived(const Frame& frame);
    /** A CNP goes out. @param frame it */
    void CnpSent(const Frame& frame);
    /** A data frame was sent again. @param frame it */
    void Retransmission(const Frame& frame);
    /** A timeout is over. @param terminal of the NIC @param queuePair its */
    void Timeout(uint32_t terminal, const SendQueuePair& queuePair);
    /** Rate and window may have changed. @param terminal of the NIC @param queuePair whose */
    void Decision(uint32_t terminal, const SendQueuePair& queuePair);

  private:
    /** What sinks know of a queue pair. */
    struct Known
    {
        uint64_t rateBps = 0;     //!< of the last `Rate`; 0: none
        uint64_t windowBytes = 0; //!< of the last `Window`; 0: none
    };

    /** @param source sending terminal @param destination terminal @param number of the queue pair
     * @return its name */
    QueuePairName GetName(uint32_t source, uint32_t destination, uint32_t number) const;
    /** Have a trace's sinks called. @tparam Ts values @param trace the trace @param name queue pair
     * @param values what sinks get */
    template <typename... Ts>
    void CallOut(const RdmaTraces::QueuePairTrace<Ts...>& trace,
                 const QueuePairName& name,
                 Ts... values);

    const RdmaTransport* m_transport; //!< knows accelerators
    const RdmaTraces* m_traces;       //!< of the transport
    FrameClock* m_clock;              //!< the clock
    uint32_t m_nodeId;                //!< where it happens
    std::vector<Known> m_known;       //!< by queue pair
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_TRACER_H
