// SPDX-License-Identifier: GPL-2.0-only

#include "nscc.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Nscc);

TypeId
Nscc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Nscc")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Nscc>()
            .AddAttribute("TargetShare",
                          "Target queuing delay over base round-trip time (uet-htsim: 1 without "
                          "trimming, 0.75 with it).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Nscc::m_targetShare),
                          MakeDoubleChecker<double>(0.001))
            .AddAttribute("BaseRtt",
                          "Base round-trip time, for all queue pairs alike; 0s: each takes its own "
                          "path's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Nscc::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Gamma",
                          "A cut gives up this times the share of the average delay that exceeds "
                          "the target (uet-htsim: 0.8).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Nscc::m_gamma),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MaxCut",
                          "Largest part of the window that a cut gives up (uet-htsim: 0.5).",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Nscc::m_maxCut),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AverageGain",
                          "Weight of a new delay in the average (uet-htsim: 0.0125).",
                          DoubleValue(0.0125),
                          MakeDoubleAccessor(&Nscc::m_averageGain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MaxWindow",
                          "Largest and first window, in units of the bandwidth-delay product "
                          "(uet-htsim: 1.5).",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&Nscc::m_maxWindow),
                          MakeDoubleChecker<double>(0.01))
            .AddAttribute("ProportionalIncrease",
                          "Frames, at 100 Gb/s and 12 us, per round trip when the whole target is "
                          "missing (uet-htsim: 4).",
                          DoubleValue(4),
                          MakeDoubleAccessor(&Nscc::m_proportional),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("FairIncrease",
                          "Frames, at 100 Gb/s and 12 us, per round trip without marks above the "
                          "target (uet-htsim: 5).",
                          DoubleValue(5),
                          MakeDoubleAccessor(&Nscc::m_fair),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("SteadyIncrease",
                          "eta: frames, at 100 Gb/s and 12 us, per round trip in any case "
                          "(uet-htsim: 0.15).",
                          DoubleValue(0.15),
                          MakeDoubleAccessor(&Nscc::m_steady),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("FastIncrease",
                          "Growth per byte acknowledged without delay, at 100 Gb/s and 12 us "
                          "(uet-htsim: 0.25).",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&Nscc::m_fast),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("FastDelay",
                          "Queuing delay that counts as none (uet-htsim: 1 us).",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&Nscc::m_fastDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("AdaptShare",
                          "Quick adapt if less than this share of the largest window was achieved "
                          "(uet-htsim: 1/8); 0: never.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&Nscc::m_adaptShare),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AdaptDelay",
                          "Quick adapt after a loss or above this delay, in units of the target "
                          "(uet-htsim: 4).",
                          DoubleValue(4),
                          MakeDoubleAccessor(&Nscc::m_adaptDelay),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("FulfilFrames",
                          "The window is adjusted after so many frames or a round trip (uet-htsim: "
                          "8).",
                          UintegerValue(8),
                          MakeUintegerAccessor(&Nscc::m_fulfilFrames),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

NsccParameters
Nscc::GetParameters(const QueuePairInfo& info) const
{
    constexpr double REFERENCE_BYTES = 150000; // 100 Gb/s times 12 us
    constexpr double REFERENCE_TICKS = 12e6;
    NsccParameters p;
    p.baseTicks = info.GetBaseTicks(static_cast<uint64_t>(m_baseRtt.GetPicoSeconds()));
    p.pathBytes = info.lineRateBps * p.baseTicks / 8e12;
    p.maxBytes = m_maxWindow * p.pathBytes;
    p.targetTicks = m_targetShare * p.baseTicks;
    p.scale = p.pathBytes / REFERENCE_BYTES;
    const double frame = info.mtuBytes * p.scale;
    const double delayScale = p.targetTicks / REFERENCE_TICKS; // b
    p.proportional = m_proportional * frame * delayScale / p.targetTicks;
    p.fair = m_fair * frame;
    p.steady = m_steady * frame;
    p.adaptBytes = m_adaptShare * p.maxBytes;
    return p;
}

void
Nscc::DoStart(NsccState& state, const QueuePairInfo& info, CongestionDecision& decision) const
{
    state.windowBytes = GetParameters(info).maxBytes;
    SetDecision(state, info, decision);
}

void
Nscc::SetDecision(NsccState& state, const QueuePairInfo& info, CongestionDecision& decision) const
{
    const double most = GetParameters(info).maxBytes;
    state.windowBytes = std::max<double>(std::min(state.windowBytes, most), info.mtuBytes);
    decision.windowBytes = static_cast<uint64_t>(state.windowBytes);
}

void
Nscc::Average(NsccState& state, double delay, bool isMarked, const NsccParameters& p) const
{
    // late without a mark: the queue is short again already
    const double sample = !isMarked && delay > p.targetTicks ? p.baseTicks / 4 : delay;
    state.averageTicks += m_averageGain * (sample - state.averageTicks);
}

bool
Nscc::Adapt(NsccState& state, uint64_t now, bool isLate, uint64_t inFlight, const NsccParameters& p)
    const
{
    const bool isFirst = state.adaptTicks == 0;
    if (!isFirst && now < state.adaptTicks)
    {
        return false;
    }
    const auto achieved = static_cast<double>(state.achievedBytes);
    const bool isDue = !isFirst && (isLate || state.hasLost) && achieved < p.adaptBytes;
    if (isDue)
    {
        state.windowBytes = std::min(state.windowBytes, achieved);
        state.ignoreBytes = inFlight;
    }
    state.achievedBytes = 0;
    state.hasLost = false;
    state.adaptTicks = now + static_cast<uint64_t>(p.baseTicks + p.targetTicks);
    return isDue;
}

void
Nscc::Grow(NsccState& state, double delay, double acked, const NsccParameters& p) const
{
    const bool isClear = delay < static_cast<double>(m_fastDelay.GetPicoSeconds());
    state.fastBytes = isClear ? state.fastBytes + acked : 0;
    state.isFast = isClear && (state.isFast || state.fastBytes > state.windowBytes);
    if (state.isFast)
    {
        state.windowBytes += m_fast * p.scale * acked;
        return;
    }
    state.increase += p.proportional * acked * (p.targetTicks - delay);
}

void
Nscc::Cut(NsccState& state, uint64_t now, const NsccParameters& p) const
{
    const double excess = state.averageTicks - p.targetTicks;
    if (excess > 0 && static_cast<double>(now - state.cutTicks) > p.baseTicks)
    {
        state.windowBytes *= std::max(1 - m_gamma * excess / state.averageTicks, 1 - m_maxCut);
        state.cutTicks = now;
    }
}

void
Nscc::Fulfil(NsccState& state, uint64_t now, const NsccParameters& p, uint32_t mtu) const
{
    const auto isOver = [&](uint64_t since) // a round trip
    {
        return static_cast<double>(now - since) > p.baseTicks;
    };
    if (state.sinceFulfilBytes >= uint64_t{m_fulfilFrames} * mtu || isOver(state.fulfilTicks))
    {
        state.windowBytes += state.increase / state.windowBytes;
        state.increase = 0;
        state.sinceFulfilBytes = 0;
        state.fulfilTicks = now;
    }
    if (isOver(state.steadyTicks))
    {
        state.windowBytes += p.steady;
        state.steadyTicks = now;
    }
}

void
Nscc::DoAck(NsccState& state,
            const QueuePairInfo& info,
            uint64_t now,
            const AckSignal& ack,
            CongestionDecision& decision) const
{
    const NsccParameters p = GetParameters(info);
    const double delay = std::max(static_cast<double>(ack.rttTicks) - p.baseTicks, 0.0);
    const auto acked = static_cast<double>(ack.ackedBytes);
    state.achievedBytes += ack.ackedBytes;
    const bool isLate = delay > m_adaptDelay * p.targetTicks;
    if (!Adapt(state, now, isLate, ack.inFlightBytes, p))
    {
        if (state.ignoreBytes > 0)
        {
            state.ignoreBytes -= std::min(state.ignoreBytes, ack.ackedBytes);
            return;
        }
        Average(state, delay, ack.ecnEcho, p);
        const bool isBelow = delay < p.targetTicks;
        if (!isBelow || ack.ecnEcho)
        {
            state.fastBytes = 0;
            state.isFast = false;
        }
        if (isBelow && !ack.ecnEcho)
        {
            Grow(state, delay, acked, p);
        }
        else if (!isBelow && !ack.ecnEcho)
        {
            state.increase += p.fair * acked;
        }
        else if (!isBelow)
        {
            Cut(state, now, p);
        }
        state.sinceFulfilBytes += ack.ackedBytes;
        Fulfil(state, now, p, info.mtuBytes);
    }
    SetDecision(state, info, decision);
}

void
Nscc::DoLoss(NsccState& state,
             const QueuePairInfo& info,
             uint64_t,
             CongestionDecision& decision) const
{
    state.hasLost = true;
    state.windowBytes -= info.mtuBytes;
    SetDecision(state, info, decision);
}

void
Nscc::DoTimeout(NsccState& state,
                const QueuePairInfo& info,
                uint64_t,
                CongestionDecision& decision) const
{
    state.hasLost = true;
    state.windowBytes = 0;
    SetDecision(state, info, decision);
}

} // namespace ns3::llm
