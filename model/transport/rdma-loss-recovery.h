// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_LOSS_RECOVERY_H
#define LLM_FABRIC_RDMA_LOSS_RECOVERY_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3::llm
{

class SendQueuePair;
struct QueuePairInfo;
struct RdmaConfig;

/**
 * @ingroup llm-fabric-transport
 * Decides what is sent again when frames are lost. To add a recovery, derive, give the class a TypeId,
 * and name it in RdmaTransport's `LossRecovery` attribute.
 *
 * One object serves every queue pair of its transport and does not change during a run: the state
 * lies in the queue pairs, which offer what a recovery may order (SendQueuePair::GoBack(),
 * ResendHoles(), ResendAll()). No hook is called for a frame or an ACK that comes as it should.
 */
class RdmaLossRecovery : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Say how receivers and timers are to behave; refuse what does not fit together.
     * @param config all but the recovery's part is set: reorderFrames, reorderDepth,
     * nackIntervalTicks, shortTimeoutTicks, fewFrames; timeoutTicks may be changed
     */
    virtual void Configure(RdmaConfig& config) const = 0;

    /**
     * @param info a queue pair
     * @return frames from the first unacknowledged one on that may have been sent; where reorderFrames
     * is not 0 it must be from 1 to that, else it must be 0: no bound
     */
    virtual uint32_t GetMaxFrames(const QueuePairInfo& info) const;

    /**
     * A NACK came in; what it acknowledges is taken already.
     * @param queuePair whose
     * @param psn the first that is missing at the receiver
     * @param cause the frame that made the receiver send it; only where reorderFrames is not 0
     * @return whether losses are new, so that the congestion control is told
     */
    virtual bool OnNack(SendQueuePair& queuePair, uint64_t psn, uint64_t cause) const = 0;

    /**
     * Nothing was acknowledged for a retransmission timeout.
     * @param queuePair whose
     */
    virtual void OnTimeout(SendQueuePair& queuePair) const = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_LOSS_RECOVERY_H
