// SPDX-License-Identifier: GPL-2.0-only

#include "send-queue-pair.h"

#include "ns3/identity-hash.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3::llm
{

SendQueuePair::SendQueuePair(const RdmaConfig& config,
                             uint32_t index,
                             uint32_t destination,
                             uint16_t pair,
                             uint32_t entropy,
                             uint64_t identity,
                             const QueuePairInfo& info)
    : index(index),
      destination(destination),
      info(info),
      state(config.control->GetStateSize() <= SMALL_STATE_BYTES
                ? m_smallState
                : new std::byte[config.control->GetStateSize()]),
      m_config(config),
      m_entropy(entropy),
      m_identity(identity),
      m_pair(pair),
      m_largeState(state == m_smallState ? nullptr : state)
{
    decision.rateBps = info.lineRateBps;
    config.control->Start(state, this->info, decision);
    UpdatePace();
}

void
SendQueuePair::Post(const Message& message)
{
    // forget what is complete: all of it when idle, else from time to time
    if (m_first == m_outgoing.size() || (m_first > 64 && m_first * 2 > m_outgoing.size()))
    {
        m_outgoing.erase(m_outgoing.begin(), m_outgoing.begin() + m_first);
        m_sending -= m_first;
        m_first = 0;
    }
    const uint64_t frames =
        std::max<uint64_t>((message.bytes + m_config.mtuBytes - 1) / m_config.mtuBytes, 1);
    Outgoing outgoing;
    outgoing.message = message;
    outgoing.firstPsn = m_endPsn;
    outgoing.endPsn = m_endPsn + frames;
    outgoing.firstByte = m_endBytes;
    outgoing.tag = MessageTag(message);
    outgoing.identity = static_cast<uint32_t>(MixHash(m_identity, message.place));
    m_outgoing.push_back(outgoing);
    m_endPsn += frames;
    m_endBytes += message.bytes;
}

void
SendQueuePair::FillNext(Frame& frame, uint64_t now)
{
    const Outgoing& outgoing = m_outgoing[m_sending];
    const uint32_t payload = PayloadAt(outgoing, m_nextPsn);
    frame.sentTick = now;
    frame.tag = outgoing.tag;
    frame.psn = m_nextPsn;
    uint32_t wireBytes = payload + m_config.dataOverheadBytes;
    frame.flags = 0;
    if (m_nextPsn == outgoing.firstPsn)
    {
        frame.flags |= Frame::FIRST;
        wireBytes += m_config.firstOverheadBytes;
    }
    if (m_config.hasTelemetry)
    {
        frame.flags |= Frame::TELEMETRY;
        FrameTelemetry::Of(&frame).count = 0;
    }
    frame.wireBytes = static_cast<uint16_t>(wireBytes);
    frame.destination = destination;
    frame.entropy = m_entropy;
    frame.queuePair = index;
    // the frame's place in its message, not in the queue pair: a repeated phase draws alike
    frame.identity = outgoing.identity + static_cast<uint32_t>(m_nextPsn - outgoing.firstPsn);
    frame.payloadBytes = static_cast<uint16_t>(payload);
    frame.pair = m_pair;
    frame.kind = FrameKind::DATA;
    frame.trafficClass = m_config.dataClass;
    frame.attempt = m_nextPsn < m_highestPsn ? m_attempt : 0;
    ++m_nextPsn;
    m_sentBytes += payload;
    if (m_nextPsn == outgoing.endPsn)
    {
        frame.flags |= Frame::LAST;
        ++m_sending;
    }
    m_highestPsn = std::max(m_highestPsn, m_nextPsn);
    m_lastStartTick = now;
    m_lastWireBytes = frame.wireBytes;
    nextSendTick = now + static_cast<uint64_t>(m_lastWireBytes * m_ticksPerByte);
}

uint64_t
SendQueuePair::GetMessageBytes(uint64_t psn) const
{
    const auto at = std::lower_bound(m_outgoing.begin(),
                                     m_outgoing.end(),
                                     psn,
                                     [](const Outgoing& outgoing, uint64_t first)
                                     { return outgoing.firstPsn < first; });
    return at != m_outgoing.end() && at->firstPsn == psn ? at->message.bytes : 0;
}

uint64_t
SendQueuePair::ByteAt(uint64_t psn) const
{
    const Outgoing& outgoing = m_outgoing[m_first];
    return outgoing.firstByte + (psn - outgoing.firstPsn) * m_config.mtuBytes;
}

uint64_t
SendQueuePair::Acknowledge(uint64_t psn, std::vector<Message>& completed)
{
    const uint64_t before = m_ackedBytes;
    while (m_first < m_outgoing.size() && m_outgoing[m_first].endPsn <= psn)
    {
        const Outgoing& outgoing = m_outgoing[m_first];
        completed.push_back(outgoing.message);
        m_ackedBytes = outgoing.firstByte + outgoing.message.bytes;
        ++m_first;
    }
    m_unackedPsn = psn;
    if (m_first < m_outgoing.size() && psn > m_outgoing[m_first].firstPsn)
    {
        m_ackedBytes = ByteAt(psn);
    }
    if (m_nextPsn < psn)
    {
        // gone back, and an acknowledgment of the earlier attempt came in
        m_nextPsn = psn;
        m_sentBytes = m_ackedBytes;
        m_sending = m_first;
    }
    if (psn >= m_recoveryPsn)
    {
        m_attempt = 0;
    }
    return m_ackedBytes - before;
}

void
SendQueuePair::GoBack()
{
    m_nextPsn = m_unackedPsn;
    m_sentBytes = m_ackedBytes;
    m_sending = m_first;
    m_recoveryPsn = m_highestPsn;
    ++m_attempt;
}

void
SendQueuePair::ServeDeadline(uint64_t now)
{
    m_config.control->OnDeadline(state, info, now, decision);
    NS_ABORT_MSG_IF(decision.deadlineTicks <= now,
                    "OnDeadline() of " << m_config.control->GetInstanceTypeId().GetName()
                                       << " left its deadline at " << decision.deadlineTicks
                                       << " ps, not after now, " << now << " ps");
    UpdatePace();
}

void
SendQueuePair::UpdatePace()
{
    const bool isPaced = decision.rateBps < info.lineRateBps;
    m_ticksPerByte = isPaced ? 8e12 / decision.rateBps : 0;
    nextSendTick = m_lastStartTick + static_cast<uint64_t>(m_lastWireBytes * m_ticksPerByte);
}

} // namespace ns3::llm
