// SPDX-License-Identifier: GPL-2.0-only

#include "hpcc-logs.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::llm
{

HpccPauseLog::HpccPauseLog(const FabricNetwork& network, std::ostream& out)
    : m_out(out)
{
    const uint32_t terminals = network.GetTerminalCount();
    for (uint32_t terminal = 0; terminal < terminals; ++terminal)
    {
        const auto port = network.GetTerminalPort(terminal);
        m_ports[&port->GetTransmitter()] = {terminal, false, 1};
    }
    for (uint32_t s = 0; s < network.GetSwitchCount(); ++s)
    {
        const auto fabricSwitch = network.GetSwitch(s);
        for (uint32_t p = 0; p < fabricSwitch->GetPortCount(); ++p)
        {
            m_ports[&fabricSwitch->GetPort(p)->GetTransmitter()] = {terminals + s, true, p + 1};
        }
    }
}

void
HpccPauseLog::FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick)
{
    if (frame.kind != FrameKind::PAUSE)
    {
        return;
    }
    const Port& paused = m_ports.at(transmitter.GetPeer());
    constexpr uint64_t PS_PER_NS = 1000;
    m_out << tick / PS_PER_NS << ' ' << paused.node << ' ' << (paused.isSwitch ? 1 : 0) << ' '
          << paused.port << ' ' << (frame.payloadBytes != 0 ? 1 : 0) << '\n';
}

HpccQueueLog::HpccQueueLog(Ptr<const FabricNetwork> network, Time interval, Time end)
    : m_network(network),
      m_interval(interval),
      m_end(Simulator::Now() + end)
{
    NS_ABORT_MSG_UNLESS(interval.IsStrictlyPositive(), "queues need an interval above 0");
    for (uint32_t s = 0; s < network->GetSwitchCount(); ++s)
    {
        m_counts.emplace_back(network->GetSwitch(s)->GetPortCount());
    }
    Simulator::Schedule(Time(0), &HpccQueueLog::Sample, this);
}

void
HpccQueueLog::Sample()
{
    constexpr uint64_t KILOBYTE = 1000;
    m_last = Simulator::Now();
    const auto now = static_cast<uint64_t>(m_last.GetPicoSeconds());
    for (uint32_t s = 0; s < m_counts.size(); ++s)
    {
        const auto fabricSwitch = m_network->GetSwitch(s);
        for (uint32_t p = 0; p < m_counts[s].size(); ++p)
        {
            const auto& transmitter = fabricSwitch->GetPort(p)->GetTransmitter();
            const uint64_t kilobytes = transmitter.GetQueueBytes(now) / KILOBYTE;
            auto& counts = m_counts[s][p];
            counts.resize(std::max<std::size_t>(counts.size(), kilobytes + 1));
            ++counts[kilobytes];
        }
    }
    if (m_last + m_interval <= m_end)
    {
        Simulator::Schedule(m_interval, &HpccQueueLog::Sample, this);
    }
}

void
HpccQueueLog::Write(std::ostream& out) const
{
    out << "time: " << m_last.GetNanoSeconds() << '\n';
    for (uint32_t s = 0; s < m_counts.size(); ++s)
    {
        for (uint32_t p = 0; p < m_counts[s].size(); ++p)
        {
            out << m_network->GetTerminalCount() + s << ' ' << p + 1;
            for (const uint64_t count : m_counts[s][p])
            {
                out << ' ' << count;
            }
            out << '\n';
        }
    }
}

} // namespace ns3::llm
