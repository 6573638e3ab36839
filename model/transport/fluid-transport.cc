// SPDX-License-Identifier: GPL-2.0-only

#include "fluid-transport.h"

#include "ns3/abort.h"
#include "ns3/input-error.h"
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
    m_accelerators.clear();
    m_groups.clear();
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
    m_accelerators[PeekPointer(domain)] = accelerators;
    domain->SetGroupCallback(MakeCallback(&FluidTransport::OnGroupDelivered, this));
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

uint32_t
FluidTransport::MakeGroup(uint32_t owner, const std::vector<uint32_t>& members)
{
    NS_LOG_FUNCTION(this << owner << members.size());
    Group group;
    std::vector<uint32_t> ports;
    for (const uint32_t member : members)
    {
        const auto place = m_places.find(member);
        const bool isOfOne =
            place != m_places.end() && (!group.domain || place->second.domain == group.domain);
        if (!isOfOne)
        {
            RefuseInput("accelerators " + std::to_string(members.front()) + " and " +
                        std::to_string(member) +
                        " are not in one fluid HB domain, whose switch could reduce for them");
        }
        group.domain = place->second.domain;
        ports.push_back(place->second.port);
    }
    group.owner = owner;
    group.number = group.domain->AddGroup(ports);
    m_groups.push_back(group);
    return static_cast<uint32_t>(m_groups.size() - 1);
}

uint32_t
FluidTransport::GetPort(uint32_t accelerator, const Group& group) const
{
    const auto place = m_places.find(accelerator);
    NS_ABORT_MSG_IF(place == m_places.end() || place->second.domain != group.domain,
                    "accelerator " << accelerator << " is no member of a group of owner "
                                   << group.owner);
    return place->second.port;
}

void
FluidTransport::Reduce(uint32_t handle, const Message& call)
{
    const Group& group = m_groups.at(handle);
    FluidTransfer transfer;
    transfer.source = GetPort(call.source, group);
    transfer.destination = call.destination == EVERY_MEMBER ? FluidTransfer::ALL_PORTS
                                                            : GetPort(call.destination, group);
    transfer.owner = call.owner;
    transfer.bytes = call.bytes;
    transfer.handle = MessageTag(call);
    group.domain->Reduce(group.number, transfer);
}

void
FluidTransport::Multicast(uint32_t handle, const Message& call)
{
    if (call.source != call.destination)
    {
        return; // who gets it has nothing to do
    }
    const Group& group = m_groups.at(handle);
    FluidTransfer transfer;
    transfer.source = GetPort(call.source, group);
    transfer.owner = call.owner;
    transfer.bytes = call.bytes;
    transfer.handle = MessageTag(call);
    group.domain->Multicast(group.number, transfer);
}

void
FluidTransport::OnGroupDelivered(FluidDomain* domain, const FluidTransfer& transfer, uint32_t port)
{
    const std::vector<uint32_t>& accelerators = m_accelerators.at(domain);
    Message message;
    message.source = transfer.isReduction ? EVERY_MEMBER : accelerators.at(transfer.source);
    message.destination = accelerators.at(port);
    message.bytes = transfer.bytes;
    ReadMessageTag(transfer.handle, message);
    NotifyDelivered(message);
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
