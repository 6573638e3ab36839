// SPDX-License-Identifier: GPL-2.0-only

#include "go-back-n.h"

#include "send-queue-pair.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(GoBackN);

TypeId
GoBackN::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::GoBackN")
            .SetParent<RdmaLossRecovery>()
            .SetGroupName("LlmFabric")
            .AddConstructor<GoBackN>()
            .AddAttribute("NackInterval",
                          "A gap is reported again by a frame that comes so long after its last "
                          "NACK; 0: once only, as InfiniBand has it. Public code of the HPCC paper "
                          "has 500 us.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&GoBackN::m_nackInterval),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
GoBackN::Configure(RdmaConfig& config) const
{
    config.nackIntervalTicks = static_cast<uint64_t>(m_nackInterval.GetPicoSeconds());
}

bool
GoBackN::OnNack(SendQueuePair& queuePair, uint64_t psn, uint64_t) const
{
    if (psn != queuePair.GetUnackedPsn() || queuePair.IsIdle())
    {
        return false;
    }
    queuePair.GoBack();
    return true;
}

void
GoBackN::OnTimeout(SendQueuePair& queuePair) const
{
    queuePair.GoBack();
}

} // namespace ns3::llm
