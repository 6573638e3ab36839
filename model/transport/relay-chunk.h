// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_CHUNK_H
#define LLM_FABRIC_RELAY_CHUNK_H

#include "message-transport.h"

#include <cstdint>
#include <memory>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * A message that goes over a relay.
 */
struct RelayedMessage
{
    Message message;             //!< as it was sent
    uint64_t sent = 0;           //!< how much of it has left
    bool hasLeft = false;        //!< all of it has
    uint64_t undelivered = 0;    //!< parts that have left and are not at the destination
    uint64_t unacknowledged = 0; //!< chunks that have left and of which the source knows nothing
    bool isDelivered = false;    //!< all of it is at the destination
    bool isAcknowledged = false; //!< and the source knows
};

/**
 * @ingroup llm-fabric-transport
 * A part of a message for which a sender takes a credit.
 */
struct RelayChunk
{
    std::shared_ptr<RelayedMessage> relayed; //!< the whole message
    uint32_t relay = 0;                      //!< over which it goes
    uint64_t bytes = 0;                      //!< payload
    bool isLast = false;                     //!< of its message
    bool isOwn = false;                      //!< the relay's own: it needs no credit
    uint64_t partsAway = 0;                  //!< parts not acknowledged to the relay
};

/**
 * @ingroup llm-fabric-transport
 * A chunk under way.
 */
using RelayChunkPtr = std::shared_ptr<RelayChunk>;

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_CHUNK_H
