// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-tracer.h"

#include "rdma-transport.h"

#include "ns3/make-event.h"

#include <algorithm>

namespace ns3::llm
{

RdmaTracer::RdmaTracer(const RdmaTransport* transport, FrameClock* clock, uint32_t nodeId)
    : m_transport(transport),
      m_traces(transport),
      m_clock(clock),
      m_nodeId(nodeId)
{
}

QueuePairName
RdmaTracer::GetName(uint32_t source, uint32_t destination, uint32_t number) const
{
    return {m_transport->GetAccelerator(source),
            m_transport->GetAccelerator(destination),
            m_transport->GetNicNumber(source),
            number};
}

template <typename... Ts>
void
RdmaTracer::CallOut(const RdmaTraces::QueuePairTrace<Ts...>& trace,
                    const QueuePairName& name,
                    Ts... values)
{
    if (!trace.IsEmpty())
    {
        const Time at = PicoSeconds(m_clock->NowTicks());
        // sinks are looked up when the event runs: one may have been disconnected by then
        m_clock->CallOut(
            m_nodeId,
            MakeEvent([&trace, name, at, values...]() { trace(name, at, values...); }));
    }
}

void
RdmaTracer::Ack(const Frame& frame, const SendQueuePair& queuePair, const AckSignal& ack)
{
    const QueuePairName name = GetName(frame.destination, frame.source, queuePair.index);
    CallOut(m_traces->m_ackTrace, name, ack.ackedBytes, ack.GetMarkedBytes());
    CallOut(m_traces->m_rttTrace, name, Time(PicoSeconds(ack.rttTicks)));
}

void
RdmaTracer::Nack(const Frame& frame)
{
    CallOut(m_traces->m_nackTrace,
            GetName(frame.destination, frame.source, frame.queuePair),
            frame.psn);
}

void
RdmaTracer::CnpReceived(const Frame& frame)
{
    CallOut(m_traces->m_cnpReceivedTrace,
            GetName(frame.destination, frame.source, frame.queuePair));
}

void
RdmaTracer::CnpSent(const Frame& frame)
{
    CallOut(m_traces->m_cnpSentTrace, GetName(frame.destination, frame.source, frame.queuePair));
}

void
RdmaTracer::Retransmission(const Frame& frame)
{
    CallOut(m_traces->m_retransmissionTrace,
            GetName(frame.source, frame.destination, frame.queuePair),
            frame.psn,
            uint64_t{frame.payloadBytes});
}

void
RdmaTracer::Timeout(uint32_t terminal, const SendQueuePair& queuePair)
{
    CallOut(m_traces->m_timeoutTrace,
            GetName(terminal, queuePair.destination, queuePair.index),
            uint32_t{queuePair.timeouts});
}

void
RdmaTracer::Decision(uint32_t terminal, const SendQueuePair& queuePair)
{
    if (queuePair.index >= m_known.size())
    {
        m_known.resize(queuePair.index + 1);
    }
    Known& known = m_known[queuePair.index];
    const QueuePairName name = GetName(terminal, queuePair.destination, queuePair.index);
    const double rate = std::min(queuePair.decision.rateBps, queuePair.info.lineRateBps);
    const auto rateBps = static_cast<uint64_t>(rate);
    if (rateBps != known.rateBps)
    {
        known.rateBps = rateBps;
        CallOut(m_traces->m_rateTrace, name, DataRate(rateBps));
    }
    if (queuePair.decision.windowBytes != known.windowBytes)
    {
        known.windowBytes = queuePair.decision.windowBytes;
        CallOut(m_traces->m_windowTrace, name, queuePair.decision.windowBytes);
    }
}

} // namespace ns3::llm
