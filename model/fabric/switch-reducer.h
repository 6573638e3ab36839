// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SWITCH_REDUCER_H
#define LLM_FABRIC_SWITCH_REDUCER_H

#include "fabric-faults.h"
#include "frame-transmitter.h"
#include "reduction-frame.h"
#include "reduction-tree.h"
#include "shared-buffer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * What a switch does with the frames of reduction groups.
 *
 * A contribution waits until the same frame of all children of the tree has come; then one frame goes
 * up, and at the root it turns and goes down to those whom it is for, a copy to each child. Frames that
 * wait here or at a port lie in a memory of their own: it needs no pauses, as a member sends no further
 * than a window beyond what it has got back. They are queued at ports with other frames of their class.
 */
class SwitchReducer
{
  public:
    /** What a switch gives to its reducer; all outlive it. */
    struct Surroundings
    {
        FramePool* pool = nullptr;                //!< frames
        SharedBuffer* buffer = nullptr;           //!< counts what lies here
        FrameTransmitter* transmitters = nullptr; //!< by port
        uint16_t place = 0;                       //!< a port of the buffer that no link has
        FabricFaults* faults = nullptr;           //!< ends the run
    };

    /** What the frames of a group have in common. */
    struct Framing
    {
        uint32_t windowFrames = 0; //!< most that a member sends beyond what it has got back
        uint32_t tokenBytes = 0;   //!< wire bytes of a token
        uint32_t destination = 0;  //!< of frames: no terminal
        uint8_t trafficClass = 0;  //!< of frames
    };

    /** @param surroundings what the switch gives */
    explicit SwitchReducer(const Surroundings& surroundings);

    /**
     * @param group a group, of which this switch is a part
     * @param node this switch in its tree
     * @param framing of its frames
     */
    void AddGroup(uint32_t group, const ReductionTree::Node& node, const Framing& framing);

    /**
     * A frame to which no route leads has come.
     * @param transit the frame
     * @return whether it is of a group, and taken
     */
    bool Take(const TransitFrame& transit);

    /** @return frames that have been merged into others */
    uint64_t GetMergedFrames() const
    {
        return m_merged;
    }

  private:
    /** A frame's place until all children have sent theirs. */
    struct Slot
    {
        Frame* frame = nullptr; //!< the first that has come, if any has payload
        uint64_t tag = 0;       //!< of the call
        uint32_t ends = 0;      //!< see ReductionFrame::PackEnds()
        uint32_t source = 0;    //!< terminal whose frame was the first
        uint32_t count = 0;     //!< children that have sent theirs
    };

    /** This switch in a group. */
    struct Group
    {
        ReductionTree::Node node; //!< in the tree; without children: the switch is no part of it
        Framing framing;          //!< of its frames
        std::vector<Slot> slots;  //!< by number modulo a power of two
        uint64_t mask = 0;        //!< that less one
        uint64_t ready = 0;       //!< the next number that goes on
    };

    /** @param group a group @param frame a contribution to it */
    void TakeContribution(Group& group, Frame* frame);
    /** Send on what all children have sent. @param group a group */
    void Advance(Group& group);
    /** @param group a group @param frame goes to the parent, or turns here */
    void SendUp(Group& group, Frame* frame);
    /** @param group a group @param slot of the last that a token stands for @param psn of the first
     * @param count so many */
    void SendTokenUp(Group& group, const Slot& slot, uint64_t psn, uint64_t count);
    /** @param group a group @param frame goes to those whom it is for */
    void SendDown(Group& group, Frame* frame);
    /** @param group a group @param token goes to all children */
    void SendTokenDown(Group& group, Frame* token);
    /** @param group a group @param child one of its children @param frame a result
     * @return whether the payload is for a member there */
    static bool IsFor(const Group& group, std::size_t child, const Frame& frame);
    /** @param group a group @param like has what the token has @return a new token */
    Frame* MakeToken(const Group& group, const Frame& like);
    /** @param frame one @return another one like it */
    Frame* Copy(const Frame& frame);
    /** Count a frame that lies here. @param frame it */
    void Admit(const Frame& frame);
    /** @param frame goes out, has been counted @param port here */
    void Send(Frame* frame, uint16_t port);
    /** @param frame does not fit @param slot what came before */
    void Refuse(const Frame& frame, const Slot& slot);

    Surroundings m_around;       //!< of the switch
    std::vector<Group> m_groups; //!< by number in the network
    uint64_t m_merged = 0;       //!< see GetMergedFrames()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SWITCH_REDUCER_H
