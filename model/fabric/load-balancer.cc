// SPDX-License-Identifier: GPL-2.0-only

#include "load-balancer.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(LoadBalancer);
NS_OBJECT_ENSURE_REGISTERED(FlowEcmp);

TypeId
LoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::LoadBalancer").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

TypeId
FlowEcmp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FlowEcmp")
                            .SetParent<LoadBalancer>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FlowEcmp>();
    return tid;
}

uint16_t
FlowEcmp::Choose(const Frame& frame, const std::vector<uint16_t>& ports, uint64_t seed)
{
    return Pick(frame.entropy, ports, seed);
}

} // namespace ns3::llm
