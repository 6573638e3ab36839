// SPDX-License-Identifier: GPL-2.0-only

#include "single-switch-helper.h"

#include "ns3/input-error.h"
#include "ns3/node.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(SingleSwitchHelper);

TypeId
SingleSwitchHelper::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::SingleSwitchHelper")
                            .SetParent<TopologyHelper>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<SingleSwitchHelper>();
    return tid;
}

std::string
SingleSwitchHelper::GetTopologyName() const
{
    return "single-switch";
}

bool
SingleSwitchHelper::JoinsRails() const
{
    return true;
}

void
SingleSwitchHelper::Check() const
{
    if (GetAccelerators() > UINT16_MAX)
    {
        RefuseInput("Accelerators " + std::to_string(GetAccelerators()) +
                    ": one switch has at most 65535 ports");
    }
}

uint32_t
SingleSwitchHelper::GetNicPlace(uint32_t accelerator) const
{
    return accelerator;
}

void
SingleSwitchHelper::ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics)
{
    const uint32_t middle = network->AddSwitch(CreateObject<Node>(), 0, 0, "switch");
    for (const uint32_t nic : nics)
    {
        ConnectNic(network, nic, middle);
    }
}

} // namespace ns3::llm
