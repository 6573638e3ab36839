// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SWITCH_BATCH_H
#define LLM_FABRIC_SWITCH_BATCH_H

#include "fabric-frame.h"

#include "ns3/frame-clock.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::llm
{

class FabricSwitch;
class FrameTransmitter;

/**
 * @ingroup llm-fabric-fabric
 * Lets a switch lag behind the clock and handle its frames in batches, with the same results.
 *
 * What a switch sends reaches the other end no earlier than the shortest delay of its links, the
 * look-ahead, after its cause; and it never calls out. So it need not handle an arrival, or a
 * departure that is to be decided on, when the clock stands there: it may do so up to a look-ahead
 * later, in an event that handles all that lies before. As every other switch does the same, all of
 * that is known by then: its cause lies a link's delay earlier, and the switch there has handled it.
 *
 * Within a switch, frames are handled in the order of the frame events that they would have been
 * (tick, kind, object), each at its own tick. Between switches the order differs, which no state can
 * tell: a handler touches its own switch only.
 */
class alignas(64) SwitchBatch
{
  public:
    /** With more links a switch has no batches. */
    static constexpr uint32_t MOST_INPUTS = 512;
    /** A longer look-ahead would not be used, and would not fit into a key. */
    static constexpr uint64_t LONGEST = uint64_t{1} << 40;

    /**
     * @param clock the clock
     * @param owner the switch
     * @param transmitters of the switch, by port; set up and connected; outlive this
     * @param count of them, at least one
     */
    SwitchBatch(FrameClock* clock,
                FabricSwitch* owner,
                FrameTransmitter* transmitters,
                uint32_t count);

    /** From now on the switch is handled in batches (before or in a run, at any time). */
    void Begin();
    /** From now on each of its frame events is one of the clock's again. */
    void End();

    /** @return whether Begin() was called last */
    bool IsOn() const
    {
        return m_isOn;
    }

    /** A frame is under way to the switch. @param tick when it arrives @param input which link */
    void NoteArrival(uint64_t tick, uint32_t input)
    {
        m_active[input / 64] |= uint64_t{1} << input % 64;
        NoteEvent(tick);
    }

    /** Have a port handle a departure event. @param tick when, not before now @param port the port */
    void AddDeparture(uint64_t tick, uint32_t port);

    /** In FrameClock::RunApart(): handle all that is due. @param end before this tick */
    void Run(uint64_t end);

    /** @return whether there are neither too many links nor one that is too long or too short */
    bool IsPossible() const
    {
        return m_lookahead > 0 && m_lookahead < LONGEST && m_inputs.size() <= MOST_INPUTS;
    }

  private:
    /** Handler of FrameEventKind::SWITCH_BATCH. @param object first transmitter of the switch */
    static void Handle(void* object);

    /** Where a link's arrivals are read. */
    struct Input
    {
        const TransitFrame* frames = nullptr; //!< memory of its ring
        uint32_t place = 0;                   //!< of the next one
        uint32_t mask = 0;                    //!< wraps a place
        FrameTransmitter* link = nullptr;     //!< the sending end of the link
        uint32_t left = 0;                    //!< frames in the ring from the next one on
        uint16_t leaf = 0;                    //!< its leaf in the tree
        uint16_t port = 0;                    //!< port of this switch
    };

    /** Later than all keys. */
    static constexpr uint64_t NO_KEY = UINT64_MAX;
    /** Bits of a key that say by which link a frame came. */
    static constexpr uint32_t INPUT_BITS = 16;

    /** There is something to handle. @param tick when */
    void NoteEvent(uint64_t tick)
    {
        if (tick + m_lookahead < m_armedAt)
        {
            Arm(tick + m_lookahead);
        }
    }

    /** Have the event. @param tick when */
    void Arm(uint64_t tick);
    /** Link by link, what may have frames. @tparam Visit a function: void (uint32_t index)
     * @param visit called with the index of each input */
    template <typename Visit>
    void VisitActive(Visit visit);

    /** An input has no frames. @param index of the input */
    void SetIdle(uint32_t index)
    {
        m_active[index / 64] &= ~(uint64_t{1} << index % 64);
    }

    /** Read where the links' frames lie, and fetch the first ones: all at once, as each takes time. */
    void ReadRings();
    /** Write the keys of the first early frames. @param end before this tick @return how many */
    uint32_t ReadFirst(uint64_t end);
    /** Find the links with frames that arrive early, and make the tree. @param end before this tick
     * @return the least key */
    uint64_t Gather(uint64_t end);
    /** @param index of an input @param tick of its next frame @param end of the batch @return its key */
    static uint64_t MakeKey(uint32_t index, uint64_t tick, uint64_t end);
    /** The next frame of an input is being handled. @param index of the input @param end before this
     * tick @return the key of the one after it */
    uint64_t Advance(uint32_t index, uint64_t end);
    /** All early frames of an input are being handled. @param input it */
    void Finish(Input& input);
    /** @param leaf of the tree @param key its next one @return the least key of the tree */
    uint64_t Replace(uint32_t leaf, uint64_t key);
    /** A frame has arrived. @param link by which @param port of this switch @param transit it */
    void Deliver(FrameTransmitter& link, uint16_t port, const TransitFrame& transit);
    /** Handle departure events. @param tick those up to this one */
    void RunDepartures(uint64_t tick);

    // What each frame to the switch touches comes first.
    uint64_t m_lookahead = 0;                          //!< shortest delay of its links, ps
    uint64_t m_armedAt = FrameClock::NEVER;            //!< tick of the event in force
    std::array<uint64_t, MOST_INPUTS / 64> m_active{}; //!< bit i: link i may have frames
    FrameClock* m_clock;                               //!< the clock
    FabricSwitch* m_owner;                             //!< the switch
    FrameTransmitter* m_outputs;                       //!< its transmitters, by port
    bool m_isOn = false;                               //!< see IsOn()
    uint64_t m_next = FrameClock::NEVER;               //!< earliest arrival not taken
    uint32_t m_leaves = 0;                             //!< leaves of the tree, a power of two
    std::vector<Input> m_inputs;  //!< its links, in the order of their numbers at the clock
    std::vector<uint64_t> m_keys; //!< of the leaves
    std::vector<uint64_t> m_tree; //!< tournament of next arrivals: 1 is the root, i has 2i, 2i + 1
    std::vector<std::pair<uint64_t, uint32_t>> m_departures; //!< (tick, port), latest first
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SWITCH_BATCH_H
