// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RECOVERY_BENCH_H
#define LLM_FABRIC_RECOVERY_BENCH_H

#include "small-network.h"

#include "ns3/listed-loss.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Networks that lose and reorder frames, under either loss recovery.
 */

namespace ns3::llm
{

inline const std::vector<std::string> RECOVERIES{"GoBackN",
                                                 "SelectiveRepeat"}; //!< those that there are

/** Set what the runs have in common. @param recovery which @param timeout before it sends again */
inline void
SetRecovery(const std::string& recovery, Time timeout = MicroSeconds(100))
{
    SmallNetwork::SetPlain(1000);
    Config::SetDefault("ns3::llm::RdmaTransport::LossRecovery",
                       StringValue("ns3::llm::" + recovery));
    Config::SetDefault("ns3::llm::RdmaTransport::RetransmissionTimeout", TimeValue(timeout));
}

/** Set that every direction of every link loses frames. @param rate of frames @param kinds see
 * FrameLoss */
inline void
SetLoss(double rate, uint32_t kinds = 15)
{
    Config::SetDefault("ns3::llm::FabricNetwork::FrameLoss", StringValue("ns3::llm::RandomLoss"));
    Config::SetDefault("ns3::llm::RandomLoss::Rate", DoubleValue(rate));
    Config::SetDefault("ns3::llm::FrameLoss::Kinds", UintegerValue(kinds));
}

/** Have a network lose what a list says. @param net it, not yet made @param direction which
 * @param frames see ListedLoss @param kinds see FrameLoss */
inline void
SetList(SmallNetwork& net, uint32_t direction, const std::string& frames, uint32_t kinds)
{
    net.beforeBuild = [&net, direction, frames, kinds]()
    {
        auto loss = CreateObject<ListedLoss>();
        loss->SetAttribute("Frames", StringValue(frames));
        loss->SetAttribute("Kinds", UintegerValue(kinds));
        net.network->SetFrameLoss(direction, loss);
    };
}

/** Stands before a NIC and lets frames overtake others. */
class ShufflingEnd : public FrameSink
{
  public:
    /** @param nic who gets the frames @param pool where those go that are left @param depth by so many
     * a frame is overtaken at most @param seed of the choice */
    ShufflingEnd(FrameSink& nic, FramePool& pool, uint32_t depth, uint64_t seed)
        : m_nic(nic),
          m_pool(pool),
          m_depth(depth),
          m_random(seed)
    {
    }

    void ReceiveFrame(uint16_t port, const TransitFrame& transit) override
    {
        std::vector<Held> due;
        for (auto it = m_held.begin(); it != m_held.end();)
        {
            if (--it->left == 0)
            {
                due.push_back(*it);
                it = m_held.erase(it);
            }
            else
            {
                ++it;
            }
        }
        if (m_random() % 3 == 0)
        {
            m_held.push_back({transit, m_random() % m_depth + 1});
        }
        else
        {
            m_nic.ReceiveFrame(port, transit);
        }
        for (const Held& one : due)
        {
            m_nic.ReceiveFrame(port, one.transit);
        }
    }

    void BufferReleased() override
    {
        m_nic.BufferReleased();
    }

    void PortReady(uint16_t port) override
    {
        m_nic.PortReady(port);
    }

    /** The run is over: what is still held goes back. */
    void Clear()
    {
        for (const Held& one : m_held)
        {
            m_pool.Give(one.transit.frame);
        }
        m_held.clear();
    }

  private:
    /** A frame that is overtaken. */
    struct Held
    {
        TransitFrame transit; //!< the frame
        uint64_t left;        //!< frames that still come before it
    };

    FrameSink& m_nic;         //!< who gets the frames
    FramePool& m_pool;        //!< where those go that are left
    uint32_t m_depth;         //!< most that overtake one
    std::mt19937_64 m_random; //!< chooses
    std::vector<Held> m_held; //!< in the order of arrival
};

/** A run whose messages are all to come. */
class Delivery
{
  public:
    /** Have frames overtake each other; before the network is made. @param depth by so many @param seed
     * of the choice */
    void Shuffle(uint32_t depth, uint64_t seed)
    {
        net.makeEnd = [this, depth, seed](FrameSink& nic, FramePool& pool)
        {
            auto end = std::make_unique<ShufflingEnd>(nic, pool, depth, seed + ends.size());
            ends.push_back(end.get());
            return end;
        };
    }

    /** @param source accelerator @param destination accelerator @param bytes of the next message */
    void Send(uint32_t source, uint32_t destination, uint64_t bytes)
    {
        std::vector<uint64_t>& list = sizes[{source, destination}];
        net.Send(source, destination, bytes, static_cast<uint32_t>(list.size()));
        list.push_back(bytes);
    }

    /** @param records of deliveries or acknowledgments @return what is wrong with them, or "" */
    std::string Check(const std::vector<SmallNetwork::Record>& records) const
    {
        std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> seen;
        for (const SmallNetwork::Record& record : records)
        {
            const Message& message = record.message;
            std::vector<uint64_t>& list = seen[{message.source, message.destination}];
            if (message.place != list.size())
            {
                return "place " + std::to_string(message.place) + " comes as number " +
                       std::to_string(list.size());
            }
            list.push_back(message.bytes);
        }
        return seen == sizes ? "" : "messages are missing, or sizes are wrong";
    }

    /** Run, then check all. @return what is wrong, or "" */
    std::string Run()
    {
        Simulator::Run();
        for (ShufflingEnd* end : ends)
        {
            end->Clear();
        }
        if (net.network->GetPool().GetTaken() != 0)
        {
            return "frames are missing in the pool";
        }
        if (!net.transport->GetFailures().empty())
        {
            return net.transport->GetFailures()[0];
        }
        const std::string fault = Check(net.delivered);
        return fault.empty() ? Check(net.acknowledged) : fault;
    }

    SmallNetwork net;                //!< the network
    std::vector<ShufflingEnd*> ends; //!< before the NICs
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>>
        sizes; //!< bytes, by pair, in order
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RECOVERY_BENCH_H
