// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DEPARTURE_RING_H
#define LLM_FABRIC_DEPARTURE_RING_H

#include "fabric-frame.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * A frame whose departure is fixed, with what is needed of it until it arrives.
 */
struct Departure
{
    Frame* frame;         //!< the frame
    uint64_t startTick;   //!< when its transmission starts
    uint64_t arrivalTick; //!< when its last bit reaches the far end
    uint32_t wireBytes;   //!< its size
    uint16_t ingress;     //!< port by which it came into this switch
    uint8_t trafficClass; //!< its class
    FrameKind kind;       //!< what it is
};

/**
 * @ingroup llm-fabric-fabric
 * First-in first-out ring of departures that grows when full. The first ones are settled: they have
 * left, and the queue and the buffer know it.
 */
class DepartureRing
{
  public:
    /** @return number of departures */
    uint32_t GetSize() const
    {
        return m_size;
    }

    /** @return whether the first ones up to the last are all settled */
    bool IsSettled() const
    {
        return m_settled == m_size;
    }

    /** @return number of settled ones */
    uint32_t GetSettledCount() const
    {
        return m_settled;
    }

    /** @return the first; there must be one */
    Departure& Front()
    {
        return m_entries[m_head];
    }

    /** @return the last; there must be one */
    Departure& Back()
    {
        return m_entries[(m_head + m_size - 1) & m_mask];
    }

    /** @return the first that is not settled; there must be one */
    Departure& FirstUnsettled()
    {
        return m_entries[(m_head + m_settled) & m_mask];
    }

    /**
     * @param index place counted from the first
     * @return the departure there
     */
    const Departure& At(uint32_t index) const
    {
        return m_entries[(m_head + index) & m_mask];
    }

    /** The first that is not settled becomes settled. */
    void SettleOne()
    {
        ++m_settled;
    }

    /** @param departure goes to the end */
    void PushBack(const Departure& departure)
    {
        if (m_size == m_entries.size())
        {
            Grow();
        }
        m_entries[(m_head + m_size) & m_mask] = departure;
        ++m_size;
    }

    /** Remove the first, which is settled. */
    void PopFront()
    {
        m_head = (m_head + 1) & m_mask;
        --m_size;
        --m_settled;
    }

    /** Remove the last, which is not settled. */
    void PopBack()
    {
        --m_size;
    }

    /** Remove all. */
    void Clear()
    {
        m_size = 0;
        m_settled = 0;
    }

  private:
    /** Double the room. */
    void Grow()
    {
        std::vector<Departure> larger(m_entries.empty() ? 4 : m_entries.size() * 2);
        for (uint32_t i = 0; i < m_size; ++i)
        {
            larger[i] = At(i);
        }
        m_entries.swap(larger);
        m_head = 0;
        m_mask = static_cast<uint32_t>(m_entries.size() - 1);
    }

    std::vector<Departure> m_entries; //!< memory, a power of two or empty
    uint32_t m_mask = 0;              //!< size of the memory minus 1
    uint32_t m_head = 0;              //!< place of the first
    uint32_t m_size = 0;              //!< number of departures
    uint32_t m_settled = 0;           //!< number of settled ones
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DEPARTURE_RING_H
