// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_SENDER_H
#define LLM_FABRIC_RELAY_SENDER_H

#include "relay-chunk.h"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What an accelerator sends over relays: which of its messages wait, and its credit with each relay.
 *
 * Messages take their places in the order of the ticks of Post(), those of a tick by the distance of
 * their destination, owner, flow, instance and place. With each relay they are served in this order,
 * each to its end. A message that may go over either of two relays stands with both of them, and each
 * of its chunks takes the one over which less is under way, of those that have credit for it.
 */
class RelaySender
{
  public:
    /** How a message may go. */
    struct Way
    {
        uint32_t relay = 0;          //!< a relay
        uint32_t other = UINT32_MAX; //!< another one; UINT32_MAX: none
        uint64_t most = 0;           //!< bytes of a chunk at most; a whole credit holds so many
        uint32_t distance = 0;       //!< of the destination
    };

    /**
     * @param message is to go over a relay
     * @param way how
     */
    void Post(const Message& message, const Way& way);

    /**
     * Give messages that were posted their places.
     * @param placed gets them in order
     */
    void Order(std::vector<std::shared_ptr<RelayedMessage>>& placed);

    /**
     * Take the next chunk for which there is credit, and the credit with it.
     * @return the chunk, or null
     */
    RelayChunkPtr TakeNext();

    /**
     * @param relay a relay that the sender knows
     * @param bytes of credit that it gives back
     * @return whether a message waits for it
     */
    bool GiveBack(uint32_t relay, uint64_t bytes);

    /**
     * Make a relay known.
     * @param relay the relay
     * @param credit what it grants the sender, bytes
     * @param distance in whose order relays are served
     */
    void AddRelay(uint32_t relay, uint64_t credit, uint32_t distance)
    {
        const auto [lane, isNew] = m_lanes.try_emplace(relay);
        if (isNew)
        {
            lane->second.credit = credit;
            lane->second.distance = distance;
        }
    }

    /** @return number of messages that have not left as a whole */
    uint64_t GetWaitingCount() const
    {
        return m_posted.size() + m_waiting;
    }

  private:
    /** A message that has not left as a whole. */
    struct Waiting
    {
        std::shared_ptr<RelayedMessage> relayed; //!< the message
        Way way;                                 //!< how it may go
    };

    /** What a sender has to do with a relay. */
    struct Lane
    {
        uint64_t credit = 0;         //!< in all, bytes
        uint64_t taken = 0;          //!< of it, bytes
        uint32_t distance = 0;       //!< place among the relays
        std::deque<Waiting> waiting; //!< in the order of service
    };

    /**
     * @param waiting a message
     * @param bytes of its next chunk
     * @return the relay over which it goes, or UINT32_MAX while there is no credit
     */
    uint32_t Choose(const Waiting& waiting, uint64_t bytes) const;

    std::vector<Waiting> m_posted;    //!< not yet ordered
    uint64_t m_waiting = 0;           //!< messages that are and have not left
    std::map<uint32_t, Lane> m_lanes; //!< by relay
    /** Relays that may have become ready for a chunk, with their distances before them. */
    std::set<std::pair<uint32_t, uint32_t>> m_ripe;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_SENDER_H
