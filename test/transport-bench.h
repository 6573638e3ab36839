// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_TRANSPORT_BENCH_H
#define LLM_FABRIC_TEST_TRANSPORT_BENCH_H

#include "engine-test-support.h"

#include "ns3/cluster.h"
#include "ns3/config.h"
#include "ns3/frame-digest.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Messages over any transport of a cluster.
 */

namespace ns3::llm
{

/** Attributes and their values. */
using Settings = std::vector<std::pair<std::string, std::string>>;

/** A cluster whose messages are recorded at both ends. */
class TransportBench
{
  public:
    /** An end of a message. */
    struct Ending
    {
        uint64_t tick;   //!< when, ps
        Message message; //!< of which
    };

    /**
     * @param transport between HB domains
     * @param settings defaults of attributes, without "ns3::llm::"
     * @param helper beginning of the topology helper's name
     * @param accelerators in all
     * @param domainSize K
     */
    explicit TransportBench(const std::string& transport,
                            const Settings& settings = {},
                            const std::string& helper = "SingleSwitch",
                            uint32_t accelerators = 2,
                            uint32_t domainSize = 1)
    {
        for (const auto& [name, value] : settings)
        {
            Config::SetDefault("ns3::llm::" + name, StringValue(value));
        }
        ObjectFactory factory("ns3::llm::" + helper + "Helper");
        factory.Set("Accelerators", UintegerValue(accelerators));
        factory.Set("DomainSize", UintegerValue(domainSize));
        factory.Set("Transport", StringValue(transport));
        factory.Set("NicRate", StringValue("100Gbps"));
        factory.Set("NicDelay", StringValue("1us"));
        cluster = factory.Create<TopologyHelper>()->Build();
        cluster->SetObserver(&digest);
        cluster->GetTransport()->SetOwner(0,
                                          MakeCallback(&TransportBench::OnDelivered, this),
                                          MakeCallback(&TransportBench::OnAcknowledged, this));
    }

    ~TransportBench()
    {
        Simulator::Destroy();
        cluster->Dispose();
        Config::Reset();
    }

    TransportBench(const TransportBench&) = delete;
    TransportBench& operator=(const TransportBench&) = delete;

    /** @param at when @param source accelerator @param destination another @param bytes payload */
    void Send(Time at, uint32_t source, uint32_t destination, uint64_t bytes)
    {
        Message message;
        message.source = source;
        message.destination = destination;
        message.bytes = bytes;
        message.place = m_sent++;
        Simulator::ScheduleWithContext(cluster->GetNodeId(source),
                                       at,
                                       [this, message]()
                                       { cluster->GetTransport()->Send(message); });
    }

    /** @return source, destination, place and payload of all that was delivered, sorted */
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>> GetState() const
    {
        std::vector<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>> state;
        for (const Ending& ending : delivered)
        {
            const Message& message = ending.message;
            state.emplace_back(message.source, message.destination, message.place, message.bytes);
        }
        std::sort(state.begin(), state.end());
        return state;
    }

    /** @param name of a counter @return its value */
    uint64_t GetCounter(const std::string& name) const
    {
        for (const NamedCounter& counter : cluster->GetCounters())
        {
            if (counter.name == name)
            {
                return counter.value;
            }
        }
        return UINT64_MAX;
    }

    EngineScope scope{FRAME_ENGINE};  //!< ends with this
    Ptr<Cluster> cluster;             //!< carries the messages
    FrameDigest digest;               //!< of all arrivals
    std::vector<Ending> delivered;    //!< in order
    std::vector<Ending> acknowledged; //!< in order

  private:
    /** @param message it has come */
    void OnDelivered(const Message& message)
    {
        delivered.push_back({static_cast<uint64_t>(Simulator::Now().GetTimeStep()), message});
    }

    /** @param message its sender knows that it has come */
    void OnAcknowledged(const Message& message)
    {
        acknowledged.push_back({static_cast<uint64_t>(Simulator::Now().GetTimeStep()), message});
    }

    uint32_t m_sent = 0; //!< messages so far
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_TRANSPORT_BENCH_H
