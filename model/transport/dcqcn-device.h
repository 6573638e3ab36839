// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DCQCN_DEVICE_H
#define LLM_FABRIC_DCQCN_DEVICE_H

#include "rdma-congestion-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What DcqcnDevice keeps for a queue pair.
 */
struct DcqcnDeviceState
{
    double targetBps = 0;    //!< R_T, bit/s
    double alpha = 1;        //!< estimate of congestion
    uint64_t firstTicks = 0; //!< when the first CNP came: the slices are counted from there, ps
    uint64_t alphaTicks =
        0; //!< begin of the alpha slice in progress when alpha was last brought up, ps
    uint64_t timerTicks = 0; //!< when the increase timer last expired or was started, ps
    uint64_t cutTicks = CongestionDecision::NEVER; //!< end of the cut slice that saw a CNP, ps
    uint32_t stage = 0;                            //!< expirations of the timer since the last cut
    bool hasSeenCnp = false;                       //!< the first CNP has come
    bool isAlphaMarked = false;                    //!< the alpha slice in progress has seen a CNP
    bool isTimed = false;                          //!< the increase timer runs
};

/**
 * @ingroup llm-fabric-transport
 * DCQCN as devices run it, in slices of time instead of per CNP: NVIDIA's public parameter pages for
 * ConnectX, and the mode named after the vendor in the simulator of Li et al., "HPCC: High Precision
 * Congestion Control", SIGCOMM 2019.
 *
 * From the first CNP on, alpha is updated at the end of each short slice by whether the slice saw a
 * CNP, and the rate is cut once at the end of each longer slice that did, after alpha. A timer
 * restarted by each cut raises the rate; there is no byte counter. The target follows the rate down only
 * if the rate has risen since the last cut. Devices answer every marked frame with a CNP, or nearly: set
 * RdmaTransport's `CnpInterval` to 0 or a few microseconds.
 *
 * The rate paces wire bytes. Without `VariableWindow` there is no cap on what is in flight; with it the
 * cap is BDP R_C / line rate of payload, where one frame may always go.
 */
class DcqcnDevice : public RdmaCongestionControlOf<DcqcnDeviceState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    void DoStart(DcqcnDeviceState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoCnp(DcqcnDeviceState& state,
               const QueuePairInfo& info,
               uint64_t now,
               CongestionDecision& decision) const override;
    void DoDeadline(DcqcnDeviceState& state,
                    const QueuePairInfo& info,
                    uint64_t now,
                    CongestionDecision& decision) const override;

  private:
    /** Bring alpha up to the slices that are over. @param state the state @param now ps */
    void UpdateAlpha(DcqcnDeviceState& state, uint64_t now) const;
    /** Cut the rate. @param state the state @param info queue pair @param now ps @param decision
     * changed */
    void Cut(DcqcnDeviceState& state,
             const QueuePairInfo& info,
             uint64_t now,
             CongestionDecision& decision) const;
    /** The timer has expired. @param state the state @param info queue pair @param decision changed */
    void Increase(DcqcnDeviceState& state,
                  const QueuePairInfo& info,
                  CongestionDecision& decision) const;
    /** @param info queue pair @return steps grow with the line rate by this factor */
    double Scale(const QueuePairInfo& info) const;
    /** Hand out a rate. @param rate bit/s @param info queue pair @param decision changed */
    void SetRate(double rate, const QueuePairInfo& info, CongestionDecision& decision) const;
    /** @param state the state @return when the increase timer expires, or NEVER, ps */
    uint64_t TimerEnd(const DcqcnDeviceState& state) const;

    double m_gain;               //!< attribute
    double m_initialAlpha;       //!< attribute
    Time m_alphaInterval;        //!< attribute
    Time m_cutInterval;          //!< attribute
    Time m_increaseInterval;     //!< attribute
    uint32_t m_threshold;        //!< attribute
    double m_minCutFactor;       //!< attribute
    double m_firstCnpFactor;     //!< attribute
    bool m_clampTarget;          //!< attribute
    DataRate m_additiveIncrease; //!< attribute
    DataRate m_hyperIncrease;    //!< attribute
    DataRate m_minRate;          //!< attribute
    DataRate m_referenceRate;    //!< attribute
    bool m_window;               //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DCQCN_DEVICE_H
