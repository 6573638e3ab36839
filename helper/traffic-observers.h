// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAFFIC_OBSERVERS_H
#define LLM_FABRIC_TRAFFIC_OBSERVERS_H

#include "value-histogram.h"

#include "ns3/fabric-network.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <set>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Counts at the NICs what congestion controls decide by: acknowledgments, their round-trip times, marks
 * that they echo and telemetry that they bring. Set it as the observer of a network.
 */
class SignalCounter : public FrameTransmitter::Observer
{
  public:
    /** @param network a network that is built */
    explicit SignalCounter(const FabricNetwork& network);

    void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) override;

    uint64_t acks = 0;          //!< acknowledgments, negative ones included
    uint64_t markedAcks = 0;    //!< of them, that echo a mark
    uint64_t telemetryAcks = 0; //!< of them, whose telemetry tells of a queue
    ValueHistogram rttNs{100};  //!< of frames that were acknowledged, ns

  private:
    std::set<const FrameTransmitter*> m_toNics; //!< those that send to a NIC
};

/**
 * @ingroup llm-fabric-helper
 * Looks at equal intervals at the longest queue of all switch ports.
 */
class QueueSampler
{
  public:
    /** Says whether to go on looking. */
    using Condition = std::function<bool()>;

    /**
     * Look from now on; before the run.
     * @param network a network that is built
     * @param interval from look to look, above 0
     * @param isBusy asked after each look, so that the run can end
     */
    QueueSampler(Ptr<const FabricNetwork> network, Time interval, Condition isBusy);
    QueueSampler(const QueueSampler&) = delete;
    QueueSampler& operator=(const QueueSampler&) = delete;

    /** @return wire bytes that waited in the longest queue, the frame being sent not counted */
    const ValueHistogram& GetLongest() const;

  private:
    /** Look, and again an interval later. */
    void Sample();

    Ptr<const FabricNetwork> m_network; //!< the network
    Time m_interval;                    //!< from look to look
    Condition m_isBusy;                 //!< whether to go on
    ValueHistogram m_longest{100};      //!< see GetLongest()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAFFIC_OBSERVERS_H
