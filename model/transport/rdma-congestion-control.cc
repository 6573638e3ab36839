// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-congestion-control.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionControl);

TypeId
RdmaCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaCongestionControl").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

} // namespace ns3::llm
