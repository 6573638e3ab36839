// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_BENCH_H
#define LLM_FABRIC_RELAY_BENCH_H

#include "refusal.h"

#include "ns3/input-error.h"
#include "ns3/locality.h"
#include "ns3/message-transport.h"
#include "ns3/relay-transport.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/**
 * @ingroup llm-fabric-test
 * A relay transport over a transport that takes times by hand.
 */
namespace ns3::llm
{

/** Domains of equal size, node ids = accelerator + 100; single places may be moved. */
class GridLocality : public Locality
{
  public:
    /**
     * @param domains number of domains
     * @param size accelerators in each
     */
    GridLocality(uint32_t domains, uint32_t size)
    {
        for (uint32_t i = 0; i < domains * size; ++i)
        {
            places.emplace_back(i / size, i % size);
        }
    }

    uint32_t GetAcceleratorCount() const override
    {
        return static_cast<uint32_t>(places.size());
    }

    uint32_t GetDomain(uint32_t accelerator) const override
    {
        return places.at(accelerator).first;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return places.at(accelerator).second;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return accelerator + 100;
    }

    Path GetPath(uint32_t source, uint32_t destination, uint32_t, uint32_t) const override
    {
        Path path;
        path.legs.emplace_back();
        path.legs[0].isFluid = isFluid && GetDomain(source) == GetDomain(destination);
        return path;
    }

    bool isFluid = false;                              //!< within domains
    std::vector<std::pair<uint32_t, uint32_t>> places; //!< domain and rail
};

/**
 * Serves each queue pair in order at 10 ps a byte plus 1000 ps, and acknowledges after 1000 ps more.
 * What matches `held` waits for Release().
 */
class MockTransport : public MessageTransport
{
  public:
    void Send(const Message& message) override
    {
        sent.push_back(message);
        if (held.count({message.source, message.destination}) > 0)
        {
            waiting.push_back(message);
            return;
        }
        Start(message);
    }

    /** Let go what is held. */
    void Release()
    {
        held.clear();
        for (const Message& message : waiting)
        {
            Start(message);
        }
        waiting.clear();
    }

    std::vector<Message> sent;                    //!< everything, in order
    std::set<std::pair<uint32_t, uint32_t>> held; //!< (source, destination) that wait
    std::vector<Message> waiting;                 //!< what waits

  private:
    /**
     * @param message what to carry now
     */
    void Start(const Message& message)
    {
        uint64_t& free = m_free[{message.source, message.destination, message.owner, message.flow}];
        free = std::max<uint64_t>(free, Simulator::Now().GetTimeStep()) + 10 * message.bytes;
        const uint64_t wait = free + 1000 - Simulator::Now().GetTimeStep();
        Message told = message;
        told.instance %= INSTANCES;
        if (message.owner >= RelayTransport::OWNERS)
        {
            told.flow = 0; // not every transport carries it
        }
        Simulator::ScheduleWithContext(message.destination + 100,
                                       TimeStep(wait),
                                       [this, told] { NotifyDelivered(told); });
        Simulator::ScheduleWithContext(message.source + 100,
                                       TimeStep(wait + 1000),
                                       [this, message] { NotifyAcknowledged(message); });
    }

    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint64_t>
        m_free; //!< when each queue pair is done
};

/** What an owner saw. */
struct Seen
{
    uint64_t tick;   //!< when
    bool isAck;      //!< acknowledged, or delivered
    Message message; //!< which

    /** @return all of it as text */
    std::string GetText() const
    {
        std::ostringstream text;
        text << tick << (isAck ? " ack " : " got ") << message.source << ">" << message.destination
             << " " << message.bytes << " " << message.owner << "/" << message.instance << "/"
             << message.place << "/" << message.flow;
        return text.str();
    }
};

/** A relay transport over the mock, with an owner that records. */
class RelayFixture
{
  public:
    /**
     * @param where the accelerators
     * @param forwarding attribute
     * @param buffer attribute
     * @param chunk attribute
     * @param settings more attributes and their values
     */
    RelayFixture(Ptr<GridLocality> where,
                 const std::string& forwarding,
                 uint64_t buffer,
                 uint64_t chunk,
                 const std::map<std::string, std::string>& settings = {})
        : locality(where),
          mock(CreateObject<MockTransport>()),
          relay(CreateObject<RelayTransport>())
    {
        relay->SetAttribute("Forwarding", StringValue(forwarding));
        relay->SetAttribute("RelayBuffer", UintegerValue(buffer));
        relay->SetAttribute("ChunkBytes", UintegerValue(chunk));
        for (const auto& [name, value] : settings)
        {
            relay->SetAttribute(name, StringValue(value));
        }
        relay->Setup(locality, mock);
        for (uint32_t owner = 0; owner < 3; ++owner)
        {
            relay->SetOwner(owner,
                            MakeCallback(&RelayFixture::OnDelivered, this),
                            MakeCallback(&RelayFixture::OnAcknowledged, this));
        }
    }

    ~RelayFixture()
    {
        Simulator::Destroy();
        relay->Dispose();
    }

    RelayFixture(const RelayFixture&) = delete;
    RelayFixture& operator=(const RelayFixture&) = delete;

    /**
     * Send at a time in the source's context.
     * @param tick when, ps
     * @param message what
     */
    void SendAt(uint64_t tick, const Message& message)
    {
        Simulator::ScheduleWithContext(message.source + 100,
                                       TimeStep(tick),
                                       [this, message] { relay->Send(message); });
    }

    /** @return all that was seen, as text */
    std::string GetText() const
    {
        std::string text;
        for (const Seen& one : seen)
        {
            text += one.GetText() + "\n";
        }
        return text;
    }

    Ptr<GridLocality> locality; //!< the accelerators
    Ptr<MockTransport> mock;    //!< carries the legs
    Ptr<RelayTransport> relay;  //!< under test
    std::vector<Seen> seen;     //!< in order
    bool contextsRight = true;  //!< whether all callbacks ran at the right node

  private:
    /**
     * @param message delivered
     */
    void OnDelivered(const Message& message)
    {
        contextsRight &= Simulator::GetContext() == message.destination + 100;
        seen.push_back({static_cast<uint64_t>(Simulator::Now().GetTimeStep()), false, message});
    }

    /**
     * @param message acknowledged
     */
    void OnAcknowledged(const Message& message)
    {
        contextsRight &= Simulator::GetContext() == message.source + 100;
        seen.push_back({static_cast<uint64_t>(Simulator::Now().GetTimeStep()), true, message});
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_BENCH_H
