// SPDX-License-Identifier: GPL-2.0-only

#include "burst-loss.h"

#include "identity-hash.h"

#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(BurstLoss);

TypeId
BurstLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::BurstLoss")
            .SetParent<FrameLoss>()
            .SetGroupName("LlmFabric")
            .AddConstructor<BurstLoss>()
            .AddAttribute("GoodRate",
                          "Probability that a frame is lost while the link is good.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&BurstLoss::m_goodRate),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("BadRate",
                          "Probability that a frame is lost while the link is bad.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&BurstLoss::m_badRate),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("GoodTime",
                          "Mean time that a link stays good.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&BurstLoss::m_goodTime),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("BadTime",
                          "Mean time that a link stays bad.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&BurstLoss::m_badTime),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

void
BurstLoss::DoBegin()
{
    const double good = m_goodTime.GetDouble();
    const double bad = m_badTime.GetDouble();
    // the first stay begins as the long run has it; BeginStay() turns this around
    m_isBad = HashToUnit(MixHash(GetSeed(), m_stays++)) >= bad / (good + bad);
    BeginStay();
}

void
BurstLoss::BeginStay()
{
    m_isBad = !m_isBad;
    const double mean = static_cast<double>((m_isBad ? m_badTime : m_goodTime).GetPicoSeconds());
    const double ticks = -mean * std::log1p(-HashToUnit(MixHash(GetSeed(), m_stays++)));
    m_untilTick += std::max<uint64_t>(static_cast<uint64_t>(ticks), 1);
}

bool
BurstLoss::DoIsLost(const Frame& frame, uint64_t tick)
{
    while (tick >= m_untilTick)
    {
        BeginStay();
    }
    return Draw(frame, tick) < (m_isBad ? m_badRate : m_goodRate);
}

} // namespace ns3::llm
