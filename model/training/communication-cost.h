// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COMMUNICATION_COST_H
#define LLM_FABRIC_COMMUNICATION_COST_H

#include "ns3/nstime.h"
#include "ns3/training-graph.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * What a message costs on a network that it has for itself.
 */
struct MessageCost
{
    /**
     * Software: from the start of a SEND until the sender's NIC has the message, when the SEND is
     * done; and from the start of a RECEIVE until it can see what has come.
     */
    Time launch;
    Time transfer; //!< how long it keeps the sender's NIC busy, and the receiver's
    Time latency;  //!< from its last bit sent until it is there
};

/**
 * @ingroup llm-fabric-training
 * What communication costs in closed form, for IterationReplay. Derive from it for a network of your
 * own; RingCommunicationCost is the built-in one.
 */
class CommunicationCost
{
  public:
    virtual ~CommunicationCost() = default;

    /**
     * @param dimension along which dimension
     * @param kind a collective
     * @param bytes its S, as in TrainingTask
     * @param ranks size of the group, at least 2
     * @return the time from when the last rank has started it until it is done
     */
    virtual Time GetCollectiveTime(ParallelDimension dimension,
                                   TrainingTask::Kind kind,
                                   uint64_t bytes,
                                   uint32_t ranks) const = 0;
    /**
     * @param dimension along which dimension
     * @param bytes size of the message
     * @return its cost
     */
    virtual MessageCost GetMessageCost(ParallelDimension dimension, uint64_t bytes) const = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COMMUNICATION_COST_H
