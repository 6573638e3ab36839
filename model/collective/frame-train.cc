// SPDX-License-Identifier: GPL-2.0-only

#include "frame-train.h"

namespace ns3::llm
{

namespace
{

/** Ways of some consecutive frames through links. */
class Ways
{
  public:
    /** @param times of one frame, by link */
    explicit Ways(const std::vector<int64_t>& times)
        : m_size(times.size()),
          m_longest(m_size * m_size, 0)
    {
        for (std::size_t enter = 0; enter < m_size; ++enter)
        {
            int64_t sum = 0;
            for (std::size_t leave = enter; leave < m_size; ++leave)
            {
                sum += times[leave];
                m_longest[enter * m_size + leave] = sum;
            }
        }
    }

    /** @param next frames that follow @return ways of all of them */
    Ways Then(const Ways& next) const
    {
        Ways all = *this;
        for (std::size_t enter = 0; enter < m_size; ++enter)
        {
            for (std::size_t leave = enter; leave < m_size; ++leave)
            {
                int64_t longest = 0;
                for (std::size_t via = enter; via <= leave; ++via)
                {
                    longest = std::max(longest, Get(enter, via) + next.Get(via, leave));
                }
                all.m_longest[enter * m_size + leave] = longest;
            }
        }
        return all;
    }

    /** @param frames what comes again and again @param count how often @return ways of all of them */
    Ways ThenRepeat(Ways frames, uint64_t count) const
    {
        Ways all = *this;
        for (; count > 0; count /= 2)
        {
            all = count % 2 != 0 ? all.Then(frames) : all;
            frames = frames.Then(frames);
        }
        return all;
    }

    /** @param enter first link @param leave last one @return the longest way between them */
    int64_t Get(std::size_t enter, std::size_t leave) const
    {
        return m_longest[enter * m_size + leave];
    }

  private:
    std::size_t m_size;             //!< links
    std::vector<int64_t> m_longest; //!< by first and last link
};

} // namespace

int64_t
GetWritesTime(const FrameTrain<int64_t>& train,
              const std::vector<int64_t>& lone,
              uint64_t frames,
              uint64_t framesPerWrite)
{
    const Ways first(train.first);
    const Ways middle(train.middle);
    const Ways write = first.ThenRepeat(middle, framesPerWrite - 1);
    const uint64_t full = (frames - 1) / framesPerWrite; // writes before the last one
    const uint64_t rest = frames - full * framesPerWrite;
    const Ways before = write.ThenRepeat(write, full - 1);
    const Ways all = rest == 1
                         ? before.Then(Ways(lone))
                         : before.Then(first.ThenRepeat(middle, rest - 2)).Then(Ways(train.last));
    return all.Get(0, train.first.size() - 1);
}

} // namespace ns3::llm
