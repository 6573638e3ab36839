// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_STEP_PROGRAM_H
#define LLM_FABRIC_STEP_PROGRAM_H

#include "buffer-range.h"

#include <cstdint>
#include <numeric>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * One step of a rank: send a chunk to a peer, wait for one from a peer, or wait for another lane; or
 * call on switches to reduce or multicast a chunk.
 */
struct Step
{
    /** What the step does. */
    enum Kind : uint8_t
    {
        SEND,      //!< send the chunk; done as soon as it was handed to the transport
        RECEIVE,   //!< wait for the chunk; done when it has been delivered (and reduced)
        WAIT,      //!< wait for the step it depends on, nothing else
        REDUCE,    //!< contribute the chunk to a reduction in switches; done as a SEND is
        MULTICAST, //!< have switches send the chunk to all ranks, or say that one may come so
    };

    /** As a peer: all ranks. What switches have reduced is received from it. */
    static constexpr uint32_t EVERY = UINT32_MAX;

    static constexpr uint32_t NONE = UINT32_MAX; //!< no dependency

    Kind kind = SEND;    //!< what it does
    bool reduce = false; //!< RECEIVE: reduce what came into what is there
    /** The other rank, as its place in the group. REDUCE: who receives, or EVERY. MULTICAST: who
     * sends, maybe the rank itself. */
    uint32_t peer = 0;
    uint32_t chunk = 0; //!< a number for it, for messages
    uint64_t begin = 0; //!< where it begins in the buffer, if it is one stretch
    uint64_t bytes = 0; //!< size of the chunk (0 is sent too, and keeps the order)
    uint32_t flow = 0;  //!< which of the parallel queue pairs to the peer
    uint32_t place = 0; //!< message's place: equal at the sender and the receiver, and unique
                        //!< among the messages of (sender, receiver) in the program
    uint32_t joint = 0; //!< SEND: see Message::joint
    uint32_t group = 0; //!< whose switches reduce or multicast it: see StepProgram::GetGroup()
    /** REDUCE, MULTICAST: goes to the switches together with the call before it. */
    bool isTogether = false;
    uint32_t dependencyLane = NONE; //!< lane of the same rank that must come first
    uint32_t dependencyIndex = 0;   //!< the step of that lane that must be done
};

/**
 * @ingroup llm-fabric-collective
 * @param step a step
 * @param rank whose
 * @return whether it sends the step's bytes: to a peer or to switches
 */
inline bool
IsSending(const Step& step, uint32_t rank)
{
    return step.kind == Step::SEND || step.kind == Step::REDUCE ||
           (step.kind == Step::MULTICAST && step.peer == rank);
}

/**
 * @ingroup llm-fabric-collective
 * What every rank of a group does in one operation.
 *
 * A rank has lanes, which run side by side; the steps of a lane run in order, each after its own
 * dependency. Steps are computed when asked for, so that a program needs no memory per step.
 */
class StepProgram
{
  public:
    virtual ~StepProgram() = default;
    /** @return number of ranks */
    virtual uint32_t GetSize() const = 0;
    /**
     * @param rank place in the group
     * @return number of lanes of the rank
     */
    virtual uint32_t GetLaneCount(uint32_t rank) const = 0;
    /**
     * @param rank place in the group
     * @param lane one of its lanes
     * @return number of steps of the lane
     */
    virtual uint32_t GetLaneLength(uint32_t rank, uint32_t lane) const = 0;
    /**
     * @param rank place in the group
     * @param lane one of its lanes
     * @param index place in the lane
     * @return the step
     */
    virtual Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const = 0;

    /**
     * Which stretches of the buffer a message holds, equal and in the same order at both ends. By
     * default it is one, from `begin` of the step on.
     * @param rank place in the group
     * @param lane one of its lanes
     * @param index a step that sends or receives
     * @return the stretches
     */
    virtual BufferRanges GetRanges(uint32_t rank, uint32_t lane, uint32_t index) const
    {
        const Step step = GetStep(rank, lane, index);
        return {{step.begin, step.bytes}};
    }

    /**
     * Groups of ranks call on switches; the ranks of a group make the same calls in the same order. By
     * default there is one, of all ranks.
     * @param group number of a group: Step::group of a step that calls, or receives what was called
     *        for; 0 is that of all ranks, and others have the same ranks in all programs of a
     *        communicator
     * @return its ranks
     */
    virtual std::vector<uint32_t> GetGroup([[maybe_unused]] uint32_t group) const
    {
        std::vector<uint32_t> all(GetSize());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    /**
     * Look for the step that a message is for. By default all steps of the rank are looked at.
     * @param rank place in the group of the receiver
     * @param peer that of the sender
     * @param place the message's place
     * @param lane set to the step's lane
     * @param index set to its place there
     * @return whether there is one
     */
    virtual bool
    FindReceive(uint32_t rank, uint32_t peer, uint32_t place, uint32_t& lane, uint32_t& index) const
    {
        for (lane = 0; lane < GetLaneCount(rank); ++lane)
        {
            const uint32_t length = GetLaneLength(rank, lane);
            for (index = 0; index < length; ++index)
            {
                const Step step = GetStep(rank, lane, index);
                if (step.kind == Step::RECEIVE && step.peer == peer && step.place == place)
                {
                    return true;
                }
            }
        }
        return false;
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_STEP_PROGRAM_H
