// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DEFICIT_ROUND_ROBIN_H
#define LLM_FABRIC_DEFICIT_ROUND_ROBIN_H

#include "class-weights.h"

#include <array>
#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Chooses the class that a port serves next: strict priority for classes without a weight, and below
 * them weighted deficit round robin (Shreedhar and Varghese, 1996) among those with one.
 *
 * Deficits are kept while several weighted classes compete. One that is alone is served without any
 * account, so that its departures can be fixed ahead; when another one joins it, a round begins anew
 * with the one that was waiting already. A class that has nothing to send, or is paused, has no deficit.
 */
class DeficitRoundRobin
{
  public:
    /** @param weights weights and quantum; a weight other than 0 and a quantum above 0 */
    explicit DeficitRoundRobin(const ClassWeights& weights)
        : m_weights(weights),
          m_mask(weights.GetMask())
    {
    }

    /** @param trafficClass a class, or PAUSE_CLASS @return whether it has a weight */
    bool IsWeighted(uint8_t trafficClass) const
    {
        return m_mask >> trafficClass & 1;
    }

    /** @return whether several weighted classes competed at the last decision about one of them */
    bool IsUnderWay() const
    {
        return m_isUnderWay;
    }

    /** A weighted class is alone: its departures need no account. */
    void Stop()
    {
        m_isUnderWay = false;
    }

    /**
     * Before a class joins: note which one it finds, as a round begins with that.
     * @param choices bit c set: class c has frames that may leave, without the one that joins
     */
    void NoteIncumbent(uint32_t choices)
    {
        const uint32_t weighted = choices & m_mask;
        if (!m_isUnderWay && weighted != 0 && (weighted & (weighted - 1)) == 0)
        {
            m_turn = Highest(weighted);
        }
    }

    /**
     * Choose what leaves next, and take it into account.
     * @tparam HeadBytes a function: uint32_t (uint8_t trafficClass)
     * @param choices bit c set: class c has frames that may leave; not 0
     * @param headBytes says how long the first frame of a class is
     * @return the class
     */
    template <typename HeadBytes>
    uint8_t Choose(uint32_t choices, HeadBytes headBytes)
    {
        if (const uint32_t strict = choices & ~uint32_t{m_mask})
        {
            return Highest(strict);
        }
        if ((choices & (choices - 1)) == 0)
        {
            Stop();
            return Highest(choices);
        }
        if (!m_isUnderWay)
        {
            m_isUnderWay = true;
            m_deficits = {};
            m_deficits[m_turn] = GetShare(m_turn);
        }
        for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
        {
            m_deficits[c] = choices >> c & 1 ? m_deficits[c] : 0;
        }
        while (!(choices >> m_turn & 1) || headBytes(m_turn) > m_deficits[m_turn])
        {
            const uint32_t later = choices & ((1u << m_turn) - 1);
            m_turn = Highest(later != 0 ? later : choices);
            m_deficits[m_turn] += GetShare(m_turn);
        }
        m_deficits[m_turn] -= headBytes(m_turn);
        return m_turn;
    }

    /** A class has nothing more to send. @param trafficClass the class */
    void Emptied(uint8_t trafficClass)
    {
        if (IsWeighted(trafficClass))
        {
            m_deficits[trafficClass] = 0;
        }
    }

    /** @param trafficClass a class @return its deficit, bytes */
    uint64_t GetDeficit(uint8_t trafficClass) const
    {
        return m_deficits[trafficClass];
    }

  private:
    /** @param classes bits of classes, not 0 @return the highest */
    static uint8_t Highest(uint32_t classes)
    {
        return static_cast<uint8_t>(31 - __builtin_clz(classes));
    }

    /** @param trafficClass a class @return bytes that it earns in a round */
    uint64_t GetShare(uint8_t trafficClass) const
    {
        return uint64_t{m_weights.weights[trafficClass]} * m_weights.quantumBytes;
    }

    ClassWeights m_weights;                             //!< weights and quantum
    std::array<uint64_t, TRAFFIC_CLASSES> m_deficits{}; //!< bytes that a class may still send
    uint16_t m_mask;                                    //!< bit c set: class c has a weight
    uint8_t m_turn = 0;                                 //!< whose turn it is
    bool m_isUnderWay = false;                          //!< see IsUnderWay()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DEFICIT_ROUND_ROBIN_H
