// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_EVENT_WHEEL_H
#define LLM_FABRIC_FRAME_EVENT_WHEEL_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * Entries of a FrameEventQueue that are not to run soon, in slots by their tick.
 *
 * There is a level for every three bits of a tick, and eight slots a level. An entry's level is that
 * of the highest bit in which its tick differs from the origin, and its slot the value of the level's
 * bits. So the lowest slot that is occupied holds the earliest entries, unordered, and while the
 * origin stays at or below all ticks and moves within this slot only, no other slot has to change.
 * The queue keeps the origin. A slot knows its earliest tick, because looking for it would cost as
 * much as there are entries each time that something nearer has come and gone.
 *
 * @tparam Entry a copyable type with a member `uint64_t tick`
 * @tparam Allocator gets storage for them
 */
template <typename Entry, typename Allocator = std::allocator<Entry>>
class FrameEventWheel
{
  public:
    /** An array of entries. */
    using Entries = std::vector<Entry, Allocator>;

    /** The tick of nothing. */
    static constexpr uint64_t NEVER = UINT64_MAX;

    /** @return whether there are no entries */
    bool IsEmpty() const
    {
        return m_levels == 0;
    }

    /** @return the number of entries; looks at all slots */
    std::size_t GetSize() const
    {
        std::size_t size = 0;
        for (const auto& slot : m_slots)
        {
            size += slot.entries.size();
        }
        return size;
    }

    /**
     * Insert an entry.
     * @param entry the entry
     * @param difference its tick xor the origin, not 0
     */
    void Insert(const Entry& entry, uint64_t difference)
    {
        const uint64_t tick = entry.tick;
        const unsigned level = GetLevel(difference);
        const unsigned slot = GetSlot(tick, level);
        Slot& place = m_slots[level * SLOTS + slot];
        place.entries.push_back(entry);
        place.first = std::min(place.first, tick);
        m_occupied[level] |= static_cast<uint8_t>(1u << slot);
        m_levels |= 1u << level;
    }

    /** @return the lowest occupied slot, of which there must be one */
    const Entries& PeekLowest() const
    {
        return GetLowest().entries;
    }

    /** @return the earliest tick, or NEVER if there are no entries */
    uint64_t PeekTick() const
    {
        return IsEmpty() ? NEVER : GetLowest().first;
    }

    /**
     * Note that the lowest occupied slot is being emptied by the caller.
     * @return this slot
     */
    Entries& TakeLowest()
    {
        const unsigned level = __builtin_ctz(m_levels);
        const unsigned slot = __builtin_ctz(m_occupied[level]);
        MarkEmpty(level, slot);
        return m_slots[level * SLOTS + slot].entries;
    }

    /**
     * Erase an entry; linear in its slot.
     * @param tick its tick
     * @param difference its tick xor the origin, not 0
     * @param match called with entries of this tick; returns true for the one to erase
     * @return whether there was one
     */
    template <typename Match>
    bool Erase(uint64_t tick, uint64_t difference, Match match)
    {
        const unsigned level = GetLevel(difference);
        const unsigned slot = GetSlot(tick, level);
        Slot& place = m_slots[level * SLOTS + slot];
        Entries& entries = place.entries;
        const auto entry =
            std::find_if(entries.begin(),
                         entries.end(),
                         [tick, &match](const Entry& e) { return e.tick == tick && match(e); });
        if (entry == entries.end())
        {
            return false;
        }
        *entry = entries.back();
        entries.pop_back();
        if (entries.empty())
        {
            MarkEmpty(level, slot);
        }
        else if (tick == place.first)
        {
            place.first = FindFirst(entries);
        }
        return true;
    }

  private:
    static constexpr unsigned LEVEL_BITS = 3;               //!< bits of a tick per level
    static constexpr unsigned SLOTS = 1u << LEVEL_BITS;     //!< slots of a level
    static constexpr unsigned LEVELS = 63 / LEVEL_BITS + 1; //!< levels that 64 bits need

    /** Some entries. */
    struct Slot
    {
        Entries entries;       //!< the entries
        uint64_t first{NEVER}; //!< their earliest tick
    };

    /**
     * @param difference a tick xor the origin, not 0
     * @return the tick's level
     */
    static unsigned GetLevel(uint64_t difference)
    {
        return (63 - __builtin_clzll(difference)) / LEVEL_BITS;
    }

    /**
     * @param tick a tick
     * @param level its level
     * @return its slot in the level
     */
    static unsigned GetSlot(uint64_t tick, unsigned level)
    {
        return (tick >> (level * LEVEL_BITS)) & (SLOTS - 1);
    }

    /**
     * @param entries some entries
     * @return their earliest tick
     */
    static uint64_t FindFirst(const Entries& entries)
    {
        uint64_t first = NEVER;
        for (const Entry& entry : entries)
        {
            first = std::min<uint64_t>(first, entry.tick);
        }
        return first;
    }

    /** @return the lowest occupied slot, of which there must be one */
    const Slot& GetLowest() const
    {
        const unsigned level = __builtin_ctz(m_levels);
        return m_slots[level * SLOTS + __builtin_ctz(m_occupied[level])];
    }

    /**
     * Note that a slot is empty.
     * @param level its level
     * @param slot its number in the level
     */
    void MarkEmpty(unsigned level, unsigned slot)
    {
        m_slots[level * SLOTS + slot].first = NEVER;
        m_occupied[level] &= static_cast<uint8_t>(~(1u << slot));
        if (m_occupied[level] == 0)
        {
            m_levels &= ~(1u << level);
        }
    }

    uint32_t m_levels{0};                     //!< bit l: level l has entries
    std::array<uint8_t, LEVELS> m_occupied{}; //!< bit s: slot s of the level has entries
    std::array<Slot, LEVELS * SLOTS> m_slots; //!< the entries
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_EVENT_WHEEL_H
