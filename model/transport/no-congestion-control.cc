// SPDX-License-Identifier: GPL-2.0-only

#include "no-congestion-control.h"

#include "ns3/uinteger.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(NoCongestionControl);

TypeId
NoCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::NoCongestionControl")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<NoCongestionControl>()
            .AddAttribute("Window",
                          "Cap on a queue pair's unacknowledged payload, bytes; 0: no "
                          "cap (ours).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NoCongestionControl::m_windowBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

void
NoCongestionControl::DoStart(NoCongestionState&,
                             const QueuePairInfo&,
                             CongestionDecision& decision) const
{
    if (m_windowBytes != 0)
    {
        decision.windowBytes = m_windowBytes;
    }
}

} // namespace ns3::llm
