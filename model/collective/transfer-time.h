// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFER_TIME_H
#define LLM_FABRIC_TRANSFER_TIME_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * How long bytes take at a rate, rounded up to a picosecond; any number of bytes is right, where
 * DataRate takes 32 bits of them only.
 * @param bytes how many
 * @param rate bits per second, not 0
 * @return the time
 */
inline Time
GetTransferTime(uint64_t bytes, DataRate rate)
{
    __extension__ using Wide = unsigned __int128;
    constexpr uint64_t PICOSECONDS = 1'000'000'000'000;
    const Wide picobits = static_cast<Wide>(bytes) * 8 * PICOSECONDS;
    return PicoSeconds(
        static_cast<uint64_t>((picobits + rate.GetBitRate() - 1) / rate.GetBitRate()));
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFER_TIME_H
