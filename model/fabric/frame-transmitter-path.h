// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_TRANSMITTER_PATH_H
#define LLM_FABRIC_FRAME_TRANSMITTER_PATH_H

#include "frame-transmitter.h"

#include <algorithm>
#include <cstdint>

/**
 * @file
 * What every frame passes at a port, inline: to be queued, and to be settled when it has left.
 */

namespace ns3::llm
{

inline void
FrameTransmitter::Enqueue(const TransitFrame& transit, uint16_t ingress)
{
    const uint64_t now = m_clock->NowTicks();
    const uint32_t queued = m_queued[transit.trafficClass] + transit.wireBytes;
    const uint64_t start = std::max(now, m_freeAt);
    const uint64_t end = start + GetSerializationTicks(transit.wireBytes);
    const bool isPlain = (m_waitingMask | m_pausedMask | m_needsCare) == 0 &&
                         (m_lastStart <= now || transit.trafficClass <= m_fixedClass) &&
                         end - now <= m_carelessTicks && queued <= m_plainBytes && !IsWatched();
    if (__builtin_expect(isPlain, 1))
    {
        m_queued[transit.trafficClass] = queued;
        Append(transit, ingress, start, end);
    }
    else
    {
        EnqueueWithCare(transit, ingress, now);
    }
}

inline void
FrameTransmitter::SettleUpTo(uint64_t now)
{
    while (!m_ring.IsSettled() && GetStart(m_ring.FirstUnsettled()) <= now)
    {
        SettleOne();
    }
}

inline void
FrameTransmitter::SettleOne()
{
    TransitFrame& departure = m_ring.FirstUnsettled();
    const uint32_t bytes = departure.wireBytes;
    uint32_t& queued = m_queued[departure.trafficClass];
    if (__builtin_expect(queued > m_plainBytes, 0))
    {
        DepartWithCare(departure, queued);
    }
    queued -= bytes;
    if (__builtin_expect(departure.flags & Frame::TELEMETRY, 0))
    {
        Stamp(departure);
    }
    ++m_sentFrames;
    m_sentBytes += bytes;
    m_ring.Settle(1);
    if (m_buffer && departure.trafficClass != PAUSE_CLASS)
    {
        m_buffer->Release(departure.ingress, departure.trafficClass, bytes);
        if (__builtin_expect(m_buffer->IsWatched(), 0))
        {
            m_owner->BufferReleased();
        }
    }
}

inline void
FrameTransmitter::SettleSeveral(uint64_t now)
{
    const bool isPlain = m_carelessTicks != 0 && m_rateBytes == 1 && !IsWatched();
    if (!isPlain || !SettlePlainly(now))
    {
        SettleUpTo(now);
    }
}

inline bool
FrameTransmitter::SettlePlainly(uint64_t now)
{
    SharedBuffer* const buffer = m_buffer;
    const uint64_t rateTicks = m_rateTicks;
    const uint64_t until = now + m_delay;
    const uint32_t settled = m_ring.GetSettledCount();
    const uint32_t most = m_ring.GetSize() - settled;
    const TransitFrame* frames;
    uint32_t place;
    uint32_t mask;
    m_ring.Read(frames, place, mask);
    place += settled;
    uint32_t count = 0;
    uint64_t sent = 0;
    bool isPlain = true;
    for (; count < most; ++count)
    {
        const TransitFrame& departure = frames[(place + count) & mask];
        const uint32_t bytes = departure.wireBytes;
        const uint8_t trafficClass = departure.trafficClass;
        const uint32_t queued = m_queued[trafficClass];
        isPlain = queued <= m_plainBytes;
        if (departure.arrivalTick - bytes * rateTicks > until || !isPlain)
        {
            break;
        }
        m_queued[trafficClass] = queued - bytes;
        sent += bytes;
        if (buffer && trafficClass != PAUSE_CLASS)
        {
            buffer->Release(departure.ingress, trafficClass, bytes);
        }
    }
    m_sentFrames += count;
    m_sentBytes += sent;
    m_ring.Settle(count);
    return isPlain;
}

inline void
FrameTransmitter::Append(const TransitFrame& transit,
                         uint16_t ingress,
                         uint64_t start,
                         uint64_t end)
{
    m_lastStart = start;
    m_freeAt = end;
    m_fixedClass = transit.trafficClass;
    TransitFrame& departure = m_ring.PushBack(transit);
    departure.arrivalTick = end + m_delay;
    departure.ingress = ingress;
    if (m_farBatch || m_ring.GetSize() == 1) // to tell batches too often costs less than to ask
    {
        ScheduleArrival(end + m_delay);
    }
}

inline void
FrameTransmitter::Commit(const TransitFrame& transit, uint16_t ingress, uint64_t now)
{
    const uint64_t start = std::max(now, m_freeAt);
    Append(transit, ingress, start, start + GetSerializationTicks(transit.wireBytes));
    if (start <= now)
    {
        SettleOne();
    }
    if (IsWatched())
    {
        Watch();
    }
}

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_TRANSMITTER_PATH_H
