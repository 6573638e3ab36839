// SPDX-License-Identifier: GPL-2.0-only

#include "fluid-transport.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FluidTransport");
NS_OBJECT_ENSURE_REGISTERED(FluidTransport);

TypeId
FluidTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FluidTransport")
                            .SetParent<MessageTransport>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FluidTransport>();
    return tid;
}

FluidTransport::FluidTransport()
{
    NS_LOG_FUNCTION(this);
}

FluidTransport::~FluidTransport()
{
    NS_LOG_FUNCTION(this);
}

void
FluidTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_places.clear();
    MessageTransport::DoDispose();
}

void
FluidTransport::AddDomain(Ptr<FluidDomain> domain, const std::vector<uint32_t>& accelerators)
{
    NS_LOG_FUNCTION(this << domain << accelerators.size());
    NS_ABORT_MSG_IF(accelerators.size() != domain->GetPortCount(),
                    "a fluid domain with " << domain->GetPortCount() << " ports cannot have "
                                           << accelerators.size() << " accelerators");
    for (uint32_t port = 0; port < accelerators.size(); ++port)
    {
        const bool isNew = m_places.insert({accelerators[port], {domain, port}}).second;
        NS_ABORT_MSG_UNLESS(isNew,
                            "accelerator " << accelerators[port] << " is in two fluid domains");
    }
    domain->SetCallbacks(MakeCallback(&FluidTransport::OnDelivered, this),
                         MakeCallback(&FluidTransport::OnAcknowledged, this));
}

void
FluidTransport::Send(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    const auto source = m_places.find(message.source);
    const auto destination = m_places.find(message.destination);
    NS_ABORT_MSG_IF(source == m_places.end() || destination == m_places.end() ||
                        source->second.domain != destination->second.domain ||
                        message.source == message.destination,
                    "no fluid domain carries a message from accelerator "
                        << message.source << " to accelerator " << message.destination
                        << ": they are not two accelerators of one domain");
    uint64_t handle = m_messages.size();
    if (m_freeMessages.empty())
    {
        m_messages.push_back(message);
    }
    else
    {
        handle = m_freeMessages.back();
        m_freeMessages.pop_back();
        m_messages[handle] = message;
    }
    source->second.domain->Send({source->second.port,
                                 destination->second.port,
                                 message.owner,
                                 message.flow,
                                 message.bytes,
                                 handle});
}

void
FluidTransport::OnDelivered(const FluidTransfer& transfer)
{
    // a copy: the owner may send from here, which moves the messages
    const Message message = m_messages[transfer.handle];
    NotifyDelivered(message);
}

void
FluidTransport::OnAcknowledged(const FluidTransfer& transfer)
{
    const Message message = m_messages[transfer.handle];
    m_freeMessages.push_back(transfer.handle);
    NotifyAcknowledged(message);
}

} // namespace ns3::llm
