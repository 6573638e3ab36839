// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_IDEAL_FAIR_SHARE_H
#define LLM_FABRIC_IDEAL_FAIR_SHARE_H

#include "rdma-congestion-control.h"

namespace ns3::llm
{

/** State of IdealFairShare: none. */
struct IdealFairShareState
{
};

/**
 * @ingroup llm-fabric-transport
 * An oracle to compare with, which no network can have: each queue pair sends at its max-min fair share
 * of the links of its path, from the moment on at which any flow begins or ends.
 *
 * What it takes to know that is RdmaShareOracle. It sees neither marks nor delays nor losses.
 */
class IdealFairShare : public RdmaCongestionControlOf<IdealFairShareState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool NeedsShares() const override
    {
        return true;
    }

  protected:
    void DoShare(IdealFairShareState& state,
                 const QueuePairInfo& info,
                 uint64_t now,
                 double shareBps,
                 CongestionDecision& decision) const override;

  private:
    double m_utilization; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_IDEAL_FAIR_SHARE_H
