// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SEND_CREDITS_H
#define LLM_FABRIC_SEND_CREDITS_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * How many more messages a rank may send before some are acknowledged.
 *
 * What comes back in a tick can be taken in the next one, so that the order of simultaneous events
 * does not matter.
 */
class SendCredits
{
  public:
    /** @param most messages that may be on their way; 0 is no limit */
    void SetMost(uint32_t most)
    {
        m_most = most;
    }

    /**
     * @param tick now
     * @return whether Take() would succeed
     */
    bool HasRoom(int64_t tick) const
    {
        const uint32_t back = m_returnedTick < tick ? m_returned : 0;
        return m_most == 0 || m_taken - back < m_most;
    }

    /**
     * Take a credit for a message.
     * @param tick now
     * @return false when there is none
     */
    bool Take(int64_t tick)
    {
        if (!HasRoom(tick))
        {
            return false;
        }
        Settle(tick);
        ++m_taken;
        return true;
    }

    /** A message has been acknowledged. @param tick now */
    void Return(int64_t tick)
    {
        Settle(tick);
        m_returnedTick = tick;
        ++m_returned;
    }

  private:
    /** Count what has come back before a tick. @param tick now */
    void Settle(int64_t tick)
    {
        if (m_returnedTick < tick)
        {
            m_taken -= m_returned;
            m_returned = 0;
        }
    }

    uint32_t m_most = 0;        //!< see SetMost()
    uint32_t m_taken = 0;       //!< on their way, those of m_returned included
    uint32_t m_returned = 0;    //!< came back at m_returnedTick
    int64_t m_returnedTick = 0; //!< when a credit came back last
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SEND_CREDITS_H
