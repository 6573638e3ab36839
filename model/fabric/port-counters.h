// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PORT_COUNTERS_H
#define LLM_FABRIC_PORT_COUNTERS_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * What a port has sent and suffered; additive.
 */
struct PortCounters
{
    uint64_t frames = 0;         //!< frames sent
    uint64_t wireBytes = 0;      //!< wire bytes sent
    uint64_t marks = 0;          //!< frames marked
    uint64_t pausesReceived = 0; //!< PFC frames that stopped this port
    uint64_t pausesSent = 0;     //!< PFC frames that stopped the peer
    uint64_t drops = 0;          //!< frames dropped here because the buffer had no room
    uint64_t unroutable = 0;     //!< frames dropped here because no route led to their destination
    uint64_t lost = 0;           //!< frames lost because the link was down
    uint64_t corrupted = 0;      //!< frames sent that did not arrive: see FrameLoss
    uint64_t pausedTicks = 0;    //!< time for which a class was stopped, ps, summed over classes
    uint32_t maxQueueBytes = 0;  //!< longest queue of a class seen at an enqueue
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PORT_COUNTERS_H
