// SPDX-License-Identifier: GPL-2.0-only

#include "message-transport.h"

#include "ns3/abort.h"
#include "ns3/input-error.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(MessageTransport);

TypeId
MessageTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::MessageTransport").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

uint32_t
MessageTransport::MakeGroup(uint32_t, const std::vector<uint32_t>&)
{
    RefuseInput(GetInstanceTypeId().GetName() + ": no switch reduces for this transport");
}

void
MessageTransport::Reduce(uint32_t, const Message&)
{
    NS_ABORT_MSG("a transport without reduction groups was asked to reduce");
}

void
MessageTransport::Multicast(uint32_t, const Message&)
{
    NS_ABORT_MSG("a transport without reduction groups was asked to multicast");
}

void
MessageTransport::SetOwner(uint32_t owner, MessageCallback delivered, MessageCallback acknowledged)
{
    NS_ABORT_MSG_IF(owner >= MAX_OWNERS,
                    "message owner " << owner << " is not below " << MAX_OWNERS);
    m_owners[owner] = {delivered, acknowledged};
}

void
MessageTransport::NotifyDelivered(const Message& message) const
{
    const auto owner = m_owners.find(message.owner);
    if (owner != m_owners.end() && !owner->second.delivered.IsNull())
    {
        owner->second.delivered(message);
    }
}

void
MessageTransport::NotifyAcknowledged(const Message& message) const
{
    const auto owner = m_owners.find(message.owner);
    if (owner != m_owners.end() && !owner->second.acknowledged.IsNull())
    {
        owner->second.acknowledged(message);
    }
}

} // namespace ns3::llm
