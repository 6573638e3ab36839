// SPDX-License-Identifier: GPL-2.0-only

#include "locality.h"

#include "ns3/abort.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Locality);

TypeId
Locality::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::Locality").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

InSwitchReduction
Locality::GetInSwitchReduction(const std::vector<uint32_t>&) const
{
    return {InSwitchReduction::NONE, "the fabric has no switches that reduce"};
}

GroupPath
Locality::GetGroupPath(const std::vector<uint32_t>&, uint32_t, uint32_t, uint32_t) const
{
    NS_ABORT_MSG("a fabric without reduction in switches was asked for a way of one");
}

} // namespace ns3::llm
