// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NSCC_H
#define LLM_FABRIC_NSCC_H

#include "rdma-congestion-control.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What Nscc keeps for a queue pair.
 */
struct NsccState
{
    double windowBytes = 0;        //!< cwnd
    double averageTicks = 0;       //!< smoothed queuing delay, ps
    double increase = 0;           //!< bytes squared not yet added to the window (by way of / cwnd)
    double fastBytes = 0;          //!< payload acknowledged in a row without queuing delay
    uint64_t sinceFulfilBytes = 0; //!< payload acknowledged since the window was last adjusted
    uint64_t achievedBytes = 0;    //!< payload acknowledged since the last chance to adapt quickly
    uint64_t ignoreBytes = 0;      //!< signals of so much payload are still of before a quick adapt
    uint64_t fulfilTicks = 0;      //!< when the window was last adjusted, ps
    uint64_t cutTicks = 0;         //!< when it was last cut, ps
    uint64_t adaptTicks = 0;       //!< next chance to adapt quickly, ps; 0: not yet set
    uint64_t steadyTicks = 0;      //!< when eta was last added, ps
    bool isFast = false;           //!< grows fast until there is delay
    bool hasLost = false;          //!< a loss since the last chance to adapt quickly
};

/**
 * @ingroup llm-fabric-transport
 * What Nscc computes from its attributes and the path.
 */
struct NsccParameters
{
    double baseTicks = 0;    //!< base round-trip time, ps
    double pathBytes = 0;    //!< bandwidth-delay product
    double maxBytes = 0;     //!< largest and first window
    double targetTicks = 0;  //!< target queuing delay, ps
    double scale = 0;        //!< a, the path over that of 100 Gb/s and 12 us
    double proportional = 0; //!< alpha, bytes per ps
    double fair = 0;         //!< fi, bytes
    double steady = 0;       //!< eta, bytes
    double adaptBytes = 0;   //!< less than this achieved, and the window may adapt quickly
};

/**
 * @ingroup llm-fabric-transport
 * A window like network-signaled congestion control (NSCC) of Ultra Ethernet, specification 1.0, section
 * 3.6.13, with the constants of the public simulator uet-htsim.
 *
 * Whether the acknowledged frame was marked, and whether its queuing delay (round-trip time less that of the
 * idle path) is below the target, choose one of four answers: grow in proportion to what is
 * missing to the target (and fast, after a whole window without delay), grow slowly, leave it to the
 * choice of paths, or cut by how far the average delay exceeds the target. Growth is gathered and
 * fulfilled once per eight frames or round trip. When little gets through, the window takes the size of what
 * did (quick adapt). A loss takes a frame off the window, as a trimmed frame does there.
 *
 * Not here: credits of the receiver, trimming, choice of paths. Without trimming set TargetShare to 1.
 * The window counts payload. There is no pacing, and one frame may always go.
 */
class Nscc : public RdmaCongestionControlOf<NsccState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @param info queue pair @return what follows for it */
    NsccParameters GetParameters(const QueuePairInfo& info) const;

  protected:
    void DoStart(NsccState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoAck(NsccState& state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override;
    void DoLoss(NsccState& state,
                const QueuePairInfo& info,
                uint64_t now,
                CongestionDecision& decision) const override;
    void DoTimeout(NsccState& state,
                   const QueuePairInfo& info,
                   uint64_t now,
                   CongestionDecision& decision) const override;

  private:
    /** Take a queuing delay into the average. @param state the state @param delay ps @param isMarked
     * frame was @param p parameters */
    void Average(NsccState& state, double delay, bool isMarked, const NsccParameters& p) const;
    /** Adapt quickly if it is time and little got through. @param state the state @param now ps @param
     * isLate much delay, or a loss @param inFlight payload @param p parameters @return whether it
     * did */
    bool Adapt(NsccState& state,
               uint64_t now,
               bool isLate,
               uint64_t inFlight,
               const NsccParameters& p) const;
    /** Below the target without a mark. @param state the state @param delay ps @param acked bytes
     * @param p parameters */
    void Grow(NsccState& state, double delay, double acked, const NsccParameters& p) const;
    /** Above the target with a mark. @param state the state @param now ps @param p parameters */
    void Cut(NsccState& state, uint64_t now, const NsccParameters& p) const;
    /** Add what was gathered, if it is time. @param state the state @param now ps @param p
     * parameters @param mtu payload of a full frame */
    void Fulfil(NsccState& state, uint64_t now, const NsccParameters& p, uint32_t mtu) const;
    /** Hand out the window. @param state with it @param info queue pair @param decision changed */
    void
    SetDecision(NsccState& state, const QueuePairInfo& info, CongestionDecision& decision) const;

    double m_targetShare;    //!< attribute
    Time m_baseRtt;          //!< attribute
    double m_gamma;          //!< attribute
    double m_averageGain;    //!< attribute
    double m_maxWindow;      //!< attribute
    double m_proportional;   //!< attribute
    double m_fair;           //!< attribute
    double m_steady;         //!< attribute
    double m_fast;           //!< attribute
    Time m_fastDelay;        //!< attribute
    double m_maxCut;         //!< attribute
    double m_adaptShare;     //!< attribute
    double m_adaptDelay;     //!< attribute
    uint32_t m_fulfilFrames; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_NSCC_H
