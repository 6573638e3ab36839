// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-loss-recovery.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaLossRecovery);

TypeId
RdmaLossRecovery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaLossRecovery").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

uint32_t
RdmaLossRecovery::GetMaxFrames(const QueuePairInfo&) const
{
    return 0;
}

} // namespace ns3::llm
