// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_ORDER_H
#define LLM_FABRIC_RELAY_ORDER_H

#include "relay-chunk.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Keeps messages of a flow in order that take several ways: one that has overtaken another is told of
 * when that is.
 */
class RelayOrder
{
  public:
    /** Gets a message whose turn has come. */
    using Tell = std::function<void(const Message&)>;

    /** @param relayed the next message of its flow */
    void Add(const std::shared_ptr<RelayedMessage>& relayed)
    {
        Line& line = m_lines[GetKey(relayed->message)];
        line.undelivered.push_back(relayed);
        line.unacknowledged.push_back(relayed);
    }

    /**
     * A message is at its destination (its `isDelivered` is set).
     * @param message the message
     * @param tell gets those whose turn it is
     */
    void Deliver(const Message& message, const Tell& tell)
    {
        Line& line = m_lines.at(GetKey(message));
        Move(line.undelivered, &RelayedMessage::isDelivered, tell);
    }

    /**
     * A message is acknowledged (its `isAcknowledged` is set).
     * @param message the message
     * @param tell gets those whose turn it is
     */
    void Acknowledge(const Message& message, const Tell& tell)
    {
        Line& line = m_lines.at(GetKey(message));
        Move(line.unacknowledged, &RelayedMessage::isAcknowledged, tell);
    }

  private:
    /** Messages in order. */
    using Queue = std::deque<std::shared_ptr<RelayedMessage>>;
    /** Source, destination, owner, flow, priority. */
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

    /** A flow. */
    struct Line
    {
        Queue undelivered;    //!< of which the destination was not told
        Queue unacknowledged; //!< of which the source was not told
    };

    /** @param message a message @return its flow */
    static Key GetKey(const Message& message)
    {
        return {message.source, message.destination, message.owner, message.flow, message.priority};
    }

    /**
     * Tell of the first messages that are ready.
     * @param queue the flow's
     * @param isReady says so
     * @param tell gets them
     */
    static void Move(Queue& queue, bool RelayedMessage::*isReady, const Tell& tell)
    {
        while (!queue.empty() && (*queue.front()).*isReady)
        {
            const auto relayed = queue.front();
            queue.pop_front();
            tell(relayed->message);
        }
    }

    std::map<Key, Line> m_lines; //!< by flow
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_ORDER_H
