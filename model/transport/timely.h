// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TIMELY_H
#define LLM_FABRIC_TIMELY_H

#include "rdma-congestion-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What TIMELY keeps for a queue pair.
 */
struct TimelyState
{
    double rttTicks = 0;      //!< at the last update, ps
    double rttDiffTicks = 0;  //!< smoothed change from update to update, ps
    uint64_t ackedBytes = 0;  //!< payload since the last update
    uint64_t roundEndPsn = 0; //!< the round trip is over when more than this is acknowledged
    uint32_t flatUpdates = 0; //!< updates in a row without a rising gradient
    bool hasRtt = false;      //!< there was an update
};

/**
 * @ingroup llm-fabric-transport
 * TIMELY: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
 * algorithm 1; and the patch of Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and
 * TIMELY", CoNEXT 2016.
 *
 * Each update compares the round-trip time, without the frame's own serialization, with the one before.
 * Below the low threshold the rate grows by a step, above the high one it shrinks by how far it lies
 * above, in between the gradient decides. Any split of the link is a fixed point of the original, so that
 * its flows need not become equal; the patch weighs gradient and distance and has one fixed point,
 * RTT = Tlow (1 + flows delta / (beta C)). Both thresholds must lie above the base round-trip time.
 *
 * The rate paces wire bytes. There is no window. Loss changes nothing.
 */
class Timely : public RdmaCongestionControlOf<TimelyState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    void DoStart(TimelyState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoAck(TimelyState& state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override;

  private:
    /** Count an acknowledgment. @param state the state @param ack it @return whether an update is due */
    bool IsDue(TimelyState& state, const AckSignal& ack) const;
    /** @param info queue pair @param ack an acknowledgment @return its round-trip time, ps */
    double MeasureRtt(const QueuePairInfo& info, const AckSignal& ack) const;
    /** The original between the thresholds. @param state the state @param gradient of the RTT @param
     * step delta, bit/s @param rate bit/s @return the new rate, bit/s */
    double FollowGradient(TimelyState& state, double gradient, double step, double rate) const;
    /** The patch between the thresholds. @param gradient of the RTT @param excess of the RTT over the
     * low threshold, as a share of it @param step delta, bit/s @param rate bit/s @return the new
     * rate, bit/s */
    double FollowBoth(double gradient, double excess, double step, double rate) const;

    /** @return beta of the form chosen */
    double Beta() const
    {
        return m_isPatched ? m_patchedBeta : m_beta;
    }

    bool m_isPatched;            //!< attribute
    double m_initialShare;       //!< attribute
    double m_gain;               //!< attribute
    double m_beta;               //!< attribute
    double m_patchedBeta;        //!< attribute
    Time m_low;                  //!< attribute
    Time m_high;                 //!< attribute
    Time m_minRtt;               //!< attribute
    DataRate m_additiveIncrease; //!< attribute
    uint32_t m_hyperThreshold;   //!< attribute
    double m_hyperFactor;        //!< attribute
    double m_maxCut;             //!< attribute
    DataRate m_minRate;          //!< attribute
    DataRate m_referenceRate;    //!< attribute
    uint64_t m_segmentBytes;     //!< attribute
    bool m_subtract;             //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TIMELY_H
