// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_HOP_SAMPLES_H
#define LLM_FABRIC_HOP_SAMPLES_H

#include "rdma-congestion-control.h"

#include <array>
#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What happened at a port between two telemetry samples.
 */
struct HopChange
{
    double ticks = 0;            //!< time between them, ps; 0: none, so that there is no rate
    double sentBytes = 0;        //!< wire bytes that the port sent in it
    double queueBytes = 0;       //!< wire bytes waiting at its end
    double queueBytesBefore = 0; //!< wire bytes waiting at its begin
    double rateBps = 0;          //!< line rate, bit/s
};

/**
 * @ingroup llm-fabric-transport
 * The last telemetry of a queue pair's path, kept in its state, from which a new one gives changes.
 */
class HopSamples
{
  public:
    /** Switches of a path, the last ones if there are more; three tiers make 5. */
    static constexpr uint32_t MAX_HOPS = 6;

    /** By place of the hop on the path. */
    using Changes = std::array<HopChange, MAX_HOPS>;

    /**
     * Compare with the sample before and take its place. There is nothing to compare with when it is
     * the first one, when a port or the number of hops is another (the path has changed), or when the
     * sample before is too old for its rates to mean anything. A sample older than the one before (an
     * acknowledgment that was overtaken) is left aside.
     *
     * @param ack its hops; more than MAX_HOPS abort the run
     * @param maxAge longest time between samples, ps
     * @param changes set, as many as there are hops
     * @return whether changes are set
     */
    bool Take(const AckSignal& ack, uint64_t maxAge, Changes& changes);

  private:
    /** What is kept of a hop. */
    struct Sample
    {
        uint64_t tick;       //!< see HopTelemetry
        uint64_t txBytes;    //!< see HopTelemetry
        uint32_t queueBytes; //!< see HopTelemetry
        uint32_t port;       //!< see HopTelemetry
    };

    /** @param ack a new sample @return whether it comes from the same ports */
    bool IsSamePath(const AckSignal& ack) const;
    /** @param ack a new sample of the same ports @return whether one of it is older than before */
    bool IsOlder(const AckSignal& ack) const;

    std::array<Sample, MAX_HOPS> m_samples{}; //!< by place on the path
    uint32_t m_count = 0;                     //!< of them that are set
};

} // namespace ns3::llm

#endif // LLM_FABRIC_HOP_SAMPLES_H
