// SPDX-License-Identifier: GPL-2.0-only

#include "hpcc.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Hpcc);

TypeId
Hpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Hpcc")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Hpcc>()
            .AddAttribute("Eta",
                          "Share of a link's bandwidth-delay product that is to be in flight "
                          "(paper: 0.95).",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&Hpcc::m_eta),
                          MakeDoubleChecker<double>(0.01, 1.0))
            .AddAttribute("MaxStage",
                          "Additive round trips before a multiplicative one without overload "
                          "(paper: 5; the authors' simulations: 0).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Hpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveIncrease",
                          "W_AI, bytes (paper: 80). The queue stays empty up to "
                          "BDP (1 - Eta) / flows.",
                          DoubleValue(80),
                          MakeDoubleAccessor(&Hpcc::m_additiveIncrease),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("MinWindow",
                          "Smallest window, bytes; 0: the payload of a full frame. Below that the "
                          "pace still falls with the window.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Hpcc::m_minWindow),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("InitialUtilization",
                          "U of a new queue pair (authors' simulator: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Hpcc::m_initialUtilization),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("BaseRtt",
                          "T, for all queue pairs alike, as the paper has it (the longest base "
                          "round-trip time of the network, 9 or 13 us there); 0s: each takes its "
                          "own path's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Hpcc::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxSampleAge",
                          "Telemetry is compared with telemetry up to so much older; a real "
                          "header's time stamp wraps after 16.8 ms.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&Hpcc::m_maxSampleAge),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("TelemetrySize",
                          "Wire bytes that telemetry adds to a data frame and its ACK (authors' "
                          "simulator: 5 hops of 8 and 2).",
                          UintegerValue(42),
                          MakeUintegerAccessor(&Hpcc::m_telemetryBytes),
                          MakeUintegerChecker<uint32_t>(0, 1024));
    return tid;
}

void
Hpcc::DoStart(HpccState& state, const QueuePairInfo& info, CongestionDecision& decision) const
{
    state.utilization = m_initialUtilization;
    state.windowBytes = info.GetPathBytes(BaseTicks());
    SetDecision(state, info, decision);
    state.referenceBytes = state.windowBytes;
}

void
Hpcc::SetDecision(HpccState& state, const QueuePairInfo& info, CongestionDecision& decision) const
{
    const double ticks = info.GetBaseTicks(BaseTicks());
    const double most = info.GetPathBytes(BaseTicks());
    const double least = m_minWindow > 0 ? m_minWindow : info.mtuBytes;
    state.windowBytes = std::max(std::min(state.windowBytes, most), least);
    decision.windowBytes = static_cast<uint64_t>(state.windowBytes);
    decision.rateBps = state.windowBytes * 8e12 / ticks;
}

bool
Hpcc::Measure(HpccState& state, const QueuePairInfo& info, const AckSignal& ack) const
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
        // the shorter queue of two: a burst of a frame is no congestion
        const double queue = std::min(hop.queueBytes, hop.queueBytesBefore);
        const double share = (queue / base + hop.sentBytes / hop.ticks) * 8e12 / hop.rateBps;
        if (share > most)
        {
            most = share;
            ticks = hop.ticks;
        }
    }
    const double weight = std::min(ticks / base, 1.0);
    state.utilization = (1 - weight) * state.utilization + weight * most;
    return ticks > 0;
}

void
Hpcc::DoAck(HpccState& state,
            const QueuePairInfo& info,
            uint64_t,
            const AckSignal& ack,
            CongestionDecision& decision) const
{
    if (state.roundEndPsn == 0)
    {
        state.roundEndPsn = ack.nextPsn;
    }
    if (ack.hopCount == 0 || !Measure(state, info, ack))
    {
        return;
    }
    const bool isMultiplicative = state.utilization >= m_eta || state.stage >= m_maxStage;
    const double factor = isMultiplicative ? m_eta / state.utilization : 1;
    state.windowBytes = state.referenceBytes * factor + m_additiveIncrease;
    SetDecision(state, info, decision);
    if (ack.ackedPsn > state.roundEndPsn)
    {
        state.stage = isMultiplicative ? 0 : state.stage + 1;
        state.referenceBytes = state.windowBytes;
        state.roundEndPsn = ack.nextPsn;
    }
}

} // namespace ns3::llm
