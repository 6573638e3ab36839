// SPDX-License-Identifier: GPL-2.0-only

#include "swift.h"

#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Swift);

TypeId
Swift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Swift")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Swift>()
            .AddAttribute("AdditiveIncrease",
                          "ai, frames per round trip (uet-htsim: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Swift::m_additiveIncrease),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute(
                "Beta",
                "A cut gives up this times the share of the delay that exceeds the target "
                "(uet-htsim: 0.8).",
                DoubleValue(0.8),
                MakeDoubleAccessor(&Swift::m_beta),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute(
                "MaxCut",
                "max_mdf, the largest part of a window given up at once (uet-htsim: 0.5).",
                DoubleValue(0.5),
                MakeDoubleAccessor(&Swift::m_maxCut),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("BaseTarget",
                          "Target delay of the fabric, base round-trip time included (paper: 25 us "
                          "saturate its fabric; uet-htsim: 20 us).",
                          TimeValue(MicroSeconds(25)),
                          MakeTimeAccessor(&Swift::m_baseTarget),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("HopTarget",
                          "What each switch of the forward path adds to it (uet-htsim: base / "
                          "6.55); not applied where the number of switches is unknown.",
                          TimeValue(NanoSeconds(3817)),
                          MakeTimeAccessor(&Swift::m_hopTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingRange",
                          "fs_range, the most that flow scaling adds to it (uet-htsim: 5 base).",
                          TimeValue(MicroSeconds(125)),
                          MakeTimeAccessor(&Swift::m_flowRange),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingMin",
                          "fs_min, window in frames at which flow scaling adds all of "
                          "its range (uet-htsim: 0.1).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&Swift::m_flowMin),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FlowScalingMax",
                          "fs_max, window in frames from which on flow scaling adds "
                          "nothing (uet-htsim: 100).",
                          DoubleValue(100),
                          MakeDoubleAccessor(&Swift::m_flowMax),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("EndpointTarget",
                          "Target delay of the receiving host (paper, one test: 100 us).",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&Swift::m_endpointTarget),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("EndpointGain",
                          "Weight of a new delay of the receiving host in its average "
                          "(ours).",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&Swift::m_endpointGain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MinWindow",
                          "Smallest window, frames (paper: 0.001).",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&Swift::m_minWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("MaxWindow",
                          "Largest window, frames; 0: what the line sends in the base "
                          "target or in the base round-trip time, whichever is more "
                          "(ours).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Swift::m_maxWindow),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("MaxTimeouts",
                          "After so many timeouts in a row the window is the smallest (uet-htsim: "
                          "5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Swift::m_maxTimeouts),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

double
Swift::GetFlowScaling(double frames) const
{
    const auto range = static_cast<double>(m_flowRange.GetPicoSeconds());
    const double alpha = range / (1 / std::sqrt(m_flowMin) - 1 / std::sqrt(m_flowMax));
    const double beta = -alpha / std::sqrt(m_flowMax);
    return std::max(0.0, std::min(alpha / std::sqrt(frames) + beta, range));
}

void
Swift::DoStart(SwiftState& state, const QueuePairInfo& info, CongestionDecision& decision) const
{
    if (m_flowMin >= m_flowMax)
    {
        RefuseInput("FlowScalingMin " + std::to_string(m_flowMin) +
                    " of Swift must lie below FlowScalingMax " + std::to_string(m_flowMax));
    }
    state.fabric.frames = info.GetPathBytes() / info.mtuBytes;
    state.endpoint.frames = state.fabric.frames;
    state.rttTicks = info.baseRttTicks;
    SetDecision(state, info, decision);
}

void
Swift::SetDecision(SwiftState& state, const QueuePairInfo& info, CongestionDecision& decision) const
{
    double most = m_maxWindow;
    if (most == 0)
    {
        const auto base = static_cast<double>(info.baseRttTicks);
        const double ticks = std::max(static_cast<double>(m_baseTarget.GetPicoSeconds()), base);
        most = info.GetPathBytes() * ticks / base / info.mtuBytes;
    }
    for (SwiftState::Window* window : {&state.fabric, &state.endpoint})
    {
        window->frames = std::max(std::min(window->frames, most), m_minWindow);
    }
    const double frames = std::min(state.fabric.frames, state.endpoint.frames);
    decision.rateBps = info.lineRateBps;
    decision.windowBytes = static_cast<uint64_t>(frames * info.mtuBytes);
    if (frames < 1)
    {
        const double wireBits = 8.0 * (info.mtuBytes + info.frameOverheadBytes);
        decision.rateBps = std::min(wireBits * frames * 1e12 / static_cast<double>(state.rttTicks),
                                    info.lineRateBps);
    }
}

void
Swift::Cut(SwiftState::Window& window, double factor, uint64_t now, uint64_t rtt) const
{
    if (!window.hasBeenCut || now - window.cutTicks >= rtt)
    {
        window.frames *= factor;
        window.cutTicks = now;
        window.hasBeenCut = true;
    }
}

void
Swift::React(SwiftState::Window& window,
             double delay,
             double target,
             double acked,
             uint64_t now,
             uint64_t rtt) const
{
    if (delay < target)
    {
        window.frames += m_additiveIncrease * acked / std::max(window.frames, 1.0);
        return;
    }
    Cut(window, std::max(1 - m_beta * (delay - target) / delay, 1 - m_maxCut), now, rtt);
}

void
Swift::DoAck(SwiftState& state,
             const QueuePairInfo& info,
             uint64_t now,
             const AckSignal& ack,
             CongestionDecision& decision) const
{
    state.timeouts = 0;
    state.rttTicks = ack.rttTicks;
    const auto remote = static_cast<double>(ack.remoteDelayTicks);
    state.endpointTicks += m_endpointGain * (remote - state.endpointTicks);
    const double target = static_cast<double>(m_baseTarget.GetPicoSeconds()) +
                          ack.forwardHops * static_cast<double>(m_hopTarget.GetPicoSeconds()) +
                          GetFlowScaling(state.fabric.frames);
    const double acked = static_cast<double>(ack.ackedBytes) / info.mtuBytes;
    const double delay = static_cast<double>(ack.rttTicks) - remote;
    React(state.fabric, delay, target, acked, now, ack.rttTicks);
    React(state.endpoint,
          state.endpointTicks,
          static_cast<double>(m_endpointTarget.GetPicoSeconds()),
          acked,
          now,
          ack.rttTicks);
    SetDecision(state, info, decision);
}

void
Swift::DoLoss(SwiftState& state,
              const QueuePairInfo& info,
              uint64_t now,
              CongestionDecision& decision) const
{
    state.timeouts = 0;
    Cut(state.fabric, 1 - m_maxCut, now, state.rttTicks);
    Cut(state.endpoint, 1 - m_maxCut, now, state.rttTicks);
    SetDecision(state, info, decision);
}

void
Swift::DoTimeout(SwiftState& state,
                 const QueuePairInfo& info,
                 uint64_t now,
                 CongestionDecision& decision) const
{
    if (++state.timeouts >= m_maxTimeouts)
    {
        state.fabric.frames = m_minWindow;
        state.endpoint.frames = m_minWindow;
    }
    else
    {
        Cut(state.fabric, 1 - m_maxCut, now, state.rttTicks);
        Cut(state.endpoint, 1 - m_maxCut, now, state.rttTicks);
    }
    SetDecision(state, info, decision);
}

} // namespace ns3::llm
