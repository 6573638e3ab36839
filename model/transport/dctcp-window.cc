// SPDX-License-Identifier: GPL-2.0-only

#include "dctcp-window.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(DctcpWindow);

TypeId
DctcpWindow::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::DctcpWindow")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<DctcpWindow>()
            .AddAttribute("Gain",
                          "g, weight of a round trip in alpha (RFC 8257: 1/16).",
                          DoubleValue(1.0 / 16),
                          MakeDoubleAccessor(&DctcpWindow::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha of a new queue pair (RFC 8257: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DctcpWindow::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AdditiveIncrease",
                          "Growth per round trip without marks, frames (RFC 8257: as "
                          "TCP, 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DctcpWindow::m_additiveIncrease),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("InitialWindow",
                          "Window of a new queue pair, in units of the path's "
                          "bandwidth-delay product (ours, for RDMA; RFC 8257 has TCP's "
                          "slow start).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DctcpWindow::m_initialWindow),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
DctcpWindow::DoStart(DctcpWindowState& state,
                     const QueuePairInfo& info,
                     CongestionDecision& decision) const
{
    state.alpha = m_initialAlpha;
    SetWindow(state, m_initialWindow * info.GetPathBytes(), info, decision);
}

void
DctcpWindow::SetWindow(DctcpWindowState& state,
                       double bytes,
                       const QueuePairInfo& info,
                       CongestionDecision& decision) const
{
    state.windowBytes = std::max<double>(bytes, info.mtuBytes);
    decision.windowBytes = static_cast<uint64_t>(state.windowBytes);
}

void
DctcpWindow::DoAck(DctcpWindowState& state,
                   const QueuePairInfo& info,
                   uint64_t,
                   const AckSignal& ack,
                   CongestionDecision& decision) const
{
    const uint64_t marked = ack.GetMarkedBytes();
    state.ackedBytes += ack.ackedBytes;
    state.markedBytes += marked;
    if (ack.ackedPsn > state.roundEndPsn && state.ackedBytes > 0)
    {
        const double share =
            static_cast<double>(state.markedBytes) / static_cast<double>(state.ackedBytes);
        state.alpha = (1 - m_gain) * state.alpha + m_gain * share;
        state.ackedBytes = 0;
        state.markedBytes = 0;
        state.roundEndPsn = ack.nextPsn;
        state.isCut = false;
    }
    if (marked > 0)
    {
        if (!state.isCut)
        {
            SetWindow(state, state.windowBytes * (1 - state.alpha / 2), info, decision);
            state.isCut = true;
        }
        return;
    }
    const uint64_t used = ack.inFlightBytes + ack.ackedBytes;
    if (used + info.mtuBytes > state.windowBytes)
    {
        const double frames = m_additiveIncrease * static_cast<double>(ack.ackedBytes);
        SetWindow(state,
                  state.windowBytes + frames * info.mtuBytes / state.windowBytes,
                  info,
                  decision);
    }
}

void
DctcpWindow::DoLoss(DctcpWindowState& state,
                    const QueuePairInfo& info,
                    uint64_t,
                    CongestionDecision& decision) const
{
    if (!state.isCut)
    {
        SetWindow(state, state.windowBytes / 2, info, decision);
        state.isCut = true;
    }
}

void
DctcpWindow::DoTimeout(DctcpWindowState& state,
                       const QueuePairInfo& info,
                       uint64_t,
                       CongestionDecision& decision) const
{
    SetWindow(state, info.mtuBytes, info, decision);
    state.isCut = true;
}

} // namespace ns3::llm
