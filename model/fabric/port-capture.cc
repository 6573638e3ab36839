// SPDX-License-Identifier: GPL-2.0-only

#include "port-capture.h"

#include <algorithm>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(PortCapture);

TypeId
PortCapture::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::PortCapture")
                            .SetParent<Object>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<PortCapture>();
    return tid;
}

void
PortCapture::DoDispose()
{
    HandOut(UINT64_MAX);
    m_sinks.clear();
    m_messageBytes = nullptr; // may hold what holds the port
    Object::DoDispose();
}

Ptr<PortCapture>
PortCapture::At(Ptr<FabricPort> port, const MessageBytes& messageBytes)
{
    auto capture = port->GetObject<PortCapture>();
    if (!capture)
    {
        capture = CreateObject<PortCapture>();
        capture->m_transmitter = &port->GetTransmitter();
        capture->m_messageBytes = messageBytes;
        port->GetTransmitter().AddObserver(PeekPointer(capture));
        port->GetTransmitter().GetPeer()->AddObserver(PeekPointer(capture));
        port->AggregateObject(capture);
    }
    return capture;
}

void
PortCapture::AddSink(std::unique_ptr<Sink> sink)
{
    m_sinks.push_back(std::move(sink));
}

void
PortCapture::FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick)
{
    if (m_sinks.empty())
    {
        return;
    }
    const bool isFirst = frame.kind == FrameKind::DATA && frame.flags & Frame::FIRST;
    Record record{tick, isFirst ? m_messageBytes(frame) : 0, frame, false, nullptr};
    if (frame.kind == FrameKind::PACKET)
    {
        record.packet = frame.packet;
    }
    const uint64_t delay = m_transmitter->GetDelayTicks();
    if (&transmitter == m_transmitter)
    {
        record.isSent = true;
        record.tick -= delay + m_transmitter->GetSerializationTicks(frame.wireBytes);
        HandOut(record.tick);
        Give(record);
        return;
    }
    m_received.push_back(record);
    // what is still on its way to the far end has left at most so long ago
    const uint64_t longest = delay + m_transmitter->GetSerializationTicks(UINT16_MAX);
    HandOut(tick - std::min(tick, longest));
}

void
PortCapture::HandOut(uint64_t tick)
{
    while (!m_received.empty() && m_received.front().tick <= tick)
    {
        Give(m_received.front());
        m_received.pop_front();
    }
}

void
PortCapture::Give(const Record& record)
{
    for (const auto& sink : m_sinks)
    {
        sink->Take(record);
    }
}

} // namespace ns3::llm
