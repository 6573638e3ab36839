// SPDX-License-Identifier: GPL-2.0-only

#include "traffic-observers.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::llm
{

SignalCounter::SignalCounter(const FabricNetwork& network)
{
    for (uint32_t terminal = 0; terminal < network.GetTerminalCount(); ++terminal)
    {
        m_toNics.insert(network.GetTerminalPort(terminal)->GetTransmitter().GetPeer());
    }
}

void
SignalCounter::FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick)
{
    const bool isAnswer = frame.kind == FrameKind::ACK || frame.kind == FrameKind::NACK;
    if (!isAnswer || m_toNics.count(&transmitter) == 0)
    {
        return;
    }
    ++acks;
    markedAcks += (frame.flags & Frame::MARKED) != 0;
    constexpr uint64_t PS_PER_NS = 1000;
    rttNs.Add((tick - frame.sentTick) / PS_PER_NS);
    if ((frame.flags & Frame::TELEMETRY) != 0)
    {
        const FrameTelemetry& telemetry = FrameTelemetry::Of(&frame);
        const auto end = telemetry.hops.begin() + static_cast<std::ptrdiff_t>(telemetry.count);
        telemetryAcks += std::any_of(telemetry.hops.begin(),
                                     end,
                                     [](const HopTelemetry& hop) { return hop.queueBytes != 0; });
    }
}

QueueSampler::QueueSampler(Ptr<const FabricNetwork> network, Time interval, Condition isBusy)
    : m_network(network),
      m_interval(interval),
      m_isBusy(std::move(isBusy))
{
    NS_ABORT_MSG_UNLESS(interval.IsStrictlyPositive(), "queues need an interval above 0");
    Simulator::Schedule(interval, &QueueSampler::Sample, this);
}

void
QueueSampler::Sample()
{
    const auto now = static_cast<uint64_t>(Simulator::Now().GetPicoSeconds());
    uint64_t longest = 0;
    for (uint32_t s = 0; s < m_network->GetSwitchCount(); ++s)
    {
        const auto fabricSwitch = m_network->GetSwitch(s);
        for (uint32_t p = 0; p < fabricSwitch->GetPortCount(); ++p)
        {
            const auto& transmitter = fabricSwitch->GetPort(p)->GetTransmitter();
            longest = std::max(longest, transmitter.GetQueueBytes(now));
        }
    }
    m_longest.Add(longest);
    if (m_isBusy())
    {
        Simulator::Schedule(m_interval, &QueueSampler::Sample, this);
    }
}

const ValueHistogram&
QueueSampler::GetLongest() const
{
    return m_longest;
}

} // namespace ns3::llm
