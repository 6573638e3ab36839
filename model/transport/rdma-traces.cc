// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-traces.h"

#include "ns3/trace-source-accessor.h"

#include <ostream>

namespace ns3::llm
{

std::ostream&
operator<<(std::ostream& out, const QueuePairName& name)
{
    return out << name.source << '>' << name.destination << " nic " << name.nic << " queue pair "
               << name.queuePair;
}

RdmaTraces::RdmaTraces()
    : m_rateTrace(m_isOn),
      m_windowTrace(m_isOn),
      m_rttTrace(m_isOn),
      m_cnpSentTrace(m_isOn),
      m_cnpReceivedTrace(m_isOn),
      m_ackTrace(m_isOn),
      m_nackTrace(m_isOn),
      m_retransmissionTrace(m_isOn),
      m_timeoutTrace(m_isOn)
{
}

TypeId
RdmaTraces::AddTraceSources(TypeId tid)
{
    const std::string scope = "ns3::llm::RdmaTraces::";
    return tid
        .AddTraceSource("Rate",
                        "The rate at which a queue pair may send has changed.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_rateTrace),
                        scope + "RateTracedCallback")
        .AddTraceSource("Window",
                        "The payload that a queue pair may have unacknowledged has changed.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_windowTrace),
                        scope + "WindowTracedCallback")
        .AddTraceSource("Rtt",
                        "An ACK has measured a round-trip time.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_rttTrace),
                        scope + "RttTracedCallback")
        .AddTraceSource("CnpSent",
                        "A receiver has sent a congestion notification.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_cnpSentTrace),
                        scope + "CnpTracedCallback")
        .AddTraceSource("CnpReceived",
                        "A congestion notification has come to its sender.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_cnpReceivedTrace),
                        scope + "CnpTracedCallback")
        .AddTraceSource("Ack",
                        "An ACK has come in.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_ackTrace),
                        scope + "AckTracedCallback")
        .AddTraceSource("Nack",
                        "A NACK has come in.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_nackTrace),
                        scope + "NackTracedCallback")
        .AddTraceSource("Retransmission",
                        "A frame was sent again.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_retransmissionTrace),
                        scope + "RetransmissionTracedCallback")
        .AddTraceSource("Timeout",
                        "A retransmission timeout is over.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_timeoutTrace),
                        scope + "TimeoutTracedCallback")
        .AddTraceSource("MessageSent",
                        "A message was handed over for sending.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_messageSentTrace),
                        scope + "MessageTracedCallback")
        .AddTraceSource("MessageDelivered",
                        "A message is complete at its destination.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_messageDeliveredTrace),
                        scope + "MessageTracedCallback")
        .AddTraceSource("MessageAcknowledged",
                        "The source of a message knows that it is complete.",
                        MakeTraceSourceAccessor(&RdmaTraces::m_messageAcknowledgedTrace),
                        scope + "MessageTracedCallback");
}

} // namespace ns3::llm
