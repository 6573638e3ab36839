// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LOSSLESS_CHECK_H
#define LLM_FABRIC_LOSSLESS_CHECK_H

#include "fabric-faults.h"
#include "frame-transmitter.h"

#include <cstdint>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * What keeps a lossless class of a switch from losing frames, and what is said when it loses one.
 */
class LosslessCheck
{
  public:
    /** What becomes of a drop in a lossless class. */
    enum DropRule
    {
        STOP_RUN, //!< it ends the run
        WARN,     //!< it is counted, and the first of a switch printed
    };

    /**
     * The headroom that never drops: what a pause does not stop any more, which is what is on the way
     * while the pause waits for a frame of this port and travels, and a frame of the peer.
     * @param transmitter the port's sending half, linked
     * @param maxFrameBytes wire bytes of the largest frame
     * @return bytes: 2 d C + 2 MTU + 84 with equal rates and delays both ways
     */
    static uint64_t GetNeededHeadroom(const FrameTransmitter& transmitter, uint32_t maxFrameBytes);

    /**
     * Refuse a headroom that is too small.
     * @param headroomBytes the attribute's value
     * @param transmitter the port's sending half
     * @param maxFrameBytes wire bytes of the largest frame
     * @param where which switch
     */
    static void CheckHeadroom(uint64_t headroomBytes,
                              const FrameTransmitter& transmitter,
                              uint32_t maxFrameBytes,
                              const std::string& where);

    /** @param rule what becomes of a drop @param faults ends the run; nullptr: nothing does */
    void SetRule(DropRule rule, FabricFaults* faults);

    /**
     * A frame of a lossless class was dropped.
     * @param transmitter the sending half of the port that it came in by
     * @param transit the frame
     * @param buffer had no room
     * @param where which switch
     */
    void Dropped(const FrameTransmitter& transmitter,
                 const TransitFrame& transit,
                 const SharedBuffer& buffer,
                 const std::string& where);

    /** @return frames dropped */
    uint64_t GetDrops() const
    {
        return m_drops;
    }

  private:
    DropRule m_rule = STOP_RUN;       //!< see SetRule()
    FabricFaults* m_faults = nullptr; //!< see SetRule()
    uint64_t m_drops = 0;             //!< see GetDrops()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LOSSLESS_CHECK_H
