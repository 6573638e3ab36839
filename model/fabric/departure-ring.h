// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DEPARTURE_RING_H
#define LLM_FABRIC_DEPARTURE_RING_H

#include "fabric-frame.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * First-in first-out ring of departures, frames whose time on the link is fixed, that grows when full.
 * The first ones are settled: they have left, and the queue and the buffer know it.
 */
class DepartureRing
{
  public:
    /** Departures that have room at first. */
    static constexpr uint32_t FIRST_ROOM = 4;

    /** @param firstRoom memory for FIRST_ROOM departures; outlives the ring */
    explicit DepartureRing(TransitFrame* firstRoom)
        : m_entries(firstRoom)
    {
    }

    ~DepartureRing()
    {
        Free();
    }

    DepartureRing(const DepartureRing&) = delete;
    DepartureRing& operator=(const DepartureRing&) = delete;

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
    TransitFrame& Front()
    {
        return m_entries[m_head];
    }

    /** @copydoc Front */
    const TransitFrame& Front() const
    {
        return m_entries[m_head];
    }

    /** Fetch the first, if any. */
    void Prefetch() const
    {
        __builtin_prefetch(m_entries + m_head);
    }

    /** @return the last; there must be one */
    TransitFrame& Back()
    {
        return m_entries[(m_head + m_size - 1) & (m_room - 1)];
    }

    /** @return the first that is not settled; there must be one */
    TransitFrame& FirstUnsettled()
    {
        return m_entries[(m_head + m_settled) & (m_room - 1)];
    }

    /**
     * @param index place counted from the first
     * @return the departure there
     */
    const TransitFrame& At(uint32_t index) const
    {
        return m_entries[(m_head + index) & (m_room - 1)];
    }

    /** @copydoc At */
    TransitFrame& At(uint32_t index)
    {
        return m_entries[(m_head + index) & (m_room - 1)];
    }

    /** The first ones that are not settled become settled. @param count so many */
    void Settle(uint32_t count)
    {
        m_settled += count;
    }

    /** @param departure goes to the end @return it, there */
    TransitFrame& PushBack(const TransitFrame& departure)
    {
        if (__builtin_expect(m_size == m_room, 0))
        {
            Grow();
        }
        TransitFrame& entry = m_entries[(m_head + m_size) & (m_room - 1)];
        entry = departure;
        ++m_size;
        return entry;
    }

    /** Remove the first, which is settled. */
    void PopFront()
    {
        m_head = (m_head + 1) & (m_room - 1);
        --m_size;
        --m_settled;
    }

    /**
     * For a look at several from the first on, until one is added.
     * @param entries set to the memory
     * @param place set to the place of the first there
     * @param mask set to what wraps a place
     */
    void Read(const TransitFrame*& entries, uint32_t& place, uint32_t& mask) const
    {
        entries = m_entries;
        place = m_head;
        mask = m_room - 1;
    }

    /** Remove the first ones, which are settled. @param count so many */
    void PopFront(uint32_t count)
    {
        m_head = (m_head + count) & (m_room - 1);
        m_size -= count;
        m_settled -= count;
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
        const uint32_t room = 2 * m_room;
        auto larger = new TransitFrame[room];
        for (uint32_t i = 0; i < m_size; ++i)
        {
            larger[i] = At(i);
        }
        Free();
        m_entries = larger;
        m_head = 0;
        m_room = room;
    }

    /** Free the memory, unless it is the first. */
    void Free()
    {
        if (m_room != FIRST_ROOM)
        {
            delete[] m_entries;
        }
    }

    TransitFrame* m_entries;      //!< the memory: the first, or a larger one of its own
    uint32_t m_room = FIRST_ROOM; //!< departures that have room: a power of two
    uint32_t m_head = 0;          //!< place of the first
    uint32_t m_size = 0;          //!< number of departures
    uint32_t m_settled = 0;       //!< number of settled ones
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DEPARTURE_RING_H
