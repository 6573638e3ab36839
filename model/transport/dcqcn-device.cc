// SPDX-License-Identifier: GPL-2.0-only

#include "dcqcn-device.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(DcqcnDevice);

TypeId
DcqcnDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::DcqcnDevice")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<DcqcnDevice>()
            .AddAttribute("Gain",
                          "g, weight of a slice in alpha (HPCC's simulator: 1/256; ConnectX "
                          "DCE_TCP_G: 5/1024).",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&DcqcnDevice::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha at the first CNP (HPCC's simulator: 1; ConnectX INITIAL_ALPHA: "
                          "1023/1024).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DcqcnDevice::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AlphaInterval",
                          "Slice after which alpha is updated (ConnectX DCE_TCP_RTT: 1 us).",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&DcqcnDevice::m_alphaInterval),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("CutInterval",
                          "Slice after which the rate is cut if it saw a CNP (ConnectX "
                          "RATE_REDUCE_MONITOR_PERIOD: 4 us).",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&DcqcnDevice::m_cutInterval),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("IncreaseInterval",
                          "Period of the increase timer (ConnectX RPG_TIME_RESET: 300 us).",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&DcqcnDevice::m_increaseInterval),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("Threshold",
                          "F: the first F increases after a cut halve the gap to the target, the "
                          "next is additive, those after it hyper (ConnectX RPG_THRESHOLD: 1).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&DcqcnDevice::m_threshold),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "MinCutFactor",
                "A cut leaves at least this part of the rate (ConnectX MIN_DEC_FAC: 0.5).",
                DoubleValue(0.5),
                MakeDoubleAccessor(&DcqcnDevice::m_minCutFactor),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("FirstCnpFactor",
                          "The first CNP sets the rate to this part of it (HPCC's simulator, "
                          "RateOnFirstCnp: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DcqcnDevice::m_firstCnpFactor),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("ClampTarget",
                          "Each cut sets the target to the rate, else only the first after an "
                          "increase (ConnectX CLAMP_TGT_RATE: 0).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnDevice::m_clampTarget),
                          MakeBooleanChecker())
            .AddAttribute("AdditiveIncrease",
                          "R_AI at the reference rate (HPCC's settings: 5 Mb/s at 25 Gb/s).",
                          DataRateValue(DataRate("5Mbps")),
                          MakeDataRateAccessor(&DcqcnDevice::m_additiveIncrease),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "R_HAI at the reference rate (HPCC's settings: 50 Mb/s at 25 Gb/s).",
                          DataRateValue(DataRate("50Mbps")),
                          MakeDataRateAccessor(&DcqcnDevice::m_hyperIncrease),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Lowest rate, whatever the line (HPCC's settings: 1 Gb/s; ConnectX: 1 "
                          "Mb/s).",
                          DataRateValue(DataRate("1Gbps")),
                          MakeDataRateAccessor(&DcqcnDevice::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("ReferenceRate",
                          "R_AI and R_HAI grow with the line rate over this one "
                          "(HPCC's settings: 25 Gb/s); 0bps: they do not.",
                          DataRateValue(DataRate("25Gbps")),
                          MakeDataRateAccessor(&DcqcnDevice::m_referenceRate),
                          MakeDataRateChecker())
            .AddAttribute("VariableWindow",
                          "Cap what is in flight at the bandwidth-delay product times rate over "
                          "line rate (HPCC's simulator), else no cap.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnDevice::m_window),
                          MakeBooleanChecker());
    return tid;
}

double
DcqcnDevice::Scale(const QueuePairInfo& info) const
{
    const auto reference = static_cast<double>(m_referenceRate.GetBitRate());
    return reference > 0 ? info.lineRateBps / reference : 1;
}

void
DcqcnDevice::SetRate(double rate, const QueuePairInfo& info, CongestionDecision& decision) const
{
    const auto least = static_cast<double>(m_minRate.GetBitRate());
    decision.rateBps = std::min(std::max(rate, least), info.lineRateBps);
    if (m_window)
    {
        decision.windowBytes =
            static_cast<uint64_t>(info.GetPathBytes() * decision.rateBps / info.lineRateBps);
    }
}

uint64_t
DcqcnDevice::TimerEnd(const DcqcnDeviceState& state) const
{
    return state.isTimed
               ? state.timerTicks + static_cast<uint64_t>(m_increaseInterval.GetPicoSeconds())
               : CongestionDecision::NEVER;
}

void
DcqcnDevice::DoStart(DcqcnDeviceState& state,
                     const QueuePairInfo& info,
                     CongestionDecision& decision) const
{
    state.targetBps = info.lineRateBps;
    SetRate(info.lineRateBps, info, decision);
}

void
DcqcnDevice::UpdateAlpha(DcqcnDeviceState& state, uint64_t now) const
{
    const auto interval = static_cast<uint64_t>(m_alphaInterval.GetPicoSeconds());
    const uint64_t slices = (now - state.alphaTicks) / interval;
    if (slices == 0)
    {
        return;
    }
    // only the first of them can have seen a CNP: each CNP comes here first
    const double first = (1 - m_gain) * state.alpha + (state.isAlphaMarked ? m_gain : 0);
    state.alpha = first * std::pow(1 - m_gain, static_cast<double>(slices - 1));
    state.alphaTicks += slices * interval;
    state.isAlphaMarked = false;
}

void
DcqcnDevice::DoCnp(DcqcnDeviceState& state,
                   const QueuePairInfo& info,
                   uint64_t now,
                   CongestionDecision& decision) const
{
    if (state.hasSeenCnp)
    {
        UpdateAlpha(state, now);
        state.isAlphaMarked = true;
    }
    else
    {
        state.hasSeenCnp = true;
        state.alpha = m_initialAlpha;
        state.firstTicks = now;
        state.alphaTicks = now;
        SetRate(decision.rateBps * m_firstCnpFactor, info, decision);
        state.targetBps = decision.rateBps;
    }
    if (state.cutTicks == CongestionDecision::NEVER)
    {
        const auto interval = static_cast<uint64_t>(m_cutInterval.GetPicoSeconds());
        state.cutTicks = now + interval - (now - state.firstTicks) % interval;
        decision.deadlineTicks = std::min(state.cutTicks, TimerEnd(state));
    }
}

void
DcqcnDevice::Cut(DcqcnDeviceState& state,
                 const QueuePairInfo& info,
                 uint64_t now,
                 CongestionDecision& decision) const
{
    UpdateAlpha(state, now);
    if (m_clampTarget || state.stage > 0)
    {
        state.targetBps = decision.rateBps;
    }
    SetRate(decision.rateBps * std::max(1 - state.alpha / 2, m_minCutFactor), info, decision);
    state.stage = 0;
    state.timerTicks = now;
    state.isTimed = true;
    state.cutTicks = CongestionDecision::NEVER;
}

void
DcqcnDevice::Increase(DcqcnDeviceState& state,
                      const QueuePairInfo& info,
                      CongestionDecision& decision) const
{
    if (state.stage >= m_threshold)
    {
        const DataRate& step = state.stage == m_threshold ? m_additiveIncrease : m_hyperIncrease;
        state.targetBps += Scale(info) * static_cast<double>(step.GetBitRate());
        state.targetBps = std::min(state.targetBps, info.lineRateBps);
    }
    ++state.stage;
    const double rate = (decision.rateBps + state.targetBps) / 2;
    // within a millionth of the line the rate is the line's: the timer may rest
    state.isTimed = rate < info.lineRateBps * (1 - 1e-6);
    SetRate(state.isTimed ? rate : info.lineRateBps, info, decision);
}

void
DcqcnDevice::DoDeadline(DcqcnDeviceState& state,
                        const QueuePairInfo& info,
                        uint64_t now,
                        CongestionDecision& decision) const
{
    uint64_t next = std::min(state.cutTicks, TimerEnd(state));
    while (next <= now)
    {
        if (next == state.cutTicks)
        {
            Cut(state, info, next, decision);
        }
        else
        {
            state.timerTicks = next;
            Increase(state, info, decision);
        }
        next = std::min(state.cutTicks, TimerEnd(state));
    }
    decision.deadlineTicks = next;
}

} // namespace ns3::llm
