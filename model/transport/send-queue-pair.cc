// SPDX-License-Identifier: GPL-2.0-only

#include "send-queue-pair.h"

#include "ns3/identity-hash.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

/** @param config of the transport @param info a queue pair @return frames that it may have sent from
 * the first unacknowledged one on; 0: no bound */
uint32_t
ChooseMaxFrames(const RdmaConfig& config, const QueuePairInfo& info)
{
    if (config.reorderFrames == 0)
    {
        return 0;
    }
    const uint32_t most = std::max(config.recovery->GetMaxFrames(info), config.framesPerAck);
    NS_ABORT_MSG_IF(most == 0 || most > config.reorderFrames,
                    "GetMaxFrames() of " << config.recovery->GetInstanceTypeId().GetName()
                                         << " gives " << most << " frames, not 1 to "
                                         << config.reorderFrames);
    return most;
}

} // namespace

SendQueuePair::SendQueuePair(const RdmaConfig& config,
                             uint32_t index,
                             uint32_t destination,
                             uint32_t pair,
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
      m_maxFrames(ChooseMaxFrames(config, info)),
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
    const uint64_t rest = message.bytes % m_config.mtuBytes; // the sum might overflow
    const uint64_t frames =
        std::max<uint64_t>(message.bytes / m_config.mtuBytes + (rest != 0 ? 1 : 0), 1);
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
    if (__builtin_expect(HasHole(), 0))
    {
        FillHole(frame, now);
        return;
    }
    const Outgoing& outgoing = m_outgoing[m_sending];
    Fill(frame, outgoing, m_nextPsn, now);
    frame.attempt = m_nextPsn < m_highestPsn ? m_attempt : 0;
    ++m_nextPsn;
    m_sentBytes += frame.payloadBytes;
    m_sending += m_nextPsn == outgoing.endPsn;
    m_highestPsn = std::max(m_highestPsn, m_nextPsn);
    TakeAsSent(frame, now);
}

void
SendQueuePair::Fill(Frame& frame, const Outgoing& outgoing, uint64_t psn, uint64_t now) const
{
    const uint32_t payload = PayloadAt(outgoing, psn);
    frame.sentTick = now;
    frame.tag = outgoing.tag;
    frame.psn = psn;
    uint32_t wireBytes = payload + m_config.dataOverheadBytes;
    frame.flags = psn + 1 == outgoing.endPsn ? Frame::LAST : 0;
    frame.flags |= psn == outgoing.firstPsn ? Frame::FIRST : 0;
    if (__builtin_expect(outgoing.endPsn - outgoing.firstPsn > m_config.framesPerWrite, 0))
    {
        frame.flags = GetWriteFlags(outgoing, psn);
    }
    if (frame.flags & Frame::FIRST)
    {
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
    frame.identity = outgoing.identity + static_cast<uint32_t>(psn - outgoing.firstPsn);
    frame.payloadBytes = static_cast<uint16_t>(payload);
    frame.SetPair(m_pair);
    frame.kind = FrameKind::DATA;
    frame.trafficClass = m_config.dataClass;
}

uint8_t
SendQueuePair::GetWriteFlags(const Outgoing& outgoing, uint64_t psn) const
{
    const uint64_t place = (psn - outgoing.firstPsn) % m_config.framesPerWrite;
    uint8_t flags = place == 0 ? Frame::FIRST : 0;
    if (psn + 1 == outgoing.endPsn)
    {
        flags |= Frame::LAST;
    }
    else if (place + 1 == m_config.framesPerWrite)
    {
        flags |= Frame::LAST | Frame::MORE;
    }
    return flags;
}

void
SendQueuePair::TakeAsSent(const Frame& frame, uint64_t now)
{
    m_lastStartTick = now;
    m_lastWireBytes = frame.wireBytes;
    nextSendTick = now + static_cast<uint64_t>(m_lastWireBytes * m_ticksPerByte);
}

void
SendQueuePair::FillHole(Frame& frame, uint64_t now)
{
    const uint64_t psn = m_holes->nextPsn;
    Fill(frame, FindMessage(psn), psn, now);
    frame.attempt = static_cast<uint8_t>(m_attempt + 1);
    m_asideBytes -= frame.payloadBytes;
    ++m_holes->nextPsn;
    m_holes->resentEnd = std::max(m_holes->resentEnd, psn + 1);
    SeekHole();
    TakeAsSent(frame, now);
}

uint64_t
SendQueuePair::GetWriteBytes(uint64_t psn) const
{
    const auto at = std::upper_bound(m_outgoing.begin(),
                                     m_outgoing.end(),
                                     psn,
                                     [](uint64_t value, const Outgoing& outgoing)
                                     { return value < outgoing.endPsn; });
    if (at == m_outgoing.end() || psn < at->firstPsn ||
        (psn - at->firstPsn) % m_config.framesPerWrite != 0)
    {
        return 0;
    }
    const uint64_t most = uint64_t{m_config.framesPerWrite} * m_config.mtuBytes;
    return std::min(at->message.bytes - (psn - at->firstPsn) * m_config.mtuBytes, most);
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
    const uint64_t arrivedBefore = m_holes ? ForgetHoles(psn) : 0;
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
    if (psn >= m_recoveryPsn && !(m_holes && psn < m_holes->resentEnd))
    {
        m_attempt = 0;
    }
    return m_ackedBytes - before - arrivedBefore;
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
    decision.windowBytes = std::min(decision.windowBytes, m_config.maxOutstandingBytes);
    const bool isPaced = decision.rateBps < info.lineRateBps;
    m_ticksPerByte = isPaced ? 8e12 / decision.rateBps : 0;
    nextSendTick = m_lastStartTick + static_cast<uint64_t>(m_lastWireBytes * m_ticksPerByte);
}

} // namespace ns3::llm
