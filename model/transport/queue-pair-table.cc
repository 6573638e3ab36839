// SPDX-License-Identifier: GPL-2.0-only

#include "queue-pair-table.h"

#include "rdma-transport.h"

#include "ns3/identity-hash.h"
#include "ns3/input-error.h"

#include <string>

namespace ns3::llm
{

QueuePairTable::QueuePairTable(const RdmaTransport* transport,
                               uint32_t terminal,
                               const RdmaConfig& config)
    : m_transport(transport),
      m_terminal(terminal),
      m_config(config)
{
}

SendQueuePair&
QueuePairTable::Find(const Message& message, uint32_t destination, bool& isNew)
{
    Flow& flow = m_flows[{destination, message.owner, message.flow, message.priority}];
    if (flow.numbers.empty())
    {
        flow.numbers.assign(m_config.queuePairs, ABSENT);
    }
    const std::size_t place = Choose(flow, message);
    isNew = flow.numbers[place] == ABSENT;
    if (isNew)
    {
        flow.numbers[place] = Make(message, destination, place);
    }
    return *m_queuePairs[flow.numbers[place]];
}

std::size_t
QueuePairTable::Choose(Flow& flow, const Message& message) const
{
    const std::size_t count = flow.numbers.size();
    if (count == 1)
    {
        return 0;
    }
    if (m_config.queuePairSpread == MessageSpread::HASH)
    {
        return MixHash(message.flow, message.place) % count;
    }
    return flow.next++ % count;
}

uint32_t
QueuePairTable::Make(const Message& message, uint32_t destination, std::size_t place)
{
    if (m_queuePairs.size() >= MAX_QUEUE_PAIRS)
    {
        RefuseInput("accelerator " + std::to_string(message.source) +
                    " needs more queue pairs than a NIC has, " + std::to_string(MAX_QUEUE_PAIRS) +
                    ": reduce owners, flows or QueuePairs");
    }
    const auto number = static_cast<uint32_t>(m_queuePairs.size());
    uint64_t identity = m_transport->GetIdentity(m_terminal, destination, message.flow);
    if (place != 0)
    {
        identity = MixHash(identity, place); // a way and draws of its own
    }
    const QueuePairInfo info = m_transport->MakeInfo(m_terminal, destination, message.flow);
    m_queuePairs.push_back(std::make_unique<SendQueuePair>(m_config,
                                                           number,
                                                           destination,
                                                           m_pairs[destination]++,
                                                           RdmaTransport::GetEntropy(identity),
                                                           identity,
                                                           info));
    return number;
}

} // namespace ns3::llm
