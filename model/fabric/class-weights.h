// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CLASS_WEIGHTS_H
#define LLM_FABRIC_CLASS_WEIGHTS_H

#include "fabric-frame.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * How a port shares its line among classes: those with a weight by weight, those without one ahead of
 * all that have one, the higher class first.
 */
struct ClassWeights
{
    std::array<uint16_t, TRAFFIC_CLASSES> weights{}; //!< by class; 0: none
    uint32_t quantumBytes = 4194;                    //!< wire bytes that weight 1 earns in a round

    /** @return bit c set: class c has a weight */
    uint16_t GetMask() const
    {
        uint16_t mask = 0;
        for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
        {
            mask = static_cast<uint16_t>(mask | (weights[c] != 0) << c);
        }
        return mask;
    }

    /**
     * Read weights; what is none is refused.
     * @param attribute its name, for the refusal
     * @param text "class:weight" separated by commas, as "4:2,3:1"; empty: no class has a weight
     * @param quantumBytes see quantumBytes
     * @return the weights
     */
    static ClassWeights
    Parse(const std::string& attribute, const std::string& text, uint32_t quantumBytes);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CLASS_WEIGHTS_H
