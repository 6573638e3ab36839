// SPDX-License-Identifier: GPL-2.0-only

#include "port-ascii-trace.h"

#include <array>
#include <iomanip>
#include <ostream>

namespace ns3::llm
{

namespace
{

/** @param out where to @param frame what to write */
void
WriteFrame(std::ostream& out, const Frame& frame)
{
    static constexpr std::array<const char*, 8>
        KINDS{"DATA", "ACK", "NACK", "CNP", "PAUSE", "PACKET", "REDUCE", "RESULT"};
    if (frame.kind == FrameKind::PAUSE)
    {
        out << (frame.payloadBytes != 0 ? "PAUSE" : "RESUME") << " class=" << frame.psn
            << " wireBytes=" << frame.wireBytes;
        return;
    }
    out << KINDS.at(static_cast<std::size_t>(frame.kind)) << " source=" << frame.source
        << " destination=" << frame.destination << " queuePair=" << frame.queuePair
        << " psn=" << frame.psn << " class=" << uint32_t{frame.trafficClass}
        << " payloadBytes=" << frame.payloadBytes << " wireBytes=" << frame.wireBytes
        << (frame.flags & Frame::FIRST ? " FIRST" : "")
        << (frame.flags & Frame::LAST ? " LAST" : "")
        << (frame.flags & Frame::MARKED ? " MARKED" : "");
}

} // namespace

void
PortAsciiTrace::Begin(Ptr<FabricPort> port,
                      Ptr<OutputStreamWrapper> stream,
                      const std::string& context)
{
    const auto trace = Create<PortAsciiTrace>();
    trace->m_stream = stream;
    trace->m_context = context;
    // the port's trace sources keep it
    port->TraceConnectWithoutContext("Enqueue", MakeCallback(&PortAsciiTrace::Enqueued, trace));
    port->TraceConnectWithoutContext("Dequeue", MakeCallback(&PortAsciiTrace::Dequeued, trace));
    port->TraceConnectWithoutContext("Drop", MakeCallback(&PortAsciiTrace::Dropped, trace));
    port->GetTransmitter().GetPeer()->AddObserver(PeekPointer(trace));
}

void
PortAsciiTrace::FrameArrived(const FrameTransmitter&, const Frame& frame, uint64_t tick)
{
    Write('r', frame, tick);
}

void
PortAsciiTrace::Enqueued(Ptr<const FabricPort>, const Frame& frame, uint32_t, Time time)
{
    Write('+', frame, static_cast<uint64_t>(time.GetPicoSeconds()));
}

void
PortAsciiTrace::Dequeued(Ptr<const FabricPort>, const Frame& frame, uint32_t, Time time)
{
    Write('-', frame, static_cast<uint64_t>(time.GetPicoSeconds()));
}

void
PortAsciiTrace::Dropped(Ptr<const FabricPort>, const Frame& frame, DropReason reason, Time time)
{
    static constexpr std::array<const char*, 4> REASONS{"no-room",
                                                        "no-route",
                                                        "link-down",
                                                        "frame-loss"};
    Write('d',
          frame,
          static_cast<uint64_t>(time.GetPicoSeconds()),
          std::string(" reason=") + REASONS.at(static_cast<std::size_t>(reason)));
}

void
PortAsciiTrace::Write(char what, const Frame& frame, uint64_t tick, const std::string& end)
{
    constexpr uint64_t TICKS = 1000000000000; // in a second
    std::ostream& out = *m_stream->GetStream();
    out << what << ' ' << tick / TICKS << '.' << std::setfill('0') << std::setw(12) << tick % TICKS
        << ' ' << m_context;
    WriteFrame(out, frame);
    out << end << '\n';
}

} // namespace ns3::llm
