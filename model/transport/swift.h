// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SWIFT_H
#define LLM_FABRIC_SWIFT_H

#include "rdma-congestion-control.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What Swift keeps for a queue pair.
 */
struct SwiftState
{
    /** A window against one part of the delay. */
    struct Window
    {
        double frames = 0;       //!< its size, in full frames
        uint64_t cutTicks = 0;   //!< when it was last cut, ps
        bool hasBeenCut = false; //!< it was
    };

    Window fabric;            //!< against the delay of the fabric
    Window endpoint;          //!< against the delay of the receiving host
    double endpointTicks = 0; //!< smoothed delay of the receiving host, ps
    uint64_t rttTicks = 0;    //!< last round-trip time, ps
    uint32_t timeouts = 0;    //!< in a row
};

/**
 * @ingroup llm-fabric-transport
 * Swift: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020, sections 3.1 to 3.5 and algorithm 1.
 *
 * Two windows, one against the delay of the fabric, one against that of the receiving host; the
 * smaller counts. Below its target delay a window grows by a frame per round trip, above it is cut, once
 * per round trip, by how far above. The fabric's target grows with the number of hops and, for small
 * windows, with the number of flows that these betray: this is what makes flows equal. The
 * target must exceed the base round-trip time by the swing of a cut, or throughput is lost.
 *
 * The window counts payload, in full frames. Below one frame it is a pace: a frame per RTT / window; then
 * pacing counts wire bytes. From one frame on nothing is paced, and one frame may always go.
 */
class Swift : public RdmaCongestionControlOf<SwiftState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @param frames fabric window @return what the target delay gains by flow scaling, ps */
    double GetFlowScaling(double frames) const;

  protected:
    void DoStart(SwiftState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoAck(SwiftState& state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override;
    void DoLoss(SwiftState& state,
                const QueuePairInfo& info,
                uint64_t now,
                CongestionDecision& decision) const override;
    void DoTimeout(SwiftState& state,
                   const QueuePairInfo& info,
                   uint64_t now,
                   CongestionDecision& decision) const override;

  private:
    /** Answer a delay. @param window changed @param delay ps @param target ps @param acked frames
     * @param now ps @param rtt ps */
    void React(SwiftState::Window& window,
               double delay,
               double target,
               double acked,
               uint64_t now,
               uint64_t rtt) const;
    /** Cut a window unless it was within a round trip. @param window it @param factor what it keeps
     * @param now ps @param rtt ps */
    void Cut(SwiftState::Window& window, double factor, uint64_t now, uint64_t rtt) const;
    /** Hand out the smaller window. @param state with both @param info queue pair @param decision
     * changed */
    void
    SetDecision(SwiftState& state, const QueuePairInfo& info, CongestionDecision& decision) const;

    double m_additiveIncrease; //!< attribute
    double m_beta;             //!< attribute
    double m_maxCut;           //!< attribute
    Time m_baseTarget;         //!< attribute
    Time m_hopTarget;          //!< attribute
    Time m_flowRange;          //!< attribute
    double m_flowMin;          //!< attribute
    double m_flowMax;          //!< attribute
    Time m_endpointTarget;     //!< attribute
    double m_endpointGain;     //!< attribute
    double m_minWindow;        //!< attribute
    double m_maxWindow;        //!< attribute
    uint32_t m_maxTimeouts;    //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SWIFT_H
