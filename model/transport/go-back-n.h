// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_GO_BACK_N_H
#define LLM_FABRIC_GO_BACK_N_H

#include "rdma-loss-recovery.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * InfiniBand's recovery: the receiver takes frames in order only, answers the first one after a gap
 * with a NACK, and drops what follows the gap; the sender goes back to what is missing.
 */
class GoBackN : public RdmaLossRecovery
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    void Configure(RdmaConfig& config) const override;
    bool OnNack(SendQueuePair& queuePair, uint64_t psn, uint64_t cause) const override;
    void OnTimeout(SendQueuePair& queuePair) const override;

  private:
    Time m_nackInterval; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_GO_BACK_N_H
