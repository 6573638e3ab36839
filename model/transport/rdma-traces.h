// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_TRACES_H
#define LLM_FABRIC_RDMA_TRACES_H

#include "message-transport.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Which queue pair a trace speaks of.
 */
struct QueuePairName
{
    uint32_t source = 0;      //!< sending accelerator
    uint32_t destination = 0; //!< receiving accelerator
    uint32_t nic = 0;         //!< which of the source's NICs
    uint32_t queuePair = 0;   //!< number at that NIC; 2 less than in captures
};

/**
 * @ingroup llm-fabric-transport
 * @param out a stream
 * @param name what is written to it
 * @return the stream
 */
std::ostream& operator<<(std::ostream& out, const QueuePairName& name);

/**
 * @ingroup llm-fabric-transport
 * A traced callback that says when it has got its first sink.
 * @tparam Ts what sinks get
 */
template <typename... Ts>
class SwitchedTrace : public TracedCallback<Ts...>
{
  public:
    /** @param isOn set with the first sink; lives as long */
    explicit SwitchedTrace(bool& isOn)
        : m_isOn(isOn)
    {
    }

    /** See TracedCallback. @param callback the sink */
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        m_isOn = true;
        TracedCallback<Ts...>::ConnectWithoutContext(callback);
    }

    /** See TracedCallback. @param callback the sink @param path its context */
    void Connect(const CallbackBase& callback, std::string path)
    {
        m_isOn = true;
        TracedCallback<Ts...>::Connect(callback, path);
    }

  private:
    bool& m_isOn; //!< shared by all of a transport
};

/**
 * @ingroup llm-fabric-transport
 * The trace sources of an RDMA transport.
 *
 * What happens in a frame event reaches its sinks in an ns-3 event one tick later, in the context of the
 * node where it happened, with the time at which it did. A sink may do what any ns-3 event may. Results
 * are the same with sinks and without.
 */
class RdmaTraces
{
  public:
    RdmaTraces();
    RdmaTraces(const RdmaTraces&) = delete;
    RdmaTraces& operator=(const RdmaTraces&) = delete;
    virtual ~RdmaTraces() = default;

    /**
     * Of `Rate`.
     * @param name the queue pair
     * @param at when it changed
     * @param rate at which it may send from then on, wire bytes; at most the line's
     */
    typedef void (*RateTracedCallback)(const QueuePairName& name, Time at, DataRate rate);
    /**
     * Of `Window`.
     * @param name the queue pair
     * @param at when it changed
     * @param bytes payload that may be unacknowledged from then on
     */
    typedef void (*WindowTracedCallback)(const QueuePairName& name, Time at, uint64_t bytes);
    /**
     * Of `Rtt`.
     * @param name the queue pair
     * @param at when an ACK came in
     * @param rtt since transmission of the frame that it answers began
     */
    typedef void (*RttTracedCallback)(const QueuePairName& name, Time at, Time rtt);
    /**
     * Of `CnpSent` and `CnpReceived`.
     * @param name the queue pair
     * @param at when a congestion notification was sent by its receiver, or came to its sender
     */
    typedef void (*CnpTracedCallback)(const QueuePairName& name, Time at);
    /**
     * Of `Ack`.
     * @param name the queue pair
     * @param at when an ACK, or a NACK that says what has arrived, came in
     * @param ackedBytes payload newly acknowledged
     * @param markedBytes of it, what has come marked
     */
    typedef void (*AckTracedCallback)(const QueuePairName& name,
                                      Time at,
                                      uint64_t ackedBytes,
                                      uint64_t markedBytes);
    /**
     * Of `Nack`.
     * @param name the queue pair
     * @param at when a NACK came in
     * @param psn of the frame that is missing
     */
    typedef void (*NackTracedCallback)(const QueuePairName& name, Time at, uint64_t psn);
    /**
     * Of `Retransmission`.
     * @param name the queue pair
     * @param at when a frame was sent again
     * @param psn its number
     * @param bytes its payload
     */
    typedef void (*RetransmissionTracedCallback)(const QueuePairName& name,
                                                 Time at,
                                                 uint64_t psn,
                                                 uint64_t bytes);
    /**
     * Of `Timeout`.
     * @param name the queue pair
     * @param at when a retransmission timeout was over
     * @param count timeouts in a row, with this one
     */
    typedef void (*TimeoutTracedCallback)(const QueuePairName& name, Time at, uint32_t count);
    /**
     * Of `MessageSent`, `MessageDelivered` and `MessageAcknowledged`: Simulator::Now() is when.
     * @param message handed over for sending, complete at its destination (without flow and priority),
     * or acknowledged at its source
     */
    typedef void (*MessageTracedCallback)(const Message& message);

    /** @return whether any trace source has ever had a sink */
    bool IsTraced() const
    {
        return m_isOn;
    }

  protected:
    /** @param tid gets the trace sources @return it */
    static TypeId AddTraceSources(TypeId tid);

    /** Of a queue pair: what, when, and values. @tparam Ts the values */
    template <typename... Ts>
    using QueuePairTrace = SwitchedTrace<const QueuePairName&, Time, Ts...>;

    friend class RdmaTracer;

    bool m_isOn = false;                                       //!< see IsTraced()
    QueuePairTrace<DataRate> m_rateTrace;                      //!< `Rate`
    QueuePairTrace<uint64_t> m_windowTrace;                    //!< `Window`
    QueuePairTrace<Time> m_rttTrace;                           //!< `Rtt`
    QueuePairTrace<> m_cnpSentTrace;                           //!< `CnpSent`
    QueuePairTrace<> m_cnpReceivedTrace;                       //!< `CnpReceived`
    QueuePairTrace<uint64_t, uint64_t> m_ackTrace;             //!< `Ack`
    QueuePairTrace<uint64_t> m_nackTrace;                      //!< `Nack`
    QueuePairTrace<uint64_t, uint64_t> m_retransmissionTrace;  //!< `Retransmission`
    QueuePairTrace<uint32_t> m_timeoutTrace;                   //!< `Timeout`
    TracedCallback<const Message&> m_messageSentTrace;         //!< `MessageSent`
    TracedCallback<const Message&> m_messageDeliveredTrace;    //!< `MessageDelivered`
    TracedCallback<const Message&> m_messageAcknowledgedTrace; //!< `MessageAcknowledged`
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_TRACES_H
