// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_HOP_TELEMETRY_H
#define LLM_FABRIC_HOP_TELEMETRY_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * In-band telemetry (INT): what a switch's port says of itself in a data frame that leaves by it.
 *
 * Counters are whole and do not wrap, unlike those of real headers.
 */
struct HopTelemetry
{
    uint64_t tick;       //!< when the frame's transmission began at that port, ps
    uint64_t txBytes;    //!< wire bytes that the port had sent before this frame
    double rateBps;      //!< line rate, bit/s
    uint32_t queueBytes; //!< wire bytes of all classes that wait there, without this frame
    uint32_t port;       //!< number that identifies the port, to notice a changed path
};

static_assert(sizeof(HopTelemetry) == 32, "telemetry of two hops should fill one cache line");

} // namespace ns3::llm

#endif // LLM_FABRIC_HOP_TELEMETRY_H
