// SPDX-License-Identifier: GPL-2.0-only

#include "operator-cost-model.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(OperatorCostModel);

TypeId
OperatorCostModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::OperatorCostModel").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

} // namespace ns3::llm
