// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SMALL_NETWORK_H
#define LLM_FABRIC_SMALL_NETWORK_H

#include "conservation.h"

#include "ns3/fabric-network.h"
#include "ns3/identity-hash.h"
#include "ns3/rdma-transport.h"
#include "ns3/time-resolution.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Networks built by hand, with an RDMA transport, shared by the suites of fabric and transport.
 */

namespace ns3::llm
{

/** Hash of every arrival of every frame: who, where, when, and whether it was marked. */
class ArrivalDigest : public FrameTransmitter::Observer
{
  public:
    void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) override
    {
        ++frames;
        const uint64_t what =
            frame.psn ^ uint64_t { frame.flags } << 48 ^ static_cast<uint64_t>(frame.kind) << 56;
        const uint64_t who = MixHash(frame.tag, uint64_t{frame.source} << 32 | frame.destination);
        // a sum does not depend on the order within a tick, in which no result may depend either
        hash += MixHash(MixHash(MixHash(tick, transmitter.GetObject()), what), who);
    }

    bool NeedsOrder() const override
    {
        return false; // a sum has none
    }

    uint64_t hash = 0;   //!< of all
    uint64_t frames = 0; //!< arrivals
};

/** Stands before a NIC and loses frames that are on their way to it. */
class LossyEnd : public FrameSink
{
  public:
    /** Says whether a frame is lost. */
    using Filter = std::function<bool(const Frame&)>;

    /** @param nic who gets the rest @param filter says what is lost @param pool where that goes */
    LossyEnd(FrameSink& nic, const Filter& filter, FramePool& pool)
        : m_nic(nic),
          m_filter(filter),
          m_pool(pool)
    {
    }

    void ReceiveFrame(uint16_t port, const TransitFrame& transit) override
    {
        if (m_filter(*transit.Store()))
        {
            m_pool.Give(transit.frame);
            return;
        }
        m_nic.ReceiveFrame(port, transit);
    }

    void BufferReleased() override
    {
        m_nic.BufferReleased();
    }

    void PortReady(uint16_t port) override
    {
        m_nic.PortReady(port);
    }

  private:
    FrameSink& m_nic;       //!< who gets the rest
    const Filter& m_filter; //!< says what is lost
    FramePool& m_pool;      //!< where that goes
};

/**
 * A network, a transport with accelerator i at terminal i, and a record of what was delivered.
 *
 * Attribute defaults are set before it is made; they are reset with it. What goes into the network has
 * to come out of it: see Conservation.
 */
class SmallNetwork
{
  public:
    /** A message that reached one of its ends. */
    struct Record
    {
        Message message; //!< the message
        uint64_t tick;   //!< when, ps
    };

    SmallNetwork()
    {
        UsePicoseconds();
        clock = Create<FrameClock>();
        network = CreateObject<FabricNetwork>();
        network->SetClock(clock);
    }

    ~SmallNetwork()
    {
        if (conservation)
        {
            conservation->Require(!isCutShort);
        }
        Simulator::Destroy();
        if (transport)
        {
            transport->Dispose();
        }
        network->Dispose();
        Config::Reset();
    }

    SmallNetwork(const SmallNetwork&) = delete;
    SmallNetwork& operator=(const SmallNetwork&) = delete;

    /** @param isFrameEngine whether the module's engine is to run what is made next, or ns-3's */
    static void ChooseEngine(bool isFrameEngine)
    {
        GlobalValue::Bind("SimulatorImplementationType",
                          StringValue(isFrameEngine ? "ns3::llm::FrameSimulatorImpl"
                                                    : "ns3::DefaultSimulatorImpl"));
    }

    /**
     * Set what most known answers suppose: no congestion control and 82 B on every data frame.
     * @param mtu payload of a full frame
     */
    static void SetPlain(uint32_t mtu)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue("ns3::llm::NoCongestionControl"));
        Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(mtu));
        Config::SetDefault("ns3::llm::RdmaTransport::FirstOverhead", UintegerValue(0));
    }

    /** Set the frames of the published comparison: 4000 B payload, 48 B headers, 60 B ACK. */
    static void SetComparison()
    {
        SetPlain(4000);
        Config::SetDefault("ns3::llm::RdmaTransport::DataOverhead", UintegerValue(48));
        Config::SetDefault("ns3::llm::RdmaTransport::AckSize", UintegerValue(60));
    }

    /** @param count so many more terminals */
    void AddHosts(uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            const auto place = static_cast<uint32_t>(hosts.size());
            hosts.push_back(
                network->AddTerminal(CreateObject<Node>(), place, "host " + std::to_string(place)));
        }
    }

    /** @param tier its tier @param place its place in the tier @return its vertex */
    uint32_t AddSwitch(uint32_t tier, uint32_t place)
    {
        return network->AddSwitch(CreateObject<Node>(), tier, place, "switch");
    }

    /** One switch. @param count hosts @param rate of each link @param delay of each link */
    void MakeStar(uint32_t count, const std::string& rate, Time delay = MicroSeconds(1))
    {
        AddHosts(count);
        const uint32_t hub = AddSwitch(0, 0);
        for (const uint32_t host : hosts)
        {
            network->Connect(host, hub, DataRate(rate), delay);
        }
        Finish();
    }

    /**
     * Two hosts with switches in a row between.
     * @param switches so many
     * @param rate of each link
     * @param delay of each link
     */
    void MakeRow(uint32_t switches, const std::string& rate, Time delay = MicroSeconds(1))
    {
        AddHosts(2);
        uint32_t last = hosts[0];
        for (uint32_t i = 0; i < switches; ++i)
        {
            const uint32_t next = AddSwitch(0, i);
            network->Connect(last, next, DataRate(rate), delay);
            last = next;
        }
        network->Connect(last, hosts[1], DataRate(rate), delay);
        Finish();
    }

    /** Two switches. @param left hosts at one @param right hosts at the other @param rate of their
     * links @param trunkRate between the switches */
    void MakeDumbbell(uint32_t left,
                      uint32_t right,
                      const std::string& rate,
                      const std::string& trunkRate)
    {
        AddHosts(left + right);
        const uint32_t a = AddSwitch(0, 0);
        const uint32_t b = AddSwitch(0, 1);
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            network->Connect(hosts[i], i < left ? a : b, DataRate(rate), MicroSeconds(1));
        }
        trunk = network->Connect(a, b, DataRate(trunkRate), MicroSeconds(1));
        Finish();
    }

    /** Three tiers. @param k ports of each switch @param rate of each link */
    void MakeFatTree(uint32_t k, const std::string& rate = "100Gbps")
    {
        const uint32_t h = k / 2;
        const DataRate r(rate);
        const Time d = MicroSeconds(1);
        AddHosts(k * h * h);
        std::vector<uint32_t> edge;
        std::vector<uint32_t> agg;
        std::vector<uint32_t> core;
        for (uint32_t i = 0; i < k * h; ++i)
        {
            edge.push_back(AddSwitch(0, i));
            agg.push_back(AddSwitch(1, i));
        }
        for (uint32_t i = 0; i < h * h; ++i)
        {
            core.push_back(AddSwitch(2, i));
        }
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            network->Connect(hosts[i], edge[i / h], r, d);
        }
        for (uint32_t i = 0; i < k * h * h; ++i)
        {
            network->Connect(edge[i / h], agg[i / h / h * h + i % h], r, d);
        }
        for (uint32_t i = 0; i < k * h * h; ++i)
        {
            network->Connect(agg[i / h], core[i / h % h * h + i % h], r, d);
        }
        Finish();
    }

    /** All is connected: put NICs at the terminals and build. */
    void Finish()
    {
        std::vector<uint32_t> accelerators;
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            accelerators.push_back(i);
        }
        transport = CreateObject<RdmaTransport>();
        transport->Install(network, accelerators);
        for (uint32_t i = 0; i < hosts.size() && isLost; ++i)
        {
            auto& nic = const_cast<RdmaNic&>(transport->GetNic(i)); // is no const object
            m_ends.push_back(std::make_unique<LossyEnd>(nic, isLost, network->GetPool()));
            network->SetTerminalOwner(i, m_ends.back().get());
        }
        for (uint32_t i = 0; i < hosts.size() && makeEnd; ++i)
        {
            auto& nic = const_cast<RdmaNic&>(transport->GetNic(i)); // is no const object
            m_ends.push_back(makeEnd(nic, network->GetPool()));
            network->SetTerminalOwner(i, m_ends.back().get());
        }
        if (beforeBuild)
        {
            beforeBuild();
        }
        network->Build();
        transport->Start();
        network->SetObserver(&digest);
        conservation =
            std::make_unique<Conservation>(network, m_ends.empty() ? transport : nullptr);
        transport->SetOwner(0,
                            MakeCallback(&SmallNetwork::Delivered, this),
                            MakeCallback(&SmallNetwork::Acknowledged, this));
    }

    /**
     * Send a message at once.
     * @param source accelerator
     * @param destination accelerator
     * @param bytes payload
     * @param place see Message
     * @param flow see Message
     */
    void Send(uint32_t source,
              uint32_t destination,
              uint64_t bytes,
              uint32_t place = 0,
              uint32_t flow = 0)
    {
        Message message;
        message.source = source;
        message.destination = destination;
        message.bytes = bytes;
        message.place = place;
        message.flow = flow;
        transport->Send(message);
    }

    /**
     * As Send(), later.
     * @param at when
     * @param source accelerator
     * @param destination accelerator
     * @param bytes payload
     * @param place see Message
     */
    void SendAt(Time at, uint32_t source, uint32_t destination, uint64_t bytes, uint32_t place = 0)
    {
        Simulator::Schedule(at,
                            [this, source, destination, bytes, place]()
                            { Send(source, destination, bytes, place); });
    }

    /** Every host but host 0 sends to host 0. @param bytes each @param last last sender, 0: all */
    void SendIncast(uint64_t bytes, uint32_t last = 0)
    {
        for (uint32_t i = 1; i < hosts.size() && (last == 0 || i <= last); ++i)
        {
            Send(i, 0, bytes);
        }
    }

    /**
     * Each host sends to another one.
     * @param by it lies so many places further
     * @param bytes payload
     */
    void SendShift(uint32_t by, uint64_t bytes)
    {
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            Send(i, (i + by) % hosts.size(), bytes);
        }
    }

    /** Each host sends to each other. @param bytes per pair */
    void SendAllToAll(uint64_t bytes)
    {
        for (uint32_t by = 1; by < hosts.size(); ++by)
        {
            SendShift(by, bytes);
        }
    }

    /** A ring all-reduce: each host passes a chunk on as soon as it has it. @param chunk bytes */
    void SendRing(uint64_t chunk)
    {
        ringChunk = chunk;
        ringSent.assign(hosts.size(), 1);
        SendShift(1, chunk);
    }

    /** @return sum of a counter over all ports @param counter a member of PortCounters */
    uint64_t Sum(uint64_t PortCounters::*counter) const
    {
        uint64_t sum = 0;
        for (const auto& direction : network->GetDirections())
        {
            sum += direction.port->GetTransmitter().GetCounters().*counter;
        }
        return sum;
    }

    /** @return frames of lossless classes dropped */
    uint64_t LosslessDrops() const
    {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < network->GetSwitchCount(); ++i)
        {
            sum += network->GetSwitch(i)->GetLosslessDrops();
        }
        return sum;
    }

    /** @return bytes in the buffers of all switches; settled, when all has arrived */
    uint64_t BufferBytes() const
    {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < network->GetSwitchCount(); ++i)
        {
            sum += network->GetSwitch(i)->GetBuffer().GetUsedBytes();
        }
        return sum;
    }

    /** @return bytes that wait at all ports */
    uint64_t QueueBytes() const
    {
        uint64_t sum = 0;
        for (const auto& direction : network->GetDirections())
        {
            sum += direction.port->GetTransmitter().GetQueueBytes(clock->NowTicks());
        }
        return sum;
    }

    /** @return port of the first switch that leads to a host @param host it */
    const FrameTransmitter& ToHost(uint32_t host) const
    {
        return *network->GetTerminalPort(host)->GetTransmitter().GetPeer();
    }

    /** @return tick of the last delivery, or 0 */
    uint64_t LastDelivery() const
    {
        return delivered.empty() ? 0 : delivered.back().tick;
    }

    /** @return Jain's index of fairness @param values what is to be equal */
    static double Jain(const std::vector<double>& values)
    {
        double sum = 0;
        double squares = 0;
        for (const double value : values)
        {
            sum += value;
            squares += value * value;
        }
        return sum * sum / (static_cast<double>(values.size()) * squares);
    }

    /** Makes what stands before a NIC. */
    using EndMaker = std::function<std::unique_ptr<FrameSink>(FrameSink&, FramePool&)>;

    LossyEnd::Filter isLost;           //!< says which frames are lost before a NIC; set first
    EndMaker makeEnd;                  //!< instead of isLost; set first
    std::function<void()> beforeBuild; //!< called when all is connected; set first
    Ptr<FrameClock> clock;             //!< the clock
    Ptr<FabricNetwork> network;        //!< the network
    Ptr<RdmaTransport> transport;      //!< carries messages on it
    std::vector<uint32_t> hosts;       //!< vertices of the terminals
    uint32_t trunk = 0;                //!< link between the switches of a dumbbell
    std::vector<Record> delivered;     //!< in the order of delivery
    std::vector<Record> acknowledged;  //!< in the order of acknowledgment
    ArrivalDigest digest;              //!< of all arrivals
    uint64_t ringChunk = 0;            //!< see SendRing()
    std::vector<uint32_t> ringSent;    //!< chunks sent in the ring, by host
    bool isCutShort = false;           //!< the run ends with frames in the network
    std::unique_ptr<Conservation> conservation; //!< compares what goes in and comes out

  private:
    std::vector<std::unique_ptr<FrameSink>> m_ends; //!< before the NICs, if a test wants it

    /** @param message it has come */
    void Delivered(const Message& message)
    {
        delivered.push_back({message, static_cast<uint64_t>(Simulator::Now().GetTimeStep())});
        const uint32_t at = message.destination;
        const auto count = static_cast<uint32_t>(hosts.size());
        if (ringChunk != 0 && ringSent[at] < 2 * (count - 1))
        {
            Send(at, (at + 1) % count, ringChunk, ringSent[at]++);
        }
    }

    /** @param message its sender knows */
    void Acknowledged(const Message& message)
    {
        acknowledged.push_back({message, static_cast<uint64_t>(Simulator::Now().GetTimeStep())});
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SMALL_NETWORK_H
