// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SENT_WINDOWS_H
#define LLM_FABRIC_SENT_WINDOWS_H

#include <array>
#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * The windows under which the frames in flight were sent, to a sixth of a round trip.
 *
 * Kept in a queue pair's state, so small: a PSN is held modulo 2^32 and a window as a float.
 */
class SentWindows
{
  public:
    /**
     * Forget all and begin.
     * @param window in force, bytes
     */
    void Reset(double window)
    {
        m_entries.fill({0, static_cast<float>(window)});
    }

    /**
     * Note the window from here on, if enough frames went out since the last note.
     * @param nextPsn next to be sent for the first time
     * @param ackedPsn first not acknowledged
     * @param window in force, bytes
     */
    void Note(uint64_t nextPsn, uint64_t ackedPsn, double window)
    {
        const auto psn = static_cast<uint32_t>(nextPsn);
        const auto inFlight = static_cast<uint32_t>(nextPsn - ackedPsn);
        const uint32_t since = psn - m_entries[m_newest].psn;
        if (since == 0)
        {
            m_entries[m_newest].window = static_cast<float>(window);
        }
        else if (since >= inFlight / (SIZE - 1))
        {
            m_newest = (m_newest + 1) % SIZE;
            m_entries[m_newest] = {psn, static_cast<float>(window)};
        }
    }

    /**
     * @param psn a frame that was sent
     * @return the window in force then, bytes; for one older than all notes, the oldest
     */
    double At(uint64_t psn) const
    {
        uint32_t i = m_newest;
        for (uint32_t back = 0; back < SIZE - 1; ++back)
        {
            const auto ahead = static_cast<int32_t>(m_entries[i].psn - static_cast<uint32_t>(psn));
            if (ahead <= 0)
            {
                break;
            }
            i = (i + SIZE - 1) % SIZE;
        }
        return m_entries[i].window;
    }

  private:
    static constexpr uint32_t SIZE = 7; //!< notes kept: what the state has room for

    /** A note. */
    struct Entry
    {
        uint32_t psn; //!< the first frame sent under it
        float window; //!< bytes
    };

    std::array<Entry, SIZE> m_entries{}; //!< a ring
    uint32_t m_newest = 0;               //!< place of the last note
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SENT_WINDOWS_H
