// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PART_COLORS_H
#define LLM_FABRIC_PART_COLORS_H

#include "ns3/rank-account.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3::llm
{

/** Color of compute in pictures, 0xRRGGBB. */
inline constexpr uint32_t COMPUTE_COLOR = 0x4477aa;
/** Color of bubble. */
inline constexpr uint32_t BUBBLE_COLOR = 0xbbbbbb;
/** Colors of communication by ParallelDimension, told apart by most color-blind people too. */
inline constexpr std::array<uint32_t, PARALLEL_DIMENSIONS> DIMENSION_COLORS =
    {0x66ccee, 0x228833, 0xee6677, 0xccbb44, 0xaa3377, 0xee8866, 0x44bb99, 0x882255};

} // namespace ns3::llm

#endif // LLM_FABRIC_PART_COLORS_H
