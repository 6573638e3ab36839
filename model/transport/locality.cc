// SPDX-License-Identifier: GPL-2.0-only

#include "locality.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Locality);

TypeId
Locality::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::Locality").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

} // namespace ns3::llm
