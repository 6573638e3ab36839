// SPDX-License-Identifier: GPL-2.0-only

#include "hop-samples.h"

#include "ns3/abort.h"

namespace ns3::llm
{

bool
HopSamples::IsSamePath(const AckSignal& ack) const
{
    bool isSame = ack.hopCount == m_count;
    for (uint32_t i = 0; isSame && i < m_count; ++i)
    {
        isSame = ack.hops[i].port == m_samples[i].port;
    }
    return isSame;
}

bool
HopSamples::IsOlder(const AckSignal& ack) const
{
    for (uint32_t i = 0; i < m_count; ++i)
    {
        if (ack.hops[i].tick < m_samples[i].tick)
        {
            return true;
        }
    }
    return false;
}

bool
HopSamples::Take(const AckSignal& ack, uint64_t maxAge, Changes& changes)
{
    NS_ABORT_MSG_IF(ack.hopCount > MAX_HOPS,
                    "telemetry of " << ack.hopCount << " hops; a control keeps at most "
                                    << MAX_HOPS);
    bool isComparable = IsSamePath(ack);
    if (isComparable && IsOlder(ack))
    {
        return false;
    }
    for (uint32_t i = 0; i < ack.hopCount; ++i)
    {
        const HopTelemetry& hop = ack.hops[i];
        Sample& last = m_samples[i];
        if (isComparable)
        {
            const uint64_t ticks = hop.tick - last.tick;
            isComparable = ticks <= maxAge;
            changes[i].ticks = static_cast<double>(ticks);
            changes[i].sentBytes = static_cast<double>(hop.txBytes - last.txBytes);
            changes[i].queueBytes = hop.queueBytes;
            changes[i].queueBytesBefore = last.queueBytes;
            changes[i].rateBps = hop.rateBps;
        }
        last = {hop.tick, hop.txBytes, hop.queueBytes, hop.port};
    }
    m_count = ack.hopCount;
    return isComparable;
}

} // namespace ns3::llm
