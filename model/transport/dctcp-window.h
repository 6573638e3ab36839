// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DCTCP_WINDOW_H
#define LLM_FABRIC_DCTCP_WINDOW_H

#include "rdma-congestion-control.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What DctcpWindow keeps for a queue pair.
 */
struct DctcpWindowState
{
    double windowBytes = 0;   //!< cwnd
    double alpha = 1;         //!< estimate of the marked share
    uint64_t ackedBytes = 0;  //!< payload acknowledged in this round trip
    uint64_t markedBytes = 0; //!< of it, what arrived marked
    uint64_t roundEndPsn = 0; //!< the round trip is over when more than this is acknowledged
    bool isCut = false;       //!< the window was cut in this round trip
};

/**
 * @ingroup llm-fabric-transport
 * A window by DCTCP's rules: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, and
 * RFC 8257, section 3.3.
 *
 * The share of marked bytes is averaged once per round trip; the first mark of a round trip cuts the window by
 * half that average. Otherwise it grows by a frame per round trip, as long as it is what holds the
 * sender back. Unlike TCP's, it starts at the bandwidth-delay product, without slow start. Loss halves
 * it, once per round trip, and a timeout leaves one frame. Marking is meant to be a step (switches:
 * equal thresholds), longer than a seventh of the bandwidth-delay product.
 *
 * The window counts payload. There is no pacing, and one frame may always go.
 */
class DctcpWindow : public RdmaCongestionControlOf<DctcpWindowState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    void DoStart(DctcpWindowState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoAck(DctcpWindowState& state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override;
    void DoLoss(DctcpWindowState& state,
                const QueuePairInfo& info,
                uint64_t now,
                CongestionDecision& decision) const override;
    void DoTimeout(DctcpWindowState& state,
                   const QueuePairInfo& info,
                   uint64_t now,
                   CongestionDecision& decision) const override;

  private:
    /** Hand out a window, at least one frame. @param state with it @param bytes the window @param info
     * queue pair @param decision changed */
    void SetWindow(DctcpWindowState& state,
                   double bytes,
                   const QueuePairInfo& info,
                   CongestionDecision& decision) const;

    double m_gain;             //!< attribute
    double m_initialAlpha;     //!< attribute
    double m_additiveIncrease; //!< attribute
    double m_initialWindow;    //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DCTCP_WINDOW_H
