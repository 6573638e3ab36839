// SPDX-License-Identifier: GPL-2.0-only

#include "timely.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Timely);

TypeId
Timely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Timely")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Timely>()
            .AddAttribute("Patched",
                          "The patch of Zhu et al., with a fixed point (paper: CoNEXT "
                          "2016), else the original.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Timely::m_isPatched),
                          MakeBooleanChecker())
            .AddAttribute("InitialShare",
                          "First rate, as a share of the line rate (HPCC's simulator: 1; paper: 1 "
                          "over the flows of the host).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Timely::m_initialShare),
                          MakeDoubleChecker<double>(1e-6, 1.0))
            .AddAttribute("Gain",
                          "Weight of the new difference of round-trip times (paper and HPCC's "
                          "simulator: 0.875; eRPC: 0.46).",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&Timely::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Beta",
                          "beta of the original (paper: 0.8; eRPC: 0.26).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Timely::m_beta),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("PatchedBeta",
                          "beta of the patch (its paper: 0.008).",
                          DoubleValue(0.008),
                          MakeDoubleAccessor(&Timely::m_patchedBeta),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("LowThreshold",
                          "Tlow, above the base round-trip time (paper: 50 us).",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&Timely::m_low),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("HighThreshold",
                          "Thigh (paper: 500 us; eRPC: 1000 us).",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&Timely::m_high),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("MinRtt",
                          "What the gradient is a share of (paper: 20 us; eRPC: 2 us); 0s: the "
                          "path's base round-trip time.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&Timely::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("AdditiveIncrease",
                          "delta at the reference rate (paper: 10 Mb/s at 10 Gb/s; eRPC: 40 Mb/s).",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&Timely::m_additiveIncrease),
                          MakeDataRateChecker())
            .AddAttribute("HyperThreshold",
                          "From so many updates in a row without a rising gradient on, steps are "
                          "larger (paper: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Timely::m_hyperThreshold),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperFactor",
                          "Such a step, in units of delta (paper: 5).",
                          DoubleValue(5),
                          MakeDoubleAccessor(&Timely::m_hyperFactor),
                          MakeDoubleChecker<double>(1.0))
            .AddAttribute("MaxCut",
                          "Largest part of the rate given up by an update (paper: 1; eRPC: 0.5).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Timely::m_maxCut),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MinRate",
                          "Lowest rate, at the reference rate (ours: delta).",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&Timely::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("ReferenceRate",
                          "delta and the lowest rate grow with the line rate over this one (HPCC's "
                          "simulator: 10 Gb/s); 0bps: they do not (paper).",
                          DataRateValue(DataRate("10Gbps")),
                          MakeDataRateAccessor(&Timely::m_referenceRate),
                          MakeDataRateChecker())
            .AddAttribute("SegmentSize",
                          "An update follows so much acknowledged payload, bytes (paper: 16 to 64 "
                          "KB); 0: one per round trip (HPCC's simulator).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Timely::m_segmentBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("SubtractSerialization",
                          "Take the frame's own time on the NIC's link out of the round-trip time "
                          "(paper).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Timely::m_subtract),
                          MakeBooleanChecker());
    return tid;
}

void
Timely::DoStart(TimelyState&, const QueuePairInfo& info, CongestionDecision& decision) const
{
    if (m_low > m_high)
    {
        std::ostringstream text;
        text << "LowThreshold " << m_low.As(Time::US) << " lies above HighThreshold "
             << m_high.As(Time::US) << " of Timely";
        RefuseInput(text.str());
    }
    decision.rateBps = m_initialShare * info.lineRateBps;
}

bool
Timely::IsDue(TimelyState& state, const AckSignal& ack) const
{
    state.ackedBytes += ack.ackedBytes;
    const bool isDue =
        m_segmentBytes == 0 ? ack.ackedPsn > state.roundEndPsn : state.ackedBytes >= m_segmentBytes;
    if (isDue)
    {
        state.ackedBytes = 0;
        state.roundEndPsn = ack.nextPsn;
    }
    return isDue;
}

double
Timely::MeasureRtt(const QueuePairInfo& info, const AckSignal& ack) const
{
    const auto rtt = static_cast<double>(ack.rttTicks);
    if (!m_subtract)
    {
        return rtt;
    }
    const auto payload = std::min<uint64_t>(ack.ackedBytes, info.mtuBytes);
    const auto wire = static_cast<double>(payload + info.frameOverheadBytes);
    return std::max(rtt - 8e12 * wire / info.lineRateBps, 1.0);
}

double
Timely::FollowGradient(TimelyState& state, double gradient, double step, double rate) const
{
    if (gradient > 0)
    {
        state.flatUpdates = 0;
        return rate * (1 - std::min(m_beta * gradient, m_maxCut));
    }
    ++state.flatUpdates;
    return rate + (state.flatUpdates >= m_hyperThreshold ? m_hyperFactor * step : step);
}

double
Timely::FollowBoth(double gradient, double excess, double step, double rate) const
{
    const double weight = std::min(std::max(2 * gradient + 0.5, 0.0), 1.0);
    return rate * (1 - std::min(m_patchedBeta * weight * excess, m_maxCut)) + step * (1 - weight);
}

void
Timely::DoAck(TimelyState& state,
              const QueuePairInfo& info,
              uint64_t,
              const AckSignal& ack,
              CongestionDecision& decision) const
{
    if (!IsDue(state, ack))
    {
        return;
    }
    const double rtt = MeasureRtt(info, ack);
    const double difference = state.hasRtt ? rtt - state.rttTicks : 0;
    const bool isFirst = !state.hasRtt;
    state.rttDiffTicks = (1 - m_gain) * state.rttDiffTicks + m_gain * difference;
    state.rttTicks = rtt;
    state.hasRtt = true;
    if (isFirst)
    {
        return;
    }
    const double minRtt = m_minRtt.IsZero() ? static_cast<double>(info.baseRttTicks)
                                            : static_cast<double>(m_minRtt.GetPicoSeconds());
    const double gradient = state.rttDiffTicks / minRtt;
    const auto low = static_cast<double>(m_low.GetPicoSeconds());
    const auto high = static_cast<double>(m_high.GetPicoSeconds());
    const auto reference = static_cast<double>(m_referenceRate.GetBitRate());
    const double scale = reference > 0 ? info.lineRateBps / reference : 1;
    const double step = scale * static_cast<double>(m_additiveIncrease.GetBitRate());
    double rate = std::min(decision.rateBps, info.lineRateBps);
    if (rtt < low)
    {
        state.flatUpdates = 0;
        rate += step;
    }
    else if (rtt > high)
    {
        state.flatUpdates = 0;
        rate *= 1 - std::min(Beta() * (1 - high / rtt), m_maxCut);
    }
    else if (m_isPatched)
    {
        rate = FollowBoth(gradient, (rtt - low) / low, step, rate);
    }
    else
    {
        rate = FollowGradient(state, gradient, step, rate);
    }
    const double least = scale * static_cast<double>(m_minRate.GetBitRate());
    decision.rateBps = std::min(std::max(rate, least), info.lineRateBps);
}

} // namespace ns3::llm
