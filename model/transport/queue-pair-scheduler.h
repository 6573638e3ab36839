// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_QUEUE_PAIR_SCHEDULER_H
#define LLM_FABRIC_QUEUE_PAIR_SCHEDULER_H

#include "rdma-config.h"
#include "send-queue-pair.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Whose turn it is at a NIC: queue pairs that may send stand in rounds, one for each priority, or in one
 * round where priorities do not matter. In a round each sends a frame in turn.
 *
 * Among rounds, WEIGHTED is deficit round-robin that charges afterwards: a round whose turn comes gets a
 * credit of its weight times a full frame, sends while it has any, and keeps what it has overdrawn. The
 * cost of a frame depends on neither the number of queue pairs nor that of weights.
 */
class QueuePairScheduler
{
  public:
    /** @param config how to schedule, and the size of a full frame */
    explicit QueuePairScheduler(const RdmaConfig& config);

    /** @param priority of a message @return its round */
    uint8_t GetRound(uint32_t priority) const
    {
        return m_scheduling == RdmaScheduling::ROUND_ROBIN ? uint8_t{0}
                                                           : static_cast<uint8_t>(priority);
    }

    /** @return whether no queue pair stands here */
    bool IsEmpty() const
    {
        return m_occupied == 0;
    }

    /** @param queuePair goes to the end of its round */
    void Push(SendQueuePair& queuePair)
    {
        Round& round = m_rounds[queuePair.round];
        queuePair.nextReady = nullptr;
        if (round.head)
        {
            round.tail->nextReady = &queuePair;
        }
        else
        {
            round.head = &queuePair;
            m_occupied |= 1u << queuePair.round;
        }
        round.tail = &queuePair;
    }

    /** @return whose turn it is, taken out of its round; there is one */
    SendQueuePair& Pop()
    {
        if (__builtin_expect((m_occupied & (m_occupied - 1)) != 0, 0))
        {
            Choose();
        }
        else
        {
            m_current = static_cast<uint32_t>(__builtin_ctz(m_occupied));
            m_isContended = false;
        }
        Round& round = m_rounds[m_current];
        SendQueuePair& queuePair = *round.head;
        round.head = queuePair.nextReady;
        if (round.head)
        {
            round.head->Prefetch(); // its turn comes after one frame
        }
        else
        {
            m_occupied &= ~(1u << m_current);
        }
        return queuePair;
    }

    /** The one whose turn it was has sent. @param bytes on the wire */
    void Charge(uint32_t bytes)
    {
        // a round that is alone owes nobody anything
        if (__builtin_expect(m_isContended, 0))
        {
            m_rounds[m_current].credit -= bytes;
        }
    }

    /** @param call is called with each queue pair that stands here */
    template <typename F>
    void ForEach(F call) const
    {
        for (const Round& round : m_rounds)
        {
            for (SendQueuePair* one = round.head; one; one = one->nextReady)
            {
                call(*one);
            }
        }
    }

    /**
     * Read weights. Wrong ones are refused.
     * @param text up to eight numbers from 1 to 65535, those of priority 0, 1 and so on, with commas
     * @return weights; those that are not named are 1
     */
    static std::array<uint32_t, MESSAGE_PRIORITIES> ReadWeights(const std::string& text);

  private:
    /** Queue pairs of a priority. */
    struct Round
    {
        SendQueuePair* head = nullptr; //!< the first
        SendQueuePair* tail = nullptr; //!< the last
        int64_t credit = 0;            //!< wire bytes that it may send before others
        int64_t quantum = 0;           //!< credit of a turn, at least a full frame
    };

    /** Find the round whose turn it is, among several. */
    void Choose();
    /** Choose(), by weight. */
    void ChooseByWeight();

    std::array<Round, MESSAGE_PRIORITIES> m_rounds; //!< by priority
    RdmaScheduling m_scheduling;                    //!< how to choose among rounds
    uint32_t m_occupied = 0;                        //!< bit by round: it has queue pairs
    uint32_t m_current = 0;                         //!< the round whose turn it is
    bool m_isContended = false;                     //!< it was chosen among several, by weight
};

} // namespace ns3::llm

#endif // LLM_FABRIC_QUEUE_PAIR_SCHEDULER_H
