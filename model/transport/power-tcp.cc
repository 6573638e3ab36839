// SPDX-License-Identifier: GPL-2.0-only

#include "power-tcp.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(PowerTcp);

TypeId
PowerTcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::PowerTcp")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<PowerTcp>()
            .AddAttribute("Delay",
                          "theta-PowerTCP: measure the power by delay, without telemetry.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PowerTcp::m_isDelay),
                          MakeBooleanChecker())
            .AddAttribute("Gamma",
                          "Weight of the new window (paper: 0.9; published simulator, delay form: "
                          "0.7).",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&PowerTcp::m_gamma),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AdditiveIncrease",
                          "beta, bytes; 0: line rate times base round-trip time over ExpectedFlows "
                          "(paper; published simulator: 150 Mb/s times that time).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PowerTcp::m_additiveIncrease),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("ExpectedFlows",
                          "N, flows that share the NIC (the paper leaves it open).",
                          DoubleValue(10),
                          MakeDoubleAccessor(&PowerTcp::m_expectedFlows),
                          MakeDoubleChecker<double>(1.0))
            .AddAttribute("TargetUtilization",
                          "The power is divided by this (paper: 1; published simulator: 0.95).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&PowerTcp::m_targetUtilization),
                          MakeDoubleChecker<double>(0.01, 1.0))
            .AddAttribute(
                "MinCurrent",
                "Least current taken into account, as a share of the line rate (published "
                "simulator: 0.5); without it a moment without arrivals divides by 0.",
                DoubleValue(0.5),
                MakeDoubleAccessor(&PowerTcp::m_minCurrent),
                MakeDoubleChecker<double>(0.001))
            .AddAttribute("MinWindow",
                          "Smallest window, bytes; 0: the payload of a full frame. Below that the "
                          "pace still falls with the window.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PowerTcp::m_minWindow),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("MaxWindow",
                          "Largest window, in units of line rate times base round-trip time.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&PowerTcp::m_maxWindow),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("BaseRtt",
                          "tau, for all queue pairs alike; 0s: each takes its own path's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&PowerTcp::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxSampleAge",
                          "Telemetry is compared with telemetry up to so much older.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&PowerTcp::m_maxSampleAge),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("TelemetrySize",
                          "Wire bytes that telemetry adds to a data frame and its ACK (HPCC's "
                          "simulator: 5 hops of 8 and 2).",
                          UintegerValue(42),
                          MakeUintegerAccessor(&PowerTcp::m_telemetryBytes),
                          MakeUintegerChecker<uint32_t>(0, 1024));
    return tid;
}

void
PowerTcp::DoStart(PowerTcpState& state,
                  const QueuePairInfo& info,
                  CongestionDecision& decision) const
{
    state.windowBytes = info.GetPathBytes(BaseTicks());
    SetDecision(state, info, decision);
    state.windows.Reset(state.windowBytes);
}

void
PowerTcp::SetDecision(PowerTcpState& state,
                      const QueuePairInfo& info,
                      CongestionDecision& decision) const
{
    const double least = m_minWindow > 0 ? m_minWindow : info.mtuBytes;
    const double most = m_maxWindow * info.GetPathBytes(BaseTicks());
    state.windowBytes = std::max(std::min(state.windowBytes, most), least);
    decision.windowBytes = static_cast<uint64_t>(state.windowBytes);
    decision.rateBps = state.windowBytes * 8e12 / info.GetBaseTicks(BaseTicks());
}

void
PowerTcp::Smooth(PowerTcpState& state, double power, double ticks, double base) const
{
    const double weight = std::min(ticks / base, 1.0);
    state.power = (1 - weight) * state.power + weight * power / m_targetUtilization;
}

bool
PowerTcp::MeasureHops(PowerTcpState& state, const QueuePairInfo& info, const AckSignal& ack) const
{
    const auto maxAge = static_cast<uint64_t>(m_maxSampleAge.GetPicoSeconds());
    HopSamples::Changes changes;
    if (!state.samples.Take(ack, maxAge, changes))
    {
        return false;
    }
    const double base = info.GetBaseTicks(BaseTicks());
    double most = -1;
    double ticks = 0;
    for (uint32_t i = 0; i < ack.hopCount; ++i)
    {
        const HopChange& hop = changes[i];
        if (hop.ticks == 0)
        {
            continue;
        }
        const double lineBytes = hop.rateBps * base / 8e12; // in tau
        const double arrived = hop.queueBytes - hop.queueBytesBefore + hop.sentBytes;
        const double current = std::max(arrived / hop.ticks * base / lineBytes, m_minCurrent);
        const double power = current * (hop.queueBytes + lineBytes) / lineBytes;
        if (power > most)
        {
            most = power;
            ticks = hop.ticks;
        }
    }
    Smooth(state, most, ticks, base);
    return ticks > 0;
}

bool
PowerTcp::MeasureDelay(PowerTcpState& state,
                       const QueuePairInfo& info,
                       uint64_t now,
                       const AckSignal& ack) const
{
    const bool isFirst = state.lastTicks == 0;
    if (!isFirst && now > state.lastTicks)
    {
        const double base = info.GetBaseTicks(BaseTicks());
        const auto rtt = static_cast<double>(ack.rttTicks);
        const auto ticks = static_cast<double>(now - state.lastTicks);
        const double slope = (rtt - static_cast<double>(state.lastRtt)) / ticks;
        Smooth(state, std::max(slope + 1, m_minCurrent) * rtt / base, ticks, base);
    }
    if (isFirst || now > state.lastTicks)
    {
        state.lastTicks = now;
        state.lastRtt = ack.rttTicks;
    }
    if (isFirst || ack.ackedPsn <= state.roundEndPsn)
    {
        state.roundEndPsn = isFirst ? ack.nextPsn : state.roundEndPsn;
        return false;
    }
    state.roundEndPsn = ack.nextPsn;
    return true;
}

void
PowerTcp::DoAck(PowerTcpState& state,
                const QueuePairInfo& info,
                uint64_t now,
                const AckSignal& ack,
                CongestionDecision& decision) const
{
    double before = state.windowBytes;
    if (m_isDelay)
    {
        // acting once per round trip: the acknowledged frame was sent under the window of now
        if (!MeasureDelay(state, info, now, ack))
        {
            return;
        }
    }
    else
    {
        if (ack.hopCount == 0 || ack.ackedPsn == 0 || !MeasureHops(state, info, ack))
        {
            return;
        }
        before = state.windows.At(ack.ackedPsn - 1);
    }
    const double increase = m_additiveIncrease > 0
                                ? m_additiveIncrease
                                : info.GetPathBytes(BaseTicks()) / m_expectedFlows;
    state.windowBytes =
        m_gamma * (before / state.power + increase) + (1 - m_gamma) * state.windowBytes;
    SetDecision(state, info, decision);
    state.windows.Note(ack.nextPsn, ack.ackedPsn, state.windowBytes);
}

} // namespace ns3::llm
