// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_EVENT_QUEUE_H
#define LLM_FABRIC_FRAME_EVENT_QUEUE_H

#include "frame-event-run.h"
#include "frame-event-wheel.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

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
 * Monotone means that no entry may lie before the tick of the last one popped. The next entries lie
 * in a FrameEventRun, the others in a FrameEventWheel. The run has all entries of a range of ticks,
 * the window: those that differ from the origin in the lowest bits only. When the run is
 * empty, the wheel's lowest slot is sorted into it if it is short; if it is long, its earliest tick
 * becomes the origin and the whole window, and the rest falls to lower slots. Entries that are
 * inserted into the window are sorted in from the back of the run.
 *
 * The cost of an entry stays bounded when thousands have one tick, be they inserted before that tick
 * or while it runs: a run that grows too long goes back to the wheel, and if all of it has the
 * origin's tick, late entries of that tick go to a heap beside it. Storage is kept, so that the
 * steady state allocates nothing.
 *
 * @tparam Entry a copyable type with the members `uint64_t tick` and `uint64_t key`
 * @tparam Allocator gets storage for them
 */
template <typename Entry, typename Allocator = std::allocator<Entry>>
class FrameEventQueue
{
  public:
    /** The tick of nothing; no entry may have it. */
    static constexpr uint64_t NEVER = FrameEventWheel<Entry, Allocator>::NEVER;

    /** @return whether there are no entries */
    bool IsEmpty() const
    {
        return m_run.IsEmpty() && m_wheel.IsEmpty() && m_late.empty();
    }

    /** @return the number of entries; counts all slots, so not for each event */
    std::size_t GetSize() const
    {
        return m_run.GetSize() + m_late.size() + m_wheel.GetSize();
    }

    /** @return the number of entries popped so far */
    uint64_t GetPopCount() const
    {
        return m_run.GetPopCount() + m_latePopped;
    }

    /**
     * Insert an entry.
     * @param entry the entry, not before the tick of the last one popped
     */
    void Insert(const Entry& entry)
    {
        NS_ASSERT_MSG(entry.tick >= m_origin, "an entry lies in the past of its queue");
        const uint64_t difference = entry.tick ^ m_origin;
        if ((difference >> m_windowBits) != 0)
        {
            m_wheel.Insert(entry, difference);
        }
        else
        {
            InsertIntoWindow(entry);
        }
    }

    /**
     * Look at the earliest tick. Nothing moves, so that entries before it can still be inserted.
     * @return the tick, or NEVER if the queue is empty
     */
    uint64_t PeekTick() const
    {
        return m_run.IsEmpty() ? PeekTickOutsideRun() : m_run.Peek().tick;
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
    Entry Pop()
    {
        if (__builtin_expect(m_run.IsEmpty() || !m_late.empty(), 0))
        {
            return PopSlowly();
        }
        return m_run.Pop();
    }

    /** @return number of entries that Ahead() knows */
    std::size_t GetAheadCount() const
    {
        return m_run.GetSize();
    }

    /**
     * Look ahead, as a hint only: other entries may come before this one.
     * @param distance 0 for the next entry; below GetAheadCount()
     * @return an entry that is likely to be popped after `distance` others
     */
    const Entry& Ahead(std::size_t distance) const
    {
        return m_run.Peek(distance);
    }

    /**
     * Erase an entry; linear in one slot, or in the run.
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
    /** What runs next. */
    using Run = FrameEventRun<Entry, Allocator>;
    /** An array of entries. */
    using Entries = typename Run::Entries;

    static constexpr std::size_t SHORT_SLOT = 32; //!< longest slot that becomes a run as it is
    static constexpr std::size_t LONG_RUN = 288;  //!< length at which a run is not sorted into

    /**
     * @param a an entry
     * @param b another
     * @return whether a comes after b: makes the earliest the first of a heap
     */
    static bool After(const Entry& a, const Entry& b)
    {
        return Run::Before(b, a);
    }

    /**
     * Insert an entry of the window.
     * @param entry the entry
     */
    void InsertIntoWindow(const Entry& entry)
    {
        if (__builtin_expect(m_run.GetSize() >= LONG_RUN, 0))
        {
            InsertBesideRun(entry);
            return;
        }
        m_run.Insert(entry);
    }

    /**
     * Insert an entry of the window while the run is too long to be sorted into.
     * @param entry the entry
     */
    void InsertBesideRun(const Entry& entry);
    /** @return the earliest tick outside the run, or NEVER */
    uint64_t PeekTickOutsideRun() const;
    /** @return the first entry, when the run is empty or there are late entries */
    Entry PopSlowly();
    /** Fill the empty run with the earliest entries, of which there must be some. */
    void Refill();
    /**
     * Make a short slot the run.
     * @param slot the slot
     */
    void RefillFromShort(Entries& slot);
    /**
     * Make the earliest tick of a long slot, which is the origin by now, the run.
     * @param slot the slot
     */
    void RefillFromLong(Entries& slot);

    uint64_t m_origin{0};     //!< at most the tick of any entry, and of the present
    unsigned m_windowBits{0}; //!< the window is what differs from the origin in these bits only
    uint64_t m_latePopped{0}; //!< late entries popped
    Run m_run;                //!< entries of the window
    Entries m_late;           //!< a heap; used only while the window is the origin's tick alone
    Entries m_spare;          //!< storage for moves
    FrameEventWheel<Entry, Allocator> m_wheel; //!< entries outside the window
};

template <typename Entry, typename Allocator>
const Entry*
FrameEventQueue<Entry, Allocator>::Peek() const
{
    const Entry* first = m_run.IsEmpty() ? nullptr : &m_run.Peek();
    if (!m_late.empty() && (first == nullptr || Run::Before(m_late.front(), *first)))
    {
        first = &m_late.front();
    }
    if (first == nullptr && !m_wheel.IsEmpty())
    {
        const auto& slot = m_wheel.PeekLowest();
        first = &*std::min_element(slot.begin(), slot.end(), Run::Before);
    }
    return first;
}

template <typename Entry, typename Allocator>
uint64_t
FrameEventQueue<Entry, Allocator>::PeekTickOutsideRun() const
{
    return m_late.empty() ? m_wheel.PeekTick() : m_origin;
}

template <typename Entry, typename Allocator>
Entry
FrameEventQueue<Entry, Allocator>::PopSlowly()
{
    if (m_run.IsEmpty())
    {
        Refill();
    }
    if (m_late.empty() || !Run::Before(m_late.front(), m_run.Peek()))
    {
        return m_run.Pop();
    }
    std::pop_heap(m_late.begin(), m_late.end(), After);
    const Entry entry = m_late.back();
    m_late.pop_back();
    m_latePopped++;
    return entry;
}

template <typename Entry, typename Allocator>
void
FrameEventQueue<Entry, Allocator>::InsertBesideRun(const Entry& entry)
{
    if (m_windowBits == 0)
    {
        m_late.push_back(entry);
        std::push_heap(m_late.begin(), m_late.end(), After);
        return;
    }
    // Narrow the window to one tick, the present if it is known, and spread the run again.
    if (const Entry* popped = m_run.PeekPopped())
    {
        m_origin = popped->tick;
    }
    m_windowBits = 0;
    m_run.MoveTo(m_spare);
    for (const Entry& moved : m_spare)
    {
        Insert(moved);
    }
    m_spare.clear();
    Insert(entry);
}

template <typename Entry, typename Allocator>
void
FrameEventQueue<Entry, Allocator>::Refill()
{
    m_run.Clear();
    if (!m_late.empty())
    {
        m_run.TakeMany(m_late);
        return;
    }
    NS_ASSERT_MSG(!m_wheel.IsEmpty(), "the queue is empty");
    const uint64_t first = m_wheel.PeekTick();
    auto& slot = m_wheel.TakeLowest();
    if (slot.size() <= SHORT_SLOT)
    {
        RefillFromShort(slot);
    }
    else
    {
        m_origin = first;
        RefillFromLong(slot);
    }
}

template <typename Entry, typename Allocator>
void
FrameEventQueue<Entry, Allocator>::RefillFromShort(Entries& slot)
{
    m_run.AssignFew(slot);
    slot.clear();
    m_origin = m_run.Peek().tick;
    const uint64_t difference = m_origin ^ m_run.PeekLast().tick;
    m_windowBits = difference != 0 ? 64 - __builtin_clzll(difference) : 0;
}

template <typename Entry, typename Allocator>
void
FrameEventQueue<Entry, Allocator>::RefillFromLong(Entries& slot)
{
    m_windowBits = 0;
    m_spare.swap(slot);
    for (const Entry& entry : m_spare)
    {
        if (const uint64_t difference = entry.tick ^ m_origin)
        {
            m_wheel.Insert(entry, difference);
        }
        else
        {
            m_run.Append(entry);
        }
    }
    m_run.Sort();
    m_spare.clear();
    // the slot gets its storage back: it will be filled to this length again
    m_spare.swap(slot);
}

template <typename Entry, typename Allocator>
template <typename Match>
bool
FrameEventQueue<Entry, Allocator>::Erase(uint64_t tick, Match match)
{
    const uint64_t difference = tick ^ m_origin;
    if ((difference >> m_windowBits) != 0)
    {
        return m_wheel.Erase(tick, difference, match);
    }
    const auto isIt = [tick, &match](const Entry& e)
    {
        return e.tick == tick && match(e);
    };
    if (m_run.Erase(isIt))
    {
        return true;
    }
    const auto entry = std::find_if(m_late.begin(), m_late.end(), isIt);
    if (entry != m_late.end())
    {
        m_late.erase(entry);
        std::make_heap(m_late.begin(), m_late.end(), After);
        return true;
    }
    return false;
}

template <typename Entry, typename Allocator>
template <typename Take>
void
FrameEventQueue<Entry, Allocator>::Drain(Take take)
{
    Entries entries;
    while (!IsEmpty())
    {
        m_run.MoveTo(entries);
        entries.insert(entries.end(), m_late.begin(), m_late.end());
        m_late.clear();
        if (!m_wheel.IsEmpty())
        {
            auto& slot = m_wheel.TakeLowest();
            entries.insert(entries.end(), slot.begin(), slot.end());
            slot.clear();
        }
        for (const Entry& entry : entries)
        {
            take(entry);
        }
    }
}

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_EVENT_QUEUE_H
