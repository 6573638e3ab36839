// SPDX-License-Identifier: GPL-2.0-only

// Incasts of any width on a fabric whose links have different rates: nothing is lost, nothing is kept,
// and each message comes once. Conservation looks at every link and switch, see small-network.h.

#include "small-network.h"

#include "ns3/ns3-compat.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Incasts of a number of senders. */
class IncastTestCase : public TestCase
{
  public:
    /** @param senders so many @param k ports of each switch @param seeds so many runs */
    IncastTestCase(uint32_t senders, uint32_t k, uint32_t seeds)
        : TestCase("Incast of " + std::to_string(senders) + " on " + std::to_string(k * k * k / 4) +
                   " hosts of 25, 100 and 400 Gbps: no drop, all that goes in comes out"),
          m_senders(senders),
          m_k(k),
          m_seeds(seeds)
    {
    }

  private:
    static constexpr uint32_t MTU = 1000;             //!< payload of a full frame
    static constexpr uint32_t MAX_FRAME = MTU + 82;   //!< its wire bytes
    static constexpr uint64_t DELAY_TICKS = 1000000;  //!< of each link
    static constexpr uint64_t SPARE = 20 * MAX_FRAME; //!< shared part of a buffer

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= m_seeds; ++seed)
        {
            RunOne(seed);
        }
        NS_TEST_EXPECT_MSG_GT(m_pauses, (m_senders < 8 ? 0 : 10 * m_seeds), "pauses");
        std::cout << "    " << m_senders << " senders, " << m_seeds << " seeds: " << m_frames
                  << " arrivals, " << m_pauses << " pauses, longest queue " << m_longestQueue
                  << " B, 0 drops\n";
    }

    /** @param seed of paths, ends, sizes and starts */
    void RunOne(uint32_t seed)
    {
        SmallNetwork::SetPlain(MTU);
        Config::SetDefault("ns3::llm::FabricSwitch::MaxFrameSize", UintegerValue(MAX_FRAME));
        RngSeedManager::SetRun(seed);
        SmallNetwork net;
        MakeMixedFatTree(net);
        std::mt19937 random(seed);
        std::vector<uint32_t> order(net.hosts.size());
        for (uint32_t i = 0; i < order.size(); ++i)
        {
            order[i] = i;
            std::swap(order[i], order[random() % (i + 1)]);
        }
        // all together as much as the slowest port needs some 100 us for, so that wide ones pause too
        const uint32_t most = 20000 + 1200000 / m_senders;
        uint64_t payload = 0;
        for (uint32_t i = 1; i <= m_senders; ++i)
        {
            const uint64_t bytes = most / 2 + random() % most;
            payload += bytes;
            net.SendAt(PicoSeconds(1 + random() % 3000000), order[i], order[0], bytes);
        }
        Simulator::Run();
        const std::string what = "seed " + std::to_string(seed);
        CheckMessages(net, payload, what);
        NS_TEST_EXPECT_MSG_EQ(net.Sum(&PortCounters::drops), 0, what << ", drops");
        NS_TEST_EXPECT_MSG_EQ(net.LosslessDrops(), 0, what << ", lossless drops");
        NS_TEST_EXPECT_MSG_EQ(net.conservation->Find(), "", what);
        m_pauses += net.Sum(&PortCounters::pausesReceived);
        m_frames += net.digest.frames;
        for (const auto& direction : net.network->GetDirections())
        {
            const uint32_t queue = direction.port->GetTransmitter().GetCounters().maxQueueBytes;
            m_longestQueue = std::max(m_longestQueue, queue);
        }
    }

    /** @param net after a run @param payload sent in all @param what the run */
    void CheckMessages(const SmallNetwork& net, uint64_t payload, const std::string& what)
    {
        for (const auto* records : {&net.delivered, &net.acknowledged})
        {
            std::vector<uint32_t> sources;
            uint64_t bytes = 0;
            for (const SmallNetwork::Record& record : *records)
            {
                sources.push_back(record.message.source);
                bytes += record.message.bytes;
            }
            std::sort(sources.begin(), sources.end());
            const bool isOnce = std::adjacent_find(sources.begin(), sources.end()) == sources.end();
            NS_TEST_EXPECT_MSG_EQ(isOnce, true, what << ", each message once");
            NS_TEST_EXPECT_MSG_EQ(sources.size(), m_senders, what << ", messages");
            NS_TEST_EXPECT_MSG_EQ(bytes, payload, what << ", payload");
        }
        const NicCounters nics = net.transport->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(nics.payloadBytes, payload, what << ", payload acknowledged");
        NS_TEST_EXPECT_MSG_EQ(nics.retransmissions, 0, what << ", retransmissions");
    }

    /** Three tiers whose hosts have 25, 100 or 400 Gb/s, and buffers that are just large enough. @param
     * net gets it */
    void MakeMixedFatTree(SmallNetwork& net) const
    {
        const uint32_t h = m_k / 2;
        net.AddHosts(m_k * h * h);
        std::vector<uint32_t> tiers[3];
        for (uint32_t tier = 0; tier < 3; ++tier)
        {
            for (uint32_t i = 0; i < (tier == 2 ? h * h : m_k * h); ++i)
            {
                tiers[tier].push_back(net.AddSwitch(tier, i));
            }
        }
        std::vector<uint64_t> needed(net.hosts.size() + 2 * m_k * h + h * h, SPARE);
        const auto connect = [&net, &needed](uint32_t a, uint32_t b, uint64_t gigabits)
        {
            net.network->Connect(a,
                                 b,
                                 DataRate(gigabits * 1000000000),
                                 PicoSeconds(int64_t{DELAY_TICKS}));
            for (const uint32_t end : {a, b})
            {
                needed[end] += 4096 + 2 * DELAY_TICKS * gigabits / 8000 + 2 * MAX_FRAME + 84 + 1;
            }
        };
        const uint64_t own[] = {25, 100, 400};
        for (uint32_t i = 0; i < net.hosts.size(); ++i)
        {
            connect(net.hosts[i], tiers[0][i / h], own[i % 3]);
        }
        for (uint32_t i = 0; i < m_k * h * h; ++i)
        {
            connect(tiers[0][i / h], tiers[1][i / h / h * h + i % h], i % 2 ? 100 : 400);
            connect(tiers[1][i / h], tiers[2][i / h % h * h + i % h], i % 2 ? 400 : 100);
        }
        for (uint32_t s = 0; s < net.network->GetSwitchCount(); ++s)
        {
            net.network->GetSwitch(s)->SetAttribute("BufferSize",
                                                    UintegerValue(needed[net.hosts.size() + s]));
        }
        net.Finish();
    }

    uint32_t m_senders;          //!< so many
    uint32_t m_k;                //!< ports of each switch
    uint32_t m_seeds;            //!< runs
    uint64_t m_pauses = 0;       //!< received
    uint64_t m_frames = 0;       //!< arrivals
    uint32_t m_longestQueue = 0; //!< of all ports, bytes
};

/** A leak that is made on purpose. */
class LeakTestCase : public TestCase
{
  public:
    LeakTestCase()
        : TestCase("A frame that vanishes on its way, one that comes twice, and one that is kept "
                   "are found")
    {
    }

  private:
    void DoRun() override
    {
        SmallNetwork::SetPlain(1000);
        SmallNetwork net;
        net.MakeStar(3, "100Gbps");
        net.Send(1, 0, 10000);
        net.Send(2, 0, 10000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.conservation->Find(), "", "nothing is wrong");
        const FrameTransmitter& port = net.network->GetTerminalPort(1)->GetTransmitter();
        Frame frame{};
        frame.kind = FrameKind::DATA;
        frame.wireBytes = 1082;
        // it came out of the link, but never into it
        net.conservation->FrameArrived(port, frame, 0);
        const std::string text = net.conservation->Find();
        Expect(text, "host 1 -> switch: 10 frames sent, but 11 came");
        Expect(text, "switch 0 of tier 0: 41 frames (");
        Expect(text,
               "data: 21 frames (22722 B) of NICs came into the network, 20 (21640 B) to NICs");
        Expect(text, "NICs: 20 data frames sent, 21 seen");
        Frame* kept = net.network->GetPool().Take();
        Expect(net.conservation->Find(), "1 frames are missing in the pool");
        net.network->GetPool().Give(kept);
        net.conservation.reset(); // would end the program
    }

    /** @param text what was found @param words it has them */
    void Expect(const std::string& text, const std::string& words)
    {
        NS_TEST_EXPECT_MSG_NE(text.find(words), std::string::npos, words << " in " << text);
    }
};

/** The suite. */
class FabricLosslessTestSuite : public TestSuite
{
  public:
    FabricLosslessTestSuite()
        : TestSuite("llm-fabric-fabric-lossless", TestSuite::Type::SYSTEM)
    {
        for (const uint32_t senders : {2, 3, 4, 8, 16, 32, 64, 127})
        {
            AddTestCase(new IncastTestCase(senders, 8, 10));
        }
        AddTestCase(new LeakTestCase);
        AddTestCase(new IncastTestCase(1023, 16, 10), compat::LONG_TEST);
    }
};

FabricLosslessTestSuite g_fabricLosslessTestSuite; //!< registers the suite

} // namespace
