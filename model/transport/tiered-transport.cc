// SPDX-License-Identifier: GPL-2.0-only

#include "tiered-transport.h"

#include "ns3/abort.h"
#include "ns3/input-error.h"
#include "ns3/log.h"

#include <string>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("TieredTransport");
NS_OBJECT_ENSURE_REGISTERED(TieredTransport);

TypeId
TieredTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::TieredTransport")
                            .SetParent<MessageTransport>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<TieredTransport>();
    return tid;
}

TieredTransport::TieredTransport()
{
    NS_LOG_FUNCTION(this);
}

TieredTransport::~TieredTransport()
{
    NS_LOG_FUNCTION(this);
}

void
TieredTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_locality = nullptr;
    m_scaleUp = nullptr;
    m_scaleOut = nullptr;
    MessageTransport::DoDispose();
}

void
TieredTransport::Setup(Ptr<const Locality> locality,
                       Ptr<MessageTransport> scaleUp,
                       Ptr<MessageTransport> scaleOut)
{
    NS_LOG_FUNCTION(this << locality << scaleUp << scaleOut);
    NS_ABORT_MSG_IF(m_locality, "a tiered transport is set up once");
    NS_ABORT_MSG_UNLESS(locality, "a tiered transport needs a locality");
    m_locality = locality;
    m_scaleUp = scaleUp;
    m_scaleOut = scaleOut;
}

void
TieredTransport::SetOwner(uint32_t owner, MessageCallback delivered, MessageCallback acknowledged)
{
    NS_LOG_FUNCTION(this << owner);
    NS_ABORT_MSG_UNLESS(m_locality, "a tiered transport is set up before owners are");
    for (const auto& tier : {m_scaleUp, m_scaleOut})
    {
        if (tier)
        {
            tier->SetOwner(owner, delivered, acknowledged);
        }
    }
}

void
TieredTransport::Send(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    NS_ABORT_MSG_IF(message.source == message.destination,
                    "accelerator " << message.source << " cannot send a message to itself");
    const uint32_t from = m_locality->GetDomain(message.source);
    const uint32_t to = m_locality->GetDomain(message.destination);
    const Ptr<MessageTransport>& tier = from == to ? m_scaleUp : m_scaleOut;
    if (!tier)
    {
        RefuseInput("no path from accelerator " + std::to_string(message.source) + " (HB domain " +
                    std::to_string(from) + ") to accelerator " +
                    std::to_string(message.destination) + " (HB domain " + std::to_string(to) +
                    "): the cluster has no " +
                    (from == to ? "fabric within HB domains" : "network between HB domains"));
    }
    tier->Send(message);
}

Ptr<MessageTransport>
TieredTransport::GetScaleUp() const
{
    return m_scaleUp;
}

Ptr<MessageTransport>
TieredTransport::GetScaleOut() const
{
    return m_scaleOut;
}

} // namespace ns3::llm
