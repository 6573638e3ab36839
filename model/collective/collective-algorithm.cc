// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::CollectiveAlgorithm").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

} // namespace ns3::llm
