// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_EVENT_RUN_H
#define LLM_FABRIC_FRAME_EVENT_RUN_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * The entries of a FrameEventQueue that are to run next: an array that is sorted by (tick, key), is
 * popped at the front and is added to near the back. What was popped stays until there are no others,
 * or room is needed.
 *
 * @tparam Entry a copyable type with the members `uint64_t tick` and `uint64_t key`
 * @tparam Allocator gets storage for them
 */
template <typename Entry, typename Allocator = std::allocator<Entry>>
class FrameEventRun
{
  public:
    /** An array of entries. */
    using Entries = std::vector<Entry, Allocator>;

    /**
     * @param a an entry
     * @param b another
     * @return whether a comes before b
     */
    static bool Before(const Entry& a, const Entry& b)
    {
        return a.tick < b.tick || (a.tick == b.tick && a.key < b.key);
    }

    /** @return whether there are no entries */
    bool IsEmpty() const
    {
        return m_head == m_entries.size();
    }

    /** @return number of entries */
    std::size_t GetSize() const
    {
        return m_entries.size() - m_head;
    }

    /** @return number of entries popped since the run was made */
    uint64_t GetPopCount() const
    {
        return m_popped + m_head;
    }

    /**
     * @param distance number of entries before the one that is wanted, below GetSize()
     * @return the entry
     */
    const Entry& Peek(std::size_t distance = 0) const
    {
        return m_entries[m_head + distance];
    }

    /** @return the last entry; there must be one */
    const Entry& PeekLast() const
    {
        return m_entries.back();
    }

    /** @return the entry popped last if it is still known, else nullptr */
    const Entry* PeekPopped() const
    {
        return m_head != 0 ? &m_entries[m_head - 1] : nullptr;
    }

    /** @return the first entry, which is removed; there must be one */
    const Entry& Pop()
    {
        return m_entries[m_head++];
    }

    /**
     * Insert an entry; linear in the number of those after it.
     * @param entry the entry
     */
    void Insert(const Entry& entry)
    {
        if (__builtin_expect(m_entries.size() == m_entries.capacity(), 0))
        {
            MakeRoom();
        }
        m_entries.push_back(entry);
        SortIn(m_head, m_entries.size() - 1);
    }

    /**
     * Append an entry, in no order: Sort() must follow.
     * @param entry the entry
     */
    void Append(const Entry& entry)
    {
        m_entries.push_back(entry);
    }

    /** Sort all entries, of which there may be many; none was popped since Clear(). */
    void Sort()
    {
        std::sort(m_entries.begin(), m_entries.end(), Before);
    }

    /**
     * Fill the run, which is clear.
     * @param entries what to fill it with: few, in no order
     */
    void AssignFew(const Entries& entries)
    {
        m_entries.assign(entries.begin(), entries.end());
        for (std::size_t i = 1; i < m_entries.size(); i++)
        {
            SortIn(0, i);
        }
    }

    /**
     * Fill the run, which is clear.
     * @param entries what to fill it with: any number, in no order; empty afterwards
     */
    void TakeMany(Entries& entries)
    {
        m_entries.swap(entries);
        Sort();
    }

    /**
     * Copy all entries and remove them. What was popped last stays known.
     * @param entries where to
     */
    void MoveTo(Entries& entries)
    {
        entries.assign(m_entries.begin() + m_head, m_entries.end());
        m_entries.resize(m_head);
    }

    /** Forget what was popped, when there are no entries. */
    void Clear()
    {
        m_popped += m_head;
        m_head = 0;
        m_entries.clear();
    }

    /**
     * Erase an entry.
     * @param match returns true for the one to erase
     * @return whether there was one
     */
    template <typename Match>
    bool Erase(Match match)
    {
        const auto entry = std::find_if(m_entries.begin() + m_head, m_entries.end(), match);
        if (entry == m_entries.end())
        {
            return false;
        }
        m_entries.erase(entry);
        return true;
    }

  private:
    /**
     * Move an entry to its place among those before it.
     * @param first index from which these are sorted
     * @param last index of the entry
     */
    void SortIn(std::size_t first, std::size_t last)
    {
        Entry* const entries = m_entries.data();
        const Entry entry = entries[last];
        std::size_t i = last;
        for (; i > first && Before(entry, entries[i - 1]); i--)
        {
            entries[i] = entries[i - 1];
        }
        entries[i] = entry;
    }

    /** Forget what was popped if that is most, else get more storage. */
    void MakeRoom()
    {
        constexpr std::size_t SOME = 32;
        if (m_head == 0 || m_head * 2 < m_entries.size())
        {
            m_entries.reserve(m_entries.size() * 2 + SOME);
            return;
        }
        m_entries.erase(m_entries.begin(), m_entries.begin() + m_head);
        m_popped += m_head;
        m_head = 0;
    }

    std::size_t m_head{0}; //!< index of the first entry that was not popped
    uint64_t m_popped{0};  //!< entries popped, without the first m_head
    Entries m_entries;     //!< sorted from m_head on
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_EVENT_RUN_H
