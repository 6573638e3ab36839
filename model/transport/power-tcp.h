// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_POWER_TCP_H
#define LLM_FABRIC_POWER_TCP_H

#include "hop-samples.h"
#include "rdma-congestion-control.h"
#include "sent-windows.h"

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What PowerTCP keeps for a queue pair.
 */
struct PowerTcpState
{
    double windowBytes = 0; //!< w
    double power = 1;       //!< smoothed, 1 on a full link without a queue
    uint64_t lastTicks = 0; //!< delay form: when the last acknowledgment came, ps; 0: none yet
    uint64_t lastRtt = 0;   //!< delay form: its round-trip time, ps
    uint64_t roundEndPsn =
        0;               //!< delay form: round trip is over when more than this is acknowledged
    SentWindows windows; //!< telemetry form: of the frames in flight
    HopSamples samples;  //!< telemetry form: of the path
};

/**
 * @ingroup llm-fabric-transport
 * PowerTCP: Addanki, Michel and Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter
 * Networks", NSDI 2022, algorithm 1 (telemetry) and algorithm 2 (theta-PowerTCP: delay alone).
 *
 * A port's power is the product of voltage (what is in flight there, queue and bandwidth-delay product)
 * and current (arrival rate, growth of the queue and sending rate). Its ratio to the power of a full
 * link without a queue divides the window that the acknowledged frame was sent under. The delay
 * form takes the round-trip time for the voltage and its slope for the current, and acts once per
 * round trip. Flows share by their additive increase, the queue comes to the sum of those.
 *
 * The window counts payload (as in public code); pacing, w over the base round-trip time, counts wire bytes;
 * one frame may always go. Loss changes nothing. The telemetry form cannot work under per-frame
 * spraying.
 */
class PowerTcp : public RdmaCongestionControlOf<PowerTcpState>
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool NeedsTelemetry() const override
    {
        return !m_isDelay;
    }

    uint32_t GetTelemetryBytes() const override
    {
        return m_isDelay ? 0 : m_telemetryBytes;
    }

  protected:
    void DoStart(PowerTcpState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override;
    void DoAck(PowerTcpState& state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const override;

  private:
    /** Take telemetry into the power. @param state the state @param info queue pair @param ack its
     * telemetry @return whether it said something */
    bool MeasureHops(PowerTcpState& state, const QueuePairInfo& info, const AckSignal& ack) const;
    /** Take a round-trip time into the power. @param state the state @param info queue pair @param
     * now ps @param ack its round-trip time @return whether the window is to follow now */
    bool MeasureDelay(PowerTcpState& state,
                      const QueuePairInfo& info,
                      uint64_t now,
                      const AckSignal& ack) const;
    /** Smooth a power over the base round-trip time. @param state the state @param power new
     * @param ticks for so long @param base the base round-trip time, ps */
    void Smooth(PowerTcpState& state, double power, double ticks, double base) const;
    /** Hand out a window. @param state with it @param info queue pair @param decision changed */
    void SetDecision(PowerTcpState& state,
                     const QueuePairInfo& info,
                     CongestionDecision& decision) const;

    /** @return tau if it is chosen, ps; else 0 */
    uint64_t BaseTicks() const
    {
        return static_cast<uint64_t>(m_baseRtt.GetPicoSeconds());
    }

    bool m_isDelay;             //!< attribute
    double m_gamma;             //!< attribute
    double m_additiveIncrease;  //!< attribute
    double m_expectedFlows;     //!< attribute
    double m_targetUtilization; //!< attribute
    double m_minCurrent;        //!< attribute
    double m_minWindow;         //!< attribute
    double m_maxWindow;         //!< attribute
    Time m_baseRtt;             //!< attribute
    Time m_maxSampleAge;        //!< attribute
    uint32_t m_telemetryBytes;  //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_POWER_TCP_H
