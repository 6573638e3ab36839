// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PSN_BITMAP_H
#define LLM_FABRIC_PSN_BITMAP_H

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * A bit for each packet sequence number of a range that moves on: who moves it clears what it leaves.
 */
class PsnBitmap
{
  public:
    /** @param frames length of the range, at least 1 */
    explicit PsnBitmap(uint32_t frames)
    {
        uint32_t words = 1;
        while (words * 64u < frames)
        {
            words *= 2;
        }
        m_words.resize(words);
    }

    /** @param psn a number @return whether its bit is set */
    bool Test(uint64_t psn) const
    {
        return Word(psn) >> (psn % 64) & 1;
    }

    /** Set a bit. @param psn its number @return whether it was clear */
    bool Set(uint64_t psn)
    {
        const bool isNew = !Test(psn);
        m_words[psn / 64 % m_words.size()] |= uint64_t{1} << (psn % 64);
        return isNew;
    }

    /** Clear a bit. @param psn its number @return whether it was set */
    bool Clear(uint64_t psn)
    {
        const bool wasSet = Test(psn);
        m_words[psn / 64 % m_words.size()] &= ~(uint64_t{1} << (psn % 64));
        return wasSet;
    }

  private:
    /** @param psn a number @return the word that its bit is in */
    uint64_t Word(uint64_t psn) const
    {
        return m_words[psn / 64 % m_words.size()];
    }

    std::vector<uint64_t> m_words; //!< a power of two of them
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PSN_BITMAP_H
