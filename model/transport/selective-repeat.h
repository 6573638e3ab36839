// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SELECTIVE_REPEAT_H
#define LLM_FABRIC_SELECTIVE_REPEAT_H

#include "rdma-loss-recovery.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * The recovery of IRN (Mittal et al., SIGCOMM 2018): the receiver keeps what follows a gap and answers
 * each such frame with a NACK that names both what is missing and that frame; the sender sends the
 * holes again, each once, then new frames. It never has more than a path holds on the way.
 */
class SelectiveRepeat : public RdmaLossRecovery
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    void Configure(RdmaConfig& config) const override;
    uint32_t GetMaxFrames(const QueuePairInfo& info) const override;
    bool OnNack(SendQueuePair& queuePair, uint64_t psn, uint64_t cause) const override;
    void OnTimeout(SendQueuePair& queuePair) const override;

  private:
    uint32_t m_reorderFrames;  //!< attribute
    uint32_t m_reorderDepth;   //!< attribute
    uint32_t m_inFlightFrames; //!< attribute
    uint32_t m_fewFrames;      //!< attribute
    Time m_timeoutLow;         //!< attribute
    Time m_timeoutHigh;        //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SELECTIVE_REPEAT_H
