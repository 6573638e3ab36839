// SPDX-License-Identifier: GPL-2.0-only

#include "ideal-fair-share.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(IdealFairShare);

TypeId
IdealFairShare::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::IdealFairShare")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<IdealFairShare>()
            .AddAttribute("Utilization",
                          "Part of a link's rate that its flows share, headers and "
                          "acknowledgments included; below 1 a queue drains (ours: 0.99).",
                          DoubleValue(0.99),
                          MakeDoubleAccessor(&IdealFairShare::m_utilization),
                          MakeDoubleChecker<double>(0.01, 1.0));
    return tid;
}

void
IdealFairShare::DoShare(IdealFairShareState&,
                        const QueuePairInfo& info,
                        uint64_t,
                        double shareBps,
                        CongestionDecision& decision) const
{
    // a share of everything is rounded down to nothing only where more flows share a bit than it has
    decision.rateBps = m_utilization * std::clamp(shareBps, 1.0, info.lineRateBps);
}

} // namespace ns3::llm
