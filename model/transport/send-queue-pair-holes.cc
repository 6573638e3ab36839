// SPDX-License-Identifier: GPL-2.0-only

// Frames that are sent again one by one, where receivers keep what follows a gap.

#include "send-queue-pair.h"

#include <algorithm>

namespace ns3::llm
{

SendQueuePair::Holes&
SendQueuePair::GetHoles()
{
    if (!m_holes)
    {
        m_holes = std::make_unique<Holes>(m_config.reorderFrames);
        m_holes->nextPsn = m_unackedPsn;
        m_holes->endPsn = m_unackedPsn;
    }
    return *m_holes;
}

bool
SendQueuePair::MaySendSelectively() const
{
    const uint64_t inFlight = GetInFlightBytes();
    if (HasHole())
    {
        return inFlight == 0 || inFlight + PayloadOf(m_holes->nextPsn) <= decision.windowBytes;
    }
    return m_nextPsn < m_endPsn && m_nextPsn - m_unackedPsn < m_maxFrames &&
           (inFlight == 0 || inFlight + NextPayload() <= decision.windowBytes);
}

const SendQueuePair::Outgoing&
SendQueuePair::FindMessage(uint64_t psn) const
{
    return *std::upper_bound(m_outgoing.begin() + m_first,
                             m_outgoing.end(),
                             psn,
                             [](uint64_t value, const Outgoing& one)
                             { return value < one.endPsn; });
}

bool
SendQueuePair::IsHole(uint64_t psn) const
{
    return psn >= m_holes->nextPsn && psn < m_holes->endPsn && !m_holes->received.Test(psn);
}

void
SendQueuePair::SeekHole()
{
    while (HasHole() && m_holes->received.Test(m_holes->nextPsn))
    {
        ++m_holes->nextPsn;
    }
}

uint64_t
SendQueuePair::MarkReceived(uint64_t psn)
{
    if (psn < m_unackedPsn || psn >= m_highestPsn)
    {
        return 0;
    }
    Holes& holes = GetHoles();
    const bool wasHole = IsHole(psn);
    if (!holes.received.Set(psn))
    {
        return 0;
    }
    const uint32_t payload = PayloadOf(psn);
    m_asideBytes += wasHole ? 0 : payload;
    SeekHole();
    return payload;
}

bool
SendQueuePair::ResendHoles(uint64_t end)
{
    Holes& holes = GetHoles();
    for (uint64_t psn = holes.endPsn; psn < std::min(end, m_highestPsn); ++psn)
    {
        m_asideBytes += holes.received.Test(psn) ? 0 : PayloadOf(psn);
        holes.endPsn = psn + 1;
    }
    SeekHole();
    const bool begins = HasHole() && m_unackedPsn >= m_recoveryPsn;
    if (begins)
    {
        m_recoveryPsn = m_highestPsn;
    }
    return begins;
}

void
SendQueuePair::ResendAll()
{
    Holes& holes = GetHoles();
    holes.nextPsn = m_unackedPsn;
    holes.endPsn = m_highestPsn;
    m_asideBytes = m_sentBytes - m_ackedBytes; // each has arrived or is a hole
    m_recoveryPsn = m_highestPsn;
    if (holes.resentEnd > m_unackedPsn)
    {
        ++m_attempt; // some of these were sent again before
    }
    SeekHole();
}

uint64_t
SendQueuePair::ForgetHoles(uint64_t psn)
{
    uint64_t arrived = 0;
    for (uint64_t past = m_unackedPsn; past < psn; ++past)
    {
        const bool wasHole = IsHole(past);
        const bool hasArrived = m_holes->received.Clear(past);
        if (wasHole || hasArrived)
        {
            const uint32_t payload = PayloadOf(past);
            m_asideBytes -= payload;
            arrived += hasArrived ? payload : 0;
        }
    }
    m_holes->nextPsn = std::max(m_holes->nextPsn, psn);
    m_holes->endPsn = std::max(m_holes->endPsn, psn);
    SeekHole();
    return arrived;
}

} // namespace ns3::llm
