// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RANDOM_FABRIC_RUN_H
#define LLM_FABRIC_RANDOM_FABRIC_RUN_H

#include "random-fabric-plan.h"
#include "small-network.h"

#include "ns3/input-error.h"
#include "ns3/rng-seed-manager.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Runs what RandomFabricPlanner has drawn, and checks all that must hold whatever was drawn.
 */

namespace ns3::llm
{

/** Runs a plan. */
class RandomFabricRun
{
  public:
    /** How to run. */
    struct Way
    {
        bool isReference = false;  //!< each departure is decided when due
        bool isFrameEngine = true; //!< the module's engine
    };

    /** What has come of it. */
    struct Outcome
    {
        std::vector<uint64_t> numbers; //!< must be equal in each way of running
        uint64_t arrivals = 0;         //!< frames
        uint64_t pauses = 0;           //!< received
        uint64_t losses = 0;           //!< frames dropped, corrupted, or lost with a link
        uint64_t unfinished = 0;       //!< messages cut off by a partition
        std::string faults;            //!< what must not be, one sentence a line
    };

    /** @param plan what to run; must outlive this */
    explicit RandomFabricRun(const RandomFabricPlan& plan)
        : m_plan(plan)
    {
    }

    /** @param way how @return what has come of it */
    Outcome Run(const Way& way)
    {
        m_outcome = Outcome();
        m_faults.str("");
        Config::Reset();
        SmallNetwork::ChooseEngine(way.isFrameEngine);
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(m_plan.seed);
        for (const auto& [name, value] : m_plan.settings)
        {
            Config::SetDefault(name, StringValue(value));
        }
        Config::SetDefault("ns3::llm::FabricNetwork::ReferenceMode", BooleanValue(way.isReference));
        try
        {
            SmallNetwork net;
            Build(net);
            Post(net);
            Simulator::Run();
            Check(net);
            net.conservation.reset(); // it has spoken already
        }
        catch (const InputError& error)
        {
            m_faults << "refused: " << error.what() << '\n';
        }
        SmallNetwork::ChooseEngine(true);
        m_outcome.faults = m_faults.str();
        return m_outcome;
    }

  private:
    /** What became of a message. */
    struct Fate
    {
        uint32_t delivered = 0;    //!< so often
        uint32_t acknowledged = 0; //!< so often
        uint64_t tick = 0;         //!< of the delivery, ps
    };

    /** @param net gets the plan's switches, hosts and links */
    void Build(SmallNetwork& net) const
    {
        net.AddHosts(m_plan.hosts);
        std::vector<uint32_t> vertices = net.hosts;
        std::map<uint32_t, uint32_t> places;
        for (const uint32_t tier : m_plan.tiers)
        {
            vertices.push_back(net.AddSwitch(tier, places[tier]++));
        }
        std::vector<uint64_t> needed(vertices.size(), m_plan.spareBytes);
        for (const RandomFabricPlan::Link& link : m_plan.links)
        {
            net.network->Connect(vertices[link.a],
                                 vertices[link.b],
                                 DataRate(link.rateMbps * 1000000),
                                 PicoSeconds(static_cast<int64_t>(link.delayTick)));
            const uint64_t flying = 2 * link.delayTick * link.rateMbps / 8000000; // 2 d C
            for (const uint32_t end : {link.a, link.b})
            {
                needed[end] += flying + 2 * m_plan.maxFrame + 84 + 2 + 4096;
            }
        }
        for (uint32_t s = 0; s < net.network->GetSwitchCount(); ++s)
        {
            net.network->GetSwitch(s)->SetAttribute("BufferSize",
                                                    UintegerValue(needed[m_plan.hosts + s]));
        }
        net.Finish();
    }

    /** @param net gets the plan's messages and changes of links */
    void Post(SmallNetwork& net) const
    {
        for (uint32_t place = 0; place < m_plan.sends.size(); ++place)
        {
            const RandomFabricPlan::Send& send = m_plan.sends[place];
            Simulator::Schedule(
                PicoSeconds(static_cast<int64_t>(send.tick)),
                [&net, &send, place]()
                { net.Send(send.source, send.destination, send.bytes, place, send.flow); });
        }
        for (const RandomFabricPlan::Change& change : m_plan.changes)
        {
            net.network->SetLinkState(change.link,
                                      PicoSeconds(static_cast<int64_t>(change.tick)),
                                      change.isUp);
        }
    }

    /** @param net the network after the run */
    void Check(SmallNetwork& net)
    {
        std::vector<Fate> fates(m_plan.sends.size());
        for (const SmallNetwork::Record& record : net.delivered)
        {
            Fate& fate = fates.at(record.message.place);
            ++fate.delivered;
            fate.tick = record.tick;
            const RandomFabricPlan::Send& send = m_plan.sends[record.message.place];
            Expect(record.message.bytes == send.bytes && record.message.source == send.source &&
                       record.message.destination == send.destination,
                   "another message than was sent, place ",
                   record.message.place);
        }
        for (const SmallNetwork::Record& record : net.acknowledged)
        {
            Fate& fate = fates.at(record.message.place);
            ++fate.acknowledged;
            Expect(fate.delivered == 1 && record.tick > fate.tick,
                   "acknowledged before it came, place ",
                   record.message.place);
        }
        CheckFates(net, fates);
        CheckOrder(fates);
        CheckBounds(fates);
        m_faults << net.conservation->Find();
        CheckLosses(net);
        TakeNumbers(net, fates);
    }

    /** Each message comes once, or a partition keeps it. @param net the network @param fates of all */
    void CheckFates(SmallNetwork& net, const std::vector<Fate>& fates)
    {
        std::set<std::pair<uint32_t, uint32_t>> given;
        for (const std::string& failure : net.transport->GetFailures())
        {
            std::istringstream words(failure.substr(failure.find("accelerator ")));
            std::string word;
            uint32_t source = 0;
            uint32_t destination = 0;
            words >> word >> source >> word >> word >> destination;
            given.insert({source, destination});
            const bool isCut = net.network->GetPath(source, destination, 0).empty() ||
                               net.network->GetPath(destination, source, 0).empty();
            Expect(isCut, failure, ", but there is a way");
        }
        for (std::size_t i = 0; i < fates.size(); ++i)
        {
            const RandomFabricPlan::Send& send = m_plan.sends[i];
            const bool mayFail = given.count({send.source, send.destination}) != 0;
            const bool isWhole = fates[i].delivered == 1 && fates[i].acknowledged == 1;
            m_outcome.unfinished += !isWhole;
            Expect(isWhole || (mayFail && fates[i].delivered <= 1 && fates[i].acknowledged == 0),
                   "message ",
                   i,
                   " from ",
                   send.source,
                   " to ",
                   send.destination,
                   " was delivered ",
                   fates[i].delivered,
                   " times and acknowledged ",
                   fates[i].acknowledged,
                   " times");
        }
    }

    /** Messages of a queue pair come in order. @param fates of all */
    void CheckOrder(const std::vector<Fate>& fates)
    {
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> last;
        for (std::size_t i = 0; i < fates.size(); ++i)
        {
            const RandomFabricPlan::Send& send = m_plan.sends[i];
            uint64_t& tick = last[{send.source, send.destination, send.flow}];
            if (fates[i].delivered != 0)
            {
                Expect(tick <= fates[i].tick, "message ", i, " overtook another");
                tick = fates[i].tick;
            }
        }
    }

    /** @param from a host @return least propagation to each vertex, ps */
    std::vector<uint64_t> LeastDelays(uint32_t from) const
    {
        std::vector<uint64_t> delays(m_plan.hosts + m_plan.tiers.size(), UINT64_MAX / 2);
        delays[from] = 0;
        for (std::size_t round = 0; round < delays.size(); ++round) // Bellman and Ford
        {
            for (const RandomFabricPlan::Link& link : m_plan.links)
            {
                delays[link.a] = std::min(delays[link.a], delays[link.b] + link.delayTick);
                delays[link.b] = std::min(delays[link.b], delays[link.a] + link.delayTick);
            }
        }
        return delays;
    }

    /** @param host a host @return line rate of its NIC, Mb/s */
    uint64_t RateOf(uint32_t host) const
    {
        const auto isIts = [host](const RandomFabricPlan::Link& link)
        {
            return link.a == host;
        };
        return std::find_if(m_plan.links.begin(), m_plan.links.end(), isIts)->rateMbps;
    }

    /** Nothing is faster than payload over line rate and light. @param fates of all */
    void CheckBounds(const std::vector<Fate>& fates)
    {
        std::vector<uint64_t> inBytes(m_plan.hosts);
        std::vector<uint64_t> last(m_plan.hosts);
        for (std::size_t i = 0; i < fates.size(); ++i)
        {
            const RandomFabricPlan::Send& send = m_plan.sends[i];
            if (fates[i].delivered == 0)
            {
                continue;
            }
            const uint64_t slow = std::min(RateOf(send.source), RateOf(send.destination));
            const uint64_t least =
                send.bytes * 8000000 / slow + LeastDelays(send.source)[send.destination];
            Expect(fates[i].tick >= send.tick + least,
                   "message ",
                   i,
                   " took ",
                   fates[i].tick - send.tick,
                   " ps, but its bound is ",
                   least);
            inBytes[send.destination] += send.bytes;
            last[send.destination] = std::max(last[send.destination], fates[i].tick);
        }
        for (uint32_t host = 0; host < m_plan.hosts; ++host)
        {
            const uint64_t first = m_plan.sends.front().tick;
            Expect(inBytes[host] == 0 ||
                       last[host] >= first + inBytes[host] * 8000000 / RateOf(host),
                   "host ",
                   host,
                   " received faster than its line");
        }
    }

    /** Lossless is lossless. @param net the network */
    void CheckLosses(SmallNetwork& net)
    {
        m_outcome.losses = net.Sum(&PortCounters::drops) + net.Sum(&PortCounters::corrupted) +
                           net.Sum(&PortCounters::lost);
        m_outcome.pauses = net.Sum(&PortCounters::pausesReceived);
        Expect(net.LosslessDrops() == 0, net.LosslessDrops(), " frames dropped in spite of PFC");
        const bool isFaultless = m_plan.hasPfc && !m_plan.hasLoss && m_plan.changes.empty();
        // CNPs alone have no PFC, and find their reserve empty
        Expect(!isFaultless || m_outcome.losses == 0,
               m_outcome.losses,
               " frames lost for no reason");
    }

    /** Take what must be equal in each way of running. @param net the network @param fates of all */
    void TakeNumbers(SmallNetwork& net, const std::vector<Fate>& fates)
    {
        std::vector<uint64_t>& numbers = m_outcome.numbers;
        m_outcome.arrivals = net.digest.frames;
        numbers = {net.digest.hash, net.digest.frames, net.transport->GetFailures().size()};
        for (const Fate& fate : fates)
        {
            numbers.push_back(fate.tick);
        }
        for (const SmallNetwork::Record& record : net.acknowledged)
        {
            // a sum: the order within a tick is that of ns-3's events
            numbers[1] += MixHash(record.tick, record.message.place);
        }
        for (const auto& direction : net.network->GetDirections())
        {
            const PortCounters one = direction.port->GetTransmitter().GetCounters();
            for (const uint64_t number : {one.frames,
                                          one.wireBytes,
                                          one.marks,
                                          one.pausesReceived,
                                          one.pausesSent,
                                          one.drops,
                                          one.lost,
                                          one.corrupted,
                                          one.pausedTicks,
                                          uint64_t{one.maxQueueBytes}})
            {
                numbers.push_back(number);
            }
        }
        const NicCounters nics = net.transport->GetCounters();
        for (const uint64_t number : {nics.dataFrames,
                                      nics.retransmissions,
                                      nics.timeouts,
                                      nics.nacksReceived,
                                      nics.cnpsReceived,
                                      nics.payloadBytes})
        {
            numbers.push_back(number);
        }
    }

    /** @param isSo whether it is as it has to be @param what else */
    template <typename... Parts>
    void Expect(bool isSo, const Parts&... what)
    {
        if (!isSo)
        {
            (m_faults << ... << what);
            m_faults << '\n';
        }
    }

    const RandomFabricPlan& m_plan; //!< what to run
    Outcome m_outcome;              //!< of the run
    std::ostringstream m_faults;    //!< what must not be
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RANDOM_FABRIC_RUN_H
