// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TELEMETRY_BENCH_H
#define LLM_FABRIC_TELEMETRY_BENCH_H

#include "control-bench.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A congestion control that reads telemetry, driven by hand-made telemetry.
 */

namespace ns3::llm
{

/** Telemetry of a path of 100G ports, as a test makes it happen. */
class TelemetryPath
{
  public:
    /** @param hops switches @param firstPort number of the first port */
    explicit TelemetryPath(uint32_t hops = 1, uint32_t firstPort = 7)
    {
        for (uint32_t i = 0; i < hops; ++i)
        {
            samples.push_back({1000, 500, 100e9, 0, firstPort + i});
        }
    }

    /**
     * Time passes at a port.
     * @param us so much
     * @param bytes sent by the port
     * @param queue bytes that wait afterwards
     * @param hop the port's place
     */
    void Pass(double us, uint64_t bytes, uint32_t queue, uint32_t hop = 0)
    {
        samples[hop].tick += static_cast<uint64_t>(us * 1e6);
        samples[hop].txBytes += bytes;
        samples[hop].queueBytes = queue;
    }

    /** @param ackedPsn see AckSignal @param nextPsn see AckSignal @return an ACK with it all */
    AckSignal Ack(uint64_t ackedPsn, uint64_t nextPsn) const
    {
        AckSignal ack;
        ack.ackedBytes = 1000;
        ack.ackedPsn = ackedPsn;
        ack.nextPsn = nextPsn;
        ack.hops = samples.data();
        ack.hopCount = static_cast<uint32_t>(samples.size());
        return ack;
    }

    std::vector<HopTelemetry> samples; //!< by place on the path
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TELEMETRY_BENCH_H
