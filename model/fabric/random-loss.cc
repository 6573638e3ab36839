// SPDX-License-Identifier: GPL-2.0-only

#include "random-loss.h"

#include "ns3/double.h"

#include <cmath>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RandomLoss);
NS_OBJECT_ENSURE_REGISTERED(BitErrorLoss);

TypeId
RandomLoss::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RandomLoss")
                            .SetParent<FrameLoss>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<RandomLoss>()
                            .AddAttribute("Rate",
                                          "Probability that a frame is lost on a link.",
                                          DoubleValue(0.001),
                                          MakeDoubleAccessor(&RandomLoss::m_rate),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

bool
RandomLoss::DoIsLost(const Frame& frame, uint64_t tick)
{
    return Draw(frame, tick) < m_rate;
}

TypeId
BitErrorLoss::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::BitErrorLoss")
                            .SetParent<FrameLoss>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<BitErrorLoss>()
                            .AddAttribute("Rate",
                                          "Probability that a bit is wrong after error correction "
                                          "(Ethernet asks for 1e-12 or less).",
                                          DoubleValue(1e-12),
                                          MakeDoubleAccessor(&BitErrorLoss::m_rate),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

bool
BitErrorLoss::DoIsLost(const Frame& frame, uint64_t tick)
{
    return Draw(frame, tick) < -std::expm1(8.0 * frame.wireBytes * std::log1p(-m_rate));
}

} // namespace ns3::llm
