// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_HPCC_H
#define LLM_FABRIC_HPCC_H

#include "hop-samples.h"
#include "rdma-congestion-control.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What HPCC keeps for a queue pair.
 */
struct HpccState
{
    double windowBytes = 0;    //!< W
    double referenceBytes = 0; //!< Wc, the window at the begin of this round trip
    double utilization = 0;    //!< U, of the busiest hop, smoothed over a round trip
    uint64_t roundEndPsn = 0;  //!< the round trip is over when more than this is acknowledged
    uint32_t stage = 0; //!< additive round trips since the last multiplicative one (incStage)
    HopSamples samples; //!< of the path
};

/**
 * @ingroup llm-fabric-transport
 * HPCC: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1.
 *
 * Telemetry of each hop tells how much is in flight there, as a share of what fills the link without
 * a queue. The window is set so that the busiest hop comes to that share Eta; every acknowledgment may
 * set it, always from the window at the begin of the round trip, so that one overload is answered once.
 *
 * The window counts payload, although what fills a link is wire bytes (as in public code); pacing, W over
 * the base round-trip time, counts wire bytes; one frame may always go. Loss changes nothing. Rates
 * come from differences between acknowledgments: under per-frame spraying they mean nothing.
 */
class Hpcc : public RdmaCongestionControlOf<HpccState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool NeedsTelemetry() const override
    {
        return true;
    }

    uint32_t GetTelemetryBytes() const override
    {
        return m_telemetryBytes;
    }

  protected:
    void DoStart(HpccState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoAck(HpccState& state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override;

    /** Hand out a window. @param state the state, with it @param info queue pair @param decision
     * changed */
    void
    SetDecision(HpccState& state, const QueuePairInfo& info, CongestionDecision& decision) const;

  private:
    /** Take telemetry into the utilization. @param state the state @param info queue pair @param ack
     * its telemetry @return whether it said something */
    bool Measure(HpccState& state, const QueuePairInfo& info, const AckSignal& ack) const;

    /** @return T if it is chosen, ps; else 0 */
    uint64_t BaseTicks() const
    {
        return static_cast<uint64_t>(m_baseRtt.GetPicoSeconds());
    }

    double m_eta;                //!< attribute
    uint32_t m_maxStage;         //!< attribute
    double m_additiveIncrease;   //!< attribute
    double m_minWindow;          //!< attribute
    double m_initialUtilization; //!< attribute
    Time m_baseRtt;              //!< attribute
    Time m_maxSampleAge;         //!< attribute
    uint32_t m_telemetryBytes;   //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_HPCC_H
