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
    m_scaleUp = nullptr;
    m_scaleOut = nullptr;
    m_groups.clear();
    MessageTransport::DoDispose();
}

void
TieredTransport::Setup(Ptr<const Locality> locality,
                       Ptr<MessageTransport> scaleUp,
                       Ptr<MessageTransport> scaleOut)
{
    NS_LOG_FUNCTION(this << locality << scaleUp << scaleOut);
    NS_ABORT_MSG_UNLESS(m_domains.empty(), "a tiered transport is set up once");
    NS_ABORT_MSG_UNLESS(locality, "a tiered transport needs a locality");
    // only what it says is kept: who owns this transport is often the locality itself
    for (uint32_t accelerator = 0; accelerator < locality->GetAcceleratorCount(); ++accelerator)
    {
        m_domains.push_back(locality->GetDomain(accelerator));
    }
    m_scaleUp = scaleUp;
    m_scaleOut = scaleOut;
}

void
TieredTransport::SetOwner(uint32_t owner, MessageCallback delivered, MessageCallback acknowledged)
{
    NS_LOG_FUNCTION(this << owner);
    NS_ABORT_MSG_IF(m_domains.empty(), "a tiered transport is set up before owners are");
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
    const std::size_t count = m_domains.size();
    if (message.source >= count || message.destination >= count ||
        message.source == message.destination)
    {
        RefuseInput("no message goes from accelerator " + std::to_string(message.source) +
                    " to accelerator " + std::to_string(message.destination) +
                    ": they must be two of the " + std::to_string(count) + " accelerators");
    }
    const uint32_t from = m_domains[message.source];
    const uint32_t to = m_domains[message.destination];
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

uint32_t
TieredTransport::MakeGroup(uint32_t owner, const std::vector<uint32_t>& members)
{
    NS_LOG_FUNCTION(this << owner << members.size());
    bool isInside = true;
    for (const uint32_t member : members)
    {
        isInside = isInside && m_domains.at(member) == m_domains.at(members.front());
    }
    const Ptr<MessageTransport>& tier = isInside && m_scaleUp ? m_scaleUp : m_scaleOut;
    if (!tier)
    {
        RefuseInput("no switches reduce for a group of " + std::to_string(members.size()) +
                    " accelerators: the cluster has no network between HB domains");
    }
    m_groups.emplace_back(tier, tier->MakeGroup(owner, members));
    return static_cast<uint32_t>(m_groups.size() - 1);
}

void
TieredTransport::Reduce(uint32_t group, const Message& call)
{
    const auto& [tier, number] = m_groups.at(group);
    tier->Reduce(number, call);
}

void
TieredTransport::Multicast(uint32_t group, const Message& call)
{
    const auto& [tier, number] = m_groups.at(group);
    tier->Multicast(number, call);
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
