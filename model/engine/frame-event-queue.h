// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_EVENT_QUEUE_H
#define LLM_FABRIC_FRAME_EVENT_QUEUE_H

#include "ns3/assert.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * A pending frame event. Two equal ones are the same event: they may be stored twice, and then the
 * handler, which is idempotent, is called twice.
 */
struct FrameEvent
{
    uint64_t tick; //!< when it runs, in ticks of the simulation time
    uint64_t key;  //!< kind in the upper 32 bits, number of the object in the lower ones
};

/**
 * @ingroup llm-fabric-engine
 * A monotone priority queue, ordered by (tick, key) whatever the order of insertion.
 *
 * Monotone means that no entry may lie before the tick of the last one popped; in return nothing is
 * compared on insertion but the bits in which a tick differs from the origin, a tick that everything
 * pending has passed. Entries lie in slots: a level for every three bits of the tick, eight slots a
 * level. The lowest occupied slot holds the earliest entries. When it is short it is sorted into the
 * run, from which entries are popped; when it is long its earliest tick becomes the origin and the
 * rest falls to lower levels. Entries that are inserted into the run's range of ticks (the window)
 * are sorted in from the back.
 *
 * The cost of an entry stays bounded when thousands have one tick, inserted before that tick or while
 * it runs: a run that grows too long goes back to the slots, and when it has but one tick left, late
 * entries of that tick go to a heap beside it. Storage is kept, so that the steady state allocates
 * nothing.
 *
 * @tparam Entry a copyable type with the members `uint64_t tick` and `uint64_t key`
 */
template <typename Entry>
class FrameEventQueue
{
  public:
    /** The tick of nothing; no entry may have it. */
    static constexpr uint64_t NEVER = UINT64_MAX;

    /** @return whether there are no entries */
    bool
    IsEmpty() const
    {
        return m_head == m_run.size() && m_levels == 0 && m_late.empty();
    }

    /** @return the number of entries; counts all slots, so not for each event */
    std::size_t GetSize() const;

    /** @return the number of entries popped so far */
    uint64_t
    GetPopCount() const
    {
        return m_popped + m_head;
    }

    /**
     * Insert an entry.
     * @param entry the entry, not before the tick of the last one popped
     */
    void
    Insert(const Entry& entry)
    {
        NS_ASSERT_MSG(entry.tick >= m_origin, "an entry lies in the past of its queue");
        const uint64_t difference = entry.tick ^ m_origin;
        if ((difference >> m_windowBits) == 0)
        {
            InsertIntoRun(entry);
        }
        else
        {
            InsertIntoSlot(entry, difference);
        }
    }

    /**
     * Look at the earliest tick. Nothing moves, so that entries before it can still be inserted.
     * @return the tick, or NEVER if the queue is empty
     */
    uint64_t
    PeekTick() const
    {
        return m_head != m_run.size() ? m_run[m_head].tick : PeekTickOfSlots();
    }

    /**
     * Look at the first entry. Nothing moves; the cost is linear in one slot.
     * @return the entry, or nullptr if the queue is empty; valid until the queue changes
     */
    const Entry* Peek() const;

    /**
     * Take the first entry out. Its tick is the present from here on.
     * @return the entry; the queue must not be empty
     */
    Entry
    Pop()
    {
        if (__builtin_expect(m_head == m_run.size() || !m_late.empty(), 0))
        {
            return PopSlowly();
        }
        return m_run[m_head++];
    }

    /**
     * Look ahead, as a hint only: the entry is one of the next, but others may come before it.
     * @param distance 0 for the next entry
     * @return an entry that will probably be popped after `distance` others, or nullptr if unknown
     */
    const Entry*
    Ahead(std::size_t distance) const
    {
        return m_head + distance < m_run.size() ? &m_run[m_head + distance] : nullptr;
    }

    /**
     * Erase an entry; linear in one slot, or in the entries of one tick.
     * @param tick its tick
     * @param match called with entries of this tick; returns true for the one to erase
     * @return whether there was one
     */
    template <typename Match>
    bool Erase(uint64_t tick, Match match);

    /**
     * Take all entries out, in no order. What is called may look at the queue and insert into it.
     * @param take called with each entry
     */
    template <typename Take>
    void Drain(Take take);

  private:
    static constexpr unsigned LEVEL_BITS = 3;                   //!< bits of a tick per level
    static constexpr unsigned SLOTS = 1u << LEVEL_BITS;         //!< slots of a level
    static constexpr unsigned LEVELS = 63 / LEVEL_BITS + 1;     //!< levels that 64 bits need
    static constexpr std::size_t SORTED_SLOT = 32;              //!< longest slot that becomes a run
    static constexpr std::size_t LONGEST_RUN = 9 * SORTED_SLOT; //!< longest run sorted by insertion

    /**
     * @param a an entry
     * @param b another
     * @return whether a comes before b
     */
    static bool
    Before(const Entry& a, const Entry& b)
    {
        return a.tick < b.tick || (a.tick == b.tick && a.key < b.key);
    }

    /**
     * @param a an entry
     * @param b another
     * @return whether a comes after b: makes a heap's first entry the earliest
     */
    static bool
    After(const Entry& a, const Entry& b)
    {
        return Before(b, a);
    }

    /**
     * Move the last entry of a sorted range to its place.
     * @param entries the array
     * @param first index of the first sorted entry
     * @param last index of the entry to move
     */
    static void
    SortIn(Entry* entries, std::size_t first, std::size_t last)
    {
        const Entry entry = entries[last];
        std::size_t i = last;
        for (; i > first && Before(entry, entries[i - 1]); i--)
        {
            entries[i] = entries[i - 1];
        }
        if (i != last)
        {
            entries[i] = entry;
        }
    }

    /**
     * @param level a level
     * @param slot a slot of this level
     * @return the slot's entries
     */
    std::vector<Entry>&
    At(unsigned level, unsigned slot)
    {
        return m_slots[level * SLOTS + slot];
    }

    /** @return the lowest occupied slot; there must be one */
    const std::vector<Entry>&
    LowestSlot() const
    {
        const unsigned level = __builtin_ctz(m_levels);
        return m_slots[level * SLOTS + __builtin_ctz(m_occupied[level])];
    }

    /**
     * Note that a slot is empty.
     * @param level its level
     * @param slot its number in the level
     */
    void
    MarkEmpty(unsigned level, unsigned slot)
    {
        m_occupied[level] &= static_cast<uint8_t>(~(1u << slot));
        if (m_occupied[level] == 0)
        {
            m_levels &= ~(1u << level);
        }
    }

    /**
     * Put an entry into its slot.
     * @param entry the entry
     * @param difference its tick xor the origin, not 0
     */
    void
    InsertIntoSlot(const Entry& entry, uint64_t difference)
    {
        const unsigned level = (63 - __builtin_clzll(difference)) / LEVEL_BITS;
        const unsigned slot = (entry.tick >> (level * LEVEL_BITS)) & (SLOTS - 1);
        At(level, slot).push_back(entry);
        m_occupied[level] |= static_cast<uint8_t>(1u << slot);
        m_levels |= 1u << level;
    }

    /**
     * Sort an entry of the window into the run.
     * @param entry the entry
     */
    void
    InsertIntoRun(const Entry& entry)
    {
        if (__builtin_expect(m_run.size() - m_head >= LONGEST_RUN, 0))
        {
            InsertBesideRun(entry);
            return;
        }
        if (__builtin_expect(m_run.size() == m_run.capacity(), 0))
        {
            MakeRoomInRun();
        }
        m_run.push_back(entry);
        SortIn(m_run.data(), m_head, m_run.size() - 1);
    }

    /**
     * Insert an entry of the window when the run is too long to be sorted by insertion.
     * @param entry the entry
     */
    void InsertBesideRun(const Entry& entry);
    /** Drop what was popped from the run if that is most of it, else get more storage. */
    void MakeRoomInRun();
    /** Put the run back into slots, with the last tick popped as origin and a window of one tick. */
    void SpreadRun();
    /** @return the earliest tick outside the run, or NEVER */
    uint64_t PeekTickOfSlots() const;
    /** @return what Pop() returns, when the run is empty or there are late entries */
    Entry PopSlowly();
    /** Fill the empty run with the earliest entries, which there must be. */
    void Refill();
    /**
     * Make a run of a slot.
     * @param entries the slot's entries, of which there are few
     */
    void RefillFromShortSlot(std::vector<Entry>& entries);
    /**
     * Make a run of the earliest tick of a slot and lower the rest.
     * @param entries the slot's entries
     */
    void RefillFromLongSlot(std::vector<Entry>& entries);
    /** Sort the run, all of one tick. */
    void SortRun();
    /**
     * Erase an entry from an unordered array.
     * @param entries the array
     * @param tick the entry's tick
     * @param match tells the entry
     * @return whether there was one
     */
    template <typename Match>
    static bool EraseFrom(std::vector<Entry>& entries, uint64_t tick, Match match);

    uint64_t m_origin{0}; //!< at most the tick of any entry, and of the present
    unsigned m_windowBits{
        0};                //!< ticks that differ from the origin in these bits only are the run's
    uint32_t m_levels{0};  //!< bit l: level l has entries
    std::size_t m_head{0}; //!< index of the first entry of the run that was not popped
    uint64_t m_popped{0};  //!< entries popped, without the m_head ones of the run
    std::vector<Entry> m_run; //!< sorted from m_head on
    std::vector<Entry>
        m_late; //!< a heap of entries of the window, only if that is the origin alone
    std::vector<Entry> m_spare;               //!< storage for moves
    std::array<uint8_t, LEVELS> m_occupied{}; //!< bit s: slot s of the level has entries
    std::array<std::vector<Entry>, LEVELS * SLOTS> m_slots; //!< unordered entries
};

template <typename Entry>
std::size_t
FrameEventQueue<Entry>::GetSize() const
{
    std::size_t size = m_run.size() - m_head + m_late.size();
    for (const auto& slot : m_slots)
    {
        size += slot.size();
    }
    return size;
}

template <typename Entry>
const Entry*
FrameEventQueue<Entry>::Peek() const
{
    if (m_head != m_run.size())
    {
        const Entry& first = m_run[m_head];
        return m_late.empty() || Before(first, m_late.front()) ? &first : &m_late.front();
    }
    if (!m_late.empty())
    {
        return &m_late.front();
    }
    if (m_levels == 0)
    {
        return nullptr;
    }
    const auto& entries = LowestSlot();
    return &*std::min_element(entries.begin(), entries.end(), Before);
}

template <typename Entry>
uint64_t
FrameEventQueue<Entry>::PeekTickOfSlots() const
{
    if (!m_late.empty())
    {
        return m_origin;
    }
    uint64_t tick = NEVER;
    if (m_levels != 0)
    {
        for (const Entry& entry : LowestSlot())
        {
            tick = std::min(tick, entry.tick);
        }
    }
    return tick;
}

template <typename Entry>
Entry
FrameEventQueue<Entry>::PopSlowly()
{
    if (m_head == m_run.size())
    {
        Refill();
    }
    if (m_late.empty() || Before(m_run[m_head], m_late.front()))
    {
        return m_run[m_head++];
    }
    std::pop_heap(m_late.begin(), m_late.end(), After);
    const Entry entry = m_late.back();
    m_late.pop_back();
    m_popped++;
    return entry;
}

template <typename Entry>
void
FrameEventQueue<Entry>::InsertBesideRun(const Entry& entry)
{
    if (m_windowBits == 0)
    {
        m_late.push_back(entry);
        std::push_heap(m_late.begin(), m_late.end(), After);
        return;
    }
    SpreadRun();
    Insert(entry);
}

template <typename Entry>
void
FrameEventQueue<Entry>::MakeRoomInRun()
{
    if (m_head == 0 || m_head * 2 < m_run.size())
    {
        m_run.reserve(m_run.size() * 2 + SORTED_SLOT);
        return;
    }
    m_run.erase(m_run.begin(), m_run.begin() + m_head);
    m_popped += m_head;
    m_head = 0;
}

template <typename Entry>
void
FrameEventQueue<Entry>::SpreadRun()
{
    if (m_head != 0)
    {
        m_origin = m_run[m_head - 1].tick;
    }
    m_windowBits = 0;
    m_spare.assign(m_run.begin() + m_head, m_run.end());
    m_run.resize(m_head);
    for (const Entry& entry : m_spare)
    {
        Insert(entry);
    }
    m_spare.clear();
}

template <typename Entry>
void
FrameEventQueue<Entry>::Refill()
{
    m_run.clear();
    m_popped += m_head;
    m_head = 0;
    if (!m_late.empty())
    {
        m_run.swap(m_late);
        SortRun();
        return;
    }
    NS_ASSERT_MSG(m_levels != 0, "the queue is empty");
    const unsigned level = __builtin_ctz(m_levels);
    const unsigned slot = __builtin_ctz(m_occupied[level]);
    auto& entries = At(level, slot);
    MarkEmpty(level, slot);
    if (level == 0)
    {
        m_origin = entries[0].tick;
        m_windowBits = 0;
        m_run.swap(entries);
        SortRun();
    }
    else if (entries.size() <= SORTED_SLOT)
    {
        RefillFromShortSlot(entries);
    }
    else
    {
        RefillFromLongSlot(entries);
    }
}

template <typename Entry>
void
FrameEventQueue<Entry>::RefillFromShortSlot(std::vector<Entry>& entries)
{
    m_run.assign(entries.begin(), entries.end());
    entries.clear();
    for (std::size_t i = 1; i < m_run.size(); i++)
    {
        SortIn(m_run.data(), 0, i);
    }
    m_origin = m_run.front().tick;
    const uint64_t difference = m_origin ^ m_run.back().tick;
    m_windowBits = difference != 0 ? 64 - __builtin_clzll(difference) : 0;
}

template <typename Entry>
void
FrameEventQueue<Entry>::RefillFromLongSlot(std::vector<Entry>& entries)
{
    m_origin = NEVER;
    for (const Entry& entry : entries)
    {
        m_origin = std::min(m_origin, entry.tick);
    }
    m_windowBits = 0;
    m_spare.swap(entries);
    for (const Entry& entry : m_spare)
    {
        if (const uint64_t difference = entry.tick ^ m_origin)
        {
            InsertIntoSlot(entry, difference);
        }
        else
        {
            m_run.push_back(entry);
        }
    }
    SortRun();
    m_spare.clear();
    // the slot gets its storage back: it will be filled to this length again
    m_spare.swap(entries);
}

template <typename Entry>
void
FrameEventQueue<Entry>::SortRun()
{
    if (!std::is_sorted(m_run.begin(), m_run.end(), Before))
    {
        std::sort(m_run.begin(), m_run.end(), Before);
    }
}

template <typename Entry>
template <typename Match>
bool
FrameEventQueue<Entry>::EraseFrom(std::vector<Entry>& entries, uint64_t tick, Match match)
{
    for (Entry& entry : entries)
    {
        if (entry.tick == tick && match(entry))
        {
            entry = entries.back();
            entries.pop_back();
            return true;
        }
    }
    return false;
}

template <typename Entry>
template <typename Match>
bool
FrameEventQueue<Entry>::Erase(uint64_t tick, Match match)
{
    const uint64_t difference = tick ^ m_origin;
    if ((difference >> m_windowBits) != 0)
    {
        const unsigned level = (63 - __builtin_clzll(difference)) / LEVEL_BITS;
        const unsigned slot = (tick >> (level * LEVEL_BITS)) & (SLOTS - 1);
        auto& entries = At(level, slot);
        const bool erased = EraseFrom(entries, tick, match);
        if (erased && entries.empty())
        {
            MarkEmpty(level, slot);
        }
        return erased;
    }
    auto entry = std::lower_bound(m_run.begin() + m_head,
                                  m_run.end(),
                                  tick,
                                  [](const Entry& a, uint64_t t) { return a.tick < t; });
    for (; entry != m_run.end() && entry->tick == tick; ++entry)
    {
        if (match(*entry))
        {
            m_run.erase(entry);
            return true;
        }
    }
    if (EraseFrom(m_late, tick, match))
    {
        std::make_heap(m_late.begin(), m_late.end(), After);
        return true;
    }
    return false;
}

template <typename Entry>
template <typename Take>
void
FrameEventQueue<Entry>::Drain(Take take)
{
    std::vector<Entry> entries;
    while (!IsEmpty())
    {
        entries.clear();
        if (m_head != m_run.size())
        {
            entries.assign(m_run.begin() + m_head, m_run.end());
            m_run.resize(m_head);
        }
        else if (!m_late.empty())
        {
            entries.swap(m_late);
        }
        else
        {
            const unsigned level = __builtin_ctz(m_levels);
            const unsigned slot = __builtin_ctz(m_occupied[level]);
            entries.swap(At(level, slot));
            MarkEmpty(level, slot);
        }
        for (const Entry& entry : entries)
        {
            take(entry);
        }
    }
}

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_EVENT_QUEUE_H
