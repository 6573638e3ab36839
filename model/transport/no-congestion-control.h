// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NO_CONGESTION_CONTROL_H
#define LLM_FABRIC_NO_CONGESTION_CONTROL_H

#include "rdma-congestion-control.h"

namespace ns3::llm
{

/** State of NoCongestionControl: none. */
struct NoCongestionState
{
};

/**
 * @ingroup llm-fabric-transport
 * No control: line rate and a fixed window, if any. Flow control alone (PFC) holds senders back, as
 * in fleets that switch congestion control off.
 */
class NoCongestionControl : public RdmaCongestionControlOf<NoCongestionState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    void DoStart(NoCongestionState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;

  private:
    uint64_t m_windowBytes; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_NO_CONGESTION_CONTROL_H
