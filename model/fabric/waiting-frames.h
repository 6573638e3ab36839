// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_WAITING_FRAMES_H
#define LLM_FABRIC_WAITING_FRAMES_H

#include "fabric-frame.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Frames of a port that wait without a departure, in a list by class, and for how long pauses held them
 * up. Which lists have frames is in a mask that the port keeps at hand.
 */
class WaitingFrames
{
  public:
    /** @param frame goes behind those of its class @param mask classes with frames */
    void Push(Frame* frame, uint16_t& mask)
    {
        const uint8_t c = frame->trafficClass;
        frame->next = nullptr;
        if (mask >> c & 1)
        {
            m_tail[c]->next = frame;
        }
        else
        {
            m_head[c] = frame;
            mask = static_cast<uint16_t>(mask | 1u << c);
        }
        m_tail[c] = frame;
    }

    /** @param frame goes ahead of those of its class @param mask classes with frames */
    void PushFront(Frame* frame, uint16_t& mask)
    {
        const uint8_t c = frame->trafficClass;
        frame->next = mask >> c & 1 ? m_head[c] : nullptr;
        m_head[c] = frame;
        if (!frame->next)
        {
            m_tail[c] = frame;
            mask = static_cast<uint16_t>(mask | 1u << c);
        }
    }

    /** @param c a class with frames @param mask classes with frames @return the first, taken out */
    Frame* Pop(uint8_t c, uint16_t& mask)
    {
        Frame* frame = m_head[c];
        m_head[c] = frame->next;
        if (!frame->next)
        {
            mask = static_cast<uint16_t>(mask & ~(1u << c));
        }
        return frame;
    }

    /** @param c a class with frames @return the first */
    const Frame* Front(uint8_t c) const
    {
        return m_head[c];
    }

    /**
     * @param c a class with frames
     * @param ports number of ports of the switch
     * @return wire bytes of the class by the port by which they came in
     */
    std::vector<uint64_t> GetBytesByIngress(uint8_t c, uint32_t ports) const
    {
        std::vector<uint64_t> bytes(ports + std::size_t{1}); // the last: of reduction groups
        for (const Frame* frame = m_head[c]; frame; frame = frame->next)
        {
            bytes[frame->ingress] += frame->wireBytes;
        }
        bytes.pop_back();
        return bytes;
    }

    std::array<uint64_t, TRAFFIC_CLASSES> pausedSince{}; //!< tick of the stop in force, by class
    std::array<uint64_t, TRAFFIC_CLASSES> pausedTicks{}; //!< ps in stops that are over, by class

  private:
    std::array<Frame*, TRAFFIC_CLASSES + 1> m_head{}; //!< the first of each class
    std::array<Frame*, TRAFFIC_CLASSES + 1> m_tail{}; //!< the last of each class
};

} // namespace ns3::llm

#endif // LLM_FABRIC_WAITING_FRAMES_H
