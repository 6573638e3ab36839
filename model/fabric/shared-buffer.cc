// SPDX-License-Identifier: GPL-2.0-only

#include "shared-buffer.h"

#include <algorithm>

namespace ns3::llm
{

void
SharedBuffer::Configure(const Config& config,
                        const std::vector<uint64_t>& headroomBytes,
                        uint32_t placesApart)
{
    m_reserveBytes = config.reserveBytes;
    m_alpha = config.alpha;
    m_hysteresisBytes = config.hysteresisBytes;
    m_losslessMask = config.losslessMask;
    m_headroom = headroomBytes;
    m_ports = static_cast<uint32_t>(headroomBytes.size()) + placesApart;
    m_counters = std::make_unique<Counter[]>(std::size_t{m_ports} * TRAFFIC_CLASSES);
    m_sharedBytes = static_cast<int64_t>(config.totalBytes);
    for (const uint64_t headroom : headroomBytes)
    {
        for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
        {
            if (config.losslessMask >> c & 1)
            {
                m_sharedBytes -= static_cast<int64_t>(headroom + config.reserveBytes);
            }
        }
    }
}

SharedBuffer::Verdict
SharedBuffer::Admit(uint16_t port, uint8_t trafficClass, uint32_t bytes)
{
    Counter& counter = At(port, trafficClass);
    const bool isLossless = m_losslessMask >> trafficClass & 1;
    if (counter.isPaused)
    {
        if (counter.headroomBytes + bytes > m_headroom[port])
        {
            return Verdict::NO_ROOM;
        }
        counter.headroomBytes += bytes;
        return Verdict::ACCEPT;
    }
    const bool isOver = IsOver(counter.bytes + bytes);
    if (isOver && !isLossless)
    {
        return Verdict::NO_ROOM;
    }
    m_sharedUsed -= SharedPart(counter.bytes);
    counter.bytes += bytes;
    m_sharedUsed += SharedPart(counter.bytes);
    if (!isOver)
    {
        return Verdict::ACCEPT;
    }
    counter.isPaused = true;
    m_paused.push_back(static_cast<uint32_t>(IndexOf(port, trafficClass)));
    m_pausedCount = static_cast<uint32_t>(m_paused.size());
    return Verdict::PAUSE;
}

bool
SharedBuffer::TakeResumable(uint16_t& port, uint8_t& trafficClass)
{
    const double limit = GetThreshold() - static_cast<double>(m_hysteresisBytes);
    auto it = std::find_if(m_paused.begin(),
                           m_paused.end(),
                           [&](uint32_t index)
                           {
                               const Counter& counter = m_counters[index];
                               const int64_t shared = SharedPart(counter.bytes);
                               return counter.headroomBytes == 0 &&
                                      (shared == 0 || static_cast<double>(shared) <= limit);
                           });
    if (it == m_paused.end())
    {
        return false;
    }
    m_counters[*it].isPaused = false;
    port = static_cast<uint16_t>(*it % m_ports);
    trafficClass = static_cast<uint8_t>(*it / m_ports);
    m_paused.erase(it);
    m_pausedCount = static_cast<uint32_t>(m_paused.size());
    return true;
}

void
SharedBuffer::ForgetPauses(uint16_t port)
{
    auto isOfPort = [&](uint32_t index)
    {
        return index % m_ports == port;
    };
    for (const uint32_t index : m_paused)
    {
        if (isOfPort(index))
        {
            // what waits in the headroom counts as shared from now on, though that may be full: the
            // link may come up before it has left, and needs all of its headroom then
            Counter& counter = m_counters[index];
            m_sharedUsed -= SharedPart(counter.bytes);
            counter.bytes += counter.headroomBytes;
            m_sharedUsed += SharedPart(counter.bytes);
            counter.headroomBytes = 0;
            counter.isPaused = false;
        }
    }
    m_paused.erase(std::remove_if(m_paused.begin(), m_paused.end(), isOfPort), m_paused.end());
    m_pausedCount = static_cast<uint32_t>(m_paused.size());
}

int64_t
SharedBuffer::GetSharedPartOf(uint16_t port, uint8_t trafficClass, uint64_t bytes) const
{
    // what leaves is taken from the headroom first
    const Counter& counter = At(port, trafficClass);
    return SharedPart(std::min<uint64_t>(bytes, counter.bytes));
}

bool
SharedBuffer::WouldResume(uint16_t port,
                          uint8_t trafficClass,
                          uint64_t bytes,
                          int64_t sharedUsed) const
{
    if (bytes > At(port, trafficClass).bytes)
    {
        return false; // some of the headroom is still in use
    }
    const double threshold = m_alpha * static_cast<double>(m_sharedBytes - sharedUsed);
    const int64_t shared = SharedPart(bytes);
    return shared == 0 ||
           static_cast<double>(shared) <= threshold - static_cast<double>(m_hysteresisBytes);
}

uint64_t
SharedBuffer::GetUsedBytes() const
{
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < std::size_t{m_ports} * TRAFFIC_CLASSES; ++i)
    {
        bytes += uint64_t{m_counters[i].bytes} + m_counters[i].headroomBytes;
    }
    return bytes;
}

uint64_t
SharedBuffer::GetUsedBytes(uint16_t port, uint8_t trafficClass) const
{
    const Counter& counter = At(port, trafficClass);
    return uint64_t{counter.bytes} + counter.headroomBytes;
}

} // namespace ns3::llm
