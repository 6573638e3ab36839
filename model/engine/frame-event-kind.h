// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_EVENT_KIND_H
#define LLM_FABRIC_FRAME_EVENT_KIND_H

/**
 * @file
 * @ingroup llm-fabric-engine
 * The kinds of frame events, in the order in which they run within one tick.
 */

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * What a frame event is about.
 *
 * Simultaneous frame events run in the order (kind, object), so the order of the values is a rule of
 * the model: what leaves a port at a tick leaves it before anything is queued there at that tick;
 * what arrives is known before a NIC chooses what to send; fluid rates are computed last. A batch of a
 * switch is about earlier ticks only.
 */
enum class FrameEventKind : uint32_t
{
    SWITCH_BATCH = 0, //!< a switch handles what has reached it before this tick
    DEPARTURE = 1,    //!< a port decides what leaves next, or settles what has left
    ARRIVAL = 2,      //!< the head of a link reaches the far end
    LINK_STATE = 3,   //!< a link goes down or comes up
    NIC_REQUEST = 4,  //!< work handed to a NIC from an ns-3 event
    PACKET_REQUEST,   //!< packets handed to a port from an ns-3 event
    REDUCE_REQUEST,   //!< a call of a reduction group's member handed over from an ns-3 event
    REDUCE_DONE,      //!< results that a member waits for are complete
    NIC_TIMER,        //!< a retransmission timeout may be due
    PACKET_FIRST,     //!< a port may send a packet, and its NIC's messages come after it
    REDUCE_FIRST,     //!< a member may send a contribution, and its NIC's messages come after it
    NIC_WAKE,         //!< a NIC chooses what to send next
    REDUCE_LAST,      //!< a member may send a contribution if its NIC has sent nothing
    PACKET_LAST,      //!< a port may send a packet if its NIC has sent nothing
    FLUID_REQUEST,    //!< a message handed to a fluid domain from an ns-3 event
    FLUID_UPDATE,     //!< a fluid domain finishes flows and shares its rates anew
    TEST,             //!< reserved for tests
    COUNT             //!< number of values, 0 included
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_EVENT_KIND_H
