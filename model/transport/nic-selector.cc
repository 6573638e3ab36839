// SPDX-License-Identifier: GPL-2.0-only

#include "nic-selector.h"

#include "rdma-nic.h"

#include "ns3/identity-hash.h"

#include <algorithm>

namespace ns3::llm
{

NicSelector::NicSelector(MessageSpread policy, const std::vector<RdmaNic*>& nics)
    : m_policy(policy),
      m_nics(nics)
{
}

std::size_t
NicSelector::Choose(const Message& message)
{
    switch (m_policy)
    {
    case MessageSpread::AFFINITY:
        break;
    case MessageSpread::ROUND_ROBIN:
        return m_next++ % m_nics.size();
    case MessageSpread::HASH:
        return MixHash(message.flow, message.place) % m_nics.size();
    case MessageSpread::LEAST_QUEUED:
        return FindLeastQueued();
    }
    return message.flow % m_nics.size();
}

std::size_t
NicSelector::FindLeastQueued() const
{
    const auto least = std::min_element(m_nics.begin(),
                                        m_nics.end(),
                                        [](const RdmaNic* a, const RdmaNic* b)
                                        { return a->GetQueuedBytes() < b->GetQueuedBytes(); });
    return static_cast<std::size_t>(least - m_nics.begin());
}

} // namespace ns3::llm
