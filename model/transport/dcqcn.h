// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DCQCN_H
#define LLM_FABRIC_DCQCN_H

#include "rdma-congestion-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What DCQCN keeps for a queue pair.
 */
struct DcqcnState
{
    double targetBps = 0;    //!< R_T, the rate before the last cut, raised since, bit/s
    double alpha = 1;        //!< estimate of congestion
    uint64_t alphaTicks = 0; //!< when alpha last changed, ps
    uint64_t timerTicks = 0; //!< when the increase timer last expired or was started, ps
    uint64_t ackedBytes = 0; //!< payload since the byte counter last expired
    uint32_t timerStage = 0; //!< expirations of the timer since the last cut (TC)
    uint32_t byteStage = 0;  //!< expirations of the byte counter since the last cut (BC)
    bool isReduced = false;  //!< below line rate: timer and byte counter run
};

/**
 * @ingroup llm-fabric-transport
 * DCQCN, the reaction point of Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015, sections 3.1 and 3.2.
 *
 * A CNP sets the target to the current rate, cuts the rate by alpha/2 and raises alpha; without CNPs
 * alpha decays. A timer and a byte counter, restarted by a cut, raise the rate: halfway to the target
 * in the first stages, then with the target raised by a fixed step, and by a larger one when both have
 * passed the threshold. Where public code differs from the paper an attribute says so. What devices do
 * instead is DcqcnDevice.
 *
 * The rate paces wire bytes. Without `VariableWindow` there is no cap on what is in flight; with it the cap is
 * BDP R_C / line rate of payload, where one frame may always go.
 */
class Dcqcn : public RdmaCongestionControlOf<DcqcnState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    void DoStart(DcqcnState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoAck(DcqcnState& state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override;
    void DoCnp(DcqcnState& state,
               const QueuePairInfo& info,
               uint64_t now,
               CongestionDecision& decision) const override;
    void DoDeadline(DcqcnState& state,
                    const QueuePairInfo& info,
                    uint64_t now,
                    CongestionDecision& decision) const override;

  private:
    /**
     * One increase event.
     * @param state the state
     * @param own stage of the counter that has expired
     * @param other stage of the other one
     * @param info queue pair
     * @param decision changed
     */
    void Increase(DcqcnState& state,
                  uint32_t own,
                  uint32_t other,
                  const QueuePairInfo& info,
                  CongestionDecision& decision) const;
    /** Let alpha decay up to now. @param state the state @param now ps */
    void DecayAlpha(DcqcnState& state, uint64_t now) const;
    /** @param info queue pair @return steps grow with the line rate by this factor */
    double Scale(const QueuePairInfo& info) const;
    /** The rate has changed: so does the window. @param info queue pair @param decision changed */
    void SetWindow(const QueuePairInfo& info, CongestionDecision& decision) const;
    /** Set the deadline to the next expiration. @param state the state @param decision changed */
    void SetDeadline(const DcqcnState& state, CongestionDecision& decision) const;

    double m_gain;               //!< attribute
    double m_initialAlpha;       //!< attribute
    Time m_alphaInterval;        //!< attribute
    Time m_increaseInterval;     //!< attribute
    uint64_t m_byteCounter;      //!< attribute
    uint32_t m_threshold;        //!< attribute
    DataRate m_additiveIncrease; //!< attribute
    DataRate m_hyperIncrease;    //!< attribute
    DataRate m_minRate;          //!< attribute
    DataRate m_referenceRate;    //!< attribute
    bool m_cutFirst;             //!< attribute
    bool m_phaseOfEvent;         //!< attribute
    bool m_hyperGrows;           //!< attribute
    bool m_window;               //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DCQCN_H
