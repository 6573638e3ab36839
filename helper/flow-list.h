// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_LIST_H
#define LLM_FABRIC_FLOW_LIST_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/** How far a flow is. */
enum class FlowState : uint8_t
{
    WAITING,      //!< not sent yet
    SENT,         //!< the transport has it
    RECEIVED,     //!< all of it is at the destination
    ACKNOWLEDGED, //!< the source knows so
};

/**
 * @ingroup llm-fabric-helper
 * A flow: bytes from one accelerator (host) to another, one message of the transport.
 */
struct Flow
{
    /** Value of `after`: it waits for no other flow. */
    static constexpr uint32_t NONE = UINT32_MAX;
    /** Value of `queuePair`: one that no other flow of the list has. */
    static constexpr uint32_t OWN = UINT32_MAX;

    uint32_t source = 0;      //!< sending accelerator
    uint32_t destination = 0; //!< receiving accelerator
    uint64_t bytes = 0;       //!< payload
    Time start;               //!< when it starts: after the begin of the run, or after `after`
    uint32_t after = NONE;    //!< place in the list of a flow that it waits for, before its own
    FlowState afterState = FlowState::ACKNOWLEDGED; //!< what is to have become of that: RECEIVED
                                                    //!< or ACKNOWLEDGED
    uint32_t group = 0; //!< which part of the traffic it belongs to, for results (HPCC's priority
                        //!< group); it changes nothing in the network
    uint32_t queuePair = OWN; //!< which of the queue pairs of (source, destination), below 2^30
};

/**
 * @ingroup llm-fabric-helper
 * Flows, in any order of their starts.
 */
using FlowList = std::vector<Flow>;

/**
 * @ingroup llm-fabric-helper
 * Refuse flows that cannot be run. A flow may wait only for one that stands before it, so no cycle
 * can be; and for what its source can see: a flow that was received there, or was acknowledged there.
 * @param flows the flows
 * @param accelerators number of accelerators
 */
void CheckFlows(const FlowList& flows, uint32_t accelerators);

/**
 * @ingroup llm-fabric-helper
 * Read a flow file of HPCC's simulator. Its first line has the number of flows, each further one a
 * flow: source, destination, priority group, destination port, size in bytes, start in seconds. The
 * lines need not be sorted; "#" begins a comment. The port is read and not used.
 * @param path its path
 * @param accelerators number of accelerators (hosts), whose ids are 0 to that number - 1
 * @return the flows
 */
FlowList ReadHpccFlows(const std::string& path, uint32_t accelerators);

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_LIST_H
