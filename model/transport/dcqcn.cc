// SPDX-License-Identifier: GPL-2.0-only

#include "dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

TypeId
Dcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Dcqcn")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Dcqcn>()
            .AddAttribute("Gain",
                          "g, weight of new information in alpha (paper: 1/256).",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&Dcqcn::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha of a new queue pair (paper: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Dcqcn::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AlphaInterval",
                          "alpha decays once per interval without a CNP (paper: 55 us).",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&Dcqcn::m_alphaInterval),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("IncreaseInterval",
                          "T, period of the increase timer (paper: 55 us).",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&Dcqcn::m_increaseInterval),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("ByteCounter",
                          "B, acknowledged payload per increase event, bytes (paper: 10 MB).",
                          UintegerValue(10000000),
                          MakeUintegerAccessor(&Dcqcn::m_byteCounter),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Threshold",
                          "F: fast recovery below this stage, hyper increase when timer and byte "
                          "counter have both reached it (paper: 5). A simulator that asks for "
                          "stages beyond F has our F + 1.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Dcqcn::m_threshold),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("AdditiveIncrease",
                          "R_AI at the reference rate (paper: 40 Mb/s at 40 Gb/s).",
                          DataRateValue(DataRate("40Mbps")),
                          MakeDataRateAccessor(&Dcqcn::m_additiveIncrease),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "R_HAI at the reference rate (authors' simulator: 200 Mb/s at 40 Gb/s); "
                          "see HyperGrows.",
                          DataRateValue(DataRate("200Mbps")),
                          MakeDataRateAccessor(&Dcqcn::m_hyperIncrease),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Lowest rate, at the reference rate (ours: R_AI; HPCC's "
                          "settings for a device: 1 Gb/s).",
                          DataRateValue(DataRate("40Mbps")),
                          MakeDataRateAccessor(&Dcqcn::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("ReferenceRate",
                          "R_AI, R_HAI and the lowest rate grow with the line rate "
                          "over this one (paper: its links have 40 Gb/s); 0bps: they "
                          "do not.",
                          DataRateValue(DataRate("40Gbps")),
                          MakeDataRateAccessor(&Dcqcn::m_referenceRate),
                          MakeDataRateChecker())
            .AddAttribute("CutFirst",
                          "A CNP cuts by the alpha of before (paper); else alpha rises first "
                          "(authors' simulator).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Dcqcn::m_cutFirst),
                          MakeBooleanChecker())
            .AddAttribute("PhaseOfEvent",
                          "Fast recovery while the counter that has just expired is below F "
                          "(authors' simulator), else while both are (paper).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Dcqcn::m_phaseOfEvent),
                          MakeBooleanChecker())
            .AddAttribute("HyperGrows",
                          "The n-th hyper increase in a row adds n R_HAI, n counted by the lower "
                          "stage (paper), else R_HAI each time (HPCC's simulator).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Dcqcn::m_hyperGrows),
                          MakeBooleanChecker())
            .AddAttribute("VariableWindow",
                          "Cap what is in flight at the bandwidth-delay product times rate over "
                          "line rate (HPCC's simulator, variable window); else no cap (paper).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Dcqcn::m_window),
                          MakeBooleanChecker());
    return tid;
}

double
Dcqcn::Scale(const QueuePairInfo& info) const
{
    const auto reference = static_cast<double>(m_referenceRate.GetBitRate());
    return reference > 0 ? info.lineRateBps / reference : 1;
}

void
Dcqcn::DoStart(DcqcnState& state, const QueuePairInfo& info, CongestionDecision& decision) const
{
    state.alpha = m_initialAlpha;
    state.targetBps = info.lineRateBps;
    decision.rateBps = info.lineRateBps;
    SetWindow(info, decision);
}

void
Dcqcn::SetWindow(const QueuePairInfo& info, CongestionDecision& decision) const
{
    if (m_window)
    {
        decision.windowBytes =
            static_cast<uint64_t>(info.GetPathBytes() * decision.rateBps / info.lineRateBps);
    }
}

void
Dcqcn::DecayAlpha(DcqcnState& state, uint64_t now) const
{
    const auto interval = static_cast<uint64_t>(m_alphaInterval.GetPicoSeconds());
    const uint64_t periods = (now - state.alphaTicks) / interval;
    state.alpha *= std::pow(1 - m_gain, static_cast<double>(periods));
    state.alphaTicks += periods * interval;
}

void
Dcqcn::DoCnp(DcqcnState& state,
             const QueuePairInfo& info,
             uint64_t now,
             CongestionDecision& decision) const
{
    if (state.isReduced)
    {
        DecayAlpha(state, now);
    }
    const double raised = (1 - m_gain) * state.alpha + m_gain;
    const double alpha = m_cutFirst ? state.alpha : raised;
    state.targetBps = decision.rateBps;
    decision.rateBps = std::max(decision.rateBps * (1 - alpha / 2),
                                static_cast<double>(m_minRate.GetBitRate()) * Scale(info));
    SetWindow(info, decision);
    state.alpha = raised;
    state.alphaTicks = now;
    state.timerTicks = now;
    state.ackedBytes = 0;
    state.timerStage = 0;
    state.byteStage = 0;
    state.isReduced = true;
    SetDeadline(state, decision);
}

void
Dcqcn::Increase(DcqcnState& state,
                uint32_t own,
                uint32_t other,
                const QueuePairInfo& info,
                CongestionDecision& decision) const
{
    const double scale = Scale(info);
    const uint32_t least = std::min(own, other);
    if (least >= m_threshold)
    {
        const uint32_t beyond = m_hyperGrows ? least - m_threshold + 1 : 1;
        state.targetBps += beyond * scale * static_cast<double>(m_hyperIncrease.GetBitRate());
    }
    else if ((m_phaseOfEvent ? own : std::max(own, other)) >= m_threshold)
    {
        state.targetBps += scale * static_cast<double>(m_additiveIncrease.GetBitRate());
    }
    state.targetBps = std::min(state.targetBps, info.lineRateBps);
    decision.rateBps = (decision.rateBps + state.targetBps) / 2;
    // within a millionth of the line the rate is the line's: the timer may rest
    if (decision.rateBps >= info.lineRateBps * (1 - 1e-6))
    {
        decision.rateBps = info.lineRateBps;
    }
    SetWindow(info, decision);
}

void
Dcqcn::SetDeadline(const DcqcnState& state, CongestionDecision& decision) const
{
    decision.deadlineTicks =
        state.timerTicks + static_cast<uint64_t>(m_increaseInterval.GetPicoSeconds());
}

void
Dcqcn::DoDeadline(DcqcnState& state,
                  const QueuePairInfo& info,
                  uint64_t now,
                  CongestionDecision& decision) const
{
    const auto interval = static_cast<uint64_t>(m_increaseInterval.GetPicoSeconds());
    while (now - state.timerTicks >= interval)
    {
        state.timerTicks += interval;
        ++state.timerStage;
        Increase(state, state.timerStage, state.byteStage, info, decision);
        if (decision.rateBps >= info.lineRateBps)
        {
            decision.deadlineTicks = CongestionDecision::NEVER;
            return;
        }
    }
    SetDeadline(state, decision);
}

void
Dcqcn::DoAck(DcqcnState& state,
             const QueuePairInfo& info,
             uint64_t,
             const AckSignal& ack,
             CongestionDecision& decision) const
{
    if (!state.isReduced || decision.rateBps >= info.lineRateBps)
    {
        return;
    }
    state.ackedBytes += ack.ackedBytes;
    while (state.ackedBytes >= m_byteCounter)
    {
        state.ackedBytes -= m_byteCounter;
        ++state.byteStage;
        Increase(state, state.byteStage, state.timerStage, info, decision);
    }
}

} // namespace ns3::llm
