// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_COMMUNICATOR_BENCH_H
#define LLM_FABRIC_TEST_COMMUNICATOR_BENCH_H

#include "refusal.h"

#include "ns3/collective-operation.h"
#include "ns3/collective-statistics.h"
#include "ns3/communicator.h"
#include "ns3/input-error.h"
#include "ns3/message-transport.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A communicator over a transport that has latencies only.
 */

namespace ns3::llm
{

/** Carries messages with latencies alone, in order per flow, and counts them. */
class LatencyTransport : public MessageTransport
{
  public:
    /** One message on its way. */
    struct Sent
    {
        Message message; //!< what
        Time time;       //!< when it was sent
    };

    void Send(const Message& message) override
    {
        m_sent.push_back({message, Simulator::Now()});
        m_bytes[message.source] += message.bytes;
        uint32_t& most = m_mostUnderWay[message.source];
        most = std::max(most, ++m_underWay[message.source]);
        if (m_dropFrom == message.source)
        {
            return;
        }
        Time arrival = Simulator::Now() + (m_latency ? m_latency() : MicroSeconds(1));
        Time& last = m_last[{message.source, message.destination, message.owner, message.flow}];
        arrival = std::max(arrival, last);
        last = arrival;
        auto& batch = m_batches[arrival];
        batch.push_back(message);
        if (batch.size() == 1)
        {
            Simulator::Schedule(arrival - Simulator::Now(),
                                &LatencyTransport::Arrive,
                                Ptr<LatencyTransport>(this));
        }
    }

    std::function<Time()> m_latency;             //!< latency of the next message
    Ptr<UniformRandomVariable> m_shuffle;        //!< permutes simultaneous deliveries, if set
    std::string m_refusal;                       //!< what communicators refused
    uint32_t m_dropFrom = UINT32_MAX;            //!< accelerator whose messages are lost
    std::vector<Sent> m_sent;                    //!< all messages in the order of Send
    std::map<uint32_t, uint64_t> m_bytes;        //!< sent by each accelerator
    std::map<uint32_t, uint32_t> m_mostUnderWay; //!< not acknowledged, by accelerator

  private:
    /** Messages have come at this tick: deliver them in the order that m_shuffle makes of it. */
    void Arrive()
    {
        std::vector<Message> batch = m_batches.at(Simulator::Now());
        m_batches.erase(Simulator::Now());
        for (size_t i = batch.size(); m_shuffle && i > 1; --i)
        {
            std::swap(batch[i - 1], batch[m_shuffle->GetInteger(0, i - 1)]);
        }
        for (const Message& message : batch)
        {
            m_refusal += GetRefusal([&]() { NotifyDelivered(message); });
            Simulator::Schedule(MicroSeconds(1),
                                &LatencyTransport::Acknowledge,
                                Ptr<LatencyTransport>(this),
                                message);
        }
    }

    /**
     * The source knows that a message has come.
     * @param message it
     */
    void Acknowledge(const Message& message)
    {
        --m_underWay[message.source];
        NotifyAcknowledged(message);
    }

    std::map<uint32_t, uint32_t> m_underWay;        //!< not acknowledged now, by accelerator
    std::map<Time, std::vector<Message>> m_batches; //!< on their way, by time of arrival
    /** Last arrival by (source, destination, owner, flow). */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, Time> m_last;
};

/** A communicator with its transport and what became of it. */
struct Group
{
    /**
     * @param size number of ranks; rank r is accelerator 10 + r
     * @param algorithm attribute Algorithm
     */
    explicit Group(uint32_t size, const std::string& algorithm = "auto")
        : transport(CreateObject<LatencyTransport>()),
          communicator(CreateObject<Communicator>())
    {
        std::vector<uint32_t> accelerators(size);
        std::iota(accelerators.begin(), accelerators.end(), 10);
        communicator->SetAttribute("Algorithm", StringValue(algorithm));
        communicator->SetTransport(transport);
        communicator->SetGroup(7, "DP group 3", accelerators);
        communicator->TraceConnectWithoutContext(
            "OperationDone",
            MakeCallback(&CollectiveStatistics::Add, &statistics));
        done.resize(size);
    }

    /**
     * Start an operation at a rank.
     * @param delay from now
     * @param rank the rank
     * @param request the operation
     */
    void StartAt(Time delay, uint32_t rank, const CollectiveRequest& request)
    {
        Simulator::ScheduleWithContext(10 + rank,
                                       delay,
                                       [this, rank, request]()
                                       {
                                           transport->m_refusal += GetRefusal(
                                               [&]() {
                                                   communicator->Start(
                                                       rank,
                                                       request,
                                                       MakeCallback(&Group::Done, this).Bind(rank));
                                               });
                                       });
    }

    /**
     * Called when an operation is complete.
     * @param rank where
     */
    void Done(uint32_t rank)
    {
        done[rank].push_back(Simulator::Now());
    }

    Ptr<LatencyTransport> transport;     //!< carries the messages
    Ptr<Communicator> communicator;      //!< under test
    CollectiveStatistics statistics;     //!< of its operations
    std::vector<std::vector<Time>> done; //!< completions by rank
};

/** What a ring does. */
inline const CollectiveOperation RING_OPERATIONS[] = {CollectiveOperation::ALL_REDUCE,
                                                      CollectiveOperation::ALL_GATHER,
                                                      CollectiveOperation::REDUCE_SCATTER};

/**
 * @param size number of ranks
 * @return accelerators 0, 1, ...
 */
inline std::vector<uint32_t>
MakeAccelerators(uint32_t size)
{
    std::vector<uint32_t> result(size);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_COMMUNICATOR_BENCH_H
